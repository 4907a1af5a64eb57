"""A turn: the first token, then every later token at the context that it reads."""

import msgspec
import numpy as np
import pytest
from composition_setups import FAST, SLOW, composed, dense, sparse
from decode_setups import BF16, QWEN, SPARK, setup, setups, toy
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.costs import cache_read_bytes
from ourmodels_gui.engine.decode import decode
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Draft,
    Machine,
    ModelCosts,
    Prompt,
    Speculation,
)
from ourmodels_gui.engine.step import compute_time_s, decode_step, memory_time_s
from ourmodels_gui.engine.turn import total_read_bytes, turn, turn_tokens


def asked(found, prompt=1000, prefix=500, answer=200):
    made = Prompt(prompt, prefix, answer_tokens=answer)
    return msgspec.structs.replace(found, prompt=made)


def step_by_step(found, batch):
    """The literal sum: one decode step after another, each at its own context."""
    prompt, total = found.prompt, 0.0
    for j in range(1, prompt.answer_tokens):
        held = prompt.cached_prefix_tokens + prompt.prompt_tokens + j
        work = msgspec.structs.replace(found.workload, read_context_tokens=held)
        step = decode_step(msgspec.structs.replace(found, workload=work), found.speculation)
        total += float(memory_time_s(step, batch)) / step.emitted_tokens
    return total


@settings(max_examples=40, deadline=None)
@given(setups(), st.integers(1, 30), st.integers(1, 60), st.integers(0, 3000))
def test_the_answer_is_the_sum_of_its_steps(found, batch, answer, prefix):
    work = msgspec.structs.replace(
        found.workload, decode_ceiling="memory", reserved_context_tokens=10**6
    )
    found = asked(msgspec.structs.replace(found, workload=work), 700, prefix, answer)
    made = turn(found, 1.5, batch)
    assert made.first_token_s == 1.5
    assert made.answer_s == pytest.approx(step_by_step(found, batch), rel=1e-9)
    assert made.whole_s == 1.5 + made.answer_s


def test_by_hand():
    """18 GB of weights and 260 kB a token at 800 GB/s; one more token is read at each step."""
    made = turn(asked(toy(), prompt=1000, prefix=0, answer=3), 0.5)
    assert made.answer_s == pytest.approx((2 * 18e9 + 260e3 * (1001 + 1002)) / 800e9)


def test_an_answer_of_one_token_is_the_first_token():
    assert turn(asked(toy(), answer=1), 0.25).whole_s == 0.25


def test_a_turn_that_outgrows_the_reservation_is_none():
    assert turn_tokens(Prompt(1000, 500, answer_tokens=200)) == 1699
    assert turn_tokens(Prompt(1000, 500, answer_tokens=1)) == turn_tokens(Prompt(1000, 500)) == 1500
    assert turn(asked(toy(reserved_tokens=1699)), 1.0) is not None
    assert turn(asked(toy(reserved_tokens=1698)), 1.0) is None
    assert turn(toy(), 1.0) is None


def test_more_sessions_make_a_turn_longer():
    times = [turn(asked(toy()), 1.0, batch).whole_s for batch in (1, 4, 16)]
    assert times == sorted(set(times))


def test_the_combined_ceiling_charges_the_arithmetic_of_the_answer():
    model = ModelCosts(
        1e9,
        1e9,
        (CacheLayer("full", 1, 1.0, 1.0),),
        linear_active_parameters=1e9,
        attention=(),
    )
    machine = Machine(128e9, 273e9, {"bf16_fp32acc": 1e12})
    slow = asked(setup(machine, model, decode_ceiling="combined"), answer=11)
    made = turn(slow, 0.0, 100)
    step = decode_step(slow, None)
    assert made.answer_s == pytest.approx(10 * float(compute_time_s(step, 100)))


def test_the_combined_ceiling_charges_attention_at_the_context_of_each_step():
    model = ModelCosts(
        1e9,
        1e9,
        (CacheLayer("full", 2, 1.0, 1.0),),
        linear_active_parameters=1e6,
        head_parameters=2e5,
        attention=(AttentionLayer("full", 2, query_width=1000.0),),
    )
    machine = Machine(128e9, 273e9, {"bf16_fp32acc": 1e10})
    slow = asked(setup(machine, model, decode_ceiling="combined"), answer=11)
    worked = 0.0
    for held in range(1500, 1510):  # each token attends to these and to itself
        work = msgspec.structs.replace(slow.workload, read_context_tokens=held)
        step = decode_step(msgspec.structs.replace(slow, workload=work), None)
        worked += float(compute_time_s(step, 100))
    assert turn(slow, 0.0, 100).answer_s == pytest.approx(worked, rel=1e-12)


def test_the_combined_ceiling_charges_every_position_that_a_draft_proposes():
    """Four positions for two and a half tokens: 40 s of arithmetic for each session's answer."""
    model = ModelCosts(1e9, 1e9, (), linear_active_parameters=1e9, attention=())
    machine = Machine(128e9, 273e9, {"bf16_fp32acc": 1e9})
    slow = setup(machine, model, Speculation(3, 2.5), decode_ceiling="combined")
    made = turn(asked(slow, answer=6), 0.0, 7)
    assert made.answer_s == pytest.approx(5 * 7 * 4 * 2.0 / 2.5)


def test_typed_figures_are_read_at_every_step():
    found = asked(setup(SPARK, QWEN), answer=21)
    made = turn(found, 0.0)
    alone = decode(found).single_session_tokens_per_s
    assert made.answer_s == pytest.approx(20 / alone)


@settings(max_examples=40, deadline=None)
@given(setups(), st.integers(0, 5000), st.integers(0, 50))
def test_reads_in_a_row_are_the_sum_of_single_reads(found, held, steps):
    cache = found.model.cache
    whole = sum(float(cache_read_bytes(cache, held + j)) for j in range(1, steps + 1))
    assert total_read_bytes(cache, held, steps) == pytest.approx(whole, rel=1e-9)


def answer_of(found, batch):
    """The literal sum under the policy of a composition, each step placed anew."""
    prompt, total = found.prompt, 0.0
    for j in range(1, prompt.answer_tokens):
        held = prompt.cached_prefix_tokens + prompt.prompt_tokens + j
        work = msgspec.structs.replace(found.workload, read_context_tokens=held)
        way = placement.policy(msgspec.structs.replace(found, workload=work))
        total += 1.0 / float(way.per_session(np.array([float(batch)]))[0])
    return total


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("pools", ["sequential", "both"])
def test_an_answer_over_two_pools_takes_its_steps_at_one_placement(pools, batch):
    found = asked(composed(sparse(), [FAST], host=SLOW, pools=pools, reserved_context_tokens=9000))
    made = turn(found, 0.5, batch)
    steps = answer_of(found, batch)
    # Placed anew for each step it could only be a little shorter.
    assert made.answer_s == pytest.approx(steps, rel=1e-3)
    pooled = turn(msgspec.structs.replace(found, composition=None), 0.5, batch)
    assert made.answer_s >= pooled.answer_s * (1 - 1e-12)


@pytest.mark.parametrize("limit", [None, 1600, 1000])
def test_an_answer_over_two_pools_reads_the_draft_s_cache_as_well(limit):
    """Step by step too, a draft past its own limit of context reads no more."""
    draft = Draft(0.2e9, 0.1e9, (), (CacheLayer("full", 2, 4e4, 4e4),), limit, modules=2)
    found = composed(
        sparse(), [FAST], Speculation(3, 2.5, draft), host=SLOW, reserved_context_tokens=9000
    )
    for answer in (1, 2, 200):
        made = turn(asked(found, answer=answer), 0.5, 3)
        steps = answer_of(asked(found, answer=answer), 3)
        assert made.answer_s == pytest.approx(steps, rel=1e-3)
    without = turn(asked(msgspec.structs.replace(found, speculation=None)), 0.5, 3)
    assert made.answer_s != pytest.approx(without.answer_s, rel=0.1)


def test_an_answer_over_two_devices_in_turn_is_one_device_s():
    pair = msgspec.structs.replace(FAST, count=2)
    found = asked(composed(dense(), [pair], groups=1, reserved_context_tokens=9000))
    one = msgspec.structs.replace(found, composition=None, machine=FAST.machine)
    assert turn(found, 0.5, 2).answer_s == pytest.approx(turn(one, 0.5, 2).answer_s, rel=1e-12)


def test_arithmetic_over_two_devices_in_turn_is_that_of_one():
    """Exactly for one step; for more it is no longer, because each step attends to one more."""
    model = msgspec.structs.replace(
        dense(weights=1e9, per_token=8.0),
        linear_active_parameters=1e6,
        attention=(AttentionLayer("full", 8, query_width=1e4),),
    )
    card = msgspec.structs.replace(FAST.machine, compute_flop_per_s={BF16: 1e9})
    pair = msgspec.structs.replace(FAST, machine=card, count=2)
    asked_ = {"decode_ceiling": "combined", "reserved_context_tokens": 9000}
    found = composed(model, [pair], groups=1, **asked_)
    one = msgspec.structs.replace(found, composition=None, machine=card)
    times = {
        answer: [turn(asked(each, answer=answer), 0.5).answer_s for each in (found, one)]
        for answer in (2, 50)
    }
    assert times[2][0] == pytest.approx(times[2][1], rel=1e-12)
    assert 0.95 * times[50][1] < times[50][0] < times[50][1]
