"""Every decode figure of a composition: gates, the floor, the best batch, and what binds."""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from ..caveats import cautions, kinds
from ..costs import active_bytes, cache_alloc_bytes
from ..decode import crossover, last_batch, rate_limited_batch
from ..memory_power import (
    large_memory_limit_tokens_per_s,
    memory_power_bytes2_per_s,
    memory_power_tokens_per_s,
)
from ..result import (
    Decode,
    Forced,
    Placement,
    PolicyFigures,
    PolicyKind,
    SpeculationFigures,
)
from ..setup import Setup
from ..speculation import ROUNDING, break_even_point
from ..step import Step, decode_step
from .choose import policies
from .experts import ReplicatedAttention
from .policy import Policy
from .pools import PoolPolicy
from .search import highest, where

HOT_EXPERTS = (
    "Experts are placed as if all were routed to alike; placing the most used ones in the faster"
    " pool could do better."
)


def decode(setup: Setup) -> tuple[Decode, Placement]:
    """The decode figures under the policy asked for, and the policies side by side.

    Memory power, the large-memory limit and the rate-limited batch are those of all pools taken
    together, which no policy exceeds.
    """
    ways = policies(setup)
    found = [figures(setup, way) for way in ways]
    main, own = ways[0], found[0]
    for way, other in zip(ways[1:], found[1:], strict=True):
        if isinstance(way, ReplicatedAttention) and _better(other, own):
            main, own = way, other
    result = _decode(setup, main, own)
    placement = Placement(
        policy=main.name,
        kind=own.kind,
        policies=(own, *(one for one in found if one is not own)),
        pools=() if result.verdict == "model does not fit" else _shares(main, own),
        binding=own.binding,
        single_binding=own.single_binding,
        pushed_out_from_batch=pushed_out_from(main),
    )
    return result, placement


def _better(one: PolicyFigures, other: PolicyFigures) -> bool:
    """Whether one has the larger aggregate, beyond rounding."""
    gives, against = one.aggregate_tokens_per_s or 0.0, other.aggregate_tokens_per_s or 0.0
    return gives > against * (1.0 + ROUNDING)


def figures(setup: Setup, way: Policy) -> PolicyFigures:
    """Decode under one policy: the batches, the rates, and what binds."""
    floor = setup.workload.floor_tokens_per_s
    memory = way.memory_batch()
    best = None
    if memory:
        usable = _usable(way, floor, memory)
        if usable:
            best = usable
            if not way.rises:
                best = highest(lambda b: b * way.per_session(b), usable, way.mark)
    estimate, _ = _kinds(setup, way, memory)
    kind: PolicyKind = "policy ceiling" if way.restricts else estimate["aggregate_tokens_per_s"]
    if not memory:
        return PolicyFigures(way.name, kind, 0)
    rate = None if best is None else _one(way, best)
    return PolicyFigures(
        name=way.name,
        kind=kind,
        memory_batch=memory,
        best_batch=best,
        aggregate_tokens_per_s=None if best is None or rate is None else best * rate,
        per_session_tokens_per_s=rate,
        single_session_tokens_per_s=_one(way, 1),
        binding=None if best is None else way.binding(best),
        single_binding=way.binding(1),
        groups=None if best is None else way.groups(best),
    )


def _usable(way: Policy, floor: float, memory: int) -> int:
    """The largest batch that fits and clears the floor; 0 when none does."""
    if floor <= 0.0:
        return memory
    return last_batch(lambda batch: _per_session(way, batch) >= floor, 0, memory)


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
    kind, reasons = _kinds(setup, way, usable)
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
    alike = setup.composition is not None and len(way.sources()) == 1
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
        binding_gate=_binding_gate(way, own, workload.floor_tokens_per_s),
        aggregate_tokens_per_s=own.aggregate_tokens_per_s,
        per_session_tokens_per_s=own.per_session_tokens_per_s,
        memory_time_s=_memory_s(way, best),
        compute_time_s=None if arithmetic is None else float(arithmetic[0]),
    )


def _binding_gate(way: Policy, own: PolicyFigures, floor: float) -> str:
    """What keeps the best batch from growing; "" where more sessions would only be slower."""
    best = own.best_batch or 0
    if best == own.memory_batch:
        return "memory"
    return "" if _one(way, best + 1) >= floor else "floor"


def _memory_s(way: Policy, batch: int) -> float:
    """Time of the memory in an iteration, or in a period of all groups [s]."""
    limits = way.limits(np.array([float(batch)]))
    return way.step.emitted_tokens / float(limits[0].per_session_tokens_per_s[0])


def _cautions(setup: Setup, way: Policy, pooled: Step, best: int | None) -> tuple[str, ...]:
    """What a reader must know before believing the figures of a composition."""
    composition = setup.composition
    assert composition is not None
    said = []
    if way.restricts:
        said.append(
            f"A policy ceiling ({way.name}): it holds for runtimes that work this way, and another"
            " way may pass it."
        )
    if composition.split != "layers" and way.devices > 1 and composition.shape is None:
        said.append(
            "What the devices send each other is unknown for this model, so the link is not"
            " charged."
        )
    if best is not None:
        arithmetic = way.compute_seconds(np.array([float(best)]))
        combined = setup.workload.decode_ceiling == "combined"
        if arithmetic is not None:
            slower = float(arithmetic[0]) > _memory_s(way, best)
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
    if not fits and isinstance(way, PoolPolicy):
        return None
    rate = _one(way, batch)
    return Forced(
        batch=batch,
        aggregate_tokens_per_s=batch * rate,
        per_session_tokens_per_s=rate,
        fits=fits,
        clears_floor=rate >= setup.workload.floor_tokens_per_s,
    )


def speculation_figures(setup: Setup, way: Policy, own: PolicyFigures) -> SpeculationFigures | None:
    """What speculation needs to gain under the same policy; None without it.

    rho(b) = period with speculation / period without it, memory and links alike; without it the
    draft is not held either.
    """
    if setup.speculation is None:
        return None
    plain = msgspec.structs.replace(setup, speculation=None)
    ordinary = next(one for one in policies(plain) if one.name == way.name)
    gamma, emitted = setup.speculation.draft_tokens, setup.speculation.emitted_tokens

    def needed(batch: Any) -> Any:
        return emitted * _per_session(ordinary, batch) / _per_session(way, batch)

    at_1 = _break_even(needed, 1 if own.memory_batch else None, gamma)
    at_best = _break_even(needed, own.best_batch, gamma)
    return SpeculationFigures(
        draft_tokens=gamma,
        emitted_tokens_per_iteration=emitted,
        break_even_at_1=at_1[0],
        break_even_at_best=at_best[0],
        break_even_acceptance_at_1=at_1[1],
        break_even_acceptance_at_best=at_best[1],
        note_at_1=at_1[2],
        note_at_best=at_best[2],
        loses_at=where(lambda b: needed(b) > emitted * (1.0 + ROUNDING), own.memory_batch),
    )


def _break_even(
    needed: Callable[[Any], Any], batch: int | None, gamma: int
) -> tuple[float | None, float | None, str]:
    if batch is None:
        return None, None, "no batch serves"
    return break_even_point(float(needed(np.array([batch]))[0]), gamma)


def _per_session(way: Policy, batch: Any) -> Any:
    return way.per_session(np.asarray(batch, dtype=np.float64))


def _one(way: Policy, batch: int) -> float:
    return float(way.per_session(np.array([float(batch)]))[0])


def _shares(way: Policy, own: PolicyFigures) -> Any:
    if own.memory_batch == 0:
        return ()
    return way.shares(own.best_batch or 1)


def _kinds(setup: Setup, way: Policy, usable: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    """`caveats.kinds`, and with unlike pools an estimate wherever experts are spread evenly."""
    kind, reasons = kinds(setup, way.step, usable)
    spread = isinstance(way, PoolPolicy)
    if spread and setup.model.experts and way.step.routing == "expected":
        named = ("best_batch", "aggregate", "per_session", "single_session", "forced")
        kind = {
            name: "estimate" if name.startswith(named) else value for name, value in kind.items()
        }
        reasons = (*reasons, HOT_EXPERTS)
    return kind, reasons
