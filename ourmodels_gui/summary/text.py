"""A summary as plain text for a terminal."""

import textwrap
from collections.abc import Iterator

from ..engine.setup import Assumption
from .figures import NONE
from .shapes import Answer, Row, Summary

WIDTH = 100
LABEL = 36


def to_text(summary: Summary) -> str:
    """The four answers, every figure with its working, the assumptions, the cautions."""
    return "\n".join(_lines(summary)) + "\n"


def _lines(summary: Summary) -> Iterator[str]:
    yield summary.title
    if summary.problem:
        yield from _wrapped(summary.problem, "")
        return
    yield ""
    for answer in summary.answers:
        yield from _answer(answer)
    for heading, notes in (
        ("Cautions", summary.cautions),
        ("Why not all are bounds", summary.reasons),
    ):
        if notes:
            yield from ("", heading)
            for note in notes:
                yield from _wrapped(note, "  ")
    for group in summary.groups:
        yield from ("", group.title)
        for row in group.rows:
            yield from _row(row)
    yield from ("", "Assumptions")
    for told in summary.assumptions:
        yield from _wrapped(f"{_column(told.name)}{_value(told)}".rstrip(), "  ")
        yield from _wrapped(told.source, " " * 6)


def _column(label: str) -> str:
    """A label in its column; a longer one keeps its distance."""
    return f"{label:<{LABEL}}" if len(label) < LABEL else f"{label}  "


def _value(told: Assumption) -> str:
    """Every digit, grouped, with its unit; an unknown figure has none."""
    if told.value is None:
        return "unknown"
    if isinstance(told.value, str):
        return f"{told.value} {told.unit}"
    whole = isinstance(told.value, int) or not told.value.is_integer()
    return f"{told.value if whole else int(told.value):,} {told.unit}"


def _answer(answer: Answer) -> Iterator[str]:
    figure = "" if answer.figure == NONE else f" {answer.figure} {answer.unit}"
    kind = f" ({answer.kind})" if answer.kind else ""
    yield f"{answer.question:<14}{answer.word}{':' if figure else ''}{figure}{kind}"
    yield from _wrapped(answer.why, " " * 14)


def _row(row: Row) -> Iterator[str]:
    kind = f"  {row.kind}" if row.kind else ""
    yield f"  {_column(row.label)}{row.text} {row.unit}".rstrip() + kind
    for line in (row.note, row.formula, row.worked and f"= {row.worked}"):
        if line:
            yield from _wrapped(line, " " * 6)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
