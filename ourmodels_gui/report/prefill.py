"""Prefill: the ceilings over the length of the prompt."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ..engine.prefill_curve import PrefillCurve, ceilings_over_length, doubling_lengths
from ..summary.spans import SHORTEST_TOKENS, length_span
from ..units import duration, rate, tokens
from .decode import RATES, style_of
from .pictures import Axis, Line, Plot, Point
from .shapes import Block, Column, Figure, Section, Table, Text
from .subject import Subject

SAMPLES = 90
LENGTHS = Axis("prompt tokens", "tokens")
MEMORY_ONLY = "unknown compute rates, so only the memory side is drawn"


def prefill(subjects: Sequence[Subject]) -> Section | None:
    """The ceilings at the scenario's batch and chunk; None where no prompt is asked for."""
    asked = [subject for subject in subjects if subject.setup.prompt is not None]
    if not asked:
        return None
    blocks: list[Block] = []
    drawn = [subject for subject in asked if _curve(subject, (1024,)).memory is not None]
    drawn = [s for s in drawn if s.result.decode.verdict != "model does not fit"]
    if drawn:
        blocks.append(_single(drawn[0]) if len(subjects) == 1 else _several(drawn))
    for subject in asked:
        found = subject.result.prefill
        why = subject.summary.answers[3].why
        if found is not None and found.time_s is None:
            said = found.unavailable or f"{found.verdict}; {why}"
            said = f"{subject.said}: {said}" if subject.letter else said[0].upper() + said[1:]
            blocks.append(Text(f"{said}.", "caution"))
    return Section("prefill", "Prefill", tuple(blocks))


def _curve(subject: Subject, lengths: ArrayLike) -> PrefillCurve:
    prompt, found = subject.setup.prompt, subject.result.prefill
    batch = (found.batch if found else None) or 1
    chunk = None if prompt is None else prompt.chunk_tokens
    return ceilings_over_length(subject.setup, lengths, batch, chunk)


def _sampled(longest: int) -> np.ndarray:
    lengths = np.geomspace(SHORTEST_TOKENS, longest, SAMPLES)
    return np.unique(np.round(lengths).astype(np.int64))


def _single(subject: Subject) -> Figure:
    prompt, found = subject.setup.prompt, subject.result.prefill
    assert prompt is not None and found is not None
    longest = length_span(subject.setup)
    at = _curve(subject, _sampled(longest))
    lines = []
    for label, style, values in (
        ("compute", 1, at.compute),
        ("memory", 2, at.memory),
        ("link", 3, at.link),
        ("ceiling", 0, at.combined),
    ):
        if values is not None:
            lines.append(_line(label, style, at.lengths, values, thin=label != "ceiling"))
    points = []
    if found.tokens_per_s is not None:
        points = [
            Point(tokens(prompt.prompt_tokens), 0, prompt.prompt_tokens, found.tokens_per_s),
        ]
    listed = sorted({*doubling_lengths(longest), min(prompt.prompt_tokens, longest)})
    rows = _curve(subject, listed)
    table = Table(
        "prefill",
        "Ceilings by prompt length",
        (
            Column("Prompt\ntokens", 1, numeric=True),
            Column("Memory\ntok/s", 1, numeric=True),
            Column("Compute\ntok/s", 1, numeric=True),
            Column("Ceiling\ntok/s", 1, numeric=True),
            Column("First token", 1, numeric=True),
        ),
        tuple(
            (
                tokens(length),
                *(
                    _at(values, place, rate)
                    for values in (rows.memory, rows.compute, rows.combined)
                ),
                _at(rows.time_s, place, duration),
            )
            for place, length in enumerate(listed)
        ),
    )
    batch = found.batch or 1
    many = "one prompt at a time" if batch == 1 else f"{batch:,} prompts at once"
    chunk = "one shot" if prompt.chunk_tokens is None else f"chunks of {prompt.chunk_tokens:,}"
    caption = f"The lower of the two resources is the ceiling; {many}, {chunk}, no cached prefix."
    if at.combined is None:
        caption = f"{MEMORY_ONLY[0].upper()}{MEMORY_ONLY[1:]}; {many}, {chunk}."
    plot = Plot(LENGTHS, RATES, tuple(lines), tuple(points))
    return Figure("Prefill ceilings over the length of the prompt", plot, caption, table)


def _several(drawn: Sequence[Subject]) -> Figure:
    spans = {subject.letter: length_span(subject.setup) for subject in drawn}
    lines, points = [], []
    for subject in drawn:
        at = _curve(subject, _sampled(spans[subject.letter]))
        values = at.combined if at.combined is not None else at.memory
        assert values is not None
        label = subject.letter + ("" if at.combined is not None else " memory")
        style = style_of(subject)
        thin = at.combined is None
        lines.append(_line(label, style, at.lengths, values, thin))
        found, prompt = subject.result.prefill, subject.setup.prompt
        if found is not None and prompt is not None and found.tokens_per_s is not None:
            points.append(Point("", style, prompt.prompt_tokens, found.tokens_per_s))
    listed = doubling_lengths(max(spans.values()))
    columns = [_curve(subject, listed) for subject in drawn]
    rows = tuple(
        (
            tokens(length),
            *(
                _at(column.combined, place, rate) if length <= spans[subject.letter] else "-"
                for subject, column in zip(drawn, columns, strict=True)
            ),
        )
        for place, length in enumerate(listed)
    )
    heads = (
        Column("Prompt\ntokens", 0.9, numeric=True),
        *(Column(subject.short, 1, numeric=True) for subject in drawn),
    )
    caption = "The lower of memory and compute, at each scenario's own batch and chunk."
    if any(column.combined is None for column in columns):
        caption += f" A thin curve: {MEMORY_ONLY}; the table has no ceiling for it."
    return Figure(
        "Prefill ceilings over the length of the prompt",
        Plot(LENGTHS, RATES, tuple(lines), tuple(points)),
        caption,
        Table("prefill", "Prefill ceiling, tok/s", heads, rows),
    )


def _at(values: np.ndarray | None, place: int, write: Callable[[float], str]) -> str:
    """A figure; a dash where it is unknown, or where unlike pools have no room for it."""
    if values is None or np.isnan(values[place]):
        return "-"
    return write(float(values[place]))


def _line(label: str, style: int, lengths: np.ndarray, values: np.ndarray, thin: bool) -> Line:
    """The curve as far as there are figures."""
    drawn = np.isfinite(values)
    return Line(label, style, _floats(lengths[drawn]), _floats(values[drawn]), thin)


def _floats(values: np.ndarray) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
