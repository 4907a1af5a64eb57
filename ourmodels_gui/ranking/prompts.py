"""The prefill figures of pairs: of machines as arrays, of compositions one pair at a time."""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..engine import placement
from ..engine.arithmetic_tables import seconds_table
from ..engine.placement.prefill import prompt_policy
from ..engine.prefill import prefill_under
from ..engine.prefill_pairs import prefill_pairs, prompt_table
from ..engine.setup import Machine, ModelCosts, Prompt, Setup, Workload
from ..engine.tables import MachineTable, ModelTable
from ..library.chosen import ChosenMachine
from ..library.resolve import arithmetic_mode, prompt_in_use
from ..scenario import PrefillChoice
from .compositions import Compositions, modes_in_use
from .field import Field

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
FIGURES = ("tokens_per_s", "single_time_s")
"""What is kept of each pair; names are those of `PrefillPairs`."""
MODELS = 64
"""How many models are worked out together: on the way a pair takes ten times its room."""


def prompts_of_machines(
    costs: Sequence[ModelCosts],
    models: ModelTable,
    machines: MachineTable,
    in_use: tuple[Machine, ...],
    *,
    column: Indices,
    basis: Workload,
    prefill: PrefillChoice,
) -> Floats:
    """The `FIGURES` by [model, machine] of the first machines of a table.

    Parameters: costs of the models and their table; machines; in_use, those machines; column, the
    place of each pair's model in the table; basis and prefill, as asked for.
    """
    prompts = prompt_table(
        costs, basis, prompt_in_use(prefill), models.reserved_context_tokens.tolist()
    )
    machine = np.arange(len(in_use))
    seconds = seconds_in_use(prefill, in_use)
    figures = np.empty((len(FIGURES), *column.shape))
    for first in range(0, len(column), MODELS):
        some = column[first : first + MODELS]
        machine_of_each = np.broadcast_to(machine, some.shape).ravel()
        found = prefill_pairs(machines, prompts, seconds, machine_of_each, some.ravel())
        for name, figure in zip(FIGURES, figures, strict=True):
            figure[first : first + MODELS] = getattr(found, name).reshape(some.shape)
    return figures


def seconds_in_use(prefill: PrefillChoice, machines: tuple[Machine, ...]) -> tuple[Floats, Floats]:
    """Time of one FLOP of the linear and of the attention path of each machine [s]."""
    linear, attention = (
        seconds_table(machines, [arithmetic_mode(mode, machine) for machine in machines])
        for mode in (prefill.linear_mode, prefill.attention_mode)
    )
    return linear, attention


class Prompts:
    """The `FIGURES` of every pair, NaN where one does not exist: of machines there from the start,
    of compositions each pair worked out once, when it is asked for.

    Parameters: field; its compositions; models, its models in every format; basis, whose contexts
    and overhead play no part for compositions; prefill; of_machines, by [figure, model, machine],
    with the places of these machines in the field; column, the place in `models` of each pair of
    compositions.
    """

    def __init__(
        self,
        field: Field,
        composed: Compositions,
        models: ModelTable,
        basis: Workload,
        prefill: PrefillChoice,
        *,
        of_machines: Floats,
        places: Indices,
        column: Indices,
    ) -> None:
        self._field, self._models, self._basis = field, models, basis
        self._composed, self._column, self._asked = composed, column, prefill
        self._prompt: Prompt = prompt_in_use(prefill)
        shape = len(field.models), len(field.machines)
        self._figures = np.full((len(FIGURES), *shape), np.nan)
        self._figures[:, : field.evaluable, places] = of_machines
        self._is_open = np.zeros(shape, dtype=bool)
        self._is_open[: field.evaluable, composed.places] = True

    def by_row(self, figure: str, rows: Indices | None = None) -> Floats:
        """A figure by row of the ranking; those of `rows` are worked out, None for all."""
        is_open = self._is_open.ravel()
        left = np.flatnonzero(is_open) if rows is None else rows[is_open[rows]]
        for row in left.tolist():
            pair = model, machine = divmod(row, len(self._field.machines))
            place = int(np.searchsorted(self._composed.places, machine))
            found = self._worked_out(self._composed.chosen[place], int(self._column[model, place]))
            self._figures[:, *pair] = tuple(found)
            self._is_open[pair] = False
        by_row: Floats = self._figures[FIGURES.index(figure)].ravel()
        return by_row

    def _worked_out(self, chosen: ChosenMachine, column: int) -> Iterator[float]:
        found = prefill_under(prompt_policy(self._setup(chosen, column)), ranged=False)
        single = found.single_prompt
        figures = found.tokens_per_s, None if single is None else single.time_s
        return (np.nan if figure is None else float(figure) for figure in figures)

    def _setup(self, chosen: ChosenMachine, column: int) -> Setup:
        made, models = chosen.composition, self._models
        assert made is not None
        linear, attention = modes_in_use(chosen, self._asked)
        return Setup(
            machine=chosen.machine,
            model=self._field.costs[column],
            workload=msgspec.structs.replace(
                self._basis,
                reserved_context_tokens=int(models.reserved_context_tokens[column]),
                read_context_tokens=int(models.read_context_tokens[column]),
                overhead_bytes=placement.overhead_bytes(made),
            ),
            linear_mode=linear,
            attention_mode=attention,
            composition=msgspec.structs.replace(made, shape=self._field.shapes[column]),
            prompt=self._prompt,
        )
