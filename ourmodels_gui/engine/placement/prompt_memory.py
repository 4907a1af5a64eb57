"""The least memory time of prompts whose bytes lie in pools of unlike speed."""

from collections.abc import Callable

import numpy as np

from ..prompt_costs import Floats, PromptCosts
from ..speculation import ROUNDING
from .balance import divided, least_at_once, least_in_turn, least_of_groups, most_traffic
from .pool import Mode
from .pools import PoolPolicy
from .prompt_layers import last_chunks
from .prompt_parts import Cuts, Private, private, private_of_chunk, prompt_parts


def groups_of(way: PoolPolicy) -> float:
    """G, the pieces of prompts that are on their way at once in a split by layers."""
    return float(min(way.asked or way.devices, way.devices))


def least_s(
    mode: Mode, most: Floats, one_s: Floats, all_s: Floats, groups: float | None = None
) -> Floats:
    """The least time of bytes or FLOPs that divide over pools as `balance` says, at each column.

    Parameters: mode; most, F; one_s, all_s, seconds for each in one device of a pool and in all of
    them; groups, G of a split by layers, None for one piece that passes alone.
    """
    if mode == "sequential" or (mode == "groups" and groups is None):
        return least_in_turn(most, one_s)
    if mode == "groups":
        assert groups is not None
        return least_of_groups(most, one_s / groups, np.outer(all_s, np.ones(most.shape[1])))
    return least_at_once(most, all_s)


def busiest(mode: Mode, most: Floats, one_s: Floats, all_s: Floats, seconds: float) -> int:
    """The pool that works the longest within so many seconds; of those busy alike the first.

    Parameters: as above, of one column.
    """
    limits, each_s = None, one_s
    if mode != "sequential":
        limits, each_s = seconds / all_s[:, np.newaxis], all_s
    busy = divided(most, one_s, limits)[:, 0] * each_s
    return int(np.argmax(busy >= busy.max() * (1.0 - ROUNDING)))


def slowest_chunk(
    found: PromptCosts, prefix: int, seconds: Callable[[Floats, Floats], Floats]
) -> Floats:
    """The longest of a prompt's last chunks; seconds, of a chunk's start and width [s]."""
    start, width = (np.stack(each) for each in zip(*last_chunks(found, prefix), strict=True))
    passed = np.where(width > 0.0, seconds(start, np.maximum(width, 1.0)), 0.0)
    longest: Floats = np.max(passed, axis=0)
    return longest


class PromptMemory:
    """Prompts of some lengths over the pools of a policy.

    Parameters: way; found, whose lengths and chunks count; reserved_tokens by each prompt; prefix;
    cut, whether the chunk width is given.
    """

    def __init__(
        self,
        way: PoolPolicy,
        found: PromptCosts,
        reserved_tokens: Floats,
        prefix: int,
        cut: bool,
    ) -> None:
        self.way, self.found, self.reserved = way, found, reserved_tokens
        self.groups = groups_of(way)
        self.layers = way.composition.host is None
        self.own = self.shot = private(way.setup, found.tokens, found.chunk, prefix)
        self.passage_s: Floats | float = 0.0
        self._known: dict[int, Floats] = {}
        if cut and way.mode == "groups":
            self.shot = private(way.setup, found.tokens, found.tokens, prefix)
            self.passage_s = slowest_chunk(found, prefix, self._passage_s)

    def at(self, batch: int) -> Floats:
        """The least time at one batch, which several figures rest on [s]."""
        if batch not in self._known:
            self._known[batch] = self.seconds(batch)
        return self._known[batch]

    def seconds(self, batch: float | Floats) -> Floats:
        """The least time at each batch, or each batch and length [s]."""
        way, tokens = self.way, self.found.tokens
        many = np.asarray(batch, dtype=np.float64)
        most, shape = self.most(many)
        seconds = least_s(way.mode, most, way.one_s, way.all_s, self.groups).reshape(shape)
        if way.mode != "groups":
            return seconds
        share = ((np.asarray(self.groups), many * tokens / self.groups),)
        passing, _ = self._most(many, share, self.shot)
        share_s = least_in_turn(passing, way.one_s).reshape(shape) / self.groups
        return np.maximum(np.maximum(seconds, share_s), self.passage_s)

    def busiest(self, batch: int) -> int:
        """The pool that works the longest at one batch of one length."""
        way = self.way
        most, _ = self.most(np.asarray(float(batch)))
        return busiest(way.mode, most, way.one_s, way.all_s, float(self.at(batch)))

    def most(self, batch: Floats) -> tuple[Floats, tuple[int, ...]]:
        """F of all chunks, sets by columns, and the shape that the columns have."""
        tokens, width = self.found.tokens, self.found.chunk
        whole = np.floor(tokens / width)
        rest = tokens - whole * width
        sweeps: Cuts = ((whole, batch * width),)
        if np.any(rest > 0.0):
            sweeps = (*sweeps, (np.sign(rest), batch * rest))
        return self._most(batch, sweeps, self.own)

    def _most(self, batch: Floats, sweeps: Cuts, own: Private) -> tuple[Floats, tuple[int, ...]]:
        """F of some sweeps, which every way of using the same pools asks for."""
        shape = np.broadcast_shapes(batch.shape, own.held_tokens.shape, self.reserved.shape)
        rooms = self.way.rooms_bytes
        many = (value for sweep in sweeps for value in sweep)
        most = self.way.filling.prompts.of(
            lambda: self._filled(shape, batch, sweeps, own),
            *(rooms, batch, self.reserved, *many, own.held_tokens, *own.moved_bytes),
        )
        return most, shape

    def _filled(self, shape: tuple[int, ...], batch: Floats, sweeps: Cuts, own: Private) -> Floats:
        def flat(values: Floats) -> Floats:
            return np.broadcast_to(values, shape).ravel()

        lying = prompt_parts(
            self.way.setup,
            (flat(batch), flat(self.reserved)),
            tuple((flat(times), flat(positions)) for times, positions in sweeps),
            Private(flat(own.held_tokens), tuple(flat(moved) for moved in own.moved_bytes)),
            self.layers,
        )
        rooms = self.way.rooms_bytes
        return most_traffic(lying, rooms, self.way.pinned)

    def _passage_s(self, start: Floats, width: Floats) -> Floats:
        """One chunk of one prompt through all devices [s]."""
        one = np.ones(())
        own = private_of_chunk(self.way.setup, start, width)
        most, shape = self._most(one, ((one, width),), own)
        return least_in_turn(most, self.way.one_s).reshape(shape)
