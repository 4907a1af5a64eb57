"""The list of a picker: which rows are shown, and how each is painted."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ...language import tr
from ..basis_mark import MARK_PX as BASIS_PX
from ..basis_mark import paint_basis
from ..theme import UNIT, colours, px, sized
from .search import Chosen, Row, matching, narrowed

Index = QModelIndex | QPersistentModelIndex
LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
# As numbers, as in `cell_delegate`.
SELECTED = QStyle.StateFlag.State_Selected.value
UNDER_MOUSE = QStyle.StateFlag.State_MouseOver.value


class RowModel(QAbstractListModel):
    """The rows that the search and the facets leave, in order."""

    RowRole = Qt.ItemDataRole.UserRole

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()
        self.chosen: Chosen = {}
        self.text = ""
        self._shown: list[Row] = []

    def offer(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)
        self._refresh()

    def search(self, text: str) -> None:
        if text.split() != self.text.split():
            self.text = text
            self._refresh()

    def narrow(self, chosen: Chosen) -> None:
        """Keep the rows that have the chosen values."""
        self.chosen = chosen
        self._refresh()

    def _refresh(self) -> None:
        self.beginResetModel()
        self._shown = narrowed(matching(self.rows, self.text), self.chosen)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.spoken()
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
        return len(self.rows)


class RowList(QListView):
    """Keeps the current row in sight when the list is made smaller."""

    def bring(self, index: QModelIndex) -> None:
        """Bring a row into the middle, unless it is in sight already."""
        if index.isValid() and not self.viewport().rect().contains(self.visualRect(index)):
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.bring(self.currentIndex())


class RowDelegate(QStyledItemDelegate):
    """Paints a row: mark of the chosen one, name, badge, basis of its figures, figures."""

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
        self._mark_px, self._basis_px = px(self.MARK_PX), px(BASIS_PX)
        self.chosen = ""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, option.fontMetrics.height() + 2 * UNIT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: Row = index.data(RowModel.RowRole)
        palette = colours(self._view)
        chosen = row.id == self.chosen
        rect, state = option.rect, option.state.value
        painter.save()
        painter.setFont(self._font)
        if state & SELECTED:
            tint = QColor(palette.accent)
            tint.setAlpha(48 if self._view.hasFocus() or self._searching() else 26)
            painter.fillRect(rect, tint)
        elif state & UNDER_MOUSE:
            tint = QColor(palette.accent)
            tint.setAlpha(16)
            painter.fillRect(rect, tint)
        if chosen:
            painter.setPen(QColor(palette.accent))
            mark = QRect(rect.left(), rect.top(), self._mark_px, rect.height())
            painter.drawText(mark, Qt.AlignmentFlag.AlignCenter, "\u2713")
        right = rect.right() - UNIT
        painter.setPen(QColor(palette.text if chosen else palette.muted))
        for width, text in zip(reversed(self._widths), reversed(row.figures), strict=True):
            cell = QRect(right - width, rect.top(), width, rect.height())
            painter.drawText(cell, RIGHT, text)
            right -= width
        if row.basis:
            right -= self._basis_px
            place = QRect(right, rect.top(), self._basis_px, rect.height())
            paint_basis(painter, place, row.basis, palette)
        left = rect.left() + self._mark_px
        for words in filter(None, (tr("yours") if row.yours else "", row.badge)):
            right -= self._paint_badge(painter, rect, right - UNIT, words) + UNIT
        painter.setFont(self._font)
        painter.setPen(QColor(palette.accent if chosen else palette.text))
        room = QRect(left, rect.top(), max(right - left - UNIT, 0), rect.height())
        metrics = painter.fontMetrics()
        name = row.name
        if row.short and metrics.horizontalAdvance(name) > room.width():
            name = row.short  # what it leaves out stands in the figures
        painter.drawText(
            room, LEFT, metrics.elidedText(name, Qt.TextElideMode.ElideRight, room.width())
        )
        painter.restore()

    def _paint_badge(self, painter: QPainter, rect: QRect, right: int, words: str) -> int:
        painter.setFont(self._badge_font)
        width = painter.fontMetrics().horizontalAdvance(words) + 2 * UNIT
        height = painter.fontMetrics().height() + 2
        badge = QRect(right - width, rect.center().y() - height // 2, width, height)
        painter.setPen(QColor(colours(self._view).accent))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawRoundedRect(badge, 3, 3)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, words)
        return width
