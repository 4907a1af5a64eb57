"""How the traffic of an iteration divides over pools so that it takes the least time.

A set S of pools holds room(S) bytes, so it moves at most F(S): the traffic of the densest bytes
that fit into it. Any division T_1 + ... + T_K = t of the traffic with sum over S of T_i <= F(S) for
every set S can be had, and no other: F is the rank of a polymatroid, whose corners are the
placements that fill one pool after another with the densest bytes left. So every least time below
is a closed form over the 2^K sets of pools, of many batches at once.

Sets are numbered: pool i is in set S where bit i of the number is 1.

References: Edmonds 1970, polymatroids; Dantzig 1957, the fractional knapsack.
"""

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from .knapsack import LEAST_BYTES, Values, in_order, pinned
from .parts import Parts

ROUNDING = 1e-13
"""A period that rises by less is found."""


def of_sets(each: Values) -> Values:
    """The sum over each set of a value of each pool, sets by batches.

    >>> of_sets(np.array([[1.0], [10.0]])).ravel()
    array([ 0.,  1., 10., 11.])
    """
    sums = np.zeros((1, *each.shape[1:]))
    for value in each:
        sums = np.concatenate([sums, sums + value])
    return sums


def summed(rows: Values) -> Values:
    """The sum of rows, one after another, so that many batches are to the last bit as one."""
    total: Values = reduce(np.add, rows)
    return total


def most_traffic(parts: Parts, rooms_bytes: Values, placement: dict[str, float]) -> Values:
    """F(S): the most that an iteration can move in each set of pools, sets by batches.

    Parameters: parts; rooms_bytes of each pool, together enough for all, or pools by batches;
    placement, the fraction of a class that is fixed in the first of two pools, empty where all is
    free.

    >>> one = Parts(("a", "b"), np.array([[4.0], [6.0]]), np.array([[4.0], [3.0]]))
    >>> most_traffic(one, np.array([7.0, 5.0]), {}).ravel()
    array([0. , 5.5, 4.5, 7. ])
    """
    kept, free = pinned(parts, placement)
    rooms = of_sets(rooms_bytes.reshape(len(rooms_bytes), -1))
    most = np.zeros((len(rooms), parts.held_bytes.shape[1]))
    if placement:
        # What is fixed in a set takes its room there and moves with it.
        for share, held, moved in zip(kept, parts.held_bytes, parts.moved_bytes, strict=True):
            within = of_sets(share[:, np.newaxis])
            rooms, most = rooms - within * held, most + within * moved
    # No pool moves nothing, and all of them everything; between these, sets are filled.
    some = most[1:-1]
    left = np.array(np.broadcast_to(rooms[1:-1], some.shape))
    taken = np.empty(some.shape)
    for held, moved in zip(*in_order(free), strict=True):
        np.minimum(np.maximum(left, 0.0, out=taken), held, out=taken)
        solid = held > LEAST_BYTES
        if solid.all():
            taken /= held
        else:
            share = np.ones(taken.shape)
            taken = np.divide(taken, held, out=share, where=solid)
        taken *= moved
        some += taken
        left -= held
    most[0] = 0.0
    most[-1] = summed(parts.moved_bytes)
    return most


def least_at_once(most_bytes: Values, each_s: Values) -> Values:
    """The least greatest time of any pool when all work at once, at each batch [s].

    max over S of (t - F(not S)) / (sum over S of R_i): what S cannot leave to the others.

    Parameters: most_bytes, F of every set; each_s, seconds for a byte, by pool (or pools by
    batches).

    >>> float(least_at_once(np.array([[0.0], [5.5], [4.5], [7.0]]), np.array([1.0, 0.5]))[0])
    2.5
    """
    speed = of_sets(1.0 / each_s.reshape(len(each_s), -1))
    left = most_bytes[-1] - most_bytes[-2::-1]
    least: Values = np.max(left / speed[1:], axis=0)
    return least


def least_in_turn(most_bytes: Values, one_s: Values) -> Values:
    """The least sum of times when one pool works at a time, at each batch [s].

    The densest bytes fill the fastest pool first.

    Parameters: as above; one_s, seconds for a byte, by pool, or pools by batches where their order
    of speed is the same at each.

    >>> float(least_in_turn(np.array([[0.0], [5.5], [4.5], [7.0]]), np.array([1.0, 0.5]))[0])
    4.75
    """
    return summed(one_s.reshape(len(one_s), -1) * divided(most_bytes, one_s, None))


def least_of_groups(most_bytes: Values, one_s: Values, each_s: Values) -> Values:
    """The least P with sum over i of T_i one_i <= P and T_i each_i <= P for every pool [s].

    With an upper limit P / each_i on each pool, the least sum still fills the fastest first. It is
    a convex chain of lines in P that falls, so that stepping from line to line ends at the least P.

    Parameters: as above, each_s pools by batches.
    """
    period = np.maximum(least_at_once(most_bytes, each_s), least_in_turn(most_bytes, one_s))
    order = _fastest_first(one_s)
    slower = one_s.reshape(len(one_s), -1)[order]
    saved = slower - np.concatenate([slower[1:], 0.0 * slower[:1]])
    while True:
        taken, slope = _filled(most_bytes, order, period, 1.0 / each_s)
        longer = summed(saved * taken) / (1.0 - summed(saved * slope))
        rises = longer > period * (1.0 + ROUNDING)
        if not rises.any():
            return period
        period = np.where(rises, longer, period)


def divided(most_bytes: Values, one_s: Values, limits_bytes: Values | None) -> Values:
    """The traffic of each pool, the fastest filled first, none above its limit: pools by batches.

    Parameters: limits_bytes, pools by batches, together enough; None for none.
    """
    order = _fastest_first(one_s)
    if limits_bytes is None:
        masks = np.cumsum(1 << order)
        filled = most_bytes[masks]
    else:
        taken, slope = _filled(most_bytes, order, np.ones(most_bytes.shape[1]), limits_bytes)
        filled = taken + slope
    traffic = np.empty((len(one_s), most_bytes.shape[1]))
    # What one more pool adds is never less than nothing, but for rounding.
    traffic[order] = np.maximum(np.diff(filled, axis=0, prepend=0.0), 0.0)
    return traffic


def _fastest_first(one_s: Values) -> NDArray[np.intp]:
    """The pools by speed, as they are at the first batch."""
    return np.argsort(one_s.reshape(len(one_s), -1)[:, 0], kind="stable")


def _filled(
    most_bytes: Values, order: NDArray[np.intp], period: Values, speed: Values
) -> tuple[Values, Values]:
    """What the first pools, then one more, ... can move within P: a + P w, as a and w.

    min over A among these pools of F(A) + P sum over the others of them of 1 / each_i

    Returns pools in order by batches; the last is all of the traffic.
    """
    numbers, speeds = np.arange(len(most_bytes)), of_sets(speed)
    starts, slopes = np.zeros((2, len(order), most_bytes.shape[1]))
    among = 0
    for place, pool in enumerate(order[:-1]):
        among |= 1 << int(pool)
        inside = np.flatnonzero((numbers & ~among) == 0)
        values = most_bytes[inside] + period * speeds[among ^ inside]
        least = np.argmin(values, axis=0)
        columns = np.arange(len(period))
        starts[place] = most_bytes[inside[least], columns]
        slopes[place] = speeds[among ^ inside[least], columns]
    starts[-1] = most_bytes[-1]
    return starts, slopes
