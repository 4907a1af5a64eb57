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
M_ARENA_MAX = -8
"""glibc's number of the option."""


def use_one_heap() -> None:
    """Let every thread take its memory from one heap; to be called before there are any.

    Of a thread's own heap `malloc_trim` does not give back what is free at its end, and that can be
    all that the thread ever worked with. Python's threads take turns, so none waits for another.
    """
    if (mallopt := _of_glibc("mallopt")) is not None:
        mallopt(M_ARENA_MAX, 1)


class FreedMemory(QObject):
    """Gives memory back whenever the event loop has nothing left to do, but not too often."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._trim = _of_glibc("malloc_trim")
        self._given_at = monotonic()
        dispatcher = QAbstractEventDispatcher.instance()
        if dispatcher is not None and self._trim is not None:
            dispatcher.aboutToBlock.connect(self._at_rest)

    def _at_rest(self) -> None:
        if self._trim is not None and monotonic() - self._given_at > OFTEN_S:
            self._trim(0)
            self._given_at = monotonic()


def _of_glibc(name: str) -> Callable[..., object] | None:
    """A function of the C library; None where there is another one."""
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - other systems need none of it

    return getattr(ctypes.CDLL(None), name, None)
