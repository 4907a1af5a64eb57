"""Every decode figure of a composition: gates, the floor, the best batch, and what binds."""

from typing import Any

import msgspec
import numpy as np

from ..caveats import cautions
from ..costs import active_bytes, cache_alloc_bytes
from ..decode import crossover, last_batch, rate_limited_batch
from ..kept import Kept
from ..memory_power import (
    large_memory_limit_tokens_per_s,
    memory_power_bytes2_per_s,
    memory_power_tokens_per_s,
)
from ..result import Decode, Forced, Placement, PolicyFigures
from ..setup import Setup
from ..speculation import ROUNDING
from ..step import Step, decode_step
from .figures import kinds_of, side_by_side
from .policy import Policy
from .pools import PoolPolicy
from .speculation import speculation_figures


def decode(setup: Setup) -> tuple[Decode, Placement]:
    """The decode figures under the policy asked for, and the policies side by side.

    Memory power, the large-memory limit and the rate-limited batch are those of all pools taken
    together, which no policy exceeds.
    """
    basis = msgspec.structs.replace(setup, prompt=None, assumptions=())
    return _kept.of(basis, lambda: _placed(setup))


_kept: Kept[tuple[Decode, Placement]] = Kept()


def _placed(setup: Setup) -> tuple[Decode, Placement]:
    found = side_by_side(setup)
    main, own = found[0]
    result = _decode(setup, main, own)
    placement = Placement(
        policy=main.name,
        kind=own.kind,
        policies=tuple(one for _, one in found),
        pools=() if result.verdict == "model does not fit" else _shares(main, own),
        binding=own.binding,
        single_binding=own.single_binding,
        pushed_out_from_batch=pushed_out_from(main),
    )
    return result, placement


def pushed_out_from(way: Policy) -> int | None:
    """The first batch whose cache leaves weights less room in the fastest pool than one session's.

    None where every batch that fits leaves as much.
    """
    memory = way.memory_batch()
    if not isinstance(way, PoolPolicy) or memory < 2:
        return None
    kept = float(way.weights_in_fastest(np.array([1.0]))[0])

    def unmoved(batch: Any) -> Any:
        return way.weights_in_fastest(batch.astype(float)) >= kept - 1.0

    last = last_batch(unmoved, 1, memory)
    return None if last == memory else last + 1


def _decode(setup: Setup, way: Policy, own: PolicyFigures) -> Decode:
    """The public decode figures under one policy."""
    workload, gate = setup.workload, way.gate()
    pooled = decode_step(setup, setup.speculation)
    rate_limited = rate_limited_batch(pooled, workload.floor_tokens_per_s)
    usable = own.memory_batch if rate_limited is None else min(own.memory_batch, rate_limited)
    kind, reasons = kinds_of(setup, way, usable)
    best = own.best_batch
    found = Decode(
        verdict="model does not fit",
        kind=kind,
        kind_reasons=reasons,
        cautions=_cautions(setup, way, pooled, best),
        resident_margin_bytes=gate.margin_bytes,
        spare_bytes=way.spare_bytes(best or 1),
        memory_power_bytes2_per_s=memory_power_bytes2_per_s(setup.machine),
    )
    if gate.margin_bytes < 0:
        return msgspec.structs.replace(found, rate_limited_batch=rate_limited)
    alike = len(way.sources()) == 1
    found = msgspec.structs.replace(
        found,
        verdict="no session fits",
        memory_batch=own.memory_batch,
        crossover_tokens=crossover(setup) if alike else None,
        speculation=speculation_figures(setup, way, own),
        forced=forced(setup, way),
    )
    if own.memory_batch == 0:
        return found
    reserved = cache_alloc_bytes(
        setup.model.cache, workload.reserved_context_tokens, workload.cache_policy
    )
    swept = active_bytes(setup.model.always_bytes, setup.model.experts)
    held = setup.model.resident_bytes + workload.overhead_bytes
    found = msgspec.structs.replace(
        found,
        verdict="fits, but no batch satisfies the floor",
        rate_limited_batch=rate_limited,
        usable_batch=usable,
        single_session_tokens_per_s=own.single_session_tokens_per_s,
        memory_power_tokens_per_s=memory_power_tokens_per_s(setup.machine, held, reserved, swept),
        large_memory_limit_tokens_per_s=large_memory_limit_tokens_per_s(
            setup.machine, reserved, swept
        ),
    )
    if best is None:
        return found
    arithmetic = way.compute_seconds(np.array([float(best)]))
    return msgspec.structs.replace(
        found,
        verdict="serves",
        best_batch=best,
        binding_gate=_binding_gate(way, best, own.memory_batch, workload.floor_tokens_per_s),
        aggregate_tokens_per_s=own.aggregate_tokens_per_s,
        per_session_tokens_per_s=own.per_session_tokens_per_s,
        memory_time_s=float(way.memory_seconds(np.array([float(best)]))[0]),
        compute_time_s=None if arithmetic is None else float(arithmetic[0]),
    )


def _binding_gate(way: Policy, best: int, memory: int, floor: float) -> str:
    """What keeps the best batch from growing; "" where more sessions would only be slower."""
    if best == memory:
        return "memory"
    return "" if way.at(best + 1) >= floor else "floor"


def _cautions(setup: Setup, way: Policy, pooled: Step, best: int | None) -> tuple[str, ...]:
    """What a reader must know before believing the figures of a composition."""
    composition = setup.composition
    assert composition is not None
    said = []
    if composition.split != "layers" and way.devices > 1 and composition.shape is None:
        said.append(
            "What the devices send each other is unknown for this model, so the link is not"
            " charged."
        )
    if best is not None:
        many = np.array([float(best)])
        seconds = way.combined_seconds(many)
        combined = setup.workload.decode_ceiling == "combined"
        if seconds is not None:
            if combined and way.unknown_rates():
                said.append(
                    f"The compute rate of {' and '.join(way.unknown_rates())} is unknown, so the"
                    " arithmetic there is not charged."
                )
            slower = seconds[0] > way.memory_seconds(many)[0] * (1.0 + ROUNDING)
            if slower and not combined:
                said.append(
                    f"At batch {best} arithmetic takes longer than memory traffic: compute must be"
                    " added before the aggregate is believed."
                )
            return tuple(said)
    return (*said, *cautions(setup, msgspec.structs.replace(pooled, compute_s=None), best))


def forced(setup: Setup, way: Policy) -> Forced | None:
    """Decode at the concurrency that policy fixes; None without one, or where it cannot be held.

    Where bytes lie depends on the batch, so a batch that does not fit has no rate in unlike pools.
    """
    batch = setup.workload.batch
    if batch is None:
        return None
    fits = way.spare_bytes(batch) >= 0
    if not fits and not way.beyond:
        return None
    rate = way.at(batch)
    return Forced(
        batch=batch,
        aggregate_tokens_per_s=batch * rate,
        per_session_tokens_per_s=rate,
        fits=fits,
        clears_floor=rate >= setup.workload.floor_tokens_per_s,
    )


def _shares(way: Policy, own: PolicyFigures) -> Any:
    if own.memory_batch == 0:
        return ()
    return way.shares(own.best_batch or 1)
