"""Prompts over several devices and pools: reductions, judges, order, and the whole result."""

import math
import random
from itertools import pairwise

import literal_placement_prefill as judge
import literal_prefill as one_pool
import msgspec
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from prefill_setups import BF16, FP4, laguna, random_setup, toy
from prompt_compositions import (
    any_composition,
    composed,
    own_costs,
    part_of,
    prompts_of,
    shape_of,
    split,
    with_host,
    without_draft,
)

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.placement import choose, prompt_memory
from ourmodels_gui.engine.placement.prefill import prompts_under
from ourmodels_gui.engine.prefill import prefill as ordinary_prefill
from ourmodels_gui.engine.prefill_curve import ceilings_over_length
from ourmodels_gui.engine.prompt_policy import PromptPolicy
from ourmodels_gui.engine.prompt_range import ranges
from ourmodels_gui.engine.setup import (
    Device,
    Draft,
    Experts,
    Machine,
    Speculation,
    TypedCache,
)

replace = msgspec.structs.replace
SEEDS = st.integers(0, 10**9)
MODEST = settings(max_examples=50, deadline=None)
FIGURES = tuple(
    name
    for name in ordinary_prefill(laguna()).__struct_fields__
    if name not in ("kind", "limit", "binding")
)


def near(one, other):
    """Alike but for rounding; figures that do not exist and words exactly."""
    if isinstance(other, float):
        return one == pytest.approx(other, rel=1e-12)
    if isinstance(other, msgspec.Struct):
        return all(near(getattr(one, f), getattr(other, f)) for f in other.__struct_fields__)
    return one == other


# Reductions --------------------------------------------------------------------------------------


@MODEST
@given(SEEDS, st.sampled_from(["tensor", "layers", "experts"]))
def test_one_device_however_split_is_the_ordinary_prefill(seed, kind):
    ordinary = random_setup(seed, 120)
    found = evaluate(split(ordinary, 1, kind)).prefill
    wanted = ordinary_prefill(ordinary)
    for name in FIGURES:
        if not name.startswith("range"):
            assert near(getattr(found, name), getattr(wanted, name)), name


@MODEST
@given(SEEDS, st.sampled_from([2, 4, 8]))
def test_a_tensor_split_over_an_infinite_link_is_all_devices_as_one(seed, count):
    ordinary = random_setup(seed, 120)
    found = evaluate(split(ordinary, count, "tensor", link_bytes_per_s=math.inf)).prefill
    wanted = ordinary_prefill(ordinary)
    for name in FIGURES:
        assert getattr(found, name) == getattr(wanted, name), name


@MODEST
@given(SEEDS, st.integers(2, 6))
def test_one_device_at_a_time_is_one_device_with_all_the_memory(seed, count):
    ordinary = random_setup(seed, 120)
    found = evaluate(split(ordinary, count, "layers", groups=1)).prefill
    one = part_of(ordinary.machine, 1 / count)
    alone = replace(one, capacity_bytes=ordinary.machine.capacity_bytes)
    wanted = ordinary_prefill(replace(ordinary, machine=alone))
    assert found.verdict == wanted.verdict and found.batch == wanted.batch
    for name in ("tokens_per_s", "time_s", "memory_ceiling_tokens_per_s"):
        assert near(getattr(found, name), getattr(wanted, name)), name


@MODEST
@given(SEEDS, st.integers(2, 6))
def test_one_prompt_in_one_chunk_takes_the_time_of_one_device(seed, count):
    ordinary = random_setup(seed, 120)
    tokens = ordinary.prompt.prompt_tokens
    ordinary = replace(
        ordinary, prompt=replace(ordinary.prompt, chunk_tokens=tokens + 3, batch=None)
    )
    found = own_costs(split(ordinary, count, "layers"))
    one = replace(ordinary, machine=part_of(ordinary.machine, 1 / count))
    wanted = PromptPolicy(one).costs(tokens, None, ordinary.prompt.cached_prefix_tokens)
    assert float(found.time_s(1)) == pytest.approx(float(wanted.time_s(1)), rel=1e-12)


@MODEST
@given(SEEDS, st.floats(0.1, 0.9), st.sampled_from([None, 3, 50]))
def test_pools_of_one_speed_in_turn_are_one_pool_of_both_rooms(seed, share, chunk):
    ordinary = random_setup(seed, 120)
    ordinary = replace(ordinary, prompt=replace(ordinary.prompt, chunk_tokens=chunk))
    one = ordinary.machine
    assume(ordinary.workload.overhead_bytes < share * one.capacity_bytes)
    first = Device(
        "a",
        replace(one, capacity_bytes=share * one.capacity_bytes),
        ordinary.workload.overhead_bytes,
    )
    rest = one.capacity_bytes - first.machine.capacity_bytes
    second = Device("b", replace(one, capacity_bytes=rest))
    found = composed(ordinary, [first], host=second, pools="sequential")
    prompt = ordinary.prompt
    wanted = PromptPolicy(ordinary).costs(prompt.prompt_tokens, chunk, prompt.cached_prefix_tokens)
    for batch in (1, 2, 7):
        assert float(own_costs(found).time_s(batch)) == pytest.approx(
            float(wanted.time_s(batch)), rel=1e-9
        )


def test_both_pools_of_one_speed_reach_the_sum_where_each_has_room_for_half():
    ordinary = toy()
    pool = Device("a", replace(ordinary.machine, capacity_bytes=40e9))
    asked = {"pools": "both"}
    found = evaluate(composed(ordinary, [pool], host=pool, **asked)).prefill
    twice = Machine(80e9, 1600e9, {BF16: 200e12})
    wanted = ordinary_prefill(
        replace(ordinary, machine=twice, workload=replace(ordinary.workload, overhead_bytes=0.0))
    )
    assert found.time_s == pytest.approx(wanted.time_s, rel=1e-9)
    assert found.memory_ceiling_tokens_per_s == pytest.approx(
        wanted.memory_ceiling_tokens_per_s, rel=1e-9
    )


@pytest.mark.parametrize("chunk", [None, 512])
def test_a_device_with_room_for_all_is_as_fast_as_alone_and_one_without_room_as_the_host(chunk):
    ordinary = toy(chunk_tokens=chunk)
    slow = Device("host", Machine(64e9, 80e9, {BF16: 2e12}))
    roomy = Device("card", replace(ordinary.machine, capacity_bytes=1e15))
    alone = replace(ordinary, machine=roomy.machine)
    found = evaluate(composed(ordinary, [roomy], host=slow, pools="sequential")).prefill
    assert found.time_s == pytest.approx(ordinary_prefill(alone).time_s, rel=1e-12)
    full = Device("card", replace(ordinary.machine, capacity_bytes=1e9), 1e9)
    found = evaluate(composed(ordinary, [full], host=slow, pools="sequential")).prefill
    of_host = replace(
        ordinary, machine=slow.machine, workload=replace(ordinary.workload, overhead_bytes=0.0)
    )
    # Attention is charged where it is fastest, whose cache may lie anywhere.
    linear = 2 * ordinary.model.linear_active_parameters * 4096 / 2e12
    assert linear * found.batch <= found.time_s <= ordinary_prefill(of_host).time_s * found.batch


# Schedules ---------------------------------------------------------------------------------------


def random_pieces(rng, prompt, prompts):
    """Any pieces of prompts: cut anywhere, or at the chunks, and put together anyhow in order."""
    tokens, prefix, chunk = prompt.prompt_tokens, prompt.cached_prefix_tokens, prompt.chunk_tokens
    cuts = []
    for _ in range(prompts):
        if chunk is not None:
            cuts.append(list(one_pool.chunks(tokens, chunk, prefix)))
            continue
        edges = sorted(rng.sample(range(1, tokens), rng.randint(0, min(tokens - 1, 5))))
        edges = [0, *edges, tokens]
        cuts.append([(prefix + a, b - a) for a, b in pairwise(edges)])
    pieces = []
    while any(cuts):
        waiting = [own for own in cuts if own]
        taken = rng.sample(waiting, rng.randint(1, len(waiting)))
        pieces.append(judge.Piece(*[own.pop(0) for own in taken]))
    return pieces


@settings(max_examples=120, deadline=None)
@given(SEEDS, st.integers(1, 4), st.integers(1, 4), st.sampled_from([None, None, 2, 7, 40]))
def test_no_schedule_of_pieces_through_equal_devices_is_faster(seed, count, prompts, chunk):
    rng = random.Random(seed)
    ordinary = random_setup(seed, 40)
    ordinary = replace(
        without_draft(ordinary),
        prompt=replace(
            ordinary.prompt,
            chunk_tokens=chunk,
            batch=None,
            ttft_budget_s=None,
        ),
    )
    found = split(ordinary, count, "layers")
    machines = [found.composition.devices[0].machine] * count
    pieces = random_pieces(rng, ordinary.prompt, prompts)
    seconds = judge.durations(ordinary, pieces, [1] * count, machines)
    for groups in {count, rng.randint(1, count)}:
        asked = replace(found, composition=replace(found.composition, groups=groups))
        bound = float(own_costs(asked).time_s(prompts)) * (1 - 1e-9)
        assert judge.run(seconds, groups)[-1] >= bound
        held = min(len(pieces), groups)
        assert judge.period(seconds, held) >= bound


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("chunk", [None, 512])
def test_whole_prompts_and_many_chunks_reach_the_bound_without_a_break(count, chunk):
    for ordinary in (laguna(chunk_tokens=chunk, prompt_tokens=4096), toy(chunk_tokens=chunk)):
        found = split(ordinary, count, "layers")
        machines = [found.composition.devices[0].machine] * count
        tokens, prompts = ordinary.prompt.prompt_tokens, count if chunk is None else 1
        pieces = judge.rounds(tokens, chunk or tokens, prompts, prompts)
        bound = float(own_costs(found).time_s(prompts))
        reached = judge.period(judge.durations(ordinary, pieces, [1] * count, machines), count)
        if chunk is None:
            assert reached == pytest.approx(bound, rel=1e-9)
        else:
            # Later chunks attend to more, so the devices are not quite busy all the time.
            assert bound <= reached * (1 + 1e-9) <= 1.25 * bound


@settings(max_examples=60, deadline=None)
@given(
    SEEDS,
    st.lists(st.floats(0.2, 4.0), min_size=2, max_size=3),
    st.integers(1, 3),
    st.sampled_from([None, 5, 12]),
)
def test_no_schedule_through_unlike_devices_in_whole_layers_is_faster(seed, speeds, prompts, chunk):
    rng = random.Random(seed)
    ordinary = without_draft(random_setup(seed, 40))
    ordinary = replace(
        ordinary,
        prompt=replace(
            ordinary.prompt,
            chunk_tokens=chunk,
            batch=None,
            ttft_budget_s=None,
            cache_growth="on_demand",
        ),
    )
    held_tokens = ordinary.prompt.cached_prefix_tokens + ordinary.prompt.prompt_tokens
    session = one_pool.session_bytes(ordinary, held_tokens)
    # The tables lie apart; whole layers hold an even share of the rest.
    held = ordinary.model.resident_bytes + prompts * session
    layers = [rng.randint(1, 4) for _ in speeds]
    devices = []
    for place, (speed, count) in enumerate(zip(speeds, layers, strict=True)):
        room = held * count / sum(layers) * rng.choice((1.0, 1.0, 1.5)) + 1e3
        machine = replace(part_of(ordinary.machine, speed), capacity_bytes=room)
        devices.append(Device(str(place), machine))
    found = composed(ordinary, devices, shape=shape_of(ordinary, alike=True))
    machines = [device.machine for device in devices]
    pieces = random_pieces(rng, ordinary.prompt, prompts)
    seconds = judge.durations(ordinary, pieces, layers, machines)
    for groups in {len(devices), rng.randint(1, len(devices))}:
        asked = replace(found, composition=replace(found.composition, groups=groups))
        bound = float(own_costs(asked).time_s(prompts)) * (1 - 1e-6)
        assert judge.run(seconds, groups)[-1] >= bound
        assert judge.period(seconds, min(len(pieces), groups)) >= bound


def test_a_short_last_chunk_that_reads_back_much_is_the_slowest_to_pass():
    ordinary = toy(prompt_tokens=4097, chunk_tokens=4096, batch=1)
    found = own_costs(split(ordinary, 8, "layers"))
    one = part_of(ordinary.machine, 1 / 8)
    # One sweep, 4,096 tokens read back and one written; the first chunk writes as many.
    moved = ordinary.model.always_bytes + 262144.0 * 4097
    assert float(found.memory_s(1)) == pytest.approx(moved / one.bandwidth_bytes_per_s, rel=1e-12)
    # The arithmetic is in the first.
    linear = 2 * 32e9 * 4096 + 64 * 4 * 5120 * 4096 * 4097 / 2
    assert float(found.work_s(1)) == pytest.approx(linear / one.compute_flop_per_s[BF16], rel=1e-12)


# Placements --------------------------------------------------------------------------------------


def two_pools(seed, pools, rng):
    """A random prompt over two pools, with few enough parts to try every placement."""
    ordinary = without_draft(random_setup(seed, 60))
    cache = ordinary.model.cache[:2]
    experts = ordinary.model.experts[:1]
    model = replace(
        ordinary.model,
        cache=cache,
        experts=experts,
        cache_write_bytes_per_token=sum(c.count * c.bytes_per_token for c in cache),
    )
    ordinary = replace(ordinary, model=model)
    slower = rng.choice((0.5, 2.0, 20.0))
    shape = shape_of(ordinary, head_bytes=rng.choice((0.0, 0.4)) * model.always_bytes)
    return with_host(ordinary, rng.uniform(0.02, 0.9), slower, pools, shape=shape)


@settings(max_examples=80, deadline=None)
@given(SEEDS, st.sampled_from(["sequential", "both", "streamed"]))
def test_no_placement_on_a_coarse_grid_beats_the_bound(seed, pools):
    rng = random.Random(seed)
    found = two_pools(seed, pools, rng)
    prompt = found.prompt
    tokens, prefix = prompt.prompt_tokens, prompt.cached_prefix_tokens
    policy = prompts_of(found)
    reserved = prefix + tokens
    if prompt.cache_growth == "reserved":
        reserved = max(reserved, found.workload.reserved_context_tokens)
    fitting = int(policy.fitting(reserved))
    assume(policy.margin_bytes() >= 0 and fitting >= 1)
    batch = rng.randint(1, fitting)
    parts = judge.rows(found, batch, reserved)
    assume(len(parts) <= 8)
    card, host = found.composition.devices[0], found.composition.host
    rooms = [d.machine.capacity_bytes - d.overhead_bytes for d in (card, host)]
    seconds = judge.seconds_of(pools, card.machine, host.machine, found)
    best = judge.grid(parts, rooms, seconds, steps=3 if len(parts) <= 6 else 2)
    assert float(own_costs(found).time_s(batch)) <= best * (1 + 1e-9)


@pytest.mark.parametrize("pools", ["sequential", "both", "streamed"])
@pytest.mark.parametrize("quarters", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("rates", [(1e9, 1e8), (1e16, 1e15)])
def test_the_best_is_on_the_grid_where_the_grid_has_it(pools, quarters, rates):
    """Room for so many quarters of the experts beside all the rest; either side alone."""
    ordinary = without_draft(random_setup(11, 60))
    experts = (Experts(16, 2, 5e4),)
    model = replace(
        ordinary.model,
        experts=experts,
        always_bytes=2e5,
        resident_bytes=1e6,
        cache=ordinary.model.cache[:1],
        prefill_sweep_bytes=None,
        cache_write_bytes_per_token=0.0,
        linear_active_parameters=2e5,
        attention=(),
    )
    ordinary = replace(
        ordinary,
        model=model,
        linear_mode={BF16: 1.0},
        prompt=replace(
            ordinary.prompt,
            prompt_tokens=30,
            cached_prefix_tokens=0,
            chunk_tokens=None,
            batch=None,
            cache_growth="on_demand",
            ttft_budget_s=None,
        ),
    )
    room = 2e5 + quarters * 16 * 5e4 / 4
    card = Device("card", Machine(room, 1e9 if pools != "both" else 1e13, {BF16: rates[0]}))
    host = Device("host", Machine(1e9, 1e8, {BF16: rates[1]}))
    if pools == "both" and rates[0] < 1e12:
        card = Device("card", Machine(room, 1e9, {BF16: 1e13}))
    found = composed(ordinary, [card], host=host, pools=pools, link_bytes_per_s=5e7)
    parts = judge.rows(found, 1, 30)
    seconds = judge.seconds_of(pools, card.machine, host.machine, found)
    best = judge.grid(parts, (room, 1e9), seconds)
    if pools != "sequential" and quarters == 4:
        # Everything in the fast pool leaves the slow one idle: the balance is off the grid.
        assert float(own_costs(found).time_s(1)) <= best * (1 + 1e-9)
        return
    assert float(own_costs(found).time_s(1)) == pytest.approx(best, rel=1e-9)


def test_a_draft_takes_room_and_no_time():
    """Room for everything to the byte: with a draft, and in a host smaller by as much without."""
    ordinary = replace(toy(batch=1), workload=replace(toy().workload, overhead_bytes=0.0))
    held, draft = 18e9 + 262144.0 * 32768, 2e9
    card = Device("card", Machine(10e9, 8e11, {BF16: 1e14}))
    times = []
    for more in (0.0, draft):
        host = Device("host", Machine(held - 10e9 + more, 8e10, {BF16: 1e13}))
        asked = ordinary
        if more:
            asked = replace(ordinary, speculation=Speculation(2, 1.5, Draft(resident_bytes=more)))
        found = composed(asked, [card], host=host, pools="sequential")
        assert evaluate(found).prefill.verdict == "serves"
        times.append(evaluate(found).prefill.time_s)
    assert times[0] == pytest.approx(times[1], rel=1e-12)
    host = Device("host", Machine(held - 10e9, 8e10, {BF16: 1e13}))
    full = composed(asked, [card], host=host, pools="sequential")
    assert evaluate(full).prefill.verdict == "no prompt fits"


def test_a_head_in_the_host_leaves_all_arithmetic_to_the_device():
    ordinary = replace(toy(batch=1), workload=replace(toy().workload, overhead_bytes=0.0))
    card = Device("card", Machine(12e9, 8e11, {BF16: 1e14}))
    host = Device("host", Machine(64e9, 8e10, {BF16: 1e12}))
    shape = shape_of(ordinary, head_bytes=4e9)
    asked = {"host": host, "pools": "sequential"}
    headed = evaluate(composed(ordinary, [card], shape=shape, **asked)).prefill
    alone = ordinary_prefill(replace(ordinary, machine=replace(card.machine, capacity_bytes=1e12)))
    assert headed.compute_ceiling_tokens_per_s == pytest.approx(
        alone.compute_ceiling_tokens_per_s, rel=1e-12
    )
    # Without knowing of a head, a quarter of the linear path is left to the host.
    plain = own_costs(composed(ordinary, [card], **asked))
    linear = 2 * 32e9 * 4096
    attention = 64 * 4 * 5120 * 4096 * 4097 / 2
    assert float(plain.work_s(1)) == pytest.approx(
        (0.75 * linear + attention) / 1e14 + 0.25 * linear / 1e12, rel=1e-9
    )


def test_the_arithmetic_lies_evenly_in_the_weights_beside_the_head():
    """A card with room for half of the 12 GB that are not the head does half of the linear path."""
    ordinary = replace(toy(batch=1), workload=replace(toy().workload, overhead_bytes=0.0))
    card = Device("card", Machine(6e9, 8e11, {BF16: 1e14}))
    host = Device("host", Machine(64e9, 8e10, {BF16: 1e12}))
    shape = shape_of(ordinary, head_bytes=4e9)
    found = own_costs(composed(ordinary, [card], shape=shape, host=host, pools="sequential"))
    linear, attention = 2 * 32e9 * 4096, 64 * 4 * 5120 * 4096 * 4097 / 2
    assert float(found.work_s(1)) == pytest.approx(
        (linear / 2 + attention) / 1e14 + linear / 2 / 1e12, rel=1e-9
    )


def test_a_chunk_passes_with_the_cache_that_is_filled_by_its_end():
    """16 GB of weights; the last of two chunks reads 24,576 tokens and writes 8,192.

    All of it moves once, so the first device moves what fits into it.
    """
    ordinary = toy(batch=1, prompt_tokens=32_768, chunk_tokens=24_576)
    dense = replace(ordinary.model, resident_bytes=16e9)
    ordinary = replace(ordinary, model=dense, workload=replace(ordinary.workload, overhead_bytes=0))
    first = Device("first", Machine(14e9, 1.2e11, {BF16: 1e20}))
    second = Device("second", Machine(40e9, 1e11, {BF16: 1e20}))
    found = own_costs(composed(ordinary, [first, second]))
    moved = 16e9 + 32_768 * 262_144
    assert float(found.memory_s(1)) == pytest.approx(
        14e9 / 1.2e11 + (moved - 14e9) / 1e11, rel=1e-9
    )


def test_what_a_prompt_reserves_and_does_not_fill_lies_in_the_slower_pool():
    """A card with room for 16 GB of weights and 0.5 of the 1.07 GB that a prompt writes."""
    ordinary = toy(batch=1)
    dense = replace(ordinary.model, resident_bytes=16e9)
    work = replace(ordinary.workload, overhead_bytes=0, reserved_context_tokens=8192)
    ordinary = replace(ordinary, model=dense, workload=work)
    card, host = Machine(16.5e9, 8e11, {BF16: 1e20}), Machine(64e9, 8e10, {BF16: 1e20})
    asked = {"host": Device("host", host), "pools": "sequential"}
    found = own_costs(composed(ordinary, [Device("card", card)], **asked))
    left = 4096 * 262_144 - 0.5e9
    assert float(found.memory_s(1)) == pytest.approx(16.5e9 / 8e11 + left / 8e10, rel=1e-9)


def test_a_prompt_cut_at_will_is_swept_for_once_for_each_group_on_its_way():
    """Two devices, so two sweeps of 16 GB at least, half of them in each; the second writes too.

    Both devices are at work all the time.
    """
    ordinary = toy(batch=1)
    dense = replace(ordinary.model, resident_bytes=16e9)
    ordinary = replace(ordinary, model=dense, workload=replace(ordinary.workload, overhead_bytes=0))
    first = Device("first", Machine(8e9, 1.2e11, {BF16: 1e20}))
    second = Device("second", Machine(40e9, 1e11, {BF16: 1e20}))
    found = own_costs(composed(ordinary, [first, second]))
    in_turn = 2 * 8e9 / 1.2e11 + (2 * 8e9 + 4096 * 262_144) / 1e11
    assert float(found.memory_s(1)) == pytest.approx(in_turn / 2, rel=1e-9)


@pytest.mark.parametrize("groups", [None, 1])
def test_the_arithmetic_of_a_chunk_passes_through_both_devices(groups):
    """The second of two chunks: the first device has half of the weights.

    Attention is done where it is the fastest. One group does both chunks in turn.
    """
    ordinary = toy(batch=1, prompt_tokens=32_768, chunk_tokens=16_384)
    dense = replace(ordinary.model, resident_bytes=16e9)
    ordinary = replace(ordinary, model=dense, workload=replace(ordinary.workload, overhead_bytes=0))
    first = Device("first", Machine(8e9, 1e18, {BF16: 1e14}))
    second = Device("second", Machine(40e9, 1e18, {BF16: 8e13}))
    found = own_costs(composed(ordinary, [first, second], groups=groups))
    linear, pair = 2 * 32e9 * 16_384, 64 * 4 * 5120
    pairs = [sum(range(start + 1, start + 16_385)) for start in (0, 16_384)]
    chunks = [linear / 2 * (1 / 1e14 + 1 / 8e13) + pair * many / 1e14 for many in pairs]
    wanted = sum(chunks) if groups == 1 else chunks[1]
    assert float(found.work_s(1)) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("prefix", [0, 100])
def test_a_typed_cache_is_read_once_behind_a_prefix(prefix):
    ordinary = toy(cached_prefix_tokens=prefix, batch=1)
    typed = replace(ordinary.model, cache=TypedCache(8e9, 3e9))
    ordinary = replace(ordinary, model=typed)
    one = replace(ordinary.machine, capacity_bytes=64e9)
    overhead = ordinary.workload.overhead_bytes
    found = composed(ordinary, [Device("a", one, overhead)], host=Device("b", one), pools="both")
    wanted = PromptPolicy(ordinary).costs(4096, None, prefix)
    # Both at once and each with room for half: twice the speed.
    assert float(own_costs(found).memory_s(1)) == pytest.approx(
        float(wanted.memory_s(1)) / 2, rel=1e-9
    )


# Order -------------------------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(SEEDS)
def test_more_or_longer_prompts_are_never_sooner_done_and_all_pools_together_never_later(seed):
    found = any_composition(seed)
    policy, prompt = prompts_of(found), found.prompt
    reserved = np.arange(1.0, 91.0)
    costs = policy.costs(reserved, prompt.chunk_tokens, reserved=reserved)
    assume(costs.private_bytes is not None)
    fitting = policy.fitting(reserved)
    batches = np.array([[1.0], [2.0], [3.0], [8.0]])
    seconds = costs.time_s(batches)
    fits = batches <= fitting
    later = seconds[:, 1:] >= seconds[:, :-1] * (1 - 1e-9)
    assert later[fits[:, 1:]].all()
    more = seconds[1:] >= seconds[:-1] * (1 - 1e-9)
    assert more[fits[1:]].all()
    whole = PromptPolicy(found).costs(reserved, prompt.chunk_tokens)
    memory = whole.memory_s(batches) <= costs.memory_s(batches) * (1 + 1e-9)
    # A streamed host is no faster than it is; everything else uses what there is.
    assert memory[fits].all()


@settings(max_examples=60, deadline=None)
@given(SEEDS)
@example(12)
def test_the_batch_is_the_smallest_with_the_highest_rate(seed):
    found = any_composition(seed)
    prompt = replace(found.prompt, batch=None)
    found = replace(found, prompt=prompt)
    result = evaluate(found).prefill
    assume(result.verdict in ("serves", "no setting meets the budget"))
    policy, costs = prompts_of(found), own_costs(found)
    reserved = policy.reserved(prompt.prompt_tokens, prompt.cached_prefix_tokens)
    batches = np.arange(1.0, float(policy.fitting(reserved)) + 1)
    seconds = costs.time_s(batches)
    kept = batches[seconds <= (prompt.ttft_budget_s or math.inf)]
    if not len(kept):
        assert result.verdict != "serves"
        return
    if result.verdict != "serves":
        assert not len(kept)
        return
    rates = kept * prompt.prompt_tokens / costs.time_s(kept)
    best = kept[np.argmax(rates >= rates.max() * (1 - 1e-11))]
    assert result.tokens_per_s == pytest.approx(rates.max(), rel=1e-9)
    assert result.batch == pytest.approx(best, abs=1)
    assert result.time_s == pytest.approx(float(costs.time_s(result.batch)), rel=1e-12)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
@example(742)
def test_the_range_is_that_of_every_length(seed):
    found = any_composition(seed)
    policy, prompt = prompts_of(found), found.prompt
    got, single = ranges(policy)
    lengths = np.arange(1.0, found.model.max_context_tokens + 1)
    costs = policy.costs(lengths, prompt.chunk_tokens, reserved=lengths)
    fitting = policy.fitting(lengths)
    for batch, ends in ((prompt.batch, got), (1, single)):
        rates = {}
        for place, length in enumerate(lengths):
            one = policy.costs(length, prompt.chunk_tokens, reserved=length)
            many = np.arange(1.0, fitting[place] + 1)
            if batch is not None:
                many = np.array([float(batch)]) if batch <= fitting[place] else many[:0]
            seconds = one.time_s(many) if len(many) else many
            kept = seconds <= (prompt.ttft_budget_s or math.inf)
            if kept.any():
                rates[length] = np.max(many[kept] * length / seconds[kept])
        if not rates:
            assert ends is None
            continue
        assert ends.low.tokens_per_s == pytest.approx(min(rates.values()), rel=1.5e-3)
        assert ends.high.tokens_per_s == pytest.approx(max(rates.values()), rel=1.5e-3)
        for end in (ends.low, ends.high):
            assert end.tokens_per_s == pytest.approx(rates[end.prompt_tokens], rel=1e-9)
    assert costs.tokens.size == lengths.size


# The result --------------------------------------------------------------------------------------


def test_policies_stand_side_by_side_and_the_figures_are_those_of_the_first():
    found = with_host(toy(batch=1), 0.1, 10.0, "sequential")
    result = evaluate(found)
    first, *others = result.placement.policies
    assert result.placement.prompt_policy == first.name
    assert first.prompt.time_s == result.prefill.time_s
    assert first.prompt.kind == result.prefill.kind["time_s"] == "policy ceiling"
    assert result.prefill.kind["flop_per_token"] == "bound"
    assert {policy.prompt.verdict for policy in others} == {"serves"}
    assert len({policy.prompt.time_s for policy in result.placement.policies}) == 3


def with_unknown_host(link_bytes_per_s):
    found = with_host(toy(batch=1), 0.1, 10.0, "sequential", link_bytes_per_s=link_bytes_per_s)
    host = replace(found.composition.host, machine=Machine(100e9, 80e9))
    composition = replace(found.composition, host=host)
    return replace(
        found,
        composition=composition,
        machine=placement.together(placement.pools_of(composition)),
    )


def test_what_lies_in_the_host_might_be_computed_elsewhere_so_its_ceilings_are_of_a_policy():
    result = evaluate(with_host(toy(batch=1), 0.1, 10.0, "both"))
    assert {policy.prompt.kind for policy in result.placement.policies} == {"policy ceiling"}
    assert result.placement.policies[0].kind == "bound"
    assert evaluate(split(toy(batch=1), 2, "layers")).prefill.kind["time_s"] == "bound"


@settings(max_examples=20, deadline=None)
@given(SEEDS, st.sampled_from([None, 7]))
def test_two_devices_of_one_kind_are_the_same_as_one_kind_of_two(seed, chunk):
    ordinary = random_setup(seed, 60)
    ordinary = replace(ordinary, prompt=replace(ordinary.prompt, chunk_tokens=chunk))
    twin = Device("a", part_of(ordinary.machine, 0.3))
    other = Device("c", part_of(ordinary.machine, 0.4, 3.0), ordinary.workload.overhead_bytes)
    apart = composed(ordinary, [twin, replace(twin, name="b"), other])
    joined = composed(ordinary, [replace(twin, count=2), other])
    one, two = own_costs(apart), own_costs(joined)
    for batch in (1, 4):
        assert float(one.time_s(batch)) == pytest.approx(float(two.time_s(batch)), rel=1e-9)


def test_a_host_whose_rate_is_unknown_leaves_prompts_to_the_streamed_policy():
    found = with_unknown_host(3e10)
    result = evaluate(found)
    assert result.placement.policy == "one pool at a time"
    assert result.placement.prompt_policy == "host memory streamed to the devices"
    streams = replace(found, composition=replace(found.composition, pools="streamed"))
    assert result.prefill == evaluate(streams).prefill
    assert result.prefill.time_s is not None and result.prefill.binding.place == "card"
    prompts = {policy.name: policy.prompt for policy in result.placement.policies}
    assert prompts["one pool at a time"].time_s is None


def test_without_a_link_a_host_whose_rate_is_unknown_leaves_the_memory_side():
    result = evaluate(with_unknown_host(None))
    assert result.prefill.unavailable == f"compute side: the rate of host in {BF16} unknown"
    assert result.prefill.memory_ceiling_tokens_per_s is not None
    assert result.prefill.time_s is None


def test_a_slow_link_binds_and_is_named():
    found = split(toy(batch=1), 4, "tensor", link_bytes_per_s=1e6)
    result = evaluate(found)
    assert result.prefill.limit == "link"
    sent = 8 * 64 * 2.0 * 2 * 3 / 4 * 4096
    assert result.prefill.time_s == pytest.approx(sent / 1e6, rel=1e-12)
    assert result.placement.policies[0].prompt.binding.place == "between devices"
    adding = replace(found, composition=replace(found.composition, link_reduces=True))
    assert evaluate(adding).prefill.time_s < result.prefill.time_s


def test_a_prompt_streamed_over_a_slow_link_waits_for_it():
    found = with_host(toy(batch=1), 0.05, 1.0, "streamed", link_bytes_per_s=1e8)
    result = evaluate(found)
    assert result.prefill.limit == "link"
    assert result.placement.policies[0].prompt.binding.place == "host"


def test_heads_that_cannot_be_divided_read_and_write_their_cache_more_than_once():
    ordinary = toy(batch=1, chunk_tokens=64)
    shape = shape_of(ordinary, key_heads=(2,))
    found = split(ordinary, 8, "tensor", link_bytes_per_s=1e15, shape=shape)
    all_over, by_head = (
        own_costs(found, policy.name) for policy in evaluate(found).placement.policies
    )
    assert by_head.private_bytes == pytest.approx(4 * all_over.private_bytes, rel=1e-12)
    plain, heads = (prompts_of(found, p.name) for p in evaluate(found).placement.policies)
    assert heads.fitting(4096) == plain.fitting(4096) // 4


def test_experts_on_every_device_share_prompts_and_divide_experts():
    found = split(laguna(batch=None), 4, "experts", link_bytes_per_s=1e9)
    names = [policy.name for policy in evaluate(found).placement.policies]
    replicated = own_costs(found, "experts divided, attention on every device")
    device = found.composition.devices[0].machine
    always = found.model.always_bytes
    routed = one_pool.sweep_bytes(laguna(), 8 * 8192) - always * 71.28e9 / (
        always + 256 * found.model.experts[0].expert_bytes
    )
    scale = 71.28e9 / (always + 256 * found.model.experts[0].expert_bytes)
    moved = always * scale + routed / 4 + 2 * 98304 * 8192
    assert float(replicated.memory_s(8)) == pytest.approx(
        moved / device.bandwidth_bytes_per_s, rel=1e-9
    )
    assert len(names) == 2
    # All but the experts' half of the linear path is done by the one device that has the prompt.
    one = replace(found, machine=device)
    attention = sum(one_pool.attention_flop_of_token(one, j) for j in range(1, 8193))
    alone = one_pool.seconds(one, attention, one.attention_mode)
    alone += one_pool.seconds(one, 0.5 * 2 * 7.9e9 * 8192, one.linear_mode)
    assert float(replicated.work_s(1)) == pytest.approx(alone, rel=1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
@example(237160)
def test_the_curve_goes_through_the_figures(seed):
    found = any_composition(seed)
    prompt = replace(found.prompt, cached_prefix_tokens=0)
    found = replace(found, prompt=prompt)
    whole = evaluate(found)
    result, policy = whole.prefill, whole.placement.prompt_policy
    assume(result.time_s is not None)
    at = ceilings_over_length(
        found, [prompt.prompt_tokens], result.batch, prompt.chunk_tokens, policy
    )
    assert at.combined[0] == pytest.approx(result.tokens_per_s, rel=1e-12)
    assert at.time_s[0] == pytest.approx(result.time_s, rel=1e-12)
    assert at.memory[0] == pytest.approx(result.memory_ceiling_tokens_per_s, rel=1e-12)
    assert at.compute[0] == pytest.approx(result.compute_ceiling_tokens_per_s, rel=1e-12)
    slowest = min(at.memory[0], at.compute[0], math.inf if at.link is None else at.link[0])
    assert at.combined[0] == pytest.approx(slowest, rel=1e-9)


def test_lengths_that_fit_no_two_pools_have_no_time():
    found = with_host(toy(cache_growth="on_demand"), 0.1, 10.0, "both")
    at = ceilings_over_length(found, [100, 30_000], batch=16)
    assert at.fitting[1] < 16
    assert np.isfinite(at.combined[0]) and np.isnan(at.combined[1]) and np.isnan(at.time_s[1])


def test_a_prompt_that_just_fits_two_pools_has_a_time():
    found = with_host(toy(cache_growth="on_demand"), 0.1, 10.0, "both")
    way = prompts_of(found)
    room = way.margin_bytes() // 262144
    at = ceilings_over_length(found, [room, room + 1])
    assert np.isfinite(at.time_s[0]) and np.isnan(at.time_s[1])


def test_a_placement_as_given_says_how_many_prompts_fit():
    ordinary = toy(cache_growth="on_demand")
    found = with_host(ordinary, 0.5, 4.0, "sequential", placement={"weights": 1.0, "cache": 1.0})
    room = found.composition.devices[0].machine.capacity_bytes - 6e9 - ordinary.model.always_bytes
    assert int(prompts_of(found).fitting(4096)) == int(room // (262144 * 4096))
    free = with_host(ordinary, 0.5, 4.0, "sequential")
    assert float(own_costs(found).time_s(1)) >= float(own_costs(free).time_s(1)) * (1 - 1e-12)
    assert FP4 not in found.linear_mode


def test_prompts_fill_the_same_pools_once_however_the_pools_are_used(monkeypatch):
    filled = []

    def counted(parts, rooms_bytes, pinned):
        filled.append(parts.held_bytes.shape)
        return most_traffic(parts, rooms_bytes, pinned)

    most_traffic = prompt_memory.most_traffic
    monkeypatch.setattr(prompt_memory, "most_traffic", counted)
    setup = with_host(toy(), 0.5, 4.0, "both", link_bytes_per_s=50e9)
    ways = choose.policies(setup)
    assert len(ways) == 3
    batch = np.array([1.0, 2.0, 3.0])
    for way in ways:
        prompts_under(way).costs(512).time_s(batch)
    assert len(filled) == 1
