"""What a decode ceiling is worth: the kind of each figure, and cautions."""

from .crossover import missing_for_compute
from .result import Kind
from .setup import Setup
from .step import Step, compute_time_s, memory_time_s, shared_bytes

MANY_SESSIONS = 64
"""From this many sessions on, a step that is mostly weights is no forecast (see `cautions`)."""


def kinds(setup: Setup, step: Step, usable_batch: int) -> tuple[dict[str, Kind], tuple[str, ...]]:
    """Bound or estimate for each figure by name, and why any is an estimate.

    An expected expert count is an average, so what rests on a sweep of more than one routing is an
    estimate; m(1) = k is certain, and the rate-limited batch rests on it. A measured rate is no
    limit, so what rests on it is an estimate. The gates of whole bytes stay bounds.

    Parameters: setup; step; usable_batch, beyond which no batch can serve.
    References: formulation, "Four questions" and "Mixture-of-experts".
    """
    routed = setup.model.experts or (step.draft_tokens and step.draft.experts)
    expected = bool(routed) and step.routing == "expected"
    single_expected = expected and step.draft_tokens > 0 and bool(setup.model.experts)
    batched_expected = expected and (single_expected or usable_batch > 1)
    sweep_expected = bool(setup.model.experts) and step.routing == "expected"

    measured = setup.machine.measured
    bandwidth = "bandwidth" in measured
    modes = sorted(measured & {*setup.linear_mode, *setup.attention_mode})
    rates = bandwidth or (step.combined and bool(modes))
    linear = bool(measured & set(setup.linear_mode))

    estimates = {
        "memory_batch": False,
        "rate_limited_batch": bandwidth,
        "usable_batch": bandwidth,
        "best_batch": rates or batched_expected,
        "aggregate_tokens_per_s": rates or batched_expected,
        "per_session_tokens_per_s": rates or batched_expected,
        "single_session_tokens_per_s": rates or single_expected,
        "memory_power_tokens_per_s": bandwidth,
        "large_memory_limit_tokens_per_s": bandwidth,
        "crossover_tokens": bandwidth or linear or sweep_expected,
    }
    forced = setup.workload.batch
    if forced is not None:
        estimates["forced"] = rates or (expected and (single_expected or forced > 1))
    reasons = []
    if expected:
        reasons.append(
            "Expected expert routing: the experts that a batch touches are an average, not a"
            " minimum; floor routing gives the guaranteed ceiling."
        )
    if bandwidth:
        reasons.append("Measured bandwidth: a sustained figure, not the limit of the hardware.")
    if modes and (step.combined or linear):
        reasons.append(
            f"Measured compute rate ({', '.join(modes)}): a sustained figure, not the limit of the"
            " hardware."
        )
    return (
        {name: "estimate" if estimate else "bound" for name, estimate in estimates.items()},
        tuple(reasons),
    )


def cautions(setup: Setup, step: Step, best_batch: int | None) -> tuple[str, ...]:
    """What a reader must know before believing the aggregate.

    Said where the arithmetic of the best batch takes longer than its memory traffic; where the
    combined ceiling was asked for and a rate is unknown; and, with arithmetic unknown, where many
    sessions leave the private reads a minority of the step, so that almost nothing grows with the
    batch.

    References: formulation, "Omitted rooflines" and "Combined ceiling and crossover".
    """
    said = []
    if setup.workload.decode_ceiling == "combined" and not step.combined:
        missing = ", ".join(missing_for_compute(setup))
        said.append(
            f"The combined ceiling needs {missing}; these figures are the memory side alone."
        )
    if best_batch is None:
        return tuple(said)
    computing_s = compute_time_s(step, float(best_batch))
    if computing_s is not None:
        slower = computing_s > memory_time_s(step, best_batch)
        if slower and step.combined:
            said.append(
                f"At batch {best_batch} arithmetic is the limit: more sessions share the same"
                " aggregate."
            )
        elif slower:
            said.append(
                f"At batch {best_batch} arithmetic takes longer than memory traffic: compute must"
                " be added before the aggregate is believed."
            )
    elif best_batch >= MANY_SESSIONS:
        private_bytes = best_batch * step.private_bytes
        if private_bytes < shared_bytes(step, best_batch):
            said.append(
                f"At batch {best_batch} the sessions' own reads are less than the weights': almost"
                " nothing grows with the batch, so compute, kernels and scheduling must be added"
                " before the aggregate is believed."
            )
    return tuple(said)
