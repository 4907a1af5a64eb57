"""The ranking: every machine with every model of a field, one row each.

    field = prepare(library, FieldChoice(weights=BEST))          # once per library and formats
    table = rank(field, scenario.workload, scenario.prefill, settings)
    rows = order(table, "aggregate_tokens_per_s", descending=True)   # module `order`
    table.values("price")[rows], table.cell("price", rows[0]), table.scenario(rows[0])

Rows are numbered model by model, machine by machine inside; `machine` and `model` give each row's
places in the field. A figure that does not exist is NaN in `values` and "-" in `cell`.
"""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import units
from ..engine.memory_power import memory_power_bytes2_per_s
from ..engine.sweep import VERDICTS
from ..evaluation import Evaluation, run
from ..language import mark, tr
from ..problem import BadInput
from ..scenario import ModelRef, PrefillChoice, Scenario, WorkloadChoice
from ..settings import Settings
from ..units import ENGLISH, Separators
from .columns import BY_ID, NONE
from .field import Field, RankedModel
from .machines import RankedMachine
from .money import PriceTag, cost_per_million_tokens, price_tag
from .pairs import Pairs, pairs
from .prompts import FIGURES

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

UNKNOWN = -1
UNKNOWN_SAID = mark("cannot be evaluated")
"""The verdict of a row that cannot be evaluated, as a code and in words."""
GB = 1e9
PROMPTS = {
    "prefill_tokens_per_s": "tokens_per_s",
    "time_to_first_token_s": "single_time_s",
}
"""Columns whose cells of compositions are worked out one by one, with their names in `FIGURES`."""


class Table(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A ranking at one workload. Columns are worked out when first asked for."""

    field: Field
    pairs: Pairs
    settings: Settings

    def __len__(self) -> int:
        return len(self.field.machines) * len(self.field.models)

    @property
    def machine(self) -> Indices:
        """The place of each row's machine in the field."""
        return np.tile(np.arange(len(self.field.machines)), len(self.field.models))

    @property
    def model(self) -> Indices:
        """The place of each row's model in the field."""
        return np.repeat(np.arange(len(self.field.models)), len(self.field.machines))

    @cached_property
    def verdict(self) -> NDArray[np.int8]:
        """Index into VERDICTS by row; UNKNOWN where the pair cannot be evaluated."""
        return self._spread(self.pairs.verdict, UNKNOWN)

    @cached_property
    def serves(self) -> NDArray[np.bool_]:
        """Whether the row serves; every other one is impossible at this workload."""
        return self._spread(self.pairs.best_batch >= 1.0, False)

    @cached_property
    def _columns(self) -> dict[str, Floats]:
        return {}

    @property
    def worked_out(self) -> Collection[str]:
        """The columns that were asked for already."""
        return self._columns.keys()

    def values(self, column: str) -> Floats:
        """A column by row in the unit of its id, NaN where the figure does not exist.

        Errors: BadInput for an unknown column.
        """
        if column not in BY_ID:
            known = ", ".join(BY_ID)
            raise BadInput(
                "column",
                tr('"{column}" is not a column; one of: {known}').format(
                    column=column, known=known
                ),
            )
        if column not in self._columns:
            self._columns[column] = self._worked_out(column)
        return self._columns[column]

    def some(self, column: str, rows: Indices) -> Floats:
        """The same of some rows, without working out what only the others need."""
        name = PROMPTS.get(column)
        if name is None or column in self._columns:
            return self.values(column)[rows]
        place = FIGURES.index(name)
        figures = self._spread(self.pairs.prompts_of_machines[place])[rows]
        for at, row in enumerate(rows.tolist()):
            if self.machine_of(row).composed is not None and self.verdict[row] != UNKNOWN:
                figures[at] = self.pairs.prompt_of(*self._place(row))[place]
        return figures

    def _worked_out(self, column: str) -> Floats:
        found = self.pairs
        match column:
            case "prefill_tokens_per_s" | "time_to_first_token_s":
                return self._spread(found.prompts[FIGURES.index(PROMPTS[column])])
            case "spare_gb":
                return self._spread(found.spare_bytes / GB)
            case "memory_power_gb2_per_s":
                powers = [memory_power_bytes2_per_s(machine) for machine in found.in_use]
                return self._by_machine(np.array(powers) / GB**2, found.machines)
            case "price":
                return self._by_machine(_known(tag.amount for tag in self.price_tags))
            case "watts":
                return self._by_machine(_known(machine.watts for machine in self.field.machines))
            case "tokens_per_s_per_price":
                return self.values("aggregate_tokens_per_s") / self.values("price")
            case "tokens_per_joule":
                return self.values("aggregate_tokens_per_s") / self.values("watts")
            case "cost_per_million_tokens":
                return self._cost()
        return self._spread(getattr(found, column))

    def _cost(self) -> Floats:
        electricity = self.settings.electricity_per_kwh
        if electricity is None:
            return np.full(len(self), np.nan)
        price, watts = self.values("price"), self.values("watts")
        aggregate, lifetime = self.values("aggregate_tokens_per_s"), self.settings.lifetime_years
        return cost_per_million_tokens(aggregate, price, watts, electricity, lifetime)

    @cached_property
    def price_tags(self) -> tuple[PriceTag, ...]:
        """The price of each machine of the field, with where it comes from."""
        return tuple(price_tag(machine, self.settings) for machine in self.field.machines)

    def at_prices(self, settings: Settings) -> "Table":
        """The same table at other prices; what does not rest on them is kept."""
        other = Table(self.field, self.pairs, settings)
        kept = {key: column for key, column in self._columns.items() if not BY_ID[key].money}
        other._columns.update(kept)
        return other

    def at_prompt(self, prefill: PrefillChoice | None) -> "Table":
        """The same table for another prompt, or none, in the same modes of arithmetic."""
        other = Table(self.field, self.pairs.at_prompt(prefill), self.settings)
        kept = {key: column for key, column in self._columns.items() if key not in PROMPTS}
        other._columns.update(kept)
        return other

    def machine_of(self, row: int) -> RankedMachine:
        return self.field.machines[row % len(self.field.machines)]

    def model_of(self, row: int) -> RankedModel:
        return self.field.models[row // len(self.field.machines)]

    def weights_of(self, row: int) -> str:
        """The weight format of a row, "" where it was written out or is unknown."""
        model = self.model_of(row)
        if not model.formats:
            return ""
        return model.formats[min(self._rung(row), len(model.formats) - 1)][0]

    def _rung(self, row: int) -> int:
        if self.verdict[row] == UNKNOWN:
            return 0
        return int(self.pairs.rung[self._place(row)])

    def _place(self, row: int) -> tuple[int, int]:
        """The model and the machine of a row that can be evaluated, among those of the pairs."""
        model, machine = divmod(row, len(self.field.machines))
        return model, int(np.searchsorted(self.pairs.machines, machine))

    def cell(self, column: str, row: int, separators: Separators = ENGLISH) -> str:
        """A figure as people read it, without its unit; "-" where it does not exist."""
        value = self.values(column)[row]
        return NONE if np.isnan(value) else BY_ID[column].text(float(value), separators)

    def unit(self, column: str) -> str:
        """The unit of a column, with the user's currency where it is one of money."""
        currency = self.settings.currency
        money = {
            "price": currency,
            "tokens_per_s_per_price": tr("tok/s per {currency}").format(currency=currency),
            "cost_per_million_tokens": currency,
        }
        return money.get(column, BY_ID[column].unit)

    def verdict_of(self, row: int) -> str:
        code = int(self.verdict[row])
        return UNKNOWN_SAID if code == UNKNOWN else VERDICTS[code]

    def reason(self, row: int, separators: Separators = ENGLISH) -> str:
        """Why a row does not serve, with the amount missing; "" where it serves."""
        match self.verdict_of(row):
            case "serves":
                return ""
            case "model does not fit":
                words = tr("{size} missing for the weights and one session")
                return words.format(size=self._missing(row, separators))
            case "no session fits":
                words = tr("{size} missing for one session")
                return words.format(size=self._missing(row, separators))
            case said if said == UNKNOWN_SAID:
                missing = self.model_of(row).missing
                place = row % len(self.field.machines)
                missing = missing or self.pairs.composed.unusable.get(place, "")
                return missing or tr(
                    "it has no measured bandwidth; rank at resource limits instead"
                )
        single = self.values("single_session_tokens_per_s")[row]
        floor = self.pairs.basis.floor_tokens_per_s
        return tr("one session reaches {rate} of the {floor} tok/s that each must have").format(
            rate=units.rate(float(single), separators), floor=units.rate(floor, separators)
        )

    def _missing(self, row: int, separators: Separators) -> str:
        return units.size(-float(self.values("spare_gb")[row]) * GB, separators)

    def scenario(self, row: int) -> Scenario:
        """The scenario of a row, to be opened or saved."""
        model = self.model_of(row).model
        if isinstance(model, ModelRef):
            model = msgspec.structs.replace(model, weights=self.weights_of(row) or None)
        return Scenario(
            hardware=self.machine_of(row).hardware,
            model=model,
            workload=self.pairs.workload,
            prefill=self.pairs.prefill,
        )

    def evaluation(self, row: int) -> Evaluation:
        """Everything there is to say of a row: its evaluation on its own."""
        return run(self.scenario(row), self.field.library)

    def _spread(self, figures: NDArray[Any], missing: float = np.nan) -> NDArray[Any]:
        """Figures by [model, machine] of the pairs -> by row, with what cannot be evaluated."""
        models, machines = len(self.field.models), len(self.field.machines)
        known, places = self.field.evaluable, self.pairs.machines
        spread = np.empty((models, machines), dtype=figures.dtype)
        spread[known:] = missing
        if places.size == machines:
            spread[:known] = figures
        else:
            spread[:known] = missing
            spread[:known, places] = figures
        return spread.ravel()

    def _by_machine(self, figures: Floats, places: Indices | None = None) -> Floats:
        """Figures by machine -> by row."""
        whole = figures
        if places is not None:
            whole = np.full(len(self.field.machines), np.nan)
            whole[places] = figures
        return np.tile(whole, len(self.field.models))


def rank(
    field: Field,
    workload: WorkloadChoice | None = None,
    prefill: PrefillChoice | None = None,
    settings: Settings | None = None,
) -> Table:
    """The ranking of a field at a workload.

    Parameters: field, from `prepare`, made with the cache formats of the workload; workload and
    prefill, as a scenario has them (None for no prompt); settings, for prices.
    Errors: BadInput where a model reserves no cache, or nobody measured any machine.
    """
    choice = workload or WorkloadChoice()
    if (choice.cache_format, choice.cache_read_format) != (
        field.choice.cache_format,
        field.choice.cache_read_format,
    ):
        raise ValueError("the field was prepared for other cache formats")
    return Table(field, pairs(field, choice, prefill), settings or Settings())


def _known(figures: Iterable[float | None]) -> Floats:
    return np.array([np.nan if figure is None else figure for figure in figures], dtype=np.float64)
