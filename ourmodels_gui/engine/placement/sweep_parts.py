"""Unlike pools of any kind, many compositions x models at once.

The counterpart of `pools`: the same closed forms of `balance`, with pairs in the place of batches,
so the ceilings are the same to the last bit. It takes what `sweep_pools` does not: a placement as
given, three and more pools, groups of sessions, several sets of experts.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from ..result import Binding
from ..setup import Composition
from .balance import divided, least_at_once, least_in_turn, least_of_groups, most_traffic
from .parts import Parts
from .pool import Mode, pools_in
from .pools import BALANCED
from .sweep_equal import link_columns
from .sweep_models import ModelColumns
from .sweep_search import Ranges, highest_of_each, last_of_each
from .sweep_ways import Floats, Indices, Mask, Ways
from .together import device_count


class Placing(msgspec.Struct, frozen=True, eq=False):
    """What where bytes lie depends on, by pair or by [pool, pair].

    most_groups: of sessions; asked: whether there have to be so many. mode, placement, whole_layers
    and the order of the pools by speed are those of every pair.
    """

    models: ModelColumns
    rooms_bytes: Floats
    one_s: Floats
    all_s: Floats
    most_groups: Floats
    asked: Mask
    mode: Mode
    placement: dict[str, float]
    whole_layers: bool

    def of(self, at: Indices) -> "Placing":
        """The same at some of the pairs."""
        return msgspec.structs.replace(
            self,
            models=self.models.of(at),
            rooms_bytes=self.rooms_bytes[:, at],
            one_s=self.one_s[:, at],
            all_s=self.all_s[:, at],
            most_groups=self.most_groups[at],
            asked=self.asked[at],
        )

    def parts(self, batch: Floats, working: Floats) -> Parts:
        """`parts.parts` of each pair; what a model lacks has no bytes."""
        models, none = self.models, np.zeros(batch.shape)
        swept = models.always_bytes + models.expert_bytes
        scale = np.ones(batch.shape)
        np.divide(models.resident_bytes, swept, out=scale, where=swept > models.resident_bytes)
        rows = [("weights", models.always_bytes * scale, models.always_bytes)]
        for group in models.experts:
            if models.expected:
                size = group.routed * group.expert_bytes
                moved = group.expert_bytes * group.touched(working)
                rows.append(("routed_experts", size * scale, moved))
            else:
                hot = group.per_token * group.expert_bytes
                cold = (group.routed - group.per_token) * group.expert_bytes
                rows += [
                    ("routed_experts", hot * scale, hot),
                    ("routed_experts", cold * scale, none),
                ]
        tables = ("embedding", np.maximum(models.resident_bytes - swept, 0.0), none)
        caches = []
        for kept, read in zip(models.group_alloc_bytes, models.group_read_bytes, strict=True):
            both = np.minimum(read, kept)
            caches += [
                ("cache", both * batch, read * working),
                ("cache", (kept - both) * batch, none),
            ]
        if self.whole_layers:
            head = models.head_bytes
            held = sum((row[1] for row in (*rows, *caches)), -head)
            moved = sum((row[2] for row in (*rows, *caches)), -head)
            rows, caches = [("weights", head, head), ("layers", held, moved)], []
        rows += [tables, *caches]
        return Parts(
            tuple(row[0] for row in rows),
            np.array([row[1] for row in rows]),
            np.array([row[2] for row in rows]),
        )

    def most_bytes(self, batch: Floats, groups: Floats) -> Floats:
        """F of each set of pools (`balance.most_traffic`)."""
        return most_traffic(self.parts(batch, batch / groups), self.rooms_bytes, self.placement)

    def seconds(self, batch: Floats, groups: Floats) -> Floats:
        """Of an iteration, and for groups of all of them (the period)."""
        most = self.most_bytes(batch, groups)
        if self.mode == "sequential":
            return least_in_turn(most, self.one_s)
        if self.mode == "groups":
            return least_of_groups(most, self.one_s, self.all_s * groups)
        return least_at_once(most, self.all_s)

    def groups(self, batch: Floats) -> Floats:
        """The number of groups with the least period, as `PoolPolicy` finds it."""
        if self.mode != "groups":
            return np.ones(batch.shape)
        tried = np.arange(1.0, self.most_groups.max(initial=1.0) + 1.0)[:, np.newaxis]
        models = self.models
        groups = np.minimum(np.where(self.asked, self.most_groups, tried), batch)
        whole = np.array(
            [
                models.sweep_bytes(models.always_bytes, working) + working * models.read_bytes
                for working in batch / groups
            ]
        )
        together = np.sum(1.0 / self.all_s, axis=0)
        least = np.maximum(whole * self.one_s.min(axis=0), groups * whole / together)
        least = least * (1.0 - 1e-12)
        # No number above the most, and one that is asked for but once.
        least[(tried > self.most_groups) | (self.asked & (tried > 1.0))] = np.inf
        order = np.argsort(least, axis=0, kind="stable")
        least = np.take_along_axis(least, order, axis=0)
        groups = np.take_along_axis(groups, order, axis=0)
        used, shortest = groups[0].copy(), np.full(batch.shape, np.inf)
        for bound, number in zip(least, groups, strict=True):
            open_ = np.flatnonzero(bound < shortest)
            if not open_.size:
                break
            seconds = self.of(open_).seconds(batch[open_], number[open_])
            better = seconds < shortest[open_]
            shortest[open_[better]] = seconds[better]
            used[open_[better]] = number[open_[better]]
        return used

    def each_s(self, batch: Floats) -> Floats:
        """How long each pool works in an iteration, or in a period, pools by pairs."""
        groups = self.groups(batch)
        most = self.most_bytes(batch, groups)
        if self.mode == "sequential":
            return divided(most, self.one_s, None) * self.one_s
        limits = self.seconds(batch, groups) / (self.all_s * groups)
        return divided(most, self.one_s, limits) * (self.all_s * groups)


class PlacedWays(Ways):
    """Pools of unlike speed, the same number of them in the same order of speed for every pair.

    whole_layers: whether every model's layers are alike and stay whole.
    """

    exact = False
    holds_any = False

    def __init__(
        self, compositions: Sequence[Composition], models: ModelColumns, *, whole_layers: bool
    ) -> None:
        super().__init__(compositions, models)
        first, mode = compositions[0], pool_mode(compositions[0])
        self.pools = [pools_in(one, pool_mode(one)) for one in compositions]
        figures = [
            [(pool.room_bytes, pool.one_s, pool.all_s) for pool in some] for some in self.pools
        ]
        rooms, one_s, all_s = np.repeat(np.array(figures).transpose(2, 1, 0), self.columns, axis=2)
        self.placing = Placing(
            models=self.models,
            rooms_bytes=rooms,
            one_s=one_s,
            all_s=all_s,
            most_groups=self.by_pair(
                [min(one.groups or np.inf, device_count(one)) for one in compositions]
            ),
            asked=self.by_pair([float(one.groups is not None) for one in compositions]) == 1.0,
            mode=mode,
            placement=first.placement,
            whole_layers=whole_layers,
        )
        self.link_s = np.zeros(self.margin_bytes.shape)
        if first.split != "layers":
            reduced, dispatched, link_s = link_columns(compositions, models, first.split)
            self.link_s = (reduced + dispatched) * link_s

    def bindings(self) -> tuple[tuple[Binding, ...], ...]:
        return tuple(
            (
                *(Binding("link" if pool.link else "memory", pool.name) for pool in some),
                Binding("link", "between devices"),
            )
            for some in self.pools
        )

    def resident_margin_bytes(self) -> Floats:
        none = np.zeros(self.margin_bytes.shape)
        return np.minimum(self.margin_bytes, self._pinned_spare(none))

    def memory_batch(self) -> Floats:
        fitting = super().memory_batch()
        if not self.placing.placement:
            return fitting
        return last_of_each(lambda batch: self.spare_bytes(batch) >= 0.0, fitting)

    def spare_bytes(self, batch: Floats) -> Floats:
        return np.minimum(super().spare_bytes(batch), self._pinned_spare(batch))

    def _pinned_spare(self, batch: Floats) -> Floats:
        """What the classes with a fixed place leave of the fuller pool, `PoolPolicy` [bytes]."""
        fixed = self.placing.placement
        spare = np.full(batch.shape, np.inf)
        if not fixed:
            return spare
        found = self.placing.parts(batch, np.maximum(batch, 1.0))
        for pool, room in enumerate(self.placing.rooms_bytes):
            kept = np.zeros(batch.shape)
            for name, held in zip(found.classes, found.held_bytes, strict=True):
                if name in fixed:
                    kept += held * (fixed[name] if pool == 0 else 1.0 - fixed[name])
            spare = np.minimum(spare, np.rint(room) - np.rint(kept))
        return spare

    def limits(self, at: Indices, batch: Floats) -> Floats:
        """The ceilings of one session that memory and link set, at some of the pairs."""
        some = self.placing.of(at)
        with np.errstate(divide="ignore"):
            return 1.0 / np.array(
                [some.seconds(batch, some.groups(batch)), batch * self.link_s[at]]
            )

    def per_session(self, batch: Floats) -> Floats:
        return self.limits(np.arange(batch.size), batch).min(axis=0)

    def binding(self, batch: Floats) -> Indices:
        memory, link = self.limits(np.arange(batch.size), batch)
        each = self.placing.each_s(batch)
        pool = (each >= each.max(axis=0) * (1.0 - BALANCED)).argmax(axis=0)
        return np.where(link < memory, len(each), pool)

    def best_batch(self, usable: Floats) -> tuple[Floats, Mask]:
        best, unsure = usable.copy(), np.zeros(usable.shape, dtype=np.bool_)
        at = np.flatnonzero(usable >= 1.0)
        if not at.size:
            return best, unsure
        best[at], unsure[at] = highest_of_each(_Aggregates(self, at), usable[at])
        return best, unsure


class _Aggregates:
    """The aggregates that memory and link allow some pairs.

    Nothing is known of that of the memory but that an iteration never gets shorter, so that in a
    range T <= T(low) top / low; that of the link does not change.
    """

    def __init__(self, ways: PlacedWays, pairs: Indices) -> None:
        self.ways, self.pairs = ways, pairs

    def aggregates(self, at: Indices, batch: Floats) -> Floats:
        return batch * self.ways.limits(self.pairs[at], batch)

    def cut(self, at: Indices, top: Floats) -> Floats:
        return np.zeros(at.shape)

    def most(self, ranges: Ranges, whole: bool) -> Floats:
        memory, link = ranges.lows
        return np.minimum(memory * (ranges.top / ranges.low), np.maximum(link, ranges.tops[1]))


def pool_mode(composition: Composition) -> Mode:
    """How the pools of a composition are used (`choose.policies`)."""
    if composition.host is not None:
        return composition.pools
    return "sequential" if composition.groups == 1 else "groups"
