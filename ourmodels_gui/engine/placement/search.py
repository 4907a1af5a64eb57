"""The batch with the largest aggregate, where it need not rise with the batch."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..speculation import ROUNDING
from .sweep_search import Ceilings, highest_of_each, least_of

Values = NDArray[np.float64]
FEW = 1024
"""Up to so many batches each one is tried for the best, and so many ranges are looked into."""
SCANNED = 4096
"""Up to so many batches each one is looked at for `where`."""
LADDER = 256


def highest(ceilings: Ceilings, high: int, scanned: int = FEW) -> int:
    """The batch in 1 .. high with the largest aggregate; the first of those alike but for rounding.

    Up to `scanned` batches each one is tried, beyond them by `highest_of_each`.
    """
    if high > scanned:
        return int(highest_of_each(ceilings, np.array([float(high)]), FEW)[0][0])
    batches = np.arange(1.0, high + 1)
    values = least_of(ceilings, np.zeros(high, dtype=np.intp), batches)
    return 1 + int(np.argmax(values >= values.max() * (1.0 - ROUNDING)))


def crossings(mark: Callable[[Values], NDArray[np.int64]], rungs: Values) -> Values:
    """Both sides of every change of the mark between the rungs, by halving."""
    marks = mark(rungs)
    changed = np.flatnonzero(marks[1:] != marks[:-1])
    open_ = [(rungs[i], rungs[i + 1], marks[i], marks[i + 1]) for i in changed]
    sides: list[float] = []
    while open_:
        low, top, at_low, at_top = open_.pop()
        if top - low <= 1:
            sides += [low, top]
            continue
        middle = float((low + top) // 2)
        at_middle = mark(np.array([middle]))[0]
        if at_middle != at_low:
            open_.append((low, middle, at_low, at_middle))
        if at_middle != at_top:
            open_.append((middle, top, at_middle, at_top))
    return np.array(sides)


def where(holds: Callable[[Values], NDArray[np.bool_]], high: int) -> tuple[tuple[int, int], ...]:
    """The batches up to `high` at which something holds, as inclusive intervals.

    Small ranges are scanned whole; beyond them a change is looked for between the rungs of a ladder
    and found to the batch.

    >>> where(lambda b: (b > 2) & (b < 90000), 10**6)
    ((3, 89999),)
    """
    if high < 1:
        return ()
    near = np.arange(1.0, min(high, SCANNED) + 1)
    far = np.rint(np.geomspace(min(high, SCANNED), high, LADDER))
    rungs = np.unique(np.concatenate([near, far]))

    def mark(batch: Values) -> NDArray[np.int64]:
        return holds(batch).astype(np.int64)

    tried = np.unique(np.concatenate([rungs, crossings(mark, rungs)]))
    held = np.concatenate([[False], holds(tried), [False]])
    edges = np.flatnonzero(held[1:] != held[:-1]).reshape(-1, 2)
    return tuple((int(tried[first]), int(tried[past - 1])) for first, past in edges)
