"""Prompts through equal devices one after another, each with its share of the layers."""

import numpy as np
from numpy.typing import ArrayLike

from ..costs import attention_flop, prefill_sweep_scale
from ..crossover import seconds_per_flop
from ..prompt_costs import Floats, PromptCosts, prompt_costs
from ..setup import Setup
from .layers import EqualLayers
from .prompt_parts import private_of_chunk
from .prompts import AloneCosts, DevicePrompts, extended, on_one_device


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
