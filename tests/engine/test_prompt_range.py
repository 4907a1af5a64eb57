"""The range over prompt lengths against the judge that looks at every one."""

import random

import literal_prefill as judge
import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from prefill_setups import FP4, laguna, random_setup, toy
from prompt_compositions import any_composition

from ourmodels_gui.engine import placement
from ourmodels_gui.engine import prompt_range as module
from ourmodels_gui.engine.placement import prompt_policy
from ourmodels_gui.engine.prefill import prefill
from ourmodels_gui.engine.prompt_policy import PromptPolicy
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Draft,
    Machine,
    ModelCosts,
    Speculation,
    TypedCache,
)

replace = msgspec.structs.replace


def with_model(setup, **changes):
    return replace(setup, model=replace(setup.model, **changes))


def with_prompt(setup, **changes):
    return replace(setup, prompt=replace(setup.prompt, **changes))


def ranges(setup):
    return module.ranges(PromptPolicy(setup))


def check_against_judge(setup):
    found = ranges(setup)
    for batch, got in zip((setup.prompt.batch, 1), found, strict=True):
        rates = judge.range_ends(setup, batch)
        if not rates:
            assert got is None
            continue
        for end, pick in ((got.low, min), (got.high, max)):
            assert end.tokens_per_s == pytest.approx(pick(rates.values()), rel=1e-11)
            assert rates[end.prompt_tokens] == pytest.approx(end.tokens_per_s, rel=1e-11)
            check_batch(setup, end, batch)


def check_batch(setup, end, forced):
    """The batch named at an end reaches its rate, and no smaller admitted batch does."""
    width = min(setup.prompt.chunk_tokens or end.prompt_tokens, end.prompt_tokens)
    if forced is not None:
        assert end.batch == forced
    assert 1 <= end.batch <= judge.fitting_batch(setup, end.prompt_tokens)

    def rate(batch):
        time_s = max(
            judge.memory_s(setup, batch, end.prompt_tokens, width, 0),
            judge.compute_s(setup, batch, end.prompt_tokens, 0),
        )
        return batch * end.prompt_tokens / time_s

    assert rate(end.batch) == pytest.approx(end.tokens_per_s, rel=1e-11)
    if forced is None and end.batch > 1:
        assert rate(end.batch - 1) <= rate(end.batch) * (1 + 1e-11)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 90))
def test_range_agrees_with_every_length_and_batch(seed, limit):
    check_against_judge(random_setup(seed, limit))


@pytest.mark.parametrize("seed", range(12))
def test_range_agrees_with_every_length_up_to_thousands(seed):
    setup = random_setup(1000 + seed, 3000)
    check_against_judge(with_prompt(setup, chunk_tokens=(None, 2, 61, 512)[seed % 4]))


@pytest.mark.parametrize("chunk", [None, 2048])
@pytest.mark.parametrize("linear", [FP4, "bf16_fp32acc"])
def test_range_of_laguna_at_batch_one_agrees_with_every_length(chunk, linear):
    setup = with_model(laguna(linear, chunk_tokens=chunk), max_context_tokens=20000)
    check_against_judge(setup)


def test_shortest_prompt_is_slowest_and_peak_is_where_rooflines_meet_at_batch_one():
    _, single = ranges(laguna())
    assert single.low.prompt_tokens == 1
    assert 5000 < single.high.prompt_tokens < 8263  # attention pulls it below the crossover
    assert single.high.batch == single.low.batch == 1


def test_best_batch_makes_short_prompts_fast_and_long_prompts_slowest():
    best, single = ranges(laguna(batch=None))
    assert best.low.prompt_tokens == 262144
    assert best.high.prompt_tokens == 1
    assert best.high.tokens_per_s > single.high.tokens_per_s


def test_reservation_and_prefix_play_no_part_in_the_range():
    setup = laguna(batch=None)
    short = replace(setup, workload=replace(setup.workload, reserved_context_tokens=9000))
    assert ranges(short) == ranges(setup)
    assert ranges(with_prompt(setup, cached_prefix_tokens=500)) == ranges(setup)


@pytest.mark.parametrize("growth", ["reserved", "on_demand"])
def test_a_drafts_cache_grows_with_each_length(growth):
    """The draft's cache is charged at the prompt's own length, up to the draft's limit."""
    layers = (CacheLayer("full", 12, 2048.0, 2048.0),)
    draft = Draft(cache=layers, max_context_tokens=4000)
    setup = with_model(laguna(batch=None, cache_growth=growth), max_context_tokens=9000)
    setup = replace(with_room_bytes(setup, 10**9), speculation=Speculation(2, 1.5, draft))
    check_against_judge(setup)
    costly = replace(setup, speculation=Speculation(2, 1.5, replace(draft, cache=layers * 9)))
    check_against_judge(costly)
    assert ranges(costly)[0].high.batch < ranges(setup)[0].high.batch


def with_room_bytes(setup, room):
    capacity = 71_898_700_000 + 8_000_000_000 + room
    return replace(setup, machine=replace(setup.machine, capacity_bytes=float(capacity)))


def test_lengths_that_do_not_fit_are_left_out():
    """The longest fitting prompt is the slowest here, so the low end names it."""
    longest = 200_000
    room = 12 * 2048 * longest + 36 * 2048 * 512
    for spare, at in ((0, longest), (-1, longest - 1), (12 * 2048, longest + 1)):
        low = ranges(with_room_bytes(laguna(batch=None), room + spare))[0].low
        assert (low.prompt_tokens, low.batch) == (at, 1)


def test_no_length_means_no_range():
    one_token = 48 * 2048
    assert ranges(with_room_bytes(laguna(), one_token - 1)) == (None, None)
    only = ranges(with_room_bytes(laguna(), one_token))[0]
    assert only.low == only.high and only.low.prompt_tokens == 1
    assert ranges(laguna(batch=None, ttft_budget_s=1e-6)) == (None, None)


def test_budget_narrows_the_range_of_lengths():
    ends = [ranges(laguna(batch=None, ttft_budget_s=s))[0].low.prompt_tokens for s in (2, 5, 20)]
    assert ends == sorted(ends) and ends[0] < ends[-1]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 90), st.integers(1, 3))
def test_a_wait_that_is_just_the_budget_keeps_it(seed, limit, batch):
    """That of the longest prompt given back as the budget; the next smaller one leaves it out."""
    drawn = random_setup(seed, limit)
    setup = replace(drawn, workload=replace(drawn.workload, reserved_context_tokens=limit))
    setup = with_prompt(setup, batch=batch, ttft_budget_s=None, cached_prefix_tokens=0)
    shorter, longest = (prefill(with_prompt(setup, prompt_tokens=limit - i)) for i in (1, 0))
    assume(longest.verdict == "serves")
    assert ranges(with_prompt(setup, ttft_budget_s=longest.time_s))[0] == ranges(setup)[0]
    assume(shorter.time_s < longest.time_s)  # not so where nothing but the weights is moved
    less = np.nextafter(longest.time_s, 0.0)
    left = ranges(with_prompt(setup, ttft_budget_s=less))[0]
    assert left == ranges(with_model(setup, max_context_tokens=limit - 1))[0]


@pytest.mark.parametrize(
    "change",
    [
        {"max_context_tokens": None},
        {"cache": TypedCache(1e9, 1e8)},
        {"attention": None},
        {"linear_active_parameters": None},
        {"cache_write_bytes_per_token": None},
    ],
)
def test_range_needs_a_limit_and_both_sides(change):
    assert ranges(with_model(laguna(), **change)) == (None, None)


def test_range_needs_every_rate():
    assert ranges(replace(laguna(), linear_mode={"int8_int32acc": 1.0})) == (None, None)


@pytest.mark.parametrize("chunk", [None, 1, 2, 64, 2048])
@pytest.mark.parametrize("kind", ["full", "window", "state"])
def test_ten_million_lengths_need_few_evaluations(chunk, kind, monkeypatch):
    """Counted work: intervals looked at, against ten million lengths."""
    seen = []
    ceilings = module._ceilings

    def counting(lengths, begin, end, width):
        seen.append(begin.size)
        return ceilings(lengths, begin, end, width)

    monkeypatch.setattr(module, "_ceilings", counting)
    setup = with_prompt(laguna(batch=None), chunk_tokens=chunk)
    layers = setup.model.cache
    cache = {
        "full": layers,
        "window": layers[1:],
        "state": (replace(layers[0], kind="state", state_bytes=2e6, bytes_per_token=0.0),),
    }[kind]
    both = ranges(with_model(setup, max_context_tokens=10_000_000, cache=cache))
    assert None not in both
    assert sum(seen) < 30_000


def test_ceilings_that_are_flat_to_rounding_need_few_evaluations(monkeypatch):
    """So much memory that the sweep is lost beside the caches: 2^31 lengths of one rate."""
    seen = []
    ceilings = module._ceilings

    def counting(lengths, begin, end, width):
        seen.append(begin.size)
        assert sum(seen) < 200_000
        return ceilings(lengths, begin, end, width)

    monkeypatch.setattr(module, "_ceilings", counting)
    cache = (
        CacheLayer("full", 3, 1454.0, 1454.0),
        CacheLayer("state", 4, state_bytes=1e6),
    )
    model = ModelCosts(
        1e6,
        1e9,
        cache,
        max_context_tokens=2**31,
        cache_write_bytes_per_token=4362.0,
        linear_active_parameters=4.5e7,
        attention=(AttentionLayer("full", 12, query_width=1.24),),
    )
    setup = replace(
        laguna("bf16_fp32acc", batch=None),
        machine=Machine(1e18, 7e7, {"bf16_fp32acc": 1e14}),
        model=model,
    )
    best, single = ranges(setup)
    assert best.low.prompt_tokens == 2**31
    assert best.high.tokens_per_s == pytest.approx(7e7 / 4362.0, rel=1e-5)
    assert single.high.tokens_per_s < best.high.tokens_per_s


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 150))
def test_no_length_of_an_interval_is_beyond_its_brackets(seed, limit):
    """Any interval, whether or not the search would look at it, in the first chunk or over many."""
    rng = random.Random(seed)
    setup = random_setup(seed, limit)
    lengths = module._Lengths(PromptPolicy(setup), rng.choice((None, 1, 3)))
    last = lengths.last_admitted()
    assume(last > 1)
    every = np.arange(1, last + 1)
    costs = lengths.costs(every)
    batch = lengths.admitted(costs)
    rates = batch * every / costs.time_s(batch)
    begin = np.array([rng.randint(1, last) for _ in range(60)])
    end = np.array([rng.randint(first, last) for first in begin])
    chunk = min(lengths.chunk, last)
    at_begin, at_end, lower, upper = module._ceilings(lengths, begin, end, chunk)
    assert at_begin == pytest.approx(rates[begin - 1], rel=1e-12)
    assert at_end == pytest.approx(rates[end - 1], rel=1e-12)
    for place, (first, past) in enumerate(zip(begin - 1, end, strict=True)):
        assert lower[place] <= rates[first:past].min() * (1 + 1e-12)
        assert upper[place] >= rates[first:past].max() * (1 - 1e-12)


def slowed(setup, times):
    """The same on devices and over a link that are so many times slower."""
    made = setup.composition

    def slower(device):
        machine = device.machine
        rates = {mode: rate / times for mode, rate in machine.compute_flop_per_s.items()}
        return replace(
            device,
            machine=Machine(machine.capacity_bytes, machine.bandwidth_bytes_per_s / times, rates),
        )

    devices, host = tuple(map(slower, made.devices)), made.host and slower(made.host)
    link = made.link_bytes_per_s and made.link_bytes_per_s / times
    made = replace(made, devices=devices, host=host, link_bytes_per_s=link)
    budget = setup.prompt.ttft_budget_s and setup.prompt.ttft_budget_s * times
    machine = placement.together(placement.pools_of(made))
    found = replace(setup, composition=made, machine=machine)
    return with_prompt(found, ttft_budget_s=budget)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9))
def test_no_length_of_an_interval_is_beyond_its_loose_brackets(seed):
    """Over several devices and pools, with the best of all batches at each length."""
    rng = random.Random(seed)
    setup = slowed(any_composition(seed), rng.choice((1.0, 1e6)))
    policy = prompt_policy(setup)
    lengths = module._Lengths(policy, rng.choice((None, 1, 3)))
    last = lengths.last_admitted()
    assume(last > 1 and not lengths.closed)
    every = np.arange(1, last + 1)
    admitted = lengths.admitted(lengths.costs(every))
    batches = np.arange(1.0, admitted.max() + 1)[:, np.newaxis]
    seconds = lengths.costs(every).time_s(np.minimum(batches, admitted))
    rates = np.minimum(batches, admitted) * every / seconds
    best = rates[-1] if lengths._batch else rates.max(axis=0)
    begin = np.array([rng.randint(1, last) for _ in range(60)])
    end = np.array([rng.randint(first, last) for first in begin])
    at_begin, at_end, lower, upper = module._loose_ceilings(lengths, begin, end)
    for at, where in ((at_begin, begin), (at_end, end)):
        assert (at <= best[where - 1] * (1 + 1e-9)).all()
        assert (at >= best[where - 1] * 0.999).all()
    for place, (first, past) in enumerate(zip(begin - 1, end, strict=True)):
        assert lower[place] <= best[first:past].min() * 1.001
        assert upper[place] >= best[first:past].max() * 0.999


def test_the_peak_is_found_at_whichever_length_it_is():
    """Attention pulls the ceiling down from where arithmetic outlasts the sweep."""
    found = set()
    for place in range(2, 120):
        drawn = with_model(toy(batch=1), max_context_tokens=300, cache_write_bytes_per_token=1.0)
        linear, pair = 2 * 32e9, 64 * 4 * 5120
        flop = linear * place + pair * place * (place + 1) / 2
        rate = flop / (drawn.model.always_bytes / 800e9)
        setup = replace(drawn, machine=Machine(128e9, 800e9, {"bf16_fp32acc": rate}))
        (best, _), rates = ranges(setup), judge.range_ends(setup, 1)
        assert best.high.tokens_per_s == pytest.approx(max(rates.values()), rel=1e-12)
        found.add(best.high.prompt_tokens)
    assert len(found) > 100
