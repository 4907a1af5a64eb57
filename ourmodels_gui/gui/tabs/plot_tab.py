"""A tab of a plot with its controls, and beside it the figures, a table, the assumptions."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...measured.points import Point
from ...summary import Row
from ..folding import FoldingSplit
from ..tables import FigureTable
from ..tables import Row as Cells
from ..telling import told
from ..theme import UNIT, px
from .derivation import open_working
from .working import Assumptions, Working

PLOT_PX, DETAILS_PX = 510, 420
DETAILS_MIN_PX = 260


class PlotTab(QWidget):
    """Keeps what it is given while hidden, and draws it when it is raised; of its pages only the
    one in sight is filled.

    groups: ids of the groups of the summary that this tab tells. A tab makes its plot in `draw`,
    the first time that it is called: the import of the plots is the slowest part of the start.
    measured: what was measured in an evaluation's setup, for the plot.
    """

    edited = Signal(dict)
    groups: tuple[str, ...] = ()

    def __init__(self, name: str, table: FigureTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._waiting: Evaluation | None = None
        self._drawn: Evaluation | None = None
        self._filled: set[QWidget] = set()
        self.measured: Callable[[Evaluation], Sequence[Point]] = lambda _evaluation: ()
        self.table = table
        self.table.activated.connect(self._open_row)
        self.table.setAccessibleDescription(tr("Enter shows the working of a row"))
        self.figures = Working(name)
        self.assumptions = Assumptions()
        left = QWidget()
        self.column = QVBoxLayout(left)
        self.column.setContentsMargins(0, 0, UNIT, 0)
        self.column.setSpacing(UNIT)
        self.pages = pages = QTabWidget()
        pages.setDocumentMode(True)
        pages.setMinimumWidth(px(DETAILS_MIN_PX))
        pages.tabBar().setUsesScrollButtons(False)
        pages.addTab(self.figures, tr("Figures"))
        pages.addTab(table, tr("Table"))
        pages.addTab(self.assumptions, tr("Assumptions"))
        pages.currentChanged.connect(lambda _index: self._fill())
        split = FoldingSplit(left, pages, (PLOT_PX, DETAILS_PX), (3, 2))
        self.page = QVBoxLayout(self)
        self.page.setContentsMargins(0, UNIT, 0, UNIT)
        self.page.addWidget(split, 1)

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation, and draw it if the tab is in sight."""
        self._waiting = evaluation
        if self.isVisible():
            self._draw()

    def draw(self, evaluation: Evaluation) -> None:
        """Show the evaluation in the plot and its controls."""
        raise NotImplementedError

    def rows(self, evaluation: Evaluation) -> tuple[Sequence[Cells], set[int]]:
        """The rows of the table, and the numbers of those that are marked."""
        raise NotImplementedError

    def row_working(self, evaluation: Evaluation, value: float) -> Row | None:
        """The working of a row of the table, by the value in its first column; None without one."""
        return None

    def _open_row(self, index: QModelIndex) -> None:
        value = self.table.figures.rows[index.row()][0].value
        if self._drawn is not None and isinstance(value, int | float):
            row = self.row_working(self._drawn, value)
            if row is not None:
                open_working(row, self.table)

    def _draw(self) -> None:
        if self._waiting is None:
            return
        self._drawn, self._waiting = self._waiting, None
        self.redraw()

    def redraw(self) -> None:
        """Draw again what is drawn."""
        if self._drawn is not None:
            self._filled.clear()
            self.draw(self._drawn)
            self._fill()

    def _fill(self) -> None:
        """Fill the page in sight; another one when it is turned to."""
        page = self.pages.currentWidget()
        if self._drawn is None or page in self._filled:
            return
        self._filled.add(page)
        if page is self.table:
            self.table.present(*self.rows(self._drawn))
            return
        summary = told(self._drawn)
        if page is self.figures:
            self.figures.present([group for group in summary.groups if group.id in self.groups])
        else:
            self.assumptions.present_assumptions(summary.assumptions)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw()
