import random

import msgspec
import numpy as np
import pytest
from composition_pairs import KINDS, drawn, made_composition, made_model, made_workload
from composition_setups import FAST, SHAPE, SLOW, dense, sparse
from decode_setups import BF16, GB
from hypothesis import given, settings
from hypothesis import strategies as st
from swept_pairs import (
    COMPOSITIONS,
    WORKLOAD,
    WORKLOAD_FREE,
    assert_all_same,
    assert_drawn_same,
    setup_of,
    swept,
)

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.placement import sweep as swept_by
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    Composition,
    Device,
    Experts,
    Machine,
    TypedCache,
)


@settings(max_examples=50, deadline=None)
@given(st.randoms(use_true_random=False))
def test_every_pair_is_what_decode_says_of_it(chance):
    assert_drawn_same(drawn(chance))


@pytest.mark.parametrize("seed", [38, 78, 99, 169])
def test_pairs_in_which_rounding_once_showed_are_what_decode_says_of_them(seed):
    """Arithmetic that belongs to no part; in no time in one pool, and less than none in another."""
    assert_drawn_same(drawn(random.Random(seed)))


@pytest.mark.parametrize("ceiling", ["memory", "combined"])
@pytest.mark.parametrize("split", ["tensor", "experts"])
def test_a_link_that_binds_takes_as_long_to_the_last_bit(split, ceiling):
    """Cards that send each other everything, beside a host."""
    chance = random.Random(f"{split} link")
    compositions = [
        msgspec.structs.replace(made_composition(chance, ["host"]), split=split, **asked)
        for asked in [{"link_bytes_per_s": 10 ** chance.uniform(7, 8)} for _ in range(4)]
    ]
    models, shapes = zip(*(made_model(chance) for _ in range(6)), strict=True)
    asked = msgspec.structs.replace(WORKLOAD_FREE, batch=7, decode_ceiling=ceiling)
    assert_all_same(compositions, models, shapes, asked)
    found = swept(compositions, models, shapes, asked)
    bound = [found.bindings[row][code].resource for (row, _), code in np.ndenumerate(found.binding)]
    assert bound.count("link") > 4


def test_layers_that_stay_whole_take_as_long_to_the_last_bit():
    """Unlike devices with the arithmetic charged: the order in which parts are added shows."""
    chance = random.Random("3006unlikecombined")
    compositions = [made_composition(chance, ["unlike"]) for _ in range(3)]
    models, shapes = zip(*(made_model(chance) for _ in range(3)), strict=True)
    asked = msgspec.structs.replace(made_workload(chance), decode_ceiling="combined")
    assert shapes[0].alike
    assert_all_same(compositions, models, shapes, asked)


@pytest.mark.parametrize("kind", KINDS)
def test_few_of_the_400_pairs_of_any_kind_need_the_road_of_one_pair(kind, monkeypatch):
    chance, taken = random.Random(kind), []
    compositions = [made_composition(chance, [kind]) for _ in range(20)]
    models, shapes = zip(*(made_model(chance) for _ in range(20)), strict=True)
    alone = swept_by.decode
    monkeypatch.setattr(swept_by, "decode", lambda setup: taken.append(setup) or alone(setup))
    swept(compositions, models, shapes)
    assert len(taken) <= 20


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_a_floor_that_a_batch_just_reaches_is_decided_alike(chance):
    composition, (model, shape) = made_composition(chance), made_model(chance)
    workload = made_workload(chance)
    way = policies(setup_of(composition, model, shape, workload))[0]
    batch = chance.randrange(1, min(way.memory_batch(), 10**6) + 2)
    reached = float(way.per_session(np.array([float(batch)]))[0])
    exact = msgspec.structs.replace(workload, floor_tokens_per_s=reached)
    assert_all_same([composition], [model], [shape], exact)


@pytest.mark.parametrize("kind", ["host", "given", "unlike", "three"])
def test_no_batch_is_better_than_the_best(kind):
    """Neither search: every batch that fits and clears the floor, past those that are scanned."""
    chance, judged = random.Random(kind), 0
    while judged < 12:
        composition, (model, shape) = made_composition(chance, [kind]), made_model(chance)
        workload = made_workload(chance)
        way = policies(setup_of(composition, model, shape, workload))[0]
        if not 4096 < way.memory_batch() < 60_000:
            continue
        judged += 1
        batches = np.arange(1.0, way.memory_batch() + 1)
        rates = way.per_session(batches)
        batches, rates = (kept[rates >= workload.floor_tokens_per_s] for kept in (batches, rates))
        found = swept([composition], [model], [shape], workload)
        if not batches.size:
            assert np.isnan(found.best_batch.item())
            continue
        assert found.aggregate_tokens_per_s.item() == pytest.approx(
            (batches * rates).max(), rel=1e-12
        )
        first = np.argmax(batches * rates >= (batches * rates).max() * (1 - 1e-12))
        assert found.best_batch.item() == batches[first]


@pytest.mark.parametrize("pools", ["sequential", "both"])
def test_two_pools_have_their_best_batches_where_scans_of_all_have_them(pools):
    chance, judged = random.Random("two"), 0
    drawn = [made_composition(chance, ["host"]) for _ in range(6)]
    compositions = [msgspec.structs.replace(one, pools=pools, split="layers") for one in drawn]
    models, shapes = zip(*(made_model(chance) for _ in range(20)), strict=True)
    found = swept(compositions, models, shapes, WORKLOAD_FREE)
    for row, column in np.argwhere((found.memory_batch > 1) & (found.memory_batch < 20_000)):
        setup = setup_of(compositions[row], models[column], shapes[column], WORKLOAD_FREE)
        batches = np.arange(1.0, found.memory_batch[row, column] + 1)
        aggregate = batches * policies(setup)[0].per_session(batches)
        judged += np.argmax(aggregate) not in {0, aggregate.size - 1}
        assert found.best_batch[row, column] == 1 + np.argmax(
            aggregate >= aggregate.max() * (1 - 1e-12)
        )
    assert judged > 5


@pytest.mark.parametrize("kind", ["host", "given", "unlike", "three"])
def test_no_batch_of_a_fine_ladder_is_better_than_the_best(kind):
    """One at a time, where far more sessions fit than can be tried: it peaks where pools change."""
    chance, judged = random.Random("ladder"), 0
    while judged < 30:
        composition, (model, shape) = made_composition(chance, [kind]), made_model(chance)
        setup = setup_of(composition, model, shape, WORKLOAD_FREE)
        way = policies(setup)[0]
        if way.memory_batch() < 60_000:
            continue
        judged += 1
        rungs = np.unique(np.rint(np.geomspace(1, way.memory_batch(), 5000)))
        found, _ = placement.decode(setup)
        assert found.aggregate_tokens_per_s >= (rungs * way.per_session(rungs)).max() * (1 - 1e-12)


@pytest.mark.parametrize("floor", [0.0, 5.0, 1e9])
def test_nothing_fits_one_session_fits_and_huge_caches(floor):
    shape = msgspec.structs.replace(SHAPE, expert_layers=(32,))
    room = 23 * GB + 60 * GB
    models = [
        dense(weights=300 * GB),
        msgspec.structs.replace(dense(weights=room - 3 * GB), cache=TypedCache(2 * GB, 1 * GB)),
        msgspec.structs.replace(dense(), cache=TypedCache(500 * GB, 1 * GB)),
        msgspec.structs.replace(sparse(), cache=TypedCache(1.0, 1.0)),
        msgspec.structs.replace(sparse(), cache=TypedCache(3 * GB, 0.0)),
        msgspec.structs.replace(sparse(), experts=(Experts(8, 2, 0.0), *sparse().experts)),
    ]
    twice = msgspec.structs.replace(SHAPE, expert_layers=(1, 32))
    asked = msgspec.structs.replace(WORKLOAD, floor_tokens_per_s=floor, batch=2)
    assert_all_same(COMPOSITIONS, models, [SHAPE, SHAPE, None, shape, shape, twice], asked)
    found = swept(COMPOSITIONS[3:4], models, [None] * 6, asked)
    assert found.memory_batch[0, 1:3].tolist() == [1.0, 0.0] and np.isnan(found.memory_batch[0, 0])


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_a_model_that_fits_nowhere_has_no_best_batch(composition):
    found = swept([composition], [dense(weights=300 * GB)], [SHAPE])
    assert np.isnan(found.best_batch).all() and np.isnan(found.memory_batch).all()


def test_the_combined_ceiling_is_swept_as_well():
    asked = msgspec.structs.replace(WORKLOAD, decode_ceiling="combined")
    chance = random.Random(3)
    compositions = [made_composition(chance, [kind]) for kind in KINDS]
    models, shapes = zip(*(made_model(chance) for _ in range(2)), strict=True)
    assert_all_same(compositions, models, shapes, asked)


def test_arithmetic_that_is_not_known_is_not_charged():
    asked = msgspec.structs.replace(WORKLOAD, decode_ceiling="combined", floor_tokens_per_s=0.0)
    slow = Machine(64 * GB, 80 * GB, {BF16: 1e10})
    fast = Machine(24 * GB, 936 * GB, {BF16: 1e12})
    known = msgspec.structs.replace(
        dense(),
        linear_active_parameters=9e9,
        attention=(AttentionLayer("full", 4, query_width=4096.0),),
    )
    pools = [FAST, Device("card", fast, 1 * GB)], [SLOW, Device("host", slow, 4 * GB)]
    compositions = [Composition((card,), host=host) for card in pools[0] for host in pools[1]]
    assert_all_same(compositions, [known, dense()], [SHAPE, SHAPE], asked)
    found = swept(compositions, [known, dense()], [SHAPE, SHAPE], asked)
    bound = [found.bindings[row][code].resource for row, code in enumerate(found.binding[:, 0])]
    assert "compute" in bound
    charged, free = found.aggregate_tokens_per_s.T
    assert charged[0] == free[0] and charged[-1] < free[-1]


def test_policies_of_one_composition_say_where_they_bind():
    found = swept([COMPOSITIONS[0]], [dense(per_token=1.0)], [SHAPE])
    assert found.bindings[0][int(found.binding.item())].resource == "link"
    assert found.bindings[0][int(found.single_binding.item())].resource == "memory"


@pytest.mark.parametrize(("rows", "columns"), [(0, 1), (1, 0), (0, 0)])
def test_nothing_to_sweep_is_an_empty_answer(rows, columns):
    for composition in COMPOSITIONS:
        found = swept([composition] * rows, [dense()] * columns, [None] * columns)
        assert found.verdict.shape == found.spare_bytes.shape == (rows, columns)


def test_a_model_without_a_cache_is_no_decoder():
    with pytest.raises(ValueError, match="K_alloc"):
        swept(
            [COMPOSITIONS[3]],
            [msgspec.structs.replace(dense(), cache=TypedCache(0.0, 0.0))],
            [None],
        )


def test_a_tensor_split_needs_its_link():
    unlinked = msgspec.structs.replace(COMPOSITIONS[0], link_bytes_per_s=None)
    with pytest.raises(ValueError, match="link"):
        swept([unlinked], [dense()], [SHAPE])
