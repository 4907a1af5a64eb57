"""The judge of fractional placements: the whole linear program, solved exactly."""

import numpy as np
from simplex import minimise


def least_greatest(held, rooms, loads, placement=None):
    """The least P with every load at most P, over fractions x_ij of part j in pool i.

    held: bytes of each part. rooms: of each pool. loads: arrays of pools by parts, seconds for all
    of a part in a pool; a load is the sum of x_ij times that. placement: fraction of some parts
    that is fixed in the first pool, NaN where free.
    """
    pools, parts = len(rooms), len(held)
    # The gate counts whole bytes of a session; what its rounding leaves over is not refused here.
    enough = max(1.0, float(np.sum(held)) / float(np.sum(rooms))) * (1.0 + 1e-15)
    rows, limits = [], []
    for pool in range(pools):
        row = np.zeros((pools, parts))
        row[pool] = held
        rows.append(np.append(row.ravel(), 0.0))
        limits.append(rooms[pool] * enough)
    for load in loads:
        rows.append(np.append(load.ravel(), -1.0))
        limits.append(0.0)
    same = list(np.hstack([np.tile(np.eye(parts), pools), np.zeros((parts, 1))]))
    value = [1.0] * parts
    for part, share in enumerate([] if placement is None else placement):
        if not np.isnan(share):
            row = np.zeros(pools * parts + 1)
            row[part] = 1.0
            same, value = [*same, row], [*value, share]
    cost = np.zeros(pools * parts + 1)
    cost[-1] = 1.0
    return minimise(cost, (rows, limits), (same, value))[1]


def only(pools, pool, seconds):
    """The load of one pool alone."""
    load = np.zeros((pools, len(seconds)))
    load[pool] = seconds
    return load
