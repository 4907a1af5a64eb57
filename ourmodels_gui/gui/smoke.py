"""Tries the started program on itself: an answer, every tab painted, no fault; then it ends."""

import sys
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from ..evaluation import Evaluation
from .main_window import MainWindow

STEP_MS = 50
DEADLINE_MS = 60_000
FEWEST_COLOURS = 8
"""A window that drew nothing has one or two."""


class Smoke(QObject):
    """Ends the running application with status 0, or with 1 and one line that says why."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._evaluation: Evaluation | None = None
        self._tab = 0
        window.evaluated.connect(self._keep)
        sys.excepthook = self._fault
        self._deadline = QTimer(self, singleShot=True, interval=DEADLINE_MS)
        self._deadline.timeout.connect(lambda: self._end(f"nothing more after {self._where()}"))
        self._deadline.start()
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._step)
        self._timer.start()

    def _keep(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def _step(self) -> None:
        window = self._window
        if self._evaluation is None or not (window.answers.is_drawn and window.shown_tab.is_drawn):
            return
        if self._evaluation.result is None:
            return self._end(f"no answer: {self._evaluation.problem}")
        if QApplication.windowIcon().pixmap(16, 16).isNull():
            return self._end("the icon cannot be drawn")
        if colours(window) < FEWEST_COLOURS:
            return self._end(f"nothing was painted in {self._where()}")
        self._tab += 1
        if not window.show_tab(self._tab):
            self._end("")

    def _where(self) -> str:
        return f"tab {self._tab + 1}"

    def _fault(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        traceback.print_exception(kind, error, trace)
        self._end(f"a fault: {kind.__name__}")

    def _end(self, why: str) -> None:
        self._timer.stop()
        self._deadline.stop()
        if why:
            print(f"smoke: {why}", file=sys.stderr)
        QApplication.exit(1 if why else 0)


def colours(window: MainWindow) -> int:
    """How many colours a coarse grid over the window's picture has."""
    picture = window.grab().toImage()
    points = ((x, y) for x in range(0, picture.width(), 5) for y in range(0, picture.height(), 3))
    return len({picture.pixel(x, y) for x, y in points})
