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


class ComposedPrompts:
    """The `FIGURES` of compositions, each pair worked out once.

    Parameters: field; its compositions; its models in every format; basis, whose contexts and
    overhead play no part; prefill.
    """

    def __init__(
        self,
        field: Field,
        composed: Compositions,
        models: ModelTable,
        basis: Workload,
        prefill: PrefillChoice,
    ) -> None:
        self._field, self._models, self._basis = field, models, basis
        self._composed, self._asked = composed, prefill
        self._prompt: Prompt = prompt_in_use(prefill)
        pairs = len(composed.chosen), len(field.costs)
        self._is_known = np.zeros(pairs, dtype=bool)
        self._figures = np.empty((*pairs, len(FIGURES)))

    def of(self, composition: int, column: int) -> Floats:
        """The figures of a pair in the order of `FIGURES`, NaN where one does not exist."""
        pair = composition, column
        if not self._is_known[pair]:
            self._figures[pair] = tuple(self._worked_out(*pair))
            self._is_known[pair] = True
        figures: Floats = self._figures[pair]
        return figures

    def _worked_out(self, composition: int, column: int) -> Iterator[float]:
        setup = self._setup(self._composed.chosen[composition], column)
        found = prefill_under(prompt_policy(setup), ranged=False)
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
