"""The decode figures of compositions x models at once, without speculation.

Every figure is the one that `placement.decode` gives for the pair under the policy of the
composition. All pairs of a kind take a few operations on arrays; the few where rounding decides, or
whose aggregate is too flat to tell, go through `placement.decode` itself.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..cache_columns import CacheColumns
from ..result import Binding, Decode, Placement
from ..setup import Composition, ModelCosts, ModelShape, Workload
from ..sweep import verdict_codes
from ..tables import ModelTable
from .decode import decode
from .pool_work import Shares
from .sweep_kinds import Pairs, bindings, blocks
from .sweep_models import ModelColumns, model_columns
from .sweep_ways import Floats, Ways, found_by


class CompositionSweep(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Decode figures by [composition, model]; the names are those of `Decode`.

    Batches and bytes are whole numbers in float64; a figure that does not exist is NaN. The figures
    that a ranking rarely shows are worked out each time when asked for.

    way: which of its ways serves a pair. alone: what went pair by pair.
    """

    pairs: Pairs
    columns: ModelColumns
    way: NDArray[np.int8]
    alone: dict[tuple[int, int], tuple[Decode, Placement]]
    memory_batch: Floats
    best_batch: Floats
    aggregate_tokens_per_s: Floats
    per_session_tokens_per_s: Floats

    @property
    def verdict(self) -> NDArray[np.int8]:
        """Index into `sweep.VERDICTS`."""
        return verdict_codes(self.memory_batch, self.best_batch)

    @property
    def resident_margin_bytes(self) -> Floats:
        """What weights and overhead leave for sessions, by the gate of the way that serves."""
        return self._each(
            lambda ways, _: ways.resident_margin_bytes(), lambda _, said: said.resident_margin_bytes
        )

    @property
    def spare_bytes(self) -> Floats:
        """What the best batch leaves free, or one session where no batch serves."""
        return self._each(
            lambda ways, best: ways.spare_bytes(best), lambda _, said: said.spare_bytes
        )

    @property
    def single_session_tokens_per_s(self) -> Floats:
        """The ceiling of one session alone."""
        found = self._each(
            lambda ways, best: ways.ceiling(np.ones_like(best)),
            lambda _, said: said.single_session_tokens_per_s,
        )
        return np.where(self.memory_batch >= 1.0, found, np.nan)

    @property
    def forced_per_session_tokens_per_s(self) -> Floats:
        """The ceiling of each session at the workload's batch, where it has one."""
        batch = self.pairs.workload.batch
        if batch is None:
            return np.full(self.memory_batch.shape, np.nan)

        def forced(ways: Ways, best: Floats) -> Floats:
            asked = np.full_like(best, batch)
            held = ways.holds_any | (ways.spare_bytes(asked) >= 0.0)
            return np.where(held, ways.ceiling(asked), np.nan)

        found = self._each(
            forced, lambda _, said: said.forced.per_session_tokens_per_s if said.forced else None
        )
        return np.where(self.memory_batch >= 0.0, found, np.nan)

    @cached_property
    def bindings(self) -> tuple[tuple[Binding, ...], ...]:
        """What may bind, by composition."""
        return tuple(map(bindings, self.pairs.compositions))

    @cached_property
    def binding(self) -> NDArray[np.int16]:
        """What binds at the best batch: its place in `bindings`, -1 where no batch serves."""
        return self._places(
            self.best_batch, lambda ways, best: ways.binding(best), lambda placed: placed.binding
        )

    @cached_property
    def single_binding(self) -> NDArray[np.int16]:
        """What binds one session alone: its place in `bindings`, -1 where none fits."""
        return self._places(
            self.memory_batch,
            lambda ways, best: ways.binding(np.ones_like(best)),
            lambda placed: placed.single_binding,
        )

    def _places(
        self,
        batch: Floats,
        figure: Callable[[Ways, Floats], NDArray[np.intp]],
        said: Callable[[Placement], Binding | None],
    ) -> NDArray[np.int16]:
        """Bindings as places, where there is a batch."""
        places = {
            pair: None if (one := said(placed)) is None else self.bindings[pair[0]].index(one)
            for pair, (_, placed) in self.alone.items()
        }
        found = self._each(figure, lambda pair, _: places[pair])
        return np.where(batch >= 1.0, found, -1.0).astype(np.int16)

    def _each(
        self,
        figure: Callable[[Ways, Floats], NDArray[Any]],
        said: Callable[[tuple[int, int], Decode], float | None],
    ) -> Floats:
        """A figure of every pair by the way that serves it.

        Parameters: figure, of ways and a batch of each of their pairs, the best or 1; said, the
        same figure of what went pair by pair.
        """
        found = np.full(self.memory_batch.shape, np.nan)
        for rows, places, ways in blocks(self.pairs, self.columns):
            at = np.ix_(rows, places)
            best = np.fmax(self.best_batch[at].ravel(), 1.0)
            each = [figure(way, best) for way in ways]
            found[at] = np.choose(self.way[at].ravel(), each).reshape(len(rows), places.size)
        for pair, (decoded, _) in self.alone.items():
            one = said(pair, decoded)
            found[pair] = np.nan if one is None else one
        return found


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
    memory, best, rate = np.full((3, *shape), np.nan)
    way, unsure = np.zeros(shape, dtype=np.int8), np.zeros(shape, dtype=np.bool_)
    for rows, places, ways in blocks(pairs, columns):
        found, at = found_by(ways, workload.floor_tokens_per_s), np.ix_(rows, places)
        for whole, part in (
            (memory, found.memory_batch),
            (best, found.best_batch),
            (rate, found.per_session_tokens_per_s),
            (way, found.way),
            (unsure, found.unsure),
        ):
            whole[at] = part.reshape(len(rows), places.size)
    alone = {(row, column): decode(pairs.setup(row, column)) for row, column in np.argwhere(unsure)}
    for pair, (said, _) in alone.items():
        figures = (said.memory_batch, said.best_batch, said.per_session_tokens_per_s)
        for whole, figure in zip((memory, best, rate), figures, strict=True):
            whole[pair] = np.nan if figure is None else figure
    return CompositionSweep(pairs, columns, way, alone, memory, best, best * rate, rate)
