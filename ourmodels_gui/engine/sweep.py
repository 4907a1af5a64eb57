"""The decode bounds of machines x models at once, without speculation.

Decisions and figures are those of `decode`, bit for bit; only the road differs. The floor test of
every batch becomes one comparison, because for each machine there is a largest number of bytes that
a step may move. A dense model's step is a straight line, so its best batch is a quotient. A model
with experts follows a table of steps until every expert is touched and a straight line from there
on; one search in its table serves all machines.
"""

from collections.abc import Sequence
from functools import lru_cache
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
            np.fmin(rate, _per_computed(served, compute_s[rows]), out=rate, where=served >= 1.0)
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


def compute_batch(compute_s: Floats, floor_tokens_per_s: float) -> Floats:
    """The largest batch whose arithmetic alone clears the floor, infinite where every batch does.

    The largest b >= 0 with 1 / (b t) >= r_star in float64, t the time of one position.

    >>> compute_batch(np.array([0.01, 0.2, 0.0, np.nan]), 10.0)
    array([10.,  0., inf, inf])
    """
    if floor_tokens_per_s <= 0.0:
        return np.full(compute_s.shape, np.inf)
    with np.errstate(divide="ignore", over="ignore"):
        batch = np.floor(1.0 / (floor_tokens_per_s * compute_s)) + 1.0
        for _ in range(2):
            slow = _per_computed(batch, compute_s) < floor_tokens_per_s
            batch = np.where(slow & (batch > 0.0), batch - 1.0, batch)
    return np.where(np.isnan(batch), np.inf, batch)


def _per_computed(batch: Floats, compute_s: Floats) -> Floats:
    """The per-session ceiling of the arithmetic, 1 / (b t); NaN where it is unknown or none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(compute_s > 0.0, 1.0 / (batch * compute_s), np.nan)


def line_batch(most_bytes: Floats, swept_bytes: Floats, private_bytes: Floats) -> Floats:
    """The largest b >= 0 with W + b K <= f, whole but float64; infinite where every batch holds.

    The quotient is right but for rounding; the few that rounding moved are searched for.

    Parameters: most_bytes, f by machine; swept_bytes, W and private_bytes, K, columns by model.
    """
    if most_bytes.size and most_bytes[0] == np.inf:
        return np.full((swept_bytes.size, most_bytes.size), np.inf)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        batch = np.subtract(most_bytes, swept_bytes)
        batch /= private_bytes
        np.floor(batch, out=batch)
        moved = batch * private_bytes
        moved += swept_bytes
        wrong = moved > most_bytes
        np.add(batch, 1.0, out=moved)
        moved *= private_bytes
        moved += swept_bytes
        wrong |= moved <= most_bytes
    places = np.argwhere(wrong & (batch > -2.0)) if wrong.any() else ()
    np.fmax(batch, 0.0, out=batch)
    for row in np.flatnonzero(private_bytes[:, 0] == 0.0):
        batch[row] = np.where(swept_bytes[row] <= most_bytes, np.inf, 0.0)
    if batch.max(initial=0.0) >= BEYOND:
        batch[batch >= BEYOND] = np.inf
    for row, machine in places:
        swept, private, most = swept_bytes[row, 0], private_bytes[row, 0], most_bytes[machine]
        batch[row, machine] = _search_line(most, swept, private)
    return batch


def _search_line(most_bytes: float, swept_bytes: float, private_bytes: float) -> float:
    last = last_batch(lambda batch: swept_bytes + batch * private_bytes <= most_bytes, 0, BEYOND)
    return np.inf if last == BEYOND else last


def clearing_batch(models: ModelTable, most_bytes: Floats, most_free_bytes: float) -> Floats:
    """The largest batch that clears the floor, by [model, step limit], whether or not it fits.

    Where the straight line ends before every expert is touched, a table of steps decides; no table
    is longer than the largest batch that fits anywhere and could clear the floor.

    Parameters: models; most_bytes, ascending limits of a step; most_free_bytes, the largest C - O.
    """
    batch = line_batch(most_bytes, models.full_sweep_bytes[:, None], models.read_bytes[:, None])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slack_bytes = most_bytes.max(initial=0.0) - models.active_bytes
        margin_bytes = most_free_bytes - np.rint(models.resident_bytes)
        fitting = margin_bytes / np.rint(models.alloc_bytes)
        longest = np.fmax(np.fmin(slack_bytes / models.read_bytes, fitting), 0.0) + 2.0
    lengths = [
        int(min(longest[mixture.rows].max(), mixture.curved_tokens)) for mixture in models.mixtures
    ]
    sizes = [
        length * mixture.rows.size for length, mixture in zip(lengths, models.mixtures, strict=True)
    ]
    scratch = np.empty((2, max(sizes, default=0)))
    for length, size, mixture in zip(lengths, sizes, models.mixtures, strict=True):
        steps, part = scratch[:, :size].reshape(2, mixture.rows.size, length)
        steps[:] = mixture.always_bytes[:, None]
        for kind, expert_bytes in zip(mixture.kinds, mixture.expert_bytes, strict=True):
            steps += np.multiply(expert_bytes[:, None], _touched(*kind, length), out=part)
        read = models.read_bytes[mixture.rows, None]
        steps += np.multiply(read, np.arange(1.0, length + 1.0), out=part)
        counts = np.empty((mixture.rows.size, most_bytes.size))
        for count, step in zip(counts, steps, strict=True):
            count[:] = step.searchsorted(most_bytes, side="right")
        line = batch[mixture.rows]
        np.copyto(line, counts, where=line < mixture.curved_tokens)
        batch[mixture.rows] = line
    return batch


def _swept_bytes(mixture: Mixture, batch: Floats) -> Floats:
    """W_batch at whole batches, by [model of the mixture, machine]; as of batch 1 below 1."""
    longest = int(min(max(batch.max(initial=1.0), 1.0), mixture.curved_tokens))
    place = batch.astype(np.intp) - 1
    swept = np.repeat(mixture.always_bytes[:, None], batch.shape[1], axis=1)
    for kind, expert_bytes in zip(mixture.kinds, mixture.expert_bytes, strict=True):
        swept += expert_bytes[:, None] * _touched(*kind, longest).take(place, mode="clip")
    return swept


def _touched(routed: int, per_token: int, length: int) -> Floats:
    """Distinct experts of an iteration of 1, 2, .. `length` routings."""
    return _longer_table(routed, per_token, 1 << (length - 1).bit_length())[:length]


@lru_cache(maxsize=256)
def _longer_table(routed: int, per_token: int, length: int) -> Floats:
    table = distinct_experts(
        Experts(routed, per_token, 1.0), np.arange(1.0, length + 1.0), "expected"
    )
    table.flags.writeable = False
    return table


def verdict_codes(memory_batch: Floats, best_batch: Floats) -> NDArray[np.int8]:
    """The place of each verdict in VERDICTS.

    Parameters: memory_batch, NaN where the model does not fit; best_batch, NaN where none serves.

    >>> [VERDICTS[code] for code in verdict_codes(np.array([np.nan, 3.0]), np.array([np.nan, 2.0]))]
    ['model does not fit', 'serves']
    """
    return (memory_batch >= 0.0).astype(np.int8) + (memory_batch >= 1.0) + (best_batch >= 1.0)


def _free_bytes(machines: MachineTable) -> Floats:
    return np.rint(machines.capacity_bytes) - np.rint(machines.overhead_bytes)
