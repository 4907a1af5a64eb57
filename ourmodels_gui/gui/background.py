"""Work that takes longer than a frame: one thread beside the window, the latest request wins."""

from collections.abc import Callable
from functools import cache
from threading import Event, Thread
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Signal

from ..problem import BadInput

EXPECTED = (BadInput, OSError, MemoryError)
"""What may go wrong without a fault in the program."""


class Request(NamedTuple):
    """What work is given. stop: whether nobody waits any more. tell: reports on the way."""

    stop: Callable[[], bool]
    tell: Callable[[Any], None]


Work = Callable[[Request], Any]


class _Post(QObject):
    """Carries what threads say to the window's thread.

    There is one, and it stays: a thread that emitted a signal of its own worker, or that let go of
    one last, could do so while the window deletes it.
    """

    ended = Signal(object, object, object)
    told = Signal(object, object)


_post = cache(_Post)


class _Wanted:
    """The request whose answer is waited for, by the event that stops it."""

    stopped: Event | None = None

    def drop(self) -> None:
        if self.stopped is not None:
            self.stopped.set()
        self.stopped = None


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

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: Thread | None = None
        self._wanted = wanted = _Wanted()
        self.destroyed.connect(lambda: wanted.drop())  # noqa: PLW0108 - Qt holds a method weakly
        _post().ended.connect(self._finish)
        _post().told.connect(self._pass_on)
        if (program := QCoreApplication.instance()) is not None:
            program.aboutToQuit.connect(self.close)

    @property
    def is_busy(self) -> bool:
        """Whether the last request is still being worked on."""
        return self._wanted.stopped is not None

    def ask(self, work: Work) -> None:
        """Start `work` as soon as the work before it has stopped."""
        self.cancel()
        self._wanted.stopped = stopped = Event()
        self._thread = Thread(target=_run, args=(work, stopped, self._thread))
        self._thread.start()

    def cancel(self) -> None:
        """Stop; no answer comes any more."""
        self._wanted.drop()

    def wait(self) -> None:
        """Wait for the end of what was asked for; its answer comes in the next turn."""
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        """Stop and wait until nothing runs."""
        self.cancel()
        self.wait()

    def _finish(self, stopped: Event, answer: Any, error: Any) -> None:
        if stopped is not self._wanted.stopped:
            return
        self._wanted.stopped = None
        if error is None:
            self.done.emit(answer)
            return
        self.failed.emit(error)
        if not isinstance(error, EXPECTED):
            raise error

    def _pass_on(self, stopped: Event, what: Any) -> None:
        if stopped is self._wanted.stopped:
            self.told.emit(what)


def _run(work: Work, stopped: Event, before: Thread | None) -> None:
    """Work in a thread, which knows nothing of the worker that it works for."""
    if before is not None:
        before.join()
    if stopped.is_set():  # before its turn came
        return
    post = _post()
    try:
        answer = work(Request(stopped.is_set, lambda what: post.told.emit(stopped, what)))
    except Exception as bad:  # whatever it is, somebody waits to be told
        post.ended.emit(stopped, None, bad)
    else:
        post.ended.emit(stopped, answer, None)
