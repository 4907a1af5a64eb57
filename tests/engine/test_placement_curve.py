"""The curves of a composition: every policy over many batches, and what limits each of them."""

import math
import time

import msgspec
import numpy as np
import pytest
from composition_setups import FAST, SHAPE, SLOW, composed, dense, many_pools, mixed_pools, sparse
from decode_setups import BF16
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.curve import curve, limits
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.setup import ModelShape, Speculation
from ourmodels_gui.engine.step import decode_step, memory_time_s


def floored(found, batch):
    """The same with the rate of a batch as the floor."""
    rate = float(curve(found, np.array([batch])).per_session_tokens_per_s[0])
    work = msgspec.structs.replace(
        found.workload, floor_tokens_per_s=0.0 if math.isnan(rate) else rate
    )
    return msgspec.structs.replace(found, workload=work)


@settings(max_examples=60, deadline=None)
@given(st.one_of(mixed_pools(), many_pools()), st.integers(1, 300))
def test_the_curve_of_each_policy_meets_its_figures(found, batch):
    found = floored(found, batch)
    result = evaluate(found)
    for figures in result.placement.policies:
        if figures.best_batch is None:
            continue
        batches = np.array([1, figures.best_batch, figures.memory_batch + 1])
        drawn = curve(found, batches, figures.name)
        assert drawn.per_session_tokens_per_s[0] == figures.single_session_tokens_per_s
        assert drawn.per_session_tokens_per_s[1] == figures.per_session_tokens_per_s
        assert drawn.aggregate_tokens_per_s[1] == figures.aggregate_tokens_per_s
        assert np.isnan(drawn.aggregate_tokens_per_s[2]) and np.isnan(drawn.memory_time_s[2])
        said = limits(found, batches, figures.name)
        assert list(said) == [said[0], figures.binding.resource, "capacity"]
    main = curve(found, np.array([1]))
    assert main.per_session_tokens_per_s[0] == pytest.approx(
        result.decode.single_session_tokens_per_s or math.nan, nan_ok=True
    )


def test_the_main_policy_is_drawn_unless_another_is_named():
    found = composed(dense(), [FAST], host=SLOW, pools="sequential")
    batches = np.array([1, 2])
    one = curve(found, batches).per_session_tokens_per_s
    assert list(one) == list(curve(found, batches, "one pool at a time").per_session_tokens_per_s)
    both = curve(found, batches, "all pools at once").per_session_tokens_per_s
    assert (both > one).all()
    with pytest.raises(ValueError, match="no policy 'nonsense'"):
        curve(found, batches, "nonsense")


def test_the_memory_time_of_a_tensor_split_is_its_bytes_over_all_bandwidths():
    """With speculation an iteration emits several tokens; its time is that of its bytes."""
    pair, speculation = msgspec.structs.replace(FAST, count=2), Speculation(3, 2.5)
    asked = {"split": "tensor", "shape": SHAPE, "link_bytes_per_s": 1e12}
    found = composed(dense(), [pair], speculation, **asked)
    batches = np.array([1, 3, 9])
    pooled = msgspec.structs.replace(found, composition=None)
    wanted = memory_time_s(decode_step(pooled, speculation), batches)
    drawn = curve(found, batches)
    assert drawn.memory_time_s == pytest.approx(wanted, rel=1e-12)
    assert drawn.compute_time_s is None
    card = msgspec.structs.replace(pair.machine, compute_flop_per_s={BF16: 1e12})
    known = composed(
        msgspec.structs.replace(dense(), linear_active_parameters=9e9, attention=()),
        [msgspec.structs.replace(pair, machine=card)],
        **asked,
    )
    assert curve(known, batches).compute_time_s == pytest.approx(batches * 2 * 9e9 / 2e12)


def test_of_two_ways_to_divide_experts_the_better_is_drawn():
    """A slow link makes sending tokens to experts dearer than keeping attention on every device."""
    devices = [msgspec.structs.replace(FAST, count=4)]
    shape = ModelShape(4096, 48, expert_layers=(24,))
    asked = {"split": "experts", "shape": shape, "link_bytes_per_s": 1e8}
    asked |= {"reserved_context_tokens": 4000, "read_context_tokens": 4000}
    found = composed(sparse(), devices, floor_tokens_per_s=0.0, **asked)
    result = evaluate(found)
    best = np.array([result.decode.best_batch])
    assert result.placement.policy == "experts divided, attention on every device"
    assert curve(found, best).aggregate_tokens_per_s == result.decode.aggregate_tokens_per_s


def test_a_link_limits_the_batches_at_which_it_is_the_slowest():
    devices = [msgspec.structs.replace(FAST, count=2)]
    asked = {"split": "tensor", "shape": SHAPE, "floor_tokens_per_s": 0.0}
    found = composed(dense(), devices, link_bytes_per_s=1e7, **asked)
    batches = np.array([1, 10**6])
    assert list(limits(found, batches)) == ["link", "capacity"]
    # Equal devices have a rate beyond what fits as well.
    assert np.isfinite(curve(found, batches).aggregate_tokens_per_s).all()
    quick = composed(dense(), devices, link_bytes_per_s=1e13, **asked)
    assert list(limits(quick, batches)) == ["memory", "capacity"]


def test_streamed_bytes_are_limited_by_the_link_they_cross():
    asked = {"pools": "streamed", "link_bytes_per_s": 4e9, "floor_tokens_per_s": 0.0}
    asked |= {"reserved_context_tokens": 4000, "read_context_tokens": 4000}
    found = composed(dense(weights=40e9), [FAST], host=SLOW, **asked)
    assert set(limits(found, np.arange(1, 3))) == {"link"}
    each = float(curve(found, np.array([1])).per_session_tokens_per_s[0])
    way = placement.policy(found)
    moved = way.shares(1)[1].traffic_bytes
    assert 1 / each == pytest.approx(moved / 4e9)


def test_several_hundred_batches_are_drawn_within_a_frame():
    """The best of twenty in processor time, which the other work of the machine hardly moves."""
    found = composed(
        sparse(), [FAST], host=SLOW, floor_tokens_per_s=0.0, reserved_context_tokens=50
    )
    batches = np.unique(np.round(np.geomspace(1, placement.policy(found).memory_batch(), 400)))
    taken = []
    for _ in range(20):
        start = time.process_time()
        curve(found, batches)
        taken.append(time.process_time() - start)
    assert len(batches) > 250 and min(taken) < 0.016
