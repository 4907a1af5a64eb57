"""Order and choice of rows: sort, ranges, facets, search. Pure functions from a table to rows."""

from collections.abc import Collection, Iterable

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..engine.sweep import VERDICTS
from ..language import mark, tr
from ..problem import BadInput
from .columns import BY_ID, TEXTS
from .table import UNKNOWN_SAID, Table

Indices = NDArray[np.intp]
Marks = NDArray[np.bool_]

CAPACITIES_GB = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024)


class Range(msgspec.Struct, frozen=True):
    """Which values of a column stay, ends included; unknown: whether a row without one stays."""

    low: float | None = None
    high: float | None = None
    unknown: bool = False


class Filters(msgspec.Struct, frozen=True):
    """What a row must satisfy, all of it. ranges by column id; facets by facet id, the values that
    stay; text, words that must all be in the names; serving, whether only rows that serve stay."""

    ranges: dict[str, Range] = {}
    facets: dict[str, frozenset[str]] = {}
    text: str = ""
    serving: bool = False


class Facet(msgspec.Struct, frozen=True, eq=False):
    """One way to divide the rows: values in the order shown.

    codes: the place of the value of each machine, of each model, or of each row; of: the place in
    `codes` of each row, None where they are by row already.
    """

    title: str
    values: tuple[str, ...]
    codes: Indices
    of: Indices | None = None

    @property
    def place(self) -> Indices:
        """The place of each row's value."""
        return self.codes if self.of is None else self.codes[self.of]

    def having(self, kept: Collection[str]) -> Marks:
        """The rows that have one of some values."""
        wanted = np.array([value in kept for value in self.values], dtype=bool)[self.codes]
        return wanted if self.of is None else wanted[self.of]


def order(
    table: Table,
    column: str,
    descending: bool = True,
    rows: Indices | None = None,
    least: int | None = None,
) -> Indices:
    """The rows sorted by a column or one of TEXTS; equal ones keep the order of the table.

    Rows that do not serve come last either way, and among the rest those without the figure; the
    ones that do not serve are sorted by it as well.

    Parameters: table; column; descending; rows to sort, ascending, or None for all; least, how many
    of the first rows are enough (finding them takes less than sorting all), None for all.
    """
    if column == "verdict":
        values, serving = table.verdict.astype(np.float64), np.ones(len(table), dtype=bool)
    else:
        values = _by_name(table, column) if column in TEXTS else table.values(column)
        serving = table.serves
    if rows is not None:
        values, serving = values[rows], serving[rows]
    unknown = np.isnan(values)
    idle, known = ~serving, ~unknown
    parts: list[Indices] = []
    found_so_far = 0
    for group in (serving & known, serving & unknown, idle & known, idle & unknown):
        if least is not None and found_so_far >= least:
            break
        inside = np.flatnonzero(group)
        if inside.size and known[inside[0]]:
            keys = values[inside]
            if descending:
                np.negative(keys, out=keys)
            if least is not None and (wanted := least - found_so_far) < inside.size:
                first = keys <= np.partition(keys, wanted - 1)[wanted - 1]
                inside, keys = inside[first], keys[first]
                least = 0  # what follows in this group is left out, so nothing may come after it
            inside = inside[np.argsort(keys, kind="stable")]
        parts.append(inside)
        found_so_far += inside.size
    found = np.concatenate(parts)
    return found if rows is None else rows[found]


def _by_name(table: Table, column: str) -> NDArray[np.float64]:
    """The rank of each row's name among the names, case apart."""
    named = table.field.machines if column == "machine" else table.field.models
    names = [entry.name.casefold() for entry in named]
    rank = {name: float(place) for place, name in enumerate(sorted(set(names)))}
    ranks = np.array([rank[name] for name in names])
    return ranks[table.machine if column == "machine" else table.model]


def facets(table: Table) -> dict[str, Facet]:
    """What rows can be divided by: verdict, facts of the machine, facts of the model."""
    machines, models = table.field.machines, table.field.models
    by_machine = {
        "machine_vendor": (
            mark("Vendor"),
            [machine.vendor or mark("typed") for machine in machines],
        ),
        "kind": (mark("Kind"), [machine.kind or mark("not said") for machine in machines]),
        "memory": (mark("Memory"), [_size(machine.machine.capacity_bytes) for machine in machines]),
        "memory_type": (
            mark("Memory type"),
            [machine.memory or mark("not said") for machine in machines],
        ),
    }
    by_model = {
        "model_vendor": (mark("Model vendor"), [model.vendor or mark("typed") for model in models]),
        "experts": (mark("Experts"), ["MoE" if model.mixture else "dense" for model in models]),
        "licence": (mark("Licence"), [model.licence or mark("not said") for model in models]),
    }
    verdicts = (*reversed(VERDICTS), UNKNOWN_SAID)
    code = np.array([verdicts.index(said) for said in (*VERDICTS, UNKNOWN_SAID)], dtype=np.intp)
    found = {"verdict": Facet(mark("Verdict"), verdicts, code[table.verdict])}
    for divided, places in ((by_machine, table.machine), (by_model, table.model)):
        for id_, (title, names) in divided.items():
            values = _sizes_in_order(names) if id_ == "memory" else sorted(set(names))
            codes = {value: code for code, value in enumerate(values)}
            found[id_] = Facet(
                title,
                tuple(values),
                np.array([codes[name] for name in names], dtype=np.intp),
                places,
            )
    return found


def _size(capacity_bytes: float) -> str:
    """The class of a memory size: up to so many GB as sold."""
    sold = capacity_bytes / 2**30
    for size in CAPACITIES_GB:
        if sold <= size * 1.02:
            return f"up to {size} GB"
    return f"above {CAPACITIES_GB[-1]} GB"


def _sizes_in_order(names: Iterable[str]) -> list[str]:
    known = [f"up to {size} GB" for size in CAPACITIES_GB] + [f"above {CAPACITIES_GB[-1]} GB"]
    there = set(names)
    return [name for name in known if name in there]


def choose(table: Table, filters: Filters) -> Indices:
    """The rows that satisfy every filter, in the order of the table.

    Errors: BadInput for a filter that nothing can satisfy, or of an unknown column or facet.
    """
    stays = np.ones(len(table), dtype=bool)
    for satisfied in _marks(table, filters).values():
        stays &= satisfied
    return np.flatnonzero(stays)


def why_empty(table: Table, filters: Filters) -> str:
    """What to loosen when no row is left; "" when rows are left."""
    marks = _marks(table, filters)
    if not marks:
        return "" if len(table) else tr("There is nothing to rank: the library is empty.")
    left = int(np.logical_and.reduce(list(marks.values())).sum())
    if left:
        return ""
    without = {
        name: int(
            np.logical_and.reduce(
                [rows for other, rows in marks.items() if other != name]
                or [np.ones(len(table), dtype=bool)]
            ).sum()
        )
        for name in marks
    }
    name, rows = max(without.items(), key=lambda item: item[1])
    if rows == 0:
        return tr(
            "No row satisfies these filters, nor all but one of them. Clear them and start over."
        )
    words = tr("No row satisfies all of these filters. Without {name} there would be {count:,}.")
    return words.format(name=name, count=rows)


def _marks(table: Table, filters: Filters) -> dict[str, Marks]:
    """Each filter in words, with the rows that satisfy it."""
    marks: dict[str, Marks] = {}
    for column, wanted in filters.ranges.items():
        values = table.values(column)
        low, high = wanted.low, wanted.high
        if low is not None and high is not None and low > high:
            raise BadInput(
                column,
                tr("from {low:g} to {high:g} holds nothing; exchange the two, or clear one").format(
                    low=low, high=high
                ),
            )
        with np.errstate(invalid="ignore"):
            stays = np.ones(len(table), dtype=bool)
            if low is not None:
                stays &= values >= low
            if high is not None:
                stays &= values <= high
        if wanted.unknown:
            stays |= np.isnan(values)
        elif low is not None or high is not None:
            stays &= ~np.isnan(values)
        name = tr("the range of “{column}”").format(column=tr(BY_ID[column].title))
        marks[name] = stays
    known = facets(table) if filters.facets else {}
    for id_, values_kept in filters.facets.items():
        if id_ not in known:
            raise BadInput(
                "facet",
                tr('"{asked}" is not a facet; one of: {known}').format(
                    asked=id_, known=", ".join(known)
                ),
            )
        facet = known[id_]
        marks[tr("the choice of “{facet}”").format(facet=tr(facet.title))] = facet.having(
            values_kept
        )
    if words := filters.text.casefold().split():
        marks[tr("the search for “{text}”").format(text=filters.text.strip())] = _search(
            table, words
        )
    if filters.serving:
        marks[tr("“serves” alone")] = table.serves
    return marks


def _search(table: Table, words: list[str]) -> Marks:
    """Rows in whose machine or model every word is found."""
    machines, models = (
        [f"{entry.name} {entry.id} {entry.vendor}".casefold() for entry in named]
        for named in (table.field.machines, table.field.models)
    )
    found = np.ones(len(table), dtype=bool)
    for word in words:
        machine = np.array([word in text for text in machines])
        model = np.array([word in text for text in models])
        found &= machine[table.machine] | model[table.model]
    return found
