"""What every way of serving prompts answers; the base is one pool of memory."""

import numpy as np
from numpy.typing import ArrayLike

from .admissible import best_batch
from .capacity import fitting_batch, resident_margin_bytes
from .crossover import missing_for_compute
from .prompt_costs import Floats, PromptCosts, missing_for_memory, prompt_costs
from .result import Binding, Limit
from .setup import Machine, Setup


class PromptPolicy:
    """One pool: its gate, and what prompts cost.

    name: as people are told. restricts: whether a runtime may do better by working otherwise.
    beyond: whether a batch that does not fit has a time as well. spreads: whether its arithmetic
    rests on experts spread evenly. alike: whether one kind of device does everything.
    """

    name = ""
    restricts = False
    beyond = True
    spreads = False
    alike = True

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @property
    def working(self) -> Machine:
        """All that computes, taken as one: the loose end of the arithmetic."""
        return self.setup.machine

    def margin_bytes(self) -> int:
        """What weights and overhead leave for prompts; negative when the model does not fit."""
        return resident_margin_bytes(self.setup)

    def fitting(self, tokens: ArrayLike) -> Floats:
        """The most prompts that fit when each reserves so many tokens."""
        return fitting_batch(self.setup, np.asarray(tokens, dtype=np.float64))

    def reserved(self, tokens: ArrayLike, prefix: int = 0) -> Floats:
        """What prompts behind a prefix reserve [tokens]: no less than they fill, as caches grow."""
        held = np.asarray(tokens, dtype=np.float64) + prefix
        prompt = self.setup.prompt
        if prompt is not None and prompt.cache_growth == "on_demand":
            return held
        return np.maximum(held, self.setup.workload.reserved_context_tokens)

    def costs(
        self,
        tokens: ArrayLike,
        chunk: int | None = None,
        prefix: int = 0,
        reserved: ArrayLike | None = None,
    ) -> PromptCosts:
        """Costs of prompts of `tokens` tokens; see `prompt_costs`.

        reserved: tokens that each reserves, which says what lies where in unlike pools; as the
        method of that name unless given.
        """
        return prompt_costs(self.setup, tokens, chunk, prefix)

    def best(self, costs: PromptCosts, largest: Floats) -> Floats:
        """The batch with the highest ceiling up to the largest admitted, the smallest of equals."""
        return best_batch(costs, largest)

    def nearly_best(self, costs: PromptCosts, largest: Floats) -> Floats:
        """A batch whose ceiling is within a thousandth of the highest."""
        return largest

    def missing_for_memory(self, several_chunks: bool) -> tuple[str, ...]:
        """What the memory side lacks, in words."""
        return missing_for_memory(self.setup, several_chunks)

    def missing_for_compute(self) -> tuple[str, ...]:
        """What the compute side lacks, in words."""
        return missing_for_compute(self.setup)

    def binding(self, costs: PromptCosts, batch: int) -> Binding:
        """What a batch waits for, where both sides are known."""
        sides: list[tuple[float, Limit]] = [
            (float(costs.work_s(batch)), "compute"),
            (float(costs.memory_s(batch)), "memory"),
            (0.0 if costs.link_s is None else float(batch * costs.link_s), "link"),
        ]
        resource = max(sides, key=lambda side: side[0])[1]
        return Binding(resource, self.place(costs, batch, resource))

    def place(self, costs: PromptCosts, batch: int, resource: Limit) -> str:
        """Where a resource binds; "" where there is one pool."""
        return ""
