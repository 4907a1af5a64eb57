"""What moves an answer, told with every result: value, unit, and where it comes from.

References: formulation, the last paragraph of "Cheat sheet".
"""

from typing import Any

from ..engine.setup import Assumption, Setup, TypedCache
from ..scenario import ComposedHardware, InlineModel, Scenario, TypedDraft
from .chosen import ChosenMachine, ChosenModel, Lengths
from .composing import told_of
from .load import Library, MachineEntry
from .records import Figure

GB = 1e9
TYPED, DEFAULT = "typed", "default"


def assumptions(
    scenario: Scenario,
    setup: Setup,
    machine: ChosenMachine,
    model: ChosenModel,
    lengths: Lengths,
    *,
    library: Library,
) -> tuple[Assumption, ...]:
    """Every input that moves the result, in the order in which a reader checks them."""
    told = [
        *_of_machine(scenario, machine, library),
        *_of_model(scenario, model),
        *_of_workload(scenario, setup, machine, lengths),
        *_of_speculation(scenario, setup),
        *_of_prefill(scenario, setup, machine, library),
    ]
    if scenario.catalog_version and scenario.catalog_version != library.version:
        told.append(
            Assumption(
                "catalog version",
                library.version or None,
                "",
                f"the scenario was saved with {scenario.catalog_version}; figures may differ",
            )
        )
    elif library.version:
        told.append(Assumption("catalog version", library.version, "", "this program"))
    return tuple(told)


def _of_machine(scenario: Scenario, chosen: ChosenMachine, library: Library) -> list[Assumption]:
    if chosen.composition is not None and isinstance(scenario.hardware, ComposedHardware):
        together = "all pools together"
        return [
            Assumption("machine", chosen.name, "", "a composition"),
            Assumption("memory capacity (C)", chosen.machine.capacity_bytes / GB, "GB", together),
            Assumption(
                "memory bandwidth (R)",
                chosen.machine.bandwidth_bytes_per_s / GB,
                "GB/s",
                together,
            ),
            *told_of(chosen, scenario.hardware, prompt=scenario.prefill is not None),
        ]
    machine, entry = chosen.machine, chosen.entry
    measured = ", ".join(sorted(machine.measured))
    told = [
        Assumption("machine", chosen.name, "", "typed" if entry is None else _place(entry)),
        Assumption(
            "memory capacity (C)",
            machine.capacity_bytes / GB,
            "GB",
            TYPED if entry is None else _source(entry.memory, library),
        ),
        Assumption(
            "memory bandwidth (R)",
            machine.bandwidth_bytes_per_s / GB,
            "GB/s",
            rate_source(chosen, "bandwidth", library),
        ),
        Assumption(
            "resource rates",
            scenario.workload.rates or "limit",
            "",
            f"measured: {measured}; limits elsewhere"
            if measured
            else ("default" if scenario.workload.rates is None else TYPED) + ": resource limits",
        ),
    ]
    if machine.default_share_bytes is not None:
        told.append(
            Assumption(
                "default accelerator share",
                machine.default_share_bytes / GB,
                "GB",
                "set by the system; can be raised, so it lowers no ceiling",
            )
        )
    return told


def _place(entry: MachineEntry) -> str:
    return "your own machine" if entry.yours else "catalog"


def _source(figure: Figure, library: Library) -> str:
    """Where a figure of the library comes from, and how it is known."""
    source = library.sources.get(figure.source)
    title = source.title if source else figure.source or "your own figure"
    return f"{figure.basis}: {title}"


def rate_source(chosen: ChosenMachine, rate: str, library: Library) -> str:
    """Where one rate in use comes from: "bandwidth" or a mode id; a limit unless measured."""
    measured = rate in chosen.machine.measured
    what = "measured sustained rate" if measured else "resource limit"
    if chosen.entry is None:
        return f"{what}, typed"
    record = chosen.entry.record
    figures: dict[Any, Figure] = {**(record.measured if measured else record.compute)}
    if rate == "bandwidth" and not measured:
        memory = record.memory
        for size in record.configurations:
            if size.id == chosen.entry.id and size.memory is not None:
                memory = size.memory
        return f"{what}, {_source(memory.bandwidth, library)}"
    return f"{what}, {_source(figures[rate], library)}"


def _of_model(scenario: Scenario, model: ChosenModel) -> list[Assumption]:
    costs = model.costs
    if isinstance(scenario.model, InlineModel):
        adapter = scenario.model.adapter
        resident = TYPED
        if adapter.resident_gb is None:
            resident = "total_parameters_b x bytes_per_parameter"
        cache = "as typed: figures used whatever the contexts"
        if not isinstance(costs.cache, TypedCache):
            cache = "as typed: bytes of each layer"
        return [
            Assumption("model", model.name, "", "simplified adapter, typed"),
            Assumption(
                "weight precision", adapter.bytes_per_parameter, "bytes per parameter", TYPED
            ),
            Assumption("resident weights (W_resident)", costs.resident_bytes / GB, "GB", resident),
            Assumption("cache precision", "as typed", "", cache),
        ]
    format_source = TYPED if model.weights_typed else "default: the release's own format"
    told = [
        Assumption("model", model.name, "", model.standing),
        Assumption("weight precision", model.weights, "", format_source),
        Assumption(
            "resident weights (W_resident)",
            costs.resident_bytes / GB,
            "GB",
            "stored bytes of its tensors" + (", towers included" if model.towers else ""),
        ),
        Assumption(
            "cache precision",
            model.cache_format,
            "",
            DEFAULT if scenario.workload.cache_format is None else TYPED,
        ),
    ]
    if scenario.workload.cache_read_format is not None:
        told.append(
            Assumption("cache read precision", scenario.workload.cache_read_format, "", TYPED)
        )
    return told


def _of_workload(
    scenario: Scenario, setup: Setup, machine: ChosenMachine, lengths: Lengths
) -> list[Assumption]:
    choice, workload = scenario.workload, setup.workload
    overhead = TYPED
    if machine.composition is not None:
        overhead = "the sum over its pools"
    elif choice.overhead_gb is None:
        names = {"unified": "unified memory", "cpu": "a CPU platform", None: "a machine as typed"}
        kind = names.get(machine.kind, f"a {machine.kind} GPU")
        overhead = f"default for {kind}"
    routing = DEFAULT if choice.routing is None else TYPED
    if not setup.model.experts:
        routing = "no routed experts: every weight is swept"
    elif workload.routing == "expected":
        routing += ": an estimate, independent uniform routing"
    else:
        routing += ": the least traffic, m = k"
    told = [
        Assumption("runtime overhead (O)", workload.overhead_bytes / GB, "GB", overhead),
        Assumption(
            "reserved context (L_alloc)", lengths.reserved, "tokens", lengths.reserved_source
        ),
        Assumption("read context (L_read)", lengths.read, "tokens", lengths.read_source),
        Assumption(
            "per-session floor (r_star)",
            workload.floor_tokens_per_s,
            "tokens/s",
            _typed(choice.floor_tokens_per_s),
        ),
        Assumption("expert routing", workload.routing, "", routing),
        Assumption("cache policy", workload.cache_policy, "", _typed(choice.cache_policy)),
        Assumption("decode ceiling", workload.decode_ceiling, "", _typed(choice.decode_ceiling)),
    ]
    if workload.batch is not None:
        told.append(Assumption("forced batch (b)", workload.batch, "sessions", TYPED))
    return told


def _typed(choice: object) -> str:
    return DEFAULT if choice is None else TYPED


def _of_speculation(scenario: Scenario, setup: Setup) -> list[Assumption]:
    speculation, choice = setup.speculation, scenario.speculation
    if speculation is None or choice is None:
        return [
            Assumption("emitted tokens (rho)", 1, "per session and iteration", "no speculation")
        ]
    emitted = TYPED
    if choice.emitted_tokens is None:
        emitted = f"conditional acceptance {choice.acceptance:g}, typed"
    draft: str = "none (prompt lookup)"
    if choice.draft == "mtp":
        draft = "the model's own MTP layers"
    elif isinstance(choice.draft, TypedDraft):
        draft = "as typed"
    elif choice.draft is not None:
        draft = choice.draft.id
    return [
        Assumption("emitted tokens (rho)", speculation.emitted_tokens, "per iteration", emitted),
        Assumption("draft tokens (gamma)", speculation.draft_tokens, "per iteration", TYPED),
        Assumption("draft", draft, "", "a sequential draft"),
    ]


def _of_prefill(
    scenario: Scenario, setup: Setup, machine: ChosenMachine, library: Library
) -> list[Assumption]:
    prompt, choice = setup.prompt, scenario.prefill
    if prompt is None or choice is None:
        return []
    chunk: str | int = "one shot" if prompt.chunk_tokens is None else prompt.chunk_tokens
    unit = "" if prompt.chunk_tokens is None else "tokens"
    policy = "default: the ceiling" if prompt.chunk_tokens is None else "typed: a policy ceiling"
    told = [
        Assumption(
            "prompt length (L)", prompt.prompt_tokens, "tokens", _typed(choice.prompt_tokens)
        ),
        Assumption("chunk mode (c)", chunk, unit, policy),
        Assumption(
            "cached prefix (l)",
            prompt.cached_prefix_tokens,
            "tokens",
            _typed(choice.cached_prefix_tokens),
        ),
        Assumption("cache growth", prompt.cache_growth, "", _typed(choice.cache_growth)),
    ]
    if prompt.ttft_budget_s is not None:
        told.append(
            Assumption("budget for the first token (tau_star)", prompt.ttft_budget_s, "s", TYPED)
        )
    if prompt.answer_tokens is not None:
        told.append(Assumption("answer length (A)", prompt.answer_tokens, "tokens", TYPED))
    if prompt.batch is not None:
        told.append(Assumption("forced prompts (b)", prompt.batch, "prompts", TYPED))
    for path, shares, asked in (
        ("linear", setup.linear_mode, choice.linear_mode),
        ("attention", setup.attention_mode, choice.attention_mode),
    ):
        told += [
            Assumption(
                f"{path} arithmetic mode (phi_{path})",
                mode,
                f"{share:g} of the FLOPs",
                _typed(asked),
            )
            for mode, share in shares.items()
        ]
    for mode in dict.fromkeys((*setup.linear_mode, *setup.attention_mode)):
        rate = machine.machine.compute_flop_per_s.get(mode)
        source = "unknown" if rate is None else rate_source(machine, mode, library)
        told.append(
            Assumption(
                f"compute rate F_hw({mode})",
                None if rate is None else rate / 1e12,
                "TFLOP/s",
                source,
            )
        )
    told.append(
        Assumption("prefill workspace (Omega_pf)", 0, "GB", "set to zero in this theoretical bound")
    )
    return told
