"""Equal devices: the gates, times and shares of each policy, written out."""

import math

import msgspec
import numpy as np
import pytest
from composition_setups import SHAPE, composed, dense, sparse
from decode_setups import BF16, GB
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.placement.experts import ReplicatedAttention
from ourmodels_gui.engine.placement.layers import EqualLayers
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    Device,
    Draft,
    Machine,
    Speculation,
    TypedCache,
)

replace = msgspec.structs.replace
CARD = Device("card", Machine(24 * GB, 936 * GB, {BF16: 1e14}), 1 * GB, 4)


def touched_bytes(model, routings):
    """What a step sweeps with so many routings."""
    swept = model.always_bytes
    for group in model.experts:
        missed = (1 - group.per_token / group.routed) ** routings
        swept += group.routed * (1 - missed) * group.expert_bytes
    return swept


@pytest.mark.parametrize("asked", [None, 1, 2, 3, 4, 9])
@pytest.mark.parametrize("batch", [1, 3, 40])
def test_groups_pass_through_the_devices_one_after_another(asked, batch):
    """g groups of b / g sessions, no more than devices and sessions: each takes the whole step on
    one device after another, and as many are on their way at once."""
    attention = (AttentionLayer("full", 8, query_width=4096.0),)
    model = replace(sparse(), linear_active_parameters=9e12, attention=attention)
    found = composed(
        model,
        [CARD],
        groups=asked,
        decode_ceiling="combined",
        reserved_context_tokens=2000,
        read_context_tokens=1000,
    )
    way = EqualLayers(found, asked)
    groups = min(asked or 4, 4, batch)
    assert way.groups(batch) == groups
    moved = touched_bytes(model, batch / groups) + batch / groups * 8 * 30_000 * 1000
    flop = 2 * 9e12 + 8 * 4 * 4096 * 1001
    memory, compute = way.limits(np.array([float(batch)]))
    assert memory.per_session_tokens_per_s[0] == pytest.approx(936 * GB / moved, rel=1e-12)
    assert compute.per_session_tokens_per_s[0] == pytest.approx(
        1e14 / (batch / groups * flop), rel=1e-12
    )
    (share,) = way.shares(batch)
    assert share.traffic_bytes == pytest.approx(groups * moved, rel=1e-12)
    assert share.capacity_bytes == 4 * 24 * GB and share.overhead_bytes == 4 * GB


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.floats(0.5, 8.0), st.sampled_from([0, 1, 3]), st.integers(1, 40))
def test_every_device_holds_its_sessions_beside_its_experts(count, spare, gamma, batch):
    """W_res - (1 - 1/N) E p + W_draft + O + ceil(b / N) (K + K_draft) <= C, in whole bytes."""
    model, draft = sparse(), Draft(0.7 * GB, 0.7 * GB, cache=TypedCache(0.1 * GB, 0.05 * GB))
    drafts = gamma > 0
    held = model.resident_bytes - (1 - 1 / count) * 64 * 0.3 * GB + 1 * GB
    held += drafts * 0.7 * GB
    room = held + spare * GB
    card = Device("card", Machine(room, 936 * GB), 1 * GB, count)
    guess = Speculation(gamma, 1.8, draft) if drafts else None
    found = composed(
        model,
        [card],
        guess,
        split="experts",
        link_bytes_per_s=1e10,
        reserved_context_tokens=2000,
        read_context_tokens=1000,
        floor_tokens_per_s=0.0,
        shape=replace(SHAPE, expert_layers=(4,)),
    )
    session = 8 * 30_000 * 2000 + drafts * 0.1 * GB
    way = ReplicatedAttention(found)
    assert way.memory_batch() == count * math.floor(spare * GB / session)
    free = room - held - math.ceil(batch / count) * session
    assert way.spare_bytes(batch) == pytest.approx(free, abs=2.0)
    own = max(batch / count, 1.0)
    moved = model.always_bytes + own * (8 * 30_000 * 1000)
    moved += (touched_bytes(model, batch * (gamma + 1)) - model.always_bytes) / count
    moved += gamma * (0.7 + own * 0.05) * GB
    rate = way.limits(np.array([float(batch)]))[0].per_session_tokens_per_s[0]
    assert rate == pytest.approx((1.8 if drafts else 1.0) * 936 * GB / moved, rel=1e-12)


def test_what_is_streamed_to_several_devices_crosses_a_link_to_each():
    """8 of 100 GB lie in the host, whose 400 GB/s are more than four links of 20 GB/s."""
    host = Device("host", Machine(64 * GB, 400 * GB))
    model = dense(weights=100 * GB, per_token=1.0)
    asked = {"pools": "streamed", "link_bytes_per_s": 20 * GB, "read_context_tokens": 10}
    found = evaluate(composed(model, [CARD], host=host, reserved_context_tokens=10, **asked))
    assert found.decode.single_session_tokens_per_s == pytest.approx(80 / 8, rel=1e-6)
    assert found.placement.single_binding.words == "link, host"


def test_as_many_groups_as_are_best_never_serve_less_than_one_at_a_time():
    asked = {"floor_tokens_per_s": 5.0, "reserved_context_tokens": 2000}
    asked["read_context_tokens"] = 2000
    best, one = (
        evaluate(composed(dense(), [CARD], groups=groups, **asked)).decode for groups in (None, 1)
    )
    assert best.aggregate_tokens_per_s > one.aggregate_tokens_per_s
    assert best.single_session_tokens_per_s == one.single_session_tokens_per_s
