"""What a sweep asks of a way of using pools, for many pairs at once."""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..result import Binding
from ..setup import Composition, Workload
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

    exact: whether a floor that is reached but for rounding is decided as it is there.
    holds_any: whether a batch that does not fit has a rate.
    """

    exact = True
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

    def bindings(self) -> tuple[tuple[Binding, ...], ...]:
        """Of each composition what may bind; `binding` gives places in it."""
        raise NotImplementedError

    def resident_margin_bytes(self) -> Floats:
        return self.margin_bytes

    def memory_batch(self) -> Floats:
        """The most sessions that fit; 0 where the model does not fit."""
        return np.maximum(np.floor(self.margin_bytes / self.models.session_bytes), 0.0)

    def spare_bytes(self, batch: Floats) -> Floats:
        return self.margin_bytes - batch * self.models.session_bytes

    def per_session(self, batch: Floats) -> Floats:
        """The ceiling of one session at a batch of each pair, at least 1 [tokens/s]."""
        raise NotImplementedError

    def binding(self, batch: Floats) -> NDArray[np.intp]:
        """What binds at a batch of each pair."""
        raise NotImplementedError

    def best_batch(self, usable: Floats) -> tuple[Floats, Mask]:
        """The batch of 1 .. usable with the largest aggregate, and where that is not sure."""
        return usable, np.zeros(usable.shape, dtype=np.bool_)


FIGURES = (
    "resident_margin_bytes",
    "memory_batch",
    "best_batch",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "forced_per_session_tokens_per_s",
    "spare_bytes",
)
AGGREGATE = FIGURES.index("aggregate_tokens_per_s")


class Found(msgspec.Struct, frozen=True, eq=False):
    """What was found of pairs.

    figures: FIGURES by pairs, NaN where there is none. codes: of the best batch's binding and of a
    single session's, -1 where there is none. unsure: what `placement.decode` has to decide.
    """

    figures: Floats
    codes: NDArray[np.intp]
    unsure: Mask


def found_by(ways: Ways, workload: Workload) -> Found:
    """The figures of every pair under one way, in the order of `decode.decode`."""
    floor = workload.floor_tokens_per_s
    margin = ways.resident_margin_bytes()
    memory = np.where(margin >= 0.0, ways.memory_batch(), 0.0)
    usable = memory
    if floor > 0.0:
        usable = last_of_each(lambda batch: ways.per_session(batch) >= floor, memory)
    best, unsure = ways.best_batch(usable)
    if floor > 0.0 and not ways.exact:
        for batch in (usable, np.minimum(usable + 1.0, memory)):
            near = ways.per_session(np.maximum(batch, 1.0)) - floor
            unsure |= (np.abs(near) <= UNSURE * floor) & (batch >= 1.0)
    serves, seated = best >= 1.0, memory >= 1.0
    at, one = np.maximum(best, 1.0), np.ones(best.shape)
    rate = np.where(serves, ways.per_session(at), np.nan)
    forced = np.full(best.shape, np.nan)
    if workload.batch is not None:
        batch = np.full(best.shape, float(workload.batch))
        held = margin >= 0.0 if ways.holds_any else ways.spare_bytes(batch) >= 0.0
        forced = np.where(held & (margin >= 0.0), ways.per_session(batch), np.nan)
    figures = np.array(
        [
            margin,
            np.where(margin >= 0.0, memory, np.nan),
            np.where(serves, best, np.nan),
            best * rate,
            rate,
            np.where(seated, ways.per_session(one), np.nan),
            forced,
            ways.spare_bytes(at),
        ]
    )
    codes = np.array(
        [
            np.where(serves, ways.binding(at), -1),
            np.where(seated, ways.binding(one), -1),
        ]
    )
    return Found(figures, codes, unsure)
