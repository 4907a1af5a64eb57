"""Rank: which machine for this model, which model for this machine, or every pair."""

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...library.load import Library
from ...problem import BadInput
from ...ranking.columns import BY_ID
from ...ranking.order import Filters
from ...ranking.sheet import Sheet, ranking_sheet
from ..asked.facets import Counts
from ..asked.search import Chosen
from ..elided import ElidedLabel
from ..export import ExportButton
from ..preferences import Preferences
from ..theme import UNIT, sized
from . import rank_words
from .prices import PricesPopup
from .rank_bar import RankBar, followed
from .rank_choice import known
from .rank_filters import facet_counts, filters_of
from .rank_pages import RankPages
from .ranked import Ranked
from .tray import Tray, mark_of, opening

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
        self.pages = RankPages(self.ranked)
        self.table, self.map = self.pages.table, self.pages.map
        self.note = ElidedLabel(lines=2)
        self.note.setFont(sized("caption"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * UNIT, 0, UNIT)
        layout.setSpacing(UNIT + 2)
        layout.addWidget(self.bar)
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
        self.pages.opened.connect(self._open)
        self.pages.marked.connect(self._mark)
        self.pages.pointed.connect(self._point)
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
        assert self._evaluation is not None
        table = self.ranked.table
        self.pages.present(self.choice, self._evaluation.scenario, self._row)
        found = "" if table is None else rank_words.found_words(table, self.ranked.rows)
        narrowed = self.filters != Filters() or bool(self.table.head.texts())
        self.bar.say_found(found, narrowed=narrowed)
        self._tell()

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
            return rank_words.left_out_words(table, self.pages.rows, self.choice.across)
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
        self.table.head.offer(self.pages.columns(self.choice), self.choice.ranges)

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
        return self.pages.picture()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._evaluation is not None:
            self._left.start()

    def _let_go(self) -> None:
        self._is_stale = True
        self.ranked.let_go()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._left.stop()
        if self._is_stale:
            self._refresh()
