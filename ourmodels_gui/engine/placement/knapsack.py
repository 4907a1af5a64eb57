"""Where parts lie best: fractional knapsacks over one pool, two pools, or many."""

import numpy as np
from numpy.typing import NDArray

from .parts import Parts

Values = NDArray[np.float64]
LEAST_BYTES = 1e-6
"""What holds less takes no room."""


def densest_first(parts: Parts, room_bytes: Values) -> Values:
    """Fractions x_j of each part that a pool holds when the densest traffic goes in first.

    The greatest sum x_j t_j with sum x_j s_j <= room and 0 <= x_j <= 1.

    Parameters: parts, J by B; room_bytes, one for each batch, or one number.
    References: Dantzig 1957, the fractional knapsack.

    >>> one = Parts(("a", "b"), np.array([[4.0], [6.0]]), np.array([[4.0], [3.0]]))
    >>> densest_first(one, np.array([7.0])).ravel()
    array([1. , 0.5])
    """
    held, moved = parts.held_bytes, parts.moved_bytes
    density = np.full(held.shape, np.inf)
    np.divide(moved, held, out=density, where=held > LEAST_BYTES)
    order = np.argsort(-density, axis=0, kind="stable")
    sorted_held = np.take_along_axis(held, order, axis=0)
    before = np.cumsum(sorted_held, axis=0) - sorted_held
    left = np.maximum(room_bytes - before, 0.0)
    taken = np.ones(held.shape)
    fitting = np.minimum(left, sorted_held)
    np.divide(fitting, sorted_held, out=taken, where=sorted_held > LEAST_BYTES)
    fractions = np.empty(held.shape)
    np.put_along_axis(fractions, order, taken, axis=0)
    return fractions


def traffic(parts: Parts, fractions: Values) -> Values:
    """Bytes that an iteration moves in the pool that holds these fractions, at each batch."""
    moved: Values = np.sum(fractions * parts.moved_bytes, axis=0)
    return moved


def pinned(parts: Parts, placement: dict[str, float]) -> Values:
    """The fractions that a placement fixes, NaN where a part lies where it is best: J by 1."""
    fixed = [placement.get(name, np.nan) for name in parts.classes]
    return np.array(fixed, dtype=np.float64).reshape(-1, 1)


def ends(
    parts: Parts, first_room: float, second_room: float, placement: dict[str, float]
) -> tuple[Values, Values]:
    """The two extreme placements in the first of two pools: the least and the most traffic there.

    Each is the densest of one pool first. Every traffic between them can be had, because any
    mixture of two placements that fit fits as well.

    Returns the fractions x_j of both, J by B.
    """
    fixed = pinned(parts, placement)
    held = np.isnan(fixed)
    free = Parts(
        parts.classes,
        np.where(held, parts.held_bytes, 0.0),
        np.where(held, parts.moved_bytes, 0.0),
    )
    kept = np.nan_to_num(fixed)
    rest = np.where(held, 0.0, 1.0 - kept)
    kept_first = np.sum(kept * parts.held_bytes, axis=0)
    kept_second = np.sum(rest * parts.held_bytes, axis=0)
    most = densest_first(free, np.maximum(first_room - kept_first, 0.0))
    least = 1.0 - densest_first(free, np.maximum(second_room - kept_second, 0.0))
    return np.where(held, least, kept), np.where(held, most, kept)


Line = tuple[Values | float, Values | float]
"""Seconds at no traffic in the first pool, and seconds more for each byte there."""


def least_greatest(lines: tuple[Line, ...], low: Values, high: Values) -> tuple[Values, Values]:
    """The smallest value on low..high of the greatest of a few lines, and where it is.

    A convex function of pieces: its minimum is at an end or where two lines cross.

    >>> at, value = least_greatest(((0.0, 1.0), (6.0, -2.0)), np.array([0.0]), np.array([10.0]))
    >>> float(at[0]), float(value[0])
    (2.0, 2.0)
    """
    places = [low, high]
    for index, (start, slope) in enumerate(lines):
        for other_start, other_slope in lines[:index]:
            apart = np.asarray(slope - other_slope)
            crossing = np.where(
                apart != 0.0, (other_start - start) / np.where(apart != 0.0, apart, 1.0), low
            )
            places.append(np.clip(crossing, low, high))
    tried = np.array(places)
    values = np.max([start + slope * tried for start, slope in lines], axis=0)
    best = np.argmin(values, axis=0)[np.newaxis]
    return (
        np.take_along_axis(tried, best, axis=0)[0],
        np.take_along_axis(values, best, axis=0)[0],
    )


def fill_in_order(parts: Parts, rooms_bytes: tuple[float, ...]) -> Values:
    """Fractions of each part in each pool when the densest fill the first pool, then the second.

    With pools in falling order of bandwidth this is the least sum of their times: exchanging a
    denser part in a slower pool for an equal size of a less dense one in a faster never loses.

    Returns pools by parts by batches; what no pool has room for is in none.
    """
    whole = [densest_first(parts, np.asarray(float(room))) for room in np.cumsum(rooms_bytes)]
    return np.diff(np.array(whole), axis=0, prepend=0.0)
