"""One decode iteration as a function of the batch: bytes, times and rates."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .costs import Tokens, attention_flop, cache_read_bytes, draft_read_bytes, sweep_bytes
from .crossover import seconds_per_flop
from .setup import Draft, Experts, Routing, Setup, Speculation


class Step(msgspec.Struct, frozen=True):
    """What an iteration of a setup moves and computes, whatever the batch.

    bandwidth_bytes_per_s: R. always_bytes, experts, routing: W_batch.
    private_bytes: K_read, plus gamma K_draft,read with speculation, of one session.
    draft_tokens: gamma, 0 in ordinary decode. emitted_tokens: rho. draft: what proposes.
    compute_s: time of one session's gamma + 1 positions on the compute side; None where unknown.
    combined: whether the ceilings charge the larger of both times.
    """

    bandwidth_bytes_per_s: float
    always_bytes: float
    experts: tuple[Experts, ...]
    routing: Routing
    private_bytes: float
    compute_s: float | None = None
    combined: bool = False
    draft_tokens: int = 0
    emitted_tokens: float = 1.0
    draft: Draft = Draft()


def decode_step(setup: Setup, speculation: Speculation | None) -> Step:
    """The iteration of a setup, with the given speculation or, with None, of ordinary decode."""
    model, workload = setup.model, setup.workload
    read_bytes = cache_read_bytes(model.cache, workload.read_context_tokens)
    compute_s = position_compute_s(setup)
    step = Step(
        bandwidth_bytes_per_s=setup.machine.bandwidth_bytes_per_s,
        always_bytes=model.always_bytes,
        experts=model.experts,
        routing=workload.routing,
        private_bytes=read_bytes,
        compute_s=compute_s,
        combined=workload.decode_ceiling == "combined" and compute_s is not None,
    )
    if speculation is None:
        return step
    gamma = speculation.draft_tokens
    drafting_bytes = draft_read_bytes(speculation.draft, workload.read_context_tokens)
    return msgspec.structs.replace(
        step,
        private_bytes=read_bytes + gamma * drafting_bytes,
        compute_s=None if compute_s is None else (gamma + 1) * compute_s,
        draft_tokens=gamma,
        emitted_tokens=speculation.emitted_tokens,
        draft=speculation.draft,
    )


def position_compute_s(setup: Setup) -> float | None:
    """Least compute time of one decoded position; None when a rate or a count is unknown [s].

    2 (P_lin,active + P_head) / F_linear + a_attn(1, L_read) / F_attention

    A draft's own arithmetic is left out, which only loosens the ceiling.

    References: formulation, "Compute per prompt token" and "Prefill adapter fields".
    """
    model, machine = setup.model, setup.machine
    linear_s = seconds_per_flop(machine, setup.linear_mode)
    attention_s = seconds_per_flop(machine, setup.attention_mode)
    parameters, layers = model.linear_active_parameters, model.attention
    if linear_s is None or attention_s is None or parameters is None or layers is None:
        return None
    linear_flop = 2.0 * (parameters + model.head_parameters)
    attending_flop = float(attention_flop(layers, setup.workload.read_context_tokens, 1))
    return linear_flop * linear_s + attending_flop * attention_s


def shared_bytes(step: Step, batch: Tokens) -> Tokens:
    """Weights that an iteration sweeps, W_batch(b (gamma + 1)) + gamma W_draft(b) [bytes].

    References: formulation, "Speculative decoding"; at gamma = 0 it is W_batch(b).
    """
    gamma, draft = step.draft_tokens, step.draft
    swept = sweep_bytes(step.always_bytes, step.experts, batch * (gamma + 1), step.routing)
    if gamma > 0:
        swept = swept + gamma * sweep_bytes(draft.always_bytes, draft.experts, batch, step.routing)
    return swept


def least_shared_bytes(step: Step) -> float:
    """Weights that no iteration sweeps less than, W_active + gamma W_draft [bytes].

    References: formulation, "Usable-batch correction".
    """
    draft = step.draft
    return sweep_bytes(step.always_bytes, step.experts, 1, step.routing) + (
        step.draft_tokens * sweep_bytes(draft.always_bytes, draft.experts, 1, step.routing)
    )


def step_bytes(step: Step, batch: Tokens) -> Tokens:
    """Memory traffic of an iteration [bytes].

    b q(b) = W_batch(b) + b K_read, and with speculation
    W_batch(b (gamma + 1)) + gamma W_draft(b) + b (K_read + gamma K_draft,read)

    Parameters: step; batch, b >= 1, a number or an array.
    References: formulation, "Aggregate and per-session ceilings", "Speculative decoding".

    >>> step_bytes(Step(1.0, 10.0, (), "floor", private_bytes=2.0), 3)
    16.0
    """
    return shared_bytes(step, batch) + batch * step.private_bytes


def memory_time_s(step: Step, batch: Tokens) -> Tokens:
    """Time that the memory needs for an iteration [s]."""
    return step_bytes(step, batch) / step.bandwidth_bytes_per_s


def compute_time_s(step: Step, batch: Tokens) -> Tokens | None:
    """Time that the arithmetic needs for an iteration; None where it is unknown [s]."""
    return None if step.compute_s is None else batch * step.compute_s


def per_session_tokens_per_s(step: Step, batch: Tokens) -> Tokens:
    """Ceiling of one session at a batch, in the form that the floor test uses.

    r(b) = rho R / (b q(b)); under the combined ceiling no more than rho / t_compute(b)

    References: formulation, "Aggregate and per-session ceilings".

    >>> per_session_tokens_per_s(Step(800.0, 10.0, (), "floor", private_bytes=2.0), 3)
    50.0
    """
    rate = step.emitted_tokens * step.bandwidth_bytes_per_s / step_bytes(step, batch)
    if not step.combined or not step.compute_s:
        return rate
    return _lower(rate, step.emitted_tokens / (batch * step.compute_s))


def aggregate_tokens_per_s(step: Step, batch: Tokens) -> Tokens:
    """Ceiling of all sessions together at a batch, T(b) = b r(b) = R / q(b)."""
    aggregate: Tokens = batch * per_session_tokens_per_s(step, batch)
    return aggregate


def _lower(rate: Tokens, other: Tokens) -> Tokens:
    if isinstance(rate, np.ndarray):
        lower: NDArray[Any] = np.minimum(rate, other)
        return lower
    return min(rate, other)
