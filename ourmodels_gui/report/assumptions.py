"""Every input that moves the answer, with value, unit and source."""

from collections.abc import Sequence

from ..engine.setup import Assumption
from .shapes import Block, Bullets, Column, Heading, Section, Table, cell
from .subject import Subject

COLUMNS = (
    Column("Assumption", 1.9),
    Column("Value", 1.5, numeric=True),
    Column("Unit", 1.1),
    Column("Source", 3.2),
)


def value_text(told: Assumption) -> str:
    """Every digit, grouped; "unknown" where there is none.

    >>> value_text(Assumption("O", 8.0, "GB", "")), value_text(Assumption("F", None, "", ""))
    ('8', 'unknown')
    """
    if told.value is None:
        return "unknown"
    if isinstance(told.value, str):
        return told.value
    whole = isinstance(told.value, int) or not told.value.is_integer()
    return f"{told.value if whole else int(told.value):,}"


def assumptions(subjects: Sequence[Subject]) -> Section:
    """One table; for several evaluations, what they share and then what differs, by name."""
    first = subjects[0].result.assumptions
    shared = [
        told for told in first if all(told in subject.result.assumptions for subject in subjects)
    ]
    blocks: list[Block] = [Table("assumptions", "", COLUMNS, tuple(_row(told) for told in shared))]
    if len(subjects) > 1:
        blocks = [Heading("The same for all"), *blocks, Heading("Different"), _different(subjects)]
    reasons: dict[str, list[str]] = {}
    for subject in subjects:
        for reason in subject.summary.reasons:
            reasons.setdefault(reason, []).append(subject.letter)
    if reasons:
        blocks.append(Heading("Why some figures are no bounds"))
        items = tuple((", ".join(filter(None, by)), reason) for reason, by in reasons.items())
        blocks.append(Bullets(items))
    return Section("assumptions", "Assumptions", tuple(blocks))


def _row(told: Assumption) -> tuple[str, ...]:
    return (cell(told.name), cell(value_text(told)), told.unit, cell(told.source))


def _different(subjects: Sequence[Subject]) -> Table:
    names: dict[str, None] = {}
    for subject in subjects:
        for told in subject.result.assumptions:
            if not all(told in other.result.assumptions for other in subjects):
                names.setdefault(told.name)
    rows = [
        (subject.letter, *_row(told))
        for name in names
        for subject in subjects
        for told in subject.result.assumptions
        if told.name == name and not all(told in other.result.assumptions for other in subjects)
    ]
    return Table("assumptions-different", "", (Column("", 0.25), *COLUMNS), tuple(rows))
