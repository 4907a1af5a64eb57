"""What a sweep asks of a way of using pools, for many pairs at once."""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..setup import Composition
from ..speculation import ROUNDING
from .sweep_models import ModelColumns
from .sweep_search import UNSURE, last_of_each
from .together import capacity_bytes, overhead_bytes, pools_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]


class Ways:
    """Pairs of compositions that use their pools in one way with models, row by row.

    The counterpart of `Policy`. Figures are by pair: every model with the first composition, then
    with the second, ..

    holds_any: whether a batch that does not fit has a rate.
    """

    holds_any = True

    def __init__(self, compositions: Sequence[Composition], models: ModelColumns) -> None:
        self.compositions = compositions
        self.columns = models.resident_bytes.size
        self.models = models.of(np.tile(np.arange(self.columns), len(compositions)))
        free = [
            round(capacity_bytes(pools_of(composition))) - round(overhead_bytes(composition))
            for composition in compositions
        ]
        self.margin_bytes = self.by_pair(free) - np.rint(self.models.resident_bytes)

    def by_pair(self, figures: Sequence[float]) -> Floats:
        """Figures by composition -> by pair."""
        return np.repeat(np.array(figures, dtype=np.float64), self.columns)

    def resident_margin_bytes(self) -> Floats:
        return self.margin_bytes

    def memory_batch(self) -> Floats:
        """The most sessions that fit; 0 where the model does not fit."""
        return np.maximum(np.floor(self.margin_bytes / self.models.session_bytes), 0.0)

    def spare_bytes(self, batch: Floats) -> Floats:
        return self.margin_bytes - batch * self.models.session_bytes

    def per_session(self, batch: Floats) -> Floats:
        """The ceiling of one session at a batch of each pair, or at several rows [tokens/s].

        Parameters: batch, each at least 1.
        """
        raise NotImplementedError

    def ceiling(self, batch: Floats) -> Floats:
        """The same at a batch of each pair, to the last bit what `Policy` says."""
        return self.per_session(batch)

    def binding(self, batch: Floats) -> NDArray[np.intp]:
        """What binds at a batch of each pair, as a place in `sweep_kinds.bindings`."""
        raise NotImplementedError

    def best_batch(self, memory: Floats, floor: float) -> tuple[Floats, Mask]:
        """The batch of 1 .. memory with the largest aggregate of those that clear the floor.

        0 where none does. Returns it, and where that is not sure.
        """
        usable = last_clearing(self.per_session, floor, memory)
        return usable, np.zeros(usable.shape, dtype=np.bool_)

    def best_rate(self, memory: Floats, floor: float) -> tuple[Floats, Floats, Mask]:
        """The same with the ceiling of one session at the best batch in between."""
        best, unsure = self.best_batch(memory, floor)
        return best, self.ceiling(np.maximum(best, 1.0)), unsure


def last_clearing(rates: Callable[[Floats], Floats], floor: float, memory: Floats) -> Floats:
    """The last batch of 1 .. memory that clears the floor, 0 where none does.

    Parameters: rates, the ceiling of one session, which never rises with the batch.
    """
    if floor <= 0.0:
        return memory
    return last_of_each(lambda batch: rates(batch) >= floor, memory)


def near_floor(
    rates: Callable[[Floats], Floats], floor: float, usable: Floats, memory: Floats
) -> Mask:
    """Where rounding may have decided which batch is the last to clear the floor."""
    if floor <= 0.0:
        return np.zeros(usable.shape, dtype=np.bool_)
    batch = np.array([usable, np.minimum(usable + 1.0, memory)])
    apart = np.abs(rates(np.maximum(batch, 1.0)) - floor)
    near: Mask = np.any((apart <= UNSURE * floor) & (batch >= 1.0), axis=0)
    return near


class Found(msgspec.Struct, frozen=True, eq=False):
    """What was found of pairs; NaN where a figure does not exist.

    way: which of several ways it is found by. unsure: what `placement.decode` has to decide.
    """

    memory_batch: Floats
    best_batch: Floats
    per_session_tokens_per_s: Floats
    way: NDArray[np.int8]
    unsure: Mask


def found_by(ways: Sequence[Ways], floor: float) -> Found:
    """The batches and the rate of every pair, by the first way or by one with more in all."""
    first, *others = (_found(way, floor) for way in ways)
    for place, other in enumerate(others, start=1):
        ahead, behind = (
            np.nan_to_num(one.best_batch * one.per_session_tokens_per_s) for one in (other, first)
        )
        better = ahead > behind * (1.0 + ROUNDING)
        first = Found(
            np.where(better, other.memory_batch, first.memory_batch),
            np.where(better, other.best_batch, first.best_batch),
            np.where(better, other.per_session_tokens_per_s, first.per_session_tokens_per_s),
            np.where(better, np.int8(place), first.way),
            first.unsure | other.unsure,
        )
    return first


def _found(ways: Ways, floor: float) -> Found:
    fits = ways.resident_margin_bytes() >= 0.0
    memory = np.where(fits, ways.memory_batch(), 0.0)
    best, rate, unsure = ways.best_rate(memory, floor)
    serves = best >= 1.0
    return Found(
        np.where(fits, memory, np.nan),
        np.where(serves, best, np.nan),
        np.where(serves, rate, np.nan),
        np.zeros(best.shape, dtype=np.int8),
        unsure,
    )
