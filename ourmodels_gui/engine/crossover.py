"""The compute rate of a path, what it needs to be known, and where the two rooflines cross."""

import math

from .costs import active_bytes, full_sweep_bytes, sweep_bytes
from .setup import Machine, ModelCosts, Routing, Setup


def missing_modes(machine: Machine, shares: dict[str, float]) -> tuple[str, ...]:
    """Arithmetic modes of a path for which the machine has no rate."""
    return tuple(mode for mode in shares if mode not in machine.compute_flop_per_s)


def missing_for_compute(setup: Setup) -> tuple[str, ...]:
    """What the compute side of a setup lacks, named for people; empty when nothing.

    An unknown rate is never replaced by another mode's.
    """
    missing = []
    if setup.model.linear_active_parameters is None:
        missing.append("the active linear parameters")
    if setup.model.attention is None:
        missing.append("the attention layers")
    modes = missing_modes(setup.machine, setup.linear_mode | setup.attention_mode)
    return (*missing, *(f"the machine's rate in {mode}" for mode in modes))


def seconds_per_flop(machine: Machine, shares: dict[str, float]) -> float | None:
    """Time of one FLOP of a path split over arithmetic modes [s/FLOP]; None if a rate is unknown.

    1 / F = sum over modes of share / F_hw(mode)

    Parameters: machine; shares by mode, summing to 1.
    References: formulation, "Compute per prompt token".

    >>> toy = Machine(1e9, 1e9, {"fp4_fp32acc": 400.0, "bf16_fp32acc": 100.0})
    >>> 1 / seconds_per_flop(toy, {"fp4_fp32acc": 0.5, "bf16_fp32acc": 0.5})
    160.0
    """
    if missing_modes(machine, shares):
        return None
    return sum(share / machine.compute_flop_per_s[mode] for mode, share in shares.items())


def crossover_tokens(
    model: ModelCosts,
    routing: Routing,
    bandwidth_bytes_per_s: float,
    linear_s_per_flop: float,
    sweep_scale: float = 1.0,
) -> float | None:
    """Tokens per sweep S* from which one sweep's arithmetic takes longer than the sweep itself.

    W_batch(S*) F_linear = 2 P_lin,active R S*, attention omitted. With experts the sweep grows
    with S, so this is the root of a concave function, reached by Newton's method from the right.

    Parameters: model; routing; bandwidth_bytes_per_s, R; linear_s_per_flop, 1 / F_linear;
    sweep_scale, the factor on every sweep (that of prefill, 1 in decode).
    Returns None when the linear parameters are unknown or the memory never limits.
    References: formulation, "Combined ceiling and crossover".

    A dense model at 4 bits on 100 TFLOP/s and 800 GB/s:

    >>> dense = ModelCosts(18e9, 16e9, (), linear_active_parameters=32e9)
    >>> round(crossover_tokens(dense, "expected", 800e9, 1 / 100e12), 9)
    31.25
    """
    if not model.linear_active_parameters:
        return None
    flop_s = 2.0 * model.linear_active_parameters * linear_s_per_flop
    bytes_per_token = flop_s * bandwidth_bytes_per_s / sweep_scale
    if routing == "floor":
        return active_bytes(model.always_bytes, model.experts) / bytes_per_token
    tokens = full_sweep_bytes(model) / bytes_per_token
    while tokens > 0.0:
        sweep = float(sweep_bytes(model.always_bytes, model.experts, tokens, routing))
        growth = 0.0
        for group in model.experts:
            missed = math.log1p(-group.per_token / group.routed)
            growth -= group.expert_bytes * group.routed * missed * math.exp(tokens * missed)
        nearer = tokens - (bytes_per_token * tokens - sweep) / (bytes_per_token - growth)
        if not nearer < tokens * (1.0 - 1e-15):
            return tokens
        if nearer < 1e-9:
            break
        tokens = nearer
    return None
