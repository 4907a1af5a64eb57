"""What the rate of a measured run implies of its weights and experts."""

import re

from ..engine.costs import distinct_experts
from ..engine.step import shared_bytes
from ..library.load import Library
from ..library.models import ModelRecord, TensorClass, parameters, tensors_of
from ..library.profile import linear_active_parameters
from .ceiling import step_of
from .runs import MeasuredRun


def bits_per_parameter(run: MeasuredRun, library: Library) -> float | None:
    """Bits a parameter that one pass per token could read at full bandwidth, whatever the format.

    8 R / (T P) of a single session, the context's own bytes left out, P the parameters that a token
    is multiplied with, the head included. None where machine or model is not matched, or where host
    memory or unlike devices take part.
    """
    if not (run.machine and run.model) or run.phase != "decode":
        return None
    if run.uses_host or run.others:
        return None
    machine = library.machines[run.machine].machine
    rates = 1 if run.split == "layers" else run.devices
    swept = multiplied_parameters(library.models[run.model].record)
    return 8 * rates * machine.bandwidth_bytes_per_s * (run.batch or 1) / (run.tokens_per_s * swept)


def bits_said(weights: str) -> float | None:
    """The bits that a printed format counts in its name, for formats without a rule.

    >>> bits_said("MQ4"), bits_said("EXL2 3.0 bpw"), bits_said("UD-Q4_K_XL"), bits_said("fp32")
    (4.0, 3.0, 4.0, 32.0)
    """
    if found := re.search(r"([\d.]+) ?bpw", weights):
        return float(found.group(1))
    if found := re.search(r"(\d+)-bit", weights):
        return float(found.group(1))
    found = re.search(r"(?:^|[^a-z])(?:i?q|mq|w|fp|int|uint|bf|f)(\d{1,2})", weights.lower())
    return float(found.group(1)) if found else None


def experts_left(run: MeasuredRun, library: Library) -> tuple[float, int, float]:
    """How many distinct experts of a layer an iteration of a run can have touched at most.

    m = (rho b R / T - b K_read - always) / p_expert of the largest set, the other sets at k.
    Returns m, E, and m(n) under independent routing, n = b (gamma + 1).
    References: formulation, "Mixture-of-experts".
    """
    step = step_of(run, library)
    batch = run.batch or 1
    largest = max(step.experts, key=lambda group: group.routed * group.expert_bytes)
    time_bytes = step.emitted_tokens * batch * step.bandwidth_bytes_per_s / run.tokens_per_s
    others = float(shared_bytes(step, batch)) - largest.per_token * largest.expert_bytes
    left = (time_bytes - batch * step.private_bytes - others) / largest.expert_bytes
    mean = distinct_experts(largest, float(batch * (step.draft_tokens + 1)), "expected")
    return left, largest.routed, mean


def unread_share(record: ModelRecord) -> float:
    """Share of a model's parameters that no decode step reads: lookup tables not used as head."""
    tables = sum(
        group.parameters
        for group in tensors_of(record, "text", "input_embedding")
        if not (record.tied and group.role == "token")
    )
    return tables / parameters(record)


def multiplied_parameters(record: ModelRecord) -> float:
    """Parameters that a token is multiplied with, the head included."""
    kind: TensorClass = "input_embedding" if record.tied else "output_head"
    head = sum(
        group.parameters
        for group in tensors_of(record, "text", kind)
        if not record.tied or group.role == "token"
    )
    return linear_active_parameters(record) + head
