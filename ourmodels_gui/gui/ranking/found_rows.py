"""The answer of a reverse search as rows: machine, price, what binds, headroom of each need."""

from collections.abc import Sequence
from typing import Any

from ...language import mark, tr
from ...ranking.needs import NEEDS, Check, Need
from ...ranking.search import Candidate, Found
from ...ranking.sheet import Heading, Sheet
from ...units import ENGLISH, Separators, number
from .. import typed
from ..answered.cards import SIGNS
from ..cell_delegate import Shown
from .cell_table import Column

TONES = {mark("meets"): "serves", mark("unknown"): "below", mark("misses"): "unfit"}
BINDS: dict[Need, str] = {
    "memory": mark("memory binds"),
    "rate": mark("rate binds"),
    "first token": mark("first token binds"),
    "budget": mark("budget binds"),
    "power": mark("power binds"),
}
Standing = tuple[str, Candidate]


def standings(found: Found) -> list[Standing]:
    """Every machine of the three lists, with the list that it stands in."""
    lists = {"meets": found.meets, "unknown": found.unknown, "misses": found.misses}
    return [(standing, one) for standing, some in lists.items() for one in some]


def found_cells(
    rows: Sequence[Standing], currency: str
) -> tuple[tuple[Column, ...], Sequence[Sequence[Shown]]]:
    """The rows for the screen; a need that nothing is held against has no column."""
    asked = {check.need for _, one in rows for check in one.checks}
    needs = [need for need in NEEDS if need in asked]
    columns = (
        Column(tr("Needs")),
        Column(tr("Machine")),
        Column(tr("Price, {currency}").format(currency=currency), right=True),
        Column(tr("Weights")),
        Column(tr("Limit")),
        *(Column(tr(NEEDS[need]), right=True) for need in needs),
    )
    return columns, _Rows(rows, needs)


class _Rows(Sequence[Sequence[Shown]]):
    """Rows that are told when they come into sight."""

    def __init__(self, standings: Sequence[Standing], needs: Sequence[Need]) -> None:
        self._standings, self._needs = standings, needs
        self._told: dict[int, list[Shown]] = {}

    def __len__(self) -> int:
        return len(self._standings)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        if place not in self._told:
            standing, one = self._standings[place]
            self._told[place] = _row(standing, one, self._needs)
        return self._told[place]


def found_sheet(rows: Sequence[Standing], currency: str) -> Sheet:
    """The rows to take away."""
    headings = (
        Heading("standing", "Needs", numeric=False),
        Heading("hardware", "Machine id", numeric=False),
        Heading("machine", "Machine", numeric=False),
        Heading("price", "Price", currency),
        Heading("weights", "Weights", numeric=False),
        *(
            Heading(f"{need.replace(' ', '_')}_headroom", f"{need.capitalize()} headroom")
            for need in NEEDS
        ),
        Heading("why", "What binds, or is missing", numeric=False),
    )
    cells: list[tuple[Any, ...]] = []
    for standing, one in rows:
        headroom = {check.need: check.headroom for check in one.checks}
        names = (standing, one.machine.id, one.machine.name, one.price, one.weights)
        cells.append((*names, *(headroom.get(need) for need in NEEDS), why(one)))
    texts = [tuple(_text(value) for value in row) for row in cells]
    return Sheet(headings, cells, texts)


def why(one: Candidate, separators: Separators = ENGLISH) -> str:
    """What a machine lacks, what is unknown of it, or which need is the tightest."""
    if told := one.lacks or one.unknown:
        return "; ".join(check.said(separators) for check in told)
    return tr(BINDS[one.binds.need]) if one.binds else ""


def _row(standing: str, one: Candidate, needs: Sequence[Need]) -> list[Shown]:
    tone = TONES[standing]
    checks = {check.need: check for check in one.checks}
    sign = "?" if standing == "unknown" else SIGNS[tone]
    price = one.price_text(typed.separators()) or tr("no price")
    return [
        Shown(f"{sign} {tr(standing)}", tone),
        Shown(one.machine.name),
        Shown(price, "muted" if one.price is None else "text", hint=one.price_tag.said),
        Shown(one.weights or "-", "muted"),
        Shown(why(one, typed.separators()), "muted" if standing == "meets" else tone),
        *(_headroom(checks.get(need)) for need in needs),
    ]


def _headroom(check: Check | None) -> Shown:
    if check is None:
        return Shown("")
    if check.headroom is None:
        return Shown("?", "below", hint=check.said(typed.separators()))
    times = check.headroom
    figure = number(times, 2 if times < 10 else 0, typed.separators())
    tone = "text" if check.met else "unfit"
    return Shown(f"{figure}×", tone, hint=check.said(typed.separators()))  # noqa: RUF001


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else f"{value:,.3g}"
