"""Measurements as points beside the ceilings of a scenario, and as tables to take away."""

import csv
import io
from collections.abc import Sequence
from typing import Literal

import msgspec

from ..library.load import Library
from ..units import exact
from .check import check
from .conditions import read_context_tokens, says_context
from .log import Entry, subject_of, write
from .runs import MeasuredRun, Phase

NEAR = 0.1
"""Contexts apart by no more than this count as the same conditions."""

Form = Literal["CSV", "JSON", "Markdown"]
COLUMNS = (
    *("logged", "phase", "machine", "model", "weights", "sessions", "prompt_tokens"),
    *("read_context_tokens", "tokens_per_s", "ceiling_tokens_per_s", "ratio", "note"),
)


class Point(msgspec.Struct, frozen=True):
    """A measurement where a plot can put it.

    batch: sessions at once. tokens_per_s: of all of them. same: whether the context is the
    scenario's, so that the point may be held against the curve it stands beside.
    """

    phase: Phase
    batch: int
    prompt_tokens: int
    tokens_per_s: float
    same: bool
    name: str = ""


def point(run: MeasuredRun, context_tokens: float) -> Point:
    """A run as a point. context_tokens: what the scenario reads (decode) or has cached (prefill).

    Serving stands with decode, at its number of sessions.
    """
    read = run.depth_tokens if run.phase == "prefill" else read_context_tokens(run)
    same = not says_context(run) or abs(read - context_tokens) <= NEAR * max(read, context_tokens)
    return Point(
        run.phase, run.batch or 1, run.prompt_tokens or 1, run.tokens_per_s, same, run.note
    )


def table(entries: Sequence[Entry], library: Library) -> list[list[str]]:
    """One row of COLUMNS for each entry, with its ceiling where it has one."""
    rows = []
    for entry in entries:
        run = entry.run
        limit = check(run, library).ceiling
        rows.append(
            [
                entry.logged,
                run.phase,
                subject_of(run)[0],
                run.model or run.said.model,
                run.weights or run.said.weights,
                str(run.batch or ""),
                "" if run.prompt_tokens is None else str(run.prompt_tokens),
                str(read_context_tokens(run)),
                exact(run.tokens_per_s),
                exact(limit.tokens_per_s) if limit else "",
                exact(limit.ratio) if limit else "",
                run.note,
            ]
        )
    return rows


def exported(entries: Sequence[Entry], form: Form, library: Library) -> str:
    """The entries as a document. JSON is the log's own form, which the program reads again."""
    if form == "JSON":
        return write(tuple(entries)).decode()
    rows = table(entries, library)
    if form == "CSV":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows([COLUMNS, *map(_harmless, rows)])
        return out.getvalue()
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    return "".join(
        "| " + " | ".join(" ".join(c.replace("|", "\\|").split()) for c in row) + " |\n"
        for row in lines
    )


def _harmless(row: Sequence[str]) -> list[str]:
    """Words that a spreadsheet would run as a formula stay words."""
    return [f"'{cell}" if cell[:1] in ("=", "+", "-", "@") else cell for cell in row]
