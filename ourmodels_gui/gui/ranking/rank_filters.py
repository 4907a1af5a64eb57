"""Which rows of a ranking stay: what was typed and switched on, as filters of the ranking."""

import numpy as np
from msgspec import structs

from ...language import mark
from ...ranking.order import Filters, Range, choose, facets
from ...ranking.table import Table
from ..asked.facets import Counts
from ..asked.machine_rows import KINDS
from ..asked.search import Chosen, Facet

FACETS = tuple(
    Facet(key, title, words=KINDS if key == "kind" else {})
    for key, title in (
        ("verdict", mark("Verdict")),
        ("kind", mark("Kind of machine")),
        ("memory", mark("Memory")),
        ("machine_vendor", mark("Maker of the machine")),
        ("memory_type", mark("Memory type")),
        ("experts", mark("Experts")),
        ("model_vendor", mark("Maker of the model")),
        ("licence", mark("Licence")),
    )
)


def filters_of(ranges: dict[str, Range], chosen: Chosen, text: str) -> Filters:
    """What a row must satisfy; facets without a value narrow nothing."""
    return Filters(ranges, {key: values for key, values in chosen.items() if values}, text.strip())


def facet_counts(table: Table, filters: Filters) -> Counts:
    """How many rows each value of each facet leaves, the other filters kept."""
    out: Counts = {}
    for key, facet in facets(table).items():
        others = {name: values for name, values in filters.facets.items() if name != key}
        rows = choose(table, structs.replace(filters, facets=others))
        there = np.bincount(facet.place, minlength=len(facet.values))
        left = np.bincount(facet.place[rows], minlength=len(facet.values))
        out[key] = {
            value: int(count)
            for value, count, any_ in zip(facet.values, left, there, strict=True)
            if any_
        }
    return out
