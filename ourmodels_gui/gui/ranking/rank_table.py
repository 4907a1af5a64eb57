"""The list of the ranking: one painted row for each pair, however many there are."""

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from ...language import tr
from ...ranking.columns import BY_ID
from ..captions import message, say
from ..cell_view import CellView
from ..theme import UNIT, colours, px, sized
from .cell_table import look_plain
from .rank_header import RankHeader
from .rank_model import RankModel, heading

WIDTHS = {
    "machine": "GeForce RTX 4090 Laptop",
    "model": "Qwen3-Coder-30B-A3B",
    "weights": "iq2_xxs 00",
    "verdict": "✗ 123.4 GB miss",
}
FIGURE = "100,000"
MORE_PX = {"machine": 110, "model": 110, "verdict": 200}
"""So much of what is left over goes to a column of words before all take their part."""


class RankTable(CellView):
    """Enter or a double click opens a pair, Space marks it, F2 types a price, S sorts by the
    column in use, F goes to its field.

    opened, marked: a row of the table. sorted: a column and whether descending.
    """

    opened = Signal(int)
    marked = Signal(int)
    sorted = Signal(str, bool)
    copied = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least_px: dict[str, int] = {}
        self._words = message(self)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.rows = RankModel(self)
        self.setModel(self.rows)
        self.head = RankHeader(self)
        self.setHorizontalHeader(self.head)
        self.setAccessibleName(tr("Ranking"))
        self.setAccessibleDescription(
            tr(
                "Enter opens a row, Space marks it for comparison, S sorts by the column, "
                "F narrows it, F2 types a price"
            )
        )
        look_plain(self)
        self.paint_cells(self.rows, self.rows.is_ticked)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.verticalHeader().setSectionResizeMode(self.head.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(self.verticalHeader().defaultSectionSize())
        self.rows.palette = colours(self)
        self.rows.marked.connect(self.marked)
        self.head.sectionClicked.connect(lambda place: self.sort_by(self.rows.columns[place]))
        self.head.left.connect(self._take_focus)
        self.doubleClicked.connect(self._open)

    @property
    def column(self) -> str:
        """The column of the cell in use, "" without one."""
        place = self.currentIndex().column()
        return self.rows.columns[place] if 0 <= place < len(self.rows.columns) else ""

    @property
    def row(self) -> int | None:
        """The row of the table in use."""
        return self.rows.row_at(self.currentIndex().row())

    def chosen(self) -> list[int]:
        """The selected rows of the table, in the order of the list."""
        places = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [row for place in places if (row := self.rows.row_at(place)) is not None]

    def show_order(self, column: str, descending: bool) -> None:
        """Point the arrow in the title of the column."""
        if (column, descending) != self.rows.sorted_by:
            self.rows.sorted_by = (column, descending)
            last = max(len(self.rows.columns) - 1, 0)
            self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def keep(self, row: int | None) -> None:
        """Leave the cursor on a row of the table, wherever that stands now, without scrolling."""
        place = None if row is None else self.rows.place_of(row)
        if place is None or place == self.currentIndex().row():
            return
        self.setAutoScroll(False)
        column = max(self.currentIndex().column(), 0)
        self.selectionModel().setCurrentIndex(
            self.rows.index(place, column),
            self.selectionModel().SelectionFlag.ClearAndSelect
            | self.selectionModel().SelectionFlag.Rows,
        )
        self.setAutoScroll(True)

    def fit_columns(self) -> None:
        """Give each column the room of its longest text; widths stay while rows move."""
        metrics = QFontMetrics(sized("text", bold=True))
        small = QFontMetrics(self.head.font())
        for place, column in enumerate(self.rows.columns):
            words = WIDTHS.get(column, FIGURE)
            title = heading(column, self.rows.table)
            lines = title.split(", ")
            lines[0] += " ▼"
            room = max(
                metrics.horizontalAdvance(words), *(small.horizontalAdvance(line) for line in lines)
            )
            self.setColumnWidth(place, room + (6 if place == 0 else 3) * UNIT)
        self._least_px = {
            column: self.columnWidth(place) for place, column in enumerate(self.rows.columns)
        }
        self._spread()

    def _spread(self) -> None:
        """Give what is left over to the names and the verdict first, then to every column."""
        widths = dict(self._least_px)
        left = max(self.viewport().width() - sum(widths.values()), 0)
        for column, most in MORE_PX.items():
            if column in widths:
                more = min(left, px(most))
                left -= more
                widths[column] += more
        for waiting, column in zip(range(len(widths), 0, -1), widths, strict=True):
            more = left // waiting
            left -= more
            self.setColumnWidth(self.rows.columns.index(column), widths[column] + more)

    def sort_by(self, column: str) -> None:
        """Sort by a column, the better end first; the other way where it is sorted by it."""
        if column == "weights":
            return
        shown, descending = self.rows.sorted_by
        best = column == "verdict" or (column in BY_ID and BY_ID[column].better != "less")
        self.sorted.emit(column, not descending if column == shown else best)

    def edit_price(self) -> None:
        """Type a price of the machine in use, in its cell."""
        if "price" in self.rows.columns and self.currentIndex().isValid():
            index = self.currentIndex().siblingAtColumn(self.rows.columns.index("price"))
            self.setCurrentIndex(index)
            self.edit(index)

    def _open(self, index: QModelIndex) -> None:
        row = self.rows.row_at(index.row())
        if row is not None:
            self.opened.emit(row)

    def _take_focus(self) -> None:
        self.setFocus()
        if not self.currentIndex().isValid() and self.rows.rowCount():
            self.setCurrentIndex(self.rows.index(0, 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copied.emit()
        elif event.key() in (keys.Key_Return, keys.Key_Enter):
            self._open(self.currentIndex())
        elif event.key() == keys.Key_Space:
            for row in self.chosen():
                self.marked.emit(row)
        elif event.key() == keys.Key_F2:
            self.edit_price()
        elif event.key() == keys.Key_S and not event.modifiers() and self.column:
            self.sort_by(self.column)
        elif event.key() == keys.Key_F and not event.modifiers():
            self.head.focus_field(self.column)
        else:
            super().keyPressEvent(event)

    def say(self, words: str) -> None:
        """Say in the middle why there is no row; "" where there are some."""
        say(self._words, words)
        self._words.setGeometry(self.viewport().geometry())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._words.setGeometry(self.viewport().geometry())
        self._spread()

    def focusInEvent(self, event: object) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]
        if not self.currentIndex().isValid() and self.rows.rowCount():
            self.setCurrentIndex(self.rows.index(0, 0))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "rows"):
            self.rows.palette = colours(self)
            self.rows.repaint()
