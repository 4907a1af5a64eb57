"""The field of a ranking: which machines and models take part, and what each model costs.

It depends on the library and on formats, not on a workload, so one field serves every move of a
slider.
"""

from collections.abc import Collection
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..composed import Hardware
from ..engine.cache_columns import CacheColumns, cache_columns
from ..engine.costs import cache_alloc_bytes
from ..engine.kept import Kept
from ..engine.setup import ModelCosts, ModelShape, Workload
from ..engine.tables import ModelTable, model_table
from ..language import mark, tr
from ..library import written_out
from ..library.formats import WEIGHT_FORMATS
from ..library.load import Library, ModelEntry
from ..library.lookup import model_record
from ..library.models import ModelRecord, active_parameters, total_parameters
from ..library.profile import default_weights, model_costs, model_shape
from ..problem import BadInput
from ..scenario import CACHE_FORMAT, InlineModel, ModelRef
from .machines import RankedMachine, ranked_machine
from .money import Priced

BEST = "best"
"""In place of a weight format: for every pair the largest one that serves (see `table`)."""

LADDER = ("q8_0", "q6_k", "q5_k_m", "q4_k_m", "q3_k_m", "q2_k")
"""The formats that `BEST` tries below the release's own, which comes first. One that would take
more bytes than the release is left out: it adds bytes, not information."""

BELOW_4_BITS = ("q3_k_m", "q2_k")
"""Those of the ladder that take few would choose while another serves."""


LONGEST_TOKENS = 2**31
"""No context is longer."""


class RankedModel(msgspec.Struct, frozen=True, eq=False):
    """A model that takes part.

    model: how a scenario names it, its weights left open. formats: ids with what the model costs
    in each, the largest first; empty where `missing` says what is not known of it. record: None
    where it is written out.
    """

    id: str
    name: str
    model: ModelRef | InlineModel
    formats: tuple[tuple[str, ModelCosts], ...] = ()
    missing: str = ""
    vendor: str = ""
    licence: str = ""
    total_parameters: int | None = None
    active_parameters: int | None = None
    record: ModelRecord | None = None

    @property
    def mixture(self) -> bool:
        """Whether some of its experts rest at each token."""
        if self.formats:
            return bool(self.formats[0][1].experts)
        return self.total_parameters != self.active_parameters


class FieldChoice(msgspec.Struct, frozen=True):
    """What a field is made from, beside the library.

    weights: a format id, None for each release's own, or `BEST` of the release's own and `ladder`.
    machines, models: what takes part, ids or as a scenario writes it; None for the whole library,
    compositions among the machines.
    """

    weights: str | None = None
    cache_format: str | None = None
    cache_read_format: str | None = None
    include_towers: bool = False
    machines: tuple[Hardware, ...] | None = None
    models: tuple[str | ModelRef | InlineModel, ...] | None = None
    ladder: tuple[str, ...] = LADDER


class Field(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Machines, compositions last, and models with those that can be evaluated first.

    priced: what the machines cost, by the settings and the language in use.
    """

    library: Library
    choice: FieldChoice
    machines: tuple[RankedMachine, ...]
    models: tuple[RankedModel, ...]
    priced: Kept[Priced] = msgspec.field(default_factory=Kept)

    @cached_property
    def single(self) -> int:
        """How many of the machines are no compositions."""
        return sum(1 for machine in self.machines if machine.composed is None)

    @cached_property
    def looked_up(self) -> dict[Any, Any]:
        """The compositions as they were last asked for, kept by `compositions`."""
        return {}

    @cached_property
    def evaluable(self) -> int:
        """How many models can be evaluated."""
        return sum(1 for model in self.models if model.formats)

    @cached_property
    def rungs(self) -> int:
        """How many formats the model with the most of them can be had in."""
        return max((len(model.formats) for model in self.models), default=0)

    @cached_property
    def costs(self) -> tuple[ModelCosts, ...]:
        """Every model in its first format, then every model in its second, ..: a model with fewer
        formats repeats its last."""
        known = self.models[: self.evaluable]
        return tuple(
            model.formats[min(rung, len(model.formats) - 1)][1]
            for rung in range(self.rungs)
            for model in known
        )

    @cached_property
    def shapes(self) -> tuple[ModelShape | None, ...]:
        """What the division of `costs` over devices depends on; None where it is unknown."""
        shapes: list[ModelShape | None] = []
        for rung in range(self.rungs):
            for model in self.models[: self.evaluable]:
                weights, costs = model.formats[min(rung, len(model.formats) - 1)]
                record = model.record
                shapes.append(None if record is None else model_shape(record, weights, costs))
        return tuple(shapes)

    @cached_property
    def caches(self) -> CacheColumns:
        """The caches of `costs`."""
        return cache_columns(self.costs)

    @cached_property
    def limits(self) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        """The context limits that occur, 0 for none, and which of them each of `costs` has."""
        limits = [costs.max_context_tokens or 0 for costs in self.costs]
        distinct, place = np.unique(np.array(limits, dtype=np.int64), return_inverse=True)
        return distinct, place

    @cached_property
    def expected(self) -> ModelTable:
        """Sweeps and residency of `costs` under expected routing; its contexts are the longest."""
        return model_table(self.costs, Workload(LONGEST_TOKENS, LONGEST_TOKENS, 0.0, 0.0))

    @cached_property
    def least(self) -> ModelTable:
        """The same under floor routing."""
        workload = Workload(LONGEST_TOKENS, LONGEST_TOKENS, 0.0, 0.0, routing="floor")
        return model_table(self.costs, workload)


def prepare(library: Library, choice: FieldChoice, previous: Field | None = None) -> Field:
    """The field of a choice; `previous` itself, or its machines, where these are the same.

    Errors: BadInput for an id that the library does not have, an unknown format, or nothing left.
    """
    before = previous if previous is not None and previous.library is library else None
    if before is not None and before.choice == choice:
        return before
    for key in (choice.weights, *choice.ladder):
        if key not in (None, BEST, "native") and key not in WEIGHT_FORMATS:
            known = ", ".join(("native", *WEIGHT_FORMATS, BEST))
            raise BadInput(
                "weights",
                tr('"{key}" is not a weight format; one of {known}').format(key=key, known=known),
            )
    alike = before if before is not None and before.choice.machines == choice.machines else None
    machines = _machines(library, choice) if alike is None else alike.machines
    named_models: Collection[str | ModelRef | InlineModel] = (
        library.models if choice.models is None else choice.models
    )
    models = [_model(named, library, choice) for named in named_models]
    if not machines or not models:
        what = "machine" if not machines else "model"
        raise BadInput(
            "",
            tr("there is no {what} to rank; add one to the library, or name one").format(what=what),
        )
    models.sort(key=lambda model: not model.formats)
    if alike is None:
        return Field(library, choice, machines, tuple(models))
    field = Field(library, choice, machines, tuple(models), alike.priced)
    field.looked_up.update(alike.looked_up)
    return field


def _machines(library: Library, choice: FieldChoice) -> tuple[RankedMachine, ...]:
    """The machines of a choice, compositions last."""
    named: Collection[Hardware] = (
        (*library.machines, *library.compositions) if choice.machines is None else choice.machines
    )
    machines = [ranked_machine(one, library) for one in named]
    return tuple(sorted(machines, key=lambda machine: machine.composed is not None))


def _model(
    named: str | ModelRef | InlineModel, library: Library, choice: FieldChoice
) -> RankedModel:
    if isinstance(named, InlineModel):
        name = named.adapter.name or mark("model as typed")
        costs = written_out.model_costs(named.adapter)
        formats: list[tuple[str, ModelCosts]] = [("", costs)]
        return RankedModel("", name, named, *_with_cache(formats, ""))
    reference = ModelRef(named) if isinstance(named, str) else named
    record = model_record(reference, library, "model")
    entry: ModelEntry | None = library.models.get(reference.id)
    asked = choice.weights or reference.weights or default_weights(record)
    ids = (asked,) if asked != BEST else (default_weights(record), *choice.ladder)
    towers = bool(choice.include_towers or reference.include_towers)
    missing = ""
    formats = []
    try:
        for weights in ids:
            costs = model_costs(
                record,
                weights,
                choice.cache_format or CACHE_FORMAT,
                choice.cache_read_format,
                towers,
            )
            if not formats or costs.resident_bytes < formats[0][1].resident_bytes:
                formats.append((weights, costs))
    except BadInput as bad:
        if bad.problem.key != "model.id":
            raise
        missing = bad.problem.message
    formats.sort(key=lambda pair: -pair[1].resident_bytes)
    return RankedModel(
        reference.id,
        record.name,
        ModelRef(reference.id, include_towers=towers or None, record=reference.record),
        *_with_cache(formats, missing),
        entry.vendor if entry else record.vendor,
        record.licence or "",
        total_parameters(record),
        active_parameters(record),
        record,
    )


def _with_cache(
    formats: list[tuple[str, ModelCosts]], missing: str
) -> tuple[tuple[tuple[str, ModelCosts], ...], str]:
    """The formats, or none and why: a model whose sessions reserve nothing is not a decoder."""
    for _, costs in formats:
        tokens = costs.max_context_tokens or LONGEST_TOKENS
        if round(float(cache_alloc_bytes(costs.cache, tokens, "windowed"))) < 1:
            return (), tr("a session reserves no cache, so this is not a decoder")
    return tuple(formats), missing
