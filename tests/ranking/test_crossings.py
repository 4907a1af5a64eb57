"""Crossings of two setups, held to a comparison at every batch."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.capacity import capacity
from ourmodels_gui.engine.curve import curve
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Draft,
    Experts,
    Machine,
    ModelCosts,
    Setup,
    Speculation,
    TypedCache,
    Workload,
)
from ourmodels_gui.engine.step import decode_step, per_session_tokens_per_s
from ourmodels_gui.evaluation import run
from ourmodels_gui.ranking.crossings import Crossings, crossings, in_words
from ourmodels_gui.scenario import ModelRef, Scenario, WorkloadChoice

BF16 = "bf16_fp32acc"


@st.composite
def setups(draw):
    routed = draw(st.sampled_from([None, (8, 2), (64, 6), (128, 8)]))
    weights = draw(st.integers(1, 60)) * 1e9
    experts = () if routed is None else (Experts(*routed, 0.9 * weights / routed[0]),)
    model = ModelCosts(
        resident_bytes=weights,
        always_bytes=weights if routed is None else 0.1 * weights,
        cache=(CacheLayer("full", 1, 1e4, draw(st.sampled_from([0.0, 1e3, 5e4, 4e5]))),),
        experts=experts,
        linear_active_parameters=draw(st.sampled_from([1e8, 3e9, 3e10])),
        attention=(AttentionLayer("full", 1, query_width=1e3),),
    )
    machine = Machine(
        weights + draw(st.integers(1, 4000)) * 1e7,
        draw(st.integers(100, 4000)) * 1e9,
        {BF16: draw(st.sampled_from([1e12, 2e13, 9e14]))},
    )
    workload = Workload(
        1000,
        800,
        0.0,
        0.0,
        routing=draw(st.sampled_from(["expected", "floor"])),
        decode_ceiling=draw(st.sampled_from(["memory", "combined"])),
    )
    speculation = draw(
        st.sampled_from([None, Speculation(3, 2.5, Draft(0.0, 1e9, (), TypedCache(0.0, 100.0)))])
    )
    return Setup(machine, model, workload, {BF16: 1.0}, {BF16: 1.0}, speculation)


@given(setups(), setups())
@settings(max_examples=150, deadline=None)
def test_the_lead_is_that_of_every_batch(first, second):
    found = crossings(first, second)
    steps = [decode_step(setup, setup.speculation) for setup in (first, second)]
    assert found.until == min(capacity(first).memory_batch, capacity(second).memory_batch)
    changes = dict(found.leads)
    lead = None
    for batch in range(1, min(found.until, 3000) + 1):
        lead = changes.get(batch, lead)
        rates = [float(per_session_tokens_per_s(step, batch)) for step in steps]
        assert lead == (rates[0] > rates[1]) - (rates[0] < rates[1])


@given(setups(), setups())
@settings(max_examples=40, deadline=None)
def test_exchanging_the_sides_turns_the_lead_round(first, second):
    there, back = crossings(first, second), crossings(second, first)
    assert back.leads == tuple((batch, -lead) for batch, lead in there.leads)
    assert back.until == there.until and back.batches == there.batches[::-1]


def test_a_setup_never_overtakes_itself():
    machine = Machine(100e9, 1e12)
    model = ModelCosts(10e9, 10e9, (CacheLayer("full", 1, 1e6, 1e6),))
    setup = Setup(machine, model, Workload(1000, 1000, 0.0, 0.0), {BF16: 1.0}, {BF16: 1.0})
    found = crossings(setup, setup)
    assert found.leads == ((1, 0),)
    assert in_words(found, ("A", "B")) == (
        "A and B give the same at every batch up to 90 sessions.",
    )


def test_a_crossing_is_worked_by_hand():
    """A sweeps 10 GB and reads 1 GB a session at 1,000 GB/s, B 16 GB and 0.5 GB at 1,000 GB/s:
    10 + b = 16 + b / 2 at b = 12, so B is ahead from 13 on, and A has room for 30."""
    machine = Machine(40e9, 1000e9)
    workload = Workload(1, 1, 0.0, 0.0)
    modes = {BF16: 1.0}
    a = ModelCosts(10e9, 10e9, (CacheLayer("full", 1, 1e9, 1e9),))
    b = ModelCosts(16e9, 16e9, (CacheLayer("full", 1, 1e9, 0.5e9),))
    found = crossings(
        Setup(machine, a, workload, modes, modes), Setup(machine, b, workload, modes, modes)
    )
    assert found == Crossings(((1, 1), (12, 0), (13, -1)), 24, (30, 24))
    assert in_words(found, ("A", "B")) == (
        "A and B give the same from 12 sessions.",
        "B overtakes A from 13 sessions.",
        "B has memory for 24 sessions, A for 30.",
    )


def test_setups_without_room_are_said_so():
    machine = Machine(40e9, 1000e9)
    small = msgspec.structs.replace(machine, capacity_bytes=5e9)
    workload = Workload(1, 1, 0.0, 0.0)
    model = ModelCosts(10e9, 10e9, (CacheLayer("full", 1, 1e9, 1e9),))
    fits = Setup(machine, model, workload, {}, {})
    not_ = Setup(small, model, workload, {}, {})
    assert in_words(crossings(fits, not_), ("A", "B")) == (
        "B has no memory for a session, A for up to 30.",
    )
    assert "Neither" in in_words(crossings(not_, not_), ("A", "B"))[0]


def test_a_lead_that_is_won_and_lost_again_is_found_on_both_sides_of_a_bend():
    """At 1 GB/s A takes max(10 + b / 10, 0.9 b) s and B 9 + b / 2 s: A is ahead from 3 to 22."""
    workload = Workload(1, 1, 0.0, 0.0, decode_ceiling="combined")
    room = Machine(80e9, 1e9, {BF16: 1e9})
    a = ModelCosts(
        10e9,
        10e9,
        (CacheLayer("full", 1, 1e9, 0.1e9),),
        linear_active_parameters=0.45e9,
        attention=(),
    )
    b = ModelCosts(9e9, 9e9, (CacheLayer("full", 1, 1e9, 0.5e9),))
    modes = {BF16: 1.0}
    found = crossings(
        Setup(room, a, workload, modes, modes), Setup(room, b, workload, modes, modes)
    )
    assert found.leads == ((1, -1), (3, 1), (23, -1))
    assert found.until == 70


PAIRS = [
    ("geforce-rtx-5090-ddr5-128gb", "nvidia-dgx-spark-gb10"),
    ("geforce-rtx-5090-threadripper-pro-256gb", "rtx-pro-6000-blackwell-workstation"),
    ("nvidia-dgx-spark-gb10-x2", "geforce-rtx-3090-x2-ddr4-64gb"),
    ("geforce-rtx-5080-3090", "geforce-rtx-3090-x2"),
]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("model", ["gpt-oss-120b", "qwen3-30b-a3b"])
def test_a_composition_is_held_to_its_own_rates_at_every_batch(library, pair, model):
    workload = WorkloadChoice(reserved_context_tokens=2000, read_context_tokens=1500)
    setups = [
        run(Scenario(machine, ModelRef(model), workload=workload), library).setup
        for machine in pair
    ]
    found = crossings(*setups)
    batches = np.arange(1, found.until + 1)
    rates = [curve(setup, batches).per_session_tokens_per_s for setup in setups]
    leads = np.sign(rates[0] - rates[1])
    changes = np.flatnonzero(np.diff(leads, prepend=leads[:1] + 1)) + 1 if found.until else []
    assert [batch for batch, _ in found.leads] == list(changes)
    assert [lead for _, lead in found.leads] == [leads[batch - 1] for batch in changes]


def test_a_card_with_system_memory_is_overtaken_as_sessions_join(library):
    workload = WorkloadChoice(reserved_context_tokens=16_000, read_context_tokens=8000)
    first, second = (
        run(Scenario(machine, ModelRef("gpt-oss-120b"), workload=workload), library).setup
        for machine in PAIRS[0]
    )
    assert in_words(crossings(first, second), ("card", "box")) == (
        "box overtakes card from 4 sessions.",
        "box has memory for 107 sessions, card for 164.",
    )
