"""A cell of words or figures as it is shown, and its painting."""

from collections.abc import Callable
from math import ceil
from typing import Protocol

import msgspec
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from .theme import colours, sized

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ASCII = "".join(map(chr, range(32, 127)))
GROUPS = (QPalette.ColorGroup.Inactive, QPalette.ColorGroup.Active)
# As numbers: Python's flags take as long to be compared as a cell to be painted.
RIGHT_TOP = (Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop).value
LEFT_TOP = (Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop).value
SELECTED = QStyle.StateFlag.State_Selected.value
FOCUSED = QStyle.StateFlag.State_HasFocus.value
ACTIVE = QStyle.StateFlag.State_Active.value


class Shown(msgspec.Struct, frozen=True):
    """tone: a role of the palette. hint: on hover."""

    text: str
    tone: str = "text"
    bold: bool = False
    hint: str = ""


class Cells(Protocol):
    """A model that says how its cells look."""

    def shown(self, row: int, column: int) -> Shown:
        """The cell at a place of the list."""

    def is_right(self, column: int) -> bool:
        """Whether the column stands at the right, as figures do."""


class CellDelegate(QStyledItemDelegate):
    """Paints cells as Qt does, in a fraction of the time: a table is painted anew at every edit.

    Qt asks the model seven times for each cell and lays out a paragraph. The cell in use, which has
    a frame, is left to it.
    """

    def __init__(
        self, cells: Cells, view: QTableView, ticked: Callable[[int], bool] | None = None
    ) -> None:
        """ticked: whether the box of a row is; None where the first column has no boxes."""
        super().__init__(view)
        self._cells, self._view, self._ticked = cells, view, ticked
        self._fonts = tuple(sized("text", bold=bold) for bold in (False, True))
        self._metrics = tuple(map(QFontMetrics, self._fonts))
        self._widest_px = [max(map(each.horizontalAdvance, ASCII)) for each in self._metrics]
        self._height_px = ceil(QFontMetricsF(self._fonts[0]).height())
        style, metric = view.style(), QStyle.PixelMetric
        self._margin = style.pixelMetric(metric.PM_FocusFrameHMargin, None, view) + 1
        self._box_px = style.pixelMetric(metric.PM_IndicatorWidth, None, view)
        self._pens: dict[str, QColor] = {}
        self._pens_of = 0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        state, rect = option.state.value, option.rect
        if state & FOCUSED:
            super().paint(painter, option, index)
            return
        row, column = index.row(), index.column()
        cell = self._cells.shown(row, column)
        if state & SELECTED:
            group = GROUPS[bool(state & ACTIVE)]
            painter.fillRect(rect, option.palette.brush(group, QPalette.ColorRole.Highlight))
            pen = option.palette.color(group, QPalette.ColorRole.HighlightedText)
        else:
            pen = self._pen(cell.tone, option.palette.cacheKey())
        left = self._margin
        if column == 0 and self._ticked is not None:
            self._paint_box(painter, option, self._ticked(row))
            left += self._box_px + 2 * self._margin
        painter.setPen(pen)
        font = self._fonts[cell.bold]
        if painter.font().weight() != font.weight():  # each setFont looks for the font anew
            painter.setFont(font)
        above = (rect.height() - self._height_px) // 2
        room = rect.adjusted(left, above, -self._margin, 0)
        side = RIGHT_TOP if self._cells.is_right(column) else LEFT_TOP
        painter.drawText(room, side, self._cut(cell, room.width()))

    def _paint_box(self, painter: QPainter, option: QStyleOptionViewItem, ticked: bool) -> None:
        box, flag, rect = QStyleOptionViewItem(option), QStyle.StateFlag, option.rect
        above = (rect.height() - self._box_px) // 2
        box.rect = QRect(rect.x() + self._margin, rect.y() + above, self._box_px, self._box_px)
        box.state |= flag.State_On if ticked else flag.State_Off
        kind = QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck
        self._view.style().drawPrimitive(kind, box, painter, self._view)

    def _pen(self, tone: str, palette: int) -> QColor:
        """The colour of a tone, while the view has the palette of that key."""
        if palette != self._pens_of:
            self._pens, self._pens_of = {}, palette
        if tone not in self._pens:
            self._pens[tone] = QColor(getattr(colours(self._view), tone))
        return self._pens[tone]

    def _cut(self, cell: Shown, room_px: int) -> str:
        """The text, elided where it has no room; measuring costs as much as painting."""
        text = cell.text
        if text.isascii() and len(text) * self._widest_px[cell.bold] <= room_px:
            return text
        metrics = self._metrics[cell.bold]
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, room_px)
