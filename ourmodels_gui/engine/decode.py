"""Decode: how many sessions can be served, and how fast."""

import math
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from .capacity import Capacity, capacity
from .caveats import cautions, kinds
from .costs import Tokens, active_bytes, cache_alloc_bytes
from .crossover import crossover_tokens, seconds_per_flop
from .memory_power import (
    large_memory_limit_tokens_per_s,
    memory_power_bytes2_per_s,
    memory_power_tokens_per_s,
)
from .result import Decode, Forced
from .setup import Setup
from .speculation import speculation_figures
from .step import (
    Step,
    aggregate_tokens_per_s,
    compute_time_s,
    decode_step,
    least_shared_bytes,
    per_session_tokens_per_s,
    shared_bytes,
    step_bytes,
)

PROBES = 64
"""Batches that one round of `last_batch` looks at together."""
BEYOND = 2**62
"""A batch past every batch that fits."""


def last_batch(holds: Callable[[NDArray[Any]], NDArray[Any]], low: int, high: int) -> int:
    """The largest batch in low + 1 .. high at which a prefix property holds; low when none.

    Parameters: holds, true up to some batch and false from there on, of an array of batches.

    >>> last_batch(lambda batch: batch * batch <= 1e12, 0, 10**9)
    1000000
    """
    while low < high:
        stride = -(-(high - low) // PROBES)
        batches = np.minimum(low + stride * np.arange(1, -(-(high - low) // stride) + 1), high)
        held = holds(batches)
        if held.all():
            return high
        first = int(np.argmin(held))
        high = int(batches[first]) - 1
        if first > 0:
            low = int(batches[first - 1])
    return low


def clears_floor(step: Step, batch: Tokens, floor_tokens_per_s: float) -> Any:
    """The floor test in its canonical form: rho R / (b q(b)) >= r_star, in float64.

    A printed per-session rate, given back as the floor, admits the batch it was printed for.

    References: formulation, "The bound the calculator uses".
    """
    return per_session_tokens_per_s(step, batch) >= floor_tokens_per_s


def rate_limited_batch(step: Step, floor_tokens_per_s: float) -> int | None:
    """Largest batch that could clear the floor if it swept no more than one session does.

    b_rate = floor((rho R / r_star - W_active - gamma W_draft) / (K_read + gamma K_draft,read)); the
    true sweep is no smaller, so this is a necessary condition. Corrected to the last batch that
    passes the float64 test.

    Returns None where no batch fails (no floor, or no private reads to speak of); 0 where one
    session fails.
    References: formulation, "Usable-batch correction".

    >>> step = Step(800.0, 10.0, (), "floor", private_bytes=2.0)
    >>> rate_limited_batch(step, 50.0), rate_limited_batch(step, 51.0), rate_limited_batch(step, 0)
    (3, 2, None)
    """
    if floor_tokens_per_s <= 0.0:
        return None
    rate = step.emitted_tokens * step.bandwidth_bytes_per_s
    alone_bytes = least_shared_bytes(step)

    def holds(batch: Any) -> Any:
        return rate / (alone_bytes + batch * step.private_bytes) >= floor_tokens_per_s

    if not holds(1):
        return 0
    if holds(BEYOND):
        return None
    guess = int((rate / floor_tokens_per_s - alone_bytes) / step.private_bytes)
    for batch in range(guess + 1, max(guess - 2, 0), -1):
        if holds(batch) and not holds(batch + 1):
            return batch
    return last_batch(holds, 1, BEYOND)


def best_batch(setup: Setup, step: Step, memory_batch: int, rate_limited: int | None) -> int | None:
    """The fitting batch with the largest aggregate among those that clear the floor, b*.

    The aggregate never falls with the batch and the per-session rate never rises, so the usable set
    is 1 .. b* and its end is the answer; None when it is empty. The line that the step becomes once
    every expert is touched brackets it from below, the rate-limited batch from above.

    References: formulation, "The bound the calculator uses" and "Calculator procedure".
    """
    floor = setup.workload.floor_tokens_per_s
    high = memory_batch if rate_limited is None else min(memory_batch, rate_limited)
    if high == 0:
        return None
    if clears_floor(step, high, floor):
        return high
    low = 0
    if step.private_bytes > 0.0:
        rate = step.emitted_tokens * step.bandwidth_bytes_per_s
        line = (rate / floor - shared_bytes(step, math.inf)) / step.private_bytes
        low = int(min(max(line, 0.0), high))
    if low and not clears_floor(step, low, floor):
        low = 0
    return last_batch(lambda batch: clears_floor(step, batch, floor), low, high) or None


def simple_ceiling_tokens_per_s(setup: Setup, batch: Tokens) -> Tokens:
    """The simple bound of ordinary decode: the sweep held at W_active, no floor.

    R / (W_active / b + K_read); it rises with the batch, so its maximum is at the memory batch.

    References: formulation, "Memory-power bound as a corollary".
    """
    step = msgspec.structs.replace(decode_step(setup, None), routing="floor", combined=False)
    return aggregate_tokens_per_s(step, batch)


def crossover(setup: Setup) -> float | None:
    """S*, the positions per sweep from which arithmetic is the limit; None when unknown.

    References: formulation, "Combined ceiling and crossover".
    """
    linear_s = seconds_per_flop(setup.machine, setup.linear_mode)
    if linear_s is None:
        return None
    return crossover_tokens(
        setup.model, setup.workload.routing, setup.machine.bandwidth_bytes_per_s, linear_s
    )


def forced(setup: Setup, step: Step, gate: Capacity) -> Forced | None:
    """Decode at the concurrency that policy fixes, whether or not it fits; None without one.

    References: formulation, "Forced concurrency".
    """
    batch = setup.workload.batch
    if batch is None:
        return None
    rate = per_session_tokens_per_s(step, batch)
    return Forced(
        batch=batch,
        aggregate_tokens_per_s=batch * rate,
        per_session_tokens_per_s=rate,
        fits=gate.fits(batch),
        clears_floor=bool(clears_floor(step, batch, setup.workload.floor_tokens_per_s)),
    )


def decode(setup: Setup) -> Decode:
    """Every decode figure of a setup; a figure that does not exist is None.

    References: formulation, "Calculator procedure".
    """
    model, workload = setup.model, setup.workload
    gate = capacity(setup)
    step = decode_step(setup, setup.speculation)
    memory = gate.memory_batch
    rate_limited = rate_limited_batch(step, workload.floor_tokens_per_s)
    usable = memory if rate_limited is None else min(memory, rate_limited)
    kind, reasons = kinds(setup, step, usable)
    if gate.margin_bytes < 0:
        return Decode(
            verdict="model does not fit",
            kind=kind,
            kind_reasons=reasons,
            cautions=cautions(setup, step, None),
            resident_margin_bytes=gate.margin_bytes,
            spare_bytes=gate.spare_bytes(1),
            memory_power_bytes2_per_s=memory_power_bytes2_per_s(setup.machine),
            rate_limited_batch=rate_limited,
        )
    best = best_batch(setup, step, memory, rate_limited) if memory else None
    found = Decode(
        verdict="no session fits",
        kind=kind,
        kind_reasons=reasons,
        cautions=cautions(setup, step, best),
        resident_margin_bytes=gate.margin_bytes,
        spare_bytes=gate.spare_bytes(best or 1),
        memory_power_bytes2_per_s=memory_power_bytes2_per_s(setup.machine),
        memory_batch=memory,
        crossover_tokens=crossover(setup),
        speculation=speculation_figures(setup, memory, best),
        forced=forced(setup, step, gate),
    )
    if memory == 0:
        return found
    alloc_bytes = cache_alloc_bytes(
        model.cache, workload.reserved_context_tokens, workload.cache_policy
    )
    swept_bytes = active_bytes(model.always_bytes, model.experts)
    held_bytes = model.resident_bytes + workload.overhead_bytes
    found = msgspec.structs.replace(
        found,
        verdict="fits, but no batch satisfies the floor",
        rate_limited_batch=rate_limited,
        usable_batch=usable,
        single_session_tokens_per_s=per_session_tokens_per_s(step, 1),
        memory_power_tokens_per_s=memory_power_tokens_per_s(
            setup.machine, held_bytes, alloc_bytes, swept_bytes
        ),
        large_memory_limit_tokens_per_s=large_memory_limit_tokens_per_s(
            setup.machine, alloc_bytes, swept_bytes
        ),
    )
    if best is None:
        return found
    rate = per_session_tokens_per_s(step, best)
    return msgspec.structs.replace(
        found,
        verdict="serves",
        best_batch=best,
        binding_gate="memory" if best == memory else "floor",
        aggregate_tokens_per_s=best * rate,
        per_session_tokens_per_s=rate,
        memory_time_s=step_bytes(step, best) / step.bandwidth_bytes_per_s,
        compute_time_s=compute_time_s(step, float(best)),
    )
