"""What was worked out last, kept while what it rests on stays as it is."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

Found = TypeVar("Found")
MOST = 4
"""Evaluations take turns where a few are compared."""
MOST_ARRAYS = 64
"""A search for the best of many batches looks at fewer."""


class Kept(Generic[Found]):
    """The last values of a pure function by what it rests on, compared by value.

    Sliders move one figure at a time, and most of an evaluation does not rest on that one.

    >>> kept = Kept()
    >>> kept.of((1, 2), lambda: 3), kept.of((1, 2), lambda: 4)
    (3, 3)
    """

    def __init__(self) -> None:
        self._known: tuple[tuple[object, Found], ...] = ()

    def of(self, basis: object, find: Callable[[], Found]) -> Found:
        """The value for `basis`, found anew where it is not kept."""
        known = self._known
        for before, found in known:
            if before == basis:
                return found
        found = find()
        self._known = ((basis, found), *known[: MOST - 1])
        return found


class KeptByArrays(Generic[Found]):
    """The values of a pure function of some arrays; full, it begins anew.

    >>> import numpy as np
    >>> kept, many = KeptByArrays(), np.ones(2)
    >>> kept.of(lambda: 3, many), kept.of(lambda: 4, many), kept.of(lambda: 4, many[:1])
    (3, 3, 4)
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Found] = {}

    def of(self, find: Callable[[], Found], *arrays: NDArray[Any]) -> Found:
        """The value for the arrays, found anew where it is not kept."""
        key = tuple((each.shape, each.tobytes()) for each in arrays)
        if key not in self._known:
            if len(self._known) >= MOST_ARRAYS:
                self._known.clear()
            self._known[key] = find()
        return self._known[key]
