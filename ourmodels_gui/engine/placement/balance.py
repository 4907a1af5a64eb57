"""How the traffic of an iteration divides over pools so that it takes the least time.

A set S of pools holds room(S) bytes, so it moves at most F(S): the traffic of the densest bytes
that fit into it. Any division T_1 + ... + T_K = t of the traffic with sum over S of T_i <= F(S) for
every set S can be had, and no other: F is the rank of a polymatroid, whose corners are the
placements that fill one pool after another with the densest bytes left. So every least time below
is a closed form over the 2^K sets of pools, of many batches at once.

Sets are numbered: pool i is in set S where bit i of the number is 1.

References: Edmonds 1970, polymatroids; Dantzig 1957, the fractional knapsack.
"""

import numpy as np
from numpy.typing import NDArray

from .knapsack import LEAST_BYTES, Values, in_order, pinned
from .parts import Parts

ROUNDING = 1e-13
"""A period that rises by less is found."""


def members(pools: int) -> NDArray[np.bool_]:
    """Which pools each set has, sets by pools.

    >>> members(2).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    return (np.arange(2**pools)[:, np.newaxis] >> np.arange(pools)) & 1 == 1


def most_traffic(parts: Parts, rooms_bytes: Values, placement: dict[str, float]) -> Values:
    """F(S): the most that an iteration can move in each set of pools, sets by batches.

    Parameters: parts; rooms_bytes of each pool, together enough for all; placement, the fraction of
    a class that is fixed in the first of two pools, empty where all is free.

    >>> one = Parts(("a", "b"), np.array([[4.0], [6.0]]), np.array([[4.0], [3.0]]))
    >>> most_traffic(one, np.array([7.0, 5.0]), {}).ravel()
    array([0. , 5.5, 4.5, 7. ])
    """
    sets = members(len(rooms_bytes))
    kept, free = pinned(parts, placement)
    held, moved = in_order(free)
    before = np.cumsum(held, axis=0) - held
    # What is fixed in a set takes its room there and moves with it.
    within = sets[:, : kept.shape[1]] @ kept.T
    rooms = (sets @ rooms_bytes)[:, np.newaxis] - within @ parts.held_bytes
    taken = np.clip(rooms[:, np.newaxis] - before, 0.0, held)
    share = np.ones(taken.shape)
    np.divide(taken, held, out=share, where=np.broadcast_to(held > LEAST_BYTES, taken.shape))
    most: Values = np.einsum("sjb,jb->sb", share, moved) + within @ parts.moved_bytes
    most[0] = 0.0
    most[-1] = np.sum(parts.moved_bytes, axis=0)
    return most


def least_at_once(most_bytes: Values, each_s: Values) -> Values:
    """The least greatest time of any pool when all work at once, at each batch [s].

    max over S of (t - F(not S)) / (sum over S of R_i): what S cannot leave to the others.

    Parameters: most_bytes, F of every set; each_s, seconds for a byte, by pool (or pools by
    batches).

    >>> float(least_at_once(np.array([[0.0], [5.5], [4.5], [7.0]]), np.array([1.0, 0.5]))[0])
    2.5
    """
    speed = members(len(each_s))[1:] @ (1.0 / each_s).reshape(len(each_s), -1)
    left = most_bytes[-1] - most_bytes[-2::-1]
    least: Values = np.max(left / speed, axis=0)
    return least


def least_in_turn(most_bytes: Values, one_s: Values) -> Values:
    """The least sum of times when one pool works at a time, at each batch [s].

    The densest bytes fill the fastest pool first.

    >>> float(least_in_turn(np.array([[0.0], [5.5], [4.5], [7.0]]), np.array([1.0, 0.5]))[0])
    4.75
    """
    least: Values = one_s @ divided(most_bytes, one_s, None)
    return least


def least_of_groups(most_bytes: Values, one_s: Values, each_s: Values) -> Values:
    """The least P with sum over i of T_i one_i <= P and T_i each_i <= P for every pool [s].

    With an upper limit P / each_i on each pool, the least sum still fills the fastest first. It is
    a convex chain of lines in P that falls, so that stepping from line to line ends at the least P.

    Parameters: as above, each_s pools by batches.
    """
    period = np.maximum(least_at_once(most_bytes, each_s), least_in_turn(most_bytes, one_s))
    order = np.argsort(one_s, kind="stable")
    saved = one_s[order] - np.append(one_s[order][1:], 0.0)
    while True:
        taken, slope = _filled(most_bytes, order, period, 1.0 / each_s)
        start, fall = saved @ taken, saved @ slope
        longer = np.maximum(period, start / (1.0 - fall))
        if np.all(longer <= period * (1.0 + ROUNDING)):
            return longer
        period = longer


def divided(most_bytes: Values, one_s: Values, limits_bytes: Values | None) -> Values:
    """The traffic of each pool, the fastest filled first, none above its limit: pools by batches.

    Parameters: limits_bytes, pools by batches, together enough; None for none.
    """
    order = np.argsort(one_s, kind="stable")
    if limits_bytes is None:
        masks = np.cumsum(1 << order)
        filled = most_bytes[masks]
    else:
        taken, slope = _filled(most_bytes, order, np.ones(most_bytes.shape[1]), limits_bytes)
        filled = taken + slope
    traffic = np.empty((len(one_s), most_bytes.shape[1]))
    traffic[order] = np.diff(filled, axis=0, prepend=0.0)
    return traffic


def _filled(
    most_bytes: Values, order: NDArray[np.intp], period: Values, speed: Values
) -> tuple[Values, Values]:
    """What the first pools, then one more, ... can move within P: a + P w, as a and w.

    min over A among these pools of F(A) + P sum over the others of them of 1 / each_i

    Returns pools in order by batches; the last is all of the traffic.
    """
    sets = members(len(order))
    speeds = sets @ speed
    starts, slopes = np.zeros((2, len(order), most_bytes.shape[1]))
    among = 0
    for place, pool in enumerate(order[:-1]):
        among |= 1 << int(pool)
        inside = np.flatnonzero((np.arange(len(sets)) & ~among) == 0)
        values = most_bytes[inside] + period * speeds[among ^ inside]
        least = np.argmin(values, axis=0)
        columns = np.arange(len(period))
        starts[place] = most_bytes[inside[least], columns]
        slopes[place] = speeds[among ^ inside[least], columns]
    starts[-1] = most_bytes[-1]
    return starts, slopes
