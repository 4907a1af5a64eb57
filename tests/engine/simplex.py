"""A small linear program for the judges: the two-phase simplex method in plain steps."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
TOLERANCE = 1e-11


def minimise(cost: Matrix, at_most: tuple[Matrix, Matrix], equal: tuple[Matrix, Matrix]) -> Matrix:
    """x >= 0 with the least cost . x, where A x <= b and E x = f, for b, f >= 0.

    Bland's rule, so that it ends. Meant for tens of unknowns of like magnitude.

    Parameters: cost; at_most, A and b; equal, E and f.
    Errors: ValueError when nothing satisfies the constraints or the cost has no least value.
    References: Dantzig 1951; Bland 1977.

    >>> x = minimise(
    ...     np.array([1.0, 3.0]),
    ...     (np.array([[1.0, 0.0]]), np.array([2.0])),
    ...     (np.array([[1.0, 1.0]]), np.array([5.0])),
    ... )
    >>> x
    array([2., 3.])
    """
    (upper, limit), (same, value) = at_most, equal
    many, rows = len(cost), len(limit) + len(value)
    slack = np.vstack([np.eye(len(limit)), np.zeros((len(value), len(limit)))])
    helper = np.vstack([np.zeros((len(limit), len(value))), np.eye(len(value))])
    table = np.hstack(
        [
            np.vstack([upper, same]),
            slack,
            helper,
            np.concatenate([limit, value]).reshape(-1, 1),
        ]
    )
    basis = [many + row for row in range(rows)]
    real = many + len(limit)
    first = np.concatenate([np.zeros(real), np.ones(len(value))])
    _pivot_all(table, basis, first, table.shape[1] - 1)
    missing = sum(table[row, -1] for row, column in enumerate(basis) if column >= real)
    if missing > 1e-9 * max(1.0, float(np.sum(value))):
        raise ValueError("nothing satisfies the constraints")
    _drop_helpers(table, basis, real)
    second = np.concatenate([cost, np.zeros(table.shape[1] - 1 - many)])
    _pivot_all(table, basis, second, real)
    found = np.zeros(table.shape[1] - 1)
    found[basis] = table[:, -1]
    return found[:many]


def _pivot_all(table: Matrix, basis: list[int], cost: Matrix, columns: int) -> None:
    """Exchange until no column below `columns` lowers the cost."""
    while True:
        reduced = cost[:columns] - cost[basis] @ table[:, :columns]
        entering = np.flatnonzero(reduced < -TOLERANCE)
        if not len(entering):
            return
        column = int(entering[0])
        positive = table[:, column] > TOLERANCE
        if not positive.any():
            raise ValueError("the cost has no least value")
        ratios = np.full(len(basis), np.inf)
        np.divide(table[:, -1], table[:, column], out=ratios, where=positive)
        least = ratios.min()
        tied = np.flatnonzero(ratios <= least + TOLERANCE)
        _exchange(table, basis, int(min(tied, key=lambda row: basis[row])), column)


def _exchange(table: Matrix, basis: list[int], row: int, column: int) -> None:
    table[row] /= table[row, column]
    for other in range(len(table)):
        if other != row and table[other, column] != 0.0:
            table[other] -= table[other, column] * table[row]
    basis[row] = column


def _drop_helpers(table: Matrix, basis: list[int], real: int) -> None:
    """Take helpers that are zero but still in the basis out of it, where a column allows."""
    for row, column in enumerate(basis):
        if column >= real:
            usable = np.flatnonzero(np.abs(table[row, :real]) > 1e-9)
            if len(usable):
                _exchange(table, basis, row, int(usable[0]))
