"""Searches over the batches of many pairs at once: the last that does, and the best."""

from collections.abc import Callable
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..speculation import ROUNDING

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
NOISE = 1e-14
"""What bounds may differ by and still be the same."""
UNSURE = 3e-13
"""A figure this near to what decides, as a fraction, is left to `placement.decode`."""
FIGURES = 2000
"""Figures that are worked out together at least, because a few cost as much."""
OPEN = 4096
"""Ranges of batches of one pair that are looked into at a time."""
TURNS = 24
"""How often the most hopeful of too many ranges are looked into; what still waits then is dropped.
Up to some 20,000 batches nothing is."""


def last_of_each(holds: Callable[[Floats], Mask], high: Floats) -> Floats:
    """For each pair the largest batch in 1 .. high at which a prefix property holds, 0 when none.

    Parameters: holds, of rows with one batch for each pair, each at least 1; high, whole numbers.

    >>> last_of_each(lambda batch: batch * batch <= np.array([10.0, 0.0, 99.0]), np.full(3, 9.0))
    array([3., 0., 9.])
    """
    low, high = np.zeros_like(high), high.copy()
    rows = np.arange(1.0, _at_once(high.size))[:, np.newaxis]
    tried = high[np.newaxis]
    while np.any(low < high):
        held = np.logical_and.accumulate(holds(np.maximum(tried, 1.0)), axis=0)
        for batch, passed in zip(tried, held, strict=True):
            np.copyto(low, batch, where=passed)
        for batch, passed in zip(tried[::-1], held[::-1], strict=True):
            np.copyto(high, np.maximum(batch - 1.0, low), where=~passed)
        tried = low + np.ceil((high - low) * rows / (len(rows) + 1.0))
    return low


def _at_once(pairs: int) -> int:
    """Into how many parts ranges are cut at once: the fewer pairs the more, for as many figures."""
    return int(np.clip(FIGURES // max(pairs, 1), 2, 16))


class Ranges(msgspec.Struct, frozen=True, eq=False):
    """Ranges of batches, low .. top, of the pairs `at`, with every ceiling at both ends."""

    at: Indices
    low: Floats
    top: Floats
    lows: Floats
    tops: Floats

    def of(self, some: Indices) -> "Ranges":
        return Ranges(
            self.at[some], self.low[some], self.top[some], self.lows[:, some], self.tops[:, some]
        )


class Ceilings(Protocol):
    """The aggregate of each pair at a batch as the least of several ceilings."""

    def aggregates(self, at: Indices, batch: Floats) -> Floats:
        """Every ceiling of the pairs `at` at one batch for each, ceilings by pairs."""
        ...

    def cut(self, at: Indices, top: Floats) -> Floats:
        """The batch after which 1 .. top of each pair is cut in two, 0 for none."""
        ...

    def most(self, ranges: Ranges, whole: bool) -> Floats:
        """What no batch of a range exceeds. whole: where ranges are not cut yet."""
        ...


def highest_of_each(
    ceilings: Ceilings, high: Floats, most_hopeful: int | None = None
) -> tuple[Floats, Mask]:
    """For each pair the batch in 1 .. high with the largest aggregate, the first of equals.

    A range of batches is cut until no part can hold a larger aggregate than the best known.

    Parameters: ceilings; high, whole and at least 1; most_hopeful, how many of the most hopeful
    ranges to look into at a time, `TURNS` times, where the aggregate is too flat, rather than give
    a pair up.
    Returns the batches, and where that is not sure: rounding may decide, or the aggregate is so
    flat that too many ranges stay open.
    """
    known, best = np.zeros_like(high), high.copy()
    flat = np.zeros(high.shape, dtype=np.bool_)

    def tried(at: Indices, batch: Floats) -> Floats:
        values = ceilings.aggregates(at, batch)
        least = values.min(axis=0)
        np.maximum.at(known, at, least)
        better = np.flatnonzero(least >= known[at])
        best[at[better]] = batch[better]
        return values

    def still_open(ranges: Ranges, whole: bool = False) -> Ranges:
        most = ceilings.most(ranges, whole)
        hopeful = (most > known[ranges.at] * (1.0 + NOISE)) & (ranges.top - ranges.low > 1.0)
        if most_hopeful is None:
            open_of_each = np.bincount(ranges.at[hopeful], minlength=high.size)
            np.logical_or(flat, open_of_each > OPEN, out=flat)
            hopeful &= ~flat[ranges.at]
        return ranges.of(np.flatnonzero(hopeful))

    every, one = np.arange(high.size), np.ones_like(high)
    ends = tried(np.tile(every, 2), np.concatenate([one, high]))
    left = still_open(Ranges(every, one, high, *np.split(ends, 2, axis=1)), whole=True)
    cut = ceilings.cut(left.at, left.top)
    if (apart := (cut >= 1.0) & (cut < left.top)).any():
        two, last = left.of(np.flatnonzero(apart)), cut[apart]
        sides = tried(np.tile(two.at, 2), np.concatenate([last, last + 1.0]))
        before, after = np.split(sides, 2, axis=1)
        left = _joined(
            left.of(np.flatnonzero(~apart)),
            Ranges(two.at, two.low, last, two.lows, before),
            Ranges(two.at, last + 1.0, two.top, after, two.tops),
        )
    turns, later = 0, left.of(every[:0])
    while (left := still_open(_joined(left, later))).at.size:
        later = left.of(every[:0])
        if most_hopeful is not None and left.at.size > most_hopeful:
            if (turns := turns + 1) > TURNS:
                flat[left.at] = True
                break
            first = _hopeful(left, ceilings.most(left, False), most_hopeful)
            left, later = left.of(np.flatnonzero(first)), left.of(np.flatnonzero(~first))
        parts = _at_once(left.at.size)
        cuts = np.arange(parts + 1.0)[:, np.newaxis] / parts
        points = left.low + np.floor((left.top - left.low) * cuts)
        at = np.tile(left.at, parts - 1)
        inside = tried(at, points[1:-1].ravel()).reshape(len(left.lows), parts - 1, -1)
        lows = np.concatenate([left.lows[:, np.newaxis], inside], axis=1)
        tops = np.concatenate([inside, left.tops[:, np.newaxis]], axis=1)
        left = Ranges(
            np.tile(left.at, parts),
            points[:-1].ravel(),
            points[1:].ravel(),
            lows.reshape(len(lows), -1),
            tops.reshape(len(tops), -1),
        )
    best, unsure = _first_alike(ceilings, best, known)
    return best, unsure | flat


def _hopeful(ranges: Ranges, bounds: Floats, count: int) -> Mask:
    """Up to `count` of the ranges: those that may hold the most, and those with the best ends."""
    chosen = np.zeros(ranges.at.shape, dtype=np.bool_)
    for hope in (bounds, np.maximum(ranges.lows.min(axis=0), ranges.tops.min(axis=0))):
        chosen[np.argpartition(-hope, count // 2)[: count // 2]] = True
    return chosen


def least_of(ceilings: Ceilings, at: Indices, batch: Floats) -> Floats:
    """The aggregate of the pairs `at` at a batch for each, or at several rows of them."""
    every = np.broadcast_to(at, batch.shape).ravel()
    return ceilings.aggregates(every, batch.ravel()).min(axis=0).reshape(batch.shape)


def _joined(*some: Ranges) -> Ranges:
    each = zip(
        *([getattr(one, name) for name in Ranges.__struct_fields__] for one in some), strict=True
    )
    return Ranges(*(np.concatenate(parts, axis=-1) for parts in each))


def _first_alike(ceilings: Ceilings, best: Floats, known: Floats) -> tuple[Floats, Mask]:
    """The first batch of a run of equals that ends at the best, and where rounding may decide."""
    least = known - np.abs(known) * ROUNDING
    unsure = np.zeros(best.shape, dtype=np.bool_)
    at = np.arange(best.size)
    while (at := at[best[at] > 1.0]).size:
        before = ceilings.aggregates(at, best[at] - 1.0).min(axis=0)
        unsure[at] |= np.abs(before - least[at]) <= UNSURE * known[at]
        at = at[before >= least[at]]

        def falls_short(batch: Floats, at: Indices = at) -> Mask:
            return least_of(ceilings, at, batch) < least[at]

        best[at] = 1.0 + last_of_each(falls_short, best[at] - 1.0)
    return best, unsure
