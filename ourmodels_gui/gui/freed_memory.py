"""What was freed goes back to the system when the window rests.

glibc keeps free memory that lies below a piece in use, and raises what it keeps to the size of the
largest picture that it ever gave back: after an hour of use that was half of what the window held.
"""

import sys
from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QAbstractEventDispatcher, QObject

OFTEN_S = 1.0
"""At most so often: it takes up to a few milliseconds."""


class FreedMemory(QObject):
    """Gives memory back whenever the event loop has nothing left to do, but not too often."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._trim = _trim()
        self._given_at = monotonic()
        dispatcher = QAbstractEventDispatcher.instance()
        if dispatcher is not None and self._trim is not None:
            dispatcher.aboutToBlock.connect(self._at_rest)

    def _at_rest(self) -> None:
        if self._trim is not None and monotonic() - self._given_at > OFTEN_S:
            self._trim(0)
            self._given_at = monotonic()


def _trim() -> Callable[[int], object] | None:
    """glibc's `malloc_trim`; None where there is another C library."""
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - other systems need none of it

    return getattr(ctypes.CDLL(None), "malloc_trim", None)
