"""The same machine under two accountings of memory traffic: weights alone, and every session too.

Both are of ordinary decode and of the memory side: a draft and the arithmetic stay out.
"""

import msgspec

from .capacity import capacity
from .costs import active_bytes
from .setup import Setup
from .step import aggregate_tokens_per_s, decode_step, per_session_tokens_per_s, shared_bytes


class Accounting(msgspec.Struct, frozen=True):
    """What an iteration of `batch` sessions is charged, and the ceiling that follows.

    shared_bytes: weights swept once. private_bytes: cache read for each session.
    iteration_s: all of it at the bandwidth. tokens_per_s: the aggregate ceiling.
    """

    batch: int
    shared_bytes: float
    private_bytes: float
    iteration_s: float
    tokens_per_s: float

    @property
    def charged_bytes(self) -> float:
        """Everything that one iteration moves."""
        return self.shared_bytes + self.batch * self.private_bytes

    def emitted(self, elapsed_s: float) -> int:
        """Tokens that whole iterations have emitted after a time.

        >>> Accounting(3, 10.0, 2.0, 0.5, 6.0).emitted(1.25)
        6
        """
        return self.batch * int(elapsed_s // self.iteration_s)

    def progress(self, elapsed_s: float) -> float:
        """Share of the bytes of the running iteration that have moved, from 0 to 1."""
        return elapsed_s % self.iteration_s / self.iteration_s


def weights_only(setup: Setup, batch: int) -> Accounting:
    """The memory-power accounting at a batch: the least sweep of the weights and nothing else.

    T(b) = b R / W_active

    Parameters: setup; batch, b >= 1, whether or not it fits.
    References: formulation, "Memory-power bound as a corollary" and "The two bounds side by side".
    """
    active = active_bytes(setup.model.always_bytes, setup.model.experts)
    iteration_s = active / setup.machine.bandwidth_bytes_per_s
    return Accounting(batch, active, 0.0, iteration_s, batch / iteration_s)


def with_reads(setup: Setup, batch: int) -> Accounting:
    """The KV-aware accounting at a batch: the sweep of that batch and every session's context.

    T(b) = b R / (W_batch(b) + b K_read)

    Parameters: setup; batch, b >= 1, whether or not it fits.
    References: formulation, "Aggregate and per-session ceilings" and "The two bounds side by side".
    """
    step = msgspec.structs.replace(decode_step(setup, None), combined=False)
    return Accounting(
        batch,
        shared_bytes(step, batch),
        step.private_bytes,
        1.0 / per_session_tokens_per_s(step, batch),
        aggregate_tokens_per_s(step, batch),
    )


class Demand(msgspec.Struct, frozen=True):
    """A workload as a point (h, r): what it holds, and the least that it moves each second."""

    held_bytes: float
    flow_bytes_per_s: float


def demand(setup: Setup, batch: int) -> Demand:
    """What `batch` sessions at the floor ask of the memory.

    h = W_resident + O + b K_alloc, r = r_star (W_batch(b) + b K_read)

    The point lies in the feasible rectangle C x R where the batch fits and clears the floor.
    Without a floor r is 0: no rate is asked.

    References: formulation, "Feasibility theorem", "Memory-fit batch", "Usable-batch correction".
    """
    gate = capacity(msgspec.structs.replace(setup, speculation=None))
    return Demand(
        setup.machine.capacity_bytes - gate.spare_bytes(batch),
        setup.workload.floor_tokens_per_s * with_reads(setup, batch).charged_bytes,
    )
