"""Pools of unlike speed: a device and the memory of its host, or layers on unlike devices."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..crossover import missing_modes
from ..kept import KeptByArrays
from ..result import Binding, PoolShare
from ..setup import Setup
from .arithmetic import counted
from .knapsack import divide
from .layers import groups_name
from .policy import Limit, Values
from .pool import Mode
from .pool_memory import Filling, PoolMemory
from .pool_work import PoolWork, Together, Worked
from .search import highest
from .sweep_search import Indices, Ranges

BALANCED = 1e-9
"""Pools whose times differ by a smaller fraction are in balance; the rest of it is rounding."""
NAMES: dict[str, str] = {
    "sequential": "one pool at a time",
    "both": "all pools at once",
    "streamed": "host memory streamed to the devices",
}


class PoolPolicy(PoolMemory):
    """The least period over every fractional placement, under one way of using the pools.

    With t_i the larger of the times that the memory and the arithmetic of the bytes in pool i take:
    sequential, the sum of t_i; both, the greatest of t_i with all m devices of a pool at work;
    streamed, both with the host at min(R_2, B_link) and its arithmetic done by the devices; groups
    g, max(sum_i t_i(b/g), g max_i t_i(b/g)). The arithmetic counts where the combined ceiling is
    asked for. In more than two pools memory and arithmetic are each placed best by themselves.

    mode: one of these. groups: g of that mode, or None for the best. filling: shared by several
    ways of using the same pools.
    """

    def __init__(
        self,
        setup: Setup,
        mode: Mode,
        groups: int | None = None,
        filling: Filling | None = None,
    ) -> None:
        super().__init__(setup, mode, groups, filling)
        self.work = PoolWork(setup, mode, self.pools)
        self._known: KeptByArrays[Worked | None] = KeptByArrays()
        self.restricts = mode != "both" or bool(self.pinned) or self._host_computes()
        self.name = NAMES.get(mode, "")
        if mode == "groups":
            self.name, self.restricts = groups_name(groups), groups is not None

    def _host_computes(self) -> bool:
        """Whether a host is charged for arithmetic, which devices might do faster."""
        setup, host = self.setup, self.composition.host
        if host is None or setup.workload.decode_ceiling != "combined":
            return False
        return counted(setup.model) and not missing_modes(
            host.machine, setup.linear_mode | setup.attention_mode
        )

    def groups(self, batch: int) -> int | None:
        if self.mode != "groups":
            return None
        many = np.array([float(batch)])
        found = self._together(many) if self._charges_work() else None
        return int((self.placed(many) if found is None else found).groups[0])

    def best_batch(self, most: int) -> int:
        return highest(Aggregates(self), most)

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        placed = self.placed(batch)

        @cache
        def slowest() -> NDArray[np.intp]:
            return _slowest(self.each_s(placed.groups, self.traffic(placed)))

        bindings = tuple(
            Binding("link" if pool.link else "memory", pool.name) for pool in self.pools
        )
        found = [Limit(bindings, self.rate(placed.seconds), slowest)]
        if self._charges_work():
            worked = self._worked(batch)
            computing = tuple(Binding("compute", pool.name) for pool in self.pools)
            rates = self.rate(worked.seconds)
            found.append(Limit(computing, rates, lambda: _slowest(worked.each_s)))
        if self.composition.split != "layers":
            found += self.link_limits(batch, self.composition.split)
        return tuple(found)

    # Arithmetic ---------------------------------------------------------------------------------

    def compute_seconds(self, batch: Values) -> Values | None:
        found = self._alone(batch)
        return None if found is None else found.seconds

    def combined_seconds(self, batch: Values) -> Values | None:
        found, memory = self._alone(batch), self.placed(batch).seconds
        together = self._together(batch)
        if found is None:
            return None
        # Both together are found from below; they never take less than either by itself.
        seconds = np.maximum(found.seconds, memory)
        return seconds if together is None else np.maximum(together.seconds, seconds)

    def unknown_rates(self) -> tuple[str, ...]:
        return self.work.unknown

    def _charges_work(self) -> bool:
        combined = self.setup.workload.decode_ceiling == "combined"
        return combined and self.work.is_known

    def _worked(self, batch: Values) -> Worked:
        """What arithmetic alone takes, or where it makes the period longer, the period."""
        alone, together = self._alone(batch), self._together(batch)
        assert alone is not None
        if together is None:
            return alone
        longer = together.seconds > self.placed(batch).seconds
        return Worked(
            np.where(longer, np.maximum(together.seconds, alone.seconds), alone.seconds),
            np.where(longer, together.each_s, alone.each_s),
        )

    def _alone(self, batch: Values) -> Worked | None:
        """The least time of the arithmetic; with most groups it is the least of any number."""
        groups = np.ones(len(batch))
        if self.mode == "groups":
            groups = np.minimum(float(self.most_groups()), batch)

        def find() -> Worked | None:
            made = self.work.of(self.step, batch, groups)
            return None if made is None else self.work.alone(made, groups, self.rooms_bytes)

        return self._known.of(find, batch)

    def _together(self, batch: Values) -> Together | None:
        """The least period of memory and arithmetic in two pools.

        None where they are placed each by itself: with more pools, or where the host does none.
        """
        if len(self.pools) != 2 or self.mode == "streamed" or not self.work.is_known:
            return None

        def joint(batch: Values, groups: Values) -> Together:
            made = self.work.of(self.step, batch, groups)
            assert made is not None
            placed = self.placed_in(batch, groups)
            memory = (placed.seconds, self.traffic(placed)[0])
            byte_s = (self.one_s, self.all_s)
            return self.work.together(made, groups, self.rooms_bytes, byte_s, memory)

        return joint(batch, self.best_groups(batch, lambda b, g: joint(b, g).seconds))

    # What lies where ----------------------------------------------------------------------------

    def shares(self, batch: int) -> tuple[PoolShare, ...]:
        many = np.array([float(batch)])
        together = self._together(many) if self._charges_work() else None
        if together is None:
            placed = self.placed(many)
            found, groups = placed.parts, placed.groups
            lying = divide(found, self.rooms_bytes, self.traffic(placed)[:, 0], self.pinned)
        else:
            found, groups = together.parts, together.groups
            lying = np.hstack([together.fractions, 1.0 - together.fractions])
        moved = lying.T @ found.moved_bytes
        busy = self.each_s(groups, moved)
        if together is not None:
            busy = np.maximum(busy, together.each_s)
        shares = []
        for index, pool in enumerate(self.pools):
            held: dict[str, float] = {}
            for name, share, size in zip(found.classes, lying, found.held_bytes[:, 0], strict=True):
                if size > 0.0:
                    held[name] = held.get(name, 0.0) + float(share[index] * size)
            device = pool.source
            shares.append(
                PoolShare(
                    name=pool.name,
                    capacity_bytes=device.count * device.machine.capacity_bytes,
                    overhead_bytes=device.count * device.overhead_bytes,
                    held_bytes=held,
                    traffic_bytes=float(groups[0] * moved[index, 0]),
                    time_s=float(busy[index, 0]),
                )
            )
        return tuple(shares)


def _slowest(each_s: Values) -> NDArray[np.intp]:
    """The first of the pools that are busy alike but for rounding, as where they are in balance."""
    return (each_s >= each_s.max(axis=0) * (1.0 - BALANCED)).argmax(axis=0)


class Aggregates:
    """The aggregate of one policy, and a ceiling on it that never rises with the batch.

    An iteration never gets shorter, so that in a range T <= T(low) top / low. The ceiling that
    never rises is that of the link, and of the arithmetic alone: for one group of sessions, and for
    the most, that of each session takes no less when there are more, because their caches leave
    fewer placements.
    """

    def __init__(self, way: "PoolPolicy") -> None:
        self.way = way

    def aggregates(self, at: Indices, batch: Values) -> Values:
        way, steady = self.way, np.full(batch.shape, np.inf)
        if way.setup.workload.decode_ceiling == "combined":
            alone = way.compute_seconds(batch)
            grouped = way.mode == "groups"
            if alone is not None:
                rising = batch < (way.most_groups() if grouped else 1)
                steady = np.where(rising, np.inf, way.rate(alone))
        if way.composition.split != "layers":
            for limit in way.link_limits(batch, way.composition.split):
                steady = np.minimum(steady, limit.per_session_tokens_per_s)
        return batch * np.array([way.per_session(batch), steady])

    def cut(self, at: Indices, top: Values) -> Values:
        return np.zeros(at.shape)

    def most(self, ranges: Ranges, whole: bool) -> Values:
        aggregate, steady = ranges.lows
        return np.minimum(aggregate * (ranges.top / ranges.low), steady)
