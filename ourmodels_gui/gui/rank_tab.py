"""Rank: which machine for this model, which model for this machine, or every pair."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ..evaluation import Evaluation
from ..library.formats import WEIGHT_FORMATS
from ..library.load import Library
from ..problem import BadInput
from ..ranking.columns import BY_ID, COLUMNS
from ..ranking.field import BEST
from ..ranking.order import Filters
from ..ranking.sheet import Sheet, ranking_sheet
from ..ranking.table import Table
from ..ranking.value import value_plot
from ..scenario import ModelRef
from ..units import number
from . import typed
from .elided import ElidedLabel
from .export import ExportButton
from .facets import FacetPopup
from .fields import ChoiceField
from .heat_map import HeatMap
from .prices import Prices, PricesPopup
from .rank_choice import Look, RankChoice, Scope
from .rank_filters import FACETS, facet_counts, filters_of
from .rank_model import heading, words_of
from .rank_table import RankTable
from .ranked import Ranked
from .search import Chosen
from .theme import UNIT, sized
from .tray import Tray, mark_of

if TYPE_CHECKING:
    from .value_plot import ValuePlot

SCOPES: tuple[tuple[Scope, str], ...] = (
    ("machines", "machines for this model"),
    ("models", "models for this machine"),
    ("pairs", "every pair"),
)
LOOKS: tuple[tuple[Look, str], ...] = (("table", "table"), ("map", "heat map"), ("value", "value"))
UPS = ("aggregate_tokens_per_s", "single_session_tokens_per_s", "per_session_tokens_per_s")
ACROSS = ("price", "watts")
NAMED = 3


class RankTab(QWidget):
    """The ranking as a table, a map or a plot of value; one set of filters for all three.

    library: the one in use. remember: is given the choice after each change.
    """

    edited = Signal(dict)

    def __init__(
        self,
        library: Callable[[], Library],
        prices: Prices,
        tray: Tray,
        choice: RankChoice,
        remember: Callable[[RankChoice], None],
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._prices, self._tray = library, prices, tray
        self._remember = remember
        self.choice = choice.known()
        self._evaluation: Evaluation | None = None
        self._is_stale = False
        self.ranked = Ranked(self)
        self.ranked.changed.connect(self._show)
        self._facets: FacetPopup | None = None
        self._money: PricesPopup | None = None
        self._row: int | None = None
        self._said = ""
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
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * UNIT, 0, UNIT)
        layout.setSpacing(UNIT + 2)
        layout.addLayout(self._build_head())
        layout.addLayout(self._build_filters())
        layout.addWidget(self.pages, 1)
        layout.addWidget(self.note)
        self._connect()
        self._show_choice()

    def _build_head(self) -> QHBoxLayout:
        self.scope = self._choose_from(self.tr("Rank"), SCOPES, 196)
        self.weights = self._choose_from(self.tr("Weight format"), (), 150)
        self.look = self._choose_from(self.tr("Show as"), LOOKS, 96)
        self.up = self._choose_from(self.tr("Figure"), (), 124)
        self.across = self._choose_from(
            self.tr("Against"), [(column, BY_ID[column].title) for column in ACROSS], 80
        )
        self.columns = self._button(self.tr("Columns"), self.tr("Which columns are shown"))
        self.columns_menu = QMenu(self)
        self.columns.setMenu(self.columns_menu)
        self.columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        for column in COLUMNS:
            action = self.columns_menu.addAction(column.title)
            action.setCheckable(True)
            action.setData(column.id)
            action.setToolTip(column.about)
            action.toggled.connect(lambda on, id_=column.id: self._show_column(id_, on))
        self.money = self._button(
            self.tr("Prices"), self.tr("Currency, electricity and lifetime; your own prices")
        )
        self.money.clicked.connect(self.open_prices)
        self.export = ExportButton(self.sheet, self.picture, self.tr("Ranking"))
        head = QHBoxLayout()
        head.setSpacing(UNIT)
        for field in (self.scope, self.weights, self.look, self.up, self.across):
            head.addWidget(field)
        head.addStretch(1)
        for part in (self.columns, self.money, self.export):
            head.addWidget(part)
        return head

    def _build_filters(self) -> QHBoxLayout:
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText(self.tr("Search names: rtx 24, qwen moe"))
        self.search.setAccessibleName(self.tr("Search the ranking"))
        self.filter = self._button(
            self.tr("Filter"), self.tr("Narrow by verdict, maker, kind, size and more")
        )
        self.clear = self._button(self.tr("Clear"), self.tr("Drop the search and every filter"))
        self.found = QLabel()
        self.found.setFont(sized("caption"))
        self.found.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        row = QHBoxLayout()
        row.setSpacing(UNIT)
        row.addWidget(self.search, 1)
        row.addWidget(self.filter)
        row.addWidget(self.clear)
        row.addSpacing(UNIT)
        row.addWidget(self.found)
        return row

    def _choose_from(self, name: str, choices: Any, width_px: int) -> ChoiceField:
        field = ChoiceField()
        field.setAccessibleName(name)
        field.setToolTip(name)
        field.setFixedWidth(width_px)
        field.offer([(value, self.tr(words)) for value, words in choices])
        return field

    def _button(self, words: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(words)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _connect(self) -> None:
        for field, key in (
            (self.scope, "scope"),
            (self.weights, "weights"),
            (self.look, "look"),
            (self.up, "up"),
            (self.across, "across"),
        ):
            field.committed.connect(
                lambda _value, key=key, field=field: self._choose(**{key: field.value()})
            )
        self.search.textChanged.connect(lambda text: self._choose(text=text))
        self.filter.clicked.connect(self.open_filters)
        self.clear.clicked.connect(self.clear_filters)
        table = self.table
        table.head.narrowed.connect(lambda texts: self._choose(ranges=texts))
        table.head.refused.connect(self._refuse_range)
        table.sorted.connect(lambda column, down: self._choose(sort=column, descending=down))
        table.opened.connect(self._open)
        table.marked.connect(self._mark)
        table.copied.connect(lambda: self.export.copy("CSV"))
        table.selectionModel().currentChanged.connect(lambda *_: self._follow())
        table.rows.priced.connect(self._price)
        table.rows.refused.connect(self._refuse)
        table.rows.is_marked = self._tray.holds
        table.head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.head.customContextMenuRequested.connect(
            lambda at: self.columns_menu.popup(table.head.mapToGlobal(at))
        )
        self.map.opened.connect(self._open)
        self.map.marked.connect(self._mark)
        self.map.pointed.connect(self._point)
        self._prices.changed.connect(self._refresh)
        self._prices.refused.connect(self._refuse)
        self._tray.changed.connect(table.rows.repaint)

    # What is shown

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation, and rank for it if the tab is in sight."""
        self._evaluation = evaluation
        self._refresh()

    @property
    def filters(self) -> Filters:
        """What a row must satisfy to be shown."""
        chosen = {key: frozenset(values) for key, values in self.choice.facets.items()}
        return filters_of(self.table.head.ranges(), chosen, self.choice.text)

    def _refresh(self) -> None:
        self._is_stale = not self.isVisible()
        if self._is_stale or self._evaluation is None:
            return
        self._said = ""
        self.ranked.present(
            self._evaluation, self._library(), self.choice, self.filters, self._prices.settings
        )

    def _show(self) -> None:
        """Draw what was ranked, in the page in sight."""
        ranked, choice = self.ranked, self.choice
        table = ranked.table
        page: QWidget = self.words
        why = ranked.why
        if table is not None and ranked.count:
            page, why = self._draw(table)
        self.words.setText(why)
        self.pages.setCurrentWidget(page)
        if page is not self.table and choice.look == "table" and table is not None:
            # Only a filter is in the way: its fields stay, so that it can be seen and changed.
            self._draw_table(table)
            self.pages.setCurrentWidget(self.table)
        self._show_found()
        self._tell()

    def _draw(self, table: Table) -> tuple[QWidget, str]:
        """The page for the look that is chosen, or why it has nothing to show."""
        ranked, choice = self.ranked, self.choice
        if choice.look == "table":
            self._draw_table(table)
            return self.table, ""
        rows = ranked.rows if ranked.rows is not None else np.arange(len(table))
        if choice.look == "map":
            self.map.present(table, choice.up, rows)
            return self.map, ""
        if choice.scope != "machines":
            return self.words, self.tr("Value compares machines: choose “machines for this model”.")
        values = value_plot(table, choice.across, choice.up, rows)
        if not values.rows.size:
            return self.words, self._no_points(table, rows)
        self._plot().present(table, values, choice.across, choice.up, self._here(table))
        return self._plot(), ""

    def _draw_table(self, table: Table) -> None:
        ranked, view = self.ranked, self.table
        columns = (*self._words(), *self.choice.columns)
        row = self._row if self._row is not None and self._row < len(table) else None
        fresh = columns != view.rows.columns
        view.rows.ready = ranked.ready
        view.rows.here = None if self._evaluation is None else mark_of(self._evaluation.scenario)
        view.rows.show(table, ranked.order, ranked.count, columns)
        view.head.offer(columns, self.choice.ranges)
        if fresh:
            view.fit_columns()
        view.show_order(self.choice.sort, self.choice.descending)
        view.keep(row)

    def _words(self) -> tuple[str, ...]:
        """The columns of words: what differs from row to row."""
        scope = self.choice.scope
        names = {"machines": ("machine",), "models": ("model",), "pairs": ("machine", "model")}
        weights = ("weights",) if scope != "machines" or self.choice.weights == BEST else ()
        return (*names[scope], *weights, "verdict")

    def _plot(self) -> "ValuePlot":
        if self.plot is None:
            from .value_plot import ValuePlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = ValuePlot()
            self.plot.opened.connect(self._open)
            self.pages.addWidget(self.plot)
        return self.plot

    def _here(self, table: Table) -> int | None:
        """The row that the scenario stands at."""
        if self._evaluation is None:
            return None
        hardware = self._evaluation.scenario.hardware
        places = [at for at, one in enumerate(table.field.machines) if one.hardware == hardware]
        return places[0] if places and len(table.field.models) == 1 else None

    def _no_points(self, table: Table, rows: Any) -> str:
        if not table.serves[rows].any():
            return self.tr("No machine serves this model at this workload, so none has a value.")
        what = BY_ID[self.choice.across].title.casefold()
        return self.tr(
            "None of these machines has a {what}. Type prices with F2 in the table, or a currency "
            "under Prices."
        ).format(what=what)

    def _show_found(self) -> None:
        table, write = self.ranked.table, typed.separators()
        if table is None:
            self.found.setText("")
            return
        rows = self.ranked.rows
        serving = int((table.serves if rows is None else table.serves[rows]).sum())
        whole, count = number(len(table), 0, write), number(self.ranked.count, 0, write)
        words = self.tr("{serving} serve of {count}").format(
            serving=number(serving, 0, write), count=count
        )
        if self.ranked.count < len(table):
            words += self.tr(" ({whole} without filters)").format(whole=whole)
        self.found.setText(words)
        narrows = self.filters != Filters()
        self.clear.setEnabled(narrows or bool(self.table.head.texts()))
        switched = sum(len(values) for values in self.choice.facets.values())
        self.filter.setText(self.tr("Filter") + (f" {switched}" if switched else ""))

    # The line below

    def _follow(self) -> None:
        if (row := self.table.row) is not None:
            self._row = row
            self._tell()

    def _point(self, row: int) -> None:
        self._row = row
        self._tell()
        self.map.describe(self.note.accessibleName())

    def _tell(self) -> None:
        """What stands in the line below: a refusal, the pair in use, else what is left out."""
        table = self.ranked.table
        if self._said:
            self.note.setForegroundRole(QPalette.ColorRole.BrightText)
            self.note.say(self._said)
            return
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        if table is None:
            self.note.say("")
        elif self.ranked.count == 0:
            self.note.say(self.ranked.why)
        elif self.choice.look == "value":
            self.note.say(*self._without(table))
        elif self._row is not None and self._row < len(table):
            self.note.say(self._pair(table, self._row), self.tr("Enter opens it, Space marks it"))
        else:
            self.note.say(self._left_out())

    def _pair(self, table: Table, row: int) -> str:
        names = (table.machine_of(row).name, table.model_of(row).name, table.weights_of(row))
        parts = [" · ".join(filter(None, names)), words_of(table, row)]
        if table.serves[row]:
            parts += [
                f"{BY_ID[column].title} {table.cell(column, row)} {table.unit(column)}".strip()
                for column in ("best_batch", "aggregate_tokens_per_s")
            ]
            if self.choice.look == "map":
                column = self.choice.up
                parts.append(f"{heading(column, table)}: {table.cell(column, row)}")
        parts.append(table.price_tags[row % len(table.field.machines)].said)
        return "; ".join(parts)

    def _left_out(self) -> str:
        words = self.tr(
            "Ceilings: one that is too low is certain, one that is high enough is no promise."
        )
        scenario = None if self._evaluation is None else self._evaluation.scenario
        if scenario is not None and scenario.speculation is not None:
            words += self.tr(" Speculation plays no part here: a draft belongs to one model.")
        return words

    def _without(self, table: Table) -> tuple[str, str]:
        """How many machines have no place on the plot, and which."""
        column = self.choice.across
        rows = self.ranked.rows if self.ranked.rows is not None else np.arange(len(table))
        serving = rows[table.serves[rows]]
        bare = serving[np.isnan(table.values(column)[serving])]
        idle = rows.size - serving.size
        names = [table.machine_of(row).name for row in bare.tolist()]
        what = self.tr("price") if column == "price" else self.tr("power figure")
        parts = []
        if names:
            shown = ", ".join(names[:NAMED]) + ("" if len(names) <= NAMED else ", …")
            parts.append(
                self.tr("Not drawn: {count} that serve and have no {what} ({shown})").format(
                    count=len(names), what=what, shown=shown
                )
            )
        if idle:
            parts.append(self.tr("{count} do not serve").format(count=idle))
        return "; ".join(parts), "\n".join(names[:40])

    def _refuse(self, why: str) -> None:
        self._said = why
        self._tell()

    def _refuse_range(self, column: str, why: str) -> None:
        self._refuse(f"{BY_ID[column].title}: {why}")

    # What is chosen

    def _choose(self, **changes: Any) -> None:
        if changes.get("scope") and self.choice.look != "table":
            fits = {"map": "pairs", "value": "machines"}[self.choice.look]
            if changes["scope"] != fits:
                changes["look"] = "table"
        if changes.get("look") in ("map", "value"):
            changes["scope"] = {"map": "pairs", "value": "machines"}[changes["look"]]
            if changes["look"] == "value" and self.choice.up not in UPS:
                changes["up"] = UPS[0]
        changed = structs.replace(self.choice, **changes)
        if changed == self.choice:
            return
        if changed.scope != self.choice.scope:
            self._row = None
        self.choice = changed
        self._remember(changed)
        self._show_choice()
        self._refresh()

    def _show_choice(self) -> None:
        choice = self.choice
        own = self.tr("weights as chosen") if choice.scope == "machines" else self.tr("as released")
        formats = [(form.id, form.name) for form in WEIGHT_FORMATS.values()]
        self.weights.offer([(None, own), (BEST, self.tr("best that fits")), *formats])
        ups = UPS if choice.look == "value" else tuple(BY_ID)
        self.up.offer([(column, BY_ID[column].title) for column in ups])
        for field, value in (
            (self.scope, choice.scope),
            (self.weights, choice.weights),
            (self.look, choice.look),
            (self.up, choice.up),
            (self.across, choice.across),
        ):
            field.present(value)
        self.up.setVisible(choice.look != "table")
        self.across.setVisible(choice.look == "value")
        self.columns.setEnabled(choice.look == "table")
        if self.search.text() != choice.text:
            self.search.setText(choice.text)
        for action in self.columns_menu.actions():
            action.blockSignals(True)
            action.setChecked(action.data() in choice.columns)
            action.blockSignals(False)
        self.table.head.offer((*self._words(), *choice.columns), choice.ranges)

    def _show_column(self, column: str, on: bool) -> None:
        shown = set(self.choice.columns) ^ {column}
        if on != (column in self.choice.columns):
            self._choose(columns=tuple(id_ for id_ in BY_ID if id_ in shown))

    def clear_filters(self) -> None:
        """Show every row again."""
        self.table.head.clear()
        if self._facets is not None:
            self._facets.blockSignals(True)
            self._facets.clear()
            self._facets.blockSignals(False)
        self._choose(text="", ranges={}, facets={})
        self.search.setFocus()

    def open_filters(self) -> None:
        """Show the facets with their counts below their button."""
        if self.ranked.table is None:
            return
        if self._facets is None:
            self._facets = FacetPopup(self.tr("Ranking"), FACETS, self._counts, self)
            self._facets.chosen = {
                key: frozenset(values) for key, values in self.choice.facets.items()
            }
            self._facets.changed.connect(self._narrow)
        self._facets.say_found(self.found.text())
        self._facets.open_at(self.filter.mapToGlobal(QPoint(0, self.filter.height())))

    def _counts(self, chosen: Chosen) -> dict[str, dict[str, int]]:
        table = self.ranked.table
        if table is None:
            return {}
        return facet_counts(table, filters_of(self.table.head.ranges(), chosen, self.choice.text))

    def _narrow(self, chosen: Chosen) -> None:
        kept = {key: tuple(sorted(values)) for key, values in chosen.items() if values}
        self._choose(facets=kept)
        if self._facets is not None:
            self._facets.say_found(self.found.text())

    def open_prices(self) -> None:
        """Show the form of currency, electricity and lifetime below its button."""
        if self._money is None:
            self._money = PricesPopup(self._prices, self)
        self._money.open_at(self.money.mapToGlobal(QPoint(0, self.money.height())))

    # What is done with a row

    def _open(self, row: int) -> None:
        if self._evaluation is None or self.ranked.table is None:
            return
        scenario, wanted = self._evaluation.scenario, self.ranked.table.scenario(row)
        changes: dict[str, Any] = {"hardware": wanted.hardware}
        if self.choice.scope != "machines" or self.choice.weights is not None:
            plain = isinstance(scenario.model, ModelRef) and scenario.model.record is None
            model = wanted.model
            if plain and isinstance(model, ModelRef) and model.record is None:
                changes |= {"model.id": model.id, "model.weights": model.weights}
            else:
                changes["model"] = model
        self.edited.emit(changes)

    def _mark(self, row: int) -> None:
        if self.ranked.table is not None:
            self._tray.toggle(mark_of(self.ranked.table.scenario(row)))

    def _price(self, machine_id: str, amount: float | None) -> None:
        self._said = ""
        try:
            self._prices.set_price(machine_id, amount)
        except BadInput as bad:
            self._refuse(bad.problem.message)
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

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._refresh()
