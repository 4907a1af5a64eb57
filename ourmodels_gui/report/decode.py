"""Decode: the ceilings over the number of sessions."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..engine.curve import curve
from ..ranking.crossings import crossings, in_words
from ..summary.spans import batch_span, rate_limit
from ..units import number, plain, rate
from .answer import ranked
from .pictures import LINE_STYLES, Axis, Level, Line, Plot, Point
from .shapes import Block, Bullets, Column, Figure, Heading, Section, Table, Text
from .subject import Subject

SAMPLES = 90
RATES = Axis("tokens per second", "rate")
SESSIONS = Axis("sessions at once", "sessions")


def decode(subjects: Sequence[Subject]) -> Section:
    """One plot of both ceilings for one evaluation; for several, a plot of each ceiling."""
    shown = [subject for subject in subjects if subject.result.decode.memory_batch]
    if not shown:
        said = "No session fits, so there is no number of sessions to draw."
        return Section("decode", "Decode", (Text(said),))
    high = max(batch_span(subject.result) for subject in shown)
    blocks: list[Block] = []
    if len(subjects) == 1:
        blocks.append(_single(shown[0], high))
    else:
        blocks.append(_several(shown, high, "aggregate", "All sessions together"))
        blocks.append(_several(shown, high, "per_session", "Each session"))
        if sentences := _overtaking(ranked(shown)):
            blocks.append(Heading("Who leads from where"))
            blocks.append(Bullets(tuple(("", sentence) for sentence in sentences)))
    if len(shown) < len(subjects):
        left = ", ".join(subject.said for subject in subjects if subject not in shown)
        blocks.append(Text(f"Not drawn, because no session fits: {left}.", "muted"))
    return Section("decode", "Decode", tuple(blocks))


def _overtaking(order: Sequence[Subject]) -> list[str]:
    """Each evaluation against the next in rank: from how many sessions on it leads."""
    found: list[str] = []
    for first, second in pairwise(order):
        between = crossings(first.setup, second.setup)
        found.extend(in_words(between, (first.said, second.said)))
    return found


def sampled(high: int, most: int = SAMPLES) -> np.ndarray:
    """Whole batches from 1 to `high`, in equal ratios."""
    return np.unique(np.round(np.geomspace(1, high, most)).astype(np.int64))


def _single(subject: Subject, high: int) -> Figure:
    found, floor = subject.result.decode, subject.setup.workload.floor_tokens_per_s
    batches = sampled(high)
    at = curve(subject.setup, batches)
    # In pools of unlike speed what does not fit has no ceiling.
    drawn = np.isfinite(at.aggregate_tokens_per_s)
    total, single = at.aggregate_tokens_per_s[drawn], at.per_session_tokens_per_s[drawn]
    xs = _floats(batches[drawn])
    lines = (
        Line("all sessions", 0, xs, _floats(total)),
        Line("each session", 1, xs, _floats(single)),
    )
    points, levels = [], []
    if found.best_batch and found.aggregate_tokens_per_s and found.per_session_tokens_per_s:
        points = [
            Point(f"b* = {found.best_batch:,}", 0, found.best_batch, found.aggregate_tokens_per_s),
            Point("", 1, found.best_batch, found.per_session_tokens_per_s),
        ]
    if floor:
        levels.append(Level(f"floor {plain(floor)}", floor))
    if found.memory_batch and found.memory_batch <= high:
        levels.append(Level(f"memory holds {found.memory_batch:,}", found.memory_batch, True))
    limit = rate_limit(subject.result)
    if limit and subject.result.placement is not None and limit != found.best_batch:
        levels.append(Level(f"the floor holds for {limit:,}", limit, True))
    placed = subject.result.placement
    if placed is not None and placed.pushed_out_from_batch is not None:
        pushed = placed.pushed_out_from_batch
        levels.append(Level(f"cache pushes weights out from {pushed:,}", pushed, True))
    listed = _listed(high, (found.best_batch, found.memory_batch, limit))
    table = Table(
        "decode",
        "Ceilings by number of sessions",
        (
            Column("Sessions", 1, numeric=True),
            Column("All\ntok/s", 1, numeric=True),
            Column("Each\ntok/s", 1, numeric=True),
        ),
        tuple(
            (number(batch), rate(together), rate(each))
            for batch, together, each in zip(
                listed,
                curve(subject.setup, listed).aggregate_tokens_per_s,
                curve(subject.setup, listed).per_session_tokens_per_s,
                strict=True,
            )
            if np.isfinite(together)
        ),
    )
    caption = (
        "The ceiling of all sessions together rises with their number, the ceiling of each falls."
    )
    falls = bool(np.any(np.diff(total) < -1e-9 * total[1:]))
    if falls:
        caption = (
            "The ceiling of each session falls with their number; that of all together falls where "
            "the cache of more sessions pushes weights into slower memory."
        )
    if points:
        which = "fastest" if falls else "largest"
        caption += (
            f" The marks are the best batch: the {which} that fits and keeps each session at or "
            "above the floor."
        )
    plot = Plot(SESSIONS, RATES, lines, tuple(points), tuple(levels))
    return Figure("Decode ceilings over the number of sessions", plot, caption, table)


def _several(shown: Sequence[Subject], high: int, what: str, title: str) -> Figure:
    batches = sampled(high)
    name = f"{what}_tokens_per_s"
    lines, points, levels = [], [], []
    floors = {subject.setup.workload.floor_tokens_per_s for subject in shown}
    if what == "per_session" and len(floors) == 1 and (floor := floors.pop()):
        levels.append(Level(f"floor {plain(floor)}", floor))
    for subject in shown:
        style = style_of(subject)
        fits = batches[batches <= (subject.result.decode.memory_batch or 1)]
        ys = getattr(curve(subject.setup, fits), name)
        lines.append(Line(subject.letter, style, _floats(fits), _floats(ys)))
        best, at = subject.result.decode.best_batch, getattr(subject.result.decode, name)
        if best and at is not None:
            points.append(Point("", style, best, at))
    listed = _listed(high, ())
    columns = [getattr(curve(subject.setup, listed), name) for subject in shown]
    room = [subject.result.decode.memory_batch or 0 for subject in shown]
    rows = tuple(
        (
            number(batch),
            *(
                rate(column[place]) if batch <= most else "-"
                for column, most in zip(columns, room, strict=True)
            ),
        )
        for place, batch in enumerate(listed)
        if batch <= max(room)
    )
    heads = (Column("Sessions", 0.7, numeric=True), *_heads(shown))
    caption = (
        "Each curve ends at the last session that its memory holds; the mark is its best batch."
    )
    return Figure(
        f"{title}, over the number of sessions",
        Plot(SESSIONS, RATES, tuple(lines), tuple(points), tuple(levels)),
        caption,
        Table(f"decode-{what.replace('_', '-')}", f"{title}, tok/s", heads, rows),
    )


def style_of(subject: Subject) -> int:
    """The curve style of a letter, the same in every plot."""
    return "ABCDEF".find(subject.letter or "A") % len(LINE_STYLES)


def _heads(shown: Sequence[Subject]) -> tuple[Column, ...]:
    return tuple(Column(subject.short, 1, numeric=True) for subject in shown)


def _listed(high: int, named: tuple[int | None, ...]) -> np.ndarray:
    """1, 2, 4, ... and the batches with a name."""
    doubled = {2**power for power in range(high.bit_length()) if 2**power <= high}
    return np.array(sorted(doubled | {batch for batch in named if batch and batch <= high}))


def _floats(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
