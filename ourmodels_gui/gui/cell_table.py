"""A small table of words and figures with tones: rows are found, columns may change."""

from collections.abc import Sequence
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from .cell_delegate import LEFT, RIGHT, Index, Shown
from .cell_view import CellView
from .theme import UNIT, colours, px, sized

MOST_PX = 190
Role = Qt.ItemDataRole


class Column(msgspec.Struct, frozen=True):
    """right: figures stand at the right. tone: of its heading."""

    title: str
    right: bool = False
    tone: str = ""


class CellModel(QAbstractTableModel):
    def __init__(self, view: "CellTable") -> None:
        super().__init__(view)
        self._view = view
        self.columns: tuple[Column, ...] = ()
        self.rows: Sequence[Sequence[Shown]] = ()

    def show(self, columns: Sequence[Column], rows: Sequence[Sequence[Shown]]) -> None:
        if tuple(columns) != self.columns or len(rows) != len(self.rows):
            self.beginResetModel()
            self.columns, self.rows = tuple(columns), rows
            self.endResetModel()
            return
        self.rows = rows
        if rows:
            last = self.index(len(self.rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def shown(self, row: int, column: int) -> Shown:
        return self.rows[row][column]

    def is_right(self, column: int) -> bool:
        return self.columns[column].right

    def _side(self, column: int) -> Qt.AlignmentFlag:
        return RIGHT if self.is_right(column) else LEFT

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        cell = self.shown(index.row(), index.column())
        if role == Role.DisplayRole:
            return cell.text
        if role == Role.ToolTipRole:
            return cell.hint or cell.text
        if role == Role.TextAlignmentRole:
            return self._side(index.column())
        if role == Role.FontRole:
            return sized("text", bold=True) if cell.bold else None
        if role == Role.ForegroundRole:
            return QColor(getattr(colours(self._view), cell.tone))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return column.title
        if role == Role.TextAlignmentRole:
            return self._side(section)
        if role == Role.ForegroundRole and column.tone:
            return QColor(getattr(colours(self._view), column.tone))
        return None


def look_plain(table: QTableView) -> None:
    """How every table of rows looks: whole rows chosen, no frame and no grid, one line a row."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setFrameShape(table.Shape.NoFrame)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setTabKeyNavigation(False)
    table.setWordWrap(False)
    table.setFont(sized("text"))
    table.verticalHeader().hide()
    height = QFontMetrics(sized("text", bold=True)).height() + 2 * UNIT
    table.verticalHeader().setDefaultSectionSize(height)


class CellTable(CellView):
    """Enter or a double click opens a row, Space marks it. opened, marked: places of rows."""

    opened = Signal(int)
    marked = Signal(int)
    copied = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cells = CellModel(self)
        self.setModel(self.cells)
        self.setAccessibleName(name)
        look_plain(self)
        self.paint_cells(self.cells)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setFont(sized("caption"))
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))

    def present(self, columns: Sequence[Column], rows: Sequence[Sequence[Shown]]) -> None:
        """Show the rows; the one in use stays in use by its place."""
        same = tuple(columns) == self.cells.columns
        place, scrolled = self.currentIndex(), self.verticalScrollBar().value()
        row, column = place.row(), place.column()
        self.cells.show(columns, rows)
        if not same:
            self._fit()
        if 0 <= row < len(rows):
            self.setCurrentIndex(self.cells.index(row, max(column, 0)))
        self.verticalScrollBar().setValue(scrolled)

    def _fit(self) -> None:
        """Give every column the room of its longest text."""
        metrics = QFontMetrics(sized("text", bold=True))
        small = QFontMetrics(sized("caption"))
        most = px(MOST_PX)
        for place, column in enumerate(self.cells.columns):
            texts = [row[place].text for row in self.cells.rows]
            room = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            room = max(min(room, most), small.horizontalAdvance(column.title) + UNIT)
            self.setColumnWidth(place, min(room, most) + 3 * UNIT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        row = self.currentIndex().row()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        elif event.key() in (keys.Key_Return, keys.Key_Enter) and row >= 0:
            self.opened.emit(row)
        elif event.key() == keys.Key_Space and row >= 0:
            self.marked.emit(row)
        else:
            super().keyPressEvent(event)
