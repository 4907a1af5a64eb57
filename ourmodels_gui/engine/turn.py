"""One turn of a conversation: the wait for the first token, then the rest of the answer."""

import msgspec
import numpy as np

from . import placement
from .costs import attended_pairs, attention_flop, cache_alloc_bytes, draft_read_bytes
from .crossover import seconds_per_flop
from .setup import CacheLayer, Draft, Prompt, Setup, TypedCache
from .step import decode_step, shared_bytes


class Turn(msgspec.Struct, frozen=True):
    """Least times of a turn [s].

    first_token_s: the prompt, behind its cached prefix. answer_s: the tokens after the first one.
    """

    first_token_s: float
    answer_s: float

    @property
    def whole_s(self) -> float:
        return self.first_token_s + self.answer_s


def turn_tokens(prompt: Prompt) -> int:
    """Context that a session holds when the answer is complete: l + L + A - 1.

    The last token of an answer is never read back.
    """
    answer = (prompt.answer_tokens or 1) - 1
    return prompt.cached_prefix_tokens + prompt.prompt_tokens + answer


def turn(setup: Setup, first_token_s: float, batch: int = 1) -> Turn | None:
    """The least time of a turn whose answer is decoded while `batch` sessions run alike.

    t_turn = t_first + sum over j = 1..A-1 of (W_batch(b) + b K_read(l + L + j)) / (rho R)

    The prompt gives the first token, so A tokens take A - 1 steps, each reading all that came
    before it. Under the combined ceiling the arithmetic of all these steps counts where it takes
    longer in sum. None without an answer length, or where the turn outgrows the reservation.

    Several devices and pools move it under the policy of the decode figures, with one placement for
    all of the answer.

    Parameters: setup, with a prompt; first_token_s, the prompt's own least time [s]; batch, b >= 1.
    References: formulation, "Aggregate and per-session ceilings" and "Prefill workload".
    """
    prompt = setup.prompt
    if prompt is None or not prompt.answer_tokens:
        return None
    if turn_tokens(prompt) > setup.workload.reserved_context_tokens:
        return None
    held, steps = prompt.cached_prefix_tokens + prompt.prompt_tokens, prompt.answer_tokens - 1
    if setup.composition is not None:
        return Turn(first_token_s, _answer_of_policy_s(setup, (held, steps), batch))
    step = decode_step(setup, setup.speculation)
    gamma, draft = step.draft_tokens, step.draft
    private = total_read_bytes(setup.model.cache, held, steps)
    private += gamma * _draft_read_bytes(draft, held, steps)
    moved = steps * float(shared_bytes(step, batch)) + batch * private
    least_s = moved / step.bandwidth_bytes_per_s
    if step.combined:
        least_s = max(least_s, batch * (gamma + 1) * _compute_s(setup, held, steps))
    return Turn(first_token_s, least_s / step.emitted_tokens)


def total_read_bytes(
    cache: tuple[CacheLayer, ...] | TypedCache, held_tokens: int, steps: int
) -> float:
    """Cache that `steps` decode steps in a row read, the first at `held_tokens` + 1 tokens [bytes].

    sum over j = 1..n of K_read(l + j); typed figures are the same at every step.

    >>> total_read_bytes((CacheLayer("window", 1, 2.0, 2.0, window_tokens=4),), 2, 3)
    22.0
    """
    if isinstance(cache, TypedCache):
        return steps * cache.read_bytes_per_token
    total = 0.0
    for layer in cache:
        limits = {"window": layer.window_tokens, "sparse": layer.selected_tokens}
        limit = limits.get(layer.kind, float("inf"))
        read = layer.read_bytes_per_token * float(attended_pairs(held_tokens, steps, limit))
        index = layer.index_bytes_per_token * float(attended_pairs(held_tokens, steps))
        total += layer.count * (read + index + steps * layer.state_bytes)
    return total


def _draft_read_bytes(draft: Draft, held_tokens: int, steps: int) -> float:
    """The same of a draft that steps once in each; past its own limit its reads stay the same."""
    limit = draft.max_context_tokens
    growing = steps if limit is None else min(max(limit - held_tokens, 0), steps)
    total = total_read_bytes(draft.cache, held_tokens, growing) / draft.modules
    return total + (steps - growing) * draft_read_bytes(draft, held_tokens + steps)


def _answer_of_policy_s(setup: Setup, answer: tuple[int, int], batch: int) -> float:
    """The steps of an answer under a policy, each as long as one that moves their mean [s].

    No shorter with one placement, because the time of a placement is the greatest of sums, and so
    convex in what is moved. Arithmetic is that of the first step, which has the least.

    Parameters: answer, the tokens held before it and its steps.
    """
    held, steps = answer
    if steps == 0:
        return 0.0
    work, speculation = setup.workload, setup.speculation
    kept = work.reserved_context_tokens

    def mean(cache: tuple[CacheLayer, ...] | TypedCache, total_bytes: float) -> TypedCache:
        reserved = float(cache_alloc_bytes(cache, kept, work.cache_policy))
        return TypedCache(reserved, total_bytes / steps)

    moved = total_read_bytes(setup.model.cache, held, steps)
    model = msgspec.structs.replace(setup.model, cache=mean(setup.model.cache, moved))
    if speculation is not None:
        draft = speculation.draft
        drafted = mean(draft.cache, draft.modules * _draft_read_bytes(draft, held, steps))
        speculation = msgspec.structs.replace(
            speculation, draft=msgspec.structs.replace(draft, cache=drafted)
        )
    alike = msgspec.structs.replace(
        setup,
        model=model,
        speculation=speculation,
        workload=msgspec.structs.replace(work, read_context_tokens=held),
    )
    way = placement.policy(alike, placement.policy(setup).name)
    return steps / float(way.per_session(np.array([float(batch)]))[0])


def _compute_s(setup: Setup, held_tokens: int, steps: int) -> float:
    """Arithmetic of one session's steps in a row, where every part of it is known [s]."""
    model = setup.model
    linear_s = seconds_per_flop(setup.machine, setup.linear_mode)
    attention_s = seconds_per_flop(setup.machine, setup.attention_mode)
    assert linear_s is not None and attention_s is not None
    assert model.linear_active_parameters is not None and model.attention is not None
    linear = 2.0 * (model.linear_active_parameters + model.head_parameters) * steps
    return linear * linear_s + float(attention_flop(model.attention, held_tokens, steps)) * (
        attention_s
    )
