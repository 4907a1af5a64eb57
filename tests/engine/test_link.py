"""What devices send each other, against the formula written out block by block."""

import msgspec
import numpy as np
import pytest
from composition_setups import FAST, SHAPE, composed, dense, sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.placement.experts import ExpertSplit, ReplicatedAttention
from ourmodels_gui.engine.placement.tensor import TensorSplit
from ourmodels_gui.engine.setup import Experts, ModelShape

replace = msgspec.structs.replace
SENDS = {TensorSplit: "tensor", ExpertSplit: "experts", ReplicatedAttention: "tokens"}


def literal_bytes(sends, found):
    """Of one position, for each device and in one direction."""
    made, shape = found.composition, found.composition.shape
    devices = made.devices[0].count
    inside = sum(shape.expert_layers)
    summed = {"tensor": shape.summed_blocks, "experts": shape.summed_blocks - inside, "tokens": 0}
    sent = 0.0
    for _ in range(max(summed[sends], 0)):
        ring = 2 * (devices - 1) / devices
        sent += shape.hidden_width * 2 * (min(ring, 1) if made.link_reduces else ring)
    if sends == "tensor" or found.workload.routing == "floor":
        return sent
    for group, layers in zip(found.model.experts, shape.expert_layers, strict=True):
        missed = (1 - 1 / devices) ** group.per_token
        for _ in range(layers):
            sent += 2 * (1 / devices) * shape.hidden_width * 2 * (devices - 1) * (1 - missed)
    return sent


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(sorted(SENDS, key=lambda way: way.name)),
    st.integers(2, 16),
    st.lists(st.tuples(st.integers(1, 8), st.integers(0, 40)), max_size=2),
    st.integers(0, 130),
    st.tuples(st.booleans(), st.sampled_from(["expected", "floor"]), st.floats(1e8, 1e12)),
)
def test_each_position_takes_what_its_blocks_send(policy, count, chosen, blocks, link):
    reduces, routing, rate = link
    sets = tuple(Experts(64, k, 1e7) for k, _ in chosen)
    shape = ModelShape(5120, blocks, expert_layers=tuple(layers for _, layers in chosen))
    found = composed(
        replace(dense(), experts=sets),
        [replace(FAST, count=count)],
        split="tensor" if policy is TensorSplit else "experts",
        link_bytes_per_s=rate,
        link_reduces=reduces,
        routing=routing,
        shape=shape,
    )
    sent = literal_bytes(SENDS[policy], found)
    took = policy(found).link_seconds(np.array([1.0, 9.0]), SENDS[policy])
    assert took == pytest.approx(np.array([1, 9]) * sent / rate, rel=1e-12)
    resources = [limit.bindings[0].resource for limit in policy(found).limits(np.array([9.0]))]
    assert resources == ["memory", "link"]
    rates = policy(found).limits(np.array([9.0]))[1].per_session_tokens_per_s
    assert sent == 0.0 or rates == pytest.approx(rate / (9 * sent), rel=1e-12)


def test_one_device_or_a_model_of_unknown_shape_sends_nothing():
    asked = {"split": "tensor", "link_bytes_per_s": 1e9}
    for count, shape in ((1, SHAPE), (2, None)):
        way = policies(composed(dense(), [replace(FAST, count=count)], shape=shape, **asked))[0]
        assert way.link_seconds(np.ones(1), "tensor") is None
        assert [limit.bindings[0].resource for limit in way.limits(np.ones(1))] == ["memory"]


def test_a_split_across_devices_needs_a_link():
    found = composed(sparse(), [replace(FAST, count=2)], split="tensor", shape=SHAPE)
    with pytest.raises(ValueError, match="needs a link"):
        policies(found)[0].limits(np.ones(1))
