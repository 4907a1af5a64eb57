"""The times of a prefill setting: prompts of a length, cut into chunks, in a batch."""

from functools import reduce
from typing import ClassVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from .chunks import reread_bytes
from .costs import (
    attention_flop,
    cache_read_bytes,
    full_sweep_bytes,
    prefill_sweep_scale,
    sweep_bytes,
)
from .crossover import missing_for_compute, seconds_per_flop
from .setup import ModelCosts, Routing, Setup, TypedCache

Floats = NDArray[np.float64]


def missing_for_memory(setup: Setup, several_chunks: bool) -> tuple[str, ...]:
    """What the memory side of a prompt lacks, in words; empty when it is known."""
    missing = []
    if setup.model.cache_write_bytes_per_token is None:
        missing.append("the bytes of cache written per token")
    if several_chunks and isinstance(setup.model.cache, TypedCache):
        missing.append("the cache read at the start of each chunk (the cache is typed as totals)")
    return tuple(missing)


class PromptCosts(msgspec.Struct, frozen=True, eq=False):
    """What prompts of `tokens` tokens cost in chunks of `chunk`; numbers or arrays of one shape.

    private_bytes: reread and written by each prompt; None when unknown.
    flop, compute_s: arithmetic of each prompt and its time; None when a part is unknown.
    link_s: time of each prompt on a link between devices; None where none is charged.
    closed: whether `memory_s` is the sum below, so that batches can be bracketed from its terms.
    """

    closed: ClassVar[bool] = True

    model: ModelCosts
    routing: Routing
    bandwidth_bytes_per_s: float
    tokens: Floats
    chunk: Floats
    private_bytes: Floats | None
    flop: Floats | None
    compute_s: Floats | None
    link_s: Floats | None = None

    @property
    def each_s(self) -> Floats | None:
        """Time of each prompt on what no batch shares; None where the arithmetic is unknown [s]."""
        if self.compute_s is None or self.link_s is None:
            return self.compute_s
        return np.maximum(self.compute_s, self.link_s)

    def work_s(self, batch: float | Floats) -> Floats:
        """Time of the arithmetic [s]."""
        assert self.compute_s is not None
        return batch * self.compute_s

    def shared_s(self, batch: float | Floats) -> Floats:
        """Time on what a larger batch shares, so that its part of each prompt falls [s]."""
        return self.memory_s(batch)

    def width(self, batch: int) -> int:
        """The chunk width in use [tokens]."""
        return int(self.chunk)

    def sweeps_bytes(self, batch: float | Floats) -> Floats:
        """Weight traffic of `batch` prompts, one sweep for each chunk at the chunk's own width."""
        whole = np.floor(self.tokens / self.chunk)
        rest = self.tokens - whole * self.chunk
        total = whole * self.sweep_bytes(batch * self.chunk)
        if np.any(rest > 0):
            total = total + np.where(rest > 0, self.sweep_bytes(batch * rest), 0.0)
        return prefill_sweep_scale(self.model) * total

    def sweep_bytes(self, positions: Floats) -> Floats:
        return sweep_bytes(self.model.always_bytes, self.model.experts, positions, self.routing)

    def most_sweeps_bytes(self) -> Floats:
        """The same when every chunk touches every expert: no batch sweeps more."""
        full = prefill_sweep_scale(self.model) * full_sweep_bytes(self.model)
        return full * np.ceil(self.tokens / self.chunk)

    def memory_bytes(self, batch: float | Floats) -> Floats:
        """Q_pf: sweeps + b (rereads + kappa L) [bytes]."""
        assert self.private_bytes is not None
        return self.sweeps_bytes(batch) + batch * self.private_bytes

    def memory_s(self, batch: float | Floats) -> Floats:
        """Q_pf / R [s]."""
        return self.memory_bytes(batch) / self.bandwidth_bytes_per_s

    def time_s(self, batch: float | Floats) -> Floats:
        """t_pf,min(b, c): the longest of the known sides [s]."""
        return self.longest_s(batch, None if self.private_bytes is None else self.shared_s(batch))

    def longest_s(self, batch: float | Floats, shared_s: Floats | None) -> Floats:
        """The same where `shared_s` of the batch is known already [s]."""
        sides = [] if shared_s is None else [shared_s]
        if self.compute_s is not None:
            sides.append(self.work_s(batch))
        if self.link_s is not None:
            sides.append(batch * self.link_s)
        return reduce(np.maximum, sides)

    def memory_tokens_per_s(self, batch: float | Floats) -> Floats:
        """R / q_pf."""
        return batch * self.tokens / self.memory_s(batch)

    def compute_tokens_per_s(self, batch: float | Floats) -> Floats:
        """F / a_pf, on one pool the same at every batch."""
        assert self.compute_s is not None
        return self.tokens / self.compute_s


def prompt_costs(
    setup: Setup, tokens: ArrayLike, chunk: int | None = None, prefix: int = 0
) -> PromptCosts:
    """Costs of prompts of `tokens` tokens behind a cached prefix, one shot when `chunk` is None.

    Parameters: tokens, L [tokens]; chunk, c [tokens]; prefix, l [tokens].
    References: formulation, "Calculator procedure".
    """
    model = setup.model
    tokens = np.asarray(tokens, dtype=np.float64)
    width = tokens if chunk is None else np.minimum(tokens, chunk)
    private: Floats | None = None
    several = chunk is not None and bool(np.any(tokens > chunk))
    if not missing_for_memory(setup, several):
        assert model.cache_write_bytes_per_token is not None
        private = model.cache_write_bytes_per_token * tokens
        if several and isinstance(model.cache, tuple):
            private = private + reread_bytes(model.cache, prefix, width, np.ceil(tokens / width))
        elif prefix:
            private = private + cache_read_bytes(model.cache, prefix)
    flop: Floats | None = None
    compute: Floats | None = None
    if not missing_for_compute(setup):
        assert model.linear_active_parameters is not None and model.attention is not None
        linear = 2.0 * model.linear_active_parameters * tokens
        attention = attention_flop(model.attention, prefix, tokens)
        flop = linear + attention
        compute = linear * (seconds_per_flop(setup.machine, setup.linear_mode) or 0.0) + (
            attention * (seconds_per_flop(setup.machine, setup.attention_mode) or 0.0)
        )
    return PromptCosts(
        model,
        setup.workload.routing,
        setup.machine.bandwidth_bytes_per_s,
        tokens,
        width,
        private,
        flop,
        compute,
    )
