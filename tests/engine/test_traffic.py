"""The two accountings of the boards: what they charge, and that they are the engine's own rates."""

import msgspec
import pytest
from decode_setups import setups
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.capacity import capacity
from ourmodels_gui.engine.decode import clears_floor, decode
from ourmodels_gui.engine.memory_power import contains
from ourmodels_gui.engine.setup import CacheLayer, Machine, ModelCosts, Setup, Workload
from ourmodels_gui.engine.step import aggregate_tokens_per_s, decode_step
from ourmodels_gui.engine.traffic import demand, weights_only, with_reads


def toy(reserved, read=None, **work):
    cache = (CacheLayer("full", 1, bytes_per_token=260e3, read_bytes_per_token=260e3),)
    usual = {"floor_tokens_per_s": 0.0, "overhead_bytes": 6e9}
    workload = Workload(reserved, round(0.9 * reserved) if read is None else read, **usual | work)
    return Setup(Machine(128e9, 800e9), ModelCosts(18e9, 18e9, cache), workload, {}, {})


@pytest.mark.parametrize(
    ("reserved", "sessions", "rate"), [(4000, 100, 40_000 / 9), (1000, 400, 160_000 / 9)]
)
def test_the_toy_machine_of_the_formulation_appears(reserved, sessions, rate):
    setup = toy(reserved)
    assert capacity(setup).memory_batch == sessions
    left = weights_only(setup, sessions)
    assert left.tokens_per_s == pytest.approx(rate, rel=1e-12)
    assert decode(setup).memory_power_tokens_per_s == pytest.approx(rate, rel=1e-12)


def test_by_hand():
    right = with_reads(toy(4000, 2000), 10)
    assert right.shared_bytes == 18e9
    assert right.private_bytes == 0.52e9
    assert right.charged_bytes == 23.2e9
    assert right.iteration_s == pytest.approx(23.2 / 800)
    assert right.tokens_per_s == pytest.approx(10 * 800 / 23.2)


@settings(max_examples=60, deadline=None)
@given(setups(), st.integers(1, 300))
def test_the_right_board_runs_at_the_ceiling_of_ordinary_decode(setup, batch):
    ordinary = msgspec.structs.replace(setup, speculation=None)
    work = msgspec.structs.replace(setup.workload, decode_ceiling="memory")
    ordinary = msgspec.structs.replace(ordinary, workload=work)
    right = with_reads(setup, batch)
    assert right.tokens_per_s == aggregate_tokens_per_s(decode_step(ordinary, None), batch)
    assert right.iteration_s * right.tokens_per_s == pytest.approx(batch, rel=1e-12)
    moved = right.charged_bytes / setup.machine.bandwidth_bytes_per_s
    assert right.iteration_s == pytest.approx(moved, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(setups(), st.integers(1, 300))
def test_the_left_board_is_never_the_slower_one(setup, batch):
    left, right = weights_only(setup, batch), with_reads(setup, batch)
    assert left.tokens_per_s >= right.tokens_per_s * (1 - 1e-12)
    assert left.private_bytes == 0.0


@settings(max_examples=60, deadline=None)
@given(setups(), st.integers(1, 300))
def test_the_point_is_feasible_where_the_batch_fits_and_clears_the_floor(setup, batch):
    work = msgspec.structs.replace(setup.workload, decode_ceiling="memory")
    setup = msgspec.structs.replace(setup, workload=work, speculation=None)
    asked = demand(setup, batch)
    fits = capacity(setup).fits(batch)
    clears = bool(clears_floor(decode_step(setup, None), batch, work.floor_tokens_per_s))
    flow, side = asked.flow_bytes_per_s, setup.machine.bandwidth_bytes_per_s
    if abs(flow - side) > 1e-9 * side and setup.machine.capacity_bytes.is_integer():
        assert contains(setup.machine, asked.held_bytes, flow) == (fits and clears)


def test_the_point_moves_each_step_as_often_as_the_floor_asks():
    """18 GB of weights and 260 kB for each of 3600 tokens, two sessions, 20 times a second."""
    asked = demand(toy(4000, floor_tokens_per_s=20.0), 2)
    assert asked.flow_bytes_per_s == pytest.approx(20 * (18e9 + 2 * 260e3 * 3600))
    assert asked.held_bytes == pytest.approx(18e9 + 6e9 + 2 * 260e3 * 4000)


def test_counters_count_whole_iterations():
    right = with_reads(toy(4000), 100)
    assert right.emitted(0.999 * right.iteration_s) == 0
    assert right.emitted(3.5 * right.iteration_s) == 300
    assert right.progress(3.5 * right.iteration_s) == pytest.approx(0.5)
