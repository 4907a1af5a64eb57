import numpy as np
import pytest
from decode_setups import GEMMA, QWEN, caches, experts, literal_alloc, literal_read, literal_swept
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.costs import (
    active_bytes,
    attended_pairs,
    attention_flop,
    cache_alloc_bytes,
    cache_read_bytes,
    distinct_experts,
    full_sweep_bytes,
    prefill_sweep_scale,
    saturating_tokens,
    sweep_bytes,
)
from ourmodels_gui.engine.setup import AttentionLayer, CacheLayer, Experts, ModelCosts, TypedCache

ROUTINGS = [
    (2, 1),
    (8, 2),
    (16, 1),
    (32, 4),
    (60, 4),
    (64, 6),
    (128, 8),
    (256, 8),
    (384, 8),
    (512, 1),
]
ROUTINGS += [(512, 10), (512, 22), (512, 500), (1024, 3)]


@pytest.mark.parametrize("routing", ["expected", "floor"])
@pytest.mark.parametrize(("routed", "per_token"), ROUTINGS)
def test_one_routing_touches_exactly_the_experts_of_a_token(routed, per_token, routing):
    assert distinct_experts(Experts(routed, per_token, 1.0), 1, routing) == per_token


@pytest.mark.parametrize(("routed", "per_token"), ROUTINGS)
def test_distinct_experts_never_fall_and_reach_every_expert(routed, per_token):
    group = Experts(routed, per_token, 1.0)
    tokens = np.arange(1, saturating_tokens(group) + 50)
    touched = distinct_experts(group, tokens, "expected")
    assert np.all(np.diff(touched) >= 0)
    assert touched[saturating_tokens(group) - 1 :] == pytest.approx(routed, rel=0, abs=0)
    assert distinct_experts(group, 10**12, "expected") == routed
    literal = routed * (1 - (1 - per_token / routed) ** tokens)
    assert touched == pytest.approx(literal, rel=1e-12)


def test_floor_routing_touches_the_experts_of_one_token_whatever_the_tokens():
    group = Experts(256, 8, 1.0)
    assert list(distinct_experts(group, np.array([1, 2, 10**6]), "floor")) == [8.0, 8.0, 8.0]


def test_laguna_touches_254_of_256_experts_at_a_chunk_of_128():
    touched = distinct_experts(Experts(256, 10, 1.0), 128, "expected")
    assert 254 <= touched < 255


@settings(max_examples=60)
@given(st.floats(0, 1e12), experts(), st.lists(st.integers(1, 10**7), min_size=1, max_size=30))
def test_a_number_and_an_array_sweep_the_same_bits(always, sets, tokens):
    swept = sweep_bytes(always, sets, np.array(tokens), "expected")
    for count, found in zip(tokens, swept, strict=True):
        alone = sweep_bytes(always, sets, count, "expected")
        assert isinstance(alone, float)
        assert alone == found
        costs = ModelCosts(0.0, always, (), sets)
        assert alone == literal_swept(costs, count, "expected")


def test_a_dense_model_sweeps_the_same_at_every_batch():
    assert list(sweep_bytes(16e9, (), np.array([1, 7, 9000]), "expected")) == [16e9] * 3


@pytest.mark.parametrize(("model", "active"), [(QWEN, 1.5e9), (GEMMA, 2e9)])
def test_one_routing_sweeps_the_active_parameters(model, active):
    assert active_bytes(model.always_bytes, model.experts) == pytest.approx(active, rel=1e-14)
    swept = sweep_bytes(model.always_bytes, model.experts, 1, "expected")
    assert swept == active_bytes(model.always_bytes, model.experts)


def test_the_sweep_ends_at_all_parameters():
    assert full_sweep_bytes(QWEN) == pytest.approx(17.5e9)
    assert sweep_bytes(QWEN.always_bytes, QWEN.experts, 10**6, "expected") == full_sweep_bytes(QWEN)


def test_a_known_full_sweep_scales_the_sweeps_of_prefill():
    plain = ModelCosts(1.0, 10.0, (), (Experts(4, 1, 5.0),))
    known = ModelCosts(1.0, 10.0, (), (Experts(4, 1, 5.0),), prefill_sweep_bytes=33.0)
    assert prefill_sweep_scale(plain) == 1.0
    assert prefill_sweep_scale(known) == pytest.approx(1.1)


WINDOW = (CacheLayer("window", 5, 1000.0, 500.0, window_tokens=100),)


@pytest.mark.parametrize(("tokens", "held"), [(99, 99), (100, 100), (101, 100), (10**6, 100)])
def test_a_window_reserves_no_more_than_its_width(tokens, held):
    assert cache_alloc_bytes(WINDOW, tokens, "windowed") == 5 * 1000.0 * held
    assert cache_alloc_bytes(WINDOW, tokens, "full") == 5 * 1000.0 * tokens


def test_the_cache_policy_never_changes_what_a_window_reads():
    assert cache_read_bytes(WINDOW, 40) == 5 * 500.0 * 40
    assert cache_read_bytes(WINDOW, 4000) == 5 * 500.0 * 100


def test_a_sparse_layer_reads_every_index_key_and_the_selected_entries():
    sparse = (CacheLayer("sparse", 2, 10.0, 8.0, selected_tokens=30, index_bytes_per_token=1.0),)
    assert cache_read_bytes(sparse, 20) == 2 * (8.0 * 20 + 20)
    assert cache_read_bytes(sparse, 100) == 2 * (8.0 * 30 + 100)
    assert cache_alloc_bytes(sparse, 100, "windowed") == 2 * 11.0 * 100


def test_a_state_is_the_same_at_every_context():
    state = (CacheLayer("state", 3, state_bytes=7.0),)
    assert cache_alloc_bytes(state, 1, "windowed") == cache_alloc_bytes(state, 10**6, "full") == 21
    assert list(cache_read_bytes(state, np.array([0, 10**6]))) == [21.0, 21.0]


def test_typed_figures_are_used_whatever_the_context():
    typed = TypedCache(100.0, 30.0)
    assert list(cache_alloc_bytes(typed, np.array([1, 10**6]), "full")) == [100.0, 100.0]
    assert cache_read_bytes(typed, 5) == 30.0


@settings(max_examples=60)
@given(caches(), st.lists(st.integers(0, 10**6), min_size=1, max_size=20))
def test_caches_agree_with_the_layers_one_by_one(cache, tokens):
    for policy in ("windowed", "full"):
        held = cache_alloc_bytes(cache, np.array(tokens), policy)
        for count, found in zip(tokens, held, strict=True):
            assert cache_alloc_bytes(cache, count, policy) == found
            assert found == pytest.approx(literal_alloc(cache, count, policy), rel=1e-14)
    read = cache_read_bytes(cache, np.array(tokens))
    for count, found in zip(tokens, read, strict=True):
        assert cache_read_bytes(cache, count) == found
        assert found == pytest.approx(literal_read(cache, count), rel=1e-14)


@settings(max_examples=100)
@given(st.integers(0, 60), st.integers(1, 60), st.one_of(st.none(), st.integers(1, 80)))
def test_attended_pairs_are_the_sum_over_the_tokens(prefix, tokens, limit):
    summed = sum(min(prefix + j, limit or 10**9) for j in range(1, tokens + 1))
    assert float(attended_pairs(prefix, tokens, limit or np.inf)) == summed


def test_laguna_attends_for_1866_mflop_a_token_at_a_prompt_of_8192():
    layers = (
        AttentionLayer("full", 12, query_width=6144.0),
        AttentionLayer("window", 36, query_width=9216.0, window_tokens=512),
    )
    assert float(attention_flop(layers, 0, 8192)) / 8192 == pytest.approx(1.866e9, abs=0.0005e9)


def test_one_decoded_token_attends_to_its_context_and_itself():
    full = (AttentionLayer("full", 2, query_width=10.0),)
    assert float(attention_flop(full, 99, 1)) == 2 * 4 * 10 * 100
    sparse = (
        AttentionLayer("sparse", 1, query_width=10.0, selected_tokens=30, index_flop_per_pair=2.0),
    )
    assert float(attention_flop(sparse, 99, 1)) == 4 * 10 * 30 + 2 * 100
    state = (AttentionLayer("state", 3, flop_per_token=5.0),)
    assert float(attention_flop(state, 99, 1)) == 15


def test_a_recurrent_layer_computes_the_same_for_every_token():
    layers = (AttentionLayer("state", 2, flop_per_token=900.0),)
    assert attention_flop(layers, 10, np.array([1, 3])).tolist() == [1800.0, 5400.0]
