"""Rows of a list that can be searched: their words, their model, and how they are painted."""

import re
from collections.abc import Callable, Sequence

import msgspec
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from .theme import UNIT, colours, sized

Index = QModelIndex | QPersistentModelIndex


class Row(msgspec.Struct, frozen=True):
    """One thing to choose.

    figures stand in columns at the right; summary: the same with their units, where the columns
    leave them out. search: what it is found by.
    """

    id: str
    name: str
    figures: tuple[str, ...]
    search: str
    tip: str = ""
    yours: bool = False
    summary: str = ""

    def words(self) -> str:
        """The row in one line."""
        return " · ".join((self.name, self.summary or " · ".join(self.figures)))


def matching(rows: Sequence[Row], text: str) -> list[Row]:
    """Rows in which every word of `text` occurs; those where each begins a word come first.

    A number is found as a whole from its first digit: "7b" is not "27b".

    >>> rows = [Row("a", "Model 27B", (), "model 27b"), Row("b", "Model 7B", (), "model 7b")]
    >>> [row.id for row in matching(rows, "7B")]
    ['b']
    """
    tokens = text.casefold().split()
    if not tokens:
        return list(rows)
    inside = [_pattern(token, r"(?<![\d.])" if token[0].isdigit() else "") for token in tokens]
    starts = [_pattern(token, r"(?<![\w.])") for token in tokens]
    found = [row for row in rows if all(word.search(row.search) for word in inside)]
    return sorted(found, key=lambda row: not all(word.search(row.search) for word in starts))


def _pattern(token: str, before: str) -> re.Pattern[str]:
    return re.compile(before + re.escape(token))


class RowModel(QAbstractListModel):
    """The rows that match the search, in order."""

    RowRole = Qt.ItemDataRole.UserRole

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[Row, ...] = ()
        self._shown: list[Row] = []
        self._text = ""

    def offer(self, rows: Sequence[Row]) -> None:
        self._all = tuple(rows)
        self._refresh()

    def search(self, text: str) -> None:
        if text.split() != self._text.split():
            self._text = text
            self._refresh()

    def _refresh(self) -> None:
        self.beginResetModel()
        self._shown = matching(self._all, self._text)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.words()
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip or row.name
        return row if role == self.RowRole else None

    def index_of(self, row_id: str) -> QModelIndex:
        """Where a row is shown, or an invalid index."""
        for number, row in enumerate(self._shown):
            if row.id == row_id:
                return self.index(number)
        return QModelIndex()

    @property
    def total(self) -> int:
        return len(self._all)


class RowDelegate(QStyledItemDelegate):
    """Paints a row: mark of the chosen one, name, badge of the user's own, figures in columns."""

    MARK_PX = 18

    def __init__(
        self, columns: Sequence[str], parent: QWidget, searching: Callable[[], bool]
    ) -> None:
        super().__init__(parent)
        self._view = parent
        self._searching = searching
        self._font = sized("text")
        self._badge_font = sized("caption")
        metrics = parent.fontMetrics()
        self._widths = [metrics.horizontalAdvance(sample) + 2 * UNIT for sample in columns]
        self.chosen = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, option.fontMetrics.height() + 2 * UNIT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(RowModel.RowRole)
        palette = colours(self._view)
        chosen = row.id == self.chosen
        rect = option.rect
        painter.save()
        painter.setFont(self._font)
        if option.state & QStyle.StateFlag.State_Selected:
            tint = QColor(palette.accent)
            tint.setAlpha(48 if self._view.hasFocus() or self._searching() else 26)
            painter.fillRect(rect, tint)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            tint = QColor(palette.accent)
            tint.setAlpha(16)
            painter.fillRect(rect, tint)
        middle = Qt.AlignmentFlag.AlignVCenter
        if chosen:
            painter.setPen(QColor(palette.accent))
            mark = QRect(rect.left(), rect.top(), self.MARK_PX, rect.height())
            painter.drawText(mark, middle | Qt.AlignmentFlag.AlignHCenter, "\u2713")
        right = rect.right() - UNIT
        painter.setPen(QColor(palette.text if chosen else palette.muted))
        for width, text in zip(reversed(self._widths), reversed(row.figures), strict=True):
            cell = QRect(right - width, rect.top(), width, rect.height())
            painter.drawText(cell, middle | Qt.AlignmentFlag.AlignRight, text)
            right -= width
        left = rect.left() + self.MARK_PX
        if row.yours:
            right -= self._paint_badge(painter, rect, right) + UNIT
        painter.setFont(self._font)
        painter.setPen(QColor(palette.accent if chosen else palette.text))
        room = QRect(left, rect.top(), max(right - left - UNIT, 0), rect.height())
        elided = painter.fontMetrics().elidedText(
            row.name, Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, middle, elided)
        painter.restore()

    def _paint_badge(self, painter: QPainter, rect: QRect, right: int) -> int:
        words = self.tr("yours")
        painter.setFont(self._badge_font)
        width = painter.fontMetrics().horizontalAdvance(words) + 2 * UNIT
        height = painter.fontMetrics().height() + 2
        badge = QRect(right - width, rect.center().y() - height // 2, width, height)
        painter.setPen(QColor(colours(self._view).accent))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawRoundedRect(badge, 3, 3)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, words)
        return width
