"""Which pairs of compositions and models are swept together, and by which ways."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import msgspec
import numpy as np

from ..arithmetic_tables import position_flop, seconds_table
from ..result import Binding
from ..setup import Composition, ModelCosts, ModelShape, Setup, Split, Workload
from ..tables import ModelTable
from .pool import pools_in
from .pool_work import Rates, Shares, rates_of
from .sweep_equal import EqualDevices, ExpertWays, LayerWays, ReplicatedWays, TensorWays
from .sweep_models import ModelColumns
from .sweep_placed import PlacedWays
from .sweep_placing import pool_mode
from .sweep_pools import PoolWays, suit
from .sweep_ways import Floats, Indices, Mask, Ways
from .sweep_work import WorkColumns, WorkWays, work_columns
from .together import overhead_bytes, pools_of, together


def bindings(composition: Composition) -> tuple[Binding, ...]:
    """What may bind a composition, in the order of the codes of `Ways.binding`.

    The memory of each pool, or the link that its bytes cross; the arithmetic of each; the link
    between devices.
    """
    between = Binding("link", "between devices")
    if composition.host is None and len(composition.devices) == 1:
        name = composition.devices[0].name
        return (Binding("memory", name), Binding("compute", name), between)
    pools = pools_in(composition, pool_mode(composition))
    return (
        *(Binding("link" if pool.link else "memory", pool.name) for pool in pools),
        *(Binding("compute", pool.name) for pool in pools),
        between,
    )


BLOCK = 12_000
"""Pairs of a block: a figure of it takes 96 kB."""


class Pairs(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What is swept, see `sweep.sweep_compositions`."""

    compositions: Sequence[Composition]
    models: Sequence[ModelCosts]
    shapes: Sequence[ModelShape | None]
    table: ModelTable
    workload: Workload
    arithmetic: Sequence[tuple[Shares, Shares]]

    @property
    def combined(self) -> bool:
        """Whether arithmetic is charged."""
        return self.workload.decode_ceiling == "combined"

    def of(self, rows: Indices) -> list[Composition]:
        """Some of the compositions."""
        return [self.compositions[row] for row in rows]

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

    def rates(self, row: int) -> Rates:
        """How long the pools of a composition take for a FLOP."""
        composition = self.compositions[row]
        mode = pool_mode(composition)
        return rates_of(composition, mode, pools_in(composition, mode), self.arithmetic[row])

    def work(self, columns: ModelColumns, whole_layers: bool) -> WorkColumns:
        """The arithmetic of every model; whole_layers as in `Placing`."""
        known = self._work_known
        if whole_layers not in known:
            setups = [self.setup(0, column) for column in range(len(self.models))]
            known[whole_layers] = work_columns(setups, columns, whole_layers=whole_layers)
        return known[whole_layers]

    @cached_property
    def _work_known(self) -> dict[bool, WorkColumns]:
        return {}

    @cached_property
    def compute_s(self) -> Floats:
        """Time of one position over all devices by [composition, model]; 0 where it is no limit."""
        if not self.combined:
            return np.zeros((len(self.compositions), len(self.models)))
        machines = [together(pools_of(composition)) for composition in self.compositions]
        flop = position_flop(self.models, self.table.read_context_tokens)
        times = (
            np.outer(seconds_table(machines, [mode[kind] for mode in self.arithmetic]), flop[kind])
            for kind in (0, 1)
        )
        linear_s, attention_s = times
        return np.nan_to_num(linear_s + attention_s, nan=0.0)


class Kind(msgspec.Struct, frozen=True):
    """What compositions have in common that are swept together.

    order: of the pools by their speed. mode: how they are used, "" for devices of one kind.
    placement: of classes, as given. work: under the combined ceiling which pools do arithmetic,
    which have a rate, and their order by it; empty where nothing is known of it.
    """

    split: Split
    hosted: bool
    order: tuple[int, ...] = ()
    mode: str = ""
    placement: tuple[tuple[str, float], ...] = ()
    work: tuple[tuple[float, ...], ...] = ()


def _kind(pairs: Pairs, row: int) -> Kind:
    """What a composition is swept together with."""
    composition = pairs.compositions[row]
    split, hosted = composition.split, composition.host is not None
    if len(composition.devices) + hosted == 1:
        return Kind(split, hosted)
    mode = pool_mode(composition)
    pools = pools_in(composition, mode)
    order = tuple(sorted(range(len(pools)), key=lambda pool: pools[pool].one_s))
    given = tuple(sorted(composition.placement.items()))
    if not pairs.combined:
        return Kind(split, hosted, order, "both" if mode == "streamed" else mode, given)
    rates = pairs.rates(row)
    if rates.none_known:
        return Kind(split, hosted, order, mode, given)
    fastest = np.argsort(rates.one_s[0], kind="stable")
    work = (tuple(rates.does.tolist()), tuple(rates.known.tolist()), tuple(fastest.tolist()))
    return Kind(split, hosted, order, mode, given, work)


def blocks(
    pairs: Pairs, columns: ModelColumns
) -> Iterator[tuple[Indices, Indices, tuple[Ways, ...]]]:
    """Rows and columns that are swept together, with the ways of which the better one counts."""
    alike: dict[Kind, list[int]] = {}
    for row in range(len(pairs.compositions)):
        alike.setdefault(_kind(pairs, row), []).append(row)
    for kind, rows in alike.items():
        for suited, ways in _ways(pairs, columns, kind):
            places = np.flatnonzero(suited)
            some, height = columns.of(places), max(BLOCK // max(places.size, 1), 1)
            for start in range(0, len(rows) if places.size else 0, height):
                block = np.array(rows[start : start + height], dtype=np.intp)
                yield block, places, ways(block, places, some)


Make = Callable[[Indices, Indices, ModelColumns], tuple[Ways, ...]]
"""Rows, places of columns, and those columns -> the ways of their pairs."""


def _ways(pairs: Pairs, columns: ModelColumns, kind: Kind) -> list[tuple[Mask, Make]]:
    """Which models are swept together, and by which ways."""
    every = np.ones(columns.resident_bytes.shape, dtype=np.bool_)
    if not kind.mode:
        compute_s = pairs.compute_s

        def equal(rows: Indices, places: Indices, models: ModelColumns) -> tuple[Ways, ...]:
            pairs_s = compute_s[np.ix_(rows, places)].ravel()
            return tuple(way(pairs.of(rows), models, pairs_s) for way in EQUAL[kind.split])

        return [(every, equal)]
    plain = ~every
    if len(kind.order) == 2 and kind.mode != "groups" and not kind.placement:
        plain = suit(columns) & (kind.hosted | ~columns.alike)
    turns = kind.mode == "sequential"

    def two(rows: Indices, _: Indices, models: ModelColumns) -> tuple[Ways, ...]:
        return (PoolWays(pairs.of(rows), models, sequential=turns),)

    def many(rows: Indices, _: Indices, models: ModelColumns) -> tuple[Ways, ...]:
        return (PlacedWays(pairs.of(rows), models),)

    of_memory: list[tuple[Mask, Make]] = [(plain, two), (~plain, many)]
    if not kind.work:
        return of_memory
    work = pairs.work(columns, not kind.hosted)
    left = [(suited & ~work.known, make) for suited, make in of_memory]
    charged = [(suited & work.known, _charged(pairs, work, make)) for suited, make in of_memory]
    return left + charged


def _charged(pairs: Pairs, work: WorkColumns, make: Make) -> Make:
    """The same with the arithmetic charged."""

    def charged(rows: Indices, places: Indices, models: ModelColumns) -> tuple[Ways, ...]:
        (memory,) = make(rows, places, models)
        rates = [pairs.rates(row) for row in rows]
        ways = WorkWays(pairs.of(rows), models, memory=memory, rates=rates, work=work.of(places))
        return (ways,)

    return charged


EQUAL: dict[str, tuple[type[EqualDevices], ...]] = {
    "tensor": (TensorWays,),
    "experts": (ExpertWays, ReplicatedWays),
    "layers": (LayerWays,),
}
