"""Which prompt lengths are drawn and listed, and how fast each is."""

from collections.abc import Callable

import numpy as np

from ...engine.ascending import ascending
from ...engine.prefill_curve import ceilings_over_length, doubling_lengths
from ...evaluation import Evaluation
from ...language import tr
from ...summary.figures import NONE
from ...summary.spans import SHORTEST_TOKENS, length_span
from ...units import Separators, duration, exact, rate, tokens
from .. import typed
from ..tables import Cell, Row
from .bracket import with_linear

SAMPLES = 160


def sampled(longest: int) -> np.ndarray:
    """Whole lengths up to `longest`, in equal ratios."""
    lengths = np.geomspace(SHORTEST_TOKENS, longest, SAMPLES)
    return ascending(np.round(lengths))


def length_rows(evaluation: Evaluation, bracket: str | None = None) -> tuple[list[Row], set[int]]:
    """The table of lengths at the scenario's policy, and which row is its own prompt.

    bracket: another mode of the linear layers; its figures stand beside the scenario's as ranges.
    """
    setup, result = evaluation.setup, evaluation.result
    if setup is None or setup.prompt is None or result is None or result.prefill is None:
        return [], set()
    if result.prefill.verdict == "model does not fit":
        return [], set()
    prompt, longest = setup.prompt, length_span(setup)
    own = min(prompt.prompt_tokens, longest)
    lengths = sorted({*doubling_lengths(longest), own})
    batch = result.prefill.batch or 1
    at = ceilings_over_length(setup, np.array(lengths), batch, prompt.chunk_tokens)
    other = at
    if bracket is not None:
        bracketed = with_linear(setup, bracket)
        other = ceilings_over_length(bracketed, np.array(lengths), batch, prompt.chunk_tokens)
    columns = (
        (at.time_s, other.time_s, duration),
        (at.combined, other.combined, rate),
        (at.memory, other.memory, rate),
        (at.compute, other.compute, rate),
    )
    rows: list[Row] = [
        (
            Cell(tokens(length, typed.separators()), length),
            *(_cell(one, two, index, write) for one, two, write in columns),
        )
        for index, length in enumerate(lengths)
    ]
    return rows, {lengths.index(own)}


def _cell(
    one: np.ndarray | None,
    two: np.ndarray | None,
    index: int,
    write: Callable[[float, Separators], str],
) -> Cell:
    """One figure of a column, or the range of two; a dash where it is unknown."""
    if one is None or np.isnan(one[index]):
        return Cell(NONE, "")
    ends = sorted({float(one[index]), float(one[index] if two is None else two[index])})
    words = [write(end, typed.separators()) for end in ends]
    if len(ends) == 1 or words[0] == words[1]:
        return Cell(words[0], ends[0])
    low, high = words
    unit = f" {high.rpartition(' ')[2]}"
    if " " in high and low.endswith(unit) and low.count(" ") == 1:
        low = low.removesuffix(unit)
    return Cell(
        tr("{low} to {high}").format(low=low, high=high),
        tr("{low} to {high}").format(low=exact(ends[0]), high=exact(ends[1])),
    )
