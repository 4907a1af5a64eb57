"""The decode figures of compositions x models at once, without speculation.

Every figure is the one that `placement.decode` gives for the pair under the policy of the
composition. Devices of one kind, alone or with the memory of their host, take a few operations on
arrays for all pairs; what they leave goes pair by pair through `placement.decode` itself.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..cache_columns import CacheColumns
from ..result import Binding
from ..setup import Composition, ModelCosts, ModelShape, Setup, Workload
from ..speculation import ROUNDING
from ..tables import ModelTable
from .decode import decode
from .pool_work import Shares
from .sweep_kinds import Pairs, blocks
from .sweep_models import model_columns
from .sweep_ways import AGGREGATE, FIGURES, Floats, Found, Ways, found_by


class CompositionSweep(msgspec.Struct, frozen=True, eq=False):
    """Decode figures by [composition, model]; the names are those of `Decode`.

    Batches and bytes are whole numbers in float64; a figure that does not exist is NaN.
    resident_margin_bytes and spare_bytes are those of the policy in use, whose gate may be tighter
    than that of all pools together. forced_per_session_tokens_per_s: at the workload's batch.
    binding, single_binding: places in `bindings` of the composition, -1 where nothing binds.
    """

    bindings: tuple[tuple[Binding, ...], ...]
    binding: NDArray[np.int16]
    single_binding: NDArray[np.int16]
    resident_margin_bytes: Floats
    memory_batch: Floats
    best_batch: Floats
    aggregate_tokens_per_s: Floats
    per_session_tokens_per_s: Floats
    single_session_tokens_per_s: Floats
    forced_per_session_tokens_per_s: Floats
    spare_bytes: Floats

    @property
    def verdict(self) -> NDArray[np.int8]:
        """Index into `sweep.VERDICTS`."""
        fits = (self.memory_batch >= 0.0).astype(np.int8)
        return fits + (self.memory_batch >= 1.0) + (self.best_batch >= 1.0)


def sweep_compositions(
    compositions: Sequence[Composition],
    models: Sequence[ModelCosts],
    shapes: Sequence[ModelShape | None],
    table: ModelTable,
    caches: CacheColumns,
    *,
    workload: Workload,
    arithmetic: Sequence[tuple[Shares, Shares]] | None = None,
) -> CompositionSweep:
    """Decode figures of every pair of a composition and a model.

    Parameters: compositions, with the overhead of each pool, more than one pool each, whatever
    their `shape`; models, with the shape of each (None where it is unknown), their table at the
    contexts of the workload, and their caches; workload, whose contexts and overhead play no part;
    arithmetic, linear and attention mode of each composition, for the combined ceiling.
    Errors: ValueError for a model whose session reserves nothing, or a split without its link.
    References: formulation, "Calculator procedure"; docs/compositions.md.
    """
    modes = arithmetic or [({}, {})] * len(compositions)
    pairs = Pairs(compositions, models, shapes, table, workload, modes)
    columns = model_columns(models, shapes, table, caches, workload)
    shape = (len(compositions), len(models))
    figures = np.full((len(FIGURES), *shape), np.nan)
    codes = np.full((2, *shape), -1, dtype=np.int16)
    left = np.ones(shape, dtype=np.bool_)
    known: list[dict[Binding, int]] = [{} for _ in compositions]
    for rows, places, ways in blocks(pairs, columns):
        found, block = _better(ways, workload), (len(rows), places.size)
        at = np.ix_(rows, places)
        figures[:, at[0], at[1]] = found.figures.reshape(-1, *block)
        left[at] = found.unsure.reshape(block)
        ids = [
            [known[row].setdefault(one, len(known[row])) for one in bindings] + [-1]
            for row, bindings in zip(rows, ways[0].bindings(), strict=True)
        ]
        bound = found.codes.reshape(-1, *block)
        codes[:, at[0], at[1]] = np.array(ids)[np.arange(len(rows))[:, np.newaxis], bound]
    for row, column in np.argwhere(left):
        figures[:, row, column], codes[:, row, column] = _alone(
            pairs.setup(row, column), known[row]
        )
    return CompositionSweep(tuple(map(tuple, known)), codes[0], codes[1], *figures)


def _better(ways: tuple[Ways, ...], workload: Workload) -> Found:
    """The figures of the first way, or of a later one where its aggregate is larger."""
    first, *others = (found_by(way, workload) for way in ways)
    for other in others:
        least = np.nan_to_num(first.figures[AGGREGATE]) * (1.0 + ROUNDING)
        better = np.nan_to_num(other.figures[AGGREGATE]) > least
        first = Found(
            np.where(better, other.figures, first.figures),
            np.where(better, other.codes, first.codes),
            first.unsure,
        )
    return first


def _alone(setup: Setup, known: dict[Binding, int]) -> tuple[list[float], list[int]]:
    """The figures of one pair, and its bindings as places in `known`, to which it adds."""
    found, placed = decode(setup)
    figures = [
        found.resident_margin_bytes,
        found.memory_batch,
        found.best_batch,
        found.aggregate_tokens_per_s,
        found.per_session_tokens_per_s,
        found.single_session_tokens_per_s,
        found.forced.per_session_tokens_per_s if found.forced else None,
        found.spare_bytes,
    ]
    codes = [
        -1 if one is None else known.setdefault(one, len(known))
        for one in (placed.binding, placed.single_binding)
    ]
    return [np.nan if figure is None else float(figure) for figure in figures], codes
