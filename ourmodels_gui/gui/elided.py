"""Words that are cut where the room ends, whole on hover."""

from bisect import bisect_right

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from .theme import UNIT


def in_lines(words: str, metrics: QFontMetrics, width: int, count: int) -> list[str]:
    """The words broken into at most `count` lines, the last one cut where the room ends."""
    lines: list[str] = []
    rest = words.split()

    def room_px(many: int) -> int:
        return metrics.horizontalAdvance(" ".join(rest[:many]))

    while rest:
        # Qt cuts some words that just fit: it adds up fractions, and an advance is a whole number.
        if room_px(len(rest)) <= width:
            return [*lines, " ".join(rest)]
        many = len(rest)
        if len(lines) < count - 1:
            many = max(bisect_right(range(1, many), width, key=room_px), 1)
        line = " ".join(rest[:many])
        if many == len(rest) or room_px(many) > width:
            line = metrics.elidedText(line, Qt.TextElideMode.ElideRight, width)
        lines.append(line)
        rest = rest[many:]
    return lines


class ElidedLabel(QLabel):
    """A few lines of words that are cut where the room ends; the whole is on hover."""

    def __init__(self, parent: QWidget | None = None, *, lines: int = 1) -> None:
        super().__init__(parent)
        self._whole, self._hint, self._lines = "", "", lines
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)

    def say(self, words: str, hint: str = "") -> None:
        if (words, hint) == (self._whole, self._hint):
            return
        self._whole, self._hint = words, hint
        self.setAccessibleName(words)
        self._cut()

    @property
    def whole_px(self) -> int:
        """The width at which one line has room for all of the words."""
        return self.fontMetrics().horizontalAdvance(self._whole)

    def set_lines(self, lines: int) -> None:
        """Have room for so many lines."""
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()
            self._cut()

    def _cut(self) -> None:
        lines = in_lines(self._whole, self.fontMetrics(), max(self.width(), 1), self._lines)
        self.setText("\n".join(lines))
        cut = "" if " ".join(lines) == " ".join(self._whole.split()) else self._whole
        self.setToolTip("\n".join(part for part in (cut, self._hint) if part))

    def sizeHint(self) -> QSize:
        return QSize(80, self._lines * self.fontMetrics().lineSpacing() + UNIT // 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(20, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != self.width():
            self._cut()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._cut()
