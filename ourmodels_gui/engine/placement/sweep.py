"""The decode figures of compositions x models at once, without speculation.

Every figure is the one that `placement.decode` gives for the pair under the policy of the
composition. Devices of one kind, alone or with the memory of their host, take a few operations on
arrays for all pairs; what they leave goes pair by pair through `placement.decode` itself.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..arithmetic_tables import position_flop, seconds_table
from ..cache_columns import CacheColumns
from ..result import Binding
from ..setup import Composition, ModelCosts, ModelShape, Setup, Split, Workload
from ..speculation import ROUNDING
from ..tables import ModelTable
from .decode import decode
from .pool import pools_in
from .sweep_equal import EqualDevices, ExpertWays, LayerWays, ReplicatedWays, TensorWays
from .sweep_models import ModelColumns, model_columns
from .sweep_parts import PlacedWays, pool_mode
from .sweep_pools import PoolWays, suit
from .sweep_ways import AGGREGATE, FIGURES, Floats, Found, Indices, Mask, Ways, found_by
from .together import overhead_bytes, pools_of, together

Shares = dict[str, float]
"""Shares by arithmetic mode, summing to 1."""
BLOCK = 12_000
"""Pairs of a block: a figure of it takes 96 kB."""


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


class Pairs(msgspec.Struct, frozen=True, eq=False):
    """What is swept, see `sweep_compositions`."""

    compositions: Sequence[Composition]
    models: Sequence[ModelCosts]
    shapes: Sequence[ModelShape | None]
    table: ModelTable
    workload: Workload
    arithmetic: Sequence[tuple[Shares, Shares]]

    def setup(self, row: int, column: int) -> Setup:
        """The setup of one pair."""
        composition, (linear, attention) = self.compositions[row], self.arithmetic[row]
        workload = msgspec.structs.replace(
            self.workload,
            reserved_context_tokens=int(self.table.reserved_context_tokens[column]),
            read_context_tokens=int(self.table.read_context_tokens[column]),
            overhead_bytes=overhead_bytes(composition),
        )
        return Setup(
            machine=together(pools_of(composition)),
            model=self.models[column],
            workload=workload,
            linear_mode=linear,
            attention_mode=attention,
            composition=msgspec.structs.replace(composition, shape=self.shapes[column]),
        )

    def compute_s(self) -> Floats:
        """Time of one position over all devices by [composition, model]; 0 where it is no limit."""
        if self.workload.decode_ceiling != "combined":
            return np.zeros((len(self.compositions), len(self.models)))
        machines = [together(pools_of(composition)) for composition in self.compositions]
        flop = position_flop(self.models, self.table.read_context_tokens)
        times = (
            np.outer(seconds_table(machines, [mode[kind] for mode in self.arithmetic]), flop[kind])
            for kind in (0, 1)
        )
        linear_s, attention_s = times
        return np.nan_to_num(linear_s + attention_s, nan=0.0)


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
    pairs = Pairs(compositions, models, shapes, table, workload, modes)
    columns = model_columns(models, shapes, table, caches, workload)
    shape = (len(compositions), len(models))
    figures = np.full((len(FIGURES), *shape), np.nan)
    codes = np.full((2, *shape), -1, dtype=np.int16)
    left = np.ones(shape, dtype=np.bool_)
    known: list[dict[Binding, int]] = [{} for _ in compositions]
    for rows, places, ways in _blocks(pairs, columns):
        found, block = _better(ways, workload), (len(rows), places.size)
        at = np.ix_(rows, places)
        figures[:, at[0], at[1]] = found.figures.reshape(-1, *block)
        left[at] = found.unsure.reshape(block)
        ids = [
            [known[row].setdefault(one, len(known[row])) for one in bindings] + [-1]
            for row, bindings in zip(rows, ways[0].bindings(), strict=True)
        ]
        bound = found.codes.reshape(-1, *block)
        codes[:, at[0], at[1]] = np.array(ids)[np.arange(len(rows))[:, np.newaxis], bound]
    for row, column in np.argwhere(left):
        figures[:, row, column], codes[:, row, column] = _alone(
            pairs.setup(row, column), known[row]
        )
    return CompositionSweep(tuple(map(tuple, known)), codes[0], codes[1], *figures)


class Kind(msgspec.Struct, frozen=True):
    """What compositions have in common that are swept together.

    order: of the pools by their speed. mode: how they are used, "" for devices of one kind.
    placement: of classes, as given.
    """

    split: Split
    hosted: bool
    order: tuple[int, ...] = ()
    mode: str = ""
    placement: tuple[tuple[str, float], ...] = ()


def _kind(composition: Composition) -> Kind:
    """Which compositions are swept together."""
    split, hosted = composition.split, composition.host is not None
    if len(composition.devices) + hosted == 1:
        return Kind(split, hosted)
    mode = pool_mode(composition)
    speeds = [pool.one_s for pool in pools_in(composition, mode)]
    order = tuple(sorted(range(len(speeds)), key=speeds.__getitem__))
    at_once = "both" if mode == "streamed" else mode
    return Kind(split, hosted, order, at_once, tuple(sorted(composition.placement.items())))


def _blocks(
    pairs: Pairs, columns: ModelColumns
) -> Iterator[tuple[Indices, Indices, tuple[Ways, ...]]]:
    """Rows and columns that are swept together, with the ways of which the better one counts."""
    combined = pairs.workload.decode_ceiling == "combined"
    alike: dict[Kind, list[int]] = {}
    for row, composition in enumerate(pairs.compositions):
        alike.setdefault(_kind(composition), []).append(row)
    compute_s = pairs.compute_s()
    for kind, rows in alike.items():
        if kind.mode and combined:
            continue
        for suited, ways in _ways(kind, columns):
            places = np.flatnonzero(suited)
            some, height = columns.of(places), max(BLOCK // max(places.size, 1), 1)
            for start in range(0, len(rows) if places.size else 0, height):
                block = np.array(rows[start : start + height], dtype=np.intp)
                chosen = [pairs.compositions[row] for row in block]
                computing = compute_s[np.ix_(block, places)].ravel()
                yield block, places, ways(chosen, some, computing)


Make = Callable[[list[Composition], ModelColumns, Floats], tuple[Ways, ...]]


def _ways(kind: Kind, columns: ModelColumns) -> list[tuple[Mask, Make]]:
    """Which models are swept together, and by which ways."""
    every = np.ones(columns.resident_bytes.shape, dtype=np.bool_)
    if not kind.mode:
        return [(every, lambda *pairs: tuple(way(*pairs) for way in EQUAL[kind.split]))]
    whole = columns.alike & (not kind.hosted)
    plain = ~every
    if len(kind.order) == 2 and kind.mode != "groups" and not kind.placement:
        plain = suit(columns) & ~whole
    turns = kind.mode == "sequential"
    return [
        (plain, lambda rows, models, _: (PoolWays(rows, models, sequential=turns),)),
        (~plain & ~whole, lambda rows, models, _: (PlacedWays(rows, models, whole_layers=False),)),
        (~plain & whole, lambda rows, models, _: (PlacedWays(rows, models, whole_layers=True),)),
    ]


EQUAL: dict[str, tuple[type[EqualDevices], ...]] = {
    "tensor": (TensorWays,),
    "experts": (ExpertWays, ReplicatedWays),
    "layers": (LayerWays,),
}


def _better(ways: tuple[Ways, ...], workload: Workload) -> Found:
    """The figures of the first way, or of a later one where its aggregate is larger."""
    first, *others = (found_by(way, workload) for way in ways)
    for other in others:
        least = np.nan_to_num(first.figures[AGGREGATE]) * (1.0 + ROUNDING)
        better = np.nan_to_num(other.figures[AGGREGATE]) > least
        first = Found(
            np.where(better, other.figures, first.figures),
            np.where(better, other.codes, first.codes),
            first.unsure,
        )
    return first


def _alone(setup: Setup, known: dict[Binding, int]) -> tuple[list[float], list[int]]:
    """The figures of one pair, and its bindings as places in `known`, to which it adds."""
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
    return [np.nan if figure is None else float(figure) for figure in figures], codes
