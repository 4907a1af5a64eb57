"""A piece of work for a thread pool."""

from collections.abc import Callable

from PySide6.QtCore import QRunnable


class Task(QRunnable):
    """Runs `work` once, in the thread of a pool.

    What `QRunnable.create` makes leaves its Python half behind for ever, and that stands in for
    whatever Qt later puts at the same address: a menu's action turns out to be a QRunnable.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__()
        self._work = work

    def run(self) -> None:
        self._work()
