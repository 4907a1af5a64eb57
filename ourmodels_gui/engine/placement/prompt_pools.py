"""Prompts over pools of unlike speed: a device and its host, or layers on unlike devices."""

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from ..capacity import session_bytes
from ..costs import attention_flop, cache_alloc_bytes
from ..crossover import missing_modes, seconds_per_flop
from ..prompt_costs import Floats, PromptCosts, prompt_costs
from ..prompt_range import NEAR
from ..result import Binding, Limit
from ..setup import Device, Machine
from ..speculation import ROUNDING
from .balance import most_traffic
from .parts import parts
from .pools import PoolPolicy
from .prompt_memory import PromptMemory, busiest, groups_of, least_s, slowest_chunk
from .prompt_parts import work_parts
from .prompts import AloneCosts, DevicePrompts, extended
from .together import together

FEW, MANY = 16, 128
"""Batches that are tried at once between two, at each of many lengths or at few."""


class PooledCosts(AloneCosts, frozen=True, eq=False):
    """Costs whose bytes lie in pools of unlike speed, anew for every batch and length."""

    memory: PromptMemory | None = None

    def memory_s(self, batch: float | Floats) -> Floats:
        assert self.memory is not None
        return self.memory.at(batch) if isinstance(batch, int) else self.memory.seconds(batch)


class PoolPrompts(DevicePrompts):
    """The least time over every fractional placement, one for all the chunks of a prompt.

    Each side takes the placement that suits it best, so that the greater is below every placement.

    Memory, of the traffic T_i of all chunks in pool i: sum T_i / R_i in turn; the greatest
    T_i / (m R_i) at once, or streamed with the host at min(R_2, B_link). Through unlike devices in
    layers, as in `LayerPrompts`: the greatest of T_i / (m R_i), sum T_i / (G R_i), the passage of
    one chunk, and 1 / G of that of G equal shares.

    Arithmetic is done where the weights lie: the same with FLOPs over F_i, of which a pool does no
    more than those of the weights that it has room for. Streamed, the host does none.
    """

    way: PoolPolicy
    beyond = False

    def __init__(self, way: PoolPolicy) -> None:
        super().__init__(way)
        # Another way may compute elsewhere what lies in the host.
        self.restricts = way.restricts or way.composition.host is not None
        self.spreads = way.mode != "streamed"
        self.whole_layers = way.composition.host is None
        host = None if way.mode != "streamed" else way.composition.host
        self.doing: tuple[Device, ...] = tuple(
            pool.source for pool in way.pools if pool.source is not host
        )

    @property
    def working(self) -> Machine:
        return together(self.doing)

    def missing_for_compute(self) -> tuple[str, ...]:
        model, modes = self.setup.model, self.setup.linear_mode | self.setup.attention_mode
        parts_of_model = {
            "the active linear parameters": model.linear_active_parameters,
            "the attention layers": model.attention,
        }
        missing = [name for name, part in parts_of_model.items() if part is None]
        for device in self.doing:
            lacks = missing_modes(device.machine, modes)
            missing += [f"the rate of {device.name} in {mode}" for mode in lacks]
        return tuple(missing)

    def fitting(self, tokens: ArrayLike) -> Floats:
        most, fixed = super().fitting(tokens), self.way.pinned
        if not fixed:
            return most
        reserved = np.asarray(tokens, dtype=np.float64)
        policy = self.setup.workload.cache_policy
        own = cache_alloc_bytes(self.setup.model.cache, reserved, policy)
        drafts = session_bytes(self.setup, reserved) - np.rint(own)
        empty = parts(self.setup, self.way.step, np.zeros(1))
        for pool, on_devices in zip(self.way.pools, (True, False), strict=True):
            shares = {name: share if on_devices else 1.0 - share for name, share in fixed.items()}
            kept = sum(
                shares.get(name, 0.0) * size
                for name, size in zip(empty.classes, empty.held_bytes[:, 0], strict=True)
            )
            each = np.rint(shares.get("cache", 0.0) * own + shares.get("draft", 0.0) * drafts)
            room = max(round(pool.room_bytes) - round(kept), 0)
            most = np.where(each > 0.0, np.minimum(most, room // np.maximum(each, 1.0)), most)
        return most

    def costs(
        self,
        tokens: ArrayLike,
        chunk: int | None = None,
        prefix: int = 0,
        reserved: ArrayLike | None = None,
    ) -> PromptCosts:
        doing = msgspec.structs.replace(self.setup, machine=self.working)
        found = prompt_costs(doing, tokens, chunk, prefix)
        if reserved is None:
            reserved = self.reserved(found.tokens, prefix)
        compute_s, alone_s, memory = None, 0.0 * found.tokens, None
        if found.compute_s is not None:
            compute_s = self._worked_s(found.tokens, prefix, groups_of(self.way))
            if chunk is not None and self.way.mode == "groups":
                alone_s = slowest_chunk(
                    found, prefix, lambda start, width: self._worked_s(width, start, None)
                )
        if found.private_bytes is not None:
            kept = np.asarray(reserved, dtype=np.float64)
            memory = PromptMemory(self.way, found, kept, prefix, chunk is not None)
        split = self.way.composition.split
        return extended(
            PooledCosts,
            found,
            compute_s=compute_s,
            link_s=None if split == "layers" else self.link_s(found.tokens, split),
            alone_s=alone_s,
            memory=memory,
        )

    def _worked_s(self, tokens: Floats, prefix: ArrayLike, groups: float | None) -> Floats:
        """The arithmetic of one prompt, or with groups None of one chunk that passes alone [s]."""
        most, one_s, all_s = self._work(tokens, prefix)
        return least_s(self.way.mode, most, one_s, all_s, groups).reshape(tokens.shape)

    def _work(self, tokens: Floats, prefix: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """F of the arithmetic of one prompt, and what a FLOP takes in one device and all of a pool.

        A FLOP of attention counts as many of the linear path as it takes where it takes the fewest.
        """
        linear, attention = (
            np.array([seconds_per_flop(device.machine, mode) for device in self.doing])
            for mode in (self.setup.linear_mode, self.setup.attention_mode)
        )
        all_s = linear / np.array([device.count for device in self.doing])
        one_s = linear if self.way.composition.split == "layers" else all_s
        model = self.setup.model
        assert model.linear_active_parameters is not None and model.attention is not None
        attended = np.ravel(attention_flop(model.attention, prefix, tokens))
        most = np.outer(self._shares[:, 0], 2.0 * model.linear_active_parameters * tokens)
        most += np.outer(self._shares[:, 1], attended * np.min(attention / linear))
        return most, one_s, all_s

    @cached_property
    def _shares(self) -> Floats:
        """The most of the linear path and of attention that each set of pools can do."""
        rooms, fixed = self.way.rooms_bytes, self.way.pinned
        if len(self.doing) < len(rooms):
            # What is streamed to the devices is computed there, wherever it lies.
            rooms, fixed = np.full(len(self.doing), self.setup.model.resident_bytes), {}
        return most_traffic(work_parts(self.setup, self.whole_layers), rooms, fixed)

    def best(self, costs: PromptCosts, largest: Floats) -> Floats:
        """Looked for on ever finer ladders: more prompts may push weights into a slower pool."""
        return _highest(costs, largest, MANY, np.inf)

    def nearly_best(self, costs: PromptCosts, largest: Floats) -> Floats:
        assert costs.each_s is not None
        return _highest(costs, largest, FEW, (1.0 - NEAR) / costs.each_s)

    def binding(self, costs: PromptCosts, batch: int) -> Binding:
        found = super().binding(costs, batch)
        if found.resource != "memory":
            return found
        assert isinstance(costs, PooledCosts) and costs.memory is not None
        pool = self.way.pools[costs.memory.busiest(batch)]
        return Binding("link" if pool.link else "memory", pool.name)

    def place(self, costs: PromptCosts, batch: int, resource: Limit) -> str:
        if resource != "compute":
            return super().place(costs, batch, resource)
        prompt = self.setup.prompt
        most, one_s, all_s = self._work(costs.tokens, prompt.cached_prefix_tokens if prompt else 0)
        assert costs.compute_s is not None
        return self.doing[busiest(self.way.mode, most, one_s, all_s, float(costs.compute_s))].name


def _highest(
    costs: PromptCosts, largest: Floats, rungs: int, enough_per_s: Floats | float
) -> Floats:
    """The smallest batch with the most prompts per second, or one with enough of them."""
    if costs.private_bytes is None:
        return largest
    low, high = np.ones(np.shape(largest)), np.maximum(largest, 1.0)
    steps = np.linspace(0.0, 1.0, rungs).reshape(-1, *(1,) * np.ndim(largest))
    while True:
        tried = np.rint(low * (high / low) ** steps)
        rates = tried / costs.time_s(tried)
        most = rates.max(axis=0)
        place = np.argmax(rates >= most * (1.0 - ROUNDING), axis=0)[np.newaxis]
        best = np.take_along_axis(tried, place, axis=0)[0]
        below = np.where(tried < best, tried, low).max(axis=0)
        above = np.where(tried > best, tried, high).min(axis=0)
        found = (above - below <= 2.0) | ((below == low) & (above == high))
        if np.all(found | (most >= enough_per_s)):
            return np.minimum(best, largest)
        low, high = below, above
