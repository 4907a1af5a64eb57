"""Memory and arithmetic of two pools together: the placement with the least greatest load.

A load is the seconds that something takes if it is alone: the traffic of a pool, its arithmetic, or
one of each pool where they work in turn. Each is a sum over parts, so the least period is that of a
game between loads and placements, P = min over x of max over loads = max over mixtures of loads of
min over x. The inner minimum is a fractional knapsack, and any mixture gives a bound from below.

The mixture is found by the simplex method over the placements that the knapsacks name, for all
batches in step.

References: von Neumann 1928, the minimax theorem; Dantzig and Wolfe 1960.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from .balance import summed
from .knapsack import LEAST_BYTES, Values, pinned
from .parts import Parts

ROUNDING = 1e-12
PIVOT = 1e-9
ROUNDS = 100
"""More are not made: what is found until then is a looser bound."""


class Joint(msgspec.Struct, frozen=True):
    """seconds: the least period at each batch. fractions: of each part in the first pool."""

    seconds: Values
    fractions: Values


class Loads(msgspec.Struct, frozen=True):
    """Seconds of every load for all of each part in the first pool and in the second.

    Arrays of parts by loads by batches.
    """

    first_s: Values
    second_s: Values

    def of(self, columns: NDArray[np.intp]) -> "Loads":
        """The same at some of the batches."""
        return Loads(self.first_s[:, :, columns], self.second_s[:, :, columns])

    def at(self, fractions: Values) -> Values:
        """Seconds of every load with these fractions in the first pool, loads by batches."""
        inside = fractions[:, np.newaxis]
        return summed(inside * self.first_s + (1.0 - inside) * self.second_s)


class Rooms:
    """What two pools hold of some parts: the placements to choose from.

    Parameters: parts; rooms_bytes of both, together enough; placement as in `balance`.
    """

    def __init__(self, parts: Parts, rooms_bytes: Values, placement: dict[str, float]) -> None:
        kept, free = pinned(parts, placement)
        self.fixed = kept[:, 0] if placement else np.zeros(len(parts.classes))
        self.free: NDArray[np.bool_] = kept.sum(axis=1) == 0.0
        self.held_bytes = free.held_bytes
        inside = summed(self.fixed[:, np.newaxis] * parts.held_bytes)
        fixed_bytes = summed((~self.free)[:, np.newaxis] * parts.held_bytes)
        self.most = np.maximum(rooms_bytes[0] - inside, 0.0)
        second = np.maximum(rooms_bytes[1] - (fixed_bytes - inside), 0.0)
        self.least = np.clip(summed(free.held_bytes) - second, 0.0, self.most)

    def moving(self, moved: Values, wanted: Values) -> Values:
        """Fractions with which the first pool moves so much at each batch, where it can."""
        columns = np.arange(len(wanted))
        low, high = self.best(-moved, columns), self.best(moved, columns)
        least, most = summed(low * moved), summed(high * moved)
        along = np.zeros(len(wanted))
        more = np.clip(wanted - least, 0.0, np.maximum(most - least, 0.0))
        np.divide(more, most - least, out=along, where=most > least)
        return low + along * (high - low)

    def best(self, gain_s: Values, columns: NDArray[np.intp]) -> Values:
        """Fractions in the first pool that gain the most there, parts by these batches."""
        held = self.held_bytes[:, columns]
        solid = held > LEAST_BYTES
        each = np.zeros(held.shape)
        np.divide(gain_s, held, out=each, where=solid)
        order = np.argsort(-each, axis=0, kind="stable")
        sorted_held = np.take_along_axis(held, order, axis=0)
        wanted = summed(np.where(gain_s > 0.0, held, 0.0))
        level = np.clip(wanted, self.least[columns], self.most[columns])
        left = np.clip(level - (np.cumsum(sorted_held, axis=0) - sorted_held), 0.0, sorted_held)
        taken = np.zeros(held.shape)
        np.divide(left, sorted_held, out=taken, where=sorted_held > LEAST_BYTES)
        fractions = np.empty(held.shape)
        np.put_along_axis(fractions, order, taken, axis=0)
        fractions = np.where(solid, fractions, gain_s > 0.0)
        return np.where(self.free[:, np.newaxis], fractions, self.fixed[:, np.newaxis])


def least_joint(rooms: Rooms, loads: Loads, least_s: Values, start: Values) -> Joint:
    """The least greatest load over every placement, at each batch.

    Parameters: rooms; loads; least_s, a time above 0 that no placement is below; start, fractions
    of any placement. Where that time is reached but for rounding, it is the answer itself.
    """
    loads = Loads(loads.first_s / least_s, loads.second_s / least_s)
    bound, fractions = np.ones(len(least_s)), start.copy()
    open_ = np.flatnonzero(loads.at(start).max(axis=0) > 1.0 + ROUNDING)
    if not len(open_):
        return Joint(least_s, fractions)
    game = _Game(loads.of(open_), start[:, open_])
    for _ in range(ROUNDS):
        answer = rooms.best(game.gains(), open_)
        bound[open_] = np.maximum(bound[open_], game.below(answer))
        fractions[:, open_] = game.fractions()
        rest = np.flatnonzero(game.value > bound[open_] * (1.0 + ROUNDING))
        if not len(rest):
            break
        game.enter(answer)
        game.keep(rest)
        open_ = open_[rest]
    return Joint(least_s * np.where(bound > 1.0 + ROUNDING, bound, 1.0), fractions)


class _Game:
    """The simplex method at one basis for each batch still open.

    The basis has one placement or more, the period, and the slack of every load that does not bind;
    the placement of what is none is 0. Batches come first in its arrays.
    """

    def __init__(self, loads: Loads, start: Values) -> None:
        self.loads = loads
        parts, count, many = loads.first_s.shape
        self.basis = np.zeros((many, count + 1, count + 1))
        self.placements = np.zeros((many, count + 1, parts))
        found = loads.at(start)
        self.period = np.argmax(found, axis=0)
        self.basis[:, range(count), range(count)] = 1.0
        each = np.arange(many)
        self.basis[each, :, self.period] = np.append(-np.ones(count), 0.0)
        self.basis[:, :, count] = np.append(found.T, np.ones((many, 1)), axis=1)
        self.placements[:, count] = start.T
        self._solve()

    def _solve(self) -> None:
        self.inverse = np.linalg.inv(self.basis)
        self.amounts = self.inverse[:, :, -1]
        each = np.arange(len(self.basis))
        self.value = self.amounts[each, self.period]
        self.prices = -self.inverse[each, self.period, :-1]
        weights = np.maximum(self.prices, 0.0)
        self.weights = (weights / weights.sum(axis=1, keepdims=True)).T

    def gains(self) -> Values:
        """What each part saves in the first pool under the mixture of loads."""
        saved = self.loads.second_s - self.loads.first_s
        return summed(np.swapaxes(saved * self.weights, 0, 1))

    def below(self, fractions: Values) -> Values:
        """The mixture of loads at a placement."""
        return summed(self.weights * self.loads.at(fractions))

    def fractions(self) -> Values:
        """The placement of the basis, parts by batches."""
        amounts = np.maximum(self.amounts, 0.0)[:, :, np.newaxis]
        return summed(np.moveaxis(amounts * self.placements, 1, 0)).T

    def enter(self, fractions: Values) -> None:
        """Exchange a column of each basis for the placement, or for a slack that has a price."""
        each, count = np.arange(len(self.basis)), self.prices.shape[1]
        column = np.append(self.loads.at(fractions).T, np.ones((len(each), 1)), axis=1)
        cheapest = np.argmin(self.prices, axis=1)
        slack = self.prices[each, cheapest] < -ROUNDING
        column = np.where(slack[:, np.newaxis], np.eye(count + 1)[cheapest], column)
        along = np.matmul(self.inverse, column[:, :, np.newaxis])[:, :, 0]
        ratio = np.full(along.shape, np.inf)
        np.divide(np.maximum(self.amounts, 0.0), along, out=ratio, where=along > PIVOT)
        ratio[each, self.period] = np.inf
        leaving = np.argmin(ratio, axis=1)
        self.basis[each, :, leaving] = column
        self.placements[each, leaving] = np.where(slack[:, np.newaxis], 0.0, fractions.T)

    def keep(self, rest: NDArray[np.intp]) -> None:
        """Go on with some of the batches."""
        self.loads = self.loads.of(rest)
        self.basis, self.placements = self.basis[rest], self.placements[rest]
        self.period = self.period[rest]
        self._solve()
