"""Evaluates once for all the edits of one turn of the event loop."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from ..evaluation import Evaluation, run
from ..library.load import Library
from ..scenario import Scenario
from .store import Store


class Recompute(QObject):
    """Emits the evaluation of the store's scenario after it or the library changed."""

    evaluated = Signal(object)

    def __init__(
        self,
        store: Store,
        evaluate: Callable[[Scenario, Library], Evaluation] = run,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._evaluate = evaluate
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.now)
        store.changed.connect(self._timer.start)

    def now(self) -> None:
        """Evaluate at once; a pending evaluation is dropped."""
        self._timer.stop()
        self.evaluated.emit(self._evaluate(self._store.scenario, self._store.library))
