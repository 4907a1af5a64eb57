import pytest
from hypothesis import given
from hypothesis import strategies as st

from ourmodels_gui.engine.memory_power import (
    contains,
    large_memory_limit_tokens_per_s,
    memory_power_bytes2_per_s,
    memory_power_tokens_per_s,
    two_rooflines_tokens_per_s,
    volume_bytes,
)
from ourmodels_gui.engine.setup import Machine

SPARK = Machine(128e9, 273e9)


@pytest.mark.parametrize(("bandwidth", "power"), [(273e9, 34_944), (614e9, 78_592)])
def test_memory_power_of_the_two_machines(bandwidth, power):
    assert memory_power_bytes2_per_s(Machine(128e9, bandwidth)) / 1e18 == pytest.approx(power)


@pytest.mark.parametrize(
    ("held", "flow", "feasible"),
    [
        (0.0, 0.0, True),
        (128e9, 273e9, True),
        (128e9 + 1, 0.0, False),
        (0.0, 273e9 + 1, False),
        (-1.0, 0.0, False),
        (0.0, -1.0, False),
    ],
)
def test_the_feasible_region_is_the_rectangle_of_capacity_and_bandwidth(held, flow, feasible):
    assert contains(SPARK, held, flow) is feasible


def test_the_volume_counts_what_is_held_and_what_is_moved():
    assert volume_bytes(SPARK, 0.0) == 128e9
    assert volume_bytes(SPARK, 2.0) == 128e9 + 2 * 273e9


@given(*[st.floats(1e-3, 1e15) for _ in range(4)])
def test_the_universal_bound_is_the_lower_roofline(bandwidth, traffic, rate, arithmetic):
    bound = two_rooflines_tokens_per_s(bandwidth, traffic, rate, arithmetic)
    assert bound in (bandwidth / traffic, rate / arithmetic)
    assert bound <= bandwidth / traffic
    assert bound <= rate / arithmetic


def test_memory_power_ceiling_is_sessions_times_sweeps():
    ceiling = memory_power_tokens_per_s(SPARK, 28e9, 2e9, 10e9)
    assert ceiling == pytest.approx((100e9 / 2e9) * (273e9 / 10e9))
    factored = memory_power_bytes2_per_s(SPARK) / (2e9 * 10e9) * (1 - 28e9 / 128e9)
    assert ceiling == pytest.approx(factored)


def test_the_large_memory_limit_charges_no_room_to_the_model():
    limit = large_memory_limit_tokens_per_s(SPARK, 2e9, 10e9)
    assert limit == pytest.approx(memory_power_bytes2_per_s(SPARK) / (2e9 * 10e9))
    assert limit > memory_power_tokens_per_s(SPARK, 28e9, 2e9, 10e9)
