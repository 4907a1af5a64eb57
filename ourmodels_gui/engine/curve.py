"""The decode ceilings over many batches at once, and what limits each of them."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

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


def curve(setup: Setup, batches: NDArray[Any]) -> DecodeCurve:
    """The decode ceilings at any batches, whether or not they fit or clear the floor.

    Parameters: setup; batches, each at least 1.
    References: formulation, "Aggregate and per-session ceilings".
    """
    step = decode_step(setup, setup.speculation)
    return DecodeCurve(
        batches=batches,
        aggregate_tokens_per_s=aggregate_tokens_per_s(step, batches),
        per_session_tokens_per_s=per_session_tokens_per_s(step, batches),
        memory_time_s=memory_time_s(step, batches),
        compute_time_s=compute_time_s(step, batches),
    )


def limits(setup: Setup, batches: NDArray[Any]) -> NDArray[np.str_]:
    """What limits each batch: the gate that refuses it, or the resource that sets its ceiling.

    "capacity" where it does not fit, else "floor" where a session is too slow, else "compute" where
    the ceiling is combined and arithmetic takes longer, else "memory".

    References: formulation, "Calculator procedure".
    """
    step = decode_step(setup, setup.speculation)
    over = batches > capacity(setup).memory_batch
    slow = np.logical_not(clears_floor(step, batches, setup.workload.floor_tokens_per_s))
    computing_s = compute_time_s(step, batches) if step.combined else None
    computing = (
        np.zeros(batches.shape, dtype=bool)
        if computing_s is None
        else computing_s > memory_time_s(step, batches)
    )
    return np.select([over, slow, computing], ["capacity", "floor", "compute"], default="memory")
