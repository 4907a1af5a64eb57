"""What the line below the ranking says: the pair in use, or what is left out."""

import numpy as np
from msgspec import structs

from ...language import tr, trn
from ...ranking.columns import BY_ID
from ...ranking.order import Filters, choose
from ...ranking.table import Indices, Table
from ...scenario import Scenario
from ...units import number
from .. import typed
from .rank_model import heading, words_of

NAMED, LISTED = 3, 40


def pair_words(table: Table, row: int, *more: str) -> str:
    """A pair with its verdict, its best batch, its price; more: columns beside."""
    names = (table.machine_of(row).name, table.model_of(row).name, table.weights_of(row))
    parts = [" · ".join(filter(None, names)), words_of(table, row, typed.separators())]
    if table.serves[row]:
        for column in dict.fromkeys(("best_batch", "aggregate_tokens_per_s", *more)):
            parts.append(f"{heading(column, table)}: {table.cell(column, row, typed.separators())}")
    parts.append(table.price_tags[row % len(table.field.machines)].said)
    return "; ".join(parts)


def found_words(table: Table, rows: Indices | None) -> str:
    """How many rows serve, of how many."""
    write = typed.separators()
    serving = int((table.serves if rows is None else table.serves[rows]).sum())
    count = len(table) if rows is None else rows.size
    words = tr("{serving} serve of {count}")
    if count < len(table):
        words = tr("{serving} serve of {count} ({whole} without filters)")
    return words.format(
        serving=number(serving, 0, write),
        count=number(count, 0, write),
        whole=number(len(table), 0, write),
    )


def unpriced_words(table: Table, filters: Filters) -> str:
    """How many serve and are left out by a range of prices because they have none; "" for none."""
    asked = filters.ranges.get("price")
    if asked is None or asked.unknown:
        return ""
    ranges = {column: wanted for column, wanted in filters.ranges.items() if column != "price"}
    rows = choose(table, structs.replace(filters, ranges=ranges))
    count = int((table.serves[rows] & np.isnan(table.some("price", rows))).sum())
    if not count:
        return ""
    words = trn(
        "{count} that serves has no price and is left out; a ? behind the range keeps it.",
        "{count} that serve have no price and are left out; a ? behind the range keeps them.",
        count,
    )
    return words.format(count=number(count, 0, typed.separators()))


def basis_words(scenario: Scenario) -> str:
    """What the figures of a table are worth."""
    words = tr("Ceilings: one that is too low is certain, one that is high enough is no promise.")
    if scenario.speculation is not None:
        words += " " + tr("Speculation plays no part here: a draft belongs to one model.")
    return words


def map_words() -> str:
    """What the colours of the map mean."""
    return tr(
        "A row is a model, a column a machine. Darker is faster; red does not fit, brown is below "
        "the floor, blank has no figure. Plus and minus change the size, Enter opens."
    )


def left_out_words(table: Table, rows: Indices, column: str) -> tuple[str, str]:
    """How many machines have no place on the plot of value, with a few names; then more names."""
    serving = rows[table.serves[rows]]
    bare = serving[np.isnan(table.some(column, serving))]
    idle = rows.size - serving.size
    names = [table.machine_of(row).name for row in bare.tolist()]
    parts = []
    if names:
        shown = ", ".join(names[:NAMED]) + ("" if len(names) <= NAMED else ", …")
        words = tr("Not drawn: {count} that serve and have no power figure ({shown})")
        if column == "price":
            words = tr("Not drawn: {count} that serve and have no price ({shown})")
        parts.append(words.format(count=len(names), shown=shown))
    if idle:
        parts.append(tr("{count} do not serve").format(count=idle))
    return "; ".join(parts), "\n".join(names[:LISTED])


def no_points_words(table: Table, rows: Indices, column: str) -> str:
    """Why the plot of value is empty, and what fills it."""
    if not table.serves[rows].any():
        return tr("No machine serves this model at this workload, so none has a value.")
    if column == "price":
        return tr(
            "None of these machines has a price. Type prices with F2 in the table, or say under "
            "Prices what a dollar is worth."
        )
    return tr("None of these machines has a figure in the column “{what}”.").format(
        what=tr(BY_ID[column].title)
    )
