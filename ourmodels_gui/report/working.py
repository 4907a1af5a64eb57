"""The working of the figures: formula, the values put in, and where each value is from."""

from collections.abc import Sequence

from ..summary import Row
from ..summary.figures import NONE
from .shapes import Block, Column, Heading, Section, Table, Text, cell
from .subject import Subject

COLUMNS = (Column("Figure", 1.5), Column("Value", 1.0, numeric=True), Column("Working", 4.2))

MAIN = (
    "resident_margin_gb",
    "memory_batch",
    "rate_limited_batch",
    "best_batch",
    "single_session_tokens_per_s",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "forced",
    "time_s",
    "memory_ceiling_tokens_per_s",
    "compute_ceiling_tokens_per_s",
)
"""Figures that decide an answer, by name."""


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
            shown = [row for row in group.rows if row.formula and _is_main(row, subject)]
            if shown:
                strong.append(len(rows))
                rows.append((group.title, "", ""))
                rows += [_row(row) for row in shown]
        if subject.letter:
            blocks.append(Heading(subject.title))
        name = f"working-{subject.letter.lower()}" if subject.letter else "working"
        blocks.append(Table(name, "", COLUMNS, tuple(rows), strong=frozenset(strong)))
    return Section("working", "Working", tuple(blocks))


def _is_main(row: Row, subject: Subject) -> bool:
    """Alone, an evaluation shows the working of all it has; side by side, of what decides."""
    return row.text != NONE and (not subject.letter or row.name in MAIN)


def _row(row: Row) -> tuple[str, ...]:
    lines = [row.formula]
    if row.worked:
        lines.append(f"= {row.worked}")
    if row.note:
        lines.append(row.note)
    label = f"{row.label} ({row.kind})" if row.kind else row.label
    return (label, f"{row.text} {row.unit}".strip(), cell("\n".join(lines)))
