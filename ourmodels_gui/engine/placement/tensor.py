"""Tensor split: every matrix divided evenly over equal devices."""

import msgspec
import numpy as np

from ..capacity import Capacity, capacity
from ..costs import layer_alloc_bytes, layer_read_bytes
from ..result import Binding, PoolShare
from ..setup import Setup, TypedCache
from ..step import per_session_tokens_per_s, shared_bytes, step_bytes
from .parts import parts
from .policy import Limit, Policy, Values
from .together import shape_of


class TensorSplit(Policy):
    """Weights and cache divided over all N devices: the ceiling over every tensor split.

    W_res / N + O_i + b K_alloc / N <= C_i
    t = max((W_batch(n) / N + b K_read / N) / R_i, all-reduces / B_link)

    In memory this is one pool of N C_i and N R_i, exactly.
    """

    name = "tensor split, cache divided over all devices"

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        step = msgspec.structs.replace(self.step, combined=False)
        memory = Limit(
            (Binding("memory", self.composition.devices[0].name),),
            per_session_tokens_per_s(step, batch),
        )
        return (
            memory,
            *self.compute_limits(batch, self.composition.devices[0].name),
            *self.link_limits(batch, "tensor"),
        )

    def shares(self, batch: int) -> tuple[PoolShare, ...]:
        many = np.array([float(batch)])
        lying = parts(self.setup, self.step, many)
        moved = float(step_bytes(self.step, many)[0])
        return (one_share(self, lying.classes, lying.held_bytes[:, 0], moved),)


def one_share(policy: Policy, classes: tuple[str, ...], held: Values, moved: float) -> PoolShare:
    """All of the bytes, over devices of one kind that work at the same time."""
    device = policy.composition.devices[0]
    by_class: dict[str, float] = {}
    for name, size in zip(classes, held, strict=True):
        by_class[name] = by_class.get(name, 0.0) + float(size)
    return PoolShare(
        name=device.name,
        capacity_bytes=device.count * device.machine.capacity_bytes,
        overhead_bytes=device.count * device.overhead_bytes,
        held_bytes=by_class,
        traffic_bytes=moved,
        time_s=moved / policy.setup.machine.bandwidth_bytes_per_s,
    )


class HeadSplit(TensorSplit):
    """The same with each key head on a device of its own: what runtimes commonly do.

    Each cache lies on N' = min(N, N_kv) parts, once for latents, so that every device holds and
    reads K / N': a policy ceiling.
    """

    name = "tensor split, cache divided by heads"
    restricts = True

    def gate(self) -> Capacity:
        held = capacity(self.setup)
        more = self._more(held=True)
        return Capacity(held.margin_bytes, held.session_bytes + round(more))

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        memory, *others = super().limits(batch)
        private = self.step.private_bytes + self._more(held=False)
        moved = shared_bytes(self.step, batch) + batch * private
        seconds = moved / self.setup.machine.bandwidth_bytes_per_s
        return (Limit(memory.bindings, self.rate(seconds)), *others)

    def _more(self, held: bool) -> float:
        """What copies of a session's cache add over all devices, (N / N' - 1) K [bytes]."""
        workload, cache = self.setup.workload, self.setup.model.cache
        assert not isinstance(cache, TypedCache)
        more = 0.0
        for layer, copies in zip(cache, self.copies(), strict=True):
            if held:
                size = layer_alloc_bytes(
                    layer, workload.reserved_context_tokens, workload.cache_policy
                )
            else:
                size = layer_read_bytes(layer, workload.read_context_tokens)
            more += float(size) * (copies - 1.0)
        return more

    def copies(self) -> tuple[float, ...]:
        """How often each cache of the model lies somewhere, N / N'."""
        shape = self.composition.shape
        assert shape is not None
        return tuple(
            self.devices / (min(self.devices, heads) if heads else self.devices)
            for heads in shape.key_heads
        )


def heads_known(setup: Setup) -> bool:
    """Whether the caches of a model can be divided by heads: their heads are known."""
    shape, cache = shape_of(setup), setup.model.cache
    if shape is None or isinstance(cache, TypedCache):
        return False
    return len(shape.key_heads) == len(cache)
