"""Tables as text: CSV, Markdown, JSON, and aligned for a terminal.

CSV and JSON carry every digit under the ids of the columns; Markdown and the terminal carry what a
person reads. A figure that does not exist is an empty cell, null, or "-".
"""

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import msgspec

from ..units import ENGLISH
from .columns import BY_ID, NONE
from .table import Indices, Table

Cell = str | int | float | None


class Heading(msgspec.Struct, frozen=True):
    """numeric: its cells stand at the right."""

    id: str
    title: str
    unit: str = ""
    numeric: bool = True

    @property
    def text(self) -> str:
        return f"{self.title}, {self.unit}" if self.unit else self.title


class Sheet(msgspec.Struct, frozen=True):
    """A table of any kind: cells with every digit, and the same as people read them."""

    headings: tuple[Heading, ...]
    cells: list[tuple[Cell, ...]]
    texts: list[tuple[str, ...]]


FACTS = (
    Heading("hardware", "Machine id", numeric=False),
    Heading("machine", "Machine", numeric=False),
    Heading("model", "Model", numeric=False),
    Heading("model_id", "Model id", numeric=False),
    Heading("weights", "Weights", numeric=False),
    Heading("verdict", "Verdict", numeric=False),
)
"""What stands before the figures of a ranking."""

AFTER = (
    Heading("reason", "Why not", numeric=False),
    Heading("price_source", "Price is", numeric=False),
)


ALL = tuple(BY_ID)
"""Every column, in order."""


def ranking_sheet(table: Table, rows: Indices, columns: Sequence[str] = ALL) -> Sheet:
    """Some rows of a ranking, in the order given, with some of its columns.

    Errors: BadInput for an unknown column.
    """
    machines, models = table.field.machines, table.field.models
    figures = [_whole(column, table.some(column, rows).tolist()) for column in columns]
    tags = table.price_tags
    facts: list[tuple[str, ...]] = []
    after: list[tuple[str, str]] = []
    for row in rows.tolist():
        machine, model = machines[row % len(machines)], models[row // len(machines)]
        verdict = table.verdict_of(row)
        facts.append(
            (machine.id, machine.name, model.name, model.id, table.weights_of(row), verdict)
        )
        after.append((table.reason(row), tags[row % len(machines)].said))
    cells = [
        (*fact, *figure, *last)
        for fact, figure, last in zip(facts, zip(*figures, strict=True), after, strict=True)
    ]
    texts = [
        (
            *cell[: len(FACTS)],
            *(
                NONE if value is None else BY_ID[column].text(value, ENGLISH)
                for column, value in zip(columns, cell[len(FACTS) :], strict=False)
            ),
            *cell[len(FACTS) + len(columns) :],
        )
        for cell in cells
    ]
    headings = (
        *FACTS,
        *(Heading(column, BY_ID[column].title, table.unit(column)) for column in columns),
        *AFTER,
    )
    return Sheet(headings, cells, texts)


def to_csv(sheet: Sheet) -> str:
    """Comma-separated, the ids of the columns first, every digit, nothing where nothing is."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([heading.id for heading in sheet.headings])
    writer.writerows(sheet.cells)
    return out.getvalue()


def to_json(sheet: Sheet) -> str:
    """A list of objects by column id, null where a figure does not exist."""
    ids = [heading.id for heading in sheet.headings]
    rows = [dict(zip(ids, row, strict=True)) for row in sheet.cells]
    return msgspec.json.format(msgspec.json.encode(rows), indent=2).decode() + "\n"


def to_markdown(sheet: Sheet) -> str:
    """A Markdown table, as people read it."""
    lines = [
        _markdown_row([heading.text for heading in sheet.headings]),
        _markdown_row(["---:" if heading.numeric else "---" for heading in sheet.headings]),
        *(_markdown_row(row) for row in sheet.texts),
    ]
    return "\n".join(lines) + "\n"


def to_text(sheet: Sheet) -> str:
    """Columns aligned with spaces, for a terminal; one that says nothing is left out."""
    shown = [
        place
        for place, heading in enumerate(sheet.headings)
        if any(row[place] not in ("", NONE) for row in sheet.texts) or not sheet.texts
    ]
    headings = [sheet.headings[place] for place in shown]
    rows = [[heading.text for heading in headings]]
    rows += [[row[place] for place in shown] for row in sheet.texts]
    widths = [max(len(row[place]) for row in rows) for place in range(len(shown))]
    lines = []
    for row in rows:
        padded = (
            text.rjust(width) if heading.numeric else text.ljust(width)
            for text, width, heading in zip(row, widths, headings, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _whole(column: str, values: list[float]) -> list[Any]:
    """Counts as whole numbers, what does not exist as None."""
    counts = column.endswith("_batch") or column == "longest_context_tokens"
    return [None if math.isnan(value) else int(value) if counts else value for value in values]
