"""What is told of each way of using the pools: its name, whether another may pass it, its pools."""

import math

import msgspec
import numpy as np
import pytest
from composition_setups import composed, dense, sparse
from decode_setups import BF16, GB

from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.placement.figures import figures
from ourmodels_gui.engine.placement.parts import parts
from ourmodels_gui.engine.placement.pool import pools_in
from ourmodels_gui.engine.placement.pools import PoolPolicy
from ourmodels_gui.engine.placement.tensor import HeadSplit
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Composition,
    Device,
    Machine,
    ModelShape,
    TypedCache,
)

replace = msgspec.structs.replace
CARD = Device("card", Machine(24 * GB, 900 * GB, {BF16: 80e12}), 1 * GB, count=2)
OTHER = Device("other", Machine(32 * GB, 600 * GB, {BF16: 50e12}), 2 * GB, count=3)
HOST = Device("host", Machine(64 * GB, 80 * GB, {BF16: 2e12}), 4 * GB)
SHAPE = ModelShape(5120, 16, expert_layers=(8,), key_heads=(8,))
KNOWN = {
    "linear_active_parameters": 9e9,
    "attention": (AttentionLayer("full", 8, query_width=4096.0),),
}
ASKED = {
    "link_bytes_per_s": 40 * GB,
    "shape": SHAPE,
    "floor_tokens_per_s": 0.0,
    "reserved_context_tokens": 2000,
    "read_context_tokens": 1500,
}


def asked(devices, model=None, **more):
    return composed(replace(model or sparse(), **KNOWN), devices, **(ASKED | more))


HOSTED = {"devices": [CARD], "host": HOST}
UNLIKE = {"devices": [CARD, OTHER]}
BEST = "layer split, as many groups of sessions as is best"
ONE_BY_ONE = "layer split, one device at a time"
AT_ONCE, IN_TURN = "all pools at once", "one pool at a time"
STREAMED = "host memory streamed to the devices"


@pytest.mark.parametrize(
    ("composition", "told"),
    [
        (
            {"devices": [CARD], "split": "tensor"},
            {"tensor split, cache divided over all devices": False,
             "tensor split, cache divided by heads": True},
        ),
        (
            {"devices": [CARD], "split": "experts"},
            {"experts divided, attention tensor-split": True,
             "experts divided, attention on every device": True},
        ),
        ({"devices": [CARD]}, {BEST: False, ONE_BY_ONE: True}),
        (
            {"devices": [OTHER], "groups": 2},
            {"layer split, 2 groups": True, BEST: False, ONE_BY_ONE: True},
        ),
        ({"devices": [replace(CARD, count=1)]}, {BEST: False}),
        (UNLIKE, {BEST: False, IN_TURN: True}),
        (UNLIKE | {"groups": 3}, {"layer split, 3 groups": True, BEST: False, IN_TURN: True}),
        (HOSTED, {AT_ONCE: False, IN_TURN: True, STREAMED: True}),
        (
            HOSTED | {"decode_ceiling": "combined"},
            {AT_ONCE: True, IN_TURN: True, STREAMED: True},
        ),
        (
            HOSTED | {"link_bytes_per_s": None, "placement": {"weights": 1.0}},
            {AT_ONCE: True, IN_TURN: True},
        ),
    ],
)  # fmt: skip
def test_ways_that_restrict_a_runtime_are_policy_ceilings(composition, told):
    found = asked(**composition)
    ways = policies(found)
    assert {way.name: way.restricts for way in ways} == told
    for way in ways:
        kind = figures(found, way).kind
        assert (kind == "policy ceiling") == way.restricts


@pytest.mark.parametrize("counted", [False, True])
def test_a_host_that_devices_may_outdo_is_known_by_its_rates_and_the_arithmetic(counted):
    """All pools at once can be passed where the arithmetic of the host is charged."""
    unrated = replace(HOST, machine=replace(HOST.machine, compute_flop_per_s={}))
    model = sparse() if counted else replace(sparse(), **(KNOWN | {"attention": None}))
    for host in (HOST, unrated):
        found = asked([CARD], host=host, decode_ceiling="combined")
        if not counted:
            found = replace(found, model=model)
        charged = counted and host is HOST
        assert PoolPolicy(found, "both").restricts == charged


@pytest.mark.parametrize("mode", ["both", "sequential", "groups", "streamed"])
def test_only_sessions_that_take_turns_are_in_groups(mode):
    found = asked(**(UNLIKE if mode == "groups" else HOSTED), decode_ceiling="combined")
    way = PoolPolicy(found, mode, 2 if mode == "groups" else None)
    assert [way.groups(batch) for batch in (1, 2, 7)] == (
        [1, 2, 2] if mode == "groups" else [None] * 3
    )


def test_of_numbers_of_groups_that_are_equally_good_the_fewest_are_told():
    """Two groups keep two equally fast devices busy all the time, but sweep all weights twice."""
    model = replace(dense(weights=16 * GB), cache=TypedCache(1 * GB, 0.0))
    devices = [Device(name, Machine(24 * GB, 1e12)) for name in ("one", "other")]
    found = asked(devices, model)
    one, two = (PoolPolicy(found, "groups", groups).at(4) for groups in (1, 2))
    assert one == two == 1e12 / (16 * GB)
    assert [PoolPolicy(found, "groups").groups(batch) for batch in (1, 2, 4)] == [1, 1, 1]


def test_a_slow_link_that_nothing_crosses_moves_no_best_batch():
    """Layers on two cards send each other next to nothing, which is left out."""
    way = PoolPolicy(asked(**(HOSTED | {"link_bytes_per_s": 1e5})), "both")
    high = way.memory_batch()
    batches = np.arange(1.0, high + 1)
    aggregate = batches * way.per_session(batches)
    assert way.best_batch(high) == 1 + np.argmax(aggregate >= aggregate.max() * (1 - 1e-12)) > 1


# Pools -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("devices", "host", "names"),
    [
        ([OTHER, CARD], None, ["other", "card"]),
        ([HOST], CARD, ["host", "card"]),
        ([OTHER, CARD, HOST], None, ["card", "other", "host"]),
        ([OTHER, CARD], HOST, ["card", "other", "host"]),
        ([OTHER, HOST], replace(CARD, count=1), ["card", "other", "host"]),
    ],
)
def test_more_than_two_pools_are_ordered_by_speed(devices, host, names):
    made = Composition(tuple(devices), host=host)
    assert [pool.name for pool in pools_in(made, "both")] == names


@pytest.mark.parametrize("split", ["layers", "tensor"])
def test_devices_are_one_pool_that_works_at_once_unless_split_by_layers(split):
    first, second = pools_in(Composition((CARD, OTHER), split=split), "both")
    assert (first.room_bytes, second.room_bytes) == (2 * 23 * GB, 3 * 30 * GB)
    one = [1 / (900 * GB), 1 / (600 * GB)]
    every = [one[0] / 2, one[1] / 3]
    assert [first.all_s, second.all_s] == pytest.approx(every, rel=1e-12)
    assert [first.one_s, second.one_s] == pytest.approx(
        one if split == "layers" else every, rel=1e-12
    )
    assert not first.link and not second.link
    full = Composition((replace(CARD, overhead_bytes=25 * GB),))
    assert pools_in(full, "both")[0].room_bytes == 0.0


@pytest.mark.parametrize("link", [None, 20 * GB, 39 * GB, 40 * GB, 41 * GB, 60 * GB, 1000 * GB])
@pytest.mark.parametrize("mode", ["streamed", "both"])
def test_what_is_streamed_crosses_two_links_if_they_are_slower_than_the_host(link, mode):
    made = Composition((CARD,), host=HOST, link_bytes_per_s=link)
    card, host = pools_in(made, mode)
    slower = mode == "streamed" and link is not None and 2 * link < 80 * GB
    assert host.link == slower and not card.link
    rate = 2 * link if slower else 80 * GB
    assert host.one_s == host.all_s == pytest.approx(1 / rate, rel=1e-12)
    assert card.one_s == pytest.approx(1 / (900 * GB), rel=1e-12)


# What lies in each -------------------------------------------------------------------------------


def check_shares(way, batch, rates, groups=1):
    """Every pool holds what fits, and is busy as long as it moves its traffic."""
    shares = way.shares(batch)
    lying = parts(way.setup, way.step, np.array([float(batch)]), np.array([batch / groups]))
    for share, pool, rate in zip(shares, way.pools, rates, strict=True):
        device = pool.source
        assert share.name == device.name
        assert share.capacity_bytes == device.count * device.machine.capacity_bytes
        assert share.overhead_bytes == device.count * device.overhead_bytes
        room = share.capacity_bytes - share.overhead_bytes
        assert sum(share.held_bytes.values()) <= room + 1
        assert set(share.held_bytes) <= set(lying.classes)
        assert share.time_s == pytest.approx(share.traffic_bytes / rate, rel=1e-9)
    for name in set(lying.classes):
        held = sum(share.held_bytes.get(name, 0.0) for share in shares)
        of = np.array(lying.classes) == name
        assert held == pytest.approx(lying.held_bytes[of].sum(), rel=1e-9)
    moved = sum(share.traffic_bytes for share in shares)
    assert moved == pytest.approx(groups * lying.moved_bytes.sum(), rel=1e-9)
    return [share.time_s for share in shares]


@pytest.mark.parametrize("batch", [1, 5, 40])
def test_pools_hold_and_move_what_the_period_rests_on(batch):
    big = sparse(size=1.2 * GB)
    found = asked(**UNLIKE, model=big)
    # Each pool of devices works on its layers one after another, or all at once on groups.
    one = PoolPolicy(found, "sequential")
    assert sum(check_shares(one, batch, (900 * GB, 600 * GB))) == pytest.approx(1 / one.at(batch))
    for groups in (2, 4):
        way = PoolPolicy(found, "groups", groups)
        many = min(groups, batch)
        times = check_shares(way, batch, (2 * 900 * GB, 3 * 600 * GB), many)
        in_turn = times[0] * 2 / many + times[1] * 3 / many
        assert max(*times, in_turn) == pytest.approx(1 / way.at(batch), rel=1e-9)
    hosted = asked(**HOSTED, model=big)
    both = PoolPolicy(hosted, "both")
    times = check_shares(both, batch, (2 * 900 * GB, 80 * GB))
    assert max(times) == pytest.approx(1 / both.at(batch), rel=1e-9)
    merged = asked(**HOSTED, model=big, split="tensor")
    times = check_shares(PoolPolicy(merged, "sequential"), batch, (2 * 900 * GB, 80 * GB))
    assert sum(times) == pytest.approx(1 / PoolPolicy(merged, "sequential").at(batch), rel=1e-9)


def test_a_pool_is_busy_for_the_longer_of_its_memory_and_its_arithmetic():
    """Slow arithmetic: one card in turn at 0.4 and one other at 0.3 TFLOP/s."""
    slow = [
        replace(device, machine=replace(device.machine, compute_flop_per_s={BF16: rate}))
        for device, rate in ((CARD, 0.4e12), (OTHER, 0.3e12))
    ]
    found = asked(slow, sparse(size=1.2 * GB), decode_ceiling="combined")
    flop = 6 * (2 * 9e9 + 8 * 4 * 4096 * 1501)
    for mode, groups in (("sequential", None), ("groups", 2)):
        way = PoolPolicy(found, mode, groups)
        shares = way.shares(6)
        busy = [share.time_s for share in shares]
        assert way.binding(6).resource == "compute"
        held = {"weights", "routed_experts", "embedding", "cache"}
        assert {name for share in shares for name in share.held_bytes} == held
        counts = np.array([1, 1] if mode == "sequential" else [2, 3])
        done = np.array(busy) * counts * [0.4e12, 0.3e12]
        assert done.sum() == pytest.approx(flop, rel=1e-6)
        each = done / [0.4e12, 0.3e12]
        period = each.sum() / (groups or 1)
        assert max(period, *busy) == pytest.approx(1 / way.at(6), rel=1e-6)


@pytest.mark.parametrize("batch", [1, 3, 30])
def test_equal_devices_hold_and_move_all_of_it_at_the_sum_of_their_speeds(batch):
    for split in ("tensor", "experts", "layers"):
        for way in policies(asked([OTHER], split=split)):
            (share,) = way.shares(batch)
            assert (share.name, share.capacity_bytes) == ("other", 3 * 32 * GB)
            assert share.overhead_bytes == 3 * 2 * GB
            assert share.time_s == pytest.approx(share.traffic_bytes / (3 * 600 * GB), rel=1e-12)
            if split != "layers":
                memory_s = way.memory_seconds(np.array([1.0 * batch]))[0]
                assert share.time_s == pytest.approx(memory_s, rel=1e-12)
            if not way.name.endswith("on every device"):
                held = way.setup.model.resident_bytes + batch * 8 * 30_000.0 * 2000
                assert sum(share.held_bytes.values()) == pytest.approx(held)


# Gates -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("experts", [0.0, 0.5, None])
def test_classes_with_a_place_have_to_fit_there(cache, experts):
    """46 GB on the cards and 60 in the host; 2 of weights, 19.2 of experts, sessions of 1 GB."""
    fixed = {"cache": cache, "weights": 1.0}
    fixed |= {} if experts is None else {"routed_experts": experts}
    model = replace(sparse(), cache=(CacheLayer("full", 1, 500_000.0, 500_000.0),))
    found = asked(**HOSTED, model=model, placement=fixed)
    way = PoolPolicy(found, "both")
    held = 0.0 if experts is None else 19.2 * GB
    share = experts or 0.0

    def spare(batch):
        card = 46 * GB - 2 * GB - share * held - cache * batch * GB
        host = 60 * GB - (1 - share) * held - (1 - cache) * batch * GB
        return min(106 * GB - 21.7 * GB - batch * GB, card, host)

    fitting = [batch for batch in range(1, 120) if spare(batch) >= 0]
    assert way.memory_batch() == len(fitting) == fitting[-1]
    for batch in (0, 3, len(fitting), len(fitting) + 1):
        assert way.spare_bytes(batch) == pytest.approx(spare(batch), abs=2.0)
    assert way.gate().margin_bytes == pytest.approx(spare(0), abs=2.0)
    assert way.gate().session_bytes == 1 * GB


def densest(lying, room, fixed):
    """Bytes of each part in a room that the densest fill after those with a place."""
    held, moved = lying.held_bytes[:, 0], lying.moved_bytes[:, 0]
    inside = [fixed.get(name) for name in lying.classes]
    taken = [
        0.0 if share is None else share * size for share, size in zip(inside, held, strict=True)
    ]
    left = room - sum(taken)
    for place in sorted(range(len(held)), key=lambda j: -moved[j] / max(held[j], 1e-9)):
        if inside[place] is None:
            taken[place] = min(held[place], max(left, 0.0))
            left -= taken[place]
    return taken


@pytest.mark.parametrize("fixed", [{}, {"cache": 0.5}, {"routed_experts": 0.25}, {"weights": 0.0}])
@pytest.mark.parametrize("swapped", [False, True])
def test_weights_in_the_fastest_pool_are_what_the_densest_traffic_leaves(fixed, swapped):
    """`swapped`: the device is the slower pool, and what is fixed lies on it."""
    card, host = replace(CARD, count=1), HOST
    if swapped:
        card = replace(card, machine=replace(card.machine, bandwidth_bytes_per_s=10 * GB))
        host = replace(host, machine=Machine(20 * GB, 80 * GB))
    found = asked([card], host=host, placement=fixed)
    way = PoolPolicy(found, "both")
    there = {name: 1.0 - share if swapped else share for name, share in fixed.items()}
    for batch in (1, 5, 12):
        lying = parts(found, way.step, np.array([float(batch)]))
        taken = densest(lying, way.rooms_bytes[int(swapped)], there)
        weights = sum(
            size
            for name, size in zip(lying.classes, taken, strict=True)
            if name in ("weights", "routed_experts")
        )
        assert way.weights_in_fastest(np.array([1.0 * batch]))[0] == pytest.approx(weights)


def test_layers_that_are_alike_lie_whole_in_the_fastest_device():
    """18 GB of weights with 1 GB of head; 21 of 23 GB are held beside 10 GB of caches."""
    model = replace(dense(), cache=(CacheLayer("full", 8, 62_500.0, 62_500.0),))
    alike = replace(SHAPE, expert_layers=(), alike=True, head_bytes=1 * GB)
    devices = [replace(CARD, count=1), replace(OTHER, count=1)]
    found = asked(devices, model, shape=alike)
    way = PoolPolicy(found, "groups")
    # Ten sessions of 1 GB: the head first, each byte read once; three quarters of the cache are.
    assert way.weights_in_fastest(np.array([10.0]))[0] == pytest.approx(23 * GB)


@pytest.mark.parametrize("ceiling", ["memory", "combined"])
def test_layers_are_kept_whole_where_they_are_alike_and_no_host_takes_a_part(ceiling):
    alike = replace(SHAPE, expert_layers=(), alike=True, head_bytes=1 * GB)
    one, other = (replace(device, count=1) for device in (CARD, OTHER))
    for host, kept in ((None, {"weights", "layers"}), (HOST, {"weights", "cache"})):
        devices = [one] if host else [one, other]
        found = asked(devices, dense(), host=host, shape=alike, decode_ceiling=ceiling)
        for mode in ("sequential", "both" if host else "groups"):
            shares = PoolPolicy(found, mode).shares(3)
            assert {name for share in shares for name in share.held_bytes} == kept


@pytest.mark.parametrize("split", ["tensor", "layers"])
def test_equal_devices_tell_weights_and_caches_apart(split):
    alike = replace(SHAPE, expert_layers=(), alike=True, head_bytes=1 * GB)
    for way in policies(asked([CARD], dense(), split=split, shape=alike)):
        (share,) = way.shares(3)
        assert set(share.held_bytes) == {"weights", "cache"}


# Heads -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("heads", "copies"), [(1, 4.0), (2, 2.0), (3, 4 / 3), (8, 1.0), (0, 1.0)])
def test_heads_on_fewer_devices_are_kept_and_read_again(heads, copies):
    card = replace(CARD, count=4)
    found = asked([card], dense(), split="tensor", shape=replace(SHAPE, key_heads=(heads,)))
    way = HeadSplit(found)
    assert way.copies() == (copies,)
    held, read = 250_000.0 * 2000, 250_000.0 * 1500
    assert way.gate().session_bytes == pytest.approx(held * copies, abs=1.0)
    room = 4 * 23 * GB - 18 * GB
    assert way.memory_batch() == math.floor(room / way.gate().session_bytes)
    rate = way.limits(np.array([6.0]))[0].per_session_tokens_per_s[0]
    assert rate == pytest.approx(4 * 900 * GB / (18 * GB + 6 * read * copies), rel=1e-12)


def test_a_host_that_is_slower_than_the_link_binds_itself():
    host = replace(HOST, machine=Machine(64 * GB, 30 * GB))
    found = asked([replace(CARD, count=1)], dense(weights=40 * GB), host=host, pools="streamed")
    assert evaluate(found).placement.single_binding.words == "memory of host"
