"""Which prompt lengths are drawn and listed, and how fast each is."""

from collections.abc import Callable
from math import ceil, log2

import numpy as np

from ..engine.ascending import ascending
from ..engine.prefill_curve import ceilings_over_length, doubling_lengths
from ..engine.setup import Setup
from ..evaluation import Evaluation
from ..summary.figures import NONE
from ..units import Separators, duration, rate, tokens
from . import typed
from .tables import Cell, Row

SAMPLES = 160
SHORTEST_TOKENS = 16
UNLIMITED_TOKENS = 2**20


def length_span(setup: Setup) -> int:
    """The longest prompt to draw: the model's limit, or past the scenario's prompt without one."""
    assert setup.prompt is not None
    if setup.model.max_context_tokens is not None:
        return max(setup.model.max_context_tokens, 2 * SHORTEST_TOKENS)
    return 2 ** ceil(log2(max(UNLIMITED_TOKENS, setup.prompt.prompt_tokens)))


def sampled(longest: int) -> np.ndarray:
    """Whole lengths up to `longest`, in equal ratios."""
    lengths = np.geomspace(SHORTEST_TOKENS, longest, SAMPLES)
    return ascending(np.round(lengths))


def length_rows(evaluation: Evaluation) -> tuple[list[Row], set[int]]:
    """The table of lengths at the scenario's policy, and which row is its own prompt."""
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
    columns = (at.memory, at.compute, at.combined)
    rows: list[Row] = [
        (
            Cell(tokens(length, typed.separators()), length),
            *(_cell(values, index, rate) for values in columns),
            _cell(at.time_s, index, duration),
        )
        for index, length in enumerate(lengths)
    ]
    return rows, {lengths.index(own)}


def _cell(values: np.ndarray | None, index: int, write: Callable[[float, Separators], str]) -> Cell:
    """One figure of a column; a dash where it is unknown."""
    if values is None:
        return Cell(NONE, "")
    value = float(values[index])
    return Cell(write(value, typed.separators()), value)
