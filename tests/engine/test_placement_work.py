"""The arithmetic of pools of unlike speed: each does that of the bytes that lie in it."""

import math
from itertools import product

import msgspec
import numpy as np
import pytest
from composition_setups import (
    RATES,
    check_search_against_a_scan,
    composed,
    halves,
    many_pools,
    mixed_pools,
    with_pools,
    with_work,
)
from decode_setups import BF16, GB, setups
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from literal_program import least_greatest, only

from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.placement.pools import Aggregates, PoolPolicy
from ourmodels_gui.engine.placement.search import highest
from ourmodels_gui.engine.setup import CacheLayer, Device, Machine, ModelCosts
from ourmodels_gui.engine.step import decode_step, per_session_tokens_per_s

MODEST = settings(max_examples=80, deadline=None)
replace = msgspec.structs.replace


def parts_of(found, batch, working):
    """Bytes held, bytes moved, linear and attention FLOPs of each part, written out."""
    model, work, shape = found.model, found.workload, found.composition.shape
    (group,), (layer,), (attending,) = model.experts, model.cache, model.attention
    linear = 2 * working * (model.linear_active_parameters + model.head_parameters)
    attention = (
        working * attending.count * 4 * attending.query_width * (work.read_context_tokens + 1)
    )
    inside = shape.expert_parameters
    of_experts = 0.0 if inside is None else 2 * working * inside
    of_weights = 0.0 if inside is None else linear - of_experts
    of_cache = attention if attending.count == layer.count else 0.0
    read = layer.count * layer.read_bytes_per_token * work.read_context_tokens
    held = layer.count * layer.bytes_per_token * work.reserved_context_tokens
    rows = [(model.always_bytes, model.always_bytes, of_weights, 0.0)]
    if work.routing == "floor":
        hot, cold = group.per_token, group.routed - group.per_token
        rows.append((hot * group.expert_bytes, hot * group.expert_bytes, of_experts, 0.0))
        rows.append((cold * group.expert_bytes, 0.0, 0.0, 0.0))
    else:
        touched = group.routed * (1 - (1 - group.per_token / group.routed) ** working)
        size = group.routed * group.expert_bytes
        rows.append((size, touched * group.expert_bytes, of_experts, 0.0))
    rows.append((batch * read, working * read, 0.0, of_cache))
    rows.append((batch * (held - read), 0.0, 0.0, 0.0))
    tables = model.resident_bytes - model.always_bytes - group.routed * group.expert_bytes
    rows.append((tables, 0.0, 0.0, 0.0))
    rows.append((0.0, 0.0, linear - of_weights - of_experts, attention - of_cache))
    return np.maximum(np.array(rows).T, 0.0)


def flop_s(device, share=1.0):
    """Seconds for a FLOP of the linear and of the attention path; none where unknown."""
    rates = [device.machine.compute_flop_per_s.get(mode, math.inf) for mode in RATES]
    return [share / rate for rate in rates]


def literal_loads(way, batch, groups):
    """Every load that the period is no less than: pools by parts."""
    held, moved, linear, attention = parts_of(way.setup, batch, batch / groups)
    pools, count = way.pools, len(way.pools)
    one, every = [], []
    for index, pool in enumerate(pools):
        fast, slow = flop_s(pool.source)
        byte = 1 / pool.source.machine.bandwidth_bytes_per_s
        times = (moved * byte, linear * fast + attention * slow)
        one.append([only(count, index, seconds) for seconds in times])
        every.append([only(count, index, groups * s / pool.source.count) for s in times])
    flat = [load for pair in every for load in pair]
    in_turn = [sum(chosen) for chosen in product(*one)]
    loads = {"sequential": in_turn, "both": flat}.get(way.mode, [*in_turn, *flat])
    return held, loads


def period(way, batch):
    """Of memory and arithmetic, from the least of the ceilings."""
    return 1 / way.per_session(np.array([float(batch)]))[0]


@settings(max_examples=100, deadline=None)
@given(with_work(mixed_pools()), st.integers(1, 300), st.sampled_from([{}, {}, {"cache": 0.5}]))
def test_two_pools_agree_with_the_linear_program(found, batch, placement):
    made = replace(found.composition, placement=placement)
    found = replace(found, composition=made)
    way = PoolPolicy(found, "sequential" if made.pools == "streamed" else made.pools)
    high = way.memory_batch()
    assume(high > 0)
    batch = min(batch, high)
    held, loads = literal_loads(way, batch, 1)
    fixed = [math.nan] * len(held)
    if placement:
        fixed[-4:-2] = [0.5, 0.5]
    wanted = least_greatest(held, way.rooms_bytes, loads, fixed)
    assert period(way, batch) == pytest.approx(wanted, rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(
    with_work(mixed_pools(), known=True),
    st.integers(1, 60),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
def test_two_kinds_in_a_layer_split_agree_with_the_linear_program(found, batch, counts):
    made = found.composition
    devices = tuple(
        replace(
            device,
            machine=replace(device.machine, capacity_bytes=device.machine.capacity_bytes / count),
            count=count,
        )
        for device, count in zip((made.devices[0], made.host), counts, strict=True)
    )
    found = replace(found, composition=replace(made, devices=devices, host=None))
    for groups in range(1, sum(counts) + 1):
        way = PoolPolicy(found, "groups", groups)
        high = way.memory_batch()
        assume(high > 0)
        many = min(batch, high)
        held, loads = literal_loads(way, many, min(groups, many))
        wanted = least_greatest(held, way.rooms_bytes, loads)
        assert period(way, many) == pytest.approx(wanted, rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(with_work(mixed_pools()), st.integers(1, 300))
def test_no_placement_on_a_coarse_grid_beats_the_best(found, batch):
    mode = found.composition.pools
    way = PoolPolicy(found, mode)
    high = way.memory_batch()
    assume(high > 0)
    batch = min(batch, high)
    held, moved, linear, attention = parts_of(found, batch, batch)
    card, host = found.composition.devices[0], found.composition.host
    rates = [flop_s(device) for device in (card, host)]
    rooms = way.rooms_bytes
    second = host.machine.bandwidth_bytes_per_s
    if mode == "streamed":
        second = min(second, found.composition.link_bytes_per_s)
        rates[1] = rates[0]
    x = np.array(list(product(range(5), repeat=len(held)))) / 4
    y = 1 - x
    memory = (x @ moved / card.machine.bandwidth_bytes_per_s, y @ moved / second)
    work = [
        share @ linear * fast + share @ attention * slow
        for share, (fast, slow) in zip((x, y), rates, strict=True)
    ]
    if mode == "sequential":
        seconds = np.maximum(memory[0], work[0]) + np.maximum(memory[1], work[1])
    elif mode == "both":
        seconds = np.max([*memory, *work], axis=0)
    else:
        seconds = np.max([*memory, work[0] + work[1]], axis=0)
    fits = (x @ held <= rooms[0]) & (y @ held <= rooms[1])
    best = seconds[fits].min(initial=math.inf)
    assert period(way, batch) <= best * (1 + 1e-9)


@settings(max_examples=25, deadline=None)
@given(with_work(many_pools()), st.integers(1, 300))
def test_more_pools_are_never_below_the_linear_program(found, batch):
    for way in policies(found):
        high = way.memory_batch()
        assume(high > 0)
        if way.mode == "streamed":
            continue
        many = min(batch, high)
        groups = way.placed(np.array([float(many)])).groups[0]
        if way.mode == "groups":
            way = PoolPolicy(found, "groups", int(groups))  # noqa: PLW2901
        held, loads = literal_loads(way, many, groups)
        wanted = least_greatest(held, way.rooms_bytes, loads)
        assert period(way, many) <= wanted * (1 + 1e-9)
        found_s = way.compute_seconds(np.array([float(many)]))[0]
        assert found_s <= wanted * (1 + 1e-9)


def plain_dense(weights=10 * GB, parameters=20e9):
    """Weights alone count: the cache of a session is next to nothing."""
    return ModelCosts(
        weights,
        weights,
        (CacheLayer("full", 1, 1.0, 1.0),),
        linear_active_parameters=parameters,
        attention=(),
    )


def by_hand(pools, host_rate=1e12, **asked):
    """Half of the weights fits on the card, 0.05 s of traffic; the other half takes 0.1 s."""
    card = Device("card", Machine(5 * GB + 1000, 100 * GB, {BF16: 4e12}))
    rates = {} if host_rate is None else {BF16: host_rate}
    host = Device("host", Machine(100 * GB, 50 * GB, rates))
    asked = {"floor_tokens_per_s": 0.0, "decode_ceiling": "combined"} | asked
    lengths = {"reserved_context_tokens": 1, "read_context_tokens": 1}
    return composed(plain_dense(), [card], host=host, pools=pools, **lengths, **asked)


@pytest.mark.parametrize(
    ("batch", "seconds"),
    [
        # 40 GFLOP a session: 0.01 s on the card and 0.04 s on the host for all of it.
        (1, 0.05 + 0.1),
        (4, 0.05 + 0.1),
        (8, 0.05 + 0.16),
        (20, 0.1 + 0.4),
    ],
)
def test_one_pool_at_a_time_by_hand(batch, seconds):
    way = PoolPolicy(by_hand("sequential"), "sequential")
    assert period(way, batch) == pytest.approx(seconds, rel=1e-6)
    binds = "compute" if batch >= 8 else "memory"
    assert way.binding(batch).resource == binds


def test_both_pools_at_once_by_hand():
    """Memory alone would take 0.1 s; at batch 8 the host's half of the arithmetic takes 0.16 s."""
    way = PoolPolicy(by_hand("both"), "both")
    assert period(way, 2) == pytest.approx(0.1, rel=1e-6)
    assert period(way, 8) == pytest.approx(0.16, rel=1e-6)
    assert (way.binding(8).resource, way.binding(8).place) == ("compute", "host")
    # What the card does not hold, the host works on: no placement does it faster.
    assert way.compute_seconds(np.array([8.0]))[0] == pytest.approx(0.16, rel=1e-6)


def test_what_is_streamed_is_computed_on_the_device():
    found = by_hand("streamed", link_bytes_per_s=50 * GB)
    way = PoolPolicy(found, "streamed")
    assert period(way, 20) == pytest.approx(20 * 0.01, rel=1e-6)
    assert way.binding(20).place == "card"


def test_a_slow_host_makes_all_pools_at_once_a_policy_ceiling():
    """The host does 50 tokens/s of its half; streamed to the card, all are done at 100."""
    found = evaluate(by_hand("both", link_bytes_per_s=50 * GB))
    both, _, streamed = found.placement.policies
    assert streamed.aggregate_tokens_per_s > both.aggregate_tokens_per_s
    assert both.kind == found.decode.kind["aggregate_tokens_per_s"] == "policy ceiling"
    # Memory alone is passed by nothing, nor is arithmetic that is not charged.
    for free in (by_hand("both", decode_ceiling="memory"), by_hand("both", host_rate=None)):
        assert evaluate(free).placement.kind == "bound"


def test_arithmetic_of_a_host_without_a_rate_is_left_out_and_that_is_said():
    found = by_hand("sequential", host_rate=None)
    way = PoolPolicy(found, "sequential")
    assert period(way, 4) == pytest.approx(0.05 + 0.1, rel=1e-6)
    # Then the card is better left out: all of the weights at the speed of the host's memory.
    assert period(way, 40) == pytest.approx(0.2, rel=1e-6)
    said = evaluate(found).decode.cautions
    assert any("rate of host is unknown" in line for line in said)
    for free in (
        by_hand("sequential", host_rate=None, decode_ceiling="memory"),
        by_hand("sequential"),
    ):
        assert not any("is unknown" in line for line in evaluate(free).decode.cautions)
    card = replace(found.composition.devices[0], machine=Machine(5 * GB, 100 * GB))
    bare = replace(found, composition=replace(found.composition, devices=(card,)))
    assert evaluate(bare).decode.compute_time_s is None


@pytest.mark.parametrize("pools", ["sequential", "both", "streamed"])
def test_without_the_combined_ceiling_arithmetic_moves_no_best_batch(pools):
    """Each batch is looked at where 949 sessions fit, and not where a million do."""
    for reserved in (10**5, 10**8):
        lengths = {"reserved_context_tokens": reserved, "read_context_tokens": 1}
        asked = {"decode_ceiling": "memory", "link_bytes_per_s": 1e10}
        slow = by_hand(pools, 1e9, **asked)
        slow = replace(slow, workload=replace(slow.workload, **lengths))
        way = PoolPolicy(slow, pools)
        fitting = way.memory_batch()
        assert way.best_batch(fitting) == fitting


def test_without_the_combined_ceiling_slow_arithmetic_is_a_caution():
    slow = evaluate(by_hand("sequential", decode_ceiling="memory", batch=None)).decode
    assert slow.compute_time_s > slow.memory_time_s
    assert any("arithmetic takes longer" in line for line in slow.cautions)
    # At once and alone each fits into the time of the memory, but not on the same bytes.
    few = by_hand("sequential", host_rate=1e13, decode_ceiling="memory")
    assert not any("arithmetic" in line for line in evaluate(floored(few, 2)).decode.cautions)


def floored(found, batch):
    """The same with a floor that no more than this many sessions clear, but for rounding."""
    rate = PoolPolicy(found, found.composition.pools).at(batch)
    return replace(found, workload=replace(found.workload, floor_tokens_per_s=rate))


@MODEST
@given(setups(ceilings=("combined",), speculating=False), st.floats(0.2, 0.8), st.booleans())
def test_pools_of_one_speed_and_rate_are_one_machine(ordinary, share, at_once):
    """Each class divided like the rooms: the sum of both speeds, or one after the other."""
    assume(ordinary.workload.overhead_bytes < share * ordinary.machine.capacity_bytes)
    rates = ordinary.machine.compute_flop_per_s
    first, second = (
        replace(device, machine=replace(device.machine, compute_flop_per_s=rates))
        for device in halves(ordinary.machine, ordinary.workload.overhead_bytes, share)
    )
    pools = "both" if at_once else "sequential"
    found = with_pools(ordinary, [first], host=second, pools=pools)
    way = PoolPolicy(found, pools)
    assume(way.memory_batch() > 0)
    times = 2 if at_once else 1
    one = Machine(
        first.machine.capacity_bytes + second.machine.capacity_bytes,
        times * ordinary.machine.bandwidth_bytes_per_s,
        {mode: times * rate for mode, rate in rates.items()},
    )
    step = decode_step(replace(ordinary, machine=one), None)
    wanted = float(per_session_tokens_per_s(step, 1))
    if at_once:
        # Both can be kept busy only where the smaller has room for its half.
        assert way.at(1) <= wanted * (1 + 1e-9)
    else:
        assert way.at(1) == pytest.approx(wanted, rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(with_work(mixed_pools(most=2000)))
def test_the_search_for_the_best_batch_agrees_with_a_scan_of_all(found):
    check_search_against_a_scan(found)


def test_the_best_batch_of_sessions_in_groups_is_that_of_a_scan():
    """One session keeps one device busy, three all of them; then caches push weights out."""
    cache = (CacheLayer("full", 1, 100_000.0, 200_000.0),)
    model = replace(plain_dense(parameters=4e9), cache=cache)
    fast = Device("fast", Machine(6 * GB, 1e13, {BF16: 8e9}), count=2)
    slow = Device("slow", Machine(9 * GB, 3 * GB, {BF16: 8e9}))
    asked = {"floor_tokens_per_s": 0.0, "decode_ceiling": "combined"}
    asked |= {"reserved_context_tokens": 10_000, "read_context_tokens": 10_000}
    way = PoolPolicy(composed(model, [fast, slow], **asked), "groups")
    high = way.memory_batch()
    batches = np.arange(1.0, high + 1)
    aggregate = batches * way.per_session(batches)
    assert aggregate[[0, 2, -1]] == pytest.approx([1.0, 2.3, 11 / 6], rel=1e-6)
    assert highest(Aggregates(way), high, scanned=0) == 1 + np.argmax(aggregate) == 3


@MODEST
@given(with_work(mixed_pools()), st.integers(1, 300))
def test_what_is_shown_takes_the_time_that_is_told(found, batch):
    way = PoolPolicy(found, "both")
    high = way.memory_batch()
    assume(high > 0)
    batch = min(batch, high)
    shares = way.shares(batch)
    assert max(share.time_s for share in shares) == pytest.approx(period(way, batch), rel=1e-6)
    held, *_ = parts_of(found, batch, batch)
    assert sum(sum(share.held_bytes.values()) for share in shares) == pytest.approx(held.sum())
    for share, room in zip(shares, way.rooms_bytes, strict=True):
        assert sum(share.held_bytes.values()) <= room + 1e-6 * held.sum()
