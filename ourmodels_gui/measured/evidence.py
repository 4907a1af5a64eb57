"""What published runs reached of their ceilings, to be shown beside a ceiling.

No figure here is ever multiplied into a ceiling: it says what others reached, not what is possible.
"""

import math
from collections.abc import Iterable
from statistics import quantiles
from typing import Any, Literal

import msgspec

from ..composed import ComposedHardware, Hardware
from ..language import mark
from ..library.formats import file_bytes
from ..library.hardware import MachineEntry
from ..library.load import Library
from ..library.lookup import hardware_in_use
from ..scenario import ModelRef, Scenario
from .ceiling import Ceiling
from .composition import POLICY_OF, policy_of, policy_of_run
from .conditions import read_context_tokens
from .runs import MeasuredRun, MeasuredSet, Phase

ENOUGH = 5
"""Fewer runs than this say too little for quartiles."""

Scope = Literal[
    "this machine",
    "machines of this class",
    "machines of this kind",
    "this composition",
    "compositions of such devices, used the same way",
    "compositions used the same way",
]
Held = dict[str, Ceiling]


class MachineClass(msgspec.Struct, frozen=True):
    """Machines that behave alike: kind, maker, and the family of their memory."""

    kind: str
    vendor: str
    memory: str


class Evidence(msgspec.Struct, frozen=True):
    """Runs of one phase and what they reached.

    scope: which machines, or compositions of several devices or pools. runs, machines: how many.
    quartiles: of measured over ceiling, lower, median and upper; lowest and highest: the extremes.
    ids: the runs.
    """

    scope: Scope
    phase: Phase
    machines: int
    lowest: float
    quartiles: tuple[float, float, float]
    highest: float
    ids: tuple[str, ...]

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(self.ids)


class Nearest(msgspec.Struct, frozen=True):
    """A run near a scenario, its ceiling, and what of it is the same, in words."""

    run: MeasuredRun
    ceiling: Ceiling
    same: tuple[str, ...]


def machine_class(entry: MachineEntry) -> MachineClass:
    """The class of a machine.

    >>> memory_family("LPDDR5X-8000"), memory_family("GDDR6X"), memory_family("HBM3e")
    ('LPDDR', 'GDDR', 'HBM')
    """
    return MachineClass(entry.kind, entry.vendor, memory_family(entry.record.memory.type))


def memory_family(type_: str) -> str:
    """LPDDR, GDDR, HBM, DDR, or the type itself."""
    upper = type_.upper()
    return next((name for name in ("LPDDR", "GDDR", "HBM", "DDR") if name in upper), type_)


def evidence(
    hardware: Hardware, phase: Phase, measured: MeasuredSet, ceilings: Held, library: Library
) -> Evidence | None:
    """What sound runs reached on one device, or on compositions used in the same way.

    Of the nearest group that has enough of them: this device or composition, those of its class,
    and the rest of its kind or of the same policy. Runs of compositions never count for one device.

    Parameters: hardware, as a scenario chose it; phase; the measured set with its ceilings;
    library. Returns None where too few runs are near, and for what stands in a scenario alone.
    Prefill counts only where the arithmetic side is known, since the memory side of a long prompt
    says nothing.
    """
    hardware = hardware_in_use(hardware, library)
    entry = _first_device(hardware, library)
    if entry is None:
        return None
    policy = policy_of(hardware)
    counted = [
        run
        for run in _sound(measured, ceilings)
        if run.phase == phase
        and policy_of_run(run) == policy
        and (phase != "prefill" or ceilings[run.id].both_sides)
    ]
    for scope, runs in _groups(hardware, entry, counted, library):
        if len(runs) < ENOUGH:
            continue
        ratios = sorted(ceilings[run.id].ratio for run in runs)
        lower, median, upper = quantiles(ratios, n=4, method="inclusive")
        return Evidence(
            scope,
            phase,
            len({(library.machines[run.machine].record.name, run.devices) for run in runs}),
            ratios[0],
            (lower, median, upper),
            ratios[-1],
            tuple(run.id for run in runs),
        )
    return None


def _groups(
    hardware: Hardware, entry: MachineEntry, counted: list[MeasuredRun], library: Library
) -> tuple[tuple[Scope, list[MeasuredRun]], ...]:
    """Groups of runs, the nearest first."""
    same = [run for run in counted if _same_device(run, entry, library)]
    alike = [run for run in counted if _class_of(run, library) == machine_class(entry)]
    if not isinstance(hardware, ComposedHardware):
        kind = [run for run in counted if _class_of(run, library).kind == entry.kind]
        return (
            ("this machine", same),
            ("machines of this class", alike),
            ("machines of this kind", kind),
        )
    one_kind = len(hardware.devices) == 1 and hardware.host_memory is None
    exact = [run for run in same if one_kind and run.devices == hardware.count]
    return (
        ("this composition", exact),
        ("compositions of such devices, used the same way", alike),
        ("compositions used the same way", counted),
    )


def stands_in_library(hardware: Hardware, library: Library) -> bool:
    """Whether a machine, or the first kind of device of a composition, is of the library."""
    return _first_device(hardware_in_use(hardware, library), library) is not None


def _first_device(hardware: Hardware, library: Library) -> MachineEntry | None:
    """The machine, or the first kind of device of a composition; None for one that is typed."""
    chosen = hardware.devices[0].chosen if isinstance(hardware, ComposedHardware) else hardware
    return library.machines.get(chosen) if isinstance(chosen, str) else None


def nearest_runs(
    scenario: Scenario,
    phase: Phase,
    measured: MeasuredSet,
    ceilings: Held,
    library: Library,
    *,
    count: int = 5,
) -> tuple[Nearest, ...]:
    """Sound runs nearest to a scenario, nearest first.

    Order: same machine, same model, same way of using several devices, their number, same class of
    machine, same weight format, then the size of the weights (by ratio), the batch, and the
    context. Runs that share neither the machine nor its class nor the model nor such a way are left
    out, and so are those that used their devices and pools in another way; one that does not say in
    which way it split is near every split.
    """
    alike = []
    hardware = hardware_in_use(scenario.hardware, library)
    policy = policy_of(hardware)
    ways = {policy, "split not stated"} if policy in POLICY_OF.values() else {policy}
    for run in _sound(measured, ceilings):
        if run.phase != phase or policy_of_run(run) not in ways:
            continue
        same = _same(run, scenario, hardware, library)
        if set(same) & {"machine", "model", "way", "class of machine"}:
            order = ("machine", "model", "way", "devices", "class of machine", "weights")
            alike.append((tuple(name not in same for name in order), run, same))
    alike.sort(key=lambda one: one[0])
    if len(alike) > count:  # the size of a file takes long to count: only where it decides
        alike = [one for one in alike if one[0] <= alike[count - 1][0]]
    chosen = _chosen_size(scenario, library)
    sizes = {
        pair: _size(*pair, library) for pair in {(run.model, run.weights) for _, run, _ in alike}
    }

    def distance(one: tuple[tuple[bool, ...], MeasuredRun, tuple[str, ...]]) -> tuple[Any, ...]:
        alikeness, run, _ = one
        return (
            alikeness,
            _apart(sizes[run.model, run.weights], chosen),
            _apart(run.batch or 1, scenario.workload.batch or 1),
            abs(read_context_tokens(run) - (scenario.workload.read_context_tokens or 0)),
            run.id,
        )

    alike.sort(key=distance)
    return tuple(Nearest(run, ceilings[run.id], same) for _, run, same in alike[:count])


def _sound(measured: MeasuredSet, ceilings: Held) -> Iterable[MeasuredRun]:
    return (run for run in measured.runs.values() if run.id in ceilings and not run.doubt)


def _class_of(run: MeasuredRun, library: Library) -> MachineClass:
    return machine_class(library.machines[run.machine])


def _same_device(run: MeasuredRun, entry: MachineEntry, library: Library) -> bool:
    """The same record, whatever the memory size."""
    return library.machines[run.machine].record.name == entry.record.name


def _same(
    run: MeasuredRun, scenario: Scenario, hardware: Hardware, library: Library
) -> tuple[str, ...]:
    same = []
    entry = _first_device(hardware, library)
    if isinstance(hardware, ComposedHardware):
        if policy_of_run(run) == policy_of(hardware):
            same.append(mark("way"))
        if run.devices == hardware.count:
            same.append(mark("devices"))
    if entry is not None and _same_device(run, entry, library):
        same.append(mark("machine"))
    elif entry is not None and _class_of(run, library) == machine_class(entry):
        same.append(mark("class of machine"))
    model = scenario.model
    if isinstance(model, ModelRef):
        if model.id == run.model:
            same.append(mark("model"))
        if model.weights == run.weights:
            same.append(mark("weights"))
    if (scenario.workload.batch or 1) == (run.batch or 1):
        same.append(mark("batch"))
    return tuple(same)


def _chosen_size(scenario: Scenario, library: Library) -> float:
    model = scenario.model
    if not isinstance(model, ModelRef):
        return (model.adapter.resident_gb or 1.0) * 1e9
    return _size(model.id, model.weights, library)


def _size(model: str, weights: str | None, library: Library) -> float:
    if model not in library.models:
        return 1.0
    return file_bytes(library.models[model].record, weights or "bf16")


def _apart(one: float, other: float) -> float:
    return abs(math.log(one / other))
