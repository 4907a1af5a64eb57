"""Pools of unlike speed: a device and the memory of its host, or a layer split over unlike devices.

Which bytes lie where is chosen anew for every batch, so that the step is the shortest.
"""

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..capacity import Capacity, capacity
from ..decode import last_batch
from ..result import Binding, PoolShare
from ..setup import Device, Setup
from ..speculation import ROUNDING
from ..step import position_compute_s, step_bytes
from .knapsack import densest_first, ends, fill_in_order, least_greatest, traffic
from .layers import groups_name
from .many import least_time
from .parts import Parts, parts
from .policy import Limit, Policy, Values
from .together import pools_of

Mode = Literal["sequential", "both", "streamed", "groups"]
NAMES: dict[str, str] = {
    "sequential": "one pool at a time",
    "both": "all pools at once",
    "streamed": "host memory streamed to the devices",
}


class Pool(msgspec.Struct, frozen=True):
    """Devices of one kind whose memory is filled as one.

    room_bytes: m (C - O). one_s: seconds that a byte takes in one device, 1 / R. all_s: where all
    of them work at once, 1 / (m R). source: the devices. link: whether its bytes cross the link.
    """

    name: str
    room_bytes: float
    one_s: float
    all_s: float
    source: Device
    link: bool = False


class Placed(msgspec.Struct, frozen=True):
    """The best placement at each batch.

    fractions: of each part in each pool, pools by parts by batches. seconds: of an iteration, and
    for g groups of all of them (the period). each_s: of each pool alone, pools by batches.
    """

    parts: Parts
    fractions: Values
    seconds: Values
    each_s: Values


class PoolPolicy(Policy):
    """The least period over every fractional placement, under one way of using the pools.

    sequential: sum over pools of traffic / R_i. both: the greatest of traffic / (m R_i). streamed:
    both, with the host at min(R_2, B_link). groups g: max(sum_i t_i(b/g), g max_i t_i(b/g)).

    mode: one of these. groups: g of that mode, or None for the best.
    """

    rises = False

    def __init__(self, setup: Setup, mode: Mode, groups: int | None = None) -> None:
        super().__init__(setup)
        self.mode, self.asked = mode, groups
        self.pinned = self.composition.placement
        self.pools = self._pools()
        self.costly = len(self.pools) > 2 and mode != "sequential"
        self.restricts = mode in ("sequential", "streamed") or bool(self.pinned)
        self.name = NAMES.get(mode, "")
        if mode == "groups":
            self.name, self.restricts = groups_name(groups), groups is not None

    def _pools(self) -> tuple[Pool, ...]:
        composition = self.composition
        devices, host = composition.devices, composition.host
        merged = composition.split != "layers"
        pools = []
        for device in pools_of(composition):
            room = device.count * (device.machine.capacity_bytes - device.overhead_bytes)
            one = 1.0 / device.machine.bandwidth_bytes_per_s
            if merged:
                one /= device.count
            every = one if merged else one / device.count
            streamed = self.mode == "streamed" and device is host
            if streamed:
                link = 1.0 / ((composition.link_bytes_per_s or np.inf) * self.devices)
                streamed = link > one
                one = every = max(one, link)
            pools.append(Pool(device.name, max(room, 0.0), one, every, device, streamed))
        if len(devices) + (host is not None) > 2:
            pools.sort(key=lambda pool: pool.one_s)
        return tuple(pools)

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
        return self._best_groups(batch)[0]

    def groups(self, batch: int) -> int | None:
        if self.mode != "groups":
            return None
        return int(self._best_groups(np.array([float(batch)]))[1][0])

    def _best_groups(self, batch: Values) -> tuple[Placed, Values]:
        if self.mode != "groups":
            return self._placed(batch, np.ones(len(batch))), np.ones(len(batch))
        used = self._groups_used(batch)
        return self._placed(batch, used), used

    def _groups_used(self, batch: Values) -> Values:
        """The number of groups with the least period at each batch, in the mode of groups.

        No period is below that of the perfect balance, max(t / R_max, g t / sum m R) with the whole
        step t at b / g; numbers are tried from the lowest of these on until none can be better.
        """
        most = self.devices if self.asked is None else min(self.asked, self.devices)
        tried = np.arange(1.0 if self.asked is None else float(most), most + 1.0)
        groups = np.minimum(tried[:, np.newaxis], batch)
        whole = step_bytes(self.step, batch / groups)
        fastest = min(pool.one_s for pool in self.pools)
        together = sum(1.0 / pool.all_s for pool in self.pools)
        least = np.maximum(whole * fastest, groups * whole / together) * (1.0 - 1e-12)
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
        if len(self.pools) == 2:
            return self._two(found, groups)
        if self.mode == "sequential":
            rooms = tuple(pool.room_bytes for pool in self.pools)
            fractions = fill_in_order(found, rooms)
            each = np.array(
                [
                    pool.one_s * traffic(found, share)
                    for pool, share in zip(self.pools, fractions, strict=True)
                ]
            )
            return Placed(found, fractions, each.sum(axis=0), each)
        return self._many(found, groups)

    def _two(self, found: Parts, groups: Values) -> Placed:
        first, second = self.pools
        least, most = ends(found, first.room_bytes, second.room_bytes, self.pinned)
        low, high = traffic(found, least), traffic(found, most)
        total = np.sum(found.moved_bytes, axis=0)
        sum_line = (total * second.one_s, first.one_s - second.one_s)
        first_line = (0.0 * total, groups * first.all_s)
        second_line = (groups * total * second.all_s, -groups * second.all_s)
        lines = {
            "sequential": (sum_line,),
            "groups": (sum_line, first_line, second_line),
        }.get(self.mode, (first_line, second_line))
        at, seconds = least_greatest(lines, low, high)
        along = np.zeros(len(total))
        np.divide(at - low, high - low, out=along, where=high > low)
        share = least + along * (most - least)
        one = self.mode == "sequential"
        each = np.array(
            [
                at * (first.one_s if one else groups * first.all_s),
                (total - at) * (second.one_s if one else groups * second.all_s),
            ]
        )
        return Placed(found, np.array([share, 1.0 - share]), seconds, each)

    def _many(self, found: Parts, groups: Values) -> Placed:
        rooms = np.array([pool.room_bytes for pool in self.pools])
        one = np.array([pool.one_s for pool in self.pools])
        every = np.array([pool.all_s for pool in self.pools])
        shape = (len(self.pools), len(found.classes), len(groups))
        fractions, seconds = np.empty(shape), np.empty(len(groups))
        for column, many in enumerate(groups):
            fractions[:, :, column], seconds[column] = least_time(
                found.held_bytes[:, column],
                found.moved_bytes[:, column],
                rooms,
                one if self.mode == "groups" else None,
                every * many,
            )
        moved = np.einsum("kjb,jb->kb", fractions, found.moved_bytes)
        return Placed(found, fractions, seconds, moved * every[:, np.newaxis] * groups)

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        placed = self.placed(batch)
        memory = self.rate(placed.seconds)
        each_s = placed.each_s[:, -1]
        # The first of pools that are busy alike but for rounding, as where they are in balance.
        pool = self.pools[int(np.argmax(each_s >= each_s.max() * (1.0 - ROUNDING)))]
        binding = Binding("link" if pool.link else "memory", pool.name)
        sends: tuple[Limit, ...] = ()
        if self.composition.split != "layers":
            sends = self.link_limits(batch, self.composition.split)
        return (Limit(binding, memory), *self.compute_limits(batch, "all pools"), *sends)

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
        placed, used = self._best_groups(np.array([float(batch)]))
        shares = []
        for index, pool in enumerate(self.pools):
            held: dict[str, float] = {}
            fractions = placed.fractions[index, :, 0]
            sizes = fractions * placed.parts.held_bytes[:, 0]
            for name, size in zip(placed.parts.classes, sizes, strict=True):
                held[name] = held.get(name, 0.0) + float(size)
            moved = float(used[0] * np.sum(fractions * placed.parts.moved_bytes[:, 0]))
            device = pool.source
            shares.append(
                PoolShare(
                    name=pool.name,
                    capacity_bytes=device.count * device.machine.capacity_bytes,
                    overhead_bytes=device.count * device.overhead_bytes,
                    held_bytes=held,
                    traffic_bytes=moved,
                    time_s=float(placed.each_s[index, 0]),
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
        if len(self.pools) > 2:
            return found, densest_first(found, np.asarray(self.pools[0].room_bytes))
        first, second = self.pools
        least, most = ends(found, first.room_bytes, second.room_bytes, self.pinned)
        return found, (most if first.one_s <= second.one_s else 1.0 - least)
