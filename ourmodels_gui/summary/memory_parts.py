"""What fills the memory: the parts of a bar drawn to scale."""

from typing import NamedTuple

from ..engine.costs import cache_alloc_bytes, draft_alloc_bytes
from ..engine.setup import Setup, TypedCache
from ..evaluation import Evaluation
from ..language import tr
from ..units import ENGLISH, Separators, number


class Part(NamedTuple):
    """A stretch of the memory: its role among the colours, its name, its bytes."""

    role: str
    name: str
    size_bytes: float


def shown_sessions(evaluation: Evaluation) -> int:
    """The sessions that the bar draws: forced, else best, else what fits, else the first one that
    does not; none where the model alone does not fit."""
    assert evaluation.result is not None
    decode = evaluation.result.decode
    if decode.forced is not None:
        return decode.forced.batch
    if decode.memory_batch is None:
        return 0
    wanted = evaluation.setup.workload.batch if evaluation.setup else None
    return wanted or decode.best_batch or decode.memory_batch or 1


def parts(setup: Setup, sessions: int, separators: Separators = ENGLISH) -> tuple[Part, ...]:
    """What `sessions` sessions reserve, in the order it is drawn; the free rest is not a part."""
    model, work = setup.model, setup.workload
    reserve = work.reserved_context_tokens
    whole = float(cache_alloc_bytes(model.cache, reserve, work.cache_policy))
    state = 0.0
    if not isinstance(model.cache, TypedCache):
        states = tuple(layer for layer in model.cache if layer.kind == "state")
        state = float(cache_alloc_bytes(states, reserve, work.cache_policy))
    draft = 0.0
    if setup.speculation is not None:
        drafting = setup.speculation.draft
        kept = draft_alloc_bytes(drafting, reserve, work.cache_policy)
        draft = drafting.resident_bytes + sessions * kept
    count = number(sessions, 0, separators)
    found = (
        Part("weights", tr("weights"), model.resident_bytes),
        Part("cache", tr("cache × {sessions}").format(sessions=count), sessions * (whole - state)),  # noqa: RUF001
        Part("state", tr("recurrent state × {sessions}").format(sessions=count), sessions * state),  # noqa: RUF001
        Part("draft", tr("draft"), draft),
        Part("overhead", tr("overhead"), work.overhead_bytes),
    )
    return tuple(part for part in found if part.size_bytes > 0)
