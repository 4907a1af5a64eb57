"""What a sweep asks of a way of using pools, for many pairs at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..result import Binding
from ..setup import Composition
from .sweep_models import ModelColumns
from .together import overhead_bytes, pools_of, together

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Ways:
    """Pairs of compositions that use their pools in one way with models, row by row.

    The counterpart of `Policy`. Figures are by pair: every model with the first composition, then
    with the second, ..

    bindings: of each composition; the place in it is the code that `binding` gives.
    """

    def __init__(self, compositions: Sequence[Composition], models: ModelColumns) -> None:
        self.compositions = compositions
        self.columns = models.resident_bytes.size
        self.models = models.of(np.tile(np.arange(self.columns), len(compositions)))
        whole = [together(pools_of(composition)) for composition in compositions]
        self.rate = self.by_pair([machine.bandwidth_bytes_per_s for machine in whole])
        free = [
            round(machine.capacity_bytes) - round(overhead_bytes(composition))
            for machine, composition in zip(whole, compositions, strict=True)
        ]
        self.margin_bytes = self.by_pair(free) - np.rint(self.models.resident_bytes)

    def by_pair(self, figures: Sequence[float]) -> Floats:
        """Figures by composition -> by pair."""
        return np.repeat(np.array(figures, dtype=np.float64), self.columns)

    def bindings(self) -> tuple[tuple[Binding, ...], ...]:
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
        raise NotImplementedError

    def best_batch(self, usable: Floats) -> tuple[Floats, Mask]:
        """The batch of 1 .. usable with the largest aggregate, and where rounding may decide."""
        return usable, np.zeros(usable.shape, dtype=np.bool_)
