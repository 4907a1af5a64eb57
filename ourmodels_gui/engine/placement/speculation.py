"""What speculation needs to gain in a composition, and where it loses."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from ..result import PolicyFigures, SpeculationFigures
from ..setup import Setup
from ..speculation import ROUNDING, break_even_point
from .choose import policies
from .policy import Policy
from .search import where


def speculation_figures(setup: Setup, way: Policy, own: PolicyFigures) -> SpeculationFigures | None:
    """What speculation needs to gain under the same policy; None without it.

    rho(b) = period with speculation / period without it, memory and links alike; without it the
    draft is not held either.
    """
    if setup.speculation is None:
        return None
    plain = msgspec.structs.replace(setup, speculation=None)
    ordinary = next(one for one in policies(plain) if one.name == way.name)
    gamma, emitted = setup.speculation.draft_tokens, setup.speculation.emitted_tokens

    def needed(batch: Any) -> Any:
        return emitted * ordinary.per_session(batch) / way.per_session(batch)

    at_1 = _break_even(needed, 1 if own.memory_batch else None, gamma)
    at_best = _break_even(needed, own.best_batch, gamma)
    return SpeculationFigures(
        draft_tokens=gamma,
        emitted_tokens_per_iteration=emitted,
        break_even_at_1=at_1[0],
        break_even_at_best=at_best[0],
        break_even_acceptance_at_1=at_1[1],
        break_even_acceptance_at_best=at_best[1],
        note_at_1=at_1[2],
        note_at_best=at_best[2],
        loses_at=where(lambda b: needed(b) > emitted * (1.0 + ROUNDING), own.memory_batch),
    )


def _break_even(
    needed: Callable[[Any], Any], batch: int | None, gamma: int
) -> tuple[float | None, float | None, str]:
    if batch is None:
        return None, None, "no batch serves"
    return break_even_point(float(needed(np.array([float(batch)]))[0]), gamma)
