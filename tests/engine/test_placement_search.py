"""The searches over batches, held to a look at every batch."""

import random

import msgspec
import numpy as np
import pytest

from ourmodels_gui.engine.placement.search import SCANNED, highest, where
from ourmodels_gui.engine.placement.sweep_search import (
    OPEN,
    TURNS,
    highest_of_each,
    last_of_each,
    least_of,
)


class Tabled(msgspec.Struct):
    """Ceilings read from a table, ceilings by pairs by batches.

    cuts: of each pair. peaked: whether the last ceiling may rise up to the cut before it falls and
    rises, so that the ends of a range bound it in either part but not over both; the others only
    fall and rise. loose: by how much a bound is above what it bounds.
    """

    table: np.ndarray
    cuts: np.ndarray
    peaked: bool = False
    loose: float = 0.0

    def aggregates(self, at, batch):
        assert (batch >= 1.0).all() and (batch == np.rint(batch)).all()
        return self.table[:, at, batch.astype(int) - 1]

    def cut(self, at, top):
        return self.cuts[at]

    def most(self, ranges, whole):
        known = slice(-1 if whole and self.peaked else None)
        ends = np.maximum(ranges.lows[known], ranges.tops[known]).min(axis=0)
        return ends * (1.0 + self.loose)


def fall_and_rise(chance, high, size):
    """Values that fall up to some batch and rise from there on."""
    low = np.array(chance.sample(range(1, 50 * high), high), dtype=float)
    turn = chance.randrange(high + 1)
    low[:turn], low[turn:] = np.sort(low[:turn])[::-1], np.sort(low[turn:])
    return np.pad(low, (0, size - high), constant_values=np.nan)


@pytest.mark.parametrize("pairs", [1, 7, 300])
def test_the_largest_of_the_least_ceilings_is_found(pairs):
    """Of pairs that may hold 1 .. 60 sessions; the last ceiling has a peak at its cut."""
    chance = random.Random(pairs)
    high = np.array([float(chance.randrange(1, 60)) for _ in range(pairs)])
    table = np.full((3, pairs, 60), np.nan)
    cuts = np.array([float(chance.randrange(0, int(top) + 3)) for top in high])
    for pair, top in enumerate(high.astype(int)):
        for ceiling in (0, 1):
            table[ceiling, pair, :top] = fall_and_rise(chance, top, top)
        cut = min(int(cuts[pair]), top)
        table[2, pair, :cut] = np.sort(chance.sample(range(50 * top), cut))
        table[2, pair, cut:top] = fall_and_rise(chance, top - cut, top - cut)
    found, unsure = highest_of_each(Tabled(table, cuts, peaked=True), high)
    least = np.nan_to_num(table.min(axis=0))
    value = least[np.arange(pairs), found.astype(int) - 1]
    assert not unsure.any() and (value == least.max(axis=1)).all()
    first = least.argmax(axis=1) + 1
    # Two batches may lie under the same step of one ceiling only where both ends are equal.
    assert (found == first).all()


@pytest.mark.parametrize("high", [1, 2, 3, 50])
def test_of_batches_alike_but_for_rounding_the_first_is_the_best(high):
    """A plateau that rises by less than rounding, wherever it begins and ends."""
    for first in {0, 1, 2, high // 3, high // 2, high - 2, high - 1} & set(range(high)):
        for last in {first, (first + high) // 2, high - 1}:
            values = np.full(high, 3.0)
            values[:first] = np.linspace(1.0, 2.0, first)
            values[last + 1 :] = np.linspace(2.0, 1.0, high - last - 1)
            values[first : last + 1] *= 1.0 + 1e-15 * np.arange(last + 1 - first)
            ceilings = Tabled(values[np.newaxis, np.newaxis], np.array([float(first)]))
            both = msgspec.structs.replace(ceilings, loose=1.0)
            found, unsure = highest_of_each(both, np.array([float(high)]))
            assert found == first + 1 and not unsure
            assert highest(both, high) == highest(both, high, scanned=0) == first + 1


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_where_rounding_decides_whether_a_batch_is_alike_nobody_is_sure(scale):
    """Batches by 1e-12 below the best are alike, and the next within 3e-13 are not sure."""
    below = np.array([0.5, 0.8, 1.2, 2.0]) * 1e-12
    values = scale * np.array([1.0 - below, np.ones(4)]).T
    ceilings = Tabled(values[np.newaxis], np.zeros(4))
    found, unsure = highest_of_each(ceilings, np.full(4, 2.0))
    assert found.tolist() == [1.0, 1.0, 2.0, 2.0] and unsure.tolist() == [False, True, True, False]


def hill(high, top):
    """A single peak so gentle that bounds hardly tell one range from another."""
    return 1.0 + 1e-3 * np.exp(-(((np.arange(1.0, high + 1) - top) / OPEN) ** 2))


def test_where_too_many_ranges_stay_open_a_sweep_is_not_sure_and_goes_on_with_the_most_hopeful():
    high, top = 20 * OPEN, 12_345
    steep = np.arange(high, 0.0, -1.0)
    table = np.array([[hill(high, top), steep]])
    ceilings = Tabled(table, np.zeros(2), loose=0.01)
    found, unsure = highest_of_each(ceilings, np.full(2, float(high)))
    assert unsure.tolist() == [True, False] and found[1] == 1.0
    assert highest(ceilings, high) == top


class Lasting(msgspec.Struct):
    """Iterations that never get shorter, each of which lasts as the table says."""

    times: np.ndarray

    def aggregates(self, at, batch):
        return (batch / self.times[batch.astype(int) - 1])[np.newaxis]

    def cut(self, at, top):
        return np.zeros(at.shape)

    def most(self, ranges, whole):
        return ranges.lows[0] * (ranges.top / ranges.low)


@pytest.mark.parametrize("high", [1500, 8308, 16_000])
@pytest.mark.parametrize("steps", [0, 3, 40])
def test_a_peak_is_found_wherever_the_rest_is_flat(high, steps):
    """Times that rise in step with the batch, a little more slowly to the end, and jump at places:
    just before one the aggregate is as high as at the end, but for parts in a thousand million."""
    chance = random.Random(high + steps)
    for _ in range(10):
        batches = np.arange(1.0, high + 1)
        times = batches + chance.choice([0.5, 3.0, 100.0])
        for _ in range(steps):
            place = int(high ** chance.random())
            before = times[place - 1]
            short = place * (times[-1] / high) * (1.0 - 4e-9 * chance.random())
            if place == 1 or short > times[place - 2]:
                times[place - 1] = min(before, short)
        values = batches / np.maximum.accumulate(times)
        found = highest(Lasting(np.maximum.accumulate(times)), high)
        assert found == 1 + np.argmax(values >= values.max() * (1.0 - 1e-12))


@pytest.mark.parametrize(("high", "seed"), [(20_000, 1), (40_000, 0)])
def test_the_search_goes_on_where_the_bounds_tell_nothing(high, seed):
    """The more batches there are, the less is sure: some seeds have their peak among those that are
    not tried."""
    values = np.random.default_rng(seed).random(high) * 1e-6 + 1.0
    ceilings = Tabled(values[np.newaxis, np.newaxis], np.zeros(1), loose=0.01)
    assert highest(ceilings, high) == 1 + values.argmax()
    _, unsure = highest_of_each(ceilings, np.array([float(high)]), 1024)
    assert unsure == (high > 1024 * TURNS), "what was dropped"


@pytest.mark.parametrize("high", [1, 2, 1023, 1024, 1025])
def test_a_few_batches_are_all_tried(high):
    chance = random.Random(high)
    values = np.array([[[chance.random() for _ in range(high)]]])
    bound = Tabled(values, np.zeros(1), loose=1e9)
    assert highest(bound, high) == 1 + values.argmax()
    assert least_of(bound, np.zeros(1, dtype=int), np.array([float(high)])) == values[0, 0, -1]


@pytest.mark.parametrize("pairs", [1, 90, 3000])
def test_the_last_batch_that_does_is_found_for_every_pair(pairs):
    chance = random.Random(pairs)
    high = np.array([float(chance.choice([0, 1, 2, 17, 300, 10**9])) for _ in range(pairs)])
    last = np.array([float(chance.randrange(int(top) + 2)) for top in high])
    found = last_of_each(lambda batch: batch <= last, high)
    assert (found == np.minimum(last, high)).all()


@pytest.mark.parametrize("high", [1, 2, 4095, 4096, 4097, 12_288])
def test_the_batches_at_which_something_holds_are_found_to_the_batch(high):
    """One stretch with any ends, and what is left of it."""
    assert where(lambda batch: batch > 0, 0) == ()
    near = {1, 2, 3, high // 2, SCANNED - 1, SCANNED, SCANNED + 1, high - 1, high}
    near |= set(range(2 * SCANNED, 2 * SCANNED + 40))
    for end in sorted(end for end in near if 1 <= end <= high):
        assert where(lambda batch, end=end: batch <= end, high) == ((1, end),)
        assert where(lambda batch, end=end: batch >= end, high) == ((end, high),)
        before, after = ((1, end - 1),), ((end + 1, high),)
        rest = (*(before if end > 1 else ()), *(after if end < high else ()))
        if end <= SCANNED:
            assert where(lambda batch, end=end: batch != end, high) == rest
            assert where(lambda batch, end=end: batch == end, high) == ((end, end),)
