"""What a value plot shows: a ceiling against price or power, and which rows nothing beats."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from .table import Indices, Table

Floats = NDArray[np.float64]


class ValuePlot(msgspec.Struct, frozen=True, eq=False):
    """Points of a plot with logarithmic axes.

    rows: the rows of the table. front: which of them nothing beats. left_out: rows that have no
    place on the plot, because a figure of theirs does not exist.
    """

    rows: Indices
    x: Floats
    y: Floats
    front: NDArray[np.bool_]
    left_out: int


def value_plot(
    table: Table, x: str = "price", y: str = "aggregate_tokens_per_s", rows: Indices | None = None
) -> ValuePlot:
    """The points of some rows: x, of which less is better, against y, of which more is.

    Parameters: table; x and y, columns; rows, or None for all.
    Errors: BadInput for an unknown column.
    """
    chosen = np.arange(len(table)) if rows is None else rows
    across, up = table.some(x, chosen), table.some(y, chosen)
    with np.errstate(invalid="ignore"):
        there = (across > 0.0) & (up > 0.0) & np.isfinite(across) & np.isfinite(up)
    across, up = across[there], up[there]
    return ValuePlot(
        chosen[there], across, up, pareto_front(across, up), int(chosen.size - there.sum())
    )


def pareto_front(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Which points nothing beats: no other has at most their x and at least their y, one of the two
    strictly. Equal points are on the front together.

    >>> pareto_front(np.array([1.0, 2.0, 3.0, 2.0]), np.array([5.0, 9.0, 8.0, 9.0]))
    array([ True,  True, False,  True])
    """
    front = np.zeros(x.shape, dtype=bool)
    best, at = -np.inf, -np.inf
    for place in np.lexsort((-y, x)):
        if y[place] > best:
            best, at = y[place], x[place]
        front[place] = y[place] == best and x[place] == at
    return front
