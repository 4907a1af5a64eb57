"""The ranking as a model of rows and columns: cells are worked out when they are seen."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QColor

from ...composed import Hardware
from ...language import mark, tr
from ...ranking.columns import BY_ID, NONE
from ...ranking.table import UNKNOWN_SAID, Indices, Table
from ...scenario import InlineModel, ModelRef
from ...units import Separators, exact
from .. import typed
from ..answered.cards import SIGNS
from ..cell_delegate import LEFT, RIGHT, Index, Shown
from ..theme import LIGHT, Palette, sized
from .prices import typed_price
from .tray import Mark

LATER = "…"
MOST_LOOKS = 500
"""Rows whose looks are kept, some screens full."""
NO_PRICE = mark("no price")
TITLES = {
    "machine": mark("Machine"),
    "model": mark("Model"),
    "weights": mark("Weights"),
    "verdict": mark("Verdict"),
}
Role = Qt.ItemDataRole
# Qt asks for these of every cell that it paints.
PLAIN = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
TICKED = PLAIN | Qt.ItemFlag.ItemIsUserCheckable
EDITED = PLAIN | Qt.ItemFlag.ItemIsEditable


def tone_of(verdict: str) -> str:
    """The role of a verdict's colour and sign."""
    if verdict == UNKNOWN_SAID:
        return "muted"
    if verdict == "serves":
        return "serves"
    return "below" if verdict.startswith("fits") else "unfit"


def words_of(table: Table, row: int, separators: Separators) -> str:
    """The verdict of a row with its sign; where it does not serve, what is missing."""
    verdict = table.verdict_of(row)
    return f"{SIGNS[tone_of(verdict)]} {table.reason(row, separators) or tr(verdict)}"


class RankModel(QAbstractTableModel):
    """Some rows of a table in an order, some of its columns.

    The order may be known of the first rows only, and a column may still be to be worked out: both
    show "…" until `show` is called again. priced: (machine id, price or None) as typed by the user;
    refused: why what was typed is no price. marked: a row was to be marked or unmarked.
    """

    priced = Signal(str, object)
    refused = Signal(str)
    marked = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table: Table | None = None
        self.columns: tuple[str, ...] = ()
        self.order: Indices = np.empty(0, dtype=np.intp)
        self.ready: frozenset[str] = frozenset()
        self.palette: Palette = LIGHT
        self.is_marked: Callable[[Mark], bool] = lambda _mark: False
        self.here: tuple[object, object] | None = None
        self.sorted_by: tuple[str, bool] = ("", True)
        self._count = 0
        self._looks: dict[int, list[Shown]] = {}
        self._separators = typed.separators()

    def show(self, table: Table | None, order: Indices, count: int, columns: Sequence[str]) -> None:
        """The first rows of `count` in their order; columns: texts first, then figures."""
        self._separators = typed.separators()
        self._looks.clear()
        if tuple(columns) != self.columns:
            self.beginResetModel()
            self.columns, self.table, self.order, self._count = tuple(columns), table, order, count
            self.endResetModel()
            return
        extra = count - self._count
        if extra > 0:
            self.beginInsertRows(QModelIndex(), self._count, count - 1)
        elif extra < 0:
            self.beginRemoveRows(QModelIndex(), count, self._count - 1)
        self.table, self.order, self._count = table, order, count
        if extra > 0:
            self.endInsertRows()
        elif extra < 0:
            self.endRemoveRows()
        self.repaint()

    def repaint(self) -> None:
        """Every cell may be another."""
        self._looks.clear()
        if self._count and self.columns:
            last = self.index(self._count - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def row_at(self, place: int) -> int | None:
        """The row of the table at a place of the list; None where it is not known yet."""
        return int(self.order[place]) if 0 <= place < self.order.size else None

    def place_of(self, row: int) -> int | None:
        """The place in the list of a row of the table."""
        found = np.flatnonzero(self.order == row)
        return int(found[0]) if found.size else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        column = self.columns[index.column()]
        if role == Role.TextAlignmentRole:
            return RIGHT if self.is_right(index.column()) else LEFT
        if role in (Role.DisplayRole, Role.ForegroundRole, Role.FontRole):
            cell = self.shown(index.row(), index.column())
            if role == Role.DisplayRole:
                return cell.text
            if role == Role.ForegroundRole:
                return QColor(getattr(self.palette, cell.tone))
            return sized("text", bold=True) if cell.bold else None
        row = self.row_at(index.row())
        if self.table is None or row is None:
            return None
        if role == Role.ToolTipRole:
            hint = self._hint(column, row)
            return hint if column in BY_ID else "\n".join(filter(None, (self._name(index), hint)))
        if role == Role.CheckStateRole and index.column() == 0:
            on = self.is_ticked(index.row())
            return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
        if role == Role.EditRole and column == "price":
            own = self.table.settings.prices.get(self.table.machine_of(row).id)
            return exact(own.amount) if own else ""
        if role == Role.AccessibleTextRole:
            return self._spoken(column, row)
        return None

    def shown(self, row: int, column: int) -> Shown:
        """How a cell looks; row and column: its place in the list."""
        if row not in self._looks:
            if len(self._looks) >= MOST_LOOKS:
                self._looks.clear()
            self._looks[row] = self._row_looks(row)
        return self._looks[row][column]

    def _row_looks(self, row: int) -> list[Shown]:
        """The cells of a row, which are asked for again until the rows are others."""
        place = self.row_at(row)
        if self.table is None or place is None:
            return [Shown(LATER)] * len(self.columns)
        bold = self._pair(place) == self.here
        texts = [self.text(column, place) for column in self.columns]
        return [
            Shown(text, self._tone(column, place, text), bold)
            for column, text in zip(self.columns, texts, strict=True)
        ]

    def is_right(self, column: int) -> bool:
        return self.columns[column] in BY_ID

    def is_ticked(self, row: int) -> bool:
        """Whether what stands at a place of the list is marked."""
        place = self.row_at(row)
        return self.table is not None and place is not None and self._marks(place)

    def _marks(self, row: int) -> bool:
        return self.is_marked(Mark(*self._pair(row)))

    def _pair(self, row: int) -> tuple[Hardware, ModelRef | InlineModel]:
        """What stands in a row, the weight format apart, as `Mark.pair` has it."""
        assert self.table is not None
        return self.table.machine_of(row).hardware, self.table.model_of(row).model

    def text(self, column: str, row: int) -> str:
        """What a cell says, without the unit."""
        assert self.table is not None
        if column == "machine":
            return self.table.machine_of(row).name
        if column == "model":
            return tr(self.table.model_of(row).name)
        if column == "weights":
            return self.table.weights_of(row) or NONE
        if column == "verdict":
            return words_of(self.table, row, self._separators)
        if column not in self.ready:
            return LATER
        said = self.table.cell(column, row, self._separators)
        return tr(NO_PRICE) if column == "price" and said == NONE else said

    def _spoken(self, column: str, row: int) -> str:
        assert self.table is not None
        unit = tr(self.table.unit(column)) if column in BY_ID else ""
        return f"{title(column)} {self.text(column, row)} {unit}".strip()

    def _tone(self, column: str, row: int, text: str) -> str:
        assert self.table is not None
        if column == "verdict":
            return tone_of(self.table.verdict_of(row))
        quiet = not self.table.serves[row] and column not in ("machine", "model")
        return "muted" if quiet or (column == "price" and text == tr(NO_PRICE)) else "text"

    def _name(self, index: Index) -> str:
        """The words of a cell, which may be cut."""
        return self.shown(index.row(), index.column()).text

    def _hint(self, column: str, row: int) -> str:
        assert self.table is not None
        if column == "price":
            return f"{self.table.price_tags[row % len(self.table.field.machines)].said} (F2)"
        if column in BY_ID:
            if column not in self.ready:
                return ""
            value = self.table.value(column, row)
            if np.isnan(value):
                return self.table.reason(row, self._separators) or tr("unknown")
            return f"{exact(value)} {tr(self.table.unit(column))}".strip()
        return words_of(self.table, row, self._separators)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if index.column() == 0:
            return TICKED
        return EDITED if self.columns[index.column()] == "price" else PLAIN

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        row = self.row_at(index.row())
        if self.table is None or row is None:
            return False
        if role == Role.CheckStateRole:
            self.marked.emit(row)
            return True
        machine = self.table.machine_of(row)
        if not machine.id:
            self.refused.emit(
                tr("A machine as typed has no price of its own; save it as your own first.")
            )
            return False
        try:
            amount = typed_price(str(value))
        except ValueError as error:
            self.refused.emit(f"{machine.name}: {error}")
            return False
        self.priced.emit(machine.id, amount)
        return True

    def _head(self, column: str) -> str:
        """The title with the arrow of the order, the unit below."""
        name, _, unit = heading(column, self.table).partition(", ")
        if column == self.sorted_by[0]:
            name = f"{name} {'▼' if self.sorted_by[1] else '▲'}"
        return f"{name}\n{unit}" if unit else name

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Role.DisplayRole:
            return self._head(column)
        if role == Role.TextAlignmentRole:
            return RIGHT if column in BY_ID else LEFT
        if role == Role.ToolTipRole:
            about = tr(BY_ID[column].about) if column in BY_ID else ""
            return "\n".join(filter(None, (heading(column, self.table), about)))
        return None


def title(column: str) -> str:
    """The name of a column of words or figures."""
    return tr(BY_ID[column].title if column in BY_ID else TITLES[column])


def heading(column: str, table: Table | None) -> str:
    """The name of a column with its unit."""
    unit = ""
    if column in BY_ID:
        unit = tr(table.unit(column) if table is not None else BY_ID[column].unit)
    return f"{title(column)}, {unit}" if unit else title(column)
