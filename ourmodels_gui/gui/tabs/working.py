"""The figures of a tab, and on asking the formula behind each with the values put in."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from ...engine.setup import Assumption
from ...language import mark, tr
from ...spoken import spoken
from ...summary import Group, Row
from ...units import THIN_SPACE, exact
from .. import typed
from ..tables import Cell, FigureTable
from ..theme import UNIT, fixed_font, px, sized
from .derivation import working_of

VALUES = {
    "expected": mark("expected (estimate)"),
    "floor": mark("floor (guaranteed)"),
    "limit": mark("limits"),
    "measured": mark("measured where known"),
    "windowed": mark("window layers reserve their window"),
    "full": mark("window layers reserve the full length"),
    "memory": mark("memory side"),
    "combined": mark("memory and compute"),
    "reserved": mark("reserved at the start"),
    "on_demand": mark("on demand"),
    "layers": mark("by layers"),
    "tensor": mark("every matrix (tensor)"),
    "experts": mark("by experts"),
    "both": mark("all at once"),
    "sequential": mark("one at a time"),
    "streamed": mark("streamed to the devices"),
    "best": mark("the best"),
}
"""What a scenario chooses from, in the words of its fields."""
KIND_COLUMN = 2
LEAST_LETTERS = 8
ROOMY_PX = 320


class Working(QWidget):
    """A table of figures above, the working of the chosen one below."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row | None, ...] = ()
        self.table = FigureTable(
            name,
            (tr("figure"), tr("value"), ""),
            ("m" * LEAST_LETTERS, typed.show(23_456) + " " + tr("sessions"), tr("estimate")),
            left=(0, 2),
            quiet=(2,),
            stretched=0,
        )
        self.table.selectionModel().currentRowChanged.connect(self._chosen)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setAccessibleName(tr("Working of the chosen figure"))
        self._text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._text.setPlaceholderText(tr("Choose a figure to see how it comes about."))
        self._text.setTabChangesFocus(True)
        self._text.setFont(fixed_font())
        head = QLabel(tr("Working"))
        head.setFont(sized("caption"))
        head.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._copy = QPushButton(tr("Copy"))
        self._copy.setAccessibleName(tr("Copy the working"))
        self._copy.setEnabled(False)
        self._copy.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(self._text.toPlainText())
        )
        bar = QHBoxLayout()
        bar.addWidget(head)
        bar.addStretch()
        bar.addWidget(self._copy)
        below = QWidget()
        layout = QVBoxLayout(below)
        layout.setContentsMargins(0, UNIT, 0, 0)
        layout.setSpacing(UNIT)
        layout.addLayout(bar)
        layout.addWidget(self._text)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setObjectName("working")
        split.addWidget(self.table)
        split.addWidget(below)
        split.setSizes([260, 190])
        split.setChildrenCollapsible(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(split)

    def present(self, groups: Sequence[Group]) -> None:
        """Show the figures under their titles; the working of the chosen row follows them."""
        shown: list[tuple[Cell, ...]] = []
        rows: list[Row | None] = []
        heads = set()
        for group in groups:
            heads.add(len(shown))
            shown.append((Cell(group.title), Cell(""), Cell("")))
            rows.append(None)
            shown += [_cells(row) for row in group.rows]
            rows += group.rows
        self._rows = tuple(rows)
        self.table.present(shown, heads)
        self._say(self.table.currentIndex().row())

    def shown(self) -> str:
        """The working in sight, "" when no figure is chosen."""
        return self._text.toPlainText()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.table.setColumnHidden(KIND_COLUMN, self.width() < px(ROOMY_PX))
        super().resizeEvent(event)

    def _chosen(self, current: QModelIndex, _previous: QModelIndex) -> None:
        self._say(current.row())

    def _say(self, at: int) -> None:
        row = self._rows[at] if 0 <= at < len(self._rows) else None
        text = working_of(row) if row is not None else ""
        if text != self._text.toPlainText():
            self._text.setPlainText(text)
        self._copy.setEnabled(bool(text))


def _cells(row: Row) -> tuple[Cell, ...]:
    """A row to read; copied, it is the figure's name, which says the unit, and its every digit."""
    value = row.text if row.value is None else row.value
    digits = value if isinstance(value, str) else exact(value)
    return (
        Cell(row.label, row.name, row.label),
        Cell(f"{row.text}{THIN_SPACE}{row.unit}".strip(), value, row.note or digits),
        Cell(tr(row.kind)),
    )


class Assumptions(FigureTable):
    """What the answer rests on: each input that moves it, with where it comes from."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Assumptions"),
            (tr("input"), tr("value"), tr("from")),
            (tr("reserved context length"), "1,234,567 tokens", "m" * LEAST_LETTERS),
            left=(0, 2),
            parent=parent,
        )

    def present_assumptions(self, assumptions: Sequence[Assumption]) -> None:
        self.present([_assumed(found) for found in assumptions])


def _assumed(found: Assumption) -> tuple[Cell, ...]:
    if found.value is None:
        value = Cell(tr("unknown"))
    elif isinstance(found.value, str):
        value = Cell(tr(VALUES.get(found.value, found.value)))
    else:
        words = f"{typed.show(found.value)} {tr(found.unit)}".strip()
        value = Cell(words, note=f"{exact(found.value)} {tr(found.unit)}".strip())
    source = tr(found.source)
    return Cell(spoken(found.name)), value, Cell(source, note=source)
