"""The ranking: every machine with every model of a field, one row each.

    field = prepare(library, FieldChoice(weights=BEST))          # once per library and formats
    table = rank(field, scenario.workload, scenario.prefill, settings)
    rows = order(table, "aggregate_tokens_per_s", descending=True)   # module `order`
    table.values("price")[rows], table.cell("price", rows[0]), table.scenario(rows[0])

Rows are numbered model by model, machine by machine inside; `machine` and `model` give each row's
places in the field. A figure that does not exist is NaN in `values` and "-" in `cell`.
"""

from collections.abc import Collection
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .. import units
from ..engine.memory_power import memory_power_bytes2_per_s
from ..engine.sweep import VERDICTS
from ..evaluation import Evaluation, run
from ..language import in_use, mark, tr
from ..problem import BadInput
from ..scenario import ModelRef, PrefillChoice, Scenario, WorkloadChoice
from ..settings import Settings
from ..units import ENGLISH, Separators
from .columns import BY_ID, NONE
from .field import Field, RankedModel
from .machines import RankedMachine
from .money import Priced, PriceTag, cost_per_million_tokens, priced
from .pairs import Pairs, pairs
from .rungs import SWEPT

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

UNKNOWN = -1
UNKNOWN_SAID = mark("cannot be evaluated")
"""The verdict of a row that cannot be evaluated, as a code and in words."""
GB = 1e9
BY_MACHINE = ("memory_power_gb2_per_s", "price", "watts")
"""Columns that are the same for every model."""
PER = {"tokens_per_s_per_price": "price", "tokens_per_joule": "watts"}
"""Columns that are the aggregate by another one."""
FOLLOWING = {*BY_MACHINE, *PER, "cost_per_million_tokens"}
"""Columns that follow in a moment from others, and so are not kept."""
PROMPTS = {
    "prefill_tokens_per_s": "tokens_per_s",
    "time_to_first_token_s": "single_time_s",
}
"""Columns whose cells of compositions are worked out one by one, with their names in `FIGURES`."""


class Table(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A ranking at one workload. Columns are worked out when first asked for.

    Those of money, and what is the same for every model, are worked out each time, for the rows
    that are asked for: to keep them would take as much memory as all the others.
    """

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
        """The columns that take no more work."""
        return self._columns.keys() | FOLLOWING | set(SWEPT)

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
        if column in FOLLOWING:
            return self.some(column, np.arange(len(self)))
        if column not in self._columns:
            self._columns[column] = self._worked_out(column)
        return self._columns[column]

    def some(self, column: str, rows: Indices) -> Floats:
        """The same of some rows, without working out what only the others need."""
        if column in BY_MACHINE:
            return self._by_machine[column][rows % len(self.field.machines)]
        if column in PER:
            return self.some("aggregate_tokens_per_s", rows) / self.some(PER[column], rows)
        if column == "cost_per_million_tokens":
            return self._cost(rows)
        prompts = self.pairs.prompts if column in PROMPTS else None
        if prompts is not None:
            return prompts.by_row(PROMPTS[column], rows)[rows]
        return self.values(column)[rows]

    def value(self, column: str, row: int) -> float:
        """The same of one row."""
        return float(self.some(column, np.array([row]))[0])

    def _worked_out(self, column: str) -> Floats:
        found = self.pairs
        if column in SWEPT:
            swept: Floats = found.swept[SWEPT.index(column)].ravel()
            return swept
        if column in PROMPTS:
            prompts, none = found.prompts, np.full(len(self), np.nan)
            return none if prompts is None else prompts.by_row(PROMPTS[column])
        if column == "spare_gb":
            return self._spread(found.spare_bytes / GB)
        return self._spread(getattr(found, column))

    @cached_property
    def _by_machine(self) -> dict[str, Floats]:
        """Each of BY_MACHINE by machine of the field."""
        powers = np.full(len(self.field.machines), np.nan)
        found = [memory_power_bytes2_per_s(machine) for machine in self.pairs.in_use]
        powers[self.pairs.machines] = np.array(found) / GB**2
        watts = [np.nan if one.watts is None else one.watts for one in self.field.machines]
        figures = (powers, self._priced.amounts, np.array(watts, dtype=np.float64))
        return dict(zip(BY_MACHINE, figures, strict=True))

    def _cost(self, rows: Indices) -> Floats:
        electricity, lifetime = self.settings.electricity_per_kwh, self.settings.lifetime_years
        if electricity is None:
            return np.full(rows.size, np.nan)
        aggregate, price, watts = (
            self.some(column, rows) for column in ("aggregate_tokens_per_s", "price", "watts")
        )
        return cost_per_million_tokens(aggregate, price, watts, electricity, lifetime)

    @property
    def price_tags(self) -> tuple[PriceTag, ...]:
        """The price of each machine of the field, with where it comes from."""
        return self._priced.tags

    @property
    def _priced(self) -> Priced:
        machines, settings = self.field.machines, self.settings
        return self.field.priced.of((settings, in_use()), lambda: priced(machines, settings))

    def at_prices(self, settings: Settings) -> "Table":
        """The same table at other prices, on which nothing that is kept rests."""
        other = Table(self.field, self.pairs, settings)
        other._columns.update(self._columns)
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
        model, machine = divmod(row, len(self.field.machines))
        return int(self.pairs.rung[model, np.searchsorted(self.pairs.machines, machine)])

    def cell(self, column: str, row: int, separators: Separators = ENGLISH) -> str:
        """A figure as people read it, without its unit; "-" where it does not exist."""
        value = self.value(column, row)
        return NONE if np.isnan(value) else BY_ID[column].text(value, separators)

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
            case "model does not fit" | "no session fits" as said:
                words = tr("{size} missing for one session")
                if said == "model does not fit":
                    words = tr("{size} missing for the weights and one session")
                return words.format(size=units.size(-self.value("spare_gb", row) * GB, separators))
            case said if said == UNKNOWN_SAID:
                missing = self.model_of(row).missing
                place = row % len(self.field.machines)
                missing = missing or self.pairs.composed.unusable.get(place, "")
                return missing or tr(
                    "it has no measured bandwidth; rank at resource limits instead"
                )
        single = self.value("single_session_tokens_per_s", row)
        floor = self.pairs.basis.floor_tokens_per_s
        return tr("one session reaches {rate} of the {floor} tok/s that each must have").format(
            rate=units.rate(single, separators), floor=units.rate(floor, separators)
        )

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
