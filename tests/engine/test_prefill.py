"""Prefill ceilings against the formulation's tables and a literal judge."""

import literal_prefill as judge
import msgspec
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from prefill_setups import BF16, FP4, laguna, random_setup, toy

from ourmodels_gui.engine.chunks import (
    prefill_bytes_per_token,
    prefill_flop_per_token,
    reread_bytes,
)
from ourmodels_gui.engine.costs import cache_read_bytes, sweep_bytes
from ourmodels_gui.engine.crossover import crossover_tokens
from ourmodels_gui.engine.prefill import prefill
from ourmodels_gui.engine.prefill_curve import ceilings_over_length, doubling_lengths
from ourmodels_gui.engine.prompt_costs import prompt_costs
from ourmodels_gui.engine.setup import CacheLayer, Draft, Speculation, TypedCache

replace = msgspec.structs.replace
SEEDS = st.integers(0, 10**9)
FIGURES = tuple(
    name
    for name in prefill(laguna()).__struct_fields__
    if name not in ("verdict", "kind", "unavailable")
)


def with_model(setup, **changes):
    return replace(setup, model=replace(setup.model, **changes))


def with_machine(setup, **changes):
    return replace(setup, machine=replace(setup.machine, **changes))


def with_workload(setup, **changes):
    return replace(setup, workload=replace(setup.workload, **changes))


def with_prompt(setup, **changes):
    return replace(setup, prompt=replace(setup.prompt, **changes))


def given_figures(result):
    return {name for name in FIGURES if getattr(result, name) is not None}


def k(rate):
    """As the tables print a rate: thousands, one decimal below ten thousand or so."""
    return f"{rate / 1e3:.1f}k"


# The formulation's two prefill tables, both ends of the compute bracket.

ONE_SHOT = {
    8192: ("17.7", ("7.1k", "21.5k"), "31k", ("7.1k", "21.5k"), ("1.2", "0.4")),
    32768: ("21.3", ("5.9k", "13.2k"), "120k", ("5.9k", "13.2k"), ("5.6", "2.5")),
    131072: ("35.8", ("3.5k", "5.2k"), "425k", ("3.5k", "5.2k"), ("38", "25")),
}
CHUNKED = {
    8192: ("7.8k", ("7.1k", "7.8k"), ("1.2", "1.0")),
    32768: ("7.8k", ("5.9k", "7.8k"), ("5.6", "4.2")),
    131072: ("7.6k", ("3.5k", "5.2k"), ("38", "25")),
}


def printed_time(seconds):
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.1f}"


@pytest.mark.parametrize("length", ONE_SHOT)
@pytest.mark.parametrize("end", [0, 1])
def test_one_shot_table_to_the_printed_digit(length, end):
    flop, compute, memory, combined, time = ONE_SHOT[length]
    found = prefill(laguna((BF16, FP4)[end], prompt_tokens=length))
    assert f"{found.flop_per_token / 1e9:.1f}" == flop
    assert k(found.compute_ceiling_tokens_per_s) == compute[end]
    assert f"{found.memory_ceiling_tokens_per_s / 1e3:.0f}k" == memory
    assert k(found.tokens_per_s) == combined[end]
    assert printed_time(found.time_s) == time[end]


@pytest.mark.parametrize("length", CHUNKED)
@pytest.mark.parametrize("end", [0, 1])
def test_chunked_table_to_the_printed_digit(length, end):
    memory, combined, time = CHUNKED[length]
    found = prefill(laguna((BF16, FP4)[end], prompt_tokens=length, chunk_tokens=2048))
    assert found.chunk_tokens == 2048
    assert k(found.memory_ceiling_tokens_per_s) == memory
    assert k(found.tokens_per_s) == combined[end]
    assert printed_time(found.time_s) == time[end]


def test_attention_of_the_worked_prompt_is_the_printed_sum():
    attention = 4 * (12 * 6144 * 4096.5 + 36 * 9216 * (512 - 512 * 511 / (2 * 8192)))
    found = prefill(laguna())
    assert found.flop_per_token == pytest.approx(15.8e9 + attention, rel=1e-14)


def test_crossover_of_laguna_lies_in_the_printed_bracket():
    low, high = (prefill(laguna(mode)).crossover_tokens for mode in (BF16, FP4))
    assert (f"{low:.0f}", f"{high:.0f}") == ("2066", "8263")
    chunked = prefill(laguna(FP4, chunk_tokens=2048, prompt_tokens=8192))
    one_shot = prefill(laguna(FP4, prompt_tokens=16384))
    assert (chunked.limit, one_shot.limit) == ("memory", "compute")


# Crossover


def test_dense_crossover_is_31_25_tokens_and_14_times_that_when_14_times_is_swept():
    assert prefill(toy()).crossover_tokens == pytest.approx(31.25, rel=1e-12)
    assert prefill(toy(swept=14 * 32e9)).crossover_tokens == pytest.approx(437.5, rel=1e-12)


@pytest.mark.parametrize("rate", [1e9, 1e11, 1e12, 1e13, 5e14, 1e18])
@pytest.mark.parametrize("routing", ["expected", "floor"])
def test_crossover_solves_its_equation(rate, routing):
    model = laguna().model
    tokens = crossover_tokens(model, routing, 273e9, 1 / rate)
    sweep = float(sweep_bytes(model.always_bytes, model.experts, tokens, routing))
    assert sweep * rate == pytest.approx(2 * 7.9e9 * 273e9 * tokens, rel=1e-12)


def test_no_crossover_when_arithmetic_always_outlasts_the_sweep():
    model = replace(laguna().model, always_bytes=0.0)
    assert crossover_tokens(model, "expected", 273e9, 1e-6) is None
    assert (
        crossover_tokens(replace(model, linear_active_parameters=None), "floor", 1.0, 1.0) is None
    )


# Traffic and FLOPs of an iteration, sums over chunks


def test_chunk_of_one_token_moves_the_bytes_of_decode_and_the_cache_write():
    model = with_model(laguna(), prefill_sweep_bytes=None).model
    batch, context = np.array([1, 8, 64]), 32000
    decode = sweep_bytes(model.always_bytes, model.experts, batch, "expected") / batch
    decode = decode + cache_read_bytes(model.cache, context)
    found = prefill_bytes_per_token(model, "expected", batch, 1, context)
    assert found - 98304 == pytest.approx(decode, rel=1e-12)
    tiny = replace(model, always_bytes=1.0, experts=(), cache=(), cache_write_bytes_per_token=None)
    assert prefill_bytes_per_token(tiny, "floor", 1, 1, 0) == 1.0


def test_first_chunk_reads_nothing_back_not_even_state():
    state = with_model(laguna(), cache=(CacheLayer("state", 3, state_bytes=1e6),)).model
    first, later = (prefill_bytes_per_token(state, "floor", 1, 4, at) for at in (0, 1))
    assert later - first == pytest.approx(3e6 / 4, rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(SEEDS, st.integers(0, 300), st.integers(1, 90), st.integers(1, 300))
def test_sums_over_chunks_are_the_sums_of_their_terms(seed, prefix, width, tokens):
    setup = random_setup(seed, 100)
    model, routing = setup.model, setup.workload.routing
    batch = 3
    moved = flop = reread = 0.0
    for start, step in judge.chunks(tokens, width, prefix):
        per_token = prefill_bytes_per_token(model, routing, batch, step, start)
        moved += batch * step * float(per_token)
        flop += step * float(prefill_flop_per_token(model, step, start))
        reread += judge.read_bytes(setup, start) if start else 0.0
    costs = prompt_costs(setup, tokens, width, prefix)
    assert moved == pytest.approx(float(costs.memory_bytes(batch)), rel=1e-11)
    assert flop == pytest.approx(float(costs.flop), rel=1e-11)
    count = -(-tokens // width)
    assert reread == pytest.approx(float(reread_bytes(model.cache, prefix, width, count)))
    judged = judge.memory_s(setup, batch, tokens, width, prefix)
    assert judged == pytest.approx(float(costs.memory_s(batch)), rel=1e-11)
    judged = judge.compute_s(setup, batch, tokens, prefix)
    assert judged == pytest.approx(batch * float(costs.compute_s), rel=1e-11)


def test_chunking_never_changes_the_flops():
    flops = {prefill(laguna(chunk_tokens=c)).flop_per_token for c in (None, 1, 7, 2048, 10**6)}
    assert len(flops) == 1


def test_ten_million_tokens_in_chunks_of_one_is_a_closed_form():
    long = with_workload(laguna(), reserved_context_tokens=10**7)
    long = with_machine(long, capacity_bytes=1e15)
    found = prefill(with_prompt(long, prompt_tokens=10**7, chunk_tokens=1))
    n, w = 10**7, 512
    reread = 12 * 2048 * n * (n - 1) / 2 + 36 * 2048 * (w * (w - 1) / 2 + (n - w) * w)
    sweep = 71.28e9 / judge.sweep_bytes(with_model(long, prefill_sweep_bytes=None), 10**6)
    one = sweep * judge.sweep_bytes(with_model(long, prefill_sweep_bytes=None), 1)
    assert found.bytes_per_token == pytest.approx(one + reread / n + 98304, rel=1e-9)


# Best batch, gates, budget


def judged(setup):
    """The verdict, and with "serves" all admitted settings and the best, by trying every batch."""
    prompt = setup.prompt
    held = prompt.cached_prefix_tokens + prompt.prompt_tokens
    on_demand = prompt.cache_growth == "on_demand"
    reserved = setup.workload.reserved_context_tokens
    fitting = judge.fitting_batch(setup, held if on_demand else reserved)
    if prompt.batch is not None and prompt.batch > fitting > 0:
        return "the batch does not fit", None
    if fitting == 0:
        return "no prompt fits", None
    kept = list(judge.admitted(setup, fitting))
    if prompt.batch is not None:
        kept = [setting for setting in kept if setting[0] == prompt.batch]
    if not kept:
        return "no setting meets the budget", None
    covered = [setting for setting in kept if setting[1] <= setting[2]]
    return "serves", (kept, covered[0] if covered else kept[-1])


@settings(max_examples=150, deadline=None)
@given(SEEDS, st.integers(2, 120))
def test_best_setting_agrees_with_trying_every_batch(seed, limit):
    setup = random_setup(seed, limit)
    tokens = setup.prompt.prompt_tokens
    verdict, rest = judged(setup)
    found = prefill(setup)
    assert found.verdict == verdict
    if rest is None:
        assert found.tokens_per_s is None and found.batch is None
        return
    kept, (batch, memory, compute) = rest
    ceiling = max(b * tokens / max(m, c) for b, m, c in kept)
    assert found.tokens_per_s == pytest.approx(ceiling, rel=1e-11)
    assume(all(m != pytest.approx(c, rel=1e-11) for _, m, c in kept))
    assert found.batch == batch
    assert found.time_s == pytest.approx(max(memory, compute), rel=1e-11)
    assert found.limit == ("memory" if memory > compute else "compute")
    assert found.memory_ceiling_tokens_per_s == pytest.approx(batch * tokens / memory, rel=1e-11)
    assert found.compute_ceiling_tokens_per_s == pytest.approx(batch * tokens / compute, rel=1e-11)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(2, 120))
def test_both_chains_of_orderings_hold(seed, limit):
    """Actual <= min <= memory <= memory power, and min <= compute <= linear ceiling."""
    found = prefill(random_setup(seed, limit))
    assume(found.verdict == "serves")
    slack = 1 + 1e-9
    assert found.tokens_per_s <= found.memory_ceiling_tokens_per_s * slack
    assert found.tokens_per_s <= found.compute_ceiling_tokens_per_s * slack
    assert found.memory_ceiling_tokens_per_s <= found.memory_power_tokens_per_s * slack
    assert found.compute_ceiling_tokens_per_s <= found.linear_ceiling_tokens_per_s * slack


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(2, 120), st.integers(1, 5))
def test_one_shot_is_the_ceiling_over_all_chunks_at_fixed_batch(seed, limit, batch):
    setup = random_setup(seed, limit)
    tokens, prefix = setup.prompt.prompt_tokens, setup.prompt.cached_prefix_tokens
    times = [
        float(prompt_costs(setup, tokens, c, prefix).time_s(batch)) for c in range(1, tokens + 1)
    ]
    one_shot = float(prompt_costs(setup, tokens, None, prefix).time_s(batch))
    assert one_shot <= min(times) * (1 + 1e-12)


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(2, 120))
def test_longer_budget_never_lowers_the_ceiling(seed, limit):
    setup = with_prompt(random_setup(seed, limit), batch=None)
    budgets = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)
    found = [prefill(with_prompt(setup, ttft_budget_s=budget)) for budget in budgets]
    rates = [result.tokens_per_s or 0.0 for result in found]
    assert rates == sorted(rates)
    free = prefill(with_prompt(setup, ttft_budget_s=None))
    for budget, result in zip(budgets, found, strict=True):
        assert result.time_s is None or result.time_s <= budget
        unrestricted = result.unrestricted
        assert (unrestricted and unrestricted.tokens_per_s) == free.tokens_per_s


def test_printed_time_given_back_as_budget_admits_its_batch():
    for chunk in (None, 2048):
        free = prefill(laguna(batch=5, chunk_tokens=chunk))
        kept = prefill(laguna(batch=5, chunk_tokens=chunk, ttft_budget_s=free.time_s))
        assert kept.tokens_per_s == free.tokens_per_s
        less = np.nextafter(free.time_s, 0)
        tight = prefill(laguna(batch=5, chunk_tokens=chunk, ttft_budget_s=less))
        assert tight.verdict == "no setting meets the budget"


def test_budget_that_nothing_meets_leaves_the_unrestricted_result():
    free, tight = prefill(laguna()), prefill(laguna(ttft_budget_s=0.3))
    assert tight.verdict == "no setting meets the budget"
    assert tight.batch is tight.tokens_per_s is tight.time_s is tight.limit is None
    assert tight.memory_ceiling_tokens_per_s is tight.bytes_per_token is None
    assert tight.unrestricted.tokens_per_s == free.tokens_per_s
    assert tight.single_prompt == free.single_prompt


@pytest.mark.parametrize("fits", [10**9, 10**9 + 1])
def test_a_thousand_million_prompts_are_counted_exactly(fits):
    """Compute is so fast that the largest batch is the best."""
    fast = with_machine(toy(prompt_tokens=16), compute_flop_per_s={BF16: 1e30})
    fast = with_workload(fast, reserved_context_tokens=16)
    capacity = 24e9 + 262144 * 16 * fits
    assert prefill(with_machine(fast, capacity_bytes=capacity)).batch == fits
    assert prefill(with_machine(fast, capacity_bytes=capacity - 1)).batch == fits - 1


def test_smallest_batch_that_compute_covers_is_chosen_among_a_thousand_million():
    """Prompts of one token: W / R <= b (2 P / F - kappa / R), so b is about the crossover."""
    setup = with_prompt(toy(), prompt_tokens=1, cache_growth="on_demand")
    setup = with_machine(setup, capacity_bytes=1e15, compute_flop_per_s={BF16: 1e20})
    setup = with_model(setup, cache_write_bytes_per_token=0.0, attention=())
    assert prefill(setup).batch == 31_250_000
    assert prefill(setup).limit == "compute"


def test_the_single_prompt_is_the_figures_of_a_batch_of_one():
    many, one = (prefill(laguna(batch=b, cache_growth="on_demand")) for b in (9, 1))
    said = many.single_prompt
    assert (said.batch, said.tokens_per_s, said.time_s) == (1, one.tokens_per_s, one.time_s)
    assert many.time_s > one.time_s


def test_best_batch_waits_no_longer_than_needed():
    one = prefill(laguna(batch=None, prompt_tokens=16384))
    assert (one.batch, one.limit) == (1, "compute")
    few_tokens = {"prompt_tokens": 100, "cache_growth": "on_demand"}
    short = prefill(laguna(batch=None, **few_tokens))
    assert short.limit == "compute" and short.batch > 1
    fewer = prefill(laguna(batch=short.batch - 1, **few_tokens))
    assert fewer.limit == "memory" and fewer.tokens_per_s < short.tokens_per_s


def test_whole_bytes_decide_the_gate():
    session = 12 * 2048 * 262144 + 36 * 2048 * 512
    capacity = 71_898_700_000 + 8_000_000_000 + 5 * session
    exact = with_machine(laguna(batch=5), capacity_bytes=float(capacity))
    assert prefill(exact).verdict == "serves"
    assert prefill(with_machine(exact, capacity_bytes=capacity - 1.0)).verdict == (
        "the batch does not fit"
    )


def test_forced_batch_that_does_not_fit_has_no_figures():
    found = prefill(laguna(batch=10**6))
    assert found.verdict == "the batch does not fit"
    assert given_figures(found) == set() and found.kind == {}


def test_weights_that_just_fit_leave_no_prompt_rather_than_not_fitting():
    weights = 71_898_700_000 + 8_000_000_000
    for spare, verdict in ((0.0, "no prompt fits"), (-1.0, "model does not fit")):
        assert prefill(with_machine(laguna(), capacity_bytes=weights + spare)).verdict == verdict


def test_model_that_does_not_fit_has_no_figures():
    found = prefill(with_machine(laguna(), capacity_bytes=79e9))
    assert found.verdict == "model does not fit"
    assert given_figures(found) == set()


def test_when_no_prompt_fits_the_reservation_the_range_still_counts_shorter_ones():
    found = prefill(with_machine(laguna(batch=None), capacity_bytes=82e9))
    assert found.verdict == "no prompt fits"
    assert given_figures(found) == {"crossover_tokens", "range", "range_single"}
    assert set(found.kind) == given_figures(found)


@pytest.mark.parametrize("growth", ["reserved", "on_demand"])
def test_prompt_longer_than_the_reservation_has_no_figures_and_says_why(growth):
    setup = with_workload(laguna(cache_growth=growth), reserved_context_tokens=8192)
    assert prefill(setup).verdict == "serves"
    found = prefill(with_prompt(setup, cached_prefix_tokens=1))
    assert given_figures(found) == set()
    assert "8,193" in found.unavailable and "8,192" in found.unavailable


def test_cache_grown_on_demand_gates_with_prefix_and_prompt():
    setup = with_machine(laguna(batch=None), capacity_bytes=82e9)
    grown = with_prompt(setup, cache_growth="on_demand", cached_prefix_tokens=1000)
    assert prefill(setup).verdict == "no prompt fits"
    assert prefill(grown).verdict == "serves"
    rate = prefill(with_prompt(grown, batch=None)).memory_power_tokens_per_s
    session = 12 * 2048 * 9192 + 36 * 2048 * 512
    free = 82e9 - 71.8987e9 - 8e9
    active = judge.sweep_bytes(grown, 1)
    assert rate == pytest.approx(8192 * 273e9 * free / (session * active), rel=1e-12)


def test_draft_takes_its_room_in_the_gate():
    setup = with_machine(laguna(batch=5), capacity_bytes=79.8987e9 + 5 * 6.5e9)
    assert prefill(setup).verdict == "serves"
    heavy = Speculation(3, 2.0, Draft(resident_bytes=33e9))
    assert prefill(replace(setup, speculation=heavy)).verdict == "model does not fit"
    cached = Speculation(3, 2.0, Draft(cache=TypedCache(1e9, 0.0)))
    assert prefill(replace(setup, speculation=cached)).verdict == "the batch does not fit"


def test_cached_prefix_is_reread_once_per_chunk_and_never_written():
    plain, behind = (prefill(laguna(cached_prefix_tokens=p)) for p in (0, 1000))
    reread = 12 * 2048 * 1000 + 36 * 2048 * 512
    more = (behind.bytes_per_token - plain.bytes_per_token) * 8192
    assert more == pytest.approx(reread, rel=1e-6)
    assert behind.flop_per_token - plain.flop_per_token == pytest.approx(
        4 * 12 * 6144 * 1000 + 4 * 36 * 9216 * 512 * 511 / 2 / 8192, rel=1e-9
    )


def test_floor_routing_sweeps_the_active_experts_at_the_prefill_scale():
    setup = with_workload(laguna(), routing="floor")
    active = judge.sweep_bytes(setup, 1)
    for chunk, sweeps in ((None, 1), (2048, 4)):
        found = prefill(with_prompt(setup, chunk_tokens=chunk))
        starts = range(0, 8192, chunk or 8192)
        reread = sum(12 * 2048 * at + 36 * 2048 * min(at, 512) for at in starts)
        moved = sweeps * active + reread + 98304 * 8192
        assert found.bytes_per_token == pytest.approx(moved / 8192, rel=1e-12)


def test_path_over_two_modes_charges_each_share_at_its_rate():
    setup = replace(laguna(), linear_mode={FP4: 0.75, BF16: 0.25})
    linear = 2 * 7.9e9 * (0.75 / 500e12 + 0.25 / 125e12)
    attention = (prefill(setup).flop_per_token - 2 * 7.9e9) / 125e12
    found = prefill(setup).compute_ceiling_tokens_per_s
    assert found == pytest.approx(1 / (linear + attention), rel=1e-12)


# What is available when


MEMORY_SIDE = {
    "batch",
    "chunk_tokens",
    "memory_ceiling_tokens_per_s",
    "memory_power_tokens_per_s",
    "bytes_per_token",
}
COMPUTE_SIDE = {
    "chunk_tokens",
    "compute_ceiling_tokens_per_s",
    "linear_ceiling_tokens_per_s",
    "memory_power_tokens_per_s",
    "flop_per_token",
    "crossover_tokens",
}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda s: replace(s, linear_mode={FP4: 0.5, "int8_int32acc": 0.5}), "int8_int32acc"),
        (lambda s: replace(s, attention_mode={"fp8_fp32acc": 1.0}), "fp8_fp32acc"),
        (lambda s: with_model(s, linear_active_parameters=None), "linear parameters"),
        (lambda s: with_model(s, attention=None), "attention"),
    ],
)
def test_without_the_compute_side_the_memory_side_remains_and_the_lack_is_named(change, named):
    whole, found = prefill(laguna()), prefill(change(laguna(batch=None)))
    assert found.verdict == "serves"
    assert given_figures(found) == MEMORY_SIDE
    assert named in found.unavailable and "compute" in found.unavailable
    assert found.batch == (128e9 - 79.8987e9) // (12 * 2048 * 262144 + 36 * 2048 * 512)
    assert found.memory_power_tokens_per_s == whole.memory_power_tokens_per_s


def test_budget_without_the_compute_side_is_held_against_the_memory_time():
    setup = replace(laguna(batch=None), attention_mode={"fp8_fp32acc": 1.0})
    assert prefill(with_prompt(setup, ttft_budget_s=0.25)).verdict == (
        "no setting meets the budget"
    )
    kept = prefill(with_prompt(setup, ttft_budget_s=0.268))
    assert kept.verdict == "serves" and kept.batch == 2
    assert 2 * 8192 / kept.memory_ceiling_tokens_per_s <= 0.268


def test_typed_cache_has_a_memory_side_in_one_shot_only():
    typed = with_model(laguna(batch=None), cache=TypedCache(1e9, 1e8))
    whole = prefill(typed)
    assert whole.unavailable == "" and whole.tokens_per_s is not None
    assert whole.range is whole.range_single is None
    found = prefill(with_prompt(typed, chunk_tokens=2048))
    assert given_figures(found) == COMPUTE_SIDE
    assert "memory side" in found.unavailable
    assert prefill(with_prompt(typed, chunk_tokens=2048, batch=3)).batch == 3


def test_unknown_cache_write_leaves_the_compute_side():
    found = prefill(with_model(laguna(batch=None), cache_write_bytes_per_token=None))
    assert given_figures(found) == COMPUTE_SIDE
    assert "written per token" in found.unavailable


def test_setup_without_a_prompt_is_a_programming_mistake():
    with pytest.raises(ValueError, match="no prompt"):
        prefill(replace(laguna(), prompt=None))


# Bound or estimate


def test_expected_routing_makes_estimates_of_what_uses_the_sweep():
    kind = prefill(laguna()).kind
    bounds = {name for name, is_a in kind.items() if is_a == "bound"}
    assert bounds == {
        "compute_ceiling_tokens_per_s",
        "memory_power_tokens_per_s",
        "linear_ceiling_tokens_per_s",
        "flop_per_token",
    }


def test_floor_routing_and_dense_models_give_bounds():
    for setup in (with_workload(laguna(), routing="floor"), toy()):
        assert set(prefill(setup).kind.values()) == {"bound"}


def test_measured_rates_make_estimates_of_what_uses_them():
    dense = toy()
    bandwidth = prefill(with_machine(dense, measured=frozenset({"bandwidth"}))).kind
    assert bandwidth["memory_power_tokens_per_s"] == "estimate"
    assert bandwidth["compute_ceiling_tokens_per_s"] == "bound"
    compute = prefill(with_machine(dense, measured=frozenset({BF16}))).kind
    assert compute["linear_ceiling_tokens_per_s"] == compute["tokens_per_s"] == "estimate"
    assert compute["memory_ceiling_tokens_per_s"] == "bound"
    unused = prefill(with_machine(dense, measured=frozenset({FP4}))).kind
    assert set(unused.values()) == {"bound"}


# Curves


@pytest.mark.parametrize("chunk", [None, 2048])
def test_curve_passes_through_the_points(chunk):
    lengths = doubling_lengths(262144)
    curve = ceilings_over_length(laguna(), lengths, chunk_tokens=chunk)
    for i, length in enumerate(lengths):
        point = prefill(laguna(prompt_tokens=length, chunk_tokens=chunk))
        assert curve.memory[i] == point.memory_ceiling_tokens_per_s
        assert curve.compute[i] == point.compute_ceiling_tokens_per_s
        assert curve.combined[i] == point.tokens_per_s
        assert curve.time_s[i] == point.time_s


def test_curve_without_a_side_has_the_other():
    unknown = replace(laguna(), linear_mode={"int8_int32acc": 1.0})
    curve = ceilings_over_length(unknown, [1, 1000])
    assert curve.compute is curve.combined is curve.time_s is None
    assert curve.memory.shape == (2,)
    typed = with_model(laguna(), cache=TypedCache(1e9, 1e8))
    curve = ceilings_over_length(typed, [1000, 3000], chunk_tokens=2048)
    assert curve.memory is None and curve.compute.shape == (2,)


def test_the_loose_ends_of_both_chains_by_hand():
    """F / 2 P, and L R / W_active for as many prompts as the memory has room for."""
    found, model = prefill(laguna()), laguna().model
    assert found.linear_ceiling_tokens_per_s == pytest.approx(500e12 / (2 * 7.9e9))
    room = 128e9 - 71.8987e9 - 8e9
    kept = 12 * 2048 * 262144 + 36 * 2048 * 512
    (experts,) = model.experts
    full = model.always_bytes + 256 * experts.expert_bytes
    active = (model.always_bytes + 10 * experts.expert_bytes) * 71.28e9 / full
    assert found.memory_power_tokens_per_s == pytest.approx(8192 * room / kept * 273e9 / active)


def test_one_pool_has_ceilings_at_lengths_that_do_not_fit_it():
    """What fits is a question of the reservation, not of the curve."""
    setup = with_machine(laguna(), capacity_bytes=80.5e9)
    found = ceilings_over_length(setup, [1000, 200_000])
    assert found.fitting[0] >= 1 and found.fitting[1] == 0
    assert np.isfinite(found.time_s).all()


def test_of_two_prompts_the_batch_does_not_fit_where_one_does():
    room = 8e9 + 71.8987e9 + 12 * 2048 * 262144 + 36 * 2048 * 512
    for prompts, verdict in ((1, "serves"), (2, "the batch does not fit")):
        setup = with_machine(laguna(batch=prompts), capacity_bytes=room + 1e6)
        assert prefill(setup).verdict == verdict
    assert prefill(with_machine(setup, capacity_bytes=room - 1e6)).verdict == "no prompt fits"


def test_a_typed_cache_is_known_as_long_as_a_prompt_is_one_chunk():
    setup = with_model(laguna(), cache=TypedCache(1e9, 1e9))
    whole, cut = (prefill(with_prompt(setup, chunk_tokens=width)) for width in (8192, 8191))
    assert whole.memory_ceiling_tokens_per_s is not None
    assert cut.memory_ceiling_tokens_per_s is None


def test_a_prompt_without_a_cache_counts_as_a_byte():
    """Nothing else could tell how many fit."""
    setup = with_workload(with_model(laguna(cache_growth="on_demand"), cache=()), overhead_bytes=0)
    setup = with_machine(setup, capacity_bytes=71.8987e9 + 7)
    assert ceilings_over_length(setup, [100]).fitting.tolist() == [7.0]


def test_table_lengths_double_up_to_the_limit():
    assert doubling_lengths(4097) == (1024, 2048, 4096, 4097)
    assert doubling_lengths(2047) == (1024, 2047)
    assert doubling_lengths(262144)[:3] == (1024, 2048, 4096)
    assert doubling_lengths(262144)[-2:] == (131072, 262144)
    assert doubling_lengths(1024) == (1024,)
    assert doubling_lengths(500) == (500,)
    assert doubling_lengths(40960)[-2:] == (32768, 40960)
