"""Prompts on equal devices: every matrix divided, experts divided, or layers one after another."""

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
from .layers import EqualLayers
from .policy import BETWEEN, Policy, Sends
from .prompt_parts import private, private_of_chunk
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

    def compute_tokens_per_s(self, batch: float | Floats = 1.0) -> Floats:
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
        return msgspec.structs.replace(
            found, link_s=self.way.link_seconds(found.tokens, self.sends)
        )


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
            link_s=self.way.link_seconds(found.tokens, "tokens"),
            alone_s=alone_s,
            devices=float(many),
        )


class LayeredCosts(AloneCosts, frozen=True, eq=False):
    """Prompts that pass through devices with an even share of the layers each.

    groups: G. cut: whether the chunk width is given. shot_bytes: rereads and writes of a prompt in
    one chunk. chunk_s: what the slowest chunk of one prompt takes to pass, 0 where the width is
    free.
    """

    groups: float = 1.0
    cut: bool = False
    shot_bytes: Floats | float = 0.0
    chunk_s: Floats | float = 0.0

    def width(self, batch: int) -> int:
        if self.cut:
            return int(self.chunk)
        return int(np.ceil(self.tokens * min(batch / self.groups, 1.0)))

    def memory_s(self, batch: float | Floats) -> Floats:
        sweep = self.sweep_bytes(batch * (self.tokens / self.groups))
        moved = prefill_sweep_scale(self.model) * (self.groups * sweep) + batch * self.shot_bytes
        least: Floats = moved / self.bandwidth_bytes_per_s
        if not self.cut:
            return least
        return np.maximum(np.maximum(least, super().memory_s(batch)), self.chunk_s)


class LayerPrompts(DevicePrompts):
    """Pieces of prompts that pass through N equal devices one after another, G of them at a time.

    A piece is a chunk of one prompt or of several. It needs every device in turn for its share of
    the layers, a device works on one piece at a time, and what it reads for one piece it does not
    keep for the next. So with any pieces

    - all work is shared by at most G devices that are busy at a time: t >= sum / G;
    - t >= the passage of the longest piece, on one device after another.

    Of n = b L positions with sweeps W, K rereads and w writes of one prompt, on one device (R_i,
    F_i):

    - Cut into chunks of c: t >= Q_pf(b, c) / (G R_i), and the passage of one chunk of one prompt.
    - However they are cut: t >= (W(n / G) + b (K(l) + w) / G) / R_i. Where no piece has more than
      n / G positions, the sum has at least G such sweeps, because W(x) / x falls; where one has
      more, its passage is longer, as every chunk reads back the prefix at least.
    - Arithmetic: t >= A / (G F_i), and the passage of one chunk of one prompt.

    The greatest is below every schedule, of one batch or of batches without a break: the devices'
    filling and emptying is left out. G = 1, or one prompt in one chunk, takes one device's time.
    """

    way: EqualLayers

    def costs(
        self,
        tokens: ArrayLike,
        chunk: int | None = None,
        prefix: int = 0,
        reserved: ArrayLike | None = None,
    ) -> PromptCosts:
        one = on_one_device(self.setup)
        groups = float(min(self.way.asked or self.way.devices, self.way.devices))
        found = prompt_costs(one, tokens, chunk, prefix)
        shot = found if chunk is None else prompt_costs(one, tokens, None, prefix)
        chunk_s, alone_s = 0.0 * found.tokens, 0.0 * found.tokens
        if chunk is not None:
            chunk_s, alone_s = _slowest_chunk(one, found, prefix)
        return extended(
            LayeredCosts,
            found,
            bandwidth_bytes_per_s=groups * found.bandwidth_bytes_per_s,
            compute_s=None if found.compute_s is None else found.compute_s / groups,
            alone_s=alone_s,
            groups=groups,
            cut=chunk is not None,
            shot_bytes=0.0 if shot.private_bytes is None else shot.private_bytes,
            chunk_s=chunk_s,
        )


def extended(kind: type[AloneCosts], found: PromptCosts, **more: Any) -> PromptCosts:
    """Costs of another kind with the same fields but for those given."""
    kept = {name: getattr(found, name) for name in PromptCosts.__struct_fields__}
    return kind(**(kept | more))


def on_one_device(setup: Setup) -> Setup:
    """The setup on one of its equal devices."""
    assert setup.composition is not None
    return msgspec.structs.replace(setup, machine=setup.composition.devices[0].machine)


def last_chunks(found: PromptCosts, prefix: int) -> tuple[tuple[Floats, Floats], ...]:
    """Start and width of the last whole chunk of a prompt and of the shorter one behind it.

    One of them takes the longest to pass: chunks of one width read back ever more.
    """
    whole = np.floor(found.tokens / found.chunk)
    rest = found.tokens - whole * found.chunk
    return (
        (prefix + (whole - 1.0) * found.chunk, found.chunk),
        (prefix + whole * found.chunk, rest),
    )


def _slowest_chunk(one: Setup, found: PromptCosts, prefix: int) -> tuple[Floats, Floats]:
    """What the slowest chunk of one prompt takes on one device: its memory, its arithmetic [s]."""
    model = found.model
    memory_s, compute_s = 0.0 * found.tokens, 0.0 * found.tokens
    for start, width in last_chunks(found, prefix):
        if found.private_bytes is not None:
            own = sum(private_of_chunk(one, start, width).moved_bytes)
            moved = prefill_sweep_scale(model) * found.sweep_bytes(width) + own
            passed = np.where(width > 0, moved / found.bandwidth_bytes_per_s, 0.0)
            memory_s = np.maximum(memory_s, passed)
        if found.compute_s is not None:
            assert model.linear_active_parameters is not None and model.attention is not None
            linear = 2.0 * model.linear_active_parameters * width
            worked = linear * (seconds_per_flop(one.machine, one.linear_mode) or 0.0) + (
                attention_flop(model.attention, start, width)
                * (seconds_per_flop(one.machine, one.attention_mode) or 0.0)
            )
            compute_s = np.maximum(compute_s, worked)
    return memory_s, compute_s


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
