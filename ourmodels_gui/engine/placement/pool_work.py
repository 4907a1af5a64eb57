"""The arithmetic of pools of unlike speed: each does that of the bytes that lie in it."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..crossover import seconds_per_flop
from ..setup import Composition, Setup
from ..step import Step
from .arithmetic import Work, counted, work
from .balance import divided, least_at_once, least_in_turn, least_of_groups, most_traffic, summed
from .joint import Loads, Rooms, least_joint
from .parts import Parts
from .pool import Mode, Pool

Values = NDArray[np.float64]
NO_TIME_S = 1e-200
Shares = dict[str, float]


class Worked(msgspec.Struct, frozen=True):
    """seconds: of an iteration, or of a period. each_s: of the arithmetic of each pool in it, pools
    by batches."""

    seconds: Values
    each_s: Values


class Together(Worked, frozen=True):
    """The same where memory and arithmetic are placed together, with the placement.

    fractions: of each part in the first pool.
    """

    parts: Parts
    groups: Values
    fractions: Values


class Arithmetic:
    """Least times of the arithmetic of some pools, alone and together with the memory of two.

    mode, placement: as in `pools`. does: the pools that do arithmetic. one_s, all_s: seconds for a
    FLOP of either path, in one device of a pool and in all of them: paths by pools, or paths by
    pools by batches where the order of speed is the same at each.
    """

    def __init__(
        self,
        mode: Mode,
        placement: dict[str, float],
        does: NDArray[np.bool_],
        one_s: Values,
        all_s: Values,
    ) -> None:
        self.mode, self.placement, self.does = mode, placement, does
        self.one_s, self.all_s = one_s, all_s

    def alone(self, made: Work, groups: Values, rooms_bytes: Values) -> Worked:
        """The least time of the arithmetic over every placement, whatever the memory takes.

        A FLOP of attention counts as many of the linear path as it takes where it takes the fewest.
        Of one pool that does arithmetic at least the rates are known.
        """
        does, streamed = self.does, self.mode == "streamed"
        linear, attention = self.one_s[:, does]
        ratios = np.full(linear.shape, np.inf)
        np.divide(attention, linear, out=ratios, where=linear > 0.0)
        ratio = np.min(ratios, axis=0)
        fixed = {} if streamed else self.placement
        # What is streamed to the devices is computed there, wherever it lies.
        rooms = np.full(int(does.sum()), np.inf) if streamed else rooms_bytes
        most = most_traffic(made.at_rates(ratio), rooms, fixed)
        one = np.maximum(linear, NO_TIME_S)
        every = np.maximum(self.all_s[0, does], NO_TIME_S).reshape(len(one), -1)
        limits = None
        if self.mode == "sequential":
            seconds = least_in_turn(most, one)
            every = one.reshape(len(one), -1)
        elif self.mode == "groups":
            every = every * groups
            seconds = least_of_groups(most, one, every)
            limits = seconds / every
        else:
            seconds = least_at_once(most, every)
            limits = seconds / every
        each = np.zeros((len(does), len(groups)))
        each[does] = divided(most, one, limits) * every
        return Worked(seconds, each)

    def together(
        self,
        made: Work,
        groups: Values,
        rooms_bytes: Values,
        byte_s: tuple[Values, Values],
        memory: tuple[Values, Values],
    ) -> Together:
        """The least period of two pools with the memory's and the arithmetic's time in each.

        Parameters: byte_s, seconds for a byte in one device and in all, by pool; memory, the least
        period of the memory alone and what the first pool then moves.
        """
        moved = made.parts.moved_bytes
        one = [self._pair(made, moved, pool, byte_s[0], self.one_s) for pool in (0, 1)]
        each = [self._pair(made, moved, pool, byte_s[1], self.all_s) for pool in (0, 1)]
        first, second = [], []
        if self.mode in ("sequential", "groups"):
            first += [one[0][0], one[0][0], one[0][1], one[0][1]]
            second += [*one[1], *one[1]]
        if self.mode != "sequential":
            none = np.zeros(moved.shape)
            first += [groups * seconds for seconds in each[0]] + [none, none]
            second += [none, none] + [groups * seconds for seconds in each[1]]
        loads = Loads(np.stack(first, axis=1), np.stack(second, axis=1))
        rooms = Rooms(made.parts, rooms_bytes, self.placement)
        found = least_joint(rooms, loads, memory[0], rooms.moving(moved, memory[1]))
        by_pool = one if self.mode == "sequential" else each
        inside = np.stack([found.fractions, 1.0 - found.fractions])
        busy = [
            groups * summed(share * pair[1]) for share, pair in zip(inside, by_pool, strict=True)
        ]
        return Together(found.seconds, np.array(busy), made.parts, groups, found.fractions)

    def _pair(
        self, made: Work, moved: Values, pool: int, byte_s: Values, flop_s: Values
    ) -> tuple[Values, Values]:
        """Seconds of the memory and of the arithmetic for all of each part in one pool."""
        linear, attention = flop_s[:, pool]
        return moved * byte_s[pool], made.linear_flop * linear + made.attention_flop * attention


class Rates(msgspec.Struct, frozen=True):
    """does: which pools do arithmetic. known: which have a rate. one_s, all_s: as in `Arithmetic`,
    no time where a rate is unknown."""

    does: NDArray[np.bool_]
    known: NDArray[np.bool_]
    one_s: Values
    all_s: Values

    @property
    def none_known(self) -> bool:
        """Whether nothing is known of the arithmetic."""
        return not np.any(self.does & self.known)


def rates_of(
    composition: Composition, mode: Mode, pools: tuple[Pool, ...], paths: tuple[Shares, Shares]
) -> Rates:
    """How long the pools of a composition take for a FLOP of the linear path and of attention."""
    found = [[seconds_per_flop(pool.source.machine, shares) for pool in pools] for shares in paths]
    host = composition.host if mode == "streamed" else None
    known = np.array([None not in pair for pair in zip(*found, strict=True)])
    one_s = np.where(known, np.array(found, dtype=np.float64), 0.0)
    all_s = one_s / np.array([pool.source.count for pool in pools])
    return Rates(
        does=np.array([pool.source is not host for pool in pools]),
        known=known,
        one_s=one_s if composition.split == "layers" else all_s,
        all_s=all_s,
    )


class PoolWork(Arithmetic):
    """The arithmetic of the pools of a composition.

    Devices of an unknown rate do theirs in no time, which only loosens a ceiling; so does the host
    whose bytes are streamed to the devices. unknown: pools without a rate.
    """

    def __init__(self, setup: Setup, mode: Mode, pools: tuple[Pool, ...]) -> None:
        composition = setup.composition
        assert composition is not None
        self.setup, self.whole_layers = setup, composition.host is None
        paths = (setup.linear_mode, setup.attention_mode)
        self.rates = rates_of(composition, mode, pools, paths)
        lacking = self.rates.does & ~self.rates.known
        self.unknown = tuple(pool.name for pool, lacks in zip(pools, lacking, strict=True) if lacks)
        rates = self.rates
        super().__init__(mode, composition.placement, rates.does, rates.one_s, rates.all_s)

    @property
    def is_known(self) -> bool:
        """Whether something of the arithmetic is known."""
        return not self.rates.none_known and counted(self.setup.model)

    def of(self, step: Step, batch: Values, groups: Values) -> Work | None:
        """The arithmetic of an iteration of one group; None where nothing of it is known."""
        if self.rates.none_known:
            return None
        return work(self.setup, step, (batch, batch / groups), self.whole_layers)
