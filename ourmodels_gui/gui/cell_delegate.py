"""A cell of words or figures as it is shown, and its painting."""

from collections.abc import Callable
from math import ceil
from typing import Protocol

import msgspec
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPalette,
    QPixmap,
    QStaticText,
    QTransform,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from .theme import colours, sized

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
QUIET = 2
"""The place of the caption's font, behind the plain and the bold one."""
MOST_LAID_OUT = 1000
"""Texts that are kept, some screens full."""
ASCII = "".join(map(chr, range(32, 127)))
GROUPS = (QPalette.ColorGroup.Inactive, QPalette.ColorGroup.Active)
# As numbers: Python's flags take as long to be compared as a cell to be painted.
RIGHT_TOP = (Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop).value
SELECTED = QStyle.StateFlag.State_Selected.value
FOCUSED = QStyle.StateFlag.State_HasFocus.value
ACTIVE = QStyle.StateFlag.State_Active.value


class Shown(msgspec.Struct, frozen=True, gc=False):
    """tone: a role of the palette. quiet: in the caption size. hint: on hover."""

    text: str
    tone: str = "text"
    bold: bool = False
    hint: str = ""
    quiet: bool = False


class Cells(Protocol):
    """A model that says how its cells look."""

    def shown(self, row: int, column: int) -> Shown:
        """The cell at a place of the list."""

    def is_right(self, column: int) -> bool:
        """Whether the column stands at the right, as figures do."""


class CellDelegate(QStyledItemDelegate):
    """Paints cells as Qt does, in a fraction of the time: a table is painted anew at every edit.

    Qt asks the model seven times for each cell, lays out a paragraph and draws boxes from their
    style. Here words and boxes are laid out once and kept. The cell in use, which has a frame, is
    left to Qt.
    """

    def __init__(
        self, cells: Cells, view: QTableView, ticked: Callable[[int], bool] | None = None
    ) -> None:
        """ticked: whether the box of a row is; None where the first column has no boxes."""
        super().__init__(view)
        self._cells, self._view, self._ticked = cells, view, ticked
        self._fonts = (sized("text"), sized("text", bold=True), sized("caption"))
        self._metrics = tuple(map(QFontMetrics, self._fonts))
        self._widest_px = [max(map(each.horizontalAdvance, ASCII)) for each in self._metrics]
        self._heights_px = [ceil(QFontMetricsF(font).height()) for font in self._fonts]
        style, metric = view.style(), QStyle.PixelMetric
        self._margin = style.pixelMetric(metric.PM_FocusFrameHMargin, None, view) + 1
        self._box_px = style.pixelMetric(metric.PM_IndicatorWidth, None, view)
        self._look: tuple[int, float] = (0, 0.0)
        self._pens: dict[str, QColor] = {}
        self._boxes: dict[bool, QPixmap] = {}
        self._laid_out: dict[tuple[str, int, int], QStaticText] = {}
        self._painted: dict[tuple[int, int], tuple[Shown, bool]] = {}

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        state, rect = option.state.value, option.rect
        row, column = index.row(), index.column()
        cell, ticked = self._painted[row, column] = self._looks(row, column)
        if state & FOCUSED:
            super().paint(painter, option, index)
            return
        look = (option.palette.cacheKey(), self._view.devicePixelRatioF())
        if look != self._look:
            self._look, self._pens, self._boxes = look, {}, {}
        if state & SELECTED:
            group = GROUPS[bool(state & ACTIVE)]
            painter.fillRect(rect, option.palette.brush(group, QPalette.ColorRole.Highlight))
            pen = option.palette.color(group, QPalette.ColorRole.HighlightedText)
        else:
            pen = self._pen(cell.tone)
        left, right, top = rect.x() + self._margin, rect.right() - self._margin, rect.y()
        if self._has_box(column):
            above = (rect.height() - self._box_px) // 2
            painter.drawPixmap(left - 1, top + above - 1, self._box(option, ticked))
            left += self._box_px + 2 * self._margin
        painter.setPen(pen)
        face = QUIET if cell.quiet else int(cell.bold)
        if painter.font() != self._fonts[face]:
            painter.setFont(self._fonts[face])  # looks for the font anew, so only if need be
        high = self._heights_px[face]
        room = QRect(left, top + (rect.height() - high) // 2, right - left + 1, high)
        self._write(painter, room, cell.text, face, is_right=self._cells.is_right(column))

    def changed(self, first: int, end: int) -> dict[int, list[int]]:
        """The cells of some rows that look otherwise than they were painted: columns by row.

        Parameters: the first row in sight, and the one after the last; others are painted when they
        come into sight.
        """
        changed: dict[int, list[int]] = {}
        for (row, column), before in list(self._painted.items()):
            if not first <= row < end:
                del self._painted[row, column]
            elif self._looks(row, column) != before:
                changed.setdefault(row, []).append(column)
        return changed

    def forget(self) -> None:
        """Nothing is painted yet."""
        self._painted.clear()

    def _looks(self, row: int, column: int) -> tuple[Shown, bool]:
        """A cell, and whether its box is ticked."""
        ticked = self._ticked
        return self._cells.shown(row, column), bool(
            column == 0 and ticked is not None and ticked(row)
        )

    def _has_box(self, column: int) -> bool:
        return column == 0 and self._ticked is not None

    def _write(
        self, painter: QPainter, room: QRect, text: str, face: int, *, is_right: bool
    ) -> None:
        wide = room.width()
        if is_right and text.isascii() and len(text) * self._widest_px[face] <= wide:
            painter.drawText(room, RIGHT_TOP, text)  # a figure, which will be another
            return
        words = self._words(text, face, wide)
        left = room.x() + (wide - words.size().width() if is_right else 0.0)
        painter.drawStaticText(QPointF(left, room.y()), words)

    def _words(self, text: str, face: int, room_px: int) -> QStaticText:
        """The text laid out, elided where it has no room."""
        key = (text, face, room_px)
        if key not in self._laid_out:
            if len(self._laid_out) >= MOST_LAID_OUT:
                self._laid_out.clear()
            cut = self._metrics[face].elidedText(text, Qt.TextElideMode.ElideRight, room_px)
            words = self._laid_out[key] = QStaticText(cut)
            words.setTextFormat(Qt.TextFormat.PlainText)
            words.prepare(QTransform(), self._fonts[face])
        return self._laid_out[key]

    def _pen(self, tone: str) -> QColor:
        if tone not in self._pens:
            self._pens[tone] = QColor(getattr(colours(self._view), tone))
        return self._pens[tone]

    def _box(self, option: QStyleOptionViewItem, ticked: bool) -> QPixmap:
        """The picture of a box, with a pixel around for its outline."""
        if ticked not in self._boxes:
            ratio, flag = self._look[1], QStyle.StateFlag
            picture = QPixmap(QSize(self._box_px + 2, self._box_px + 2) * ratio)
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            box = QStyleOptionViewItem(option)
            box.rect = QRect(1, 1, self._box_px, self._box_px)
            box.state = flag.State_Enabled | (flag.State_On if ticked else flag.State_Off)
            painter = QPainter(picture)
            kind = QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck
            self._view.style().drawPrimitive(kind, box, painter, self._view)
            painter.end()
            self._boxes[ticked] = picture
        return self._boxes[ticked]
