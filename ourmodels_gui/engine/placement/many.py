"""The least period of three or more unlike pools: a small linear program."""

import numpy as np
from numpy.typing import NDArray

from .knapsack import LEAST_BYTES
from .simplex import minimise

Values = NDArray[np.float64]
NEGLIGIBLE = 1e-6


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
    The gate is the judge of what fits: together the rooms are taken to suffice.

    >>> fractions, period = least_time(
    ...     np.array([4.0]), np.array([6.0]), np.array([4.0, 4.0]), None, np.array([1.0, 0.5]))
    >>> fractions.ravel().round(6), round(period, 6)
    (array([0.333333, 0.666667]), 2.0)
    """
    # Less than a millionth of both is lost in the program's rounding; left out, it only loosens.
    counts = (held_bytes > NEGLIGIBLE * held_bytes.sum()) | (
        moved_bytes > NEGLIGIBLE * moved_bytes.sum()
    )
    kinds, held_bytes, moved_bytes = _by_density(held_bytes * counts, moved_bytes * counts)
    pools, parts = len(rooms_bytes), len(held_bytes)
    size = max(float(held_bytes.sum()), 1.0)
    # In units of the time that all would take in the fastest pool, so that unknowns are near one.
    time = max(float(moved_bytes.sum() * each_s.min()), 1e-300)
    unknowns = pools * parts + 1
    # The gate counts whole bytes of a session; what its rounding leaves over is not refused here.
    enough = max(1.0, size / float(rooms_bytes.sum()))
    rows, limits = [], []
    for pool in range(pools):
        row = np.zeros(unknowns)
        row[pool * parts : (pool + 1) * parts] = held_bytes / size
        rows.append(row)
        limits.append(rooms_bytes[pool] / size * enough + 1e-9)
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
    try:
        found = minimise(cost, (np.array(rows), np.array(limits)), (once, np.ones(parts)))
    except ValueError:
        # Numbers too far apart for float64: the perfect balance is below every placement.
        share = (1.0 / each_s) / np.sum(1.0 / each_s)
        balance = float(moved_bytes.sum() / np.sum(1.0 / each_s))
        if one_s is not None:
            balance = max(balance, float(moved_bytes.sum() * one_s.min()))
        return np.tile(share.reshape(-1, 1), (1, len(kinds))), balance
    return found[:-1].reshape(pools, parts)[:, kinds], float(found[-1] * time)


def _by_density(held: Values, moved: Values) -> tuple[NDArray[np.intp], Values, Values]:
    """Parts of one density taken together, which changes no period: fewer and larger unknowns.

    Returns which of them each part belongs to, and what they hold and move.
    """
    density = np.full(len(held), np.inf)
    np.divide(moved, held, out=density, where=held > LEAST_BYTES)
    alike = [float(f"{value:.11e}") for value in density]
    _, kinds = np.unique(alike, return_inverse=True)
    sums = [np.asarray(np.bincount(kinds, each), dtype=np.float64) for each in (held, moved)]
    return kinds, sums[0], sums[1]
