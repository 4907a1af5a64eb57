"""What is free goes back when the window rests: cycles of Python's objects, memory to the system.

Only the window's thread collects cycles. Python would let whichever thread asks for an object do
it, and a worker that deletes a part of the window does so while Qt paints it, or while another part
is made in its place.

glibc keeps free memory that lies below a piece in use, and raises what it keeps to the size of the
largest picture that it ever gave back: after an hour of use that was half of what the window held.
"""

import gc
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


def collect_in_this_thread_only() -> None:
    """Python collects no cycles any more but in `collect_due`; to be called before any thread."""
    gc.disable()


def collect_due() -> None:
    """Collect the cycles of the oldest generation whose count is over Python's limit."""
    limits = gc.get_threshold()
    due = [of for of, made in enumerate(gc.get_count()) if made > limits[of] > 0]
    if due:
        gc.collect(due[-1])


class FreedMemory(QObject):
    """Collects what is due and gives memory back whenever the event loop has nothing left to do,
    the memory not too often."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._trim = _of_glibc("malloc_trim")
        self._given_at = monotonic()
        if (dispatcher := QAbstractEventDispatcher.instance()) is not None:
            dispatcher.aboutToBlock.connect(self._at_rest)

    def _at_rest(self) -> None:
        collect_due()
        if self._trim is not None and monotonic() - self._given_at > OFTEN_S:
            self._trim(0)
            self._given_at = monotonic()


def _of_glibc(name: str) -> Callable[..., object] | None:
    """A function of the C library; None where there is another one."""
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - other systems need none of it

    return getattr(ctypes.CDLL(None), name, None)
