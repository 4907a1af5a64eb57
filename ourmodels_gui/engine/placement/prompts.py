"""Prompts on equal devices that share every step: matrices divided, or experts."""

from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from ..capacity import session_bytes
from ..costs import attention_flop, layer_alloc_bytes, prefill_sweep_scale
from ..crossover import seconds_per_flop
from ..prompt_costs import Floats, PromptCosts, prompt_costs
from ..prompt_policy import PromptPolicy
from ..result import Limit
from ..setup import Setup, TypedCache
from .experts import ReplicatedAttention
from .link import Sends
from .policy import BETWEEN, Policy
from .prompt_parts import private
from .tensor import HeadSplit


class AloneCosts(PromptCosts, frozen=True, eq=False):
    """Costs that no batch takes less than.

    alone_s: of the arithmetic, however few the prompts.
    """

    closed: ClassVar[bool] = False

    alone_s: Floats | float = 0.0

    def work_s(self, batch: float | Floats) -> Floats:
        return np.maximum(super().work_s(batch), self.alone_s)

    def shared_s(self, batch: float | Floats) -> Floats:
        return np.maximum(self.memory_s(batch), self.alone_s)

    def compute_tokens_per_s(self, batch: float | Floats) -> Floats:
        return batch * self.tokens / self.work_s(batch)


class DevicePrompts(PromptPolicy):
    """Prompts under one way of using the pools of a composition, all of them taken as one.

    way: the same for decode.
    """

    def __init__(self, way: Policy) -> None:
        super().__init__(way.setup)
        self.name, self.restricts = way.name, way.restricts
        self.alike = len(way.sources()) == 1
        self.way = way

    def margin_bytes(self) -> int:
        return self.way.gate().margin_bytes

    def link_s(self, tokens: Floats, sends: Sends) -> Floats | None:
        """Time of a prompt on the link; None where it is not charged or nothing is sent."""
        seconds = self.way.link_seconds(tokens, sends)
        return seconds if seconds is None or np.any(seconds) else None

    def place(self, costs: PromptCosts, batch: int, resource: Limit) -> str:
        return BETWEEN if resource == "link" else self.way.composition.devices[0].name


class TensorPrompts(DevicePrompts):
    """Everything divided over N devices, and the link for every position.

    t = max(Q_pf / (N R), A / (N F), b L s / B_link), s of a position as in `link`

    Each side is the sum over all chunks, as on one pool, so that what one chunk waits for may be
    done during another.
    """

    def __init__(self, way: Policy, sends: Sends) -> None:
        super().__init__(way)
        self.sends: Sends = sends

    def costs(
        self,
        tokens: ArrayLike,
        chunk: int | None = None,
        prefix: int = 0,
        reserved: ArrayLike | None = None,
    ) -> PromptCosts:
        found = super().costs(tokens, chunk, prefix)
        return msgspec.structs.replace(found, link_s=self.link_s(found.tokens, self.sends))


class HeadPrompts(TensorPrompts):
    """The same with each key head on a device of its own: N / N' copies of every cache."""

    way: HeadSplit

    def fitting(self, tokens: ArrayLike) -> Floats:
        reserved = np.asarray(tokens, dtype=np.float64)
        cache, policy = self.setup.model.cache, self.setup.workload.cache_policy
        assert not isinstance(cache, TypedCache)
        more = np.zeros(reserved.shape)
        for layer, copies in zip(cache, self.way.copies(), strict=True):
            more = more + (copies - 1.0) * layer_alloc_bytes(layer, reserved, policy)
        each = session_bytes(self.setup, reserved) + np.rint(more)
        return np.floor(max(self.margin_bytes(), 0) / np.maximum(each, 1.0))

    def costs(
        self,
        tokens: ArrayLike,
        chunk: int | None = None,
        prefix: int = 0,
        reserved: ArrayLike | None = None,
    ) -> PromptCosts:
        found = super().costs(tokens, chunk, prefix)
        if found.private_bytes is None:
            return found
        own = private(self.setup, found.tokens, found.chunk, prefix)
        moved = sum(
            copies * each for copies, each in zip(self.way.copies(), own.moved_bytes, strict=True)
        )
        return msgspec.structs.replace(found, private_bytes=moved)


class ReplicatedCosts(AloneCosts, frozen=True, eq=False):
    """Experts over N devices, everything else on each of them with its share of the prompts."""

    devices: float = 1.0

    def memory_s(self, batch: float | Floats) -> Floats:
        assert self.private_bytes is not None
        chunks = np.ceil(self.tokens / self.chunk)
        always = prefill_sweep_scale(self.model) * self.model.always_bytes * chunks
        routed = (self.sweeps_bytes(batch) - always) / self.devices
        own = np.maximum(batch / self.devices, 1.0)
        moved: Floats = always + routed + own * self.private_bytes
        return moved / self.bandwidth_bytes_per_s


class ReplicatedPrompts(DevicePrompts):
    """Experts divided, everything else on every device, which serves its share of the prompts.

    t_mem = (chunks always + (W - chunks always) / N + max(b / N, 1) (rereads + writes)) / R_i
    t_comp = max(b A / (N F_i), what is not in experts of one prompt / F_i)
    """

    way: ReplicatedAttention

    def fitting(self, tokens: ArrayLike) -> Floats:
        each = session_bytes(self.setup, np.asarray(tokens, dtype=np.float64))
        held = np.floor(max(self.margin_bytes(), 0) / np.maximum(each, 1.0))
        return self.way.devices * held

    def costs(
        self,
        tokens: ArrayLike,
        chunk: int | None = None,
        prefix: int = 0,
        reserved: ArrayLike | None = None,
    ) -> PromptCosts:
        many, one = self.way.devices, on_one_device(self.setup)
        found = prompt_costs(one, tokens, chunk, prefix)
        compute_s, alone_s = None, 0.0 * found.tokens
        if found.compute_s is not None:
            compute_s = found.compute_s / many
            alone_s = _outside_experts_s(one, found.tokens, prefix)
        return extended(
            ReplicatedCosts,
            found,
            compute_s=compute_s,
            link_s=self.link_s(found.tokens, "tokens"),
            alone_s=alone_s,
            devices=float(many),
        )


def extended(kind: type[AloneCosts], found: PromptCosts, **more: Any) -> PromptCosts:
    """Costs of another kind with the same fields but for those given."""
    kept = {name: getattr(found, name) for name in PromptCosts.__struct_fields__}
    return kind(**(kept | more))


def on_one_device(setup: Setup) -> Setup:
    """The setup on one of its equal devices."""
    assert setup.composition is not None
    return msgspec.structs.replace(setup, machine=setup.composition.devices[0].machine)


def _outside_experts_s(one: Setup, tokens: Floats, prefix: int) -> Floats:
    """Arithmetic of one prompt that is not done in experts, on one device [s]."""
    model, composition = one.model, one.composition
    assert composition is not None and model.attention is not None
    attention = attention_flop(model.attention, prefix, tokens)
    seconds = attention * (seconds_per_flop(one.machine, one.attention_mode) or 0.0)
    inside = None if composition.shape is None else composition.shape.expert_parameters
    if inside is None or model.linear_active_parameters is None:
        return seconds
    outside = 2.0 * max(model.linear_active_parameters - inside, 0.0) * tokens
    return seconds + outside * (seconds_per_flop(one.machine, one.linear_mode) or 0.0)
