"""The decode figures of compositions x models at once, without speculation.

Every figure is the one that `placement.decode` gives for the pair under the policy of the
composition.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..cache_columns import CacheColumns
from ..result import Binding
from ..setup import Composition, ModelCosts, ModelShape, Setup, Workload
from ..tables import ModelTable
from .decode import decode
from .together import overhead_bytes, pools_of, together

Floats = NDArray[np.float64]
Shares = dict[str, float]
"""Shares by arithmetic mode, summing to 1."""


class CompositionSweep(msgspec.Struct, frozen=True, eq=False):
    """Decode figures by [composition, model]; the names are those of `Decode`.

    Batches and bytes are whole numbers in float64; a figure that does not exist is NaN.
    resident_margin_bytes and spare_bytes are those of the policy in use, whose gate may be tighter
    than that of all pools together. forced_per_session_tokens_per_s: at the workload's batch.
    binding, single_binding: places in `bindings` of the composition, -1 where nothing binds.
    """

    bindings: tuple[tuple[Binding, ...], ...]
    binding: NDArray[np.int16]
    single_binding: NDArray[np.int16]
    resident_margin_bytes: Floats
    memory_batch: Floats
    best_batch: Floats
    aggregate_tokens_per_s: Floats
    per_session_tokens_per_s: Floats
    single_session_tokens_per_s: Floats
    forced_per_session_tokens_per_s: Floats
    spare_bytes: Floats

    @property
    def verdict(self) -> NDArray[np.int8]:
        """Index into `sweep.VERDICTS`."""
        fits = (self.memory_batch >= 0.0).astype(np.int8)
        return fits + (self.memory_batch >= 1.0) + (self.best_batch >= 1.0)


def sweep_compositions(
    compositions: Sequence[Composition],
    models: Sequence[ModelCosts],
    shapes: Sequence[ModelShape | None],
    table: ModelTable,
    caches: CacheColumns,
    *,
    workload: Workload,
    arithmetic: Sequence[tuple[Shares, Shares]] | None = None,
) -> CompositionSweep:
    """Decode figures of every pair of a composition and a model.

    Parameters: compositions, with the overhead of each pool, more than one pool each, whatever
    their `shape`; models, with the shape of each (None where it is unknown), their table at the
    contexts of the workload, and their caches; workload, whose contexts and overhead play no part;
    arithmetic, linear and attention mode of each composition, for the combined ceiling.
    Errors: ValueError for a model whose session reserves nothing, or a split without its link.
    References: formulation, "Calculator procedure"; docs/compositions.md.
    """
    modes = arithmetic or [({}, {})] * len(compositions)
    rows = []
    for composition, (linear, attention) in zip(compositions, modes, strict=True):
        known: dict[Binding, int] = {}
        row = []
        for column, (model, shape) in enumerate(zip(models, shapes, strict=True)):
            kept = msgspec.structs.replace(
                workload,
                reserved_context_tokens=int(table.reserved_context_tokens[column]),
                read_context_tokens=int(table.read_context_tokens[column]),
                overhead_bytes=overhead_bytes(composition),
            )
            setup = Setup(
                machine=together(pools_of(composition)),
                model=model,
                workload=kept,
                linear_mode=linear,
                attention_mode=attention,
                composition=msgspec.structs.replace(composition, shape=shape),
            )
            row.append(_figures(setup, known))
        rows.append((row, tuple(known)))
    figures = np.array([row for row, _ in rows], dtype=np.float64)
    columns = np.moveaxis(figures.reshape(len(compositions), len(models), 10), 2, 0)
    binding, single_binding = columns[8:].astype(np.int16)
    bindings = tuple(bindings for _, bindings in rows)
    return CompositionSweep(bindings, binding, single_binding, *columns[:8])


def _figures(setup: Setup, known: dict[Binding, int]) -> list[float]:
    """The figures of one pair in the order of `CompositionSweep`."""
    found, placed = decode(setup)
    figures = [
        found.resident_margin_bytes,
        found.memory_batch,
        found.best_batch,
        found.aggregate_tokens_per_s,
        found.per_session_tokens_per_s,
        found.single_session_tokens_per_s,
        found.forced.per_session_tokens_per_s if found.forced else None,
        found.spare_bytes,
    ]
    codes = [
        -1 if one is None else known.setdefault(one, len(known))
        for one in (placed.binding, placed.single_binding)
    ]
    return [np.nan if figure is None else float(figure) for figure in figures] + codes
