"""What published runs reached of their ceilings, to be shown beside a ceiling.

No figure here is ever multiplied into a ceiling: it says what others reached, not what is possible.
"""

import math
from collections.abc import Iterable
from statistics import quantiles
from typing import Any, Literal

import msgspec

from ..library.formats import file_bytes
from ..library.hardware import MachineEntry
from ..library.load import Library
from ..scenario import ModelRef, Scenario
from .ceiling import Ceiling, read_context_tokens
from .runs import MeasuredRun, MeasuredSet, Phase

ENOUGH = 5
"""Fewer runs than this say too little for quartiles."""

Scope = Literal["this machine", "machines of this class", "machines of this kind"]
Held = dict[str, Ceiling]


class MachineClass(msgspec.Struct, frozen=True):
    """Machines that behave alike: kind, maker, and the family of their memory."""

    kind: str
    vendor: str
    memory: str


class Evidence(msgspec.Struct, frozen=True):
    """Runs of one phase and what they reached.

    scope: which machines. runs, machines: how many. quartiles: of measured over ceiling, lower,
    median and upper; lowest and highest: the extremes. ids: the runs.
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
    machine: str, phase: Phase, measured: MeasuredSet, ceilings: Held, library: Library
) -> Evidence | None:
    """What sound runs of one device reached, of the nearest group that has enough of them.

    Parameters: machine, a catalog id; phase; the measured set with its ceilings; library.
    Returns None where even the machine's kind has fewer than ENOUGH. Prefill counts only where the
    arithmetic side is known, since the memory side of a long prompt says nothing.
    """
    entry = library.machines[machine]
    counted = [run for run in _countable(measured, ceilings) if run.phase == phase]
    groups: tuple[tuple[Scope, list[MeasuredRun]], ...] = (
        ("this machine", [run for run in counted if _same_device(run, entry, library)]),
        (
            "machines of this class",
            [run for run in counted if _class_of(run, library) == machine_class(entry)],
        ),
        (
            "machines of this kind",
            [run for run in counted if _class_of(run, library).kind == entry.kind],
        ),
    )
    for scope, runs in groups:
        if len(runs) < ENOUGH:
            continue
        ratios = sorted(ceilings[run.id].ratio for run in runs)
        lower, median, upper = quantiles(ratios, n=4, method="inclusive")
        return Evidence(
            scope,
            phase,
            len({library.machines[run.machine].record.name for run in runs}),
            ratios[0],
            (lower, median, upper),
            ratios[-1],
            tuple(run.id for run in runs),
        )
    return None


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

    Order: same machine, same model, same class of machine, same weight format, then the size of
    the weights (by ratio), the batch, and the context. Runs that share neither the machine nor its
    class nor the model are left out.
    """
    alike = []
    for run in _sound(measured, ceilings):
        if run.phase != phase:
            continue
        same = _same(run, scenario, library)
        if set(same) & {"machine", "model", "class of machine"}:
            order = ("machine", "model", "class of machine", "weights")
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


def _countable(measured: MeasuredSet, ceilings: Held) -> Iterable[MeasuredRun]:
    for run in _sound(measured, ceilings):
        known = run.phase != "prefill" or ceilings[run.id].both_sides
        if run.devices == 1 and known:
            yield run


def _class_of(run: MeasuredRun, library: Library) -> MachineClass:
    return machine_class(library.machines[run.machine])


def _same_device(run: MeasuredRun, entry: MachineEntry, library: Library) -> bool:
    """The same record, whatever the memory size."""
    return library.machines[run.machine].record.name == entry.record.name


def _same(run: MeasuredRun, scenario: Scenario, library: Library) -> tuple[str, ...]:
    same = []
    chosen = scenario.hardware
    entry = library.machines.get(chosen) if isinstance(chosen, str) else None
    if entry is not None and _same_device(run, entry, library):
        same.append("machine")
    elif entry is not None and _class_of(run, library) == machine_class(entry):
        same.append("class of machine")
    model = scenario.model
    if isinstance(model, ModelRef):
        if model.id == run.model:
            same.append("model")
        if model.weights == run.weights:
            same.append("weights")
    if (scenario.workload.batch or 1) == (run.batch or 1):
        same.append("batch")
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
