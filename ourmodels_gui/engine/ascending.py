"""Whole numbers in ascending order, each once."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ascending(*values: ArrayLike) -> NDArray[np.int64]:
    """Every value once, the smallest first.

    The same as `numpy.unique` of them all, which imports the masked arrays: a fiftieth of the
    time from the start of the program to its first answer.

    >>> ascending([5, 1, 5], 3).tolist()
    [1, 3, 5]
    """
    ordered = np.sort(np.concatenate([np.atleast_1d(part) for part in values]).astype(np.int64))
    kept = np.ones(ordered.size, dtype=bool)
    kept[1:] = ordered[1:] != ordered[:-1]
    return ordered[kept]
