"""The compositions of a field at one workload: looked up, and their decode figures swept."""

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..engine import placement
from ..engine.kept import Kept
from ..engine.placement.sweep import CompositionSweep, sweep_compositions
from ..engine.setup import Workload
from ..engine.tables import ModelTable
from ..library.chosen import ChosenMachine
from ..library.resolve import arithmetic_mode, chosen_machine, computing_machine
from ..problem import BadInput
from ..scenario import PrefillChoice, WorkloadChoice
from .field import Field

Floats = NDArray[np.float64]
Shares = dict[str, float]


class Compositions(msgspec.Struct, frozen=True, eq=False, dict=True):
    """chosen: those that can be evaluated, with their places in the field. unusable: why each of
    the others cannot, by its place."""

    places: NDArray[np.intp]
    chosen: tuple[ChosenMachine, ...]
    unusable: dict[int, str]

    @property
    def overheads_bytes(self) -> Floats:
        """O of each, the sum over its pools."""
        made = (chosen.composition for chosen in self.chosen)
        return np.array([placement.overhead_bytes(one) for one in made if one is not None])

    def modes(self, prefill: PrefillChoice) -> list[tuple[Shares, Shares]]:
        """The linear and the attention mode of each, kept while the same are asked for."""
        return self._modes.of(
            modes_of(prefill), lambda: [modes_in_use(one, prefill) for one in self.chosen]
        )

    @cached_property
    def _modes(self) -> Kept[list[tuple[Shares, Shares]]]:
        return Kept()


def compositions(field: Field, workload: WorkloadChoice) -> Compositions:
    """The compositions of a field, with the rates and the overhead that a workload asks for."""
    wanted = (workload.rates, workload.overhead_gb)
    if wanted not in field.looked_up:
        field.looked_up.clear()
        field.looked_up[wanted] = _looked_up(field, workload)
    found: Compositions = field.looked_up[wanted]
    return found


def _looked_up(field: Field, workload: WorkloadChoice) -> Compositions:
    places: list[int] = []
    chosen: list[ChosenMachine] = []
    unusable: dict[int, str] = {}
    for place, ranked in enumerate(field.machines[field.single :], field.single):
        try:
            chosen.append(chosen_machine(ranked.hardware, workload, field.library))
            places.append(place)
        except BadInput as bad:
            unusable[place] = bad.problem.message
    return Compositions(np.array(places, dtype=np.intp), tuple(chosen), unusable)


def modes_of(prefill: PrefillChoice | None) -> tuple[object, object]:
    """The modes of arithmetic that are asked for."""
    asked = prefill or PrefillChoice()
    return asked.linear_mode, asked.attention_mode


def modes_in_use(chosen: ChosenMachine, prefill: PrefillChoice) -> tuple[Shares, Shares]:
    """The linear and the attention mode of a composition."""
    machine = computing_machine(chosen)
    return (
        arithmetic_mode(prefill.linear_mode, machine),
        arithmetic_mode(prefill.attention_mode, machine),
    )


def sweep_of(
    field: Field,
    composed: Compositions,
    models: ModelTable,
    basis: Workload,
    prefill: PrefillChoice,
) -> CompositionSweep:
    """Decode figures of compositions by the costs of the field."""
    made = [chosen.composition for chosen in composed.chosen]
    return sweep_compositions(
        [one for one in made if one is not None],
        field.costs,
        field.shapes,
        models,
        field.caches,
        workload=basis,
        arithmetic=composed.modes(prefill),
    )
