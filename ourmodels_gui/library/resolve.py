"""What was chosen -> plain numbers in SI, with every default filled in and every assumption told.

Defaults: the module `scenario` for lengths and the floor, here for the overhead and the arithmetic
modes. A default is decided once, here; the engine only passes the assumptions on.
"""

import msgspec

from ..composed import ComposedHardware, Hardware, HardwareRef
from ..engine import placement
from ..engine.costs import cache_alloc_bytes
from ..engine.setup import Machine, ModelCosts, Prompt, Setup, Speculation, Workload
from ..engine.speculation import emitted_tokens
from ..inline import InlineHardware
from ..language import mark, tr
from ..problem import BadInput, brief
from ..scenario import (
    CACHE_FORMAT,
    FLOOR_TOKENS_PER_S,
    PROMPT_TOKENS,
    READ_CONTEXT_TOKENS,
    RESERVED_CONTEXT_TOKENS,
    UNREAD_CONTEXT_TOKENS,
    InlineModel,
    PrefillChoice,
    Scenario,
    WorkloadChoice,
)
from ..spoken import spoken
from . import written_out
from .assumptions import assumptions
from .chosen import ChosenMachine, ChosenModel, Lengths
from .composing import composed
from .draft import draft_costs
from .encodings import CACHE_FORMATS
from .load import Library
from .lookup import hardware_in_use, machine_entry, model_record
from .models import ModelRecord
from .profile import default_weights, model_costs, model_shape

GB = 1e9
OVERHEAD_BYTES = {"unified": 8e9, "cpu": 8e9, "discrete": 1e9, "datacenter": 1e9}
OVERHEAD_OF_UNKNOWN_KIND_BYTES = 8e9
LIKELY_MODES = ("bf16_fp32acc", "fp16_fp32acc")


def resolve(scenario: Scenario, library: Library) -> Setup:
    """The setup that a scenario means with this library.

    Errors: BadInput with the path of the key: an id that the library does not have, an adapter
    that no model can have, measured rates that nobody measured, a model without a cache.

    References: formulation, "Calculator procedure" and the list of assumptions at its end.
    """
    chosen = chosen_machine(scenario.hardware, scenario.workload, library)
    model = _model(scenario, library)
    lengths = context_lengths(scenario.workload, model.costs.max_context_tokens)
    workload = workload_in_use(scenario.workload, chosen.kind, lengths)
    composition, computing = chosen.composition, computing_machine(chosen)
    if composition is not None:
        composition = msgspec.structs.replace(composition, shape=model.shape)
        whole = placement.overhead_bytes(composition)
        workload = msgspec.structs.replace(workload, overhead_bytes=whole)
    _check_cache(scenario, model.costs, workload)
    speculation = _speculation(scenario, library)
    prefill = scenario.prefill
    asked = prefill or PrefillChoice()
    setup = Setup(
        machine=chosen.machine,
        model=model.costs,
        workload=workload,
        linear_mode=arithmetic_mode(asked.linear_mode, computing),
        attention_mode=arithmetic_mode(asked.attention_mode, computing),
        speculation=speculation,
        prompt=None if prefill is None else prompt_in_use(prefill),
        composition=composition,
    )
    told = assumptions(scenario, setup, chosen, model, lengths, library=library)
    return msgspec.structs.replace(setup, assumptions=told)


def context_lengths(workload: WorkloadChoice, limit: int | None) -> Lengths:
    """L_alloc and L_read with their reasons, each clamped to what the model allows.

    L_alloc = min(asked, limit); L_read = min(asked, L_alloc), or, following the reservation at a
    fraction f, max(round(f L_alloc), L_alloc - 32,768).

    >>> context_lengths(WorkloadChoice(read_context_fraction=0.5), None).read
    67232
    """
    asked = workload.reserved_context_tokens
    reserved, reserved_source = RESERVED_CONTEXT_TOKENS, mark("default")
    if asked is not None:
        reserved, reserved_source = asked, mark("typed")
    if limit is not None and reserved > limit:
        reserved_source = tr("the model's context limit ({asked:,} asked, {why})").format(
            asked=reserved, why=tr(reserved_source)
        )
        reserved = limit
    fraction = workload.read_context_fraction
    if fraction is not None:
        read = max(round(fraction * reserved), reserved - UNREAD_CONTEXT_TOKENS)
        words = tr("follows the reservation at {fraction:g}")
        if read > round(fraction * reserved):
            words = tr(
                "follows the reservation at {fraction:g}, the unread rest capped at {most:,}"
            )
        source = words.format(fraction=fraction, most=UNREAD_CONTEXT_TOKENS)
        return Lengths(reserved, reserved_source, read, source)
    read, read_source = READ_CONTEXT_TOKENS, mark("default")
    if workload.read_context_tokens is not None:
        read, read_source = workload.read_context_tokens, mark("typed")
    if read > reserved:
        read_source = tr("the reserved context ({asked:,} asked, {why})").format(
            asked=read, why=tr(read_source)
        )
        read = reserved
    return Lengths(reserved, reserved_source, read, read_source)


def overhead_bytes(choice: WorkloadChoice, kind: str | None) -> float:
    """O as typed, or the default of the machine's kind [bytes]."""
    if choice.overhead_gb is not None:
        return choice.overhead_gb * GB
    return OVERHEAD_BYTES.get(kind or "", OVERHEAD_OF_UNKNOWN_KIND_BYTES)


def workload_in_use(choice: WorkloadChoice, kind: str | None, lengths: Lengths) -> Workload:
    """The workload on a machine of this kind at these lengths."""
    floor = choice.floor_tokens_per_s
    return Workload(
        reserved_context_tokens=lengths.reserved,
        read_context_tokens=lengths.read,
        floor_tokens_per_s=FLOOR_TOKENS_PER_S if floor is None else floor,
        overhead_bytes=overhead_bytes(choice, kind),
        cache_policy=choice.cache_policy or "windowed",
        routing=choice.routing or "expected",
        decode_ceiling=choice.decode_ceiling or "memory",
        batch=choice.batch,
    )


def chosen_machine(hardware: Hardware, workload: WorkloadChoice, library: Library) -> ChosenMachine:
    """The machine of a scenario with the rates and the overhead that its workload asks for.

    Errors: BadInput as `resolve`.
    """
    hardware = hardware_in_use(hardware, library)
    if not isinstance(hardware, ComposedHardware):
        return _one_machine(hardware, workload, library)
    return composed(
        hardware,
        lambda one: _one_machine(one, workload, library),
        lambda kind: overhead_bytes(workload, kind),
        library,
    )


def computing_machine(chosen: ChosenMachine) -> Machine:
    """The machine whose modes are asked for: of a composition its devices as one.

    A host whose rates are not known does not take those of the devices away.
    """
    if chosen.composition is None:
        return chosen.machine
    return placement.together(chosen.composition.devices)


def _one_machine(
    hardware: str | InlineHardware | HardwareRef, workload: WorkloadChoice, library: Library
) -> ChosenMachine:
    """One machine with the rates asked for."""
    if isinstance(hardware, InlineHardware):
        limits, measured = written_out.machine(hardware)
        chosen = ChosenMachine(hardware.name or mark("machine as typed"), hardware.kind, limits)
    else:
        entry = machine_entry(hardware, library)
        measured = entry.measured
        limits = msgspec.structs.replace(
            entry.machine, default_share_bytes=entry.default_share_bytes
        )
        chosen = ChosenMachine(entry.name, entry.kind, limits, entry)
    if workload.rates != "measured":
        return chosen
    if "bandwidth" not in measured:
        raise BadInput(
            "workload.rates",
            tr(
                '{machine} has no measured bandwidth; write "limit", or add the measured figure'
            ).format(machine=chosen.name),
        )
    return msgspec.structs.replace(chosen, machine=at_measured_rates(limits, measured))


def at_measured_rates(limits: Machine, measured: dict[str, float]) -> Machine:
    """The machine with each rate that was measured in place of its limit, bandwidth among them."""
    return msgspec.structs.replace(
        limits,
        bandwidth_bytes_per_s=measured["bandwidth"],
        compute_flop_per_s=limits.compute_flop_per_s
        | {mode: rate for mode, rate in measured.items() if mode != "bandwidth"},
        measured=frozenset(measured),
    )


def _model(scenario: Scenario, library: Library) -> ChosenModel:
    model, workload = scenario.model, scenario.workload
    if isinstance(model, InlineModel):
        for key in ("cache_format", "cache_read_format"):
            name = getattr(workload, key)
            if name is not None and name not in CACHE_FORMATS:
                known = ", ".join(CACHE_FORMATS)
                raise BadInput(
                    f"workload.{key}",
                    tr('"{asked}" is not one of: {known}').format(asked=brief(name), known=known),
                )
        costs = written_out.model_costs(model.adapter)
        return ChosenModel(model.adapter.name or mark("model as typed"), costs)
    record = model_record(model, library, "model")
    weights = model.weights or default_weights(record)
    stored, towers = workload.cache_format or CACHE_FORMAT, bool(model.include_towers)
    costs = model_costs(record, weights, stored, workload.cache_read_format, towers)
    return ChosenModel(
        record.name,
        costs,
        weights=weights,
        weights_typed=model.weights is not None,
        cache_format=stored,
        towers=towers,
        shape=model_shape(record, weights, costs),
        standing=_standing(record, model.record is not None or library.models[model.id].yours),
    )


def _standing(record: ModelRecord, yours: bool) -> str:
    if yours:
        return mark("your own model")
    if record.audit.status == "audited":
        return mark("catalog, audited")
    missing = "; ".join(map(spoken, record.audit.missing)) or tr("not said")
    return tr("catalog, unaudited; missing: {missing}").format(missing=missing)


def _check_cache(scenario: Scenario, costs: ModelCosts, workload: Workload) -> None:
    reserved = workload.reserved_context_tokens
    if round(float(cache_alloc_bytes(costs.cache, reserved, workload.cache_policy))) < 1:
        inline = isinstance(scenario.model, InlineModel)
        raise BadInput(
            "model.adapter.cache" if inline else "model.id",
            tr("a session reserves no cache, so this is not a decoder; give a model with one"),
        )


def _speculation(scenario: Scenario, library: Library) -> Speculation | None:
    choice = scenario.speculation
    if choice is None or choice.draft_tokens == 0:
        return None
    gamma = choice.draft_tokens
    emitted = choice.emitted_tokens
    if emitted is None:
        emitted = emitted_tokens(choice.acceptance or 0.0, gamma)
    return Speculation(gamma, emitted, draft_costs(scenario, library))


def arithmetic_mode(chosen: str | dict[str, float] | None, machine: Machine) -> dict[str, float]:
    """Shares by arithmetic mode; one named is never replaced, none named means BF16 or FP16."""
    if isinstance(chosen, dict):
        return {mode: share for mode, share in chosen.items() if share > 0}
    if chosen is None:
        known = [mode for mode in LIKELY_MODES if mode in machine.compute_flop_per_s]
        chosen = (*known, LIKELY_MODES[0])[0]
    return {chosen: 1.0}


def prompt_in_use(choice: PrefillChoice) -> Prompt:
    """The prompt asked for."""
    return Prompt(
        prompt_tokens=choice.prompt_tokens or PROMPT_TOKENS,
        cached_prefix_tokens=choice.cached_prefix_tokens or 0,
        chunk_tokens=choice.chunk_tokens,
        ttft_budget_s=choice.ttft_budget_s,
        cache_growth=choice.cache_growth or "reserved",
        batch=choice.batch,
        answer_tokens=choice.answer_tokens or None,
    )
