"""Where bytes lie best in pools of unlike speed, for the memory alone."""

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..capacity import Capacity, capacity
from ..decode import last_batch
from ..kept import KeptByArrays
from ..setup import Setup
from ..step import Step, step_bytes
from .balance import divided, least_at_once, least_in_turn, least_of_groups, most_traffic
from .knapsack import densest_first, pinned
from .parts import Parts, parts
from .policy import Policy, Values
from .pool import Mode, pools_in


class Placed(msgspec.Struct, frozen=True):
    """The best placement at each batch.

    groups: of sessions, 1 where there are none. most_bytes: what each set of pools can move at
    most (`balance`). seconds: of an iteration, and for groups of all of them (the period).
    """

    parts: Parts
    groups: Values
    most_bytes: Values
    seconds: Values


class Filling:
    """The parts of a setup and F of pools with their rooms (`balance`) at some batches.

    Every way of using the same pools asks for them, again and again for the same batches. prompts:
    F of batches of prompts.
    """

    def __init__(self, setup: Setup, step: Step) -> None:
        self._setup, self._step = setup, step
        assert setup.composition is not None
        self._pinned = setup.composition.placement
        self._whole_layers = setup.composition.host is None
        self._known: KeptByArrays[tuple[Parts, Values]] = KeptByArrays()
        self.prompts: KeptByArrays[Values] = KeptByArrays()

    def at(self, batch: Values, groups: Values, rooms_bytes: Values) -> tuple[Parts, Values]:
        """Both at each batch, so many groups of sessions taking turns."""

        def find() -> tuple[Parts, Values]:
            whole = self._whole_layers
            found = parts(self._setup, self._step, batch, batch / groups, whole_layers=whole)
            return found, most_traffic(found, rooms_bytes, self._pinned)

        return self._known.of(find, batch, groups, rooms_bytes)


class PoolMemory(Policy):
    """The gate of pools of unlike speed, and the least period of their memory.

    Which bytes lie where is chosen anew for every batch, so that the period is the shortest.

    mode, groups, filling: as in `pools.PoolPolicy`.
    """

    beyond = False

    def __init__(
        self,
        setup: Setup,
        mode: Mode,
        groups: int | None = None,
        filling: Filling | None = None,
    ) -> None:
        super().__init__(setup)
        self.filling = filling or Filling(setup, self.step)
        self.mode, self.asked = mode, groups
        self.pinned = self.composition.placement
        self.pools = pools_in(self.composition, mode)
        self.rooms_bytes = np.array([pool.room_bytes for pool in self.pools])
        self.one_s = np.array([pool.one_s for pool in self.pools])
        self.all_s = np.array([pool.all_s for pool in self.pools])

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

    # The least period ---------------------------------------------------------------------------

    def placed(self, batch: Values) -> Placed:
        """The best placement for the memory, with the best number of groups where that is free."""
        return self.placed_in(
            batch, self.best_groups(batch, lambda b, g: self.placed_in(b, g).seconds)
        )

    def best_groups(self, batch: Values, period: Callable[[Values, Values], Values]) -> Values:
        """The number of groups with the least period at each batch; 1 where there are none.

        No period is below that of the perfect balance, max(t / R_max, g t / sum m R) with the whole
        step t at b / g; numbers are tried from the lowest of these on until none can be better.
        """
        if self.mode != "groups":
            return np.ones(len(batch))
        most = self.most_groups()
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
            seconds = period(batch[open_], number[open_])
            better = seconds < shortest[open_]
            shortest[open_[better]] = seconds[better]
            used[open_[better]] = number[open_[better]]
        return used

    def most_groups(self) -> int:
        """The largest number of groups that may be used."""
        return self.devices if self.asked is None else min(self.asked, self.devices)

    def placed_in(self, batch: Values, groups: Values) -> Placed:
        """The same with these numbers of groups."""
        found, most = self.filling.at(batch, groups, self.rooms_bytes)
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

    def each_s(self, groups: Values, traffic: Values) -> Values:
        """How long the memory of each pool works in an iteration, or in a period, pools by batches.

        Parameters: groups; traffic of an iteration of one of them.
        """
        if self.mode == "sequential":
            return traffic * self.one_s[:, np.newaxis]
        return traffic * np.outer(self.all_s, groups)

    # What lies in the fastest pool --------------------------------------------------------------

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
