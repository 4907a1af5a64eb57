"""The judge of fractional placements: the whole linear program, by the simplex method."""

import numpy as np
from simplex import minimise


def least_greatest(held, rooms, loads, placement=None):
    """The least P with every load at most P, over fractions x_ij of part j in pool i.

    held: bytes of each part. rooms: of each pool. loads: arrays of pools by parts, seconds for all
    of a part in a pool; a load is the sum of x_ij times that. placement: fraction of some parts
    that is fixed in the first pool, NaN where free.
    """
    pools, parts = len(rooms), len(held)
    size = max(float(np.sum(held)), 1.0)
    time = max(*(float(load.max(axis=0).sum()) for load in loads), 1e-300)
    enough = max(1.0, size / float(np.sum(rooms)))
    rows, limits = [], []
    for pool in range(pools):
        row = np.zeros((pools, parts))
        row[pool] = held / size
        rows.append(np.append(row.ravel(), 0.0))
        limits.append(rooms[pool] / size * enough + 1e-12)
    for load in loads:
        rows.append(np.append((load / time).ravel(), -1.0))
        limits.append(0.0)
    same = np.hstack([np.tile(np.eye(parts), pools), np.zeros((parts, 1))])
    value = np.ones(parts)
    for part, share in enumerate([] if placement is None else placement):
        if not np.isnan(share):
            row = np.zeros(pools * parts + 1)
            row[part] = 1.0
            same, value = np.vstack([same, row]), np.append(value, share)
    cost = np.zeros(pools * parts + 1)
    cost[-1] = 1.0
    return float(minimise(cost, (np.array(rows), np.array(limits)), (same, value))[-1] * time)


def only(pools, pool, seconds):
    """The load of one pool alone."""
    load = np.zeros((pools, len(seconds)))
    load[pool] = seconds
    return load
