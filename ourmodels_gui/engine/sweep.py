"""The decode bounds of machines x models at once, without speculation.

Decisions and figures are those of `decode`, bit for bit; only the road differs, see `floor_test`.
"""

from collections.abc import Sequence
from typing import get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from .floor_test import (
    clearing_batch,
    compute_batch,
    largest_step_bytes,
    line_batch,
    per_computed,
)
from .result import DecodeVerdict
from .setup import Machine, ModelCosts, Workload
from .tables import (
    MachineTable,
    Mixture,
    ModelTable,
    machine_table,
    model_table,
    touched_experts,
)

VERDICTS: tuple[str, ...] = get_args(DecodeVerdict)
"""The verdict of each code."""
BLOCK = 12_000
"""Pairs of a block: a figure of it takes 96 kB."""

Floats = NDArray[np.float64]


class Sweep(msgspec.Struct, frozen=True, eq=False):
    """Decode figures by [machine, model]; the names are those of `Decode`.

    Batches and bytes are whole numbers in float64; a figure that does not exist is NaN. The figures
    that follow from these, or that a ranking rarely shows, are worked out when asked for.
    """

    machines: MachineTable
    models: ModelTable
    floor_tokens_per_s: float
    memory_batch: Floats
    best_batch: Floats
    aggregate_tokens_per_s: Floats
    per_session_tokens_per_s: Floats

    @property
    def verdict(self) -> NDArray[np.int8]:
        """Index into VERDICTS."""
        return verdict_codes(self.memory_batch, self.best_batch)

    @property
    def resident_margin_bytes(self) -> Floats:
        """C - W_resident - O, negative where the model does not fit."""
        return _free_bytes(self.machines)[:, None] - np.rint(self.models.resident_bytes)

    @property
    def rate_limited_batch(self) -> Floats:
        """b_rate; NaN also where no batch fails the test."""
        most = largest_step_bytes(self.machines.bandwidth_bytes_per_s, self.floor_tokens_per_s)
        batch = line_batch(most, self.models.active_bytes[:, None], self.models.read_bytes[:, None])
        return np.where((np.inf > batch.T) & (self.memory_batch != 0.0), batch.T, np.nan)

    @property
    def single_session_tokens_per_s(self) -> Floats:
        """R / (W_batch(1) + K_read)."""
        bandwidth = self.machines.bandwidth_bytes_per_s[:, None]
        return self._where_seated(bandwidth / (self.models.active_bytes + self.models.read_bytes))

    @property
    def memory_power_tokens_per_s(self) -> Floats:
        """R (C - W_resident - O) / (K_alloc W_active)."""
        held_bytes = self.models.resident_bytes + self.machines.overhead_bytes[:, None]
        free_bytes = self.machines.capacity_bytes[:, None] - held_bytes
        cost = self.models.alloc_bytes * self.models.active_bytes
        return self._where_seated(self.machines.bandwidth_bytes_per_s[:, None] * free_bytes / cost)

    def _where_seated(self, rate: Floats) -> Floats:
        return np.where(self.memory_batch >= 1.0, rate, np.nan)


def sweep(
    machines: Sequence[Machine],
    models: Sequence[ModelCosts],
    workload: Workload,
    overhead_bytes: Floats | None = None,
) -> Sweep:
    """Decode bounds of every pair of a machine and a model.

    Contexts are those of the workload within each model's limit: reserved = min(asked, limit), read
    = min(asked, reserved). A forced batch plays no part; the ceiling is that of the memory side.

    Parameters: machines; models; workload; overhead_bytes, O by machine, or None for the
    workload's.
    Errors: ValueError for a model whose session reserves nothing.
    References: formulation, "Calculator procedure".
    """
    overheads = np.full(len(machines), workload.overhead_bytes)
    if overhead_bytes is not None:
        overheads[:] = overhead_bytes
    return sweep_tables(
        machine_table(machines, overheads),
        model_table(models, workload),
        workload.floor_tokens_per_s,
    )


def sweep_tables(
    machines: MachineTable,
    models: ModelTable,
    floor_tokens_per_s: float,
    compute_s: Floats | None = None,
) -> Sweep:
    """The sweep itself, on tables that can be kept from one sweep to the next.

    Parameters: machines; models; floor_tokens_per_s, r_star; compute_s, time of one position on the
    compute side by [model, machine] for the combined ceiling, NaN where unknown; None for the
    memory side alone.

    Exact while capacities stay below 2^53 bytes: a quotient of whole numbers below that is never
    rounded up to the next whole number. Models are taken in blocks that stay in the cache.
    """
    bandwidth, free = machines.bandwidth_bytes_per_s, _free_bytes(machines)
    distinct, place = np.unique(bandwidth, return_inverse=True)
    most = largest_step_bytes(distinct, floor_tokens_per_s)
    clearing = clearing_batch(models, most, free.max(initial=0.0))
    figures = np.empty((4, models.active_bytes.size, bandwidth.size))
    memory, best, aggregate, per_session = figures
    height = max(BLOCK // max(bandwidth.size, 1), 1)
    blocks = [slice(start, start + height) for start in range(0, figures.shape[1], height)]
    for rows in blocks:
        seats = memory[rows]
        np.subtract(free, np.rint(models.resident_bytes[rows, None]), out=seats)
        seats /= np.rint(models.alloc_bytes[rows, None])
        np.floor(seats, out=seats)
        np.minimum(clearing[rows].take(place, axis=1), seats, out=best[rows])
        if compute_s is not None:
            computing = compute_batch(compute_s[rows], floor_tokens_per_s)
            np.minimum(best[rows], computing, out=best[rows])
        per_session[rows] = models.full_sweep_bytes[rows, None]
    for mixture in models.mixtures:
        per_session[mixture.rows] = _swept_bytes(mixture, best[mixture.rows])
    for rows in blocks:
        served, total, rate = best[rows], aggregate[rows], per_session[rows]
        np.copyto(served, np.nan, where=served < 1.0)
        np.copyto(memory[rows], np.nan, where=memory[rows] < 0.0)
        rate += np.multiply(served, models.read_bytes[rows, None], out=total)
        np.divide(bandwidth, rate, out=rate)
        if compute_s is not None:
            np.fmin(rate, per_computed(served, compute_s[rows]), out=rate, where=served >= 1.0)
        np.multiply(served, rate, out=total)
    return Sweep(
        machines=machines,
        models=models,
        floor_tokens_per_s=floor_tokens_per_s,
        memory_batch=memory.T,
        best_batch=best.T,
        aggregate_tokens_per_s=aggregate.T,
        per_session_tokens_per_s=per_session.T,
    )


def _swept_bytes(mixture: Mixture, batch: Floats) -> Floats:
    """W_batch at whole batches, by [model of the mixture, machine]; as of batch 1 below 1."""
    longest = int(min(max(batch.max(initial=1.0), 1.0), mixture.curved_tokens))
    place = batch.astype(np.intp) - 1
    swept = np.repeat(mixture.always_bytes[:, None], batch.shape[1], axis=1)
    for kind, expert_bytes in zip(mixture.kinds, mixture.expert_bytes, strict=True):
        swept += expert_bytes[:, None] * touched_experts(*kind, longest).take(place, mode="clip")
    return swept


def verdict_codes(memory_batch: Floats, best_batch: Floats) -> NDArray[np.int8]:
    """The place of each verdict in VERDICTS.

    Parameters: memory_batch, NaN where the model does not fit; best_batch, NaN where none serves.

    >>> [VERDICTS[code] for code in verdict_codes(np.array([np.nan, 3.0]), np.array([np.nan, 2.0]))]
    ['model does not fit', 'serves']
    """
    return (memory_batch >= 0.0).astype(np.int8) + (memory_batch >= 1.0) + (best_batch >= 1.0)


def _free_bytes(machines: MachineTable) -> Floats:
    return np.rint(machines.capacity_bytes) - np.rint(machines.overhead_bytes)
