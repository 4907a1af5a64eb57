"""The ways of using the memories of a composition side by side, one of them in use."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...language import tr
from ..tables import FigureTable, Row
from ..theme import SCROLL_PX, px

LEAST_ROWS = 2
LEAST_LETTERS = 16
KIND_COLUMN, ROOMY_PX = 1, 760


class WaysTable(FigureTable):
    """A click on a row, or Enter, chooses it. As high as its rows; hidden without a choice.

    chosen: the number of the row.
    """

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Ways of using the memories"),
            (
                tr("way of using the memories"),
                tr("kind"),
                tr("sessions"),
                tr("all, tok/s"),
                tr("each"),
                tr("one session"),
                tr("limited by"),
            ),
            (
                "m" * LEAST_LETTERS,
                tr("policy ceiling"),
                "1,000 \u2026 1,000",
                "10.0k",
                "1,000",
                "1,000",
                tr("system memory"),
            ),
            left=(0, 1, 6),
            quiet=(1,),
            stretched=0,
            parent=parent,
        )
        self.setAccessibleDescription(tr("Enter or a click uses the devices in that way"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)
        self.hide()

    def present(self, rows: Sequence[Row], marked: set[int] = frozenset()) -> None:  # type: ignore[assignment]
        before = len(self.figures.rows)
        super().present(rows, marked)
        self.setVisible(len(rows) > 1)
        if len(rows) != before:
            self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setColumnHidden(KIND_COLUMN, self.width() < px(ROOMY_PX))
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(400, self._height(len(self.figures.rows)))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self._height(min(len(self.figures.rows), LEAST_ROWS)))

    def _height(self, rows: int) -> int:
        head = self.horizontalHeader().sizeHint().height()
        below = SCROLL_PX if self.is_cut else 0
        return head + rows * self.verticalHeader().defaultSectionSize() + below + 2

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())
