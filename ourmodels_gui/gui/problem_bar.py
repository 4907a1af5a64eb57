"""What is wrong, quietly: one strip above the answers, in the place of their title."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from ..evaluation import Evaluation
from ..language import tr
from .elided import ElidedLabel
from .theme import CARD_PADDING, RADIUS, UNIT, colours


class ProblemBar(QWidget):
    """Says why there is no answer, and a notice until it is dismissed.

    Meanwhile it covers the title, up to the edge and the answers, so that nothing moves. The title
    is not hidden: hidden, it would not hear of a new size before it is shown again.
    """

    def __init__(self, title: QWidget) -> None:
        super().__init__(title.parentWidget())
        self._title = title
        title.installEventFilter(self)
        self._problem = ""
        self._notice = ""
        self.words = ElidedLabel(self)
        self.words.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close = QToolButton(self, autoRaise=True)
        self._close.setText("\u00d7")
        self._close.setAccessibleName(tr("Dismiss"))
        self._close.setToolTip(tr("Dismiss"))
        self._close.clicked.connect(lambda: self.say(""))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING + UNIT, 0, UNIT, 0)
        layout.addWidget(self.words, 1)
        layout.addWidget(self._close)
        self.hide()

    @property
    def said(self) -> str:
        """All that it says, also what has no room."""
        return " \u00b7 ".join(filter(None, (self._problem, self._notice)))

    def present(self, evaluation: Evaluation) -> None:
        """Show the problem that prevents an answer, if there is one."""
        self._problem = "" if evaluation.problem is None else str(evaluation.problem)
        self._refresh()

    def say(self, notice: str) -> None:
        """Show a notice until it is dismissed or another takes its place."""
        self._notice = notice
        self._refresh()

    def _refresh(self) -> None:
        self.words.say(self.said)
        self._close.setVisible(bool(self._notice))
        self.setVisible(bool(self.said))
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Move, QEvent.Type.Resize):
            around = 2 * UNIT - 1
            self.setGeometry(self._title.geometry().adjusted(0, -around, 0, around))
            room = (self.height() - 2) // self.words.fontMetrics().lineSpacing()
            self.words.set_lines(max(room, 1))
        return False

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
