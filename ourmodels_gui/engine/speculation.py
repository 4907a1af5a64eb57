"""Speculative decoding: tokens emitted, the break-even, and the batches at which it loses."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .costs import Tokens, saturating_tokens
from .result import SpeculationFigures
from .setup import Setup
from .step import Step, decode_step, step_bytes

SCANNED = 1 << 16
"""Batches that one pass of a scan looks at."""
ROUNDING = 1e-12
"""A loss smaller than this fraction is rounding, not a loss."""


def emitted_tokens(acceptance: float, draft_tokens: int) -> float:
    """Tokens emitted per session and iteration when each draft token is accepted alike.

    rho = (1 - alpha^(gamma + 1)) / (1 - alpha) = 1 + alpha + ... + alpha^gamma; summed, because the
    quotient loses everything as alpha nears 1, where rho = gamma + 1.

    Parameters: acceptance, alpha, conditional on all earlier acceptances [0..1]; draft_tokens,
    gamma.
    Errors: ValueError for an acceptance outside 0..1.
    References: formulation, "Speculative decoding".

    >>> emitted_tokens(0.5, 2), emitted_tokens(1.0, 4), emitted_tokens(0.0, 4)
    (1.75, 5.0, 1.0)
    """
    if not 0.0 <= acceptance <= 1.0:
        raise ValueError("acceptance must lie between 0 and 1")
    total = 1.0
    for _ in range(draft_tokens):
        total = 1.0 + total * acceptance
    return total


def acceptance_for(emitted: Tokens, draft_tokens: int) -> Tokens:
    """The acceptance that emits so many tokens: the geometric sum solved for alpha.

    The sum rises and is convex on 0..1, so Newton's steps down from 1 never overshoot.

    Parameters: emitted, rho [1..gamma + 1], a number or an array; NaN beyond by more than rounding;
    draft_tokens, gamma.
    References: formulation, "Speculative decoding".

    >>> round(acceptance_for(1.75, 2), 12)
    0.5
    """
    most = draft_tokens + 1.0
    inside = (emitted >= 1.0 - ROUNDING) & (emitted <= most * (1.0 + ROUNDING))
    alpha: Any = np.where(inside, 1.0, np.nan)
    while True:
        total, slope = 1.0, 0.0
        for _ in range(draft_tokens):
            slope = total + slope * alpha
            total = 1.0 + total * alpha
        lower = np.maximum(alpha - (total - emitted) / slope, 0.0)
        if not np.any(lower < alpha):
            break
        alpha = np.fmin(alpha, lower)
    accepted: Tokens = alpha if isinstance(emitted, np.ndarray) else float(alpha)
    return accepted


class BreakEven(msgspec.Struct, frozen=True):
    """Over `batches`: the emitted tokens from which speculation gains, and their acceptance.

    acceptance: NaN where no acceptance emits so many.
    """

    batches: NDArray[Any]
    emitted_tokens: NDArray[np.float64]
    acceptance: NDArray[np.float64]


def break_even_tokens(ordinary: Step, speculative: Step, batch: Tokens) -> Tokens:
    """Emitted tokens per iteration at which speculation and ordinary decode move as much each.

    rho(b) = [W(b (g+1)) + g W_d + b (K + g K_d)] / [W(b) + b K]

    References: formulation, "Speculative decoding": q_spec(b) = q_KV(b) solved for rho.
    """
    needed: Tokens = step_bytes(speculative, batch) / step_bytes(ordinary, batch)
    return needed


def break_even(setup: Setup, batches: NDArray[Any]) -> BreakEven | None:
    """The break-even as a curve over the batch; None without speculation."""
    if setup.speculation is None:
        return None
    emitted = break_even_tokens(
        decode_step(setup, None), decode_step(setup, setup.speculation), batches
    )
    return BreakEven(batches, emitted, acceptance_for(emitted, setup.speculation.draft_tokens))


def loses(ordinary: Step, speculative: Step, batch: Tokens) -> Any:
    """Whether speculation gives fewer tokens per byte than ordinary decode, beyond rounding."""
    gained = speculative.emitted_tokens * step_bytes(ordinary, batch)
    return step_bytes(speculative, batch) > gained * (1.0 + ROUNDING)


def loses_at(ordinary: Step, speculative: Step, memory_batch: int) -> tuple[tuple[int, int], ...]:
    """The batches up to the memory batch at which speculation loses, as inclusive intervals.

    Up to the batch at which every expert is touched each batch is tried; from there on both steps
    are straight lines, which cross once at most, so halving finds the crossing.

    References: formulation, "Speculative decoding".
    """
    curved = 1
    if speculative.routing == "expected":
        curved = max(
            map(saturating_tokens, (*ordinary.experts, *speculative.draft.experts)), default=1
        )
    curved = min(curved, memory_batch)
    intervals: list[tuple[int, int]] = []
    for start in range(1, curved + 1, SCANNED):
        batches = np.arange(start, min(start + SCANNED, curved + 1))
        lost = np.concatenate(([False], loses(ordinary, speculative, batches), [False]))
        edges = np.flatnonzero(lost[1:] != lost[:-1])
        for first, past in edges.reshape(-1, 2):
            _append(intervals, start + int(first), start + int(past) - 1)
    if curved < memory_batch:
        before = bool(loses(ordinary, speculative, curved + 1))
        after = bool(loses(ordinary, speculative, memory_batch))
        low, high = curved + 1, memory_batch
        while before != after and high - low > 1:
            middle = (low + high) // 2
            if bool(loses(ordinary, speculative, middle)) == before:
                low = middle
            else:
                high = middle
        if before:
            _append(intervals, curved + 1, memory_batch if after else low)
        elif after:
            _append(intervals, high, memory_batch)
    return tuple(intervals)


def speculation_figures(
    setup: Setup, memory_batch: int, best_batch: int | None
) -> SpeculationFigures | None:
    """What speculation needs to gain, at one session and at the best batch; None without it.

    The comparison is one of memory traffic, also under the combined ceiling.

    References: formulation, "Speculative decoding".
    """
    speculation = setup.speculation
    if speculation is None:
        return None
    ordinary, speculative = decode_step(setup, None), decode_step(setup, speculation)
    gamma = speculation.draft_tokens
    at_1, acceptance_at_1, note_at_1 = _point(ordinary, speculative, 1, gamma)
    at_best, acceptance_at_best, note_at_best = _point(ordinary, speculative, best_batch, gamma)
    return SpeculationFigures(
        draft_tokens=gamma,
        emitted_tokens_per_iteration=speculation.emitted_tokens,
        break_even_at_1=at_1,
        break_even_at_best=at_best,
        break_even_acceptance_at_1=acceptance_at_1,
        break_even_acceptance_at_best=acceptance_at_best,
        note_at_1=note_at_1,
        note_at_best=note_at_best,
        loses_at=loses_at(ordinary, speculative, memory_batch),
    )


def _point(
    ordinary: Step, speculative: Step, batch: int | None, gamma: int
) -> tuple[float | None, float | None, str]:
    if batch is None:
        return None, None, "no batch serves"
    return break_even_point(break_even_tokens(ordinary, speculative, batch), gamma)


def break_even_point(emitted: float, gamma: int) -> tuple[float | None, float | None, str]:
    """A break-even with its acceptance; or None twice and why there is none.

    Rounding denies none: where arithmetic or a link takes every position alike, rho is gamma + 1.

    Parameters: emitted, rho at which both take as long; gamma.
    """
    most = gamma + 1.0
    if emitted <= 1.0 + ROUNDING:
        return None, None, "speculation never loses: an iteration moves no more than a plain step"
    if emitted > most * (1.0 + ROUNDING):
        return (
            None,
            None,
            f"speculation never gains: it would have to emit {emitted:.2f} tokens per iteration and"
            f" can emit {gamma + 1} at most",
        )
    emitted = min(emitted, most)
    return emitted, acceptance_for(emitted, gamma), ""


def _append(intervals: list[tuple[int, int]], first: int, last: int) -> None:
    """Add an interval, joined to the one before it where they touch."""
    if intervals and intervals[-1][1] == first - 1:
        first = intervals.pop()[0]
    intervals.append((first, last))
