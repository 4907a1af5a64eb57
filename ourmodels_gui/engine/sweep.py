"""The decode bounds of machines x models at once: ordinary decode, the memory side alone.

Decisions and figures are those of `decode`, bit for bit; only the road differs. The floor test of
every batch becomes one comparison, because for each machine there is a largest number of bytes that
a step may move. A dense model's step is a straight line, so its best batch is a quotient. A model
with experts follows a table of steps until every expert is touched and a straight line from there
on; one search in its table serves all machines.
"""

from collections.abc import Sequence
from typing import get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from .costs import distinct_experts
from .decode import BEYOND, last_batch
from .result import DecodeVerdict
from .setup import Experts, Machine, ModelCosts, Workload
from .tables import MachineTable, Mixture, ModelTable, machine_table, model_table

VERDICTS: tuple[str, ...] = get_args(DecodeVerdict)
"""The verdict of each code."""
NONE = -1
"""A batch that does not exist; a rate that does not exist is NaN."""

Floats = NDArray[np.float64]


class Sweep(msgspec.Struct, frozen=True, eq=False):
    """Decode figures by [machine, model]; the names are those of `Decode`.

    verdict: index into VERDICTS. A batch that does not exist is NONE, a rate NaN. The figures that
    a ranking rarely shows are worked out when asked for.
    """

    machines: MachineTable
    models: ModelTable
    floor_tokens_per_s: float
    verdict: NDArray[np.int8]
    resident_margin_bytes: NDArray[np.int64]
    memory_batch: NDArray[np.int64]
    best_batch: NDArray[np.int64]
    aggregate_tokens_per_s: Floats
    per_session_tokens_per_s: Floats

    @property
    def rate_limited_batch(self) -> NDArray[np.int64]:
        """b_rate; NONE also where no batch fails the test."""
        most = largest_step_bytes(self.machines.bandwidth_bytes_per_s, self.floor_tokens_per_s)
        batch = line_batch(most, self.models.active_bytes[:, None], self.models.read_bytes[:, None])
        exists = (np.inf > batch.T) & (self.memory_batch != 0)
        return np.where(exists, batch.T, float(NONE)).astype(np.int64)

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
        return np.where(self.memory_batch >= 1, rate, np.nan)


def sweep(
    machines: Sequence[Machine],
    models: Sequence[ModelCosts],
    workload: Workload,
    overhead_bytes: Floats | None = None,
) -> Sweep:
    """Decode bounds of every pair of a machine and a model.

    Contexts are those of the workload within each model's limit: reserved = min(asked, limit), read
    = min(asked, reserved). A forced batch and the combined ceiling play no part.

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


def sweep_tables(machines: MachineTable, models: ModelTable, floor_tokens_per_s: float) -> Sweep:
    """The sweep itself, on tables that can be kept from one sweep to the next.

    Exact while capacities stay below 2^53 bytes: a quotient of whole numbers below that is never
    rounded up to the next whole number.
    """
    bandwidth, read = machines.bandwidth_bytes_per_s, models.read_bytes[:, None]
    most = largest_step_bytes(bandwidth, floor_tokens_per_s)
    free = np.rint(machines.capacity_bytes) - np.rint(machines.overhead_bytes)
    margin = free - np.rint(models.resident_bytes)[:, None]
    memory = np.floor(margin / np.rint(models.alloc_bytes)[:, None])
    np.maximum(memory, float(NONE), out=memory)

    best = line_batch(most, models.full_sweep_bytes[:, None], read)
    swept = np.repeat(models.full_sweep_bytes[:, None], bandwidth.size, axis=1)
    for mixture in models.mixtures:
        _bend(best, swept, memory, most, mixture)
    np.minimum(best, memory, out=best)

    serves = best >= 1.0
    idle = np.logical_not(serves)
    np.copyto(best, float(NONE), where=idle)
    per_session = best * read
    per_session += swept
    np.divide(bandwidth, per_session, out=per_session)
    np.copyto(per_session, np.nan, where=idle)
    return Sweep(
        machines=machines,
        models=models,
        floor_tokens_per_s=floor_tokens_per_s,
        verdict=((memory >= 0.0).astype(np.int8) + (memory >= 1.0) + serves).T,
        resident_margin_bytes=margin.astype(np.int64).T,
        memory_batch=memory.astype(np.int64).T,
        best_batch=best.astype(np.int64).T,
        aggregate_tokens_per_s=(best * per_session).T,
        per_session_tokens_per_s=per_session.T,
    )


def largest_step_bytes(bandwidth_bytes_per_s: Floats, floor_tokens_per_s: float) -> Floats:
    """The most that a step may move and still clear the floor, for each bandwidth [bytes].

    The largest float64 f with R / f >= r_star. A quotient never rises with its divisor, so f' <= f
    is the floor test itself, for every f'.
    """
    if floor_tokens_per_s <= 0.0:
        return np.full(bandwidth_bytes_per_s.shape, np.inf)
    with np.errstate(over="ignore"):
        most = bandwidth_bytes_per_s / floor_tokens_per_s
        while np.any(over := bandwidth_bytes_per_s / most < floor_tokens_per_s):
            most = np.where(over, np.nextafter(most, 0.0), most)
        while True:
            more = np.nextafter(most, np.inf)
            within = bandwidth_bytes_per_s / more >= floor_tokens_per_s
            if not within.any():
                return most
            most = np.where(within, more, most)


def line_batch(most_bytes: Floats, swept_bytes: Floats, private_bytes: Floats) -> Floats:
    """The largest b >= 0 with W + b K <= f, whole but float64; infinite where every batch holds.

    The quotient is right but for rounding; the few that rounding moved are searched for.

    Parameters: most_bytes, f by machine; swept_bytes, W and private_bytes, K, columns by model.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        batch = most_bytes - swept_bytes
        batch /= private_bytes
        np.floor(batch, out=batch)
        np.fmax(batch, 0.0, out=batch)
        moves = batch * private_bytes
        moves += swept_bytes
        moved = (moves > most_bytes) & (batch > 0.0)
        np.add(batch, 1.0, out=moves)
        moves *= private_bytes
        moves += swept_bytes
        moved |= moves <= most_bytes
        moved &= batch < np.inf
    for model, machine in np.argwhere(moved) if moved.any() else ():
        batch[model, machine] = _search_line(
            most_bytes[machine], swept_bytes[model, 0], private_bytes[model, 0]
        )
    return batch


def _search_line(most_bytes: float, swept_bytes: float, private_bytes: float) -> float:
    if private_bytes == 0.0:
        return np.inf
    return last_batch(lambda batch: swept_bytes + batch * private_bytes <= most_bytes, 0, BEYOND)


def _bend(best: Floats, swept: Floats, memory: Floats, most: Floats, mixture: Mixture) -> None:
    """Correct the rows of models that share their routing, in place.

    Where the straight line ends before every expert is touched, the table of steps decides.

    Parameters: best, the largest batch of the line that clears the floor; swept, W_batch(best) once
    corrected.
    """
    rows = mixture.rows
    line, fitting = best[rows], memory[rows]
    length = int(min(mixture.curved_tokens, max(fitting.max(), 1.0)))
    batches = np.arange(1, length + 1)
    touched = [distinct_experts(Experts(*kind, 1.0), batches, "expected") for kind in mixture.kinds]
    table = np.repeat(mixture.always_bytes[:, None], length, axis=1)
    for expert_bytes, experts in zip(mixture.expert_bytes, touched, strict=True):
        table += expert_bytes[:, None] * experts
    steps = batches * mixture.read_bytes[:, None]
    steps += table
    order = np.argsort(most)
    ascending = most[order]
    bent = np.empty(line.shape)
    for row, moved in enumerate(steps):
        bent[row, order] = moved.searchsorted(ascending, side="right")
    np.copyto(line, bent, where=line < mixture.curved_tokens)
    best[rows] = line
    place = np.clip(np.minimum(line, fitting), 1, length).astype(np.intp) - 1
    swept[rows] = np.take_along_axis(table, place, axis=1)
