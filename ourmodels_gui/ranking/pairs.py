"""The decode and prefill figures of every pair of a field at one workload, as arrays.

A figure is the one that `evaluate` gives for the pair's own scenario: contexts within each model's
limit, the overhead of each machine's kind, measured rates where they are asked for. Speculation
plays no part, because a draft belongs to one model.

Machines come first and compositions after them.
"""

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..engine.arithmetic_tables import position_flop
from ..engine.costs import sweep_bytes
from ..engine.floor_test import largest_step_bytes, line_batch
from ..engine.longest_context import longest_context_tokens
from ..engine.placement.sweep import CompositionSweep
from ..engine.setup import Machine, Workload
from ..engine.sweep import verdict_codes
from ..engine.tables import MachineTable, ModelTable, at_contexts, machine_table
from ..language import tr
from ..library.resolve import (
    OVERHEAD_BYTES,
    at_measured_rates,
    context_lengths,
    overhead_bytes,
    workload_in_use,
)
from ..problem import BadInput
from ..scenario import PrefillChoice, WorkloadChoice
from .compositions import Compositions, compositions, modes_of, sweep_of
from .field import LONGEST_TOKENS, Field
from .prompts import Prompts, prompts_of_machines, seconds_in_use
from .rungs import SWEPT, of_compositions, of_machines

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Pairs(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Figures by [model, machine], over the models and machines that can be evaluated.

    machines: places of those machines in the field, of which the first `single` are no
    compositions. in_use: of a composition, all pools together. rung: which of a model's formats is
    in use. swept: the figures of the sweeps, by [figure, model, machine] of the whole field. The
    others are worked out each time when asked for, because the table keeps them; NaN where a figure
    does not exist.
    """

    field: Field
    workload: WorkloadChoice
    prefill: PrefillChoice | None
    machines: Indices
    in_use: tuple[Machine, ...]
    composed: Compositions
    composed_sweep: CompositionSweep | None
    basis: Workload
    machine_table: MachineTable
    model_table: ModelTable
    compute_s: Floats | None
    rung: NDArray[np.int8]
    swept: Floats

    def at_prompt(self, prefill: PrefillChoice | None) -> "Pairs":
        """The same for another prompt; decode rests on no more than its modes of arithmetic.

        Errors: ValueError where these are others.
        """
        if modes_of(self.prefill) != modes_of(prefill):
            raise ValueError("other modes of arithmetic, on which decode may rest")
        return msgspec.structs.replace(self, prefill=prefill)

    @property
    def single(self) -> int:
        """How many of the machines are no compositions."""
        return len(self.in_use) - len(self.composed.chosen)

    @property
    def memory_batch(self) -> Floats:
        """How many sessions fit."""
        return self._swept("memory_batch")

    @property
    def best_batch(self) -> Floats:
        """The batch at which the most tokens per second are produced."""
        return self._swept("best_batch")

    def _swept(self, name: str) -> Floats:
        """A figure of the sweeps; of the same memory where every machine can be evaluated."""
        known = self.swept[SWEPT.index(name), : self.field.evaluable]
        return known if self.machines.size == known.shape[1] else known[:, self.machines]

    @property
    def column(self) -> Indices:
        """Place of each pair's model and format in the tables of the models."""
        models = self.field.evaluable
        return self.rung * np.intp(models) + np.arange(models)[:, None]

    @property
    def verdict(self) -> NDArray[np.int8]:
        """Index into `sweep.VERDICTS`."""
        return verdict_codes(self.memory_batch, self.best_batch)

    @property
    def margin_bytes(self) -> Floats:
        """C - W_resident - O in whole bytes, of a composition of all pools together."""
        table = self.machine_table
        free = np.rint(table.capacity_bytes) - np.rint(table.overhead_bytes)
        margin: Floats = free - np.rint(self.model_table.resident_bytes)[self.column]
        return margin

    @property
    def spare_bytes(self) -> Floats:
        """margin - b* K_alloc where it serves, else margin - K_alloc."""
        batch = np.where(self.best_batch >= 1.0, self.best_batch, 1.0)
        spare = self.margin_bytes - batch * np.rint(self.model_table.alloc_bytes)[self.column]
        return self._with_compositions(spare, "spare_bytes")

    @property
    def usable_batch(self) -> Floats:
        """The smaller of the memory batch and the rate-limited batch."""
        models, bandwidth = self.model_table, self.machine_table.bandwidth_bytes_per_s
        distinct, place = np.unique(bandwidth, return_inverse=True)
        most = largest_step_bytes(distinct, self.basis.floor_tokens_per_s)
        limited = line_batch(most, models.active_bytes[:, None], models.read_bytes[:, None])
        usable = np.minimum(self.memory_batch, limited[self.column, place])
        return np.where(self.memory_batch >= 1.0, usable, np.nan)

    @property
    def single_session_tokens_per_s(self) -> Floats:
        """The ceiling of one session alone."""
        swept = self.model_table.active_bytes[self.column]
        single = np.where(self.memory_batch >= 1.0, self._per_session(swept, 1.0), np.nan)
        return self._with_compositions(single, "single_session_tokens_per_s")

    @property
    def forced_per_session_tokens_per_s(self) -> Floats:
        """The ceiling of each session at the workload's forced batch, whether or not it fits."""
        batch = self.basis.batch
        if batch is None:
            return np.full(self.memory_batch.shape, np.nan)
        swept = np.array(
            [
                sweep_bytes(model.always_bytes, model.experts, batch, self.basis.routing)
                for model in self.field.costs
            ]
        )
        rate = self._per_session(swept[self.column], float(batch))
        forced = np.where(self.margin_bytes >= 0.0, rate, np.nan)
        return self._with_compositions(forced, "forced_per_session_tokens_per_s")

    @property
    def longest_context_tokens(self) -> Floats:
        """The longest reservation at which one session fits, within the model's limit.

        Of a composition with a placement of its own it is unknown.
        """
        longest = np.zeros(self.memory_batch.shape)
        for model in range(self.field.evaluable):
            for rung in np.unique(self.rung[model]).tolist():
                costs = self.field.costs[rung * self.field.evaluable + model]
                at = self.rung[model] == rung
                longest[model, at] = longest_context_tokens(
                    costs.cache,
                    self.basis.cache_policy,
                    self.margin_bytes[model, at],
                    costs.max_context_tokens or LONGEST_TOKENS,
                )
        for place, chosen in enumerate(self.composed.chosen, self.single):
            if chosen.composition is not None and chosen.composition.placement:
                longest[:, place] = np.nan
        return np.where(longest >= 1.0, longest, np.nan)

    @cached_property
    def prompts(self) -> Prompts | None:
        """The figures of prefill; None without a prompt."""
        if self.prefill is None:
            return None
        return Prompts(
            self.field,
            self.composed,
            self.model_table,
            self.basis,
            self.prefill,
            of_machines=prompts_of_machines(
                self.field.costs,
                self.model_table,
                self.machine_table,
                self.in_use[: self.single],
                column=self.column[:, : self.single],
                basis=self.basis,
                prefill=self.prefill,
            ),
            places=self.machines[: self.single],
            column=self.column[:, self.single :],
        )

    def _per_session(self, swept_bytes: Floats, batch: float) -> Floats:
        """R / (W_batch(b) + b K_read), within 1 / (b t) under the combined ceiling."""
        private = self.model_table.read_bytes[self.column]
        rate = self.machine_table.bandwidth_bytes_per_s / (swept_bytes + batch * private)
        if self.compute_s is None:
            return rate
        column = self.column[:, : self.single]
        compute_s = self.compute_s[column, np.arange(self.single)]
        with np.errstate(divide="ignore"):
            rate[:, : self.single] = np.fmin(rate[:, : self.single], 1.0 / (batch * compute_s))
        return rate

    def _with_compositions(self, figures: Floats, name: str) -> Floats:
        """The same with those of compositions as their own sweep has them."""
        if self.composed_sweep is not None:
            swept: Floats = getattr(self.composed_sweep, name)
            column = self.column[:, self.single :]
            figures[:, self.single :] = swept[np.arange(swept.shape[0]), column]
        return figures


def pairs(field: Field, workload: WorkloadChoice, prefill: PrefillChoice | None) -> Pairs:
    """The figures of a field at a workload, each pair in the format that `rungs` gives it."""
    places, in_use = _machines(field, workload)
    composed = compositions(field, workload)
    basis = workload_in_use(workload, None, context_lengths(workload, None))
    overheads = {kind: overhead_bytes(workload, kind) for kind in OVERHEAD_BYTES.keys() | {None}}
    kept = np.array([overheads[field.machines[place].kind] for place in places])
    machines = machine_table(in_use, kept)
    models = _models(field, workload, basis)
    compute_s = None
    if basis.decode_ceiling == "combined":
        linear_s, attention_s = seconds_in_use(prefill or PrefillChoice(), in_use)
        flop = position_flop(field.costs[: field.evaluable], models.read_context_tokens)
        linear, attention = (np.tile(part, field.rungs)[:, None] for part in flop)
        compute_s = linear * linear_s + attention * attention_s
    count, rungs, floor = field.evaluable, max(field.rungs, 1), basis.floor_tokens_per_s
    swept = np.full((len(SWEPT), len(field.models), len(field.machines)), np.nan)
    rung, swept[:, :count, places] = of_machines(rungs, machines, models, floor, compute_s)
    found = None
    if composed.chosen:
        found = sweep_of(field, composed, models, basis, prefill or PrefillChoice())
        beside, swept[:, :count, composed.places] = of_compositions(rungs, found)
        rung = np.hstack([rung, beside])
        places = np.concatenate([places, composed.places])
        in_use = (*in_use, *(chosen.machine for chosen in composed.chosen))
        machines = machine_table(in_use, np.concatenate([kept, composed.overheads_bytes]))
    return Pairs(
        field,
        workload,
        prefill,
        places,
        in_use,
        composed,
        found,
        basis,
        machines,
        models,
        compute_s,
        rung,
        swept,
    )


def _models(field: Field, workload: WorkloadChoice, basis: Workload) -> ModelTable:
    """The models at the contexts of the workload within each one's limit."""
    limits, place = field.limits
    lengths = [context_lengths(workload, limit or None) for limit in limits.tolist()]
    reserved = np.array([length.reserved for length in lengths], dtype=np.int64)[place]
    read = np.array([length.read for length in lengths], dtype=np.int64)[place]
    table = field.expected if basis.routing == "expected" else field.least
    models = at_contexts(table, field.caches, basis.cache_policy, reserved, read)
    if np.any(empty := np.rint(models.alloc_bytes) <= 0.0):
        name = field.models[int(np.argmax(empty)) % field.evaluable].name
        raise BadInput(
            "model",
            tr("a session of {name} reserves no cache; leave the model out").format(name=name),
        )
    return models


def _machines(field: Field, workload: WorkloadChoice) -> tuple[Indices, tuple[Machine, ...]]:
    """The machines that have the rates that the workload asks for; compositions stand apart."""
    single = field.machines[: field.single]
    if workload.rates != "measured":
        return np.arange(field.single), tuple(ranked.machine for ranked in single)
    places = [place for place, ranked in enumerate(single) if "bandwidth" in ranked.measured]
    return np.array(places, dtype=np.intp), tuple(
        at_measured_rates(field.machines[place].machine, field.machines[place].measured)
        for place in places
    )
