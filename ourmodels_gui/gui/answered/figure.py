"""The large figure of a card."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from ...language import tr
from ...summary import Row
from ..elided import in_lines
from ..tabs.derivation import open_working, shown_exactly
from ..theme import UNIT, colours, sized


class Figure(QAbstractButton):
    """A large figure with its unit in muted text behind it; it shrinks where it would be cut.

    Pressed, it opens its working. Without a figure, the same room holds up to two lines of words.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figure, self._unit, self._words = "", "", ""
        self._row: Row | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(self._open)

    def say(self, figure: str, unit: str, words: str, working: Row | None) -> None:
        """words: what stands there where the figure is "". working: its row in the ledger."""
        self._figure, self._unit, self._words, self._row = figure, unit, words, working
        self.setAccessibleName(f"{figure} {unit}".strip() or words)
        opens = working is not None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if opens else Qt.FocusPolicy.NoFocus)
        shape = Qt.CursorShape.PointingHandCursor if opens else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        exactly = f"{shown_exactly(working)}: " if working is not None else ""
        hint = tr("{exactly}show the working").format(exactly=exactly)
        self.setToolTip(hint if opens else words)
        self.setAccessibleDescription(hint if opens else "")
        self.update()

    def _open(self) -> None:
        if self._row is not None:
            open_working(self._row, self)

    def sizeHint(self) -> QSize:
        return QSize(80, QFontMetrics(sized("figure")).height())

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.sizeHint().height())

    def _fitting(self) -> QFont:
        """As large as leaves room for the unit, or at least for the figure."""
        unit_px = UNIT + QFontMetrics(sized("text")).horizontalAdvance(self._unit)
        most, least = sized("figure").pixelSize(), sized("text").pixelSize()
        for room, smallest in ((self.width() - unit_px, 3 * most // 4), (self.width(), least)):
            for size in range(most, smallest - 1, -1):
                font = sized("figure")
                font.setPixelSize(size)
                if QFontMetrics(font).horizontalAdvance(self._figure) <= room:
                    return font
        return font

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = colours(self)
        painter = QPainter(self)
        font, small = self._fitting(), sized("text")
        if not self._figure:
            painter.setFont(sized("caption"))
            painter.setPen(QColor(palette.muted))
            lines = in_lines(self._words, painter.fontMetrics(), self.width(), 2)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, "\n".join(lines))
            return
        baseline = (self.height() + QFontMetrics(sized("figure")).capHeight()) // 2
        painter.setFont(font)
        marked = self._row is not None and (self.underMouse() or self.hasFocus())
        painter.setPen(QColor(palette.accent if marked else palette.text))
        painter.drawText(0, baseline, self._figure)
        if marked:
            end = QFontMetrics(font).horizontalAdvance(self._figure)
            painter.drawLine(0, baseline + 3, end, baseline + 3)
        x = QFontMetrics(font).horizontalAdvance(self._figure) + UNIT
        painter.setFont(small)
        painter.setPen(QColor(palette.muted))
        room = self.width() - x
        painter.drawText(x, baseline, "".join(in_lines(self._unit, QFontMetrics(small), room, 1)))
