"""Which of a model's formats a pair takes, where several may do.

The one of most bytes that serves at least one session above the floor; failing that, the one of
most bytes in which a session fits; failing that, the smallest.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def in_one_format(
    rungs: int, figures_of: Callable[[int], tuple[Floats, ...]]
) -> tuple[NDArray[np.int8], tuple[Floats, ...]]:
    """The rung of each pair, and each figure in that format, by [model, machine].

    One format is worked out after the other, the smallest first: of all but two nothing is kept.

    Parameters: rungs, the formats of each model, of most bytes first; figures_of, of a rung the
    memory batch, the best batch, and what else there is, in arrays that may be written to.
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
