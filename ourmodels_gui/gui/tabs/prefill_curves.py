"""The prefill ceilings of a scenario as numbers: over every length, and read at one."""

from typing import NamedTuple

import numpy as np

from ...engine.ascending import ascending
from ...engine.prefill_curve import PrefillCurve, ceilings_over_length
from ...engine.setup import Setup
from ...language import tr
from ...units import duration, number, rate, tokens
from .. import typed
from ..plots.axes import Reading
from .bracket import with_linear
from .lengths import sampled


class Curves(NamedTuple):
    """drawn: the ceilings. shot: the same in one shot, where there are chunks. other: at the other
    end of the bracket. refused_from: the length from which on it does not fit, None where all do.
    """

    drawn: PrefillCurve
    shot: PrefillCurve | None
    other: PrefillCurve | None
    refused_from: float | None


def curves_of(setup: Setup, longest: int, batch: int, bracket: str | None) -> Curves | None:
    """The ceilings of so many prompts over the lengths up to the longest; None where none has any.

    bracket: another mode of the linear layers; None for no other end.
    """
    assert setup.prompt is not None
    chunk = setup.prompt.chunk_tokens
    lengths = ascending(sampled(longest), min(setup.prompt.prompt_tokens, longest))
    drawn = ceilings_over_length(setup, lengths, batch, chunk)
    refused = lengths[drawn.fitting < batch]
    if drawn.memory is not None and np.isnan(drawn.memory).any():
        # In pools of unlike speed what does not fit has no time.
        lengths = lengths[np.isfinite(drawn.memory)]
        if not lengths.size:
            return None
        drawn = ceilings_over_length(setup, lengths, batch, chunk)
    other = None
    if bracket is not None and drawn.combined is not None:
        other = ceilings_over_length(with_linear(setup, bracket), lengths, batch, chunk)
    return Curves(
        drawn,
        ceilings_over_length(setup, lengths, batch) if chunk else None,
        other,
        float(refused[0]) if refused.size else None,
    )


def reading(setup: Setup, length: int, batch: int, bracket: str | None = None) -> Reading:
    """What the ceilings say at one prompt length, and which side limits there."""
    assert setup.prompt is not None
    write = typed.separators()
    at = ceilings_over_length(setup, np.array([length]), batch, setup.prompt.chunk_tokens)
    rows: list[tuple[str, str]] = []
    dots: list[tuple[float, str]] = []
    sides: list[tuple[float, str]] = []
    for name, values, role in (
        (tr("memory side"), at.memory, "aggregate"),
        (tr("compute side"), at.compute, "session"),
        (tr("link"), at.link, "muted"),
    ):
        if values is not None and np.isfinite(values[0]):
            sides.append((float(values[0]), name))
            rows.append((name, f"{rate(float(values[0]), write)} tok/s"))
            dots.append((float(values[0]), role))
    if at.time_s is not None and np.isfinite(at.time_s[0]):
        rows.append((tr("first token"), duration(float(at.time_s[0]), write)))
    if bracket is not None:
        other = ceilings_over_length(
            with_linear(setup, bracket), np.array([length]), batch, setup.prompt.chunk_tokens
        )
        if other.time_s is not None and np.isfinite(other.time_s[0]):
            rows.append(
                (tr("in {mode}").format(mode=bracket), duration(float(other.time_s[0]), write))
            )
    if batch > 1:
        rows.append((tr("prompts at once"), number(batch, 0, write)))
    limit = ""
    if at.combined is not None and sides:
        words = {tr("memory side"): tr("memory"), tr("compute side"): tr("compute")}
        slowest = min(sides)[1]
        limit = words.get(slowest, slowest)
    if at.fitting[0] < batch:
        limit = tr("does not fit")
    if limit:
        rows.append((tr("limit"), limit))
    return Reading(
        length, tr("{length} tokens").format(length=tokens(length, write)), tuple(rows), tuple(dots)
    )
