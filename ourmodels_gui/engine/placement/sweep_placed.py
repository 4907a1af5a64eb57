"""Unlike pools of any kind, many compositions x models at once.

The counterpart of `pools` without arithmetic. It takes what `sweep_pools` does not: a placement as
given, three and more pools, groups of sessions, several sets of experts.
"""

from collections.abc import Sequence

import numpy as np

from ..setup import Composition
from .pool import pools_in
from .pools import BALANCED
from .sweep_equal import link_columns
from .sweep_models import ModelColumns
from .sweep_placing import Placing, pool_mode
from .sweep_search import Ranges, highest_of_each, last_of_each, least_of
from .sweep_ways import Floats, Indices, Mask, Ways, last_clearing, near_floor
from .together import device_count


class PlacedWays(Ways):
    """Pools of unlike speed, the same number of them in the same order of speed for every pair."""

    holds_any = False

    def __init__(self, compositions: Sequence[Composition], models: ModelColumns) -> None:
        super().__init__(compositions, models)
        first, mode = compositions[0], pool_mode(compositions[0])
        self.pools = [pools_in(one, pool_mode(one)) for one in compositions]
        figures = [
            [(pool.room_bytes, pool.one_s, pool.all_s) for pool in some] for some in self.pools
        ]
        rooms, one_s, all_s = np.repeat(np.array(figures).transpose(2, 1, 0), self.columns, axis=2)
        self.placing = Placing(
            models=self.models,
            rooms_bytes=rooms,
            one_s=one_s,
            all_s=all_s,
            most_groups=self.by_pair(
                [min(one.groups or np.inf, device_count(one)) for one in compositions]
            ),
            asked=self.by_pair([float(one.groups is not None) for one in compositions]) == 1.0,
            mode=mode,
            placement=first.placement,
            whole_layers=first.host is None,
        )
        self.link_s = np.zeros(self.margin_bytes.shape)
        if first.split != "layers":
            self.link_s = link_columns(compositions, models, first.split)

    def resident_margin_bytes(self) -> Floats:
        none = np.zeros(self.margin_bytes.shape)
        return np.minimum(self.margin_bytes, self._pinned_spare(none))

    def memory_batch(self) -> Floats:
        fitting = super().memory_batch()
        if not self.placing.placement:
            return fitting
        return last_of_each(
            lambda rows: np.array([self.spare_bytes(batch) >= 0.0 for batch in rows]), fitting
        )

    def spare_bytes(self, batch: Floats) -> Floats:
        return np.minimum(super().spare_bytes(batch), self._pinned_spare(batch))

    def _pinned_spare(self, batch: Floats) -> Floats:
        """What the classes with a fixed place leave of the fuller pool, `PoolPolicy` [bytes]."""
        fixed = self.placing.placement
        spare = np.full(batch.shape, np.inf)
        if not fixed:
            return spare
        found = self.placing.parts(batch, batch)
        for pool, room in enumerate(self.placing.rooms_bytes):
            kept = np.zeros(batch.shape)
            for name, held in zip(found.classes, found.held_bytes, strict=True):
                if name in fixed:
                    kept += held * (fixed[name] if pool == 0 else 1.0 - fixed[name])
            spare = np.minimum(spare, np.rint(room) - np.rint(kept))
        return spare

    def limits(self, at: Indices, batch: Floats) -> Floats:
        """The ceilings of one session that memory and link set, at some of the pairs."""
        some = self.placing.of(at)
        with np.errstate(divide="ignore"):
            return 1.0 / np.array([some.least(batch)[0], batch * self.link_s[at]])

    def per_session(self, batch: Floats) -> Floats:
        every = np.broadcast_to(np.arange(batch.shape[-1]), batch.shape).ravel()
        return self.limits(every, batch.ravel()).min(axis=0).reshape(batch.shape)

    def binding(self, batch: Floats) -> Indices:
        memory, link = self.limits(np.arange(batch.size), batch)
        each = self.placing.each_s(batch)
        return np.where(link < memory, 2 * len(each), slowest(each))

    def best_batch(self, memory: Floats, floor: float) -> tuple[Floats, Mask]:
        return searched(Aggregates(self, np.arange(memory.size)), memory, floor)


def slowest(each_s: Floats) -> Indices:
    """The first of the pools that are busy alike but for rounding."""
    return (each_s >= each_s.max(axis=0) * (1.0 - BALANCED)).argmax(axis=0)


def searched(ceilings: "Aggregates", memory: Floats, floor: float) -> tuple[Floats, Mask]:
    """The best batch of 1 .. memory that clears the floor, 0 for none, and where it is not sure."""
    best, unsure = np.zeros_like(memory), np.zeros(memory.shape, dtype=np.bool_)
    seated = np.flatnonzero(memory >= 1.0)
    if not seated.size:
        return best, unsure

    def rates(batch: Floats) -> Floats:
        return least_of(ceilings, seated, batch) / batch

    usable = last_clearing(rates, floor, memory[seated])
    unsure[seated] = near_floor(rates, floor, usable, memory[seated])
    if (serves := usable >= 1.0).any():
        at = seated[serves]
        best[at], flat = highest_of_each(ceilings.of(at), usable[serves])
        unsure[at] |= flat
    return best, unsure


class Aggregates:
    """The aggregates that memory and link allow some pairs.

    Nothing is known of that of the memory but that an iteration never gets shorter, so that in a
    range T <= T(low) top / low; that of the link does not change.
    """

    def __init__(self, ways: PlacedWays, pairs: Indices) -> None:
        self.ways, self.pairs = ways, pairs

    def of(self, at: Indices) -> "Aggregates":
        """The same of some of the pairs."""
        return type(self)(self.ways, self.pairs[at])

    def aggregates(self, at: Indices, batch: Floats) -> Floats:
        return batch * self.ways.limits(self.pairs[at], batch)

    def cut(self, at: Indices, top: Floats) -> Floats:
        return np.zeros(at.shape)

    def most(self, ranges: Ranges, whole: bool) -> Floats:
        memory, link = ranges.lows
        return np.minimum(memory * (ranges.top / ranges.low), np.maximum(link, ranges.tops[1]))
