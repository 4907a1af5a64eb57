"""A linear program for the judges in whole numbers: exact, without rounding or tolerance."""

from math import gcd

import numpy as np


def minimise(cost, at_most, equal):
    """x >= 0 with the least cost . x, where A x <= b and E x = f, for b, f >= 0; and that value.

    The two-phase simplex method with Bland's rule, so that it ends. Rows are scaled to whole
    numbers (every float is one over a power of two) and pivoted without fractions.

    Errors: ValueError when nothing satisfies the constraints or the cost has no least value.
    """
    (upper, limit), (same, value) = at_most, equal
    many, slacks, helpers = len(cost), len(limit), len(value)
    real = many + slacks
    table = []
    for index, (row, bound) in enumerate(zip([*upper, *same], [*limit, *value], strict=True)):
        others = [0.0] * (slacks + helpers)
        others[index] = 1.0
        table.append(_whole([*row, *others, bound]))
    basis = list(range(many, many + slacks + helpers))
    first = [0] * real + [1] * helpers
    least, scale = _lowest(table, basis, first, real + helpers)
    if least:
        raise ValueError("nothing satisfies the constraints")
    for row, column in enumerate(basis):
        if column >= real:
            usable = [place for place in range(real) if table[row][place]]
            if usable:
                _exchange(table, row, usable[0])
                basis[row] = usable[0]
    whole = _whole([*cost, *[0.0] * (slacks + helpers)])
    power = next(w / c for w, c in zip(whole, cost, strict=False) if c)
    least, scale = _lowest(table, basis, whole, real)
    found = np.zeros(real + helpers)
    for row, column in zip(table, basis, strict=True):
        found[column] = row[-1] / row[column]
    return found[:many], least / scale / power


def _whole(row):
    """The row in whole numbers without a common divisor."""
    ratios = [float(value).as_integer_ratio() for value in row]
    common = max(below for _, below in ratios)
    return _reduced([above * (common // below) for above, below in ratios])


def _reduced(row):
    divisor = gcd(*row)
    return [value // divisor for value in row] if divisor > 1 else row


def _lowest(table, basis, cost, columns):
    """Exchange until no column below `columns` lowers the cost; its value as a ratio."""
    while True:
        reduced, scale = [*cost, 0], 1
        for row, column in zip(table, basis, strict=True):
            if reduced[column]:
                pivot, factor = row[column], reduced[column]
                reduced = [pivot * a - factor * b for a, b in zip(reduced, row, strict=True)]
                scale *= pivot
                divisor = gcd(scale, *reduced)
                reduced, scale = [value // divisor for value in reduced], scale // divisor
        column = next((place for place in range(columns) if reduced[place] < 0), None)
        if column is None:
            return -reduced[-1], scale
        leaving = None
        for row, line in enumerate(table):
            if line[column] <= 0:
                continue
            if leaving is None:
                leaving = row
                continue
            best = table[leaving]
            difference = line[-1] * best[column] - best[-1] * line[column]
            if difference < 0 or (difference == 0 and basis[row] < basis[leaving]):
                leaving = row
        if leaving is None:
            raise ValueError("the cost has no least value")
        _exchange(table, leaving, column)
        basis[leaving] = column


def _exchange(table, row, column):
    """Take the column out of every other row; the pivot stays above 0."""
    if table[row][column] < 0:
        table[row] = [-value for value in table[row]]
    pivot = table[row][column]
    for other, line in enumerate(table):
        if other != row and line[column]:
            factor = line[column]
            table[other] = _reduced(
                [pivot * a - factor * b for a, b in zip(line, table[row], strict=True)]
            )
