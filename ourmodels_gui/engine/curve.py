"""The decode ceilings over many batches at once, and what limits each of them."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from . import placement
from .capacity import capacity
from .decode import clears_floor
from .setup import Setup
from .step import (
    aggregate_tokens_per_s,
    compute_time_s,
    decode_step,
    memory_time_s,
    per_session_tokens_per_s,
)


class DecodeCurve(msgspec.Struct, frozen=True, eq=False):
    """Ceilings and times of an iteration at each of `batches`, with speculation where there is any.

    compute_time_s: None where a rate or a count is unknown.
    """

    batches: NDArray[Any]
    aggregate_tokens_per_s: NDArray[np.float64]
    per_session_tokens_per_s: NDArray[np.float64]
    memory_time_s: NDArray[np.float64]
    compute_time_s: NDArray[np.float64] | None


def curve(setup: Setup, batches: NDArray[Any], policy: str | None = None) -> DecodeCurve:
    """The decode ceilings at any batches, whether or not they fit or clear the floor.

    In pools of unlike speed a batch that does not fit has no ceiling: NaN.

    Parameters: setup; batches, each at least 1; policy, the name of one way of using the pools of a
    composition, that of the decode figures unless given.
    Errors: ValueError for a policy that the composition does not have.
    References: formulation, "Aggregate and per-session ceilings"; `placement`.
    """
    if setup.composition is not None:
        return _of_policy(placement.policy(setup, policy), batches)
    step = decode_step(setup, setup.speculation)
    return DecodeCurve(
        batches=batches,
        aggregate_tokens_per_s=aggregate_tokens_per_s(step, batches),
        per_session_tokens_per_s=per_session_tokens_per_s(step, batches),
        memory_time_s=memory_time_s(step, batches),
        compute_time_s=compute_time_s(step, batches),
    )


def limits(setup: Setup, batches: NDArray[Any], policy: str | None = None) -> NDArray[np.str_]:
    """What limits each batch: the gate that refuses it, or the resource that sets its ceiling.

    "capacity" where it does not fit, else "floor" where a session is too slow, else "compute" where
    the ceiling is combined and arithmetic takes longer, "link" where what crosses it does, else
    "memory".

    Parameters: as for `curve`.
    References: formulation, "Calculator procedure".
    """
    floor = setup.workload.floor_tokens_per_s
    if setup.composition is not None:
        return _limits_of_policy(placement.policy(setup, policy), batches, floor)
    step = decode_step(setup, setup.speculation)
    over = batches > capacity(setup).memory_batch
    slow = np.logical_not(clears_floor(step, batches, floor))
    computing_s = compute_time_s(step, batches) if step.combined else None
    computing = (
        np.zeros(batches.shape, dtype=bool)
        if computing_s is None
        else computing_s > memory_time_s(step, batches)
    )
    return np.select([over, slow, computing], ["capacity", "floor", "compute"], default="memory")


def _of_policy(way: placement.Policy, batches: NDArray[Any]) -> DecodeCurve:
    """The curve of one way of using the pools of a composition."""
    rated = np.full(batches.shape, True) if way.beyond else batches <= way.memory_batch()
    each, memory_s, arithmetic_s = np.full((3, *batches.shape), np.nan)
    many = batches[rated].astype(np.float64)
    alone_s = way.compute_seconds(many if len(many) else np.ones(1))
    if len(many):
        found = [limit.per_session_tokens_per_s for limit in way.limits(many)]
        each[rated] = np.min(found, axis=0)
        memory_s[rated] = way.step.emitted_tokens / found[0]
        arithmetic_s[rated] = alone_s
    known = None if alone_s is None else arithmetic_s
    return DecodeCurve(batches, batches * each, each, memory_s, known)


def _limits_of_policy(
    way: placement.Policy, batches: NDArray[Any], floor_tokens_per_s: float
) -> NDArray[np.str_]:
    """What limits each batch under one way of using the pools."""
    fits = batches <= way.memory_batch()
    said = np.full(batches.shape, "capacity")
    many = batches[fits].astype(np.float64)
    if len(many):
        found = way.limits(many)
        rates = np.array([limit.per_session_tokens_per_s for limit in found])
        named = np.array([limit.resources() for limit in found])
        named = named[np.argmin(rates, axis=0), np.arange(len(many))]
        said[fits] = np.where(rates.min(axis=0) < floor_tokens_per_s, "floor", named)
    return said
