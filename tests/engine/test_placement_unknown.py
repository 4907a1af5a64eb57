"""Several devices and pools where something of the model is unknown, or nothing is asked."""

import msgspec
import numpy as np
import pytest
from composition_setups import FAST, SHAPE, SLOW, composed, dense, sparse
from decode_setups import BF16

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.prefill import prefill
from ourmodels_gui.engine.setup import AttentionLayer, Composition, ModelShape, Prompt, TypedCache

replace = msgspec.structs.replace
PROMPT = Prompt(1000, batch=1)
ATTENTION = (AttentionLayer("full", 8, query_width=4096.0),)


def working(device, flop_per_s):
    return replace(device, machine=replace(device.machine, compute_flop_per_s={BF16: flop_per_s}))


CARD, HOST = working(FAST, 100e12), working(SLOW, 2e12)
KNOWN = {
    "cache_write_bytes_per_token": 250_000.0,
    "linear_active_parameters": 30e9,
    "attention": ATTENTION,
}


def asked(model, devices, prompt=PROMPT, **more):
    found = composed(model, devices, floor_tokens_per_s=0.0, **more)
    return replace(found, prompt=prompt)


def test_heads_on_devices_of_their_own_leave_the_compute_side_where_the_write_is_unknown():
    pair = replace(CARD, count=2)
    known = replace(dense(), **KNOWN)
    shape = replace(SHAPE, key_heads=(1,))
    more = {"split": "tensor", "shape": shape, "link_bytes_per_s": 1e12}
    name = "tensor split, cache divided by heads"
    found = {}
    for written in (250_000.0, None):
        model = replace(known, cache_write_bytes_per_token=written)
        way = placement.prompt_policy(asked(model, [pair], **more), name)
        found[written] = way.costs(1000)
        assert way.way.copies() == (2.0,)
    assert found[None].private_bytes is None
    assert found[None].compute_s == found[250_000.0].compute_s > 0.0


def test_a_typed_cache_is_read_before_the_one_chunk_of_a_prompt_in_layers():
    """Every figure on one of two devices in turn is that of a device with the memory of both."""
    typed = replace(dense(), cache=TypedCache(1e9, 4e9), **KNOWN)
    for prefix in (0, 500):
        prompt = Prompt(1000, prefix, chunk_tokens=1000, batch=1)
        setup = asked(typed, [replace(CARD, count=2)], prompt, groups=1, shape=SHAPE)
        alone = prefill(replace(setup, composition=None, machine=CARD.machine))
        found = evaluate(setup).prefill
        assert found.memory_ceiling_tokens_per_s == pytest.approx(
            alone.memory_ceiling_tokens_per_s, rel=1e-12
        )
        chunk = placement.prompt_policy(setup).costs(1000, 1000, prefix).chunk_s
        moved = 18e9 + 1000 * 250_000.0 + (4e9 if prefix else 0.0)
        assert float(chunk) == pytest.approx(moved / CARD.machine.bandwidth_bytes_per_s)


def test_experts_of_unknown_size_may_compute_in_any_pool():
    """Both pools share the linear path by their rates, however little the card has room for."""
    model = replace(sparse(size=0.5e9), **(KNOWN | {"attention": ()}), prefill_sweep_bytes=None)
    small = replace(CARD, machine=replace(CARD.machine, capacity_bytes=4e9))
    times = {}
    for inside in (None, 29e9):
        shape = ModelShape(4096, 16, (8,), expert_parameters=inside)
        setup = asked(model, [small], host=HOST, pools="both", shape=shape)
        times[inside] = float(placement.prompt_policy(setup).costs(1000).compute_s)
    flop = 2.0 * 30e9 * 1000
    assert times[None] == pytest.approx(flop / (100e12 + 2e12), rel=1e-9)
    assert times[29e9] > 5.0 * times[None]


@pytest.mark.parametrize(("pools", "name"), [("sequential", "host"), ("streamed", "card")])
def test_arithmetic_binds_in_the_pool_that_takes_longest_for_it(pools, name):
    """30 GB of weights, more than the card holds; the host computes a fiftieth as fast."""
    model = replace(dense(weights=30e9), **KNOWN)
    setup = asked(model, [CARD], host=HOST, pools=pools, link_bytes_per_s=1e12, shape=SHAPE)
    found = evaluate(setup).prefill
    assert (found.binding.resource, found.binding.place) == ("compute", name)


def test_pools_whose_memory_side_is_unknown_serve_all_prompts_that_are_admitted():
    """Their arithmetic is the same for each, so that no batch is better than another."""
    model = replace(dense(), **(KNOWN | {"cache_write_bytes_per_token": None}))
    way = placement.prompt_policy(asked(model, [CARD], host=HOST, pools="both", shape=SHAPE))
    costs = way.costs(1000)
    assert costs.private_bytes is None
    assert float(way.best(costs, np.asarray(7.0))) == 7.0


def test_one_device_alone_is_the_ordinary_case():
    one, pair = (Composition((replace(FAST, count=count),)) for count in (1, 2))
    assert placement.alone(one) == FAST
    assert placement.alone(pair) is None
    assert placement.alone(replace(one, host=SLOW)) is None


def test_the_policy_in_use_is_the_first_that_is_shown():
    setup = asked(sparse(), [FAST], host=SLOW, pools="sequential")
    way, figures = placement.in_use(setup)
    shown = evaluate(setup).placement
    assert way.name == shown.policy == "one pool at a time"
    assert figures.aggregate_tokens_per_s == shown.in_use.aggregate_tokens_per_s


def test_without_a_prompt_the_first_way_to_divide_experts_serves_them():
    model = replace(sparse(), **(KNOWN | {"linear_active_parameters": 1e6, "attention": ()}))
    shape = ModelShape(4096, 48, expert_layers=(24,))
    four = replace(CARD, count=4)
    more = {"split": "experts", "shape": shape, "link_bytes_per_s": 1e8}
    more |= {"reserved_context_tokens": 4000, "read_context_tokens": 4000}
    setup = asked(model, [four], None, **more)
    assert placement.prompt_policy(setup).name == "experts divided, attention tensor-split"
    slow = replace(setup, prompt=PROMPT)
    assert placement.prompt_policy(slow).name == "experts divided, attention on every device"
    assert np.isfinite(evaluate(slow).prefill.tokens_per_s)
