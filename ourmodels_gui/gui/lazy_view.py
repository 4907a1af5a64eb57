"""A view that is made, and drawn, only while somebody looks at it."""

from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ..evaluation import Evaluation


class View(Protocol):
    """What every view of the window is: a widget that shows evaluations and reports edits."""

    edited: Any  # a signal with one dict

    def present(self, evaluation: Evaluation) -> None:
        """Show it."""


class LazyView(QWidget):
    """Keeps the last evaluation for the view that `make` gives; hands it over when visible."""

    edited = Signal(dict)
    made = Signal()

    def __init__(self, make: Callable[[], Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make = make
        self._header: Callable[[], QWidget] | None = None
        self._view: View | None = None
        self._waiting: Evaluation | None = None
        self._layout = layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.setMinimumHeight(1)  # what has no height is never painted
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._draw)

    def subject(self) -> Any:
        """What a report of the view is on (`report.dialog.Subject`); None: the scenario in use."""
        tells = getattr(self._view, "subject", None)
        return None if tells is None else tells()

    def put_above(self, header: Callable[[], QWidget]) -> None:
        """Put a line above the view, made with it: the Tab key goes in the order of making."""
        self._header = header

    def present(self, evaluation: Evaluation) -> None:
        self._waiting = evaluation
        if self._view is not None:
            self._draw()
        else:
            self.update()

    @property
    def is_drawn(self) -> bool:
        """Whether the view shows the last evaluation it was given."""
        return self._view is not None and self._waiting is None

    def paintEvent(self, event: QPaintEvent) -> None:
        # Once the window is painted, not before: what the view imports takes longer than the start.
        if self._view is None and self._waiting is not None:
            self._timer.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._view is not None:
            self._timer.start()

    def _draw(self) -> None:
        if self._waiting is None or not self.isVisible():
            return
        if self._view is None:
            if self._header is not None:
                self._layout.addWidget(self._header())
            view = self._make()
            view.edited.connect(self.edited)
            self._layout.addWidget(view, 1)
            self._view = view
            self.setMinimumHeight(0)
            self.made.emit()
        self._view.present(self._waiting)
        self._waiting = None
