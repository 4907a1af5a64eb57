"""What the ranking asks of the sweep beyond one workload: the combined ceiling, cache columns,
the longest context."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.arithmetic_tables import position_flop, seconds_table
from ourmodels_gui.engine.cache_columns import cache_columns
from ourmodels_gui.engine.costs import cache_alloc_bytes, cache_read_bytes
from ourmodels_gui.engine.decode import decode
from ourmodels_gui.engine.floor_test import compute_batch
from ourmodels_gui.engine.longest_context import longest_context_tokens
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Experts,
    Machine,
    ModelCosts,
    Setup,
    TypedCache,
    Workload,
)
from ourmodels_gui.engine.sweep import sweep_tables
from ourmodels_gui.engine.tables import at_contexts, machine_table, model_table

BF16 = "bf16_fp32acc"
LAYERS = (
    CacheLayer("full", 4, 2048.0, 1024.0),
    CacheLayer("full", 3, 9.5, 7.25),
    CacheLayer("window", 8, 2048.0, 2048.0, window_tokens=512),
    CacheLayer("window", 2, 0.25, 0.25, window_tokens=3000),
    CacheLayer("sparse", 4, 1152.0, 1152.0, selected_tokens=300, index_bytes_per_token=132.0),
    CacheLayer("state", 2, state_bytes=4e4),
)
caches = st.one_of(
    st.lists(st.sampled_from(LAYERS), min_size=1, max_size=4).map(tuple),
    st.just(TypedCache(1e8, 1e7)),
)
policies = st.sampled_from(["windowed", "full"])


@given(
    st.lists(st.tuples(caches, st.integers(1, 10_000)), min_size=1, max_size=5),
    policies,
)
def test_cache_columns_are_the_sums_of_each_model(models, policy):
    columns = cache_columns([ModelCosts(1.0, 1.0, cache) for cache, _ in models])
    tokens = np.array([tokens for _, tokens in models], dtype=np.float64)
    assert columns.alloc_bytes(tokens, policy).tolist() == [
        cache_alloc_bytes(cache, count, policy) for cache, count in models
    ]
    assert columns.step_read_bytes(tokens).tolist() == [
        cache_read_bytes(cache, count) for cache, count in models
    ]


@given(
    caches,
    policies,
    st.lists(st.integers(-10, 10**7), min_size=1, max_size=4),
    st.integers(1, 6000),
)
@settings(deadline=None)
def test_the_longest_context_is_that_of_trying_every_length(cache, policy, margins, limit):
    found = longest_context_tokens(cache, policy, np.array(margins, dtype=np.float64), limit)
    lengths = np.arange(1.0, limit + 1.0)
    held = np.rint(cache_alloc_bytes(cache, lengths, policy))
    for margin, longest in zip(margins, found.tolist(), strict=True):
        assert longest == int((held <= margin).sum())


@pytest.mark.parametrize("policy", ["windowed", "full"])
def test_the_longest_context_of_the_least_caches_is_that_of_trying_every_length(policy):
    """Caches of less than a byte a token, beside one of many and one of none."""
    small = CacheLayer("window", 1, 0.25, 0.25, window_tokens=7)
    beside = (), (CacheLayer("full", 1, 0.3, 0.3),), (CacheLayer("full", 3, 9.5, 9.5),)
    lengths, margins = np.arange(1.0, 41.0), np.arange(-2.0, 60.0)
    for layers in beside:
        found = longest_context_tokens((small, *layers), policy, margins, 40)
        held = np.rint(cache_alloc_bytes((small, *layers), lengths, policy))
        assert found.tolist() == [(held <= margin).sum() for margin in margins]


@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=4), st.floats(1e-3, 1e4))
def test_the_compute_batch_is_the_last_that_clears_the_floor(times, floor):
    found = compute_batch(np.array(times), floor)
    for time, batch in zip(times, found.tolist(), strict=True):
        assert batch == 0.0 or 1.0 / (batch * time) >= floor
        assert 1.0 / ((batch + 1.0) * time) < floor


@given(
    st.lists(
        st.builds(
            Machine,
            st.integers(4, 400).map(lambda size: size * 1e9),
            st.integers(50, 4000).map(lambda rate: rate * 1e9),
            st.sampled_from([{BF16: 1e14}, {BF16: 2e11}, {BF16: 3e12}, {}]),
        ),
        min_size=1,
        max_size=3,
    ),
    st.lists(
        st.tuples(
            st.integers(1, 80),
            st.sampled_from([None, (8, 2), (64, 6)]),
            st.sampled_from([None, 1e8, 3e10]),
            st.integers(100, 9000),
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([0.0, 0.5, 20.0, 333.3]),
    st.sampled_from(["expected", "floor"]),
)
@settings(max_examples=120, deadline=None)
def test_the_combined_sweep_is_what_decode_says(machines, shapes, floor, routing):
    models, contexts = [], []
    for size, experts, linear, reserved in shapes:
        weights = size * 1e9
        models.append(
            ModelCosts(
                weights,
                weights if experts is None else 0.1 * weights,
                (CacheLayer("full", 10, 4096.0, 2048.0),),
                () if experts is None else (Experts(*experts, 0.9 * weights / experts[0]),),
                linear_active_parameters=linear,
                head_parameters=1e7,
                attention=(AttentionLayer("full", 10, query_width=4096.0),),
            )
        )
        contexts.append((reserved, reserved // 2))
    workload = Workload(1, 1, floor, 1e9, routing=routing, decode_ceiling="combined")
    reserved, read = (np.array(column) for column in zip(*contexts, strict=True))
    table = at_contexts(
        model_table(models, workload), cache_columns(models), "windowed", reserved, read
    )
    seconds = seconds_table(machines, [{BF16: 1.0}] * len(machines))
    linear_flop, attention_flop = position_flop(models, read)
    compute_s = linear_flop[:, None] * seconds + attention_flop[:, None] * seconds
    rows = machine_table(machines, np.full(len(machines), 1e9))
    found = sweep_tables(rows, table, floor, compute_s)
    for row, machine in enumerate(machines):
        for column, model in enumerate(models):
            own = Workload(
                *contexts[column], floor, 1e9, routing=routing, decode_ceiling="combined"
            )
            alone = decode(Setup(machine, model, own, {BF16: 1.0}, {BF16: 1.0}))
            for name in (
                "memory_batch",
                "best_batch",
                "aggregate_tokens_per_s",
                "per_session_tokens_per_s",
            ):
                shown, wanted = getattr(found, name)[row, column], getattr(alone, name)
                assert shown == wanted or (math.isnan(shown) and wanted is None), name
