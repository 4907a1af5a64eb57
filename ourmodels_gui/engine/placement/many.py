"""The least period of three or more unlike pools: a small linear program."""

import numpy as np
from numpy.typing import NDArray

from .knapsack import LEAST_BYTES
from .simplex import minimise

Values = NDArray[np.float64]


def least_time(
    held_bytes: Values,
    moved_bytes: Values,
    rooms_bytes: Values,
    one_s: Values | None,
    each_s: Values,
) -> tuple[Values, float]:
    """Fractions of each part in each pool, pools by parts, with the least period, and the period.

    The least P with sum_j x_ij t_j each_i <= P for every pool i, sum_ij x_ij t_j one_i <= P where
    one_s is given, sum_j x_ij s_j <= room_i, sum_i x_ij = 1.

    Parameters: held_bytes s and moved_bytes t of one batch; rooms_bytes; one_s and each_s in
    seconds for a byte.
    Errors: ValueError when the parts do not fit.

    >>> fractions, period = least_time(
    ...     np.array([4.0]), np.array([6.0]), np.array([4.0, 4.0]), None, np.array([1.0, 0.5]))
    >>> fractions.ravel().round(6), round(period, 6)
    (array([0.333333, 0.666667]), 2.0)
    """
    kinds, held_bytes, moved_bytes = _by_density(held_bytes, moved_bytes)
    pools, parts = len(rooms_bytes), len(held_bytes)
    size = max(float(held_bytes.sum()), 1.0)
    # In units of the time that all would take in the fastest pool, so that unknowns are near one.
    time = max(float(moved_bytes.sum() * each_s.min()), 1e-300)
    unknowns = pools * parts + 1
    rows, limits = [], []
    for pool in range(pools):
        row = np.zeros(unknowns)
        row[pool * parts : (pool + 1) * parts] = held_bytes / size
        rows.append(row)
        # What rounding left over at a full batch is not refused.
        limits.append(rooms_bytes[pool] / size + 1e-9)
        row = np.zeros(unknowns)
        row[pool * parts : (pool + 1) * parts] = moved_bytes * (each_s[pool] / time)
        row[-1] = -1.0
        rows.append(row)
        limits.append(0.0)
    if one_s is not None:
        row = np.repeat(one_s / time, parts) * np.tile(moved_bytes, pools)
        rows.append(np.append(row, -1.0))
        limits.append(0.0)
    once = np.hstack([np.tile(np.eye(parts), pools), np.zeros((parts, 1))])
    cost = np.zeros(unknowns)
    cost[-1] = 1.0
    found = minimise(cost, (np.array(rows), np.array(limits)), (once, np.ones(parts)))
    return found[:-1].reshape(pools, parts)[:, kinds], float(found[-1] * time)


def _by_density(held: Values, moved: Values) -> tuple[NDArray[np.intp], Values, Values]:
    """Parts of one density taken together, which changes no period: fewer and larger unknowns.

    Returns which of them each part belongs to, and what they hold and move.
    """
    density = np.full(len(held), np.inf)
    np.divide(moved, held, out=density, where=held > LEAST_BYTES)
    scale = np.max(density, where=np.isfinite(density), initial=1e-300)
    _, kinds = np.unique(np.round(density / scale, 9), return_inverse=True)
    sums = [np.asarray(np.bincount(kinds, each), dtype=np.float64) for each in (held, moved)]
    return kinds, sums[0], sums[1]
