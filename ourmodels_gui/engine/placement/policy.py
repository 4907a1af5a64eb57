"""What every way of using the pools of a composition answers."""

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..capacity import Capacity, capacity
from ..result import Binding, PoolShare
from ..setup import Composition, Device, Setup
from ..step import Step, decode_step
from .link import Sends, position_s
from .together import device_count, pools_of

Values = NDArray[np.float64]
BETWEEN = "between devices"


class Limit(msgspec.Struct, frozen=True):
    """A ceiling of one session at each batch, and what sets it.

    which: of `bindings`, at each batch, found when it is asked for; the one there is where it is
    None.
    """

    bindings: tuple[Binding, ...]
    per_session_tokens_per_s: Values
    which: Callable[[], NDArray[np.intp]] | None = None

    def binding(self, place: int) -> Binding:
        """What sets the ceiling at one of the batches."""
        return self.bindings[0 if self.which is None else int(self.which()[place])]

    def resources(self) -> NDArray[np.str_]:
        """The resource that sets the ceiling at each batch."""
        named = np.array([binding.resource for binding in self.bindings])
        if self.which is None:
            return np.full(self.per_session_tokens_per_s.shape, named[0])
        resources: NDArray[np.str_] = named[self.which()]
        return resources


class Policy:
    """One way of using the pools: a gate, and ceilings of one session that never rise with b.

    name: as people are told. restricts: whether a runtime may do better by working otherwise.
    beyond: whether a batch that does not fit has a ceiling; where bytes lie depends on the batch,
    it has none.
    """

    name = ""
    restricts = False
    beyond = True

    def __init__(self, setup: Setup, step: Step | None = None) -> None:
        self.setup = setup
        self.step = step or decode_step(setup, setup.speculation)
        assert setup.composition is not None
        self.composition: Composition = setup.composition
        self.devices = device_count(self.composition)

    def gate(self) -> Capacity:
        """Room for sessions; that of all pools taken together unless a policy has less."""
        return capacity(self.setup)

    def memory_batch(self) -> int:
        """The most sessions that fit."""
        return self.gate().memory_batch

    def spare_bytes(self, batch: int) -> int:
        """What so many sessions leave free where it is tightest; negative is missing [bytes]."""
        return self.gate().spare_bytes(batch)

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        """Every resource's ceiling, the memory's first; the least of them is the policy's."""
        raise NotImplementedError

    def best_batch(self, most: int) -> int:
        """The batch in 1 .. most with the largest aggregate: the last, where that never falls."""
        return most

    def per_session(self, batch: Values) -> Values:
        """The ceiling of one session at each batch [tokens/s]."""
        least: Values = np.min(
            [limit.per_session_tokens_per_s for limit in self.limits(batch)], axis=0
        )
        return least

    def at(self, batch: int) -> float:
        """The ceiling of one session at one batch [tokens/s]."""
        return float(self.per_session(np.array([float(batch)]))[0])

    def binding(self, batch: int) -> Binding:
        """What binds at one batch."""
        return self.bound(np.array([float(batch)]))[0][1]

    def bound(self, batch: Values) -> tuple[tuple[float, Binding], ...]:
        """The ceiling of one session at each batch, and the first of what binds there."""
        limits = self.limits(batch)
        rates = np.array([limit.per_session_tokens_per_s for limit in limits])
        return tuple(
            (float(rates[least, place]), limits[least].binding(place))
            for place, least in enumerate(np.argmin(rates, axis=0))
        )

    def memory_seconds(self, batch: Values) -> Values:
        """Time of the memory in an iteration, or in a period of all groups."""
        return self.step.emitted_tokens / self.limits(batch)[0].per_session_tokens_per_s

    def groups(self, batch: int) -> int | None:
        """Groups of sessions that take turns; None where there are none."""
        return None

    def shares(self, batch: int) -> tuple[PoolShare, ...]:
        """What lies in each pool and what it moves, with so many sessions."""
        raise NotImplementedError

    def sources(self) -> tuple[Device, ...]:
        """The kinds of pools in use."""
        return pools_of(self.composition)

    def rate(self, seconds: Values) -> Values:
        """Tokens per second of one session whose iteration takes so long; no time is no limit."""
        rates = np.full(np.shape(seconds), np.inf)
        np.divide(self.step.emitted_tokens, seconds, out=rates, where=np.asarray(seconds) > 0.0)
        return rates

    def compute_seconds(self, batch: Values) -> Values | None:
        """Least time of the arithmetic, shared over all devices; None where a rate is unknown."""
        return None if self.step.compute_s is None else batch * self.step.compute_s

    def combined_seconds(self, batch: Values) -> Values | None:
        """Least time of memory and arithmetic together; None where the arithmetic is unknown."""
        arithmetic = self.compute_seconds(batch)
        return None if arithmetic is None else np.maximum(arithmetic, self.memory_seconds(batch))

    def unknown_rates(self) -> tuple[str, ...]:
        """The pools whose arithmetic is left out because their rate is not known."""
        return ()

    def compute_limits(self, batch: Values, place: str) -> tuple[Limit, ...]:
        """The compute limit where the combined ceiling is asked for and known, else none."""
        seconds = self.compute_seconds(batch)
        if self.setup.workload.decode_ceiling != "combined" or seconds is None:
            return ()
        return (Limit((Binding("compute", place),), self.rate(seconds)),)

    def link_limits(self, batch: Values, sends: Sends) -> tuple[Limit, ...]:
        """The link between the devices, where it is charged."""
        seconds = self.link_seconds(batch * (self.step.draft_tokens + 1), sends)
        if seconds is None:
            return ()
        return (Limit((Binding("link", BETWEEN),), self.rate(seconds)),)

    def link_seconds(self, positions: Values, sends: Sends) -> Values | None:
        """What the link takes for so many positions [s]; None where it is not charged."""
        shape, groups = self.composition.shape, self.setup.model.experts
        if shape is None or self.devices == 1:
            return None
        expected = self.step.routing == "expected"
        return positions * position_s(
            self.composition,
            sends,
            width=float(shape.hidden_width),
            blocks=float(shape.summed_blocks),
            layers=[float(layers) for layers in shape.expert_layers],
            per_token=[float(group.per_token) for group in groups] if expected else None,
        )
