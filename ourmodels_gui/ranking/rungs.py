"""Which of a model's formats a pair takes, where several may do, and its figures in that one.

The one of most bytes that serves at least one session above the floor; failing that, the one of
most bytes in which a session fits; failing that, the smallest.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..engine.placement.sweep import CompositionSweep
from ..engine.sweep import sweep_tables
from ..engine.tables import MachineTable, ModelTable, some_of

Floats = NDArray[np.float64]
Found = tuple[NDArray[np.int8], tuple[Floats, ...]]

SWEPT = ("memory_batch", "best_batch", "aggregate_tokens_per_s", "per_session_tokens_per_s")
"""Figures that both sweeps give, over machines and over compositions."""


def of_machines(
    rungs: int,
    machines: MachineTable,
    models: ModelTable,
    floor_tokens_per_s: float,
    compute_s: Floats | None,
) -> Found:
    """The rung of each pair, and each of SWEPT in that format, by [model, machine].

    Parameters: rungs, the formats of each model, of most bytes first; machines; models in their
    first format, then in their second, and so on; floor; compute_s by these models and machines.
    """
    count = models.active_bytes.size // rungs

    def figures_of(rung: int) -> tuple[Floats, ...]:
        rows = slice(rung * count, (rung + 1) * count)
        computing = None if compute_s is None else compute_s[rows]
        swept = sweep_tables(machines, some_of(models, rows), floor_tokens_per_s, computing)
        return tuple(getattr(swept, name).T for name in SWEPT)

    return _in_one_format(rungs, figures_of)


def of_compositions(rungs: int, swept: CompositionSweep) -> Found:
    """The same of compositions, from the sweep over them in every format."""
    figures = [np.split(getattr(swept, name).T, rungs) for name in SWEPT]
    return _in_one_format(rungs, lambda rung: tuple(each[rung].copy() for each in figures))


def _in_one_format(rungs: int, figures_of: Callable[[int], tuple[Floats, ...]]) -> Found:
    """The rung of each pair, and each of SWEPT in that format, by [model, machine].

    One format is worked out after the other, the smallest first: of all but two nothing is kept.

    Parameters: rungs; figures_of, of a rung the figures, in arrays that may be written to.
    """
    kept = figures_of(rungs - 1)
    rung = np.full(kept[0].shape, rungs - 1, dtype=np.int8)
    for place in reversed(range(rungs - 1)):
        _prefer(place, figures_of(place), rung, kept)
    return rung, kept


def _prefer(
    place: int, figures: tuple[Floats, ...], rung: NDArray[np.int8], kept: tuple[Floats, ...]
) -> None:
    """Take the figures of a larger format wherever it is the better one."""
    memory, best = figures[:2]
    takes = (best >= 1.0) | ((memory >= 1.0) & ~(kept[1] >= 1.0))
    for whole, figure in zip(kept, figures, strict=True):
        np.copyto(whole, figure, where=takes)
    rung[takes] = place
