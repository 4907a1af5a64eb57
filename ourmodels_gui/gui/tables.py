"""A table of figures to read and to take away: rounded on screen, exact when copied."""

import csv
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import (
    QAction,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QWidget

from ..language import tr
from ..units import exact
from .cell_delegate import Shown
from .cell_view import CellView
from .theme import UNIT, sized

Index = QModelIndex | QPersistentModelIndex
FORMATS = ("TSV", "CSV", "Markdown")


class Cell(NamedTuple):
    """text: as people read it. value: what is copied; None for the text itself. note: on hover."""

    text: str
    value: float | int | str | None = None
    note: str = ""

    def exact(self) -> str:
        if self.value is None:
            return self.text
        return self.value if isinstance(self.value, str) else exact(self.value)

    def hint(self) -> str:
        """The note, or every digit; and before it the words, which may be cut."""
        hint = self.note or self.exact()
        is_number = isinstance(self.value, int | float) and len(self.text.split()) == 1
        if is_number or self.text in hint:
            return hint
        return f"{self.text}\n{hint}"


Row = Sequence[Cell]


def as_text(header: Sequence[str], rows: Sequence[Sequence[str]], form: str) -> str:
    """The rows under their header as TSV, CSV or a Markdown table.

    >>> print(as_text(["batch", "tok/s"], [["1", "49.3"]], "Markdown"), end="")
    | batch | tok/s |
    | ---: | ---: |
    | 1 | 49.3 |
    """
    if form == "Markdown":
        lines = [header, ["---:"] * len(header), *rows]
        return "".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines
        )
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t" if form == "TSV" else ",", lineterminator="\n")
    writer.writerows([header, *rows])
    return out.getvalue()


_ROLE = Qt.ItemDataRole
VALUE_ROLE = _ROLE.UserRole
ANSWERED = frozenset(
    int(role)
    for role in (
        *(_ROLE.DisplayRole, _ROLE.ToolTipRole, _ROLE.TextAlignmentRole, _ROLE.FontRole),
        VALUE_ROLE,
    )
)


class FigureModel(QAbstractTableModel):
    """Columns of figures; the first marked row is the one that the scenario stands at."""

    def __init__(self, columns: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.columns = list(columns)
        self.rows: list[Row] = []
        self.marked: set[int] = set()
        self.left: set[int] = set()
        self.quiet: set[int] = set()
        self._fonts = (sized("caption"), sized("text", bold=True))

    def show_rows(self, rows: Sequence[Row], marked: set[int]) -> None:
        rows = list(rows)
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows, self.marked = rows, marked
            self.endResetModel()
            return
        self.rows, self.marked = rows, marked
        if rows:
            last = self.index(len(rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def shown(self, row: int, column: int) -> Shown:
        """How a cell looks."""
        text = self.rows[row][column].text
        if column in self.quiet:
            return Shown(text, quiet=True)
        return Shown(text, bold=row in self.marked)

    def is_right(self, column: int) -> bool:
        return column not in self.left

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in ANSWERED:  # asked for every cell at every paint
            return None
        cell = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.hint()
        if role == VALUE_ROLE:
            return cell.value
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(index.column()) | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole:
            if index.column() in self.quiet:
                return self._fonts[0]
            return self._fonts[1] if index.row() in self.marked else None
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._side(section) | Qt.AlignmentFlag.AlignVCenter
        return None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        left = column in self.left
        return Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight


class FigureTable(CellView):
    """Ctrl+C copies the selected rows, all of them when none is selected, under their header."""

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        widest: Sequence[str],
        *,
        left: Sequence[int] = (),
        quiet: Sequence[int] = (),
        stretched: int = -1,
        parent: QWidget | None = None,
    ) -> None:
        """widest: per column, a text that must fit, so that columns keep their width. left: the
        columns of words. quiet: those in the caption size. stretched: the one that takes the rest,
        the last one unless given, where there is any; otherwise the table scrolls sideways.
        """
        super().__init__(parent)
        header = self.horizontalHeader()
        header.setFont(sized("caption"))
        self.figures = FigureModel(columns, self)
        self.figures.left, self.figures.quiet = set(left), set(quiet)
        self.setModel(self.figures)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setFrameShape(self.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setFont(sized("text"))
        self.paint_cells(self.figures)
        self.verticalHeader().hide()
        metrics = QFontMetrics(sized("text", bold=True))
        self.verticalHeader().setDefaultSectionSize(metrics.height() + 2 * UNIT)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(8 * UNIT)
        for column, words in enumerate(columns):
            of_cell = QFontMetrics(sized("caption")) if column in quiet else metrics
            room = max(of_cell.horizontalAdvance(widest[column]), metrics.horizontalAdvance(words))
            self.setColumnWidth(column, room + 3 * UNIT)
        self._stretched = stretched if stretched >= 0 else len(columns) - 1
        self._least_px = self.columnWidth(self._stretched)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for form in FORMATS:
            action = QAction(tr("Copy as {format}").format(format=form), self)
            action.triggered.connect(lambda _checked=False, form=form: self.copy(form))
            self.addAction(action)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnWidth(self._stretched, max(self._spare_px(), self._least_px))

    def _spare_px(self) -> int:
        """The room that the other columns leave."""
        columns = (at for at in range(len(self.figures.columns)) if at != self._stretched)
        others = sum(0 if self.isColumnHidden(at) else self.columnWidth(at) for at in columns)
        return self.viewport().width() - others

    @property
    def is_cut(self) -> bool:
        """Whether it scrolls sideways."""
        return self._spare_px() < self._least_px

    def present(self, rows: Sequence[Row], marked: set[int] = frozenset()) -> None:  # type: ignore[assignment]
        """Show `rows`, those whose number is in `marked` in bold."""
        self.figures.show_rows(rows, marked)

    def text(self, form: str) -> str:
        """The selected rows, or all, with exact figures."""
        chosen = sorted(index.row() for index in self.selectionModel().selectedRows())
        rows = [self.figures.rows[row] for row in chosen] or self.figures.rows
        return as_text(self.figures.columns, [[cell.exact() for cell in row] for row in rows], form)

    def copy(self, form: str = "TSV") -> None:
        QGuiApplication.clipboard().setText(self.text(form))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # The view's own copy takes one cell, as it is shown.
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)
