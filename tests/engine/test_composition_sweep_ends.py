"""Sweeps of compositions at their ends: one session, no byte left, ties, nothing read."""

import random

import msgspec
import numpy as np
import pytest
from composition_pairs import BF16, FP8, Drawn, each_device
from composition_setups import FAST, SHAPE, SLOW, dense, sparse
from decode_setups import GB
from swept_pairs import (
    COMPOSITIONS,
    WORKLOAD_FREE,
    assert_all_same,
    assert_drawn_same,
    setup_of,
    swept,
)

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.placement import sweep_search
from ourmodels_gui.engine.placement.balance import divided, most_traffic
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.placement.parts import Parts
from ourmodels_gui.engine.placement.sweep_pools import Times
from ourmodels_gui.engine.placement.sweep_search import highest_of_each
from ourmodels_gui.engine.placement.sweep_ways import near_floor
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Composition,
    Experts,
    Machine,
    TypedCache,
)

replace = msgspec.structs.replace
BACKWARDS = tuple(
    Composition((replace(card, name="card"),), host=replace(host, name="host"), pools=pools)
    for pools in ("sequential", "both")
    for card, host in (
        (SLOW, FAST),
        (SLOW, SLOW),
        (replace(SLOW, machine=Machine(5 * GB, 80 * GB)), FAST),
    )
)
"""Hosts with the faster memory, or one as fast; a card with next to none."""


def rated(composition, card_flop_per_s, other_flop_per_s):
    """The same with arithmetic of its fast and of its slow memory."""

    def change(device):
        fast = device.machine.bandwidth_bytes_per_s == FAST.machine.bandwidth_bytes_per_s
        rate = {BF16: card_flop_per_s if fast else other_flop_per_s}
        return replace(device, machine=replace(device.machine, compute_flop_per_s=rate))

    return each_device(change, composition)


def counted(model, parameters=2e9):
    """The same with the counts that its arithmetic follows from."""
    attention = (AttentionLayer("full", 8, query_width=4096.0),)
    return replace(
        model,
        linear_active_parameters=parameters,
        head_parameters=0.1 * parameters,
        attention=attention,
    )


@pytest.mark.parametrize("ceiling", ["memory", "combined"])
@pytest.mark.parametrize("composition", [*COMPOSITIONS, *BACKWARDS])
def test_one_or_two_sessions_fit_to_the_byte(composition, ceiling):
    """4 GB of weights, and caches that fill the rest; one is forced, then two."""
    pools = placement.pools_of(composition)
    room = placement.together(pools).capacity_bytes - placement.overhead_bytes(composition)
    caches = [TypedCache((room - 4 * GB) / seats, 1 * GB) for seats in (1, 2)]
    models = [counted(replace(dense(weights=4 * GB), cache=cache)) for cache in caches]
    models.append(counted(dense(weights=room)))
    fast = rated(composition, 1e13, 1e12)
    for batch in (1, 2):
        asked = replace(WORKLOAD_FREE, batch=batch, decode_ceiling=ceiling)
        assert_all_same([fast], models, [SHAPE, None, SHAPE], asked)
    if not composition.placement and composition.split != "experts":
        best = swept([fast], models, [SHAPE, None, SHAPE], asked).best_batch
        np.testing.assert_array_equal(best, [[1.0, 2.0, np.nan]])


@pytest.mark.parametrize("composition", [*COMPOSITIONS[3:5], *BACKWARDS])
def test_caches_that_are_read_wider_than_they_are_kept_fill_the_fast_pool_first(composition):
    """Where a batch just reaches the floor, and where it fails by more than rounding."""
    layers = CacheLayer("full", 8, 5e4, 1e5), CacheLayer("full", 1, 0.0, 9.0)
    models = [
        replace(dense(weights=12 * GB), cache=TypedCache(2 * GB, 6 * GB)),
        replace(dense(weights=40 * GB), cache=TypedCache(4 * GB, 6 * GB)),
        replace(sparse(size=0.1 * GB), cache=layers),
        replace(sparse(per_token=32), cache=TypedCache(8 * GB, 8 * GB)),
    ]
    for model in models:
        (way, *_) = policies(setup_of(composition, model, SHAPE, WORKLOAD_FREE))
        for batch in {1, way.memory_batch() - 1} - {-1, 0}:
            reached = float(way.per_session(np.array([float(batch)]))[0])
            for floor in (reached, reached * (1 + 2e-12)):
                asked = replace(WORKLOAD_FREE, floor_tokens_per_s=floor)
                assert_all_same([composition], [model], [SHAPE], asked)


@pytest.mark.parametrize("routing", ["expected", "floor"])
@pytest.mark.parametrize("ceiling", ["memory", "combined"])
def test_models_that_hold_less_than_they_sweep_and_layers_that_differ(routing, ceiling):
    """Unlike pools of every way of using them; experts of two kinds, tables, nothing read."""
    twice = replace(sparse(), experts=(Experts(8, 2, 0.5 * GB), *sparse().experts))
    models = [counted(replace(twice, resident_bytes=18 * GB)), counted(sparse(tables=3 * GB))]
    shapes = [replace(SHAPE, expert_layers=(4, 4)), replace(SHAPE, alike=True, head_bytes=1 * GB)]
    pinned = replace(COMPOSITIONS[6], placement={"embedding": 1.0, "routed_experts": 0.5})
    some = [rated(one, 1e12, 1e11) for one in (*COMPOSITIONS[3:], pinned)]
    asked = replace(WORKLOAD_FREE, routing=routing, decode_ceiling=ceiling)
    assert_all_same(some, models, shapes, asked)
    idle = replace(asked, read_context_tokens=0)
    assert_all_same(some[:2], models[1:], shapes[1:], idle)


def test_of_ways_with_as_much_in_all_the_first_serves():
    """Arithmetic limits both ways of dividing experts alike, and their gates differ."""
    composition = rated(replace(COMPOSITIONS[1], link_bytes_per_s=1e13), 1e11, 1e11)
    asked = replace(WORKLOAD_FREE, decode_ceiling="combined")
    model, shape = counted(sparse(size=0.1 * GB)), replace(SHAPE, expert_layers=(8,))
    first, second = policies(setup_of(composition, model, shape, asked))
    assert first.memory_batch() != second.memory_batch()
    assert_all_same([composition], [model], [shape], asked)


def test_arithmetic_of_equal_devices_limits_them_where_it_is_known():
    """Whole models on all of them, or one group after another; a lone card needs no link."""
    asked = replace(WORKLOAD_FREE, decode_ceiling="combined")
    equal = [*COMPOSITIONS[:3], replace(COMPOSITIONS[2], groups=1)]
    models, shapes = [counted(sparse()), sparse()], [replace(SHAPE, expert_layers=(8,))] * 2
    assert_all_same([rated(one, 1e11, 1e11) for one in equal], models, shapes, asked)
    assert_all_same(equal, models, shapes, asked)
    lone = Composition((FAST,), host=SLOW, split="tensor")
    assert_all_same([lone], models[1:], shapes[1:], WORKLOAD_FREE)


@pytest.mark.parametrize("ways", [{"pools": "both"}, {"pools": "sequential"}, {}, {"groups": 1}])
def test_memory_and_arithmetic_of_two_pools_together_take_longer_than_either(ways):
    """A pool of fast memory and one of fast arithmetic; an iteration takes more than a second."""
    pools = [
        replace(FAST, machine=Machine(24 * GB, 20 * GB, {BF16: 4e9})),
        replace(SLOW, machine=Machine(64 * GB, 5 * GB, {BF16: 1e12})),
    ]
    made = Composition(tuple(pools), **ways)
    if "pools" in ways:
        made = Composition((pools[0],), host=pools[1], **ways)
    asked = replace(WORKLOAD_FREE, decode_ceiling="combined", read_context_tokens=100)
    model = counted(dense(), 4e9)
    assert_all_same([made], [model], [SHAPE], asked)
    found, placed = placement.decode(setup_of(made, model, SHAPE, asked))
    assert found.single_session_tokens_per_s < 1.0 and placed.single_binding.resource == "compute"


@pytest.mark.parametrize("groups", [None, 1])
def test_the_head_is_computed_where_it_lies_beside_layers_that_stay_whole(groups):
    """Too little room for all where arithmetic is fast; the head has the least of it for a byte."""
    made = replace(rated(COMPOSITIONS[7], 1e12, 1e9), groups=groups)
    model, shape = counted(dense(weights=30 * GB), 4e9), replace(SHAPE, alike=True)
    shapes = [replace(shape, head_bytes=8 * GB), replace(shape, head_bytes=1 * GB)]
    asked = replace(WORKLOAD_FREE, decode_ceiling="combined")
    assert_all_same([made], [model, model], shapes, asked)


@pytest.mark.parametrize("composition", [COMPOSITIONS[4], COMPOSITIONS[7]])
def test_compositions_of_another_order_of_arithmetic_are_swept_apart(composition):
    """Cards and hosts of which either is faster at what is linear, and the card at attention."""
    modes = {FP8: 1.0}, {BF16: 1.0}
    made = [
        each_device(
            lambda device, rates=rates: replace(
                device,
                machine=replace(
                    device.machine,
                    compute_flop_per_s={
                        FP8: rates[device.name],
                        BF16: 2e11 if device.name == "card" else 1e11,
                    },
                ),
            ),
            composition,
        )
        for rates in ({"card": 1e11, "host": 1e12}, {"card": 1e12, "host": 1e11})
    ]
    asked = replace(WORKLOAD_FREE, decode_ceiling="combined")
    assert_drawn_same(Drawn(made, [counted(dense())], [SHAPE], asked, modes))


@pytest.mark.parametrize("composition", COMPOSITIONS[3:])
def test_arithmetic_may_leave_a_single_session_of_many(composition):
    """The floor is what one reaches whose 8 GFLOP take longer than its bytes: memory has many.

    Layers on devices one after another are as fast for as many as there are devices.
    """
    slow = rated(composition, 5e9, 5e9)
    free = replace(WORKLOAD_FREE, decode_ceiling="combined")
    model = counted(dense(weights=4 * GB, per_token=10.0), 4e9)
    (way, *_) = policies(setup_of(slow, model, SHAPE, free))
    asked = replace(free, floor_tokens_per_s=float(way.per_session(np.ones(1))[0]))
    assert_all_same([slow], [model], [SHAPE], asked)
    served = 1 if composition.host else len(composition.devices)
    assert swept([slow], [model], [SHAPE], asked).best_batch == served
    free = replace(asked, decode_ceiling="memory")
    assert swept([slow], [model], [SHAPE], free).best_batch > served


def test_what_goes_pair_by_pair_is_told_like_the_rest(monkeypatch):
    models = [dense(), counted(sparse()), dense(weights=300 * GB)]
    compositions = [rated(one, 1e11, 1e10) for one in (*COMPOSITIONS[:2:-1], *BACKWARDS)]
    asked = replace(WORKLOAD_FREE, batch=3, decode_ceiling="combined")
    whole = swept(compositions, models, [SHAPE] * 3, asked)
    monkeypatch.setattr(sweep_search, "OPEN", -1)
    pieces = swept(compositions, models, [SHAPE] * 3, asked)
    assert not whole.alone and len(pieces.alone) > len(compositions)
    for name in (
        "verdict",
        "resident_margin_bytes",
        "spare_bytes",
        "best_batch",
        "aggregate_tokens_per_s",
        "single_session_tokens_per_s",
        "forced_per_session_tokens_per_s",
        "binding",
        "single_binding",
    ):
        np.testing.assert_array_equal(getattr(pieces, name), getattr(whole, name), name)


def test_no_pool_is_left_with_less_than_nothing():
    """All fits into the fastest pool, whatever the order in which its parts are added up."""
    chance = np.random.default_rng(1)
    moved = chance.uniform(0.0, 1e10, (7, 200))
    parts = Parts(("weights",) * 7, chance.uniform(1.0, 1e10, (7, 200)), moved)
    most = most_traffic(parts, np.array([1e12, 1e12, 1e12]), {})
    traffic = divided(most, np.array([2.0, 1.0, 3.0]), None)
    assert (traffic >= 0.0).all() and (traffic[[0, 2]] <= 1e-15 * traffic[1]).all()


def test_a_floor_is_near_where_either_batch_beside_it_is():
    """Rates s / b: the last that clears, and the next where it fits."""
    one, two, fitting = np.array([1.0]), np.array([2.0]), np.array([9.0])
    for scale in (1e-3, 1.0, 1e3):

        def near(floor, usable, memory, scale=scale):
            return near_floor(lambda batch: scale / batch, scale * floor, usable, memory).item()

        assert near(1.0, one, fitting) and near(1 + 1e-13, one, fitting)
        assert near(1 / 2, one, fitting) and near(1 / 2, two, fitting) and near(1 / 3, two, fitting)
        assert not (near(1 + 1e-12, one, fitting) or near(0.7, one, fitting))
        assert not (near(1 / 4, two, fitting) or near(0.4, two, fitting))
        assert not (near(1 / 2, one, one) or near(1.0, 0.0 * one, 0.0 * one))
    assert not near_floor(lambda batch: 0.0 * batch, 0.0, one, fitting)


def test_aggregates_of_two_pools_peak_where_a_look_at_every_batch_says():
    """One pool at a time, r in the faster: of the traffic t = A + b K + M, M = S (1 - q^b) of
    experts, the slower moves what is left of t, of t - r, and of all but the experts that fit."""
    chance, many = random.Random(6), 600
    high = np.array([float(chance.randrange(1, 3000)) for _ in range(many)])
    figures = (
        (
            10 ** chance.uniform(-3, 1),
            chance.choice([0.0, 10 ** chance.uniform(-6, -1)]),
            10 ** chance.uniform(-2, 2),
            10 ** chance.uniform(-3.5, 0),
            10 ** chance.uniform(-3, 0),
            10 ** chance.uniform(-1, 2),
        )
        for _ in range(many)
    )
    always, read, experts, fading, fast, room = np.array(list(figures)).T
    none, saved = 0.0 * fast, 1.0 - fast
    times = [fast, none, none, 1.0 + none, saved * room, none]
    times += [fast, 1.0 - saved * (room - always) / experts, saved * read / experts]
    ceilings = Times(np.array([always, read, experts, fading, *times]), 2, peaked=True)
    found, unsure = highest_of_each(ceilings, high)
    batches = np.arange(1.0, 3001.0)[:, np.newaxis]
    even, routed = always + batches * read, experts * (1.0 - np.exp(-fading * batches))
    inside = np.minimum((room - even) / experts, 1.0)
    seconds = np.max(
        [
            fast * (even + routed),
            even + routed - saved * room,
            fast * even + routed * (1.0 - saved * inside),
        ],
        axis=0,
    )
    aggregate = np.where(batches <= high, batches / seconds, 0.0)
    first = (aggregate >= aggregate.max(axis=0) * (1 - 1e-12)).argmax(axis=0) + 1
    assert not unsure.any() and ((first > 1) & (first < high)).sum() > 20
    np.testing.assert_array_equal(found, first)
