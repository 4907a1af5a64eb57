"""Bytes by the density of their traffic: what fills a room best, which bytes lie in which pool."""

import numpy as np
from numpy.typing import NDArray

from .parts import Parts

Values = NDArray[np.float64]
LEAST_BYTES = 1e-6
"""What holds less takes no room."""
ROUNDING = 1e-12


def density(parts: Parts) -> Values:
    """Traffic for each byte held, t / s; infinite where nothing is held."""
    found = np.full(parts.held_bytes.shape, np.inf)
    np.divide(parts.moved_bytes, parts.held_bytes, out=found, where=parts.held_bytes > LEAST_BYTES)
    return found


def in_order(parts: Parts) -> tuple[Values, Values]:
    """Bytes held and moved, the densest part first, at each batch."""
    order = np.argsort(-density(parts), axis=0, kind="stable")
    columns = np.arange(order.shape[1])
    return parts.held_bytes[order, columns], parts.moved_bytes[order, columns]


def densest_first(parts: Parts, room_bytes: Values) -> Values:
    """Fractions x_j of each part that a pool holds when the densest traffic goes in first.

    The greatest sum x_j t_j with sum x_j s_j <= room and 0 <= x_j <= 1.

    Parameters: parts, J by B; room_bytes, one for each batch, or one number.
    References: Dantzig 1957, the fractional knapsack.

    >>> one = Parts(("a", "b"), np.array([[4.0], [6.0]]), np.array([[4.0], [3.0]]))
    >>> densest_first(one, np.array([7.0])).ravel()
    array([1. , 0.5])
    """
    held = parts.held_bytes
    order = np.argsort(-density(parts), axis=0, kind="stable")
    sorted_held = np.take_along_axis(held, order, axis=0)
    before = np.cumsum(sorted_held, axis=0) - sorted_held
    left = np.maximum(room_bytes - before, 0.0)
    taken = np.ones(held.shape)
    fitting = np.minimum(left, sorted_held)
    np.divide(fitting, sorted_held, out=taken, where=sorted_held > LEAST_BYTES)
    fractions = np.empty(held.shape)
    np.put_along_axis(fractions, order, taken, axis=0)
    return fractions


def pinned(parts: Parts, placement: dict[str, float]) -> tuple[Values, Parts]:
    """What a placement fixes in the first of two pools and in the second, and what stays free.

    Returns fractions, parts by two (no pool where nothing is fixed), and the parts with what is
    fixed taken out.
    """
    if not placement:
        return np.zeros((len(parts.classes), 0)), parts
    fixed = np.array([placement.get(name, np.nan) for name in parts.classes])
    held = np.isnan(fixed)
    kept = np.where(held[:, np.newaxis], 0.0, np.stack([fixed, 1.0 - fixed], axis=1))
    free = held[:, np.newaxis]
    return kept, Parts(parts.classes, parts.held_bytes * free, parts.moved_bytes * free)


def divide(
    parts: Parts, rooms_bytes: Values, traffic_bytes: Values, placement: dict[str, float]
) -> Values:
    """Fractions of each part in each pool, parts by pools, that give every pool its traffic.

    Of the bytes left in the order of their density, each pool in turn takes the stretch that fills
    its room and moves what it should. A stretch is the least spread of all that would do, so what
    it leaves serves the others as well as anything could.

    Parameters: parts at one batch; rooms_bytes, together enough for all; traffic_bytes of each
    pool, as `balance.divided` gives it; placement as there.
    References: Beiglboeck and Juillet 2016, shadows.

    >>> one = Parts(("a", "b"), np.array([[4.0], [6.0]]), np.array([[4.0], [3.0]]))
    >>> divide(one, np.array([7.0, 5.0]), np.array([5.0, 2.0]), {}).round(6)
    array([[0.75    , 0.25    ],
           [0.666667, 0.333333]])
    """
    kept, free = pinned(parts, placement)
    fractions = np.zeros((len(parts.classes), len(rooms_bytes)))
    fractions[:, : kept.shape[1]] = kept
    rooms = rooms_bytes - fractions.T @ parts.held_bytes[:, 0]
    wanted = traffic_bytes - fractions.T @ parts.moved_bytes[:, 0]
    order = np.argsort(-density(free)[:, 0], kind="stable")
    held, moved = free.held_bytes[order, 0], free.moved_bytes[order, 0]
    left = np.where(kept[order].any(axis=1), 0.0, 1.0)
    for pool in range(len(rooms) - 1):
        rest = float(np.sum(rooms[pool + 1 :]))
        taken = _stretch(held * left, moved * left, (rooms[pool], rest), wanted[pool])
        fractions[order, pool] += taken * left
        left = left * (1.0 - taken)
    fractions[order, -1] += left
    return fractions


def _stretch(held: Values, moved: Values, rooms: tuple[float, float], wanted: float) -> Values:
    """How much of each part is in the stretch of the first room that moves so much.

    What comes before it has to fit into the second room.
    """
    solid = held > LEAST_BYTES
    ends = np.cumsum(np.where(solid, held, 0.0))
    begins = ends - held
    cuts = np.append(0.0, ends)
    sums = np.append(0.0, np.cumsum(np.where(solid, moved, 0.0)))
    latest = max(min(rooms[1], ends[-1]), 0.0)
    starts = np.unique(np.clip(np.concatenate([cuts, cuts - rooms[0]]), 0.0, latest))
    moves = np.interp(starts + rooms[0], cuts, sums) - np.interp(starts, cuts, sums)
    # The first that moves no more; between it and the one before, what it moves falls evenly.
    place = min(int(np.searchsorted(-moves, -wanted * (1.0 + ROUNDING))), len(starts) - 1)
    start = starts[place]
    if place and moves[place - 1] > moves[place]:
        falls = moves[place - 1] - moves[place]
        back = np.clip(wanted - moves[place], 0.0, falls) / falls
        start -= back * (start - starts[place - 1])
    taken = np.zeros(held.shape)
    inside = np.clip(np.minimum(ends, start + rooms[0]) - np.maximum(begins, start), 0.0, held)
    np.divide(inside, held, out=taken, where=solid)
    # Bytes that take no room make up for what the densest stretch does not move.
    weightless = float(moved[~solid].sum())
    if weightless > 0.0:
        taken[~solid] = np.clip(wanted - moves[0], 0.0, weightless) / weightless
    return taken
