"""What is wrong, quietly: one strip above the answers."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from ..evaluation import Evaluation
from ..language import tr
from .theme import CARD_PADDING, RADIUS, UNIT, colours


class ProblemBar(QWidget):
    """Says why there is no answer, and a notice until it is dismissed; else it takes no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._problem = ""
        self._notice = ""
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setAccessibleName(tr("Problem"))
        self._close = QToolButton(self, autoRaise=True)
        self._close.setText("\u00d7")
        self._close.setAccessibleName(tr("Dismiss"))
        self._close.setToolTip(tr("Dismiss"))
        self._close.clicked.connect(lambda: self.say(""))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING + UNIT, UNIT, UNIT, UNIT)
        layout.addWidget(self.words, 1)
        layout.addWidget(self._close)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    def present(self, evaluation: Evaluation) -> None:
        """Show the problem that prevents an answer, if there is one."""
        self._problem = "" if evaluation.problem is None else str(evaluation.problem)
        self._refresh()

    def say(self, notice: str) -> None:
        """Show a notice until it is dismissed or another takes its place."""
        self._notice = notice
        self._refresh()

    def _refresh(self) -> None:
        text = "\n".join(filter(None, (self._problem, self._notice)))
        self.words.setText(text)
        self._close.setVisible(bool(self._notice))
        self.setVisible(bool(text))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(palette.line))
        painter.setBrush(QColor(palette.base))
        inside = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(inside, RADIUS, RADIUS)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(palette.unfit if self._problem else palette.below))
        painter.drawRoundedRect(QRectF(UNIT, UNIT, 3, self.height() - 2 * UNIT), 1.5, 1.5)
