"""Work that takes longer than a frame: one worker, the latest request wins."""

import contextlib
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QThreadPool, Signal, SignalInstance

from .task import Task


class Request(NamedTuple):
    """What work is given. stop: whether nobody waits any more. tell: reports on the way."""

    stop: Callable[[], bool]
    tell: Callable[[Any], None]


Work = Callable[[Request], Any]


class Worker(QObject):
    """Runs one piece of work at a time beside the window.

    A new request stops the one before it, whose answer is dropped. `done` carries the answer,
    `failed` the exception, `told` what the work tells on its way.
    """

    done = Signal(object)
    failed = Signal(object)
    told = Signal(object)
    _ended = Signal(int, object, object)
    _told = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._stopped = threading.Event()
        self._number = 0
        self._busy = False
        self._ended.connect(self._finish)
        self._told.connect(self._pass_on)

    @property
    def is_busy(self) -> bool:
        """Whether the last request is still being worked on."""
        return self._busy

    def ask(self, work: Work) -> None:
        """Start `work` as soon as the work before it has stopped."""
        self.cancel()
        self._stopped = threading.Event()
        self._number += 1
        self._busy = True
        number, stopped = self._number, self._stopped
        self._pool.start(Task(lambda: self._run(number, work, stopped)))

    def cancel(self) -> None:
        """Stop; no answer comes any more."""
        self._stopped.set()
        self._number += 1
        self._busy = False

    def close(self) -> None:
        """Stop and wait until nothing runs."""
        self.cancel()
        self._pool.clear()
        self._pool.waitForDone()

    def _finish(self, number: int, answer: Any, error: Any) -> None:
        if number != self._number:
            return
        self._busy = False
        if error is not None:
            self.failed.emit(error)
        else:
            self.done.emit(answer)

    def _pass_on(self, number: int, what: Any) -> None:
        if number == self._number:
            self.told.emit(what)

    def _run(self, number: int, work: Work, stopped: threading.Event) -> None:
        answer = error = None
        try:
            answer = work(
                Request(stopped.is_set, lambda what: self._emit(self._told, number, what))
            )
        except Exception as bad:  # told in the window, whatever it is
            error = bad
        self._emit(self._ended, number, answer, error)

    @staticmethod
    def _emit(signal: SignalInstance, *what: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the window went away meanwhile
            signal.emit(*what)
