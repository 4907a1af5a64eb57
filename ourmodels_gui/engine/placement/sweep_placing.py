"""Where bytes lie in unlike pools, for many pairs of compositions and models at once.

The counterpart of `pool_memory`: the same closed forms of `balance`, with pairs in the place of
batches.
"""

from collections.abc import Callable

import msgspec
import numpy as np

from ..setup import Composition
from .balance import divided, least_at_once, least_in_turn, least_of_groups, most_traffic
from .parts import Parts, Row
from .pool import Mode
from .sweep_models import ModelColumns
from .sweep_ways import Floats, Indices, Mask

Period = Callable[[Indices, Floats, Floats], Floats]


class Placing(msgspec.Struct, frozen=True, eq=False):
    """What where bytes lie depends on, by pair or by [pool, pair].

    most_groups: of sessions; asked: whether there have to be so many. mode, placement and the order
    of the pools by speed are those of every pair. whole_layers: whether layers that are known to be
    alike stay whole.
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
        rows: list[Row] = [("weights", models.always_bytes * scale, models.always_bytes)]
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
        caches: list[Row] = []
        for kept, read in zip(models.group_alloc_bytes, models.group_read_bytes, strict=True):
            both = np.minimum(read, kept)
            caches += [
                ("cache", both * batch, read * working),
                ("cache", (kept - both) * batch, none),
            ]
        rows += [tables, *caches]
        if self.whole_layers:
            rows = self._whole(rows)
        return Parts(
            tuple(row[0] for row in rows),
            np.array([row[1] for row in rows]),
            np.array([row[2] for row in rows]),
        )

    def _whole(self, rows: list[Row]) -> list[Row]:
        """The parts, where layers are alike in their place the head, the layers and the tables."""
        alike, head = self.models.alike, self.models.head_bytes
        layered = [row for row in rows if row[0] != "embedding"]
        held, moved = (sum((row[place] for row in layered), -head) for place in (1, 2))
        for place, row in enumerate(rows):
            if row[0] != "embedding":
                left = head if row[0] == "weights" else 0.0
                rows[place] = (row[0], np.where(alike, left, row[1]), np.where(alike, left, row[2]))
        tables = next(place for place, row in enumerate(rows) if row[0] == "embedding")
        layers = ("layers", np.where(alike, held, 0.0), np.where(alike, moved, 0.0))
        return [*rows[:tables], layers, *rows[tables:]]

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

    def least(self, batch: Floats, period: Period | None = None) -> tuple[Floats, Floats]:
        """The least period over numbers of groups, and the number, as `PoolMemory.best_groups`.

        period: of some of the pairs at a batch and a number of groups; None for that of the memory.
        """
        period = period or self.period
        if self.mode != "groups":
            one = np.ones(batch.shape)
            return period(np.arange(batch.size), batch, one), one
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
            seconds = period(open_, batch[open_], number[open_])
            better = seconds < shortest[open_]
            shortest[open_[better]] = seconds[better]
            used[open_[better]] = number[open_[better]]
        return shortest, used

    def period(self, at: Indices, batch: Floats, groups: Floats) -> Floats:
        """The period of the memory of some of the pairs."""
        return self.of(at).seconds(batch, groups)

    def traffic(self, batch: Floats, groups: Floats) -> Floats:
        """What each pool moves in an iteration of one group, pools by pairs [bytes]."""
        most = self.most_bytes(batch, groups)
        if self.mode == "sequential":
            return divided(most, self.one_s, None)
        return divided(most, self.one_s, self.seconds(batch, groups) / (self.all_s * groups))

    def each_s(self, batch: Floats) -> Floats:
        """How long each pool works in an iteration, or in a period, pools by pairs."""
        _, groups = self.least(batch)
        times = self.one_s if self.mode == "sequential" else self.all_s * groups
        return self.traffic(batch, groups) * times


def pool_mode(composition: Composition) -> Mode:
    """How the pools of a composition are used (`choose.policies`)."""
    if composition.host is not None:
        return composition.pools
    return "sequential" if composition.groups == 1 else "groups"
