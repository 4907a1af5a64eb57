"""What is wrong, quietly: one strip above the answers, and the list of files with problems."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ..evaluation import Evaluation
from ..problem import Problem
from .theme import CARD_PADDING, RADIUS, UNIT, colours, sized


class ProblemBar(QWidget):
    """Says why there is no answer, or a notice until it is dismissed; else it takes no room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._problem = ""
        self._notice = ""
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setAccessibleName(self.tr("Problem"))
        self._close = QToolButton(self, autoRaise=True)
        self._close.setText("\u00d7")
        self._close.setAccessibleName(self.tr("Dismiss"))
        self._close.setToolTip(self.tr("Dismiss"))
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
        text = self._notice or self._problem
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
        painter.setBrush(QColor(palette.below if self._notice else palette.unfit))
        painter.drawRoundedRect(QRectF(UNIT, UNIT, 3, self.height() - 2 * UNIT), 1.5, 1.5)


class ProblemList(QWidget):
    """The files that could not be read, each with its key and what to do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        heading = QLabel(self.tr("Files with problems"), self)
        heading.setFont(sized("heading"))
        self.list = QListWidget(self)
        self.list.setWordWrap(True)
        self.list.setAccessibleName(self.tr("Files with problems"))
        heading.setBuddy(self.list)
        close = QToolButton(self, autoRaise=True)
        close.setText(self.tr("Close"))
        close.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.addWidget(heading)
        head.addStretch(1)
        head.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING, UNIT, CARD_PADDING, UNIT)
        layout.addLayout(head)
        layout.addWidget(self.list)
        self.setMaximumHeight(180)
        self.hide()

    def offer(self, problems: Sequence[Problem]) -> None:
        """Replace the list; it closes when nothing is left."""
        self.list.clear()
        self.list.addItems([str(problem) for problem in problems])
        if not problems:
            self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            return
        super().keyPressEvent(event)
