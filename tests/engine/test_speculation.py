import math

import msgspec
import numpy as np
import pytest
from decode_setups import GB, QWEN, SPARK, literal_rate, setup, setups, toy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.capacity import capacity
from ourmodels_gui.engine.decode import decode
from ourmodels_gui.engine.setup import Draft, Experts, Machine, ModelCosts, Speculation, TypedCache
from ourmodels_gui.engine.speculation import (
    acceptance_for,
    break_even,
    break_even_tokens,
    emitted_tokens,
    loses,
    loses_at,
)
from ourmodels_gui.engine.step import Step, decode_step


@settings(max_examples=100)
@given(st.floats(0, 1), st.integers(1, 40))
def test_emitted_tokens_are_the_geometric_sum(alpha, gamma):
    summed = math.fsum(alpha**i for i in range(gamma + 1))
    assert emitted_tokens(alpha, gamma) == pytest.approx(summed, rel=1e-13)


@pytest.mark.parametrize("missing", [0.0, 1e-17, 1e-15, 1e-12, 1e-9, 1e-6])
def test_nothing_is_lost_as_the_acceptance_nears_one(missing):
    assert emitted_tokens(1.0 - missing, 8) == pytest.approx(9 - 36 * missing, rel=1e-9)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, math.nan])
def test_an_acceptance_is_a_probability(alpha):
    with pytest.raises(ValueError, match="acceptance"):
        emitted_tokens(alpha, 4)


@settings(max_examples=100)
@given(st.floats(0.001, 1), st.integers(1, 30))
def test_an_acceptance_is_found_back_from_what_it_emits(alpha, gamma):
    emitted = emitted_tokens(alpha, gamma)
    assert acceptance_for(emitted, gamma) == pytest.approx(alpha, rel=1e-8)
    assert acceptance_for(np.array([emitted]), gamma)[0] == acceptance_for(emitted, gamma)


def test_no_acceptance_emits_fewer_than_one_or_more_than_all():
    found = acceptance_for(np.array([0.99, 1.0, 2.0, 5.0, 5.01]), 4)
    assert np.isnan(found[[0, 4]]).all()
    assert list(found[[1, 3]]) == pytest.approx([0.0, 1.0], abs=1e-15)
    assert 0.5 < found[2] < 0.6


def test_traffic_per_emitted_token_is_the_formula():
    """q_spec written out for one batch of a dense target and a dense draft."""
    draft = Draft(1 * GB, 0.9 * GB, (), TypedCache(0.1 * GB, 0.05 * GB))
    found = toy(floor_tokens_per_s=0.0)
    found = msgspec.structs.replace(found, speculation=Speculation(4, 2.8, draft))
    said = decode(found)
    batch, private = said.best_batch, 0.26 * GB
    per_token = (18 * GB + 4 * 0.9 * GB) / (batch * 2.8) + (private + 4 * 0.05 * GB) / 2.8
    assert said.aggregate_tokens_per_s == pytest.approx(800 * GB / per_token)
    assert batch == (128 - 18 - 6 - 1) * 10**9 // (1_040_000_000 + 100_000_000)


def test_one_emitted_token_and_no_draft_is_ordinary_decode_of_a_dense_model():
    found = toy()
    looked_up = msgspec.structs.replace(found, speculation=Speculation(4, 1.0))
    plain, said = decode(found), decode(looked_up)
    assert said.aggregate_tokens_per_s == plain.aggregate_tokens_per_s
    assert said.best_batch == plain.best_batch
    assert said.speculation.loses_at == ()


def test_all_candidates_route_through_the_target_and_one_token_of_each_step_through_the_draft():
    draft = Draft(always_bytes=1 * GB, experts=(Experts(16, 2, 0.1 * GB),))
    found = setup(SPARK, QWEN, Speculation(3, 2.0, draft), batch=5)
    assert decode(found).forced.per_session_tokens_per_s == literal_rate(
        found, 5, found.speculation
    )
    group = QWEN.experts[0]
    touched = 256 * (1 - (1 - 8 / 256) ** 20)
    drafted = 1 * GB + 0.1 * GB * 16 * (1 - (1 - 2 / 16) ** 5)
    step = QWEN.always_bytes + group.expert_bytes * touched + 3 * drafted + 5 * 0.3268992 * GB
    assert decode(found).forced.per_session_tokens_per_s == pytest.approx(2 * 273 * GB / step)


def test_the_compute_time_is_that_of_the_verification_pass():
    machine = Machine(128 * GB, 273 * GB, {"bf16_fp32acc": 1e14})
    model = msgspec.structs.replace(
        QWEN, linear_active_parameters=2.5e9, head_parameters=0.5e9, attention=()
    )
    plain = decode(setup(machine, model, floor_tokens_per_s=0.0))
    drafted = decode(setup(machine, model, Speculation(3, 2.0), floor_tokens_per_s=0.0))
    assert drafted.compute_time_s == pytest.approx(4 * plain.compute_time_s)


def test_the_single_session_of_a_mixture_is_an_estimate_under_speculation():
    said = decode(setup(SPARK, QWEN, Speculation(3, 2.0)))
    assert said.kind["single_session_tokens_per_s"] == "estimate"
    assert said.kind["memory_power_tokens_per_s"] == "bound"
    assert decode(setup(SPARK, QWEN)).kind["single_session_tokens_per_s"] == "bound"


def scan(ordinary, speculative, batches):
    """Every batch on its own, joined to inclusive intervals."""
    found = []
    for batch in range(1, batches + 1):
        if loses(ordinary, speculative, batch):
            if found and found[-1][1] == batch - 1:
                found[-1] = (found[-1][0], batch)
            else:
                found.append((batch, batch))
    return tuple(found)


@settings(max_examples=120, deadline=None)
@given(setups(speculating=True), st.integers(0, 700))
def test_the_losing_batches_are_those_that_a_scan_finds(found, batches):
    steps = decode_step(found, None), decode_step(found, found.speculation)
    assert loses_at(*steps, batches) == scan(*steps, batches)


@pytest.mark.parametrize("fitting", range(1, 9))
@pytest.mark.parametrize("crossing", [n / 2 for n in range(1, 18)])
def test_two_straight_lines_cross_between_any_two_batches(crossing, fitting):
    """2 (10 + b) bytes for two tokens, against a draft that costs more at once or more each."""
    ordinary = Step(1.0, 10.0, (), "floor", 1.0)
    at_once = Step(1.0, 20.0 + crossing, (), "floor", 1.0, draft_tokens=1, emitted_tokens=2.0)
    each = Step(1.0, 10.0, (), "floor", 2.0 + 10.0 / crossing, draft_tokens=1, emitted_tokens=2.0)
    for speculative, losing_first in ((at_once, True), (each, False)):
        tried = (batch for batch in range(1, fitting + 1) if batch != crossing)
        lost = [batch for batch in tried if (batch < crossing) == losing_first]
        wanted = ((lost[0], lost[-1]),) if lost else ()
        assert loses_at(ordinary, speculative, fitting) == wanted


@settings(max_examples=80, deadline=None)
@given(setups(speculating=True), st.integers(1, 400))
def test_speculation_loses_where_the_break_even_lies_above_what_it_emits(found, batch):
    emitted = found.speculation.emitted_tokens
    needed = break_even_tokens(
        decode_step(found, None), decode_step(found, found.speculation), batch
    )
    assume(abs(needed / emitted - 1) > 1e-9)
    slower = literal_rate(found, batch, found.speculation) < literal_rate(found, batch, None)
    assert slower == (needed > emitted)
    lost = any(
        low <= batch <= high
        for low, high in loses_at(
            decode_step(found, None), decode_step(found, found.speculation), batch
        )
    )
    assert lost == slower


def losing(model, speculation, capacity_gb=512):
    found = setup(Machine(capacity_gb * GB, 800 * GB), model, speculation, floor_tokens_per_s=0.0)
    return decode(found).speculation, capacity(found).memory_batch


DENSE = ModelCosts(18 * GB, 18 * GB, TypedCache(1 * GB, 0.5 * GB))


def test_a_dense_target_may_lose_below_a_batch():
    draft = Draft(always_bytes=6 * GB, cache=TypedCache(0.0, 0.001 * GB))
    said, _ = losing(DENSE, Speculation(4, 2.0, draft))
    ((first, last),) = said.loses_at
    assert first == 1
    assert 1 < last < 400
    assert said.break_even_at_1 > 2.0 > said.break_even_at_best


def test_a_draft_with_a_large_cache_loses_beyond_a_batch():
    said, fitting = losing(DENSE, Speculation(4, 2.0, Draft(cache=TypedCache(0.0, 0.2 * GB))))
    ((first, last),) = said.loses_at
    assert first > 1
    assert last == fitting


def test_a_mixture_may_lose_within_an_interval():
    model = ModelCosts(60 * GB, 2 * GB, TypedCache(1 * GB, 0.01 * GB), (Experts(256, 4, 0.2 * GB),))
    said, fitting = losing(model, Speculation(3, 1.9))
    ((first, last),) = said.loses_at
    assert 1 < first < last < fitting


def test_a_lookup_that_costs_nothing_never_loses_and_says_so():
    said, _ = losing(DENSE, Speculation(4, 1.5))
    assert said.loses_at == ()
    assert said.break_even_at_1 is said.break_even_acceptance_at_1 is None
    assert "never loses" in said.note_at_1


def test_a_draft_as_heavy_as_its_target_never_gains_and_says_so():
    heavy = Draft(always_bytes=18 * GB, cache=TypedCache(0.0, 0.5 * GB))
    said, fitting = losing(DENSE, Speculation(2, 3.0, heavy), capacity_gb=64)
    assert said.break_even_at_1 == pytest.approx(3.0)
    heavier = msgspec.structs.replace(heavy, always_bytes=20 * GB)
    said, fitting = losing(DENSE, Speculation(2, 3.0, heavier), capacity_gb=64)
    assert said.break_even_at_1 is None
    assert "never gains" in said.note_at_1
    assert f"can emit {said.draft_tokens + 1} at most" in said.note_at_1
    assert said.loses_at == ((1, fitting),)


@pytest.mark.parametrize("gamma", [1, 2, 4, 8])
def test_rounding_leaves_an_acceptance_at_either_end(gamma):
    beyond = np.array([1.0 - 1e-15, (gamma + 1.0) * (1.0 + 1e-15)])
    assert acceptance_for(beyond, gamma).tolist() == [0.0, 1.0]
    assert np.isnan(acceptance_for(beyond * [0.999, 1.001], gamma)).all()


def test_where_nothing_serves_there_is_no_best_batch_to_compare_at():
    speculation = Speculation(4, 2.0, Draft(always_bytes=1 * GB))
    said = decode(setup(SPARK, QWEN, speculation, floor_tokens_per_s=1e6)).speculation
    assert said.break_even_at_best is said.break_even_acceptance_at_best is None
    assert said.note_at_best == "no batch serves"
    assert said.break_even_at_1 > 1


def test_the_acceptance_at_the_break_even_emits_it():
    said, _ = losing(DENSE, Speculation(4, 2.0, Draft(always_bytes=1 * GB)))
    assert emitted_tokens(said.break_even_acceptance_at_1, 4) == pytest.approx(said.break_even_at_1)
    assert emitted_tokens(said.break_even_acceptance_at_best, 4) == pytest.approx(
        said.break_even_at_best
    )


def test_the_curve_passes_through_the_figures():
    draft = Draft(always_bytes=1 * GB, experts=(Experts(8, 2, 1e8),), cache=TypedCache(0.0, 1e6))
    found = setup(SPARK, QWEN, Speculation(4, 2.8, draft))
    said = decode(found)
    drawn = break_even(found, np.array([1, said.best_batch, 50]))
    assert drawn.emitted_tokens[0] == said.speculation.break_even_at_1
    assert drawn.emitted_tokens[1] == said.speculation.break_even_at_best
    assert drawn.acceptance[0] == said.speculation.break_even_acceptance_at_1
    assert break_even(setup(SPARK, QWEN), np.array([1])) is None


@pytest.mark.parametrize("more", range(6))
def test_a_billion_sessions_are_answered_without_trying_each(more):
    """Beyond the batches that touch every expert both steps are lines, solved by hand."""
    model = ModelCosts(60 * GB, 2 * GB, TypedCache(2e3, 1e3), (Experts(256, 4, 0.2 * GB),))
    found = setup(
        Machine(2e3 * (10**9 + more) + 68 * GB, 1e12),
        model,
        Speculation(
            2, 2.0, Draft(always_bytes=(30 + 0.001 * more) * GB, cache=TypedCache(0.0, 400.0))
        ),
        floor_tokens_per_s=0.0,
    )
    fitting = capacity(found).memory_batch
    assert fitting == 10**9 + more
    full = 2 * GB + 256 * 0.2 * GB
    crossing = (full + (60 + 0.002 * more) * GB - 2.0 * full) / (2.0 * 1e3 - 1e3 - 2 * 400.0)
    ((first, last),) = decode(found).speculation.loses_at
    assert first == 1
    assert last == math.ceil(crossing) - 1
