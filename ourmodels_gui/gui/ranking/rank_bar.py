"""The two rows above the ranking: what is ranked and how it is shown; search and filters."""

from collections.abc import Callable
from typing import Any

from msgspec import structs
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ...language import mark, tr
from ...ranking.columns import BY_ID, COLUMNS
from ...ranking.field import BEST
from ...settings import Look, RankChoice, Scope
from ..asked.facets import Counts, FacetPopup
from ..asked.search import Chosen
from ..asked.weight_choices import format_choices
from ..fields import ChoiceField
from ..theme import UNIT, px, sized
from ..tool_row import ToolRow, give_way, labelled
from .rank_filters import FACETS

SCOPES: tuple[tuple[Scope, str], ...] = (
    ("machines", mark("machines for this model")),
    ("models", mark("models for this machine")),
    ("pairs", mark("every pair")),
)
LOOKS: tuple[tuple[Look, str], ...] = (
    ("table", mark("table")),
    ("map", mark("heat map")),
    ("value", mark("plot")),
)
SCOPE_OF: dict[Look, Scope] = {"map": "pairs", "value": "machines"}
"""A map needs every pair, and value compares machines."""
UPS = ("aggregate_tokens_per_s", "single_session_tokens_per_s", "per_session_tokens_per_s")
ACROSS = ("price", "watts")
SEARCH_PX = 236
"""Room for the hint in it."""


def followed(choice: RankChoice, changes: dict[str, Any]) -> RankChoice:
    """The choice with some changes, and with what goes along: a look has its scope.

    >>> followed(RankChoice(), {"look": "map"}).scope
    'pairs'
    >>> followed(RankChoice(look="map", scope="pairs"), {"scope": "models"}).look
    'table'
    """
    changed = structs.replace(choice, **changes)
    scope = SCOPE_OF.get(changed.look, changed.scope)
    if "look" in changes:
        changed = structs.replace(changed, scope=scope)
    elif scope != changed.scope:
        changed = structs.replace(changed, look="table")
    if changed.look == "value" and changed.up not in UPS:
        changed = structs.replace(changed, up=UPS[0])
    return changed


def tool(words: str, tip: str, parent: QWidget | None = None) -> QToolButton:
    """A button of a row of tools, that the keyboard reaches."""
    button = QToolButton(parent)
    button.setText(words)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class RankBar(QWidget):
    """Shows a choice and reports its changes. chosen: fields of the choice with their new values.

    cleared: every filter is to go. money_asked: prices. counts: how many rows each value of each
    facet leaves; set by the owner.
    """

    chosen = Signal(dict)
    cleared = Signal()
    money_asked = Signal()

    def __init__(self, export: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choice = RankChoice()
        self._popup: FacetPopup | None = None
        self.counts: Callable[[Chosen], Counts] = lambda _chosen: {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT + 2)
        layout.addWidget(self._build_head(export))
        layout.addWidget(self._build_filters())

    def _build_head(self, export: QWidget) -> ToolRow:
        across = [(column, BY_ID[column].title) for column in ACROSS]
        self.scope = self._choose_from("scope", tr("Rank"), SCOPES, 188)
        self.weights = self._choose_from("weights", tr("Weight format"), (), 152)
        self.look = self._choose_from("look", tr("Show as"), LOOKS, 92)
        self.up = self._choose_from("up", tr("Figure"), (), 116)
        self.across = self._choose_from("across", tr("Against"), across, 72)
        self.columns = tool(tr("Columns"), tr("Which columns are shown"))
        self.menu = QMenu(self)
        self.columns.setMenu(self.menu)
        self.columns.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        for column in COLUMNS:
            action = self.menu.addAction(tr(column.title))
            action.setCheckable(True)
            action.setData(column.id)
            action.toggled.connect(lambda on, id_=column.id: self._show_column(id_, on))
        self.money = tool(tr("Prices"), tr("Currency, electricity and lifetime; your own prices"))
        self.money.clicked.connect(self.money_asked)
        # Read in one line: Rank machines for this model with the weights as chosen as a table.
        self._up, self._across = labelled(tr("of"), self.up), labelled(tr("by"), self.across)
        sentence = [
            labelled(tr("Rank"), self.scope),
            labelled(tr("with"), self.weights),
            labelled(tr("as"), self.look),
            self._up,
            self._across,
        ]
        return ToolRow(sentence, (self.columns, self.money, export))

    def _build_filters(self) -> ToolRow:
        self.search = QLineEdit()
        self.search.setMinimumWidth(px(SEARCH_PX))
        self.search.setClearButtonEnabled(True)
        self.search.setPlaceholderText(tr("Search names: rtx 24, qwen moe"))
        self.search.setAccessibleName(tr("Search the ranking"))
        self.search.textChanged.connect(lambda text: self.chosen.emit({"text": text}))
        self.filter = tool(tr("Filter"), tr("Narrow by verdict, maker, kind, size and more"))
        self.filter.clicked.connect(self.open_filters)
        self.clear = tool(tr("Clear"), tr("Drop the search and every filter"))
        self.clear.clicked.connect(self.cleared)
        self.found = QLabel()
        self.found.setFont(sized("caption"))
        self.found.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        return ToolRow((self.search, self.filter, self.clear, self.found))

    def _choose_from(self, key: str, name: str, choices: Any, width_px: int) -> ChoiceField:
        field = ChoiceField()
        field.setAccessibleName(name)
        field.setToolTip(name)
        give_way(field, width_px)
        field.offer([(value, tr(words)) for value, words in choices])
        field.committed.connect(lambda _value: self.chosen.emit({key: field.value()}))
        return field

    def present(self, choice: RankChoice) -> None:
        """Show a choice."""
        self._choice = choice
        own = tr("weights as chosen") if choice.scope == "machines" else tr("as released")
        best = tr("best that fits")
        self.weights.offer([(None, own), (BEST, best), *format_choices()])
        ups = UPS if choice.look == "value" else tuple(BY_ID)
        self.up.offer([(column, tr(BY_ID[column].title)) for column in ups])
        for key in ("scope", "weights", "look", "up", "across"):
            field: ChoiceField = getattr(self, key)
            field.present(getattr(choice, key))
        self._up.setVisible(choice.look != "table")
        self._across.setVisible(choice.look == "value")
        self.columns.setVisible(choice.look == "table")
        if self.search.text() != choice.text:
            self.search.setText(choice.text)
        switched = sum(len(values) for values in choice.facets.values())
        self.filter.setText(tr("Filter") + (f" {switched}" if switched else ""))
        for action in self.menu.actions():
            action.blockSignals(True)
            action.setChecked(action.data() in choice.columns)
            action.blockSignals(False)

    def say_found(self, words: str, *, narrowed: bool) -> None:
        """How many rows there are; narrowed: a filter is in use, and can be dropped."""
        self.found.setText(words)
        self.clear.setEnabled(narrowed)
        if self._popup is not None:
            self._popup.say_found(words)

    def open_filters(self) -> None:
        """Show the facets with their counts below their button."""
        if self._popup is None:
            self._popup = FacetPopup(tr("Ranking"), FACETS, self.counts, self)
            self._popup.changed.connect(self._narrow)
        self._popup.chosen = {key: frozenset(some) for key, some in self._choice.facets.items()}
        self._popup.say_found(self.found.text())
        # Its right end below the button's: there is more room at the left.
        corner = QPoint(self.filter.width() - self._popup.width(), self.filter.height())
        self._popup.open_at(self.filter.mapToGlobal(corner))

    def _narrow(self, chosen: Chosen) -> None:
        kept = {key: tuple(sorted(values)) for key, values in chosen.items() if values}
        self.chosen.emit({"facets": kept})

    def _show_column(self, column: str, on: bool) -> None:
        shown = set(self._choice.columns) - {column} | ({column} if on else set())
        if shown:
            self.chosen.emit({"columns": tuple(id_ for id_ in BY_ID if id_ in shown)})
        else:
            self.present(self._choice)  # one column stays
