"""What was worked out last, kept while what it rests on stays as it is."""

from collections.abc import Callable
from typing import Generic, TypeVar

Found = TypeVar("Found")
MOST = 4
"""Evaluations take turns where a few are compared."""


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
