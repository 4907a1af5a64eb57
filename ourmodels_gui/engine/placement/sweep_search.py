"""Searches over the batches of many pairs at once: the last that does, and the best."""

from collections.abc import Callable
from typing import Protocol

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
OPEN = 4096
"""Ranges of batches of one pair that are looked into at a time."""


def last_of_each(holds: Callable[[Floats], Mask], high: Floats) -> Floats:
    """For each pair the largest batch in 1 .. high at which a prefix property holds, 0 when none.

    Parameters: holds, of one batch for each pair, each at least 1; high, whole numbers.

    >>> last_of_each(lambda batch: batch * batch <= np.array([10.0, 0.0, 99.0]), np.full(3, 9.0))
    array([3., 0., 9.])
    """
    low, high = np.zeros_like(high), high.copy()
    middle = high
    while np.any(low < high):
        held = holds(np.maximum(middle, 1.0))
        np.copyto(low, middle, where=held)
        np.copyto(high, np.maximum(middle - 1.0, low), where=~held)
        middle = np.ceil((low + high) / 2.0)
    return low


class Ceilings(Protocol):
    """The aggregate of each pair at a batch as the least of several ceilings.

    ends: for each ceiling, whether in a range of batches it is greatest at an end; of any other it
    is known that its iteration never gets shorter.
    """

    @property
    def ends(self) -> tuple[bool, ...]: ...

    def aggregates(self, at: Indices, batch: Floats) -> Floats:
        """Every ceiling of the pairs `at` at one batch for each, ceilings by pairs."""
        ...


def highest_of_each(
    ceilings: Ceilings, high: Floats, split: Floats | None = None
) -> tuple[Floats, Mask]:
    """For each pair the batch in 1 .. high with the largest aggregate, the first of equals.

    A range of batches is halved until no part can hold a larger aggregate than the best known: a
    ceiling is greatest at an end, or at most T(low) high / low where its iteration never gets
    shorter.

    Parameters: ceilings; high, whole and at least 1; split, a batch below `high` after which the
    range has to be cut in two before `ends` holds, 0 for none.
    Returns the batches, and where that is not sure: rounding may decide, or the aggregate is so
    flat that too many ranges stay open.
    """
    everyone = np.arange(high.size)
    ends = np.array(ceilings.ends)[:, np.newaxis]
    first, last = np.ones_like(high), ceilings.aggregates(everyone, high)
    known, best = last.min(axis=0), high.copy()
    flat = np.zeros(high.shape, dtype=np.bool_)

    def learn(at: Indices, batch: Floats, values: Floats) -> None:
        least = values.min(axis=0)
        np.maximum.at(known, at, least)
        better = np.flatnonzero(least >= known[at])
        best[at[better]] = batch[better]

    lows = ceilings.aggregates(everyone, first)
    learn(everyone, first, lows)
    open_ = [(everyone, first, high, lows, last)]
    if split is not None and (cut := np.flatnonzero(split > 0.0)).size:
        before, after = split[cut], split[cut] + 1.0
        sides = [ceilings.aggregates(cut, batch) for batch in (before, after)]
        for batch, values in zip((before, after), sides, strict=True):
            learn(cut, batch, values)
        whole = np.flatnonzero(split <= 0.0)
        open_ = [
            (whole, first[whole], high[whole], lows[:, whole], last[:, whole]),
            (cut, first[cut], before, lows[:, cut], sides[0]),
            (cut, after, high[cut], sides[1], last[:, cut]),
        ]
    while open_:
        at, low, top = (np.concatenate([one[place] for one in open_]) for place in range(3))
        lows, tops = (np.concatenate([one[place] for one in open_], axis=1) for place in (3, 4))
        most = np.where(ends, np.maximum(lows, tops), lows * (top / low)).min(axis=0)
        hopeful = (most > known[at] * (1.0 + NOISE)) & (top - low > 1.0)
        flat |= np.bincount(at[hopeful], minlength=high.size) > OPEN
        left = np.flatnonzero(hopeful & ~flat[at])
        if not left.size:
            break
        at, low, top, lows, tops = at[left], low[left], top[left], lows[:, left], tops[:, left]
        middle = np.floor((low + top) / 2.0)
        values = ceilings.aggregates(at, middle)
        learn(at, middle, values)
        open_ = [(at, low, middle, lows, values), (at, middle, top, values, tops)]
    best, unsure = _first_alike(ceilings, best, known)
    return best, unsure | flat


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
            return ceilings.aggregates(at, batch).min(axis=0) < least[at]

        best[at] = 1.0 + last_of_each(falls_short, best[at] - 1.0)
    return best, unsure
