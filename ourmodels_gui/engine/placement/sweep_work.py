"""Memory and arithmetic of unlike pools under the combined ceiling, for many pairs at once.

The counterpart of `pools` with the arithmetic charged. The memory's ceiling is never the lower one
where arithmetic keeps up, so its best batch stands wherever it does there. Otherwise memory and
arithmetic are placed each by itself, which is cheap and no lower, and only where that is too loose
both together.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from ..setup import Composition, Setup
from ..speculation import ROUNDING
from ..step import decode_step
from .arithmetic import ANYWHERE, Work, work
from .parts import Parts
from .pool_work import Arithmetic, Rates, Worked
from .sweep_models import ModelColumns
from .sweep_placed import Aggregates, PlacedWays, searched, slowest
from .sweep_search import Ranges
from .sweep_ways import Floats, Indices, Mask, Ways


class WorkColumns(msgspec.Struct, frozen=True, eq=False):
    """FLOPs of one position on both paths by [part, model], the parts as `Placing.parts` has them
    and what belongs to none of them last. known: of which models."""

    linear_flop: Floats
    attention_flop: Floats
    known: Mask

    def of(self, models: Indices) -> "WorkColumns":
        """The same of some models, each as often as it is named."""
        return WorkColumns(
            self.linear_flop[:, models], self.attention_flop[:, models], self.known[models]
        )


def work_columns(
    setups: Sequence[Setup], models: ModelColumns, *, whole_layers: bool
) -> WorkColumns:
    """The arithmetic of models, one setup for each; whole_layers as in `Placing`."""
    sets = len(models.experts) * (1 if models.expected else 2)
    rows = 3 + sets + 2 * len(models.group_alloc_bytes) + whole_layers
    flop = np.zeros((2, rows, len(setups)))
    known = np.zeros(len(setups), dtype=np.bool_)
    one = np.ones(1)
    for column, setup in enumerate(setups):
        made = work(setup, decode_step(setup, None), (one, one), whole_layers)
        if made is None:
            continue
        names = made.parts.classes
        own, cached = names.count("routed_experts"), names.count("cache")
        tables = 1 + sets + whole_layers
        place = [*range(1 + own), *range(tables, tables + 1 + cached), rows - 1]
        if "layers" in names:
            place = [0, tables - 1, tables, rows - 1]
        known[column] = True
        flop[:, place, column] = made.linear_flop[:, 0], made.attention_flop[:, 0]
    return WorkColumns(flop[0], flop[1], known)


class WorkWays(PlacedWays):
    """Pools of unlike speed with the arithmetic of what lies in each.

    memory: the same pairs with memory alone. rates: of each composition, alike in which pools have
    one and in their order of speed. work: of each model.
    """

    def __init__(
        self,
        compositions: Sequence[Composition],
        models: ModelColumns,
        *,
        memory: Ways,
        rates: Sequence[Rates],
        work: WorkColumns,
    ) -> None:
        super().__init__(compositions, models)
        self.memory, self.does = memory, rates[0].does
        self.work = work.of(np.tile(np.arange(self.columns), len(compositions)))
        self.one_s, self.all_s = (
            np.repeat(np.stack(each, axis=2), self.columns, axis=2)
            for each in zip(*((rate.one_s, rate.all_s) for rate in rates), strict=True)
        )
        # With more pools, or where the host does none, each is placed by itself.
        self.joint = len(self.does) == 2 and self.placing.mode != "streamed"

    def arithmetic(self, at: Indices) -> Arithmetic:
        """The rates of some of the pairs."""
        placing = self.placing
        return Arithmetic(
            placing.mode, placing.placement, self.does, self.one_s[:, :, at], self.all_s[:, :, at]
        )

    def made(self, at: Indices, batch: Floats, groups: Floats) -> Work:
        """The arithmetic of an iteration of one group."""
        working = batch / groups
        parts, none = self.placing.of(at).parts(batch, working), np.zeros((1, at.size))
        return Work(
            Parts(
                (*parts.classes, ANYWHERE),
                np.concatenate([parts.held_bytes, none]),
                np.concatenate([parts.moved_bytes, none]),
            ),
            self.work.linear_flop[:, at] * working,
            self.work.attention_flop[:, at] * working,
        )

    def alone(self, at: Indices, batch: Floats) -> Worked:
        """The arithmetic by itself; with most groups it takes the least time of any number."""
        groups = np.ones(at.shape)
        if self.placing.mode == "groups":
            groups = np.minimum(self.placing.most_groups[at], batch)
        made = self.made(at, batch, groups)
        return self.arithmetic(at).alone(made, groups, self.placing.rooms_bytes[:, at])

    def together(self, at: Indices, batch: Floats) -> Worked:
        """Memory and arithmetic in two pools, with the number of groups that is best for both."""

        def period(some: Indices, batch: Floats, groups: Floats) -> Worked:
            within, placing = at[some], self.placing.of(at[some])
            memory = (placing.seconds(batch, groups), placing.traffic(batch, groups)[0])
            return self.arithmetic(within).together(
                self.made(within, batch, groups),
                groups,
                placing.rooms_bytes,
                (placing.one_s, placing.all_s),
                memory,
            )

        groups = np.ones(at.shape)
        if self.placing.mode == "groups":
            _, groups = self.placing.of(at).least(batch, lambda *some: period(*some).seconds)
        return period(np.arange(at.size), batch, groups)

    def bound(self, at: Indices, batch: Floats, joint: bool) -> tuple[Floats, Worked]:
        """The ceilings of one session of memory, arithmetic, link, and of the arithmetic alone.

        joint: whether memory and arithmetic are placed together, where that takes longer. Returns
        the arithmetic in use as well.
        """
        memory, link = super().limits(at, batch)
        worked = alone = self.alone(at, batch)
        if joint and self.joint:
            both = self.together(at, batch)
            longer = 1.0 / both.seconds < memory
            worked = Worked(
                np.where(longer, np.maximum(both.seconds, alone.seconds), alone.seconds),
                np.where(longer, both.each_s, alone.each_s),
            )
        with np.errstate(divide="ignore"):
            rates = [memory, 1.0 / worked.seconds, link, 1.0 / alone.seconds]
        return np.array(rates), worked

    def limits(self, at: Indices, batch: Floats) -> Floats:
        return self.bound(at, batch, joint=True)[0]

    def binding(self, batch: Floats) -> Indices:
        limits, worked = self.bound(np.arange(batch.size), batch, joint=True)
        pools = len(self.does)
        of_memory = slowest(self.placing.each_s(batch))
        choices = [of_memory, pools + slowest(worked.each_s), np.full(batch.shape, 2 * pools)]
        return np.choose(np.argmin(limits[:3], axis=0), choices)

    def best_rate(self, memory: Floats, floor: float) -> tuple[Floats, Floats, Mask]:
        best, unsure = self.memory.best_batch(memory, floor)
        best, unsure, rate = best.copy(), unsure.copy(), np.zeros_like(best)
        left = np.flatnonzero(best >= 1.0)
        for joint in (False, True):
            if not left.size:
                break
            limits = self.limits(left, best[left])
            rate[left] = limits.min(axis=0)
            # Where arithmetic takes no longer at what is best without it, or without its placement
            # together with the memory, no other batch is better with it.
            loose = self.bound(left, best[left], joint=False)[0] if joint else limits[[0, 2]]
            left = left[rate[left] < loose.min(axis=0) * (1.0 - ROUNDING)]
            if left.size and (self.joint or not joint):
                found = searched(WorkAggregates(self, left, joint), memory[left], floor)
                best[left], unsure[left] = found
                left = left[best[left] >= 1.0]
        if left.size:
            rate[left] = self.limits(left, best[left]).min(axis=0)
        return best, rate, unsure


class WorkAggregates(Aggregates):
    """The same with the arithmetic; joint as in `WorkWays.bound`.

    An iteration never gets shorter. For one group of sessions the arithmetic alone of each takes no
    less when there are more, because their caches leave fewer placements.
    """

    def __init__(self, ways: WorkWays, pairs: Indices, joint: bool) -> None:
        super().__init__(ways, pairs)
        self.work, self.joint = ways, joint

    def of(self, at: Indices) -> "WorkAggregates":
        return WorkAggregates(self.work, self.pairs[at], self.joint)

    def aggregates(self, at: Indices, batch: Floats) -> Floats:
        return batch * self.work.bound(self.pairs[at], batch, self.joint)[0]

    def most(self, ranges: Ranges, whole: bool) -> Floats:
        longer = ranges.top / ranges.low
        groups = self.work.placing.most_groups[self.pairs[ranges.at]]
        steady = (self.work.placing.mode != "groups") | (ranges.low >= groups)
        alone = ranges.lows[3] * np.where(steady, 1.0, longer)
        link = np.maximum(ranges.lows[2], ranges.tops[2])
        return np.minimum(np.minimum(ranges.lows.min(axis=0) * longer, alone), link)
