"""A table on paper: widths of its columns, its head, its rows."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from ...report.shapes import Table
from .lettering import POINT, Lines, Type, advance, printable

CELL, STRONG, HEAD = Type(8), Type(8, bold=True), Type(7.5, bold=True, colour="#57606A")
GAP, PAD = 7 * POINT, 2.2 * POINT
RULE, HAIR, BAND = "#57606A", "#D0D7DE", "#F1F3F5"
WIDEST_WORD = 0.3
"""Of the table: a longer word is cut."""
SHORT_FIGURE = 72 * POINT
"""A figure with its unit that is no wider is not cut."""
LOOSEST = 0.3
"""Of the table, at most, is left empty; a table that needs less paper is narrower."""


class RowOnPaper:
    """Cells side by side with a line below."""

    def __init__(
        self,
        cells: Sequence[Lines],
        places: Sequence[float],
        width: float,
        *,
        band: bool,
        rule: str,
    ) -> None:
        self._cells = cells
        self._places = places
        self._width = width
        self._band = band
        self._rule = rule
        self.height = max(cell.height for cell in cells) + 2 * PAD

    def paint(self, painter: QPainter, x: float, y: float) -> None:
        if self._band:
            painter.fillRect(QRectF(x, y, self._width, self.height), QColor(BAND))
        for cell, place in zip(self._cells, self._places, strict=True):
            cell.paint(painter, x + place, y + PAD)
        thick = (0.8 if self._rule == RULE else 0.4) * POINT
        line = QRectF(x, y + self.height - thick, self._width, thick)
        painter.fillRect(line, QColor(self._rule))


def table_pieces(table: Table, width: float) -> tuple[RowOnPaper, list[RowOnPaper]]:
    """The head of a table and its rows, in the width."""
    gaps = GAP * (len(table.columns) - 1)
    widths = column_widths(table, width - gaps)
    width = sum(widths) + gaps
    places = [sum(widths[:place]) + GAP * place for place in range(len(widths))]

    def row(
        texts: Sequence[str], type_: Type, *, band: bool = False, rule: str = HAIR
    ) -> RowOnPaper:
        cells = [
            Lines(text, type_, wide, right=column.numeric)
            for text, wide, column in zip(texts, widths, table.columns, strict=True)
        ]
        return RowOnPaper(cells, places, width, band=band, rule=rule)

    head = row([column.title for column in table.columns], HEAD, rule=RULE)
    rows = [
        row(texts, STRONG if place in table.strong else CELL, band=place in table.strong)
        for place, texts in enumerate(table.rows)
    ]
    return head, rows


def column_widths(table: Table, width: float) -> list[float]:
    """Widths within `width`: every word whole where it can be, then room for whole texts.

    What is left over goes to the columns by their weight.
    """
    least, natural = [], []
    for place, column in enumerate(table.columns):
        lines = [advance(line, HEAD) for line in printable(column.title).split("\n")]
        words = [advance(word, HEAD) for word in printable(column.title).split()]
        for row, texts in enumerate(table.rows):
            type_ = STRONG if row in table.strong else CELL
            for line in printable(texts[place]).split("\n"):
                lines.append(advance(line, type_))
                words += [advance(word, type_) for word in line.split()]
        if column.numeric:  # figure and unit stay together
            words += [wide for wide in lines if wide < SHORT_FIGURE]
        widest = min(max(words, default=0.0), WIDEST_WORD * width) + 0.2 * POINT
        least.append(widest)
        natural.append(max(widest, max(lines) + 0.2 * POINT))
    spare = min(width - sum(natural), LOOSEST * width)
    if spare >= 0:
        return _shared(natural, spare, [column.weight for column in table.columns])
    spare = width - sum(least)
    if spare >= 0:
        return _shared(least, spare, [n - m for n, m in zip(natural, least, strict=True)])
    return _levelled(least, width)


def _levelled(sizes: Sequence[float], width: float) -> list[float]:
    """The largest cut to one size, so that the smaller ones keep theirs and all fit the width."""
    order = sorted(sizes)
    left = width
    for place, size in enumerate(order):
        share = left / (len(order) - place)
        if size >= share:
            return [min(other, share) for other in sizes]
        left -= size
    return list(sizes)


def _shared(sizes: Sequence[float], spare: float, weights: Sequence[float]) -> list[float]:
    whole = sum(weights) or 1.0
    return [size + spare * weight / whole for size, weight in zip(sizes, weights, strict=True)]
