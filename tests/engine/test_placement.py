import math

import msgspec
import numpy as np
import pytest
from composition_setups import (
    FAST,
    SHAPE,
    SLOW,
    check_search_against_a_scan,
    composed,
    dense,
    grid_seconds,
    halves,
    layer_periods,
    many_pools,
    mixed_pools,
    sparse,
    with_pools,
)
from decode_setups import BF16, GB, QWEN, setups
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from literal_program import least_greatest, only

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.decode import decode as ordinary_decode
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.placement.experts import ReplicatedAttention
from ourmodels_gui.engine.placement.figures import figures
from ourmodels_gui.engine.placement.knapsack import divide
from ourmodels_gui.engine.placement.parts import parts
from ourmodels_gui.engine.placement.pools import PoolPolicy
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Device,
    Draft,
    Machine,
    ModelShape,
    Setup,
    Speculation,
    TypedCache,
)

MODEST = settings(max_examples=60, deadline=None)
FIGURES = (
    "verdict",
    "resident_margin_bytes",
    "spare_bytes",
    "memory_batch",
    "rate_limited_batch",
    "usable_batch",
    "best_batch",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "memory_power_tokens_per_s",
    "large_memory_limit_tokens_per_s",
    "crossover_tokens",
)


def same(found, wanted, rel=0.0):
    for name in FIGURES:
        one, other = getattr(found, name), getattr(wanted, name)
        if rel and isinstance(other, float):
            assert one == pytest.approx(other, rel=rel), name
        else:
            assert one == other, name


def split(ordinary: Setup, count: int, kind: str, **asked) -> Setup:
    """The ordinary setup's machine cut into equal devices."""
    machine = ordinary.machine
    part = Machine(
        machine.capacity_bytes / count,
        machine.bandwidth_bytes_per_s / count,
        {mode: rate / count for mode, rate in machine.compute_flop_per_s.items()},
    )
    overhead = ordinary.workload.overhead_bytes / count
    return with_pools(ordinary, [Device("d", part, overhead, count)], split=kind, **asked)


# Reductions --------------------------------------------------------------------------------------


@MODEST
@given(setups(ceilings=("memory", "combined")), st.sampled_from([1, 2, 4, 8]))
def test_a_tensor_split_over_an_infinite_link_is_all_the_devices_as_one(ordinary, count):
    found = split(ordinary, count, "tensor", link_bytes_per_s=math.inf, shape=SHAPE)
    same(placement.decode(found)[0], ordinary_decode(ordinary))


@MODEST
@given(setups(), st.sampled_from(["tensor", "layers", "experts"]))
def test_one_device_however_split_is_the_ordinary_bound(ordinary, kind):
    shape = ModelShape(4096, 64, tuple(8 for _ in ordinary.model.experts))
    found = split(ordinary, 1, kind, shape=shape)
    same(placement.decode(found)[0], ordinary_decode(ordinary))


@MODEST
@given(setups(speculating=False), st.integers(2, 8))
def test_one_session_of_a_layer_split_runs_at_one_device_with_all_their_memory(ordinary, count):
    device = Device("d", Machine(ordinary.machine.capacity_bytes, 1e12), 0.0, count)
    found = placement.decode(with_pools(ordinary, [device], split="layers", groups=1))[0]
    alone = msgspec.structs.replace(
        ordinary,
        machine=Machine(count * ordinary.machine.capacity_bytes, 1e12),
        workload=msgspec.structs.replace(ordinary.workload, overhead_bytes=0.0),
    )
    wanted = ordinary_decode(alone)
    for name in ("verdict", "memory_batch", "single_session_tokens_per_s", "best_batch"):
        assert getattr(found, name) == getattr(wanted, name)
    assert found.aggregate_tokens_per_s == wanted.aggregate_tokens_per_s


@MODEST
@given(setups(), st.floats(0.1, 0.9), st.sampled_from(["sequential", "both"]))
def test_pools_of_one_speed_are_one_pool_or_one_of_both_speeds(ordinary, share, pools):
    assume(ordinary.workload.overhead_bytes < share * ordinary.machine.capacity_bytes)
    first, second = halves(ordinary.machine, ordinary.workload.overhead_bytes, share)
    found = placement.decode(with_pools(ordinary, [first], host=second, pools=pools))[0]
    one = ordinary.machine
    times = 1 if pools == "sequential" else 2
    whole = msgspec.structs.replace(
        ordinary,
        machine=Machine(
            first.machine.capacity_bytes + second.machine.capacity_bytes,
            times * one.bandwidth_bytes_per_s,
        ),
    )
    wanted = ordinary_decode(whole)
    assert found.verdict == wanted.verdict or ordinary.workload.floor_tokens_per_s > 0
    assert found.memory_batch == wanted.memory_batch
    if wanted.memory_batch:
        single = found.single_session_tokens_per_s
        if pools == "sequential":
            assert single == pytest.approx(wanted.single_session_tokens_per_s, rel=1e-9)
        else:
            # Both pools can be kept busy only if the smaller has room for its half.
            assert single <= wanted.single_session_tokens_per_s * (1 + 1e-9)


def test_both_pools_of_one_speed_reach_the_sum_where_each_has_room_for_half():
    pool = Device("a", Machine(40 * GB, 500 * GB))
    found = evaluate(composed(dense(), [pool], host=pool, pools="both")).decode
    one = msgspec.structs.replace(
        composed(dense(), [pool], host=pool), composition=None, machine=Machine(80 * GB, 1e12)
    )
    assert found.aggregate_tokens_per_s == pytest.approx(
        ordinary_decode(one).aggregate_tokens_per_s, rel=1e-12
    )


@pytest.mark.parametrize("pools", ["sequential", "both"])
def test_a_device_with_room_for_all_is_as_fast_as_alone_and_one_without_room_as_the_host(pools):
    model = dense()
    roomy = Device("card", Machine(1e15, 936 * GB), 1 * GB)
    with_host = evaluate(composed(model, [roomy], host=SLOW, pools=pools)).decode
    alone = msgspec.structs.replace(
        composed(model, [roomy]), composition=None, machine=roomy.machine
    )
    wanted = ordinary_decode(alone).single_session_tokens_per_s
    if pools == "sequential":
        assert with_host.single_session_tokens_per_s == pytest.approx(wanted, rel=1e-12)
    else:
        assert with_host.single_session_tokens_per_s >= wanted
    full = Device("card", Machine(1 * GB, 936 * GB), 1 * GB)
    host_alone = evaluate(composed(model, [full], host=SLOW, pools=pools)).decode
    of_host = msgspec.structs.replace(
        composed(model, [SLOW]), composition=None, machine=SLOW.machine
    )
    assert host_alone.single_session_tokens_per_s == pytest.approx(
        ordinary_decode(of_host).single_session_tokens_per_s, rel=1e-12
    )


# Judges ------------------------------------------------------------------------------------------


def seconds_of(mode, first, second):
    """Seconds of an iteration from the traffic in each of two pools, literally."""
    a, b = first.machine.bandwidth_bytes_per_s, second
    if mode == "sequential":
        return lambda x, y: x / a + y / b
    return lambda x, y: max(x / a, y / b)


@MODEST
@given(mixed_pools(), st.integers(1, 300))
def test_no_placement_on_a_coarse_grid_beats_the_best(found, batch):
    mode = found.composition.pools
    way = PoolPolicy(found, mode)
    assume(way.memory_batch() > 0)
    batch = min(batch, way.memory_batch())
    lying = parts(found, way.step, np.array([float(batch)]))
    card, host = found.composition.devices[0], found.composition.host
    rooms = (card.machine.capacity_bytes, host.machine.capacity_bytes)
    second = host.machine.bandwidth_bytes_per_s
    if mode == "streamed":
        second = min(second, found.composition.link_bytes_per_s)
    best = grid_seconds(
        lying.held_bytes[:, 0], lying.moved_bytes[:, 0], rooms, seconds_of(mode, card, second)
    )
    assert 1 / way.per_session(np.array([float(batch)]))[0] <= best * (1 + 1e-9)


@pytest.mark.parametrize(
    ("mode", "quarters"),
    [*(("sequential", quarters) for quarters in range(5)), *(("both", q) for q in range(4))],
)
def test_the_best_is_on_the_grid_where_the_grid_has_it(mode, quarters):
    model = sparse()
    room = 2 * GB + quarters * 16 * 300e6
    session = 8 * 30_000.0 * 100
    card = Device("card", Machine(room + session, 9e14))
    found = composed(
        model,
        [card],
        host=SLOW,
        pools=mode,
        reserved_context_tokens=100,
        read_context_tokens=100,
        floor_tokens_per_s=0.0,
    )
    way = PoolPolicy(found, mode)
    lying = parts(found, way.step, np.array([1.0]))
    rooms = (room + session, SLOW.machine.capacity_bytes - SLOW.overhead_bytes)
    best = grid_seconds(
        lying.held_bytes[:, 0],
        lying.moved_bytes[:, 0],
        rooms,
        seconds_of(mode, card, SLOW.machine.bandwidth_bytes_per_s),
    )
    assert 1 / way.per_session(np.array([1.0]))[0] == pytest.approx(best, rel=1e-12)


ALIKE = ModelShape(4096, 12, key_heads=(8,), alike=True)


def layered(rooms, rates, layers=6, groups=None, batch=2):
    """Unlike devices in a layer split, with what one layer holds and moves at a batch."""
    devices = [
        Device(str(i), Machine(room, rate))
        for i, (room, rate) in enumerate(zip(rooms, rates, strict=True))
    ]
    model = dense(layers=layers, weights=6 * GB, per_token=600_000.0)
    found = composed(
        model,
        devices,
        groups=groups,
        shape=ALIKE,
        reserved_context_tokens=1000,
        read_context_tokens=500,
        floor_tokens_per_s=0.0,
    )
    held = 6 * GB / layers + batch * 600_000.0 * 1000 / layers
    moved = 6 * GB / layers + batch / (groups or 1) * 600_000.0 * 500 / layers
    return found, devices, (held, moved)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.floats(2e9, 9e9), st.floats(5e10, 2e12)), min_size=2, max_size=3),
    st.integers(1, 3),
)
def test_no_split_into_whole_layers_beats_the_fractional_one(pools, groups):
    groups = min(groups, len(pools))
    batch = groups
    rooms, rates = zip(*pools, strict=True)
    found, devices, layer = layered(rooms, rates, groups=groups, batch=batch)
    way = PoolPolicy(found, "sequential" if groups == 1 else "groups", groups)
    assume(way.memory_batch() >= batch)
    best = layer_periods(6, devices, layer, groups)
    period = 1 / way.per_session(np.array([float(batch)]))[0]
    assert period <= best * (1 + 1e-9)


@pytest.mark.parametrize("groups", [1, 2])
def test_a_split_into_whole_layers_is_met_where_it_is_the_best(groups):
    # Four layers fill the fast card exactly; with two groups equal speeds share three and three.
    held = 6 * GB / 6 + groups * 600_000.0 * 1000 / 6
    rooms = (4 * held, 9e9) if groups == 1 else (9e9, 9e9)
    rates = (1e12, 2e11) if groups == 1 else (1e12, 1e12)
    found, devices, layer = layered(rooms, rates, groups=groups, batch=groups)
    way = PoolPolicy(found, "sequential" if groups == 1 else "groups", groups)
    period = 1 / way.per_session(np.array([float(groups)]))[0]
    assert period == pytest.approx(layer_periods(6, devices, layer, groups), rel=1e-9)


def loads_of(mode, moved, pools, groups):
    """Every load that the period is no less than, for the linear program."""
    one = np.array([[1 / pool.source.machine.bandwidth_bytes_per_s] for pool in pools])
    if mode == "sequential":
        return [one * moved]
    count = len(pools)
    if mode != "groups":
        return [only(count, i, pools[i].all_s * moved) for i in range(count)]
    each = [only(count, i, one[i] / pools[i].source.count * groups * moved) for i in range(count)]
    return [one * moved, *each]


def check_against_the_program(way, batch):
    placed = way.placed(np.array([float(batch)]))
    held, moved = placed.parts.held_bytes[:, 0], placed.parts.moved_bytes[:, 0]
    fixed = np.array([way.pinned.get(name, np.nan) for name in placed.parts.classes])
    wanted = least_greatest(
        held, way.rooms_bytes, loads_of(way.mode, moved, way.pools, placed.groups[0]), fixed
    )
    period = placed.seconds[0]
    assert period == pytest.approx(wanted, rel=1e-9)
    check_what_lies_where(way, placed)


def check_what_lies_where(way, placed):
    """What is shown holds every byte once, in its room, and takes the period that is told."""
    held, moved = placed.parts.held_bytes[:, 0], placed.parts.moved_bytes[:, 0]
    traffic = way.traffic(placed)
    lying = divide(placed.parts, way.rooms_bytes, traffic[:, 0], way.pinned)
    assert lying.min() > -1e-12 and lying.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert (held @ lying <= way.rooms_bytes + 1e-9 * held.sum()).all()
    assert moved @ lying == pytest.approx(traffic[:, 0], rel=1e-9, abs=1e-9 * moved.sum())
    each = way.each_s(placed.groups, traffic)[:, 0]
    one = np.sum(traffic[:, 0] * way.one_s)
    shown = {"sequential": one, "groups": max(one, each.max())}.get(way.mode, each.max())
    assert shown == pytest.approx(placed.seconds[0], rel=1e-9)


@MODEST
@given(mixed_pools(), st.integers(1, 300), st.sampled_from([{}, {}, {"cache": 0.5}]))
def test_two_pools_agree_with_the_linear_program(found, batch, placement):
    made = msgspec.structs.replace(found.composition, placement=placement)
    way = PoolPolicy(msgspec.structs.replace(found, composition=made), found.composition.pools)
    assume(way.memory_batch() > 0)
    check_against_the_program(way, min(batch, way.memory_batch()))


@settings(max_examples=150, deadline=None)
@given(many_pools(), st.integers(1, 300))
def test_many_pools_agree_with_the_linear_program(found, batch):
    for way in policies(found):
        high = way.memory_batch()
        assume(high > 0)
        check_against_the_program(way, min(batch, high))


@settings(max_examples=40, deadline=None)
@given(mixed_pools(most=9000))
def test_the_search_for_the_best_batch_agrees_with_a_scan_of_all(found):
    check_search_against_a_scan(found)


# Orderings ---------------------------------------------------------------------------------------


@MODEST
@given(mixed_pools())
def test_a_session_never_speeds_up_with_more_of_them_and_policies_keep_their_order(found):
    ways = {way.mode: way for way in policies(found)}
    high = ways["both"].memory_batch()
    assume(high > 0)
    batches = np.unique(np.rint(np.geomspace(1, high, 40)))
    rates = {mode: way.per_session(batches) for mode, way in ways.items()}
    for rate in rates.values():
        assert (np.diff(rate) <= rate[1:] * 1e-9).all()
    assert (rates["sequential"] <= rates["both"] * (1 + 1e-9)).all()
    assert (rates["streamed"] <= rates["both"] * (1 + 1e-9)).all()
    pooled = found.machine.bandwidth_bytes_per_s
    moved = parts(found, ways["both"].step, batches).moved_bytes.sum(axis=0)
    assert (rates["both"] <= pooled / moved * (1 + 1e-9)).all()


def test_the_aggregate_can_fall_where_the_cache_pushes_weights_out():
    found = composed(
        sparse(per_token=1),
        [Device("card", Machine(23 * GB, 936 * GB))],
        host=SLOW,
        pools="sequential",
        routing="floor",
        floor_tokens_per_s=0.0,
        reserved_context_tokens=10_000,
        read_context_tokens=10_000,
    )
    result = evaluate(found)
    assert result.decode.best_batch < result.decode.memory_batch
    pushed = result.placement.pushed_out_from_batch
    assert pushed is not None and 1 < pushed <= result.decode.memory_batch
    # More sessions would fit and clear the floor; they would only be slower.
    assert result.decode.binding_gate == ""


@pytest.mark.parametrize("room, pushed", [(23, 6), (18, 2), (80, 63)])
def test_weights_are_pushed_out_by_the_first_session_whose_cache_takes_their_place(room, pushed):
    """18 GB of weights; a session keeps 1 GB, each byte read as two, so caches come first."""
    cache = (CacheLayer("full", 1, 100_000.0, 200_000.0),)
    model = msgspec.structs.replace(dense(), cache=cache)
    card = Device("card", Machine(room * GB, 936 * GB))
    asked = {"host": Device("host", Machine(40 * GB, 80 * GB)), "floor_tokens_per_s": 0.0}
    asked |= {"reserved_context_tokens": 10_000, "read_context_tokens": 10_000}
    for pools in ("sequential", "both"):
        found = evaluate(composed(model, [card], pools=pools, **asked))
        assert found.placement.pushed_out_from_batch == pushed


@settings(max_examples=60, deadline=None)
@given(mixed_pools(), st.floats(0.0, 1.2))
def test_the_last_usable_batch_is_the_last_of_a_scan_that_clears_the_floor(found, share):
    way = policies(found)[0]
    high = min(way.memory_batch(), 2000)
    assume(0 < way.memory_batch() == high)
    rates = way.per_session(np.arange(1.0, high + 1))
    floor = (share * rates[0] + (1 - share) * rates[-1]) * (1 - 1e-9)  # alike but for rounding
    workload = msgspec.structs.replace(found.workload, floor_tokens_per_s=float(floor))
    asked = msgspec.structs.replace(found, workload=workload)
    told = figures(asked, policies(asked)[0])
    clearing = np.flatnonzero(rates >= floor)
    if not len(clearing):
        assert told.last_usable_batch is told.last_usable_per_session_tokens_per_s is None
        return
    last = int(clearing[-1]) + 1
    assert told.last_usable_batch == last >= told.best_batch
    assert math.isclose(told.last_usable_per_session_tokens_per_s, rates[last - 1], rel_tol=1e-12)


@pytest.mark.parametrize("count", [2, 4, 8])
def test_a_slower_link_binds_and_an_adding_one_carries_less(count):
    asked = {"split": "tensor", "shape": SHAPE, "floor_tokens_per_s": 0.0}
    device = msgspec.structs.replace(FAST, count=count)
    slow = evaluate(composed(dense(), [device], link_bytes_per_s=1e7, **asked))
    fast = evaluate(composed(dense(), [device], link_bytes_per_s=1e13, **asked))
    adding = evaluate(composed(dense(), [device], link_bytes_per_s=1e7, link_reduces=True, **asked))
    assert slow.placement.binding.resource == "link"
    assert fast.placement.single_binding.resource == "memory"
    single = [x.decode.single_session_tokens_per_s for x in (slow, adding, fast)]
    assert single == sorted(single)
    sent = 128 * 5120 * 2 * 2 * (count - 1) / count
    assert single[0] == pytest.approx(1e7 / sent, rel=1e-12)


@pytest.mark.parametrize("reserved", [20_000, 20])
def test_where_the_link_binds_the_first_of_equally_good_batches_is_the_best(reserved):
    pair = msgspec.structs.replace(FAST, count=2)
    found = composed(
        dense(),
        [pair],
        host=SLOW,
        split="tensor",
        shape=SHAPE,
        link_bytes_per_s=1e8,
        reserved_context_tokens=reserved,
        read_context_tokens=reserved,
        floor_tokens_per_s=0.0,
    )
    (way, *_) = policies(found)
    best = placement.decode(found)[0].best_batch
    memory, link = (limit.per_session_tokens_per_s for limit in way.limits(np.array([1.0 * best])))
    before = [limit.per_session_tokens_per_s for limit in way.limits(np.array([best - 1.0]))]
    assert link <= memory and before[0] < before[1]
    assert best < way.memory_batch()


def test_in_balance_the_first_pool_is_said_to_bind():
    asked = {"reserved_context_tokens": 2000, "read_context_tokens": 2000}
    found = composed(dense(), [FAST], host=SLOW, floor_tokens_per_s=0.0, **asked)
    (way, *_) = policies(found)
    placed = way.placed(np.arange(1.0, way.memory_batch() + 1))
    each = way.each_s(placed.groups, way.traffic(placed))
    balanced = np.flatnonzero(np.isclose(*each, rtol=1e-12)) + 1
    assert len(balanced)
    assert {way.binding(int(batch)).place for batch in balanced} == {"card"}


def test_heads_that_cannot_be_divided_are_held_on_several_devices():
    device = msgspec.structs.replace(FAST, count=8)
    asked = {"split": "tensor", "link_bytes_per_s": 1e12}
    few = msgspec.structs.replace(SHAPE, key_heads=(2,))
    all_over, by_head = evaluate(composed(dense(), [device], shape=few, **asked)).placement.policies
    assert by_head.kind == "policy ceiling" and all_over.kind == "bound"
    # Two heads on eight devices: each holds a half instead of an eighth.
    assert by_head.memory_batch == all_over.memory_batch // 4
    assert by_head.single_session_tokens_per_s < all_over.single_session_tokens_per_s
    enough = msgspec.structs.replace(SHAPE, key_heads=(8,))
    one, other = evaluate(composed(dense(), [device], shape=enough, **asked)).placement.policies
    assert one.memory_batch == other.memory_batch
    assert one.aggregate_tokens_per_s == pytest.approx(other.aggregate_tokens_per_s, rel=1e-12)


def test_two_groups_keep_two_equal_devices_busy_but_one_session_only_one():
    pair = msgspec.structs.replace(FAST, count=2)
    asked = {"floor_tokens_per_s": 0.0, "reserved_context_tokens": 32_000}
    result = evaluate(composed(dense(), [pair], **asked))
    best, one = result.placement.policies
    assert best.groups == 2 and one.groups == 1 and one.kind == "policy ceiling"
    assert best.single_session_tokens_per_s == one.single_session_tokens_per_s
    assert best.aggregate_tokens_per_s > one.aggregate_tokens_per_s
    alone = Machine(48 * GB, FAST.machine.bandwidth_bytes_per_s)
    wanted = msgspec.structs.replace(
        composed(dense(), [pair], **asked), machine=alone, composition=None
    )
    assert one.single_session_tokens_per_s == ordinary_decode(wanted).single_session_tokens_per_s


def test_experts_in_host_memory_suit_a_model_with_few_active_ones():
    card = Device("card", Machine(8 * GB, 448 * GB), 1 * GB)
    host = Device("host", Machine(64 * GB, 90 * GB), 4 * GB)
    few = sparse(always=1 * GB, experts=128, per_token=8, size=0.13 * GB, tables=0.0)
    many = dense(weights=few.resident_bytes)
    asked = {"host": host, "pools": "sequential", "reserved_context_tokens": 8000}
    asked["read_context_tokens"] = 8000
    quick = evaluate(composed(few, [card], **asked)).decode.single_session_tokens_per_s
    slow = evaluate(composed(many, [card], **asked)).decode.single_session_tokens_per_s
    assert quick > 60 and slow < 10


def test_a_placement_as_given_is_kept_to_and_is_no_better_than_the_best():
    asked = {"reserved_context_tokens": 20_000, "read_context_tokens": 20_000}
    found = composed(
        sparse(), [FAST], host=SLOW, pools="sequential", floor_tokens_per_s=1.0, **asked
    )
    given_place = msgspec.structs.replace(
        found.composition, placement={"routed_experts": 0.0, "weights": 1.0, "cache": 1.0}
    )
    pinned = msgspec.structs.replace(found, composition=given_place)
    best, kept = evaluate(found), evaluate(pinned)
    assert kept.placement.kind == "policy ceiling"
    card = kept.placement.pools[0]
    assert card.held_bytes["routed_experts"] == 0.0 and card.held_bytes["weights"] == 2 * GB
    assert kept.decode.single_session_tokens_per_s < best.decode.single_session_tokens_per_s
    # 23 GB of the card, less 2 GB of weights, for caches of 4.8 GB.
    assert (kept.decode.memory_batch, best.decode.memory_batch) == (4, 12)


def test_what_does_not_fit_both_pools_is_a_verdict():
    found = evaluate(composed(dense(weights=200 * GB), [FAST], host=SLOW))
    assert found.decode.verdict == "model does not fit"
    assert found.decode.resident_margin_bytes == round((23 + 60 - 200) * GB)
    assert found.decode.single_session_tokens_per_s is None


def test_speculation_with_experts_in_host_memory_can_lose():
    card = Device("card", Machine(8 * GB, 448 * GB), 1 * GB)
    guess = Speculation(4, 1.6, Draft(0.1 * GB, 0.1 * GB))
    asked = {"host": SLOW, "pools": "sequential", "floor_tokens_per_s": 0.0}
    asked |= {"reserved_context_tokens": 4000, "read_context_tokens": 4000}
    plain = evaluate(composed(sparse(), [card], **asked)).decode
    told = evaluate(composed(sparse(), [card], guess, **asked)).decode
    assert told.single_session_tokens_per_s < plain.single_session_tokens_per_s
    needed = told.speculation.break_even_at_1
    assert needed == pytest.approx(
        1.6 * plain.single_session_tokens_per_s / told.single_session_tokens_per_s
    )
    assert told.speculation.loses_at[0][0] == 1
    best = told.best_batch
    at_best = evaluate(composed(sparse(), [card], batch=best, **asked)).decode.forced
    assert told.speculation.break_even_at_best == pytest.approx(
        1.6 * at_best.per_session_tokens_per_s / told.per_session_tokens_per_s
    )
    assert best > 1 and told.speculation.break_even_at_best != pytest.approx(needed, rel=0.01)


@MODEST
@given(setups(), st.integers(2, 8))
def test_dividing_experts_never_beats_all_devices_as_one(ordinary, count):
    shape = ModelShape(4096, 64, tuple(8 for _ in ordinary.model.experts))
    found = split(ordinary, count, "experts", link_bytes_per_s=1e11, shape=shape)
    whole = ordinary_decode(ordinary)
    for way in evaluate(found).placement.policies:
        assert way.memory_batch <= (whole.memory_batch or 0)
        if way.aggregate_tokens_per_s is not None and whole.aggregate_tokens_per_s is not None:
            assert way.aggregate_tokens_per_s <= whole.aggregate_tokens_per_s * (1 + 1e-9)


def test_attention_on_every_device_repeats_weights_and_no_session():
    """Two devices: 2 GB of weights, 0.5 of tables and the draft's 1 twice, all else once."""
    draft = Draft(1 * GB, 1 * GB, cache=TypedCache(0.1 * GB, 0.1 * GB))
    found = composed(
        sparse(),
        [Device("card", Machine(40 * GB, 1000 * GB), count=2)],
        Speculation(2, 2.0, draft),
        split="experts",
        link_bytes_per_s=1e10,
        reserved_context_tokens=10_000,
        read_context_tokens=10_000,
        floor_tokens_per_s=0.0,
    )
    (share,) = ReplicatedAttention(found).shares(3)
    assert share.held_bytes == pytest.approx(
        {
            "weights": 2 * 2 * GB,
            "embedding": 2 * 0.5 * GB,
            "routed_experts": 64 * 0.3 * GB,
            "cache": 3 * 2.4 * GB,
            "draft": 2 * 1 * GB + 3 * 0.1 * GB,
        }
    )


def test_an_ordinary_result_has_no_placement():
    found = msgspec.structs.replace(composed(QWEN, [SLOW]), composition=None)
    assert evaluate(found).placement is None


@settings(max_examples=30, deadline=None)
@given(setups(), st.floats(0.1, 0.8), st.floats(0.05, 20.0), st.sampled_from([None, 2]))
def test_two_devices_of_one_kind_are_the_same_as_one_kind_of_two(ordinary, share, slower, groups):
    whole = ordinary.machine
    twin = Machine(whole.capacity_bytes * share / 2, whole.bandwidth_bytes_per_s)
    other = Machine(whole.capacity_bytes * (1 - share), whole.bandwidth_bytes_per_s / slower)
    three = [Device("a", twin), Device("b", twin), Device("c", other)]
    pair = [Device("a", twin, count=2), Device("c", other)]
    apart, joined = (
        PoolPolicy(with_pools(ordinary, devices, groups=groups), "groups", groups)
        for devices in (three, pair)
    )
    high = joined.memory_batch()
    assume(high > 0)
    session = joined.gate().session_bytes
    # Whole bytes of a tiny session round too far for a batch that fills the memory.
    assume(session > 1000)
    for batch in {1.0, float(max(high // 2, 1))}:
        found, wanted = (way.per_session(np.array([batch]))[0] for way in (apart, joined))
        assert found == pytest.approx(wanted, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(setups(), st.floats(0.1, 0.8), st.floats(0.05, 20.0), st.integers(2, 6))
def test_the_best_number_of_groups_is_the_best_of_all(ordinary, share, slower, count):
    whole = ordinary.machine
    first = Machine(whole.capacity_bytes * share / count, whole.bandwidth_bytes_per_s)
    other = Machine(whole.capacity_bytes * (1 - share), whole.bandwidth_bytes_per_s / slower)
    found = with_pools(ordinary, [Device("a", first, count=count), Device("c", other)])
    best = PoolPolicy(found, "groups")
    high = best.memory_batch()
    assume(high > 0)
    batches = np.unique([1.0, float(min(high, 5)), float(high)])
    each = [
        PoolPolicy(found, "groups", groups).per_session(batches) for groups in range(1, count + 2)
    ]
    assert best.per_session(batches) == pytest.approx(np.max(each, axis=0), rel=1e-9)


def test_the_figures_of_a_policy_that_restricts_say_so():
    asked = {"reserved_context_tokens": 20_000, "read_context_tokens": 20_000}
    asked |= {"batch": 2, "floor_tokens_per_s": 1.0}
    rated = {
        "best_batch",
        "aggregate_tokens_per_s",
        "per_session_tokens_per_s",
        "single_session_tokens_per_s",
        "forced",
    }

    def kinds_of(model, **more):
        found = evaluate(composed(model, [FAST], host=SLOW, **asked, **more))
        kinds = found.decode.kind
        assert found.placement.kind == kinds["aggregate_tokens_per_s"]
        return {name for name in kinds if kinds[name] == "policy ceiling"}, found.decode

    assert kinds_of(dense())[0] == set()
    named, decode = kinds_of(dense(), pools="sequential")
    assert named == rated and decode.kind["memory_batch"] == "bound"
    assert any("one pool at a time" in reason for reason in decode.kind_reasons)
    assert not any("policy" in caution for caution in decode.cautions)
    # What is placed by hand holds fewer sessions as well.
    fixed = {"placement": {"weights": 1.0, "cache": 1.0, "routed_experts": 0.0}}
    assert kinds_of(sparse(), **fixed)[0] == rated | {"memory_batch", "usable_batch"}
    named, decode = kinds_of(sparse())
    assert not named and decode.kind["aggregate_tokens_per_s"] == "estimate"


def test_memory_and_arithmetic_together_never_take_less_than_arithmetic_alone():
    card = Device("card", Machine(106841387236.78546, 764988359933.622, {BF16: 12490299355548.412}))
    host = Device("host", Machine(12631116763.06185, 161026243599.43198, {BF16: 659793642104409.0}))
    each = 177.4001913675413
    model = msgspec.structs.replace(
        dense(weights=18685875918.364338),
        cache=(CacheLayer("full", 43, each, each),),
        linear_active_parameters=18685875918.364338,
        attention=(AttentionLayer("full", 4, query_width=4096.0),),
    )
    found = composed(
        model,
        [msgspec.structs.replace(card, overhead_bytes=0.5 * GB)],
        host=host,
        decode_ceiling="combined",
        reserved_context_tokens=16,
        read_context_tokens=16,
        floor_tokens_per_s=0.0,
    )
    (way, *_) = policies(found)
    batches = np.array([81.0, 821678.0])
    alone = way.compute_seconds(batches)
    assert (way.combined_seconds(batches) >= alone).all()
    assert (1.0 / way.per_session(batches) >= alone * (1 - 1e-15)).all()
