"""Rank: which machine for this model, which model for this machine, or every pair."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QLabel, QStackedWidget, QVBoxLayout, QWidget

from ..evaluation import Evaluation
from ..language import tr
from ..library.load import Library
from ..problem import BadInput
from ..ranking.columns import BY_ID
from ..ranking.field import BEST
from ..ranking.order import Filters
from ..ranking.sheet import Sheet, ranking_sheet
from ..ranking.table import Indices, Table
from ..ranking.value import value_plot
from . import rank_words
from .elided import ElidedLabel
from .export import ExportButton
from .facets import Counts
from .folding import LOW_PX
from .heat_map import HeatMap
from .preferences import Preferences
from .prices import PricesPopup
from .rank_bar import RankBar, followed
from .rank_choice import known
from .rank_filters import facet_counts, filters_of
from .rank_table import RankTable
from .ranked import NO_ROWS, Ranked
from .search import Chosen
from .theme import UNIT, px, sized
from .tray import Tray, mark_of, opening

if TYPE_CHECKING:
    from .value_plot import ValuePlot

NAMES = {"machines": ("machine",), "models": ("model",), "pairs": ("machine", "model")}
"""What differs from row to row, by scope."""
KEPT_MS = 30_000
"""So long a ranking, which may take a fifth of the memory, is kept for those who come back."""


class RankTab(QWidget):
    """The ranking as a table, a map or a plot of value; one set of filters for all three.

    library: the one in use.
    """

    edited = Signal(dict)

    def __init__(
        self,
        library: Callable[[], Library],
        preferences: Preferences,
        tray: Tray,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._preferences, self._tray = library, preferences, tray
        self.choice = known(preferences.settings.rank)
        self._evaluation: Evaluation | None = None
        self._is_stale = False
        self._money: PricesPopup | None = None
        self._row: int | None = None
        self._refused = ""
        self.ranked = Ranked(self)
        self._left = QTimer(self, singleShot=True, interval=KEPT_MS)
        self._left.timeout.connect(self._let_go)
        self.export = ExportButton(self.sheet, self.picture, tr("Ranking"))
        self.bar = RankBar(self.export)
        self.table = RankTable()
        self.map = HeatMap()
        self.plot: ValuePlot | None = None
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.words.setMargin(48)
        self.pages = QStackedWidget()
        for page in (self.table, self.map, self.words):
            self.pages.addWidget(page)
        self.note = ElidedLabel(lines=2)
        self.note.setFont(sized("caption"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * UNIT, 0, UNIT)
        layout.setSpacing(UNIT + 2)
        layout.addWidget(self.bar)
        self.pages.setMinimumHeight(px(LOW_PX))
        layout.addWidget(self.pages, 1)
        layout.addWidget(self.note)
        self._connect()
        self._show_choice()

    def _connect(self) -> None:
        self.ranked.changed.connect(self._show)
        bar, table = self.bar, self.table
        bar.chosen.connect(self._choose)
        bar.cleared.connect(self.clear_filters)
        bar.money_asked.connect(self.open_prices)
        bar.counts = self._counts
        table.head.narrowed.connect(lambda texts: self._choose({"ranges": texts}))
        table.head.refused.connect(lambda column, why: self._say(f"{BY_ID[column].title}: {why}"))
        table.sorted.connect(
            lambda column, down: self._choose({"sort": column, "descending": down})
        )
        table.copied.connect(lambda: self.export.copy("CSV"))
        table.selectionModel().currentChanged.connect(lambda *_: self._point(self.table.row))
        table.rows.priced.connect(self._price)
        table.rows.refused.connect(self._say)
        table.rows.is_marked = self._tray.holds
        table.head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.head.customContextMenuRequested.connect(
            lambda at: bar.menu.popup(table.head.mapToGlobal(at))
        )
        for view in (table, self.map):
            view.opened.connect(self._open)
            view.marked.connect(self._mark)
        self.map.pointed.connect(self._point)
        self._preferences.prices_changed.connect(self._refresh)
        self._preferences.refused.connect(self._say)
        self._tray.changed.connect(table.rows.repaint)

    # What is shown

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation, and rank for it if the tab is in sight."""
        self._evaluation = evaluation
        self._refresh()

    @property
    def filters(self) -> Filters:
        """What a row must satisfy to be shown."""
        return self._filters({key: frozenset(some) for key, some in self.choice.facets.items()})

    def _filters(self, chosen: Chosen) -> Filters:
        return filters_of(self.table.head.ranges(), chosen, self.choice.text)

    def _refresh(self) -> None:
        self._is_stale = not self.isVisible()
        if self._is_stale or self._evaluation is None:
            return
        self._refused = ""
        self.ranked.present(
            self._evaluation, self._library(), self.choice, self.filters, self._preferences.settings
        )

    def _show(self) -> None:
        """Draw what was ranked, in the page in sight."""
        table = self.ranked.table
        page, why = self._page(table)
        self.words.setText(why)
        self.pages.setCurrentWidget(page)
        self._clear_beside(page)
        found = "" if table is None else rank_words.found_words(table, self.ranked.rows)
        narrowed = self.filters != Filters() or bool(self.table.head.texts())
        self.bar.say_found(found, narrowed=narrowed)
        self._tell()

    def _page(self, table: Table | None) -> tuple[QWidget, str]:
        """Draw the page of the look that is chosen, or say why it has nothing to show."""
        choice, ranked = self.choice, self.ranked
        if table is None:
            return self.words, ranked.why
        if choice.look == "table":
            # Without a row as well: the filter that is in the way can be seen and changed.
            self._draw_table(table)
            return self.table, ""
        if not ranked.count:
            return self.words, ranked.why
        if choice.up not in ranked.ready:
            return self.words, tr("This figure is being worked out …")
        if choice.look == "map":
            self.map.present(table, choice.up, self._rows(table))
            return self.map, ""
        values = value_plot(table, choice.across, choice.up, self._rows(table))
        if not values.rows.size:
            return self.words, rank_words.no_points_words(table, self._rows(table), choice.across)
        plot = self._plot()
        plot.present(table, values, choice.across, choice.up, self._here(table))
        return plot, ""

    def _clear_beside(self, page: QWidget) -> None:
        """No page out of sight keeps what is no longer shown."""
        table = self.ranked.table
        if page is not self.table and self.table.rows.table is not table:
            self.table.rows.show(None, NO_ROWS, 0, self.table.rows.columns)
        if page is not self.map and self.map.table is not table:
            self.map.clear()
        if self.plot is not None and page is not self.plot:
            self.plot.clear_values()

    def _rows(self, table: Table) -> Indices:
        return np.arange(len(table)) if self.ranked.rows is None else self.ranked.rows

    def _draw_table(self, table: Table) -> None:
        ranked, view = self.ranked, self.table
        columns = self._columns()
        fresh = columns != view.rows.columns
        view.say(ranked.why)
        view.rows.ready = ranked.ready
        assert self._evaluation is not None
        view.rows.here = mark_of(self._evaluation.scenario).pair()
        view.rows.show(table, ranked.order, ranked.count, columns)
        view.head.offer(columns, self.choice.ranges)
        if fresh:
            view.fit_columns()
        view.show_order(self.choice.sort, self.choice.descending)
        view.keep(self._row if self._row is not None and self._row < len(table) else None)

    def _columns(self) -> tuple[str, ...]:
        """The columns of the table: words, then figures."""
        scope = self.choice.scope
        weights = ("weights",) if scope != "machines" or self.choice.weights == BEST else ()
        return (*NAMES[scope], *weights, "verdict", *self.choice.columns)

    def _plot(self) -> "ValuePlot":
        if self.plot is None:
            from .value_plot import ValuePlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = ValuePlot()
            self.plot.opened.connect(self._open)
            self.pages.addWidget(self.plot)
        return self.plot

    def _here(self, table: Table) -> int | None:
        """The row of a ranking of machines that the scenario stands at."""
        assert self._evaluation is not None
        hardware = self._evaluation.scenario.hardware
        machines = table.field.machines
        return next((at for at, one in enumerate(machines) if one.hardware == hardware), None)

    # The line below

    def _point(self, row: int | None) -> None:
        if row is not None:
            self._row = row
            self._tell()
            self.map.describe(self.note.accessibleName())

    def _say(self, why: str) -> None:
        self._refused = why
        self._tell()

    def _tell(self) -> None:
        """A refusal, the pair in use, else what the figures are worth."""
        role = QPalette.ColorRole
        self.note.setForegroundRole(role.BrightText if self._refused else role.PlaceholderText)
        self.note.say(*(self._told() if not self._refused else (self._refused, "")))

    def _told(self) -> tuple[str, str]:
        table, look = self.ranked.table, self.choice.look
        if table is None or self._evaluation is None:
            return "", ""
        unpriced = rank_words.unpriced_words(table, self.filters)
        if not self.ranked.count:
            return " ".join(filter(None, (self.ranked.why, unpriced))), ""
        if look == "value":
            return rank_words.left_out_words(table, self._rows(table), self.choice.across)
        if self._row is not None and self._row < len(table):
            more = (self.choice.up,) if look == "map" else ()
            hint = tr("Enter opens it, Space marks it for comparison")
            pair = rank_words.pair_words(table, self._row, *more)
            return "; ".join(filter(None, (pair, unpriced))), hint
        if unpriced:
            return unpriced, ""
        if look == "map":
            return rank_words.map_words(), ""
        return rank_words.basis_words(self._evaluation.scenario), ""

    # What is chosen

    def _choose(self, changes: dict[str, Any]) -> None:
        changed = followed(self.choice, changes)
        if changed == self.choice:
            return
        if changed.scope != self.choice.scope:
            self._row = None
        self.choice = changed
        self._preferences.edit(rank=changed)
        self._show_choice()
        self._refresh()

    def _show_choice(self) -> None:
        self.bar.present(self.choice)
        self.table.head.offer(self._columns(), self.choice.ranges)

    def clear_filters(self) -> None:
        """Show every row again."""
        self.table.head.clear()
        self._choose({"text": "", "ranges": {}, "facets": {}})
        self.bar.search.setFocus()

    def _counts(self, chosen: Chosen) -> Counts:
        table = self.ranked.table
        return {} if table is None else facet_counts(table, self._filters(chosen))

    def open_prices(self) -> None:
        """Show the form of currency, electricity and lifetime below its button."""
        if self._money is None:
            self._money = PricesPopup(self._preferences, self)
        below = QPoint(self.bar.money.width(), self.bar.money.height())
        self._money.open_at(self.bar.money.mapToGlobal(below))

    # What is done with a row

    def _open(self, row: int) -> None:
        if self._evaluation is None or self.ranked.table is None:
            return
        wanted = self.ranked.table.scenario(row)
        changes = opening(wanted, self._evaluation.scenario)
        if self.choice.scope == "machines" and self.choice.weights is None:
            changes = {"hardware": wanted.hardware}
        self.edited.emit(changes)

    def _mark(self, row: int) -> None:
        if self.ranked.table is not None:
            self._tray.toggle(mark_of(self.ranked.table.scenario(row)))

    def _price(self, machine_id: str, amount: float | None) -> None:
        try:
            self._preferences.set_price(machine_id, amount)
        except BadInput as bad:
            self._say(bad.problem.message)
        self.table.setFocus()

    # What leaves the window

    def sheet(self) -> Sheet | None:
        """The selected rows where there are several, else every row, in the order of the list."""
        table = self.ranked.table
        if table is None:
            return None
        self.ranked.whole()
        chosen = self.table.chosen() if self.choice.look == "table" else []
        rows = np.array(chosen, dtype=np.intp) if len(chosen) > 1 else self.ranked.order
        return ranking_sheet(table, rows, self.choice.columns)

    def picture(self) -> QWidget | None:
        """The map or the plot where one is in sight."""
        page = self.pages.currentWidget()
        return page if page is self.map or page is self.plot else None

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._left.start()

    def _let_go(self) -> None:
        self._is_stale = True
        self.ranked.let_go()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._left.stop()
        if self._is_stale:
            self._refresh()
