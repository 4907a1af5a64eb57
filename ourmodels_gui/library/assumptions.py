"""What moves an answer, told with every result: value, unit, and where it comes from.

References: formulation, the last paragraph of "Cheat sheet".
"""

from ..engine.setup import Assumption, Setup, TypedCache
from ..language import mark, tr
from ..scenario import InlineModel, ModelRef, PrefillChoice, Scenario
from .chosen import ChosenMachine, ChosenModel, Lengths
from .composing import told_of
from .hardware import MachineEntry
from .load import Library
from .phase_assumptions import DEFAULT, TYPED, of_prompt, of_speculation, of_workspace, typed
from .rate_sources import capacity_source, figure_source, rate_source

GB = 1e9


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
        *_replaced(scenario, machine, library),
        *_of_workload(scenario, setup, machine, lengths),
        *of_speculation(scenario, setup, library),
        *of_prompt(scenario, setup),
        *_of_arithmetic(scenario, setup, machine, library),
        *of_workspace(setup),
    ]
    if scenario.catalog_version and scenario.catalog_version != library.version:
        told.append(
            Assumption(
                mark("catalog version"),
                library.version or None,
                "",
                tr("the scenario was saved with {catalog}; figures may differ").format(
                    catalog=scenario.catalog_version
                ),
            )
        )
    elif library.version:
        told.append(Assumption(mark("catalog version"), library.version, "", mark("this program")))
    return tuple(told)


def _of_machine(scenario: Scenario, chosen: ChosenMachine, library: Library) -> list[Assumption]:
    if chosen.composition is not None:
        together = mark("all pools together")
        return [
            Assumption(mark("machine"), chosen.name, "", _origin(scenario, library)),
            Assumption(
                mark("memory capacity (C)"), chosen.machine.capacity_bytes / GB, "GB", together
            ),
            Assumption(
                mark("memory bandwidth (R)"),
                chosen.machine.bandwidth_bytes_per_s / GB,
                "GB/s",
                together,
            ),
            *told_of(chosen, library),
            *_facts(scenario, library),
        ]
    machine, entry = chosen.machine, chosen.entry
    measured = ", ".join(sorted(machine.measured))
    told = [
        Assumption(
            mark("machine"), chosen.name, "", mark("typed") if entry is None else _place(entry)
        ),
        Assumption(
            mark("memory capacity (C)"),
            machine.capacity_bytes / GB,
            "GB",
            capacity_source(chosen, library),
        ),
        Assumption(
            mark("memory bandwidth (R)"),
            machine.bandwidth_bytes_per_s / GB,
            "GB/s",
            rate_source(chosen, "bandwidth", library),
        ),
        Assumption(
            mark("resource rates"),
            scenario.workload.rates or "limit",
            "",
            tr("measured: {measured}; limits elsewhere").format(measured=measured)
            if measured
            else tr("default: resource limits")
            if scenario.workload.rates is None
            else tr("typed: resource limits"),
        ),
    ]
    if machine.default_share_bytes is not None:
        told.append(
            Assumption(
                mark("default accelerator share"),
                machine.default_share_bytes / GB,
                "GB",
                mark("set by the system; can be raised, so it lowers no ceiling"),
            )
        )
    return told


def _origin(scenario: Scenario, library: Library) -> str:
    """Whose composition it is."""
    hardware = scenario.hardware
    entry = library.compositions.get(hardware) if isinstance(hardware, str) else None
    if entry is None:
        return mark("a composition")
    return mark("your own composition") if entry.yours else mark("a composition of the catalog")


def _facts(scenario: Scenario, library: Library) -> list[Assumption]:
    """What is told of a composition that has an id, each with its source."""
    hardware = scenario.hardware
    entry = library.compositions.get(hardware) if isinstance(hardware, str) else None
    facts = () if entry is None else entry.record.facts
    return [
        Assumption(mark("built like this"), fact.text, "", figure_source(fact, library))
        for fact in facts
    ]


def _place(entry: MachineEntry) -> str:
    return mark("your own machine") if entry.yours else mark("catalog")


def _of_model(scenario: Scenario, model: ChosenModel) -> list[Assumption]:
    costs = model.costs
    if isinstance(scenario.model, InlineModel):
        adapter = scenario.model.adapter
        resident = TYPED
        if adapter.resident_gb is None:
            resident = mark("total_parameters_b x bytes_per_parameter")
        cache = mark("as typed: figures used whatever the contexts")
        if not isinstance(costs.cache, TypedCache):
            cache = mark("as typed: bytes of each layer")
        return [
            Assumption(mark("model"), model.name, "", mark("simplified adapter, typed")),
            Assumption(
                mark("weight precision"),
                adapter.bytes_per_parameter,
                mark("bytes per parameter"),
                TYPED,
            ),
            Assumption(
                mark("resident weights (W_resident)"), costs.resident_bytes / GB, "GB", resident
            ),
            Assumption(mark("cache precision"), mark("as typed"), "", cache),
        ]
    format_source = TYPED if model.weights_typed else mark("default: the release's own format")
    told = [
        Assumption(mark("model"), model.name, "", model.standing),
        Assumption(mark("weight precision"), model.weights, "", format_source),
        Assumption(
            mark("resident weights (W_resident)"),
            costs.resident_bytes / GB,
            "GB",
            mark("stored bytes of its tensors, towers included")
            if model.towers
            else mark("stored bytes of its tensors"),
        ),
        Assumption(
            mark("cache precision"),
            model.cache_format,
            "",
            DEFAULT if scenario.workload.cache_format is None else TYPED,
        ),
    ]
    if scenario.workload.cache_read_format is not None:
        told.append(
            Assumption(mark("cache read precision"), scenario.workload.cache_read_format, "", TYPED)
        )
    return told


def _replaced(scenario: Scenario, machine: ChosenMachine, library: Library) -> list[Assumption]:
    """What took the place of an entry that the catalog keeps for the scenarios that name it."""
    asked = scenario.model.id if isinstance(scenario.model, ModelRef) else ""
    told = []
    for old, known in (
        (machine.entry, library.machines),
        (library.models.get(asked), library.models),
    ):
        if old is not None and (new := known.get(old.record.replaced_by)) is not None:
            source = tr("the entry {old} is out of date; choose the new one").format(old=old.name)
            told.append(Assumption(mark("replaced by"), new.name, "", source))
    return told


def _of_workload(
    scenario: Scenario, setup: Setup, machine: ChosenMachine, lengths: Lengths
) -> list[Assumption]:
    choice, workload = scenario.workload, setup.workload
    overhead = TYPED
    if machine.composition is not None:
        overhead = mark("the sum over its pools")
    elif choice.overhead_gb is None:
        overhead = {
            "unified": mark("default for unified memory"),
            "cpu": mark("default for a CPU platform"),
            "discrete": mark("default for a discrete GPU"),
            "datacenter": mark("default for a datacenter GPU"),
            None: mark("default for a machine as typed"),
        }[machine.kind]
    if not setup.model.experts:
        routing = mark("no routed experts: every weight is swept")
    elif choice.routing is None:
        routing = mark("default: an estimate, independent uniform routing")
    elif workload.routing == "expected":
        routing = mark("typed: an estimate, independent uniform routing")
    else:
        routing = mark("typed: the least traffic, m = k")
    told = [
        Assumption(mark("runtime overhead (O)"), workload.overhead_bytes / GB, "GB", overhead),
        Assumption(
            mark("reserved context (L_alloc)"),
            lengths.reserved,
            mark("tokens"),
            lengths.reserved_source,
        ),
        Assumption(
            mark("read context (L_read)"), lengths.read, mark("tokens"), lengths.read_source
        ),
        Assumption(
            mark("per-session floor (r_star)"),
            workload.floor_tokens_per_s,
            mark("tokens/s"),
            typed(choice.floor_tokens_per_s),
        ),
        Assumption(mark("expert routing"), workload.routing, "", routing),
        Assumption(mark("cache policy"), workload.cache_policy, "", typed(choice.cache_policy)),
        Assumption(
            mark("decode ceiling"), workload.decode_ceiling, "", typed(choice.decode_ceiling)
        ),
    ]
    if workload.batch is not None:
        told.append(Assumption(mark("forced batch (b)"), workload.batch, mark("sessions"), TYPED))
    return told


def _of_arithmetic(
    scenario: Scenario, setup: Setup, machine: ChosenMachine, library: Library
) -> list[Assumption]:
    """Modes and their rates: of prefill, of the combined ceiling, and wherever a rate is known,
    because the crossover and the cautions of decode rest on it."""
    modes = dict.fromkeys((*setup.linear_mode, *setup.attention_mode))
    pools = machine.pools or (machine,)
    known = {mode for pool in pools for mode in pool.machine.compute_flop_per_s}
    asked_for = setup.prompt is not None or setup.workload.decode_ceiling == "combined"
    if not asked_for and not known & modes.keys():
        return []
    choice = scenario.prefill or PrefillChoice()
    told = [
        Assumption(
            name,
            mode,
            tr("{share:g} of the FLOPs").format(share=share),
            typed(asked),
        )
        for name, shares, asked in (
            (mark("linear arithmetic mode (phi_linear)"), setup.linear_mode, choice.linear_mode),
            (
                mark("attention arithmetic mode (phi_attention)"),
                setup.attention_mode,
                choice.attention_mode,
            ),
        )
        for mode, share in shares.items()
    ]
    for pool in pools:
        of = f" of {pool.name}" if machine.pools else ""
        for mode in modes:
            rate = pool.machine.compute_flop_per_s.get(mode)
            told.append(
                Assumption(
                    f"compute rate F_hw({mode}){of}",
                    None if rate is None else rate / 1e12,
                    "TFLOP/s",
                    mark("unknown") if rate is None else rate_source(pool, mode, library),
                )
            )
    return told
