"""The floor test turned round: which batches clear the floor, for many pairs at once.

For each machine there is a largest number of bytes that a step may move, so that the test of every
batch becomes one comparison. A dense model's step is a straight line: its last batch is a quotient.
A model with experts follows a table of steps until every expert is touched and a straight line from
there on; one search in its table serves all machines.
"""

import numpy as np
from numpy.typing import NDArray

from .decode import BEYOND, last_batch
from .tables import ModelTable, touched_experts

Floats = NDArray[np.float64]


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
            slow = per_computed(batch, compute_s) < floor_tokens_per_s
            batch = np.where(slow & (batch > 0.0), batch - 1.0, batch)
    return np.where(np.isnan(batch), np.inf, batch)


def per_computed(batch: Floats, compute_s: Floats) -> Floats:
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
            steps += np.multiply(expert_bytes[:, None], touched_experts(*kind, length), out=part)
        read = models.read_bytes[mixture.rows, None]
        steps += np.multiply(read, np.arange(1.0, length + 1.0), out=part)
        counts = np.empty((mixture.rows.size, most_bytes.size))
        for count, step in zip(counts, steps, strict=True):
            count[:] = step.searchsorted(most_bytes, side="right")
        line = batch[mixture.rows]
        np.copyto(line, counts, where=line < mixture.curved_tokens)
        batch[mixture.rows] = line
    return batch
