"""Which rows of a ranking stay: what was typed and switched on, as filters of the ranking."""

import numpy as np
from msgspec import structs

from ..ranking.order import Filters, Range, choose, facets
from ..ranking.table import Table
from .facets import Counts
from .search import Chosen, Facet

FACETS = tuple(
    Facet(key, title)
    for key, title in (
        ("verdict", "Verdict"),
        ("kind", "Kind of machine"),
        ("memory", "Memory"),
        ("machine_vendor", "Maker of the machine"),
        ("memory_type", "Memory type"),
        ("experts", "Experts"),
        ("model_vendor", "Maker of the model"),
        ("licence", "Licence"),
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
