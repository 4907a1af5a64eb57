"""The times of prompts over several devices and pools against literal programs and sums."""

import random

import literal_placement_prefill as judge
import literal_prefill as one_pool
import msgspec
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from prefill_setups import random_setup
from prompt_compositions import (
    any_composition,
    composed,
    own_costs,
    part_of,
    prompts_of,
    shape_of,
    split,
    without_draft,
)

from ourmodels_gui.engine.chunks import reread_bytes
from ourmodels_gui.engine.placement import choose, prompt_pools
from ourmodels_gui.engine.placement.prefill import prompts_under
from ourmodels_gui.engine.placement.prompt_parts import private, private_of_chunk
from ourmodels_gui.engine.prefill import prefill_under
from ourmodels_gui.engine.prefill_curve import ceilings_over_length
from ourmodels_gui.engine.setup import CacheLayer, Device, TypedCache

replace = msgspec.structs.replace
SEEDS = st.integers(0, 10**9)


KINDS = (3, 5, 19, 41, 56, 58, 61, 76, 84, 95, 108, 286)
"""Seeds of `unlike_pools` with whole layers, a head, drafts and fixed shares in every mode."""


def of_every_kind(test):
    """The test with these seeds among its examples."""
    for seed in KINDS:
        test = example(seed)(test)
    return test


def cut_prompt(seed, limit, rng):
    """A random prompt of few caches, in one shot, in chunks of one, in two or in many."""
    ordinary = without_draft(random_setup(seed, limit))
    prompt, cache = ordinary.prompt, ordinary.model.cache[:2]
    written = sum(layer.count * layer.bytes_per_token for layer in cache)
    model = replace(
        ordinary.model,
        cache=cache,
        experts=ordinary.model.experts[-1:],
        cache_write_bytes_per_token=written or 30.0,
    )
    tokens = prompt.prompt_tokens
    chunk = rng.choice((None, 1, tokens // 2 + 1, 7))
    asked = replace(prompt, chunk_tokens=chunk, batch=None, ttft_budget_s=None)
    return replace(ordinary, model=model, prompt=asked)


def unlike_pools(seed, rng):
    """The same over two kinds of devices, or a kind and a host; some with fixed shares there."""
    ordinary = replace(cut_prompt(seed, 40, rng), speculation=random_setup(seed, 40).speculation)
    machine, work = ordinary.machine, ordinary.workload
    share = rng.uniform(0.05, 0.9)
    asked = {"split": rng.choice(("layers", "layers", "tensor"))}
    count = rng.choice((1, 1, 2))
    first = Device("first", part_of(machine, share / count), work.overhead_bytes / count, count)
    other = part_of(machine, 1 - share, rng.choice((0.5, 2.0, 20.0)))
    known = {"expert_parameters": None} if rng.random() < 0.2 else {}
    head = rng.choice((0.0, 0.4)) * ordinary.model.always_bytes
    if rng.random() < 0.5:
        asked |= {"pools": rng.choice(("sequential", "both", "streamed")), "link_bytes_per_s": 2e8}
        if rng.random() < 0.5:
            shares = {
                "cache": 0.3,
                "weights": rng.choice((0.6, 1.0)),
                "draft": 0.7,
                "embedding": 0.5,
            }
            asked["placement"] = {name: shares[name] for name in shares if rng.random() < 0.7}
        shape = shape_of(ordinary, head_bytes=head, **known)
        return composed(ordinary, [first], shape, host=Device("host", other), **asked)
    second = Device("second", part_of(other, 0.5), 0.0, 2)
    shape = shape_of(ordinary, head_bytes=head, alike=rng.random() < 0.6, **known)
    groups = rng.choice((None, None, 1, 2))
    return composed(ordinary, [first, second], shape, split="layers", groups=groups)


@settings(max_examples=80, deadline=None)
@given(SEEDS)
@of_every_kind
def test_the_times_over_unlike_pools_are_those_of_the_linear_program(seed):
    rng = random.Random(seed)
    found = unlike_pools(seed, rng)
    prompt, policy = found.prompt, prompts_of(found)
    reserved = prompt.cached_prefix_tokens + prompt.prompt_tokens
    if prompt.cache_growth == "reserved":
        reserved = max(reserved, found.workload.reserved_context_tokens)
    fitting = int(policy.fitting(reserved))
    assume(policy.margin_bytes() >= 0 and fitting >= 1)
    batch = rng.randint(1, min(fitting, 6))
    costs = own_costs(found)
    assert float(costs.memory_s(batch)) == pytest.approx(
        judge.memory_s(found, batch, reserved), rel=1e-8
    )
    assert float(costs.work_s(batch)) == pytest.approx(judge.work_s(found, batch), rel=1e-8)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 5), st.integers(1, 9))
def test_the_times_through_equal_devices_are_the_sums_written_out(seed, count, batch):
    rng = random.Random(seed)
    ordinary = cut_prompt(seed, 60, rng)
    found = split(ordinary, count, "layers", groups=rng.choice((None, 1, 2, 9)))
    costs = own_costs(found)
    memory_s, work_s, width = judge.layered(found, batch)
    assert float(costs.memory_s(batch)) == pytest.approx(memory_s, rel=1e-9)
    assert float(costs.work_s(batch)) == pytest.approx(work_s, rel=1e-9)
    assert costs.width(batch) == width


@pytest.mark.parametrize("batch", range(1, 8))
def test_a_prompt_cut_at_will_has_the_width_of_an_even_share_and_never_more_than_all(batch):
    ordinary = replace(random_setup(1, 60), speculation=None)
    prompt = replace(ordinary.prompt, prompt_tokens=10, chunk_tokens=None)
    found = split(replace(ordinary, prompt=prompt), 3, "layers")
    width = {1: 4, 2: 7}.get(batch, 10)
    assert own_costs(found).width(batch) == width


def under(setup, kind):
    """Prompts under one of the ways that a composition has."""
    (way,) = (way for way in choose.policies(setup) if type(way).__name__ == kind)
    return prompts_under(way)


def costs_under(policy):
    prompt = policy.setup.prompt
    return policy.costs(prompt.prompt_tokens, prompt.chunk_tokens, prompt.cached_prefix_tokens)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(2, 5), st.integers(1, 9))
def test_the_times_of_experts_divided_are_the_sums_written_out(seed, count, batch):
    rng = random.Random(seed)
    ordinary = cut_prompt(seed, 60, rng)
    inside = rng.choice((None, 0.3, 1.0))
    known = None if inside is None else inside * ordinary.model.linear_active_parameters
    shape = shape_of(ordinary, expert_parameters=known)
    found = split(ordinary, count, "experts", link_bytes_per_s=1e9, shape=shape)
    policy = under(found, "ReplicatedAttention")
    costs = costs_under(policy)
    memory_s, work_s = judge.replicated(found, batch)
    assert float(costs.memory_s(batch)) == pytest.approx(memory_s, rel=1e-9)
    assert float(costs.work_s(batch)) == pytest.approx(work_s, rel=1e-9)
    reserved = found.workload.reserved_context_tokens
    held = max(policy.margin_bytes(), 0) // one_pool.session_bytes(found, reserved)
    assert int(policy.fitting(reserved)) == count * held


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(2, 6))
def test_caches_divided_by_heads_are_the_sums_written_out(seed, count):
    rng = random.Random(seed)
    drawn = random_setup(seed, 60)
    ordinary = replace(cut_prompt(seed, 60, rng), speculation=drawn.speculation)
    heads = tuple(rng.choice((0, 1, 2, 3, 8)) for _ in ordinary.model.cache)
    shape = shape_of(ordinary, key_heads=heads)
    found = split(ordinary, count, "tensor", link_bytes_per_s=1e9, shape=shape)
    policy = under(found, "HeadSplit")
    reserved = found.workload.reserved_context_tokens
    moved, fitting = judge.by_heads(found, reserved)
    assert float(costs_under(policy).private_bytes) == pytest.approx(moved, rel=1e-9)
    assert int(policy.fitting(reserved)) == fitting


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_a_placement_as_given_holds_as_many_prompts_as_each_pool_has_room_for(seed):
    rng = random.Random(seed)
    drawn = random_setup(seed, 60)
    found = unlike_pools(seed, rng)
    assume(found.composition.host is not None)
    fixed = {
        name: rng.choice((0.0, 0.3, 1.0))
        for name in ("weights", "routed_experts", "embedding", "cache", "draft")
        if rng.random() < 0.6
    }
    made = replace(found.composition, placement=fixed)
    found = replace(found, composition=made, speculation=drawn.speculation)
    policy = prompts_of(found)
    for reserved in (1, found.workload.reserved_context_tokens):
        assert float(policy.fitting(reserved)) == judge.pinned_fitting(found, reserved)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_the_caches_share_out_what_a_prompt_moves(seed):
    """Prompts of one and of several chunks side by side; the chunks one by one; typed totals."""
    rng = random.Random(seed)
    found = cut_prompt(seed, 60, rng)
    cache, prefix = found.model.cache, found.prompt.cached_prefix_tokens
    width, lengths = float(rng.randint(1, 9)), np.arange(1.0, 30.0)
    widths = np.minimum(lengths, width)
    written = found.model.cache_write_bytes_per_token * lengths
    read = reread_bytes(cache, prefix, widths, np.ceil(lengths / widths))
    moved = sum(private(found, lengths, widths, prefix).moved_bytes)
    assert moved == pytest.approx(read + written, rel=1e-9)
    for length in (1, 29):
        chunks = one_pool.chunks(length, int(width), prefix)
        each = [
            private_of_chunk(found, np.asarray(start), np.asarray(step)) for start, step in chunks
        ]
        one_by_one = sum(float(sum(chunk.moved_bytes)) for chunk in each)
        assert one_by_one == pytest.approx(moved[length - 1], rel=1e-9)
        assert float(each[-1].held_tokens) == prefix + length
    states = tuple(CacheLayer("state", count, state_bytes=50.0) for count in (1, 2, 3))
    for own in ((found, cache), (found, states)):
        setup = replace(own[0], model=replace(found.model, cache=own[1]))
        first = private(setup, lengths, lengths, 0).moved_bytes
        assert len(first) == len(own[1]) and sum(first) == pytest.approx(written, rel=1e-12)
    typed = replace(found, model=replace(found.model, cache=TypedCache(8e3, 5e3)))
    for start, more in ((0, 0.0), (3, 5e3)):
        assert private(typed, lengths, lengths, start).moved_bytes[0] == pytest.approx(
            more + written, rel=1e-12
        )
    for start, more in ((0, 0.0), (3, 5e3)):
        (chunk,) = private_of_chunk(typed, np.asarray(start), np.asarray(4.0)).moved_bytes
        assert float(chunk) == pytest.approx(more + 4 * found.model.cache_write_bytes_per_token)


class Hill:
    """Prompts per second that rise up to a batch and fall behind it."""

    private_bytes = 0.0

    def __init__(self, peak, steep):
        self.peak, self.steep = peak, steep

    def time_s(self, batch):
        below = np.minimum(batch, self.peak)
        return batch * (1.0 + 5.0 / below) * (batch / below) ** self.steep


@pytest.mark.parametrize("steep", [0.0, 0.01, 2.0])
@pytest.mark.parametrize("rungs", [prompt_pools.FEW, prompt_pools.MANY])
def test_the_ladders_find_the_top_wherever_it_is(steep, rungs):
    peaks = np.arange(1.0, 2000.0)
    found = prompt_pools._highest(Hill(peaks, steep), np.full(peaks.shape, 2500.0), rungs, np.inf)
    assert found == pytest.approx(peaks)
    largest = np.array([1.0, 2.0, 17.0, 500.0, 99_999.0, 1e6])
    for share in (0.0, 0.2, 0.9, 0.99, 0.999, 0.99995, 1.0):
        peak = np.maximum(np.rint(share * largest), 1.0)
        found = prompt_pools._highest(Hill(peak, steep), largest, rungs, np.inf)
        assert found == pytest.approx(peak, rel=1e-9), share
        enough = 0.9 / Hill(peak, steep).time_s(peak) * peak
        rough = prompt_pools._highest(Hill(peak, steep), largest, rungs, enough)
        assert (rough / Hill(peak, steep).time_s(rough) >= enough).all()
    assert prompt_pools._highest(Hill(1.0, steep), np.asarray(0.0), rungs, np.inf) == 0.0


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_every_way_has_its_best_batch_where_trying_each_has_it(seed):
    found = any_composition(seed)
    length = found.prompt.prompt_tokens
    for way in choose.policies(found):
        policy = prompts_under(way)
        costs = policy.costs(length, found.prompt.chunk_tokens)
        batches = np.arange(1.0, float(policy.fitting(policy.reserved(length))) + 1)
        if not batches.size:
            continue
        rates = batches / costs.time_s(batches)
        wanted = batches[np.argmax(rates >= rates.max() * (1 - 1e-11))]
        best, near = (
            int(of(costs, np.asarray(batches[-1]))) for of in (policy.best, policy.nearly_best)
        )
        assert rates[best - 1] == pytest.approx(rates.max(), rel=1e-9)
        assert best <= wanted + 1
        assert rates[near - 1] >= rates.max() * 0.999 * (1 - 1e-9)


@settings(max_examples=16, deadline=None)
@given(SEEDS)
def test_each_ways_curve_is_that_of_prompts_without_a_prefix(seed):
    found = any_composition(seed)
    found = replace(found, prompt=replace(found.prompt, cached_prefix_tokens=0, batch=None))
    prompt = found.prompt
    for way in choose.policies(found):
        told = prefill_under(prompts_under(way), ranged=False)
        if told.time_s is None:
            continue
        at = ceilings_over_length(
            found, [prompt.prompt_tokens], told.batch, prompt.chunk_tokens, way.name
        )
        assert at.combined[0] == pytest.approx(told.tokens_per_s, rel=1e-12)
        assert at.time_s[0] == pytest.approx(told.time_s, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_without_arithmetic_a_prompt_takes_the_time_of_its_memory_or_of_the_link(seed):
    found = any_composition(seed)
    found = replace(found, model=replace(found.model, linear_active_parameters=None))
    for way in choose.policies(found):
        costs = costs_under(prompts_under(way))
        link_s = 0.0 if costs.link_s is None else 3 * costs.link_s
        assert float(costs.time_s(3)) == max(float(costs.memory_s(3)), float(link_s))
