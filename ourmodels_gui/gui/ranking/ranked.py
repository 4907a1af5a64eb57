"""The ranking that the tab shows: kept up with the scenario within a frame, finished afterwards.

A slider that moves gives a new table at once, with the first rows in order. When it rests, the
order of the other rows and the columns that take longer follow, one in each turn of the event loop.
"""

from collections.abc import Callable, Collection
from time import perf_counter

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from ...evaluation import Evaluation
from ...language import tr
from ...library.load import Library
from ...problem import BadInput
from ...ranking.columns import BY_ID
from ...ranking.compositions import modes_of
from ...ranking.field import Field, FieldChoice, prepare
from ...ranking.order import Filters, choose, order, why_empty
from ...ranking.table import PROMPTS, Indices, Table, rank
from ...settings import RankChoice, Settings
from ..background import Worker

FRAME_S = 0.012
REST_MS = 60
SMALL = 5000
"""Rows that are sorted at once."""
FIRST = 500
"""Rows of a longer list that are in order at once."""
SOME = 200
"""Prompts on compositions that are worked out before asking whether anybody still waits."""
NO_ROWS: Indices = np.empty(0, dtype=np.intp)


class Ranked(QObject):
    """table, the rows in order as far as they are known, how many rows there are, which columns are
    worked out, and why there is nothing, "" where there is something. changed: any of them."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table: Table | None = None
        self.rows: Indices | None = None
        self.order = NO_ROWS
        self.count = 0
        self.ready: frozenset[str] = frozenset()
        self.why = ""
        self._evaluation: Evaluation | None = None
        self._library: Library | None = None
        self._choice = RankChoice()
        self._filters = Filters()
        self._settings = Settings()
        self._made: Field | None = None
        self._under_way: tuple[Library, FieldChoice] | None = None
        self._took: dict[tuple[str, str | None, str], float] = {}
        self._basis: tuple[object, ...] = ()
        self._preparing = Worker(self)
        self._preparing.done.connect(self._prepared)
        self._working = Worker(self)
        self._working.done.connect(self._worked)
        for worker in (self._preparing, self._working):
            worker.failed.connect(lambda error: self._nothing(str(error)))
        self._resting = QTimer(self, singleShot=True, interval=REST_MS)
        self._resting.timeout.connect(self._finish)

    @property
    def is_whole(self) -> bool:
        """Whether every row has its place and every column its figures."""
        return self.order.size == self.count and not self._missing()

    @property
    def is_preparing(self) -> bool:
        return self._preparing.is_busy

    def present(
        self,
        evaluation: Evaluation,
        library: Library,
        choice: RankChoice,
        filters: Filters,
        settings: Settings,
    ) -> None:
        """Rank for a scenario, as far as a frame allows; the rest follows."""
        self._evaluation, self._library = evaluation, library
        self._choice, self._filters, self._settings = choice, filters, settings
        field = self._field()
        if field is not None:
            self._rank(field)

    def let_go(self) -> None:
        """Keep nothing for nobody; the next `present` works it out again."""
        self._stop_preparing()
        self._working.cancel()
        self._made = self._library = None
        self._nothing("")

    def whole(self) -> None:
        """Finish now what would follow."""
        if self.table is None or self.is_whole:
            return
        self._resting.stop()
        self._working.cancel()
        self._sort(None)
        for column in self._missing():
            self._work_out(column)
        self.changed.emit()

    # The field

    def _field(self) -> Field | None:
        assert self._evaluation is not None and self._library is not None
        scope, known = self._choice.scope, self._made
        wanted = _field_choice(self._evaluation, self._choice)
        if known is not None and known.library is self._library and known.choice == wanted:
            self._stop_preparing()
            return known
        if scope == "machines":
            try:
                self._made = prepare(self._library, wanted, self._made)
            except BadInput as bad:
                self._stop_preparing()
                self._nothing(str(bad))
                return None
            self._stop_preparing()
            return self._made
        library = self._library
        if self._under_way != (library, wanted) or not self._preparing.is_busy:
            self._under_way = (library, wanted)
            self._preparing.ask(lambda _request: _prepared(library, wanted))
        self._nothing(tr("Every model is worked out once in these formats …"))
        return None

    def _stop_preparing(self) -> None:
        self._preparing.cancel()
        self._under_way = None

    def _prepared(self, field: Field) -> None:
        self._made, self._under_way = field, None
        self._rank(field)

    def _nothing(self, why: str) -> None:
        self.table, self.rows, self.order, self.count = None, None, NO_ROWS, 0
        self._basis = ()
        self.why = why
        self._resting.stop()
        self.changed.emit()

    # The table

    def _rank(self, field: Field) -> None:
        assert self._evaluation is not None
        start = perf_counter()
        scenario = self._evaluation.scenario
        basis = (field, scenario.workload, modes_of(scenario.prefill))
        try:
            if self.table is None or basis != self._basis:
                self._working.cancel()
                self.table = rank(field, scenario.workload, scenario.prefill, self._settings)
                self._basis = basis
            elif self.table.pairs.prefill != scenario.prefill:
                self._working.cancel()
                self.table = self.table.at_prompt(scenario.prefill)
            if self.table.settings != self._settings:
                self.table = self.table.at_prices(self._settings)
            table = self.table
            plain = self._filters == Filters()
            self.rows = None if plain else choose(table, self._filters)
        except BadInput as bad:
            self._nothing(bad.problem.message)
            return
        self.count = len(table) if self.rows is None else self.rows.size
        self.why = "" if self.count else why_empty(table, self._filters)
        self._sort(None if self.count <= SMALL else FIRST)
        self.ready = frozenset()
        for column in (*self._wanted(), self._choice.sort, *self._filters.ranges):
            if column in BY_ID and (
                column in table.worked_out
                or perf_counter() - start + self._time_of(column) < FRAME_S
            ):
                self._work_out(column)
        self.changed.emit()
        if self.is_whole:
            self._resting.stop()
        else:
            self._resting.start(REST_MS)

    def _sort(self, least: int | None) -> None:
        assert self.table is not None
        choice = self._choice
        self.order = order(self.table, choice.sort, choice.descending, self.rows, least)

    def _missing(self) -> tuple[str, ...]:
        return tuple(column for column in self._wanted() if column not in self.ready)

    def _wanted(self) -> tuple[str, ...]:
        """The columns that are in sight."""
        choice = self._choice
        if choice.look == "table":
            return choice.columns
        return (choice.up,) if choice.look == "map" else (choice.up, choice.across)

    def _finish(self) -> None:
        """One more step; the next in the next turn."""
        if self.table is None:
            return
        if self.order.size < self.count:
            self._sort(None)
        elif missing := self._missing():
            if self._time_of(missing[0]) < FRAME_S:
                self._work_out(missing[0])
            else:
                table, column = self.table, missing[0]
                self._working.ask(lambda request: _worked_out(table, column, request.stop))
                return
        self._went_on()

    def _went_on(self) -> None:
        self.changed.emit()
        if not self.is_whole:
            self._resting.start(0)

    def _worked(self, found: tuple[Table, str, float | None]) -> None:
        table, column, took_s = found
        self._remember(column, took_s)
        if table is self.table:
            self.ready |= {column}
            self._went_on()

    def _time_of(self, column: str) -> float:
        """What a column took last time; a frame where nobody knows."""
        return self._took.get((self._choice.scope, self._choice.weights, column), FRAME_S)

    def _remember(self, column: str, took_s: float | None) -> None:
        """What a column took, and with it the others that come of the same work."""
        if took_s is not None:
            for one in _together(column):
                self._took[self._choice.scope, self._choice.weights, one] = took_s

    def _work_out(self, column: str) -> None:
        assert self.table is not None
        _, _, took_s = _worked_out(self.table, column)
        self._remember(column, took_s)
        self.ready |= {column}


def _together(column: str) -> Collection[str]:
    """The columns that are worked out with one, itself among them."""
    return PROMPTS.keys() if column in PROMPTS else (column,)


def _worked_out(
    table: Table, column: str, stop: Callable[[], bool] = lambda: False
) -> tuple[Table, str, float | None]:
    """Work a column out, unless stopped; how long that took, None where it was there already."""
    start, there = perf_counter(), not set(_together(column)).isdisjoint(table.worked_out)
    if column in PROMPTS:
        composed = np.flatnonzero(table.machine >= table.field.single)
        for first in range(0, composed.size, SOME):
            if stop():
                return table, column, np.inf
            table.some(column, composed[first : first + SOME])
    if column not in table.worked_out:
        table.values(column)
    return table, column, None if there else perf_counter() - start


def _prepared(library: Library, choice: FieldChoice) -> Field:
    """The field with all that its first ranking needs."""
    field = prepare(library, choice)
    _ = field.caches, field.expected, field.limits
    return field


def _field_choice(evaluation: Evaluation, choice: RankChoice) -> FieldChoice:
    scenario = evaluation.scenario
    return FieldChoice(
        weights=choice.weights,
        cache_format=scenario.workload.cache_format,
        cache_read_format=scenario.workload.cache_read_format,
        machines=(scenario.hardware,) if choice.scope == "models" else None,
        models=(scenario.model,) if choice.scope == "machines" else None,
    )
