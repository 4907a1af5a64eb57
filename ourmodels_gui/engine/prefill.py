"""Prefill: how fast prompts are processed, and how long they wait.

For a batch of b prompts of L tokens, cut into chunks of c (`chunks`, `prompt_costs`):

    t(b, c) = max(Q_pf / R, A_linear / F_linear + A_attention / F_attention),  T = b L / t

The ceiling is the largest T over the batches that pass the capacity gate with zero workspace and,
when there is one, the budget on t. A one-shot prompt is the ceiling over all chunk widths; a given
width is the ceiling of that policy.
"""

from typing import Any

from .admissible import largest_batch
from .costs import active_bytes, cache_alloc_bytes, prefill_sweep_scale
from .crossover import crossover_tokens, seconds_per_flop
from .memory_power import memory_power_tokens_per_s
from .prompt_costs import Floats, PromptCosts
from .prompt_policy import PromptPolicy
from .prompt_range import ranges
from .result import Kind, Prefill, PrefillPoint, PrefillVerdict
from .setup import Setup


def prefill(setup: Setup) -> Prefill:
    """Prefill ceilings of one pool; see `prefill_under`."""
    return prefill_under(PromptPolicy(setup))


def prefill_under(policy: PromptPolicy, ranged: bool = True) -> Prefill:
    """Prefill ceilings of a setup that has a prompt, under one way of serving it.

    The gates, in order, each with its verdict; a later one is tried when the earlier ones pass:

    - ``model does not fit``: C - W_resident - O < 0. No figure exists.
    - the cached prefix and the prompt are longer than the reservation: ``no prompt fits``, no
      figure exists, and `unavailable` says why.
    - ``no prompt fits``: b_mem = 0. The crossover and the ranges, which do not depend on the
      reservation, remain.
    - ``the batch does not fit``: the forced batch is above b_mem. No figure exists.
    - ``no setting meets the budget``: the figures of the setting do not exist; those of no setting
      (crossover, chain ends, FLOPs per token), the single prompt and the unrestricted result do.
    - ``serves``.

    When a part of the adapter or a rate is missing, `unavailable` names it. Without the compute
    side: the largest admissible batch, the memory ceiling, the memory-power analogue and the bytes
    per token; the budget is held against the memory time alone. Without the memory side: the
    compute ceilings, the FLOPs per token and the crossover; the batch only when it is forced.
    The combined figures (rate, time, limit, ranges, single prompt) need both sides.

    The single prompt is a batch of one, whether it meets the budget or not. The ranges are left out
    unless `ranged`.

    Raises ValueError when the setup has no prompt.
    References: formulation, "Prefill" and "Calculator procedure"; decisions, "Prefill".
    """
    setup = policy.setup
    if setup.prompt is None:
        raise ValueError("the setup has no prompt")
    prompt = setup.prompt
    held = prompt.cached_prefix_tokens + prompt.prompt_tokens
    reserved = setup.workload.reserved_context_tokens
    if policy.margin_bytes() < 0:
        return Prefill("model does not fit", {})
    if held > reserved:
        what = "cached prefix and prompt" if prompt.cached_prefix_tokens else "prompt"
        said = f"the reservation of {reserved:,} tokens is too small for {held:,} of {what}"
        return Prefill("no prompt fits", {}, unavailable=said)
    gate_tokens = held if prompt.cache_growth == "on_demand" else reserved
    fitting = policy.fitting(gate_tokens)
    if prompt.batch is not None and 1 <= fitting < prompt.batch:
        return Prefill("the batch does not fit", {})

    costs = policy.costs(prompt.prompt_tokens, prompt.chunk_tokens, prompt.cached_prefix_tokens)
    figures = _chain_ends(policy, gate_tokens)
    verdict: PrefillVerdict = "no prompt fits"
    if fitting >= 1:
        verdict = "serves"
        figures |= _without_setting(costs)
        if prompt.ttft_budget_s is not None:
            figures["unrestricted"] = _point(costs, _batch(policy, costs, fitting, None))
        batch = _batch(policy, costs, fitting, prompt.ttft_budget_s)
        if batch == 0:
            verdict = "no setting meets the budget"
        else:
            figures |= _at(policy, costs, batch)
    else:
        figures = {"crossover_tokens": figures["crossover_tokens"]}
    if ranged:
        figures["range"], figures["range_single"] = ranges(policy)
    figures = {name: figure for name, figure in figures.items() if figure is not None}
    return Prefill(
        verdict, _kinds(policy, figures), unavailable=_unavailable(policy, costs), **figures
    )


def _batch(
    policy: PromptPolicy, costs: PromptCosts, fitting: Floats, budget_s: float | None
) -> int:
    """The batch in use: the forced one or the best one; 0 when none keeps the budget."""
    largest = largest_batch(costs, fitting, budget_s)
    assert policy.setup.prompt is not None
    forced = policy.setup.prompt.batch
    if forced is not None:
        return forced if forced <= largest else 0
    return int(policy.best(costs, largest))


def _point(costs: PromptCosts, batch: int) -> PrefillPoint | None:
    """The combined ceiling at a batch, None when a side is missing."""
    if costs.private_bytes is None or costs.compute_s is None:
        return None
    time_s = float(costs.time_s(batch))
    return PrefillPoint(batch, batch * float(costs.tokens) / time_s, time_s)


def _at(policy: PromptPolicy, costs: PromptCosts, batch: int) -> dict[str, Any]:
    """Figures of one setting."""
    figures: dict[str, Any] = {"chunk_tokens": costs.width(batch)}
    assert policy.setup.prompt is not None
    if policy.setup.prompt.batch is not None or costs.private_bytes is not None:
        figures["batch"] = batch
    if costs.private_bytes is not None:
        figures["memory_ceiling_tokens_per_s"] = float(costs.memory_tokens_per_s(batch))
        figures["bytes_per_token"] = float(costs.memory_bytes(batch) / (batch * costs.tokens))
    if costs.compute_s is not None:
        figures["compute_ceiling_tokens_per_s"] = float(costs.compute_tokens_per_s(batch))
    if point := _point(costs, batch):
        figures["tokens_per_s"] = point.tokens_per_s
        figures["time_s"] = point.time_s
        figures["binding"] = policy.binding(costs, batch)
        figures["limit"] = figures["binding"].resource
    return figures


def _without_setting(costs: PromptCosts) -> dict[str, Any]:
    """Figures of the prompt that no batch changes, and those of a batch of one."""
    flop = None if costs.flop is None else float(costs.flop / costs.tokens)
    return {"flop_per_token": flop, "single_prompt": _point(costs, 1)}


def _chain_ends(policy: PromptPolicy, gate_tokens: int) -> dict[str, Any]:
    """The loose end of each resource's chain, and where the rooflines cross.

    T_pf,MP = L R (C - W_resident - O) / (K_alloc W_active) on the memory side and
    F_linear / (2 P_lin,active) on the compute side. W_active carries the scale of the prefill
    sweeps, so that the chain holds; a draft plays no part, as in decode. Both are those of all
    pools together, which no policy exceeds; unlike pools have no one crossover.

    References: formulation, "Ordering of the prefill bounds".
    """
    setup = policy.setup
    machine, model, workload = setup.machine, setup.model, setup.workload
    assert setup.prompt is not None
    scale = prefill_sweep_scale(model)
    prompts_per_s = memory_power_tokens_per_s(
        machine,
        held_bytes=model.resident_bytes + workload.overhead_bytes,
        alloc_bytes=float(cache_alloc_bytes(model.cache, gate_tokens, workload.cache_policy)),
        active_bytes=scale * active_bytes(model.always_bytes, model.experts),
    )
    ends: dict[str, Any] = {"memory_power_tokens_per_s": setup.prompt.prompt_tokens * prompts_per_s}
    linear = seconds_per_flop(policy.working, setup.linear_mode)
    if linear is None or policy.missing_for_compute():
        return ends | {"crossover_tokens": None}
    assert model.linear_active_parameters is not None
    crossing = None
    if policy.alike:
        crossing = crossover_tokens(
            model, workload.routing, machine.bandwidth_bytes_per_s, linear, scale
        )
    return ends | {
        "linear_ceiling_tokens_per_s": 1.0 / (2.0 * model.linear_active_parameters * linear),
        "crossover_tokens": crossing,
    }


def _unavailable(policy: PromptPolicy, costs: PromptCosts) -> str:
    """Which side is missing and what it lacks; "" when both are there."""
    several = bool(costs.tokens > costs.chunk)
    sides = (
        ("memory side", policy.missing_for_memory(several)),
        ("compute side", policy.missing_for_compute()),
    )
    return "; ".join(f"{side}: {', '.join(lacks)} unknown" for side, lacks in sides if lacks)


_USES: dict[str, frozenset[str]] = {
    "memory_ceiling_tokens_per_s": frozenset({"sweep", "bandwidth"}),
    "bytes_per_token": frozenset({"sweep"}),
    "compute_ceiling_tokens_per_s": frozenset({"linear", "attention", "spread"}),
    "memory_power_tokens_per_s": frozenset({"bandwidth"}),
    "linear_ceiling_tokens_per_s": frozenset({"linear"}),
    "crossover_tokens": frozenset({"sweep", "bandwidth", "linear"}),
    "flop_per_token": frozenset(),
} | dict.fromkeys(
    ("tokens_per_s", "time_s", "range", "range_single", "single_prompt", "unrestricted"),
    frozenset({"sweep", "bandwidth", "linear", "attention", "spread"}),
)
_OF_NO_POLICY = (
    "bytes_per_token",
    "memory_power_tokens_per_s",
    "linear_ceiling_tokens_per_s",
    "crossover_tokens",
    "flop_per_token",
)


def _kinds(policy: PromptPolicy, figures: dict[str, Any]) -> dict[str, Kind]:
    """An estimate rests on expected expert routing or on a measured rate; a bound on neither. The
    times and rates of a policy that restricts the runtime are its own."""
    setup = policy.setup
    measured = setup.machine.measured
    estimated = set()
    if setup.model.experts and setup.workload.routing == "expected":
        estimated |= {"sweep", "spread"} if policy.spreads else {"sweep"}
    if "bandwidth" in measured:
        estimated.add("bandwidth")
    if measured & setup.linear_mode.keys():
        estimated.add("linear")
    if measured & setup.attention_mode.keys():
        estimated.add("attention")
    found: dict[str, Kind] = {
        name: "estimate" if uses & estimated else "bound"
        for name, uses in _USES.items()
        if name in figures
    }
    if policy.restricts:
        found |= {name: "policy ceiling" for name in found if name not in _OF_NO_POLICY}
    return found
