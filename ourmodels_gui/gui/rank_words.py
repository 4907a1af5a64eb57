"""What the line below the ranking says: the pair in use, or what is left out."""

import numpy as np
from PySide6.QtCore import QCoreApplication

from ..ranking.columns import BY_ID
from ..ranking.table import Indices, Table
from ..scenario import Scenario
from ..units import number
from . import typed
from .rank_model import heading, words_of

NAMED, LISTED = 3, 40


def pair_words(table: Table, row: int, *more: str) -> str:
    """A pair with its verdict, its best batch, its price; more: columns beside."""
    names = (table.machine_of(row).name, table.model_of(row).name, table.weights_of(row))
    parts = [" · ".join(filter(None, names)), words_of(table, row)]
    if table.serves[row]:
        for column in dict.fromkeys(("best_batch", "aggregate_tokens_per_s", *more)):
            parts.append(f"{heading(column, table)}: {table.cell(column, row)}")
    parts.append(table.price_tags[row % len(table.field.machines)].said)
    return "; ".join(parts)


def found_words(table: Table, rows: Indices | None) -> str:
    """How many rows serve, of how many."""
    write = typed.separators()
    serving = int((table.serves if rows is None else table.serves[rows]).sum())
    count = len(table) if rows is None else rows.size
    words = _tr("{serving} serve of {count}").format(
        serving=number(serving, 0, write), count=number(count, 0, write)
    )
    if count < len(table):
        words += _tr(" ({whole} without filters)").format(whole=number(len(table), 0, write))
    return words


def basis_words(scenario: Scenario) -> str:
    """What the figures of a table are worth."""
    words = _tr("Ceilings: one that is too low is certain, one that is high enough is no promise.")
    if scenario.speculation is not None:
        words += " " + _tr("Speculation plays no part here: a draft belongs to one model.")
    return words


def map_words() -> str:
    """What the colours of the map mean."""
    return _tr(
        "A row is a model, a column a machine. Darker is faster; red does not fit, brown is below "
        "the floor, blank has no figure. Plus and minus change the size, Enter opens."
    )


def left_out_words(table: Table, rows: Indices, column: str) -> tuple[str, str]:
    """How many machines have no place on the plot of value, with a few names; then more names."""
    serving = rows[table.serves[rows]]
    bare = serving[np.isnan(table.values(column)[serving])]
    idle = rows.size - serving.size
    names = [table.machine_of(row).name for row in bare.tolist()]
    what = _tr("price") if column == "price" else _tr("power figure")
    parts = []
    if names:
        shown = ", ".join(names[:NAMED]) + ("" if len(names) <= NAMED else ", …")
        parts.append(
            _tr("Not drawn: {count} that serve and have no {what} ({shown})").format(
                count=len(names), what=what, shown=shown
            )
        )
    if idle:
        parts.append(_tr("{count} do not serve").format(count=idle))
    return "; ".join(parts), "\n".join(names[:LISTED])


def no_points_words(table: Table, rows: Indices, column: str) -> str:
    """Why the plot of value is empty, and what fills it."""
    if not table.serves[rows].any():
        return _tr("No machine serves this model at this workload, so none has a value.")
    if column == "price":
        return _tr(
            "None of these machines has a price. Type prices with F2 in the table, or say under "
            "Prices what a dollar is worth."
        )
    return _tr("None of these machines has a {what}.").format(what=BY_ID[column].title.casefold())


def _tr(text: str) -> str:
    return QCoreApplication.translate("RankTab", text)
