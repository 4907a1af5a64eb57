"""Decode under each way of using the pools of a composition, side by side."""

from collections.abc import Sequence

import msgspec
import numpy as np

from ..capacity import capacity
from ..caveats import kinds
from ..decode import last_batch
from ..result import Kind, PolicyFigures
from ..setup import Setup
from ..speculation import ROUNDING
from .choose import policies
from .experts import ReplicatedAttention
from .policy import Policy
from .pools import PoolPolicy

RATED = (
    "best_batch",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "forced",
)
"""Figures that rest on the rates of one way of using the pools."""
HOT_EXPERTS = (
    "Experts are placed as if all were routed to alike; placing the most used ones in the faster"
    " pool could do better."
)


def side_by_side(setup: Setup) -> tuple[tuple[Policy, PolicyFigures], ...]:
    """Every policy with its figures, the one that the decode figures are of first.

    That is the policy asked for; of the two ways of dividing experts the better.
    """
    first, others = _first(setup, policies(setup))
    return (first, *((way, figures(setup, way)) for way in others))


def in_use(setup: Setup) -> tuple[Policy, PolicyFigures]:
    """The policy that the decode figures are of, with its figures."""
    return _first(setup, policies(setup))[0]


def _first(
    setup: Setup, ways: Sequence[Policy]
) -> tuple[tuple[Policy, PolicyFigures], Sequence[Policy]]:
    """The policy that the decode figures are of, with its figures, and the others."""
    first, *others = ways
    main = figures(setup, first)
    for other in others:
        if isinstance(other, ReplicatedAttention):
            found = figures(setup, other)
            if _better(found, main):
                return (other, found), [way for way in ways if way is not other]
    return (first, main), others


def policy(setup: Setup, name: str | None = None) -> Policy:
    """The policy of that name; that of the decode figures without one.

    Errors: ValueError for a name that no policy of the composition has.
    """
    ways = policies(setup)
    if name is None:
        experts = any(isinstance(way, ReplicatedAttention) for way in ways)
        return _first(setup, ways)[0][0] if experts else ways[0]
    for way in ways:
        if way.name == name:
            return way
    raise ValueError(f"the composition has no policy {name!r}")


def _better(one: PolicyFigures, other: PolicyFigures) -> bool:
    """Whether one has the larger aggregate, beyond rounding."""
    gives, against = one.aggregate_tokens_per_s or 0.0, other.aggregate_tokens_per_s or 0.0
    return gives > against * (1.0 + ROUNDING)


def figures(setup: Setup, way: Policy) -> PolicyFigures:
    """Decode under one policy: the batches, the rates, and what binds."""
    floor = setup.workload.floor_tokens_per_s
    memory = way.memory_batch()
    kind = kinds_of(setup, way, memory)[0]["aggregate_tokens_per_s"]
    if not memory:
        return PolicyFigures(way.name, kind, 0)
    usable = _usable(way, floor, memory)
    best = way.best_batch(usable) if usable else None
    (single, single_binding), (rate, binding), (slowest, _) = way.bound(
        np.array([1.0, float(best or 1), float(usable or 1)])
    )
    return PolicyFigures(
        name=way.name,
        kind=kind,
        memory_batch=memory,
        best_batch=best,
        aggregate_tokens_per_s=None if best is None else best * rate,
        per_session_tokens_per_s=None if best is None else rate,
        single_session_tokens_per_s=single,
        last_usable_batch=usable or None,
        last_usable_per_session_tokens_per_s=slowest if usable else None,
        binding=None if best is None else binding,
        single_binding=single_binding,
        groups=None if best is None else way.groups(best),
    )


def _usable(way: Policy, floor: float, memory: int) -> int:
    """The largest batch that fits and clears the floor; 0 when none does."""
    if floor <= 0.0:
        return memory
    return last_batch(lambda batch: way.per_session(batch.astype(float)) >= floor, 0, memory)


def kinds_of(setup: Setup, way: Policy, usable: int) -> tuple[dict[str, Kind], tuple[str, ...]]:
    """`caveats.kinds`; with unlike pools an estimate wherever experts are spread evenly, and of one
    that restricts the runtime policy ceilings: its rates, and its batches where fewer fit than in
    all pools together.
    """
    combined = setup.workload.decode_ceiling == "combined"
    charged = combined and way.compute_seconds(np.ones(1)) is not None
    step = msgspec.structs.replace(way.step, combined=charged)
    kind, reasons = kinds(setup, step, usable)
    spread = isinstance(way, PoolPolicy)
    if spread and setup.model.experts and way.step.routing == "expected":
        kind = kind | {name: "estimate" for name in RATED if name in kind}
        reasons = (*reasons, HOT_EXPERTS)
    if way.restricts:
        fewer = way.memory_batch() < capacity(setup).memory_batch
        named = (*RATED, "memory_batch", "usable_batch") if fewer else RATED
        kind = kind | {name: "policy ceiling" for name in named if name in kind}
        said = (
            f"A policy ceiling ({way.name}): it holds for runtimes that work this way, and another"
            " way may pass it."
        )
        reasons = (said, *reasons)
    return kind, reasons
