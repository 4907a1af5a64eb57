"""The working of the figures: formula, the values put in, and where each value is from."""

from collections.abc import Sequence

from ..summary import Row
from .shapes import Block, Column, Heading, Section, Table, Text, cell
from .subject import Subject

COLUMNS = (Column("Figure", 1.5), Column("Value", 1.0, numeric=True), Column("Working", 4.2))


def working(subjects: Sequence[Subject]) -> Section:
    """A table for each group of figures of each evaluation."""
    blocks: list[Block] = [
        Text(
            "Values are put in with six digits; every figure itself is computed with all of them. "
            "Symbols are explained in the glossary.",
            "muted",
        )
    ]
    for subject in subjects:
        rows: list[tuple[str, ...]] = []
        strong = []
        for group in subject.summary.groups:
            shown = [row for row in group.rows if row.formula]
            if shown:
                strong.append(len(rows))
                rows.append((group.title, "", ""))
                rows += [_row(row) for row in shown]
        if subject.letter:
            blocks.append(Heading(subject.title))
        name = f"working-{subject.letter.lower()}" if subject.letter else "working"
        blocks.append(Table(name, "", COLUMNS, tuple(rows), strong=frozenset(strong)))
    return Section("working", "Working", tuple(blocks))


def _row(row: Row) -> tuple[str, ...]:
    value = f"{row.text} {row.unit}".strip() + (f"\n{row.kind}" if row.kind else "")
    lines = [row.formula]
    if row.worked:
        lines.append(f"= {row.worked}")
    if row.note:
        lines.append(row.note)
    return (row.label, value, cell("\n".join(lines)))
