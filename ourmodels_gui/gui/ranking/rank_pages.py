"""The ranking as one of its looks, a table, a map or a plot of value, or why there is none."""

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from ...language import tr
from ...ranking.field import BEST
from ...ranking.table import Indices, Table
from ...ranking.value import value_plot
from ...scenario import Scenario
from ...settings import RankChoice
from ..folding import LOW_PX
from ..theme import px
from . import rank_words
from .heat_map import HeatMap
from .rank_table import RankTable
from .ranked import NO_ROWS, Ranked
from .tray import mark_of

if TYPE_CHECKING:
    from .value_plot import ValuePlot

NAMES = {"machines": ("machine",), "models": ("model",), "pairs": ("machine", "model")}
"""What differs from row to row, by scope."""


class RankPages(QStackedWidget):
    """opened, marked, pointed: a row of the table."""

    opened = Signal(int)
    marked = Signal(int)
    pointed = Signal(int)

    def __init__(self, ranked: Ranked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ranked = ranked
        self.table = RankTable()
        self.map = HeatMap()
        self.plot: ValuePlot | None = None
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.words.setMargin(48)
        for page in (self.table, self.map, self.words):
            self.addWidget(page)
        self.setMinimumHeight(px(LOW_PX))
        for view in (self.table, self.map):
            view.opened.connect(self.opened)
            view.marked.connect(self.marked)
        self.map.pointed.connect(self.pointed)

    def present(self, choice: RankChoice, scenario: Scenario, row: int | None) -> None:
        """Draw what was ranked in the look that is chosen; row: where the cursor stands."""
        page, why = self._page(choice, scenario, row)
        self.words.setText(why)
        self.setCurrentWidget(page)
        self._clear_beside(page)

    def _clear_beside(self, page: QWidget) -> None:
        """No page out of sight keeps what is no longer shown."""
        table = self._ranked.table
        if page is not self.table and self.table.rows.table is not table:
            self.table.rows.show(None, NO_ROWS, 0, self.table.rows.columns)
        if page is not self.map and self.map.table is not table:
            self.map.clear()
        if self.plot is not None and page is not self.plot:
            self.plot.clear_values()

    @property
    def rows(self) -> Indices:
        """The rows of the table that the filters leave."""
        table, rows = self._ranked.table, self._ranked.rows
        return np.arange(0 if table is None else len(table)) if rows is None else rows

    def columns(self, choice: RankChoice) -> tuple[str, ...]:
        """The columns of the table: words, then figures."""
        weights = ("weights",) if choice.scope != "machines" or choice.weights == BEST else ()
        return (*NAMES[choice.scope], *weights, "verdict", *choice.columns)

    def picture(self) -> QWidget | None:
        """The map or the plot where one is in sight."""
        page = self.currentWidget()
        return page if page is self.map or page is self.plot else None

    def _page(self, choice: RankChoice, scenario: Scenario, row: int | None) -> tuple[QWidget, str]:
        """Draw the page of the look that is chosen, or say why it has nothing to show."""
        ranked = self._ranked
        table = ranked.table
        if table is None:
            return self.words, ranked.why
        if choice.look == "table":
            # Without a row as well: the filter that is in the way can be seen and changed.
            self._draw_table(table, choice, scenario, row)
            return self.table, ""
        if not ranked.count:
            return self.words, ranked.why
        if choice.up not in ranked.ready:
            return self.words, tr("This figure is being worked out …")
        if choice.look == "map":
            self.map.present(table, choice.up, self.rows)
            return self.map, ""
        values = value_plot(table, choice.across, choice.up, self.rows)
        if not values.rows.size:
            return self.words, rank_words.no_points_words(table, self.rows, choice.across)
        plot = self._plot()
        plot.present(table, values, choice.across, choice.up, _here(table, scenario))
        return plot, ""

    def _draw_table(
        self, table: Table, choice: RankChoice, scenario: Scenario, row: int | None
    ) -> None:
        ranked, view = self._ranked, self.table
        columns = self.columns(choice)
        fresh = columns != view.rows.columns
        view.say(ranked.why)
        view.rows.ready = ranked.ready
        view.rows.here = mark_of(scenario).pair()
        view.rows.show(table, ranked.order, ranked.count, columns)
        view.head.offer(columns, choice.ranges)
        if fresh:
            view.fit_columns()
        view.show_order(choice.sort, choice.descending)
        view.keep(row if row is not None and row < len(table) else None)

    def _plot(self) -> "ValuePlot":
        if self.plot is None:
            from .value_plot import ValuePlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = ValuePlot()
            self.plot.opened.connect(self.opened)
            self.addWidget(self.plot)
        return self.plot


def _here(table: Table, scenario: Scenario) -> int | None:
    """The row of a ranking of machines that the scenario stands at."""
    machines = table.field.machines
    hardware = scenario.hardware
    return next((at for at, one in enumerate(machines) if one.hardware == hardware), None)
