"""Lines of text on paper: fonts, characters that no font has, wrapping.

Lengths are tenths of a point, so that fonts of whole pixels are exact and hinting has no say.
"""

import unicodedata
from functools import cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)

POINT = 10
"""Units of length in a point."""

FAMILIES = (
    "Noto Sans",
    "Liberation Sans",
    "Segoe UI",
    "Helvetica Neue",
    "Helvetica",
    "Arial",
    "Nimbus Sans",
    "DejaVu Sans",
)
LEADING = 1.32


class Type(NamedTuple):
    """A size in points, in regular or bold, and its colour."""

    size: float
    bold: bool = False
    colour: str = "#1B1F24"


@cache
def family() -> str:
    """The first of the families that this computer has."""
    known = {name.partition(" [")[0] for name in QFontDatabase.families()}
    return next((name for name in FAMILIES if name in known), QFont().defaultFamily())


@cache
def font(type_: Type) -> QFont:
    """The font of a type, without ligatures, whose letters a search would not find."""
    chosen = QFont(family())
    chosen.setPixelSize(round(type_.size * POINT))
    chosen.setBold(type_.bold)
    chosen.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    for feature in ("liga", "clig"):
        chosen.setFeature(QFont.Tag(feature), 0)
    return chosen


@cache
def metrics(type_: Type) -> QFontMetricsF:
    return QFontMetricsF(font(type_))


def advance(text: str, type_: Type) -> float:
    """The width of the text on one line."""
    return metrics(type_).horizontalAdvance(text)


def printable(text: str) -> str:
    """The text with what cannot be printed written out, so that nothing is lost.

    A character without a glyph on this computer, one beyond the first 65,536 (which the PDF would
    show but not let anybody copy) and a control character become [U+1F600].
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_written(character) for character in text)


@cache
def _written(character: str) -> str:
    if character in "\n\u2028" or " " <= character <= "~":
        return character
    category = unicodedata.category(character)
    shown = category in ("Cf", "Zs") or metrics(Type(10)).inFontUcs4(ord(character))
    if ord(character) > 0xFFFF or category in ("Cc", "Cs", "Co", "Cn") or not shown:
        return f"[U+{ord(character):04X}]"
    return character


def direction(text: str) -> Qt.LayoutDirection:
    """Right to left where most of its letters run so; one such name does not turn a sentence."""
    kinds = [unicodedata.bidirectional(c) for c in text if not c.isascii()]
    turned = sum(kind in ("R", "AL") for kind in kinds)
    if 2 * turned > sum(c.isalpha() for c in text):
        return Qt.LayoutDirection.RightToLeft
    return Qt.LayoutDirection.LeftToRight


class Lines:
    """A text set in a width. height: of all its lines; count: how many."""

    def __init__(
        self, text: str, type_: Type, width: float, *, right: bool = False, lead: str = ""
    ) -> None:
        """Parameters: lead, how the text begins in bold."""
        bold = printable(lead)
        whole = f"{bold} {printable(text)}" if lead else printable(text)
        self._type = type_
        self._layout = QTextLayout(whole.replace("\n", "\u2028"), font(type_))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        if right:
            option.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
        else:
            option.setTextDirection(direction(whole))
        self._layout.setTextOption(option)
        if lead:
            self._layout.setFormats([_bold(len(bold), type_)])
        self._step = type_.size * LEADING * POINT
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(max(width, POINT))
            _keep_unit_whole(line, self._layout.text(), max(width, POINT))
            above = self._step * self._layout.lineCount() - self._step
            line.setPosition(QPointF(0, above + (self._step - line.height()) / 2))
        self._layout.endLayout()
        self.count = max(self._layout.lineCount(), 1)
        self.height = self.count * self._step

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        """All the lines."""
        painter.setPen(QColor(self._type.colour))
        self._layout.draw(painter, QPointF(x, y))

    def paint_line(self, index: int, painter: QPainter, x: float, y: float) -> None:
        """One line, with its upper edge at y."""
        painter.setPen(QColor(self._type.colour))
        self._layout.lineAt(index).draw(painter, QPointF(x, y - index * self._step))

    @property
    def line_height(self) -> float:
        return self._step


def _keep_unit_whole(line: QTextLine, text: str, width: float) -> None:
    """End a line before a unit, as tok/s, that it would break behind the stroke."""
    start, end = line.textStart(), line.textStart() + line.textLength()
    unit = text.rfind(" ", start, end) + 1
    broken = text[end - 1 : end] == "/" and text[end : end + 1] == "s"
    if broken and start < unit and not text[end + 1 : end + 2].isalnum():
        line.setNumColumns(unit - start, width)


def _bold(length: int, type_: Type) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length = 0, length
    style = QTextCharFormat()
    style.setFont(font(type_._replace(bold=True)))
    found.format = style
    return found
