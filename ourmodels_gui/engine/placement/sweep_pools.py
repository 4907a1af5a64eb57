"""A device kind with the memory of its host, many compositions x models at once.

The counterpart of `pools` for two pools in which every byte lies where it is best. A pool with room
r moves at most

    F(r) = min over densities d of d r + sum over parts of max(t_j - d s_j, 0)

the dual of the fractional knapsack, whose solution has the density of the part that the room cuts.
So an iteration takes the longest of a few times, each of them

    a t - (o + b v)          with all of the traffic t = A + b K + M, or
    a (A + b K) + M (c + b e)       where the room cuts the experts,

with M = S (1 - q^b) of the experts. Every aggregate b / time first falls and then rises, at most,
but for the one of the second kind when one pool works at a time. That one rises first up to the
root of its slope, falls to the next, and rises again.

References: Dantzig 1957, the fractional knapsack; docs/compositions.md.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..setup import Composition
from ..speculation import ROUNDING
from .pool import pools_in
from .pools import BALANCED
from .sweep_equal import link_columns
from .sweep_models import ModelColumns
from .sweep_placed import PlacedWays
from .sweep_search import Ranges, highest_of_each, last_of_each
from .sweep_ways import Floats, Indices, Mask, Ways, last_clearing, near_floor

Time = tuple[Floats, Floats, Floats]


class Times(msgspec.Struct, frozen=True, eq=False):
    """Several times of an iteration of each pair, of which the longest is the iteration's.

    columns: A, K, S and -ln q; a, o and v of each time of the first kind; a, c and e of each of the
    second. straight: how many are of the first kind. peaked: whether the aggregate of the last may
    rise before it falls.
    """

    columns: Floats
    straight: int
    peaked: bool

    def of(self, at: Indices) -> "Times":
        """The same of some of the pairs."""
        return Times(self.columns.take(at, axis=1), self.straight, self.peaked)

    def traffic(self, batch: Floats) -> tuple[Floats, Floats]:
        """A + b K and M [bytes]."""
        always, read, experts, fading = self.columns[:4]
        return always + batch * read, -experts * np.expm1(-fading * batch)

    def seconds(self, batch: Floats) -> Floats:
        """Every time at a batch of each pair, or at several rows of them, times by batches."""
        even, routed = self.traffic(batch)
        total = even + routed
        found = np.empty(((len(self.columns) - 4) // 3, *batch.shape))
        for place, time in enumerate(found):
            first, second, third = self.columns[4 + 3 * place : 7 + 3 * place]
            if place < self.straight:
                np.subtract(first * total, second + third * batch, out=time)
            else:
                np.add(first * even, routed * (second + third * batch), out=time)
        return found

    def aggregates(self, at: Indices, batch: Floats) -> Floats:
        seconds = self.of(at).seconds(batch)
        with np.errstate(divide="ignore"):
            return np.divide(batch, np.maximum(seconds, 0.0, out=seconds), out=seconds)

    def most(self, ranges: Ranges, whole: bool) -> Floats:
        """The larger aggregate of both ends, which each is where it falls before it rises."""
        known = slice(-1 if whole and self.peaked else None)
        return np.maximum(ranges.lows[known], ranges.tops[known]).min(axis=0)

    def cut(self, at: Indices, top: Floats) -> Floats:
        """The last batch up to which the aggregate of the last time rises.

        With f = a (A + b K) + M (c + b e) it rises while b f' <= f, which once it ends does not
        hold again before f'' changes its sign, at b = 2 / L - c / e with L = -ln q.
        """
        if not self.peaked:
            return np.zeros(at.shape)
        columns = self.columns[:, at]
        (always, _, experts, fading), (slope, start, growth) = columns[:4], columns[-3:]
        curved = (experts > 0.0) & (growth > 0.0)
        bend = np.zeros(at.shape)
        np.divide(start, growth, out=bend, where=curved)
        bend = np.where(curved, np.maximum(2.0 / fading - bend, 0.0), 0.0)

        def rises(batch: Floats) -> Mask:
            gone = np.exp(-fading * batch)
            along = experts * fading * gone * batch
            routed = experts * (1.0 - gone)
            return (along - routed) * start + batch * along * growth <= slope * always

        return np.minimum(last_of_each(rises, np.minimum(np.ceil(bend), top)), np.floor(bend))


class PoolWays(Ways):
    """Two pools, one at a time or both at once, where every byte lies where it is best.

    For models that `suit`.
    """

    holds_any = False

    def __init__(
        self, compositions: Sequence[Composition], models: ModelColumns, *, sequential: bool
    ) -> None:
        super().__init__(compositions, models)
        self.sequential, self.of_models = sequential, models
        self.pools = [
            pools_in(one, one.pools if one.host else "sequential") for one in compositions
        ]
        figures = [
            [(pool.room_bytes, pool.one_s, pool.all_s) for pool in two] for two in self.pools
        ]
        room, one_s, all_s = np.repeat(np.array(figures).transpose(2, 1, 0), self.columns, axis=2)
        # The faster pool first from here on.
        self.kept_order = one_s[0] <= one_s[1]
        each_s = one_s if sequential else all_s
        self.rooms_bytes = np.where(self.kept_order, room, room[::-1])
        self.each_s = np.where(self.kept_order, each_s, each_s[::-1])
        self.levels = _dense_levels(self.models)
        self.always_bytes, self.expert_bytes, fading = _swept(self.models)
        straight, cut = self._in_turn() if sequential else self._at_once()
        self.links = self._links(models)
        of_model = (self.always_bytes, self.models.read_bytes, self.expert_bytes, fading)
        times = (figure for time in (*self.links, *straight, *cut) for figure in time)
        self.times = Times(
            np.array([*of_model, *times]), len(self.links) + len(straight), peaked=sequential
        )

    def _links(self, models: ModelColumns) -> list[Time]:
        """The time that the link between devices takes, where there is one."""
        sends = self.compositions[0].split
        if sends == "layers":
            return []
        link_s = link_columns(self.compositions, models, sends)
        return [(0.0 * link_s, 0.0 * link_s, -link_s)]

    def _cut(self, room_bytes: Floats) -> tuple[Floats, Floats]:
        """The share of the experts in a room beside all that is denser, x - b y, as x and y."""
        share = np.zeros((2, *room_bytes.shape))
        beside = np.array([room_bytes - self.always_bytes, self.models.kept_read_bytes])
        np.divide(beside, self.expert_bytes, out=share, where=self.expert_bytes > 0.0)
        return share[0], share[1]

    def _in_turn(self) -> tuple[list[Time], list[Time]]:
        fast, slow = self.each_s
        room, saved = self.rooms_bytes[0], slow - fast
        straight = [(fast, 0.0 * fast, 0.0 * fast)]
        straight += [(slow, saved * density * room, saved * more) for density, more in self.levels]
        share, by_session = self._cut(room)
        return straight, [(fast, slow - saved * share, saved * by_session)]

    def _at_once(self) -> tuple[list[Time], list[Time]]:
        fast, slow = self.each_s
        zero = 0.0 * fast
        straight, cut = [(1.0 / (1.0 / fast + 1.0 / slow), zero, zero)], []
        for own, room in ((slow, self.rooms_bytes[0]), (fast, self.rooms_bytes[1])):
            straight += [(own, own * density * room, own * more) for density, more in self.levels]
            share, by_session = self._cut(room)
            cut.append((zero, own * (1.0 - share), own * by_session))
        return straight, cut

    def per_session(self, batch: Floats) -> Floats:
        return 1.0 / self.times.seconds(batch).max(axis=0)

    def ceiling(self, batch: Floats) -> Floats:
        return PlacedWays(self.compositions, self.of_models).per_session(batch)

    def binding(self, batch: Floats) -> NDArray[np.intp]:
        seconds = self.times.seconds(batch)
        link, longest = seconds[: len(self.links)], seconds[len(self.links) :].max(axis=0)
        even, routed = self.times.traffic(batch)
        share, by_session = self._cut(self.rooms_bytes[0])
        most = [even + routed * np.minimum(share - batch * by_session, 1.0)]
        most += [density * self.rooms_bytes[0] + batch * more for density, more in self.levels]
        fast = np.min(most, axis=0)
        if not self.sequential:
            fast = np.minimum(fast, longest / self.each_s[0])
        each = np.array([fast, even + routed - fast]) * self.each_s
        each = np.where(self.kept_order, each, each[::-1])
        pool = (each >= each.max(axis=0) * (1.0 - BALANCED)).argmax(axis=0)
        return np.where(link.max(axis=0, initial=0.0) > longest, 4, pool)

    def best_batch(self, memory: Floats, floor: float) -> tuple[Floats, Mask]:
        best = last_clearing(self.per_session, floor, memory)
        unsure = near_floor(self.per_session, floor, best, memory)
        if (at := np.flatnonzero(best >= 1.0)).size:
            best = best.copy()
            best[at], flat = highest_of_each(self.times.of(at), best[at])
            unsure[at] |= flat
        return best, unsure


def suit(models: ModelColumns) -> Mask:
    """Models of one set of experts at most, that hold what they sweep, part by part."""
    held = models.always_bytes + models.expert_bytes
    suited = models.resident_bytes >= held * (1.0 - ROUNDING)
    for group in models.experts[1:] if models.expected else ():
        suited &= group.expert_bytes == 0.0
    return suited


def _swept(models: ModelColumns) -> tuple[Floats, Floats, Floats]:
    """A, S and -ln q."""
    if not models.expected or not models.experts:
        none = np.zeros(models.active_bytes.shape)
        return models.active_bytes, none, none + 1.0
    group = models.experts[0]
    return models.always_bytes, group.routed * group.expert_bytes, -group.missed


def _dense_levels(models: ModelColumns) -> list[tuple[Floats, Floats]]:
    """Densities d of what is denser than experts, with sum t - d s of a session's denser parts.

    1, of weights and most caches, and more where a cache is read in a wider format than it is kept.
    """
    alloc, read = models.group_alloc_bytes, models.group_read_bytes
    held = np.minimum(alloc, read)
    densities = [np.ones(alloc.shape[1])]
    for kept, moved in zip(alloc, read, strict=True):
        wide = (moved > kept) & (kept > 0.0)
        if wide.any():
            densities.append(np.where(wide, moved / np.where(wide, kept, 1.0), 1.0))
    return [(d, np.maximum(read - d * held, 0.0).sum(axis=0)) for d in densities]
