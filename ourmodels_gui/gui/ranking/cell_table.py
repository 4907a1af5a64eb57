"""A small table of words and figures with tones: rows are found, columns may change."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from ..cell_delegate import LEFT, RIGHT, Index, Shown
from ..cell_view import CellView
from ..elided import in_lines
from ..theme import SCROLL_PX, UNIT, colours, px, sized

MOST_PX, BOX_PX = 190, 20
Role = Qt.ItemDataRole


class Column(msgspec.Struct, frozen=True):
    """right: figures stand at the right. tone: of its heading."""

    title: str
    right: bool = False
    tone: str = ""


class CellModel(QAbstractTableModel):
    def __init__(self, view: "CellTable", ticked: Callable[[int], bool] | None = None) -> None:
        super().__init__(view)
        self._view, self.ticked = view, ticked
        self.columns: tuple[Column, ...] = ()
        self.rows: Sequence[Sequence[Shown]] = ()
        self.heads: list[str] = []

    def show(self, columns: Sequence[Column], rows: Sequence[Sequence[Shown]]) -> None:
        if tuple(columns) != self.columns or len(rows) != len(self.rows):
            self.beginResetModel()
            if tuple(columns) != self.columns:
                self.heads = []
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
            if cell.text in cell.hint:
                return cell.hint
            return "\n".join(filter(None, (cell.text, cell.hint)))  # it may be cut
        if role == Role.TextAlignmentRole:
            return self._side(index.column())
        if role == Role.CheckStateRole and self.ticked is not None and index.column() == 0:
            state = Qt.CheckState
            return state.Checked if self.ticked(index.row()) else state.Unchecked
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
        if role == Role.DisplayRole:
            return self.heads[section] if self.heads else column.title
        if role == Role.ToolTipRole:
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

    def __init__(
        self,
        name: str,
        parent: QWidget | None = None,
        *,
        head_lines: int = 1,
        most_px: tuple[int, int] = (MOST_PX, MOST_PX),
        ticked: Callable[[int], bool] | None = None,
    ) -> None:
        """head_lines: into how many lines a heading may be broken. most_px: the widest that the
        first column is, and any other. ticked: whether a row is marked; the first column then has
        boxes, and a click there marks."""
        super().__init__(parent)
        self._head_lines, self._most_px = head_lines, most_px
        self.cells = CellModel(self, ticked)
        self.setModel(self.cells)
        self.setAccessibleName(name)
        look_plain(self)
        self.paint_cells(self.cells, ticked)
        if ticked is not None:
            self.clicked.connect(self._tick)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setFont(sized("caption"))
        header.setHighlightSections(False)
        header.setStretchLastSection(head_lines == 1)
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
        many = self._head_lines > 1
        rooms = []
        for place, column in enumerate(self.cells.columns):
            texts = [row[place].text for row in self.cells.rows]
            most = px(self._most_px[min(place, 1)])
            room = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            room += px(BOX_PX) if place == 0 and self.cells.ticked is not None else 0
            words = column.title.split() if many else [column.title]
            head = max((small.horizontalAdvance(word) for word in words), default=0)
            rooms.append(min(max(min(room, most), head + UNIT), most))
        if many:  # columns of one kind are alike
            rooms[1:] = [max(rooms[1:], default=0)] * (len(rooms) - 1)
        for place, room in enumerate(rooms):
            self.setColumnWidth(place, room + 3 * UNIT)
        if many:
            self._break_heads(rooms, small)

    def _break_heads(self, rooms: Sequence[int], metrics: QFontMetrics) -> None:
        lines = [
            in_lines(column.title, metrics, room + UNIT, self._head_lines)
            for column, room in zip(self.cells.columns, rooms, strict=True)
        ]
        self.cells.heads = ["\n".join(each) for each in lines]
        high = metrics.lineSpacing() * max(map(len, lines), default=1)
        self.horizontalHeader().setFixedHeight(high + 2 * UNIT)

    @property
    def whole_px(self) -> int:
        """The width at which every column is seen."""
        columns = range(len(self.cells.columns))
        return sum(map(self.columnWidth, columns)) + SCROLL_PX

    def _tick(self, index: QModelIndex) -> None:
        if index.column() == 0:
            self.marked.emit(index.row())

    def show_ticks(self) -> None:
        """Paint the boxes anew."""
        rows = self.cells.rowCount()
        if rows:
            first, last = self.cells.index(0, 0), self.cells.index(rows - 1, 0)
            self.cells.dataChanged.emit(first, last)

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
