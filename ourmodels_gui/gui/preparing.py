"""Prepares a field beside the window: the costs of every model in every format take a while."""

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from ..library.load import Library
from ..problem import BadInput
from ..ranking.field import Field, FieldChoice, prepare


class Preparing(QObject):
    """One worker; the newest request wins. prepared: a Field. failed: why there is none."""

    prepared = Signal(object)
    failed = Signal(str)
    _done = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest = 0
        self._asked: tuple[Library, FieldChoice] | None = None
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._done.connect(self._tell)

    @property
    def is_busy(self) -> bool:
        return self._asked is not None

    def ask(self, library: Library, choice: FieldChoice) -> None:
        """Prepare the field of a choice, unless that is under way already."""
        asked = self._asked
        if asked is not None and asked[0] is library and asked[1] == choice:
            return
        self._newest += 1
        self._asked = (library, choice)
        number, done = self._newest, self._done

        def work() -> None:
            try:
                found: Field | str = prepare(library, choice)
                _ = found.caches, found.expected, found.limits  # type: ignore[union-attr]
            except BadInput as bad:
                found = str(bad)
            done.emit(number, found)

        self._pool.start(QRunnable.create(work))

    def forget(self) -> None:
        """What is under way is not wanted any more."""
        self._newest += 1
        self._asked = None

    def _tell(self, number: int, found: Field | str) -> None:
        if number != self._newest:
            return
        self._asked = None
        if isinstance(found, str):
            self.failed.emit(found)
        else:
            self.prepared.emit(found)
