"""The batch with the largest aggregate, where it need not rise with the batch."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..decode import last_batch
from ..speculation import ROUNDING

Values = NDArray[np.float64]
SCANNED = 4096
"""Up to so many batches each one is tried."""
LADDER = 256
PROBES = 64
PEAKS = 4


def highest(
    value: Callable[[Values], Values],
    high: int,
    mark: Callable[[Values], NDArray[np.int64]],
    scanned: int = SCANNED,
) -> int:
    """The batch in 1 .. high with the greatest value; of batches alike but for rounding the first.

    Between the batches where a part crosses the boundary of a pool, `mark` does not change and the
    value is smooth. Both sides of every crossing and a ladder of batches are tried, and the
    surroundings of the best of them to the last batch. Up to `scanned` batches each one is tried.

    >>> highest(lambda b: 1e6 - np.abs(b - 7e4), 10**6, lambda b: np.zeros(len(b), dtype=int))
    70000
    """
    if high <= scanned:
        values = value(np.arange(1.0, high + 1))
        return 1 + int(np.argmax(values >= _least_alike(values.max())))
    rungs = np.unique(np.rint(np.geomspace(1.0, float(high), LADDER)))
    tried = np.unique(np.concatenate([rungs, crossings(mark, rungs)]))
    values = value(tried)
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    best = (-np.inf, 0.0)
    for peak in peaks[np.argsort(-values[peaks], kind="stable")][:PEAKS]:
        low, top = tried[max(peak - 1, 0)], tried[min(peak + 1, len(tried) - 1)]
        while True:
            grid = np.unique(np.rint(np.linspace(low, top, PROBES)))
            found = value(grid)
            at = int(np.argmax(found))
            if top - low < PROBES:
                break
            low, top = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
        best = max(best, (float(found[at]), -float(grid[at])))
    least = _least_alike(best[0])
    alike = np.flatnonzero(values >= least)
    first = min(-best[1], tried[alike[0]] if len(alike) else np.inf)
    below = tried[tried < first]
    return (
        last_batch(
            lambda batch: value(batch.astype(float)) < least,
            int(below[-1]) if len(below) else 0,
            int(first) - 1,
        )
        + 1
    )


def _least_alike(greatest: float) -> float:
    """What differs from the greatest value by rounding alone, or not at all."""
    return greatest - abs(greatest) * ROUNDING


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
