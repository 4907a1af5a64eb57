"""Pools of unlike speed: a device and the memory of its host, or a layer split over unlike devices.

Which bytes lie where is chosen anew for every batch, so that the step is the shortest.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..capacity import Capacity, capacity
from ..decode import last_batch
from ..result import Binding, PoolShare
from ..setup import Setup
from ..speculation import ROUNDING
from ..step import position_compute_s, step_bytes
from .balance import divided, least_at_once, least_in_turn, least_of_groups, most_traffic
from .knapsack import densest_first, divide, pinned
from .layers import groups_name
from .parts import Parts, parts
from .policy import Limit, Policy, Values
from .pool import Mode, Pool, pools_in

NAMES: dict[str, str] = {
    "sequential": "one pool at a time",
    "both": "all pools at once",
    "streamed": "host memory streamed to the devices",
}


class Placed(msgspec.Struct, frozen=True):
    """The best placement at each batch.

    groups: of sessions, 1 where there are none. most_bytes: what each set of pools can move at
    most (`balance`). seconds: of an iteration, and for groups of all of them (the period).
    """

    parts: Parts
    groups: Values
    most_bytes: Values
    seconds: Values


class PoolPolicy(Policy):
    """The least period over every fractional placement, under one way of using the pools.

    sequential: sum over pools of traffic / R_i. both: the greatest of traffic / (m R_i). streamed:
    both, with the host at min(R_2, B_link). groups g: max(sum_i t_i(b/g), g max_i t_i(b/g)).

    mode: one of these. groups: g of that mode, or None for the best.
    """

    rises = False
    beyond = False

    def __init__(self, setup: Setup, mode: Mode, groups: int | None = None) -> None:
        super().__init__(setup)
        self.mode, self.asked = mode, groups
        self.pinned = self.composition.placement
        self.pools = pools_in(self.composition, mode)
        self.rooms_bytes = np.array([pool.room_bytes for pool in self.pools])
        self.one_s = np.array([pool.one_s for pool in self.pools])
        self.all_s = np.array([pool.all_s for pool in self.pools])
        self.restricts = mode in ("sequential", "streamed") or bool(self.pinned)
        self.name = NAMES.get(mode, "")
        if mode == "groups":
            self.name, self.restricts = groups_name(groups), groups is not None

    # Gate ---------------------------------------------------------------------------------------

    def gate(self) -> Capacity:
        whole = capacity(self.setup)
        if not self.pinned:
            return whole
        return Capacity(min(whole.margin_bytes, self._pinned_spare(0)), whole.session_bytes)

    def memory_batch(self) -> int:
        whole = capacity(self.setup)
        if not self.pinned:
            return whole.memory_batch

        def fits(batch: NDArray[np.int64]) -> NDArray[np.bool_]:
            return np.array([self.spare_bytes(int(b)) >= 0 for b in batch])

        return last_batch(fits, 0, whole.memory_batch)

    def spare_bytes(self, batch: int) -> int:
        whole = capacity(self.setup).spare_bytes(batch)
        return min(whole, self._pinned_spare(batch)) if self.pinned else whole

    def _pinned_spare(self, batch: int) -> int:
        """What the classes with a fixed place leave of the fuller pool [bytes]."""
        found = parts(self.setup, self.step, np.array([float(batch)]))
        spare = []
        for pool, on_devices in zip(self.pools, (True, False), strict=True):
            kept = 0.0
            for name, held in zip(found.classes, found.held_bytes[:, 0], strict=True):
                share = self.pinned.get(name)
                if share is not None:
                    kept += held * (share if on_devices else 1.0 - share)
            spare.append(round(pool.room_bytes) - round(kept))
        return min(spare)

    # Ceilings -----------------------------------------------------------------------------------

    def placed(self, batch: Values) -> Placed:
        """The best placement at each batch, with the best number of groups where that is free."""
        groups = np.ones(len(batch)) if self.mode != "groups" else self._groups_used(batch)
        return self._placed(batch, groups)

    def groups(self, batch: int) -> int | None:
        if self.mode != "groups":
            return None
        return int(self._groups_used(np.array([float(batch)]))[0])

    def _groups_used(self, batch: Values) -> Values:
        """The number of groups with the least period at each batch.

        No period is below that of the perfect balance, max(t / R_max, g t / sum m R) with the whole
        step t at b / g; numbers are tried from the lowest of these on until none can be better.
        """
        most = self.devices if self.asked is None else min(self.asked, self.devices)
        tried = np.arange(1.0 if self.asked is None else float(most), most + 1.0)
        groups = np.minimum(tried[:, np.newaxis], batch)
        whole = step_bytes(self.step, batch / groups)
        together = np.sum(1.0 / self.all_s)
        least = np.maximum(whole * self.one_s.min(), groups * whole / together) * (1.0 - 1e-12)
        order = np.argsort(least, axis=0, kind="stable")
        least = np.take_along_axis(least, order, axis=0)
        groups = np.take_along_axis(groups, order, axis=0)
        used, shortest = groups[0].copy(), np.full(len(batch), np.inf)
        for bound, number in zip(least, groups, strict=True):
            open_ = np.flatnonzero(bound < shortest)
            if not len(open_):
                break
            seconds = self._placed(batch[open_], number[open_]).seconds
            better = seconds < shortest[open_]
            shortest[open_[better]] = seconds[better]
            used[open_[better]] = number[open_[better]]
        return used

    def _placed(self, batch: Values, groups: Values) -> Placed:
        whole = self.composition.host is None
        found = parts(self.setup, self.step, batch, batch / groups, whole_layers=whole)
        most = most_traffic(found, self.rooms_bytes, self.pinned)
        if self.mode == "sequential":
            seconds = least_in_turn(most, self.one_s)
        elif self.mode == "groups":
            seconds = least_of_groups(most, self.one_s, np.outer(self.all_s, groups))
        else:
            seconds = least_at_once(most, self.all_s)
        return Placed(found, groups, most, seconds)

    def traffic(self, placed: Placed) -> Values:
        """What each pool moves in an iteration of one group, pools by batches [bytes]."""
        limits = None
        if self.mode != "sequential":
            limits = placed.seconds / np.outer(self.all_s, placed.groups)
        return divided(placed.most_bytes, self.one_s, limits)

    def each_s(self, placed: Placed, traffic: Values) -> Values:
        """How long each pool works in an iteration, or in a period, pools by batches."""
        if self.mode == "sequential":
            return traffic * self.one_s[:, np.newaxis]
        return traffic * np.outer(self.all_s, placed.groups)

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        placed = self.placed(batch)
        each = self.each_s(placed, self.traffic(placed))
        # The first of pools that are busy alike but for rounding, as where they are in balance.
        slowest = (each >= each.max(axis=0) * (1.0 - ROUNDING)).argmax(axis=0)
        bindings = tuple(
            Binding("link" if pool.link else "memory", pool.name) for pool in self.pools
        )
        sends: tuple[Limit, ...] = ()
        if self.composition.split != "layers":
            sends = self.link_limits(batch, self.composition.split)
        memory = Limit(bindings, self.rate(placed.seconds), slowest)
        return (memory, *self.compute_limits(batch, "all pools"), *sends)

    def compute_seconds(self, batch: Values) -> Values | None:
        """Least time of the arithmetic wherever it is done: a bound below every placement.

        One pool at a time no less than all of it on the fastest device; at once no less than with
        every device busy to the end.
        """
        working = [
            pool for pool in self.pools if self.mode != "streamed" or not self._is_host(pool)
        ]
        each = []
        for pool in working:
            one = msgspec.structs.replace(self.setup, machine=pool.source.machine)
            seconds = position_compute_s(one)
            if seconds is None:
                return None
            each.append((seconds * (self.step.draft_tokens + 1), pool.source.count))
        if any(seconds == 0.0 for seconds, _ in each):
            return batch * 0.0
        merged = self.composition.split != "layers"
        fastest = min(seconds / (count if merged else 1) for seconds, count in each)
        at_once = 1.0 / sum(count / seconds for seconds, count in each)
        if self.mode == "sequential":
            return batch * fastest
        if self.mode == "groups":
            most = self.devices if self.asked is None else min(self.asked, self.devices)
            return np.maximum(batch / np.minimum(most, batch) * fastest, batch * at_once)
        return batch * at_once

    def _is_host(self, pool: Pool) -> bool:
        return pool.source is self.composition.host

    # What lies where ----------------------------------------------------------------------------

    def shares(self, batch: int) -> tuple[PoolShare, ...]:
        placed = self.placed(np.array([float(batch)]))
        moved = self.traffic(placed)
        each = self.each_s(placed, moved)[:, 0]
        lying = divide(placed.parts, self.rooms_bytes, moved[:, 0], self.pinned)
        shares = []
        for index, pool in enumerate(self.pools):
            held: dict[str, float] = {}
            sizes = lying[:, index] * placed.parts.held_bytes[:, 0]
            for name, size in zip(placed.parts.classes, sizes, strict=True):
                held[name] = held.get(name, 0.0) + float(size)
            device = pool.source
            shares.append(
                PoolShare(
                    name=pool.name,
                    capacity_bytes=device.count * device.machine.capacity_bytes,
                    overhead_bytes=device.count * device.overhead_bytes,
                    held_bytes=held,
                    traffic_bytes=float(placed.groups[0] * moved[index, 0]),
                    time_s=float(each[index]),
                )
            )
        return tuple(shares)

    def mark(self, batch: Values) -> NDArray[np.int64]:
        """Which parts lie in the fastest pool whole, in part, or not at all, as one number."""
        found, fractions = self._fastest(batch)
        state = np.where(fractions >= 1.0, 2, np.where(fractions > 0.0, 1, 0))
        weights = 3 ** np.arange(len(found.classes), dtype=np.int64)
        marks: NDArray[np.int64] = weights @ state
        return marks

    def weights_in_fastest(self, batch: Values) -> Values:
        """Weights that the fastest pool holds when the densest traffic lies there [bytes]."""
        found, fractions = self._fastest(batch)
        chosen = [name in ("weights", "routed_experts", "layers") for name in found.classes]
        kept: Values = np.sum((fractions * found.held_bytes)[chosen], axis=0)
        return kept

    def _fastest(self, batch: Values) -> tuple[Parts, Values]:
        found = parts(self.setup, self.step, batch, whole_layers=self.composition.host is None)
        fastest = int(np.argmin(self.one_s))
        kept, free = pinned(found, self.pinned)
        fixed = kept[:, fastest : fastest + 1] if self.pinned else np.zeros((len(kept), 1))
        room = self.rooms_bytes[fastest] - fixed.T @ found.held_bytes
        placed = densest_first(free, np.maximum(room[0], 0.0))
        return found, np.where(kept.sum(axis=1, keepdims=True) > 0.0, fixed, placed)
