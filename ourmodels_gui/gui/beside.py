"""Work beside the window: what takes longer than a frame, one piece at a time."""

from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import QObject, QThreadPool, Signal

from ..problem import BadInput, Problem
from .task import Task


class Beside(QObject):
    """One worker; the newest request wins. done: what the work gave. refused: its Problem."""

    done = Signal(object)
    refused = Signal(object)
    _ended = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest = 0
        self.is_busy = False
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._ended.connect(self._tell)

    def ask(self, work: Callable[[], object]) -> None:
        """Do the work; what was asked before and is not done is dropped."""
        self._newest += 1
        self.is_busy = True
        number, ended = self._newest, self._ended

        def run() -> None:
            found: object
            try:
                found = work()
            except BadInput as bad:
                found = bad.problem
            with suppress(RuntimeError):  # the window may be gone by then, and the signal with it
                ended.emit(number, found)

        self._pool.clear()
        self._pool.start(Task(run))

    def forget(self) -> None:
        """What is under way is not wanted any more."""
        self._newest += 1
        self.is_busy = False

    def _tell(self, number: int, found: object) -> None:
        if number != self._newest:
            return
        self.is_busy = False
        if isinstance(found, Problem):
            self.refused.emit(found)
        else:
            self.done.emit(found)
