"""How bytes and arithmetic divide over pools: a few units of each against the linear program.

The figures are small whole numbers, so that a byte too many counts, and parts tie, hold nothing or
move nothing.
"""

import itertools

import numpy as np
import pytest
from literal_program import least_greatest, only

from ourmodels_gui.engine.placement.arithmetic import Work
from ourmodels_gui.engine.placement.balance import (
    divided,
    least_at_once,
    least_in_turn,
    least_of_groups,
    most_traffic,
)
from ourmodels_gui.engine.placement.knapsack import densest_first, divide
from ourmodels_gui.engine.placement.parts import Parts
from ourmodels_gui.engine.placement.pool_work import Arithmetic

MODES = ("sequential", "groups", "both")
BATCHES = 4


class Case:
    """Parts by batches, pools with room for them, and at times a class with a fixed place."""

    def __init__(self, seed: int, pools: int | None = None) -> None:
        rng = np.random.default_rng(seed)
        count, many = pools or int(rng.integers(2, 5)), int(rng.integers(1, 6))
        names = tuple("abcde"[:many])
        held = rng.integers(0, 6, (many, BATCHES)) * 1.0
        moved = rng.integers(0, 6, (many, BATCHES)) * 1.0
        moved[0] += 1.0
        if seed % 3 == 0:
            moved[0], held[0] = held[0] + 1.0, held[0] + 1.0
        self.parts, self.placement = Parts(names, held, moved), {}
        if count == 2 and seed % 2:
            share = float(rng.choice([0.0, 0.25, 0.5, 1.0]))
            self.placement = {names[-1]: share}
        self.fixed = np.array([self.placement.get(name, np.nan) for name in names])
        # No more room than the fullest batch needs, at times.
        most = held.sum(axis=0).max() + rng.integers(0, 3)
        cuts = np.sort(rng.integers(0, int(most) + 1, count - 1))
        self.rooms = np.diff([0.0, *cuts, most])
        if self.placement:
            pinned = np.nanmax(held[-1]) * np.array([self.fixed[-1], 1.0 - self.fixed[-1]])
            self.rooms = np.maximum(self.rooms, pinned)
        self.one = 1.0 / rng.integers(1, 5, count)
        self.counts = rng.integers(1, 4, count) * 1.0
        self.groups = rng.integers(1, 4, BATCHES) * 1.0
        self.every = self.one / self.counts
        self.rng = rng

    def loads(self, mode, one, batch, counts=None):
        """The loads of seconds `one`, pools by parts, of one kind of work."""
        times = self.groups[batch] if mode == "groups" else 1.0
        each = times * one / (self.counts if counts is None else counts)[:, np.newaxis]
        alone = [only(len(one), pool, seconds) for pool, seconds in enumerate(each)]
        return {"sequential": [one], "both": alone, "groups": [one, *alone]}[mode]

    def program(self, batch, loads):
        return least_greatest(self.parts.held_bytes[:, batch], self.rooms, loads, self.fixed)


def seconds_of(case, mode, most, one, every):
    if mode == "sequential":
        return least_in_turn(most, one)
    return least_at_once(most, every) if mode == "both" else least_of_groups(most, one, every)


@pytest.mark.parametrize(("seed", "mode"), list(itertools.product(range(24), MODES)))
def test_the_traffic_of_pools_takes_the_least_time_and_lies_where_it_is_told(seed, mode):
    case = Case(seed)
    groups = case.groups if mode == "groups" else np.ones(BATCHES)
    every = np.outer(case.every, groups)
    most = most_traffic(case.parts, case.rooms, case.placement)
    seconds = seconds_of(case, mode, most, case.one, every)
    limits = None if mode == "sequential" else seconds / every
    traffic = divided(most, case.one, limits)
    for batch in range(BATCHES):
        held, moved = case.parts.held_bytes[:, batch], case.parts.moved_bytes[:, batch]
        one = np.outer(case.one, moved)
        wanted = case.program(batch, case.loads(mode, one, batch))
        assert seconds[batch] == pytest.approx(wanted, rel=1e-9)
        lone = Parts(case.parts.classes, held[:, np.newaxis], moved[:, np.newaxis])
        lying = divide(lone, case.rooms, traffic[:, batch], case.placement)
        assert lying.min() > -1e-12 and lying.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        assert (held @ lying <= case.rooms + 1e-9).all()
        assert moved @ lying == pytest.approx(traffic[:, batch], abs=1e-9)
        pinned = ~np.isnan(case.fixed)
        assert lying[pinned, 0] == pytest.approx(case.fixed[pinned])
        taken = [(traffic[:, batch] * case.one).sum(), (traffic[:, batch] * every[:, batch]).max()]
        told = {"sequential": taken[:1], "both": taken[1:], "groups": taken}[mode]
        assert max(told) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("asked", [0.0, 3.0 - 1e-9, 3.0, 5.0])
def test_a_pool_that_cannot_move_so_little_or_so_much_moves_what_its_room_holds(asked):
    """Every byte moves once: a room of three holds what moves three, whichever they are."""
    alike = Parts(("a", "b"), np.array([[2.0], [6.0]]), np.array([[2.0], [6.0]]))
    lying = divide(alike, np.array([3.0, 5.0]), np.array([asked, 8.0 - asked]), {})
    assert np.array([2.0, 6.0]) @ lying == pytest.approx([3.0, 5.0])
    assert lying.sum(axis=1) == pytest.approx([1.0, 1.0])


def test_of_bytes_that_move_alike_the_first_lie_in_the_first_pool():
    alike = Parts(("a", "b", "c"), np.array([[2.0], [6.0], [1.0]]), np.array([[2.0], [6.0], [0.0]]))
    lying = divide(alike, np.array([3.0, 6.0]), np.array([3.0, 5.0]), {})
    assert lying[:, 0] == pytest.approx([1.0, 1 / 6, 0.0])


@pytest.mark.parametrize("seed", range(12))
def test_the_densest_traffic_fills_a_room_first(seed):
    parts, rng = Case(seed).parts, np.random.default_rng(seed)
    rooms = rng.integers(0, 12, BATCHES) * 1.0
    found = densest_first(parts, rooms)
    for batch, room in enumerate(rooms):
        held, moved = parts.held_bytes[:, batch], parts.moved_bytes[:, batch]
        left = room
        for place in sorted(range(len(held)), key=lambda j: -moved[j] / max(held[j], 1e-9)):
            share = min(left / held[place], 1.0) if held[place] else 1.0
            assert found[place, batch] == pytest.approx(share, abs=1e-12)
            left -= share * held[place]


def worked(case):
    """FLOPs of every part and of what belongs to none, at each batch."""
    linear = case.rng.integers(0, 6, (len(case.parts.classes) + 1, BATCHES)) * 1.0
    attention = case.rng.integers(0, 6, linear.shape) * 1.0
    linear[0] += 1.0
    none = np.zeros((1, BATCHES))
    case.parts = Parts(
        (*case.parts.classes, "arithmetic"),
        np.vstack([case.parts.held_bytes, none]),
        np.vstack([case.parts.moved_bytes, none]),
    )
    case.fixed = np.append(case.fixed, np.nan)
    return Work(case.parts, linear, attention)


def flop_seconds(case, unknown=False):
    """Seconds for a FLOP of both paths in one device of each pool; the first is always known."""
    found = 1.0 / case.rng.integers(1, 5, (2, len(case.one)))
    if unknown:
        found[:, int(case.rng.integers(1, len(case.one)))] = 0.0
    return found


@pytest.mark.parametrize(("seed", "mode"), list(itertools.product(range(18), (*MODES, "streamed"))))
def test_arithmetic_alone_takes_the_least_time(seed, mode):
    """Attention counts as the linear FLOPs that it takes the time of where it is the cheapest."""
    case = Case(seed)
    made, one = worked(case), flop_seconds(case, unknown=seed % 5 == 0)
    does = np.ones(len(case.one), dtype=bool)
    if mode == "streamed":
        does[-1] = False
        one[:, -1] = 0.0
    all_s = one / case.counts
    way = Arithmetic(mode, case.placement, does, one, all_s)
    groups = case.groups if mode == "groups" else np.ones(BATCHES)
    found = way.alone(made, groups, case.rooms)
    doing = np.flatnonzero(does & (one[0] > 0.0))
    ratio = min(one[1, pool] / one[0, pool] for pool in doing)
    flop = made.linear_flop + ratio * made.attention_flop
    linear, counts = one[0, does], case.counts[does]
    for batch in range(BATCHES):
        each = np.outer(linear, flop[:, batch])
        loads = case.loads("both" if mode == "streamed" else mode, each, batch, counts)
        if mode == "streamed":
            free = np.zeros(len(flop))
            wanted = least_greatest(free, np.ones(len(linear)), loads)
        else:
            wanted = case.program(batch, loads)
        assert found.seconds[batch] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        # All of it is done, by each pool in no more than its time.
        times = found.each_s[:, batch]
        assert not times[~does].any()
        assert (times >= -1e-12).all()
        last = times.sum() if mode == "sequential" else times.max()
        assert last <= wanted * (1 + 1e-9) + 1e-12
        if linear.all():
            rates = 1.0 / linear
            if mode != "sequential":
                rates = rates * counts / groups[batch]
            assert times[does] @ rates == pytest.approx(flop[:, batch].sum(), rel=1e-9)


@pytest.mark.parametrize(("seed", "mode"), list(itertools.product(range(24), MODES)))
def test_memory_and_arithmetic_of_two_pools_take_the_least_time_together(seed, mode):
    case = Case(seed, pools=2)
    made, one = worked(case), flop_seconds(case, unknown=seed % 5 == 0)
    way = Arithmetic(mode, case.placement, np.ones(2, dtype=bool), one, one / case.counts)
    groups = case.groups if mode == "groups" else np.ones(BATCHES)
    most = most_traffic(case.parts, case.rooms, case.placement)
    every = np.outer(case.every, groups)
    memory = seconds_of(case, mode, most, case.one, every)
    traffic = divided(most, case.one, None if mode == "sequential" else memory / every)
    found = way.together(made, groups, case.rooms, (case.one, case.every), (memory, traffic[0]))
    for batch in range(BATCHES):
        held, moved = case.parts.held_bytes[:, batch], case.parts.moved_bytes[:, batch]
        flop_s = [
            made.linear_flop[:, batch] * a + made.attention_flop[:, batch] * b for a, b in one.T
        ]
        kinds = [np.outer(case.one, moved), np.array(flop_s)]
        loads = [load for kind in kinds for load in case.loads(mode, kind, batch)]
        if mode != "both":
            loads += [np.array([kinds[a][0], kinds[b][1]]) for a, b in ((0, 1), (1, 0))]
        wanted = case.program(batch, loads)
        assert found.seconds[batch] == pytest.approx(wanted, rel=1e-9)
        inside = found.fractions[:, batch]
        lying = np.stack([inside, 1.0 - inside])
        assert (inside >= -1e-12).all() and (inside <= 1 + 1e-12).all()
        assert (lying @ held <= case.rooms + 1e-9).all()
        pinned = ~np.isnan(case.fixed)
        assert inside[pinned] == pytest.approx(case.fixed[pinned])
        assert max((load * lying).sum() for load in loads) == pytest.approx(wanted, rel=1e-9)
        times = (lying * kinds[1]).sum(axis=1)
        if mode != "sequential":
            times = times / case.counts * groups[batch]
        assert found.each_s[:, batch] == pytest.approx(times, abs=1e-12)
