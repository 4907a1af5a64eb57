"""Work that takes longer than a frame: one thread beside the window, the latest request wins."""

import contextlib
from collections.abc import Callable
from threading import Event, Thread
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Signal, SignalInstance
from shiboken6 import isValid

from ..problem import BadInput

EXPECTED = (BadInput, OSError, MemoryError)
"""What may go wrong without a fault in the program."""


class Request(NamedTuple):
    """What work is given. stop: whether nobody waits any more. tell: reports on the way."""

    stop: Callable[[], bool]
    tell: Callable[[Any], None]


Work = Callable[[Request], Any]


class Worker(QObject):
    """Runs one piece of work at a time beside the window; no thread outlives it or the program.

    A new request stops the one before it, whose answer is dropped. `done` carries the answer,
    `failed` the exception, `told` what the work tells on its way. A fault of the program is raised
    again in the window's thread, after `failed`.

    The thread is Python's: where a QRunnable ends before the call that started it, PySide6 keeps
    its Python half for ever, with all that the work was given.
    """

    done = Signal(object)
    failed = Signal(object)
    told = Signal(object)
    _ended = Signal(object, object, object)
    _told = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: Thread | None = None
        self._wanted: Event | None = None
        self._ended.connect(self._finish)
        self._told.connect(self._pass_on)
        if (program := QCoreApplication.instance()) is not None:
            program.aboutToQuit.connect(self.close)

    @property
    def is_busy(self) -> bool:
        """Whether the last request is still being worked on."""
        return self._wanted is not None

    def ask(self, work: Work) -> None:
        """Start `work` as soon as the work before it has stopped."""
        self.cancel()
        self._wanted = Event()
        self._thread = Thread(target=self._run, args=(work, self._wanted, self._thread))
        self._thread.start()

    def cancel(self) -> None:
        """Stop; no answer comes any more."""
        if self._wanted is not None:
            self._wanted.set()
        self._wanted = None

    def wait(self) -> None:
        """Wait for the end of what was asked for; its answer comes in the next turn."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Stop and wait until nothing runs."""
        self.cancel()
        self.wait()

    def _finish(self, stopped: Event, answer: Any, error: Any) -> None:
        if stopped is not self._wanted:
            return
        self._wanted = None
        if error is None:
            self.done.emit(answer)
            return
        self.failed.emit(error)
        if not isinstance(error, EXPECTED):
            raise error

    def _pass_on(self, stopped: Event, what: Any) -> None:
        if stopped is self._wanted:
            self.told.emit(what)

    def _run(self, work: Work, stopped: Event, before: Thread | None) -> None:
        def stop() -> bool:  # the window may be gone as well
            return stopped.is_set() or not isValid(self)

        def emit(signal: SignalInstance, *what: Any) -> None:
            with contextlib.suppress(RuntimeError):
                signal.emit(stopped, *what)

        if before is not None:
            before.join()
        if stop():  # before its turn came
            return
        ended, told = self._ended, self._told
        try:
            answer = work(Request(stop, lambda what: emit(told, what)))
        except Exception as bad:  # whatever it is, somebody waits to be told
            emit(ended, None, bad)
        else:
            emit(ended, answer, None)
