"""Prefill at many pairs at once, held value for value to `prefill` of each pair."""

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine import prefill_pairs as worked_by
from ourmodels_gui.engine.arithmetic_tables import seconds_table
from ourmodels_gui.engine.prefill import prefill
from ourmodels_gui.engine.prefill_pairs import prefill_pairs, prompt_table
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Experts,
    Machine,
    ModelCosts,
    Prompt,
    Setup,
    TypedCache,
    Workload,
)
from ourmodels_gui.engine.tables import machine_table

BF16, FP4 = "bf16_fp32acc", "fp4_fp32acc"
DENSE = ModelCosts(
    1e9,
    1e9,
    (CacheLayer("full", 1, 10.0, 10.0),),
    cache_write_bytes_per_token=10.0,
    linear_active_parameters=1e9,
    attention=(),
)
LAYERS = (
    CacheLayer("full", 4, 2048.0, 1024.0),
    CacheLayer("window", 8, 2048.0, 2048.0, window_tokens=512),
    CacheLayer("sparse", 4, 1152.0, 1152.0, selected_tokens=300, index_bytes_per_token=132.0),
    CacheLayer("state", 2, state_bytes=4e6),
)
ROUTINGS = (None, (8, 2), (64, 6), (256, 8))


@st.composite
def models(draw):
    weights = draw(st.integers(1, 80)) * 1e9
    routing = draw(st.sampled_from(ROUTINGS))
    cache = draw(
        st.one_of(
            st.lists(st.sampled_from(LAYERS), min_size=1, max_size=3).map(tuple),
            st.just(TypedCache(1e8, 1e7)),
        )
    )
    return ModelCosts(
        resident_bytes=weights,
        always_bytes=weights if routing is None else 0.1 * weights,
        cache=cache,
        experts=() if routing is None else (Experts(*routing, 0.9 * weights / routing[0]),),
        cache_write_bytes_per_token=draw(st.sampled_from([None, 5e4])),
        linear_active_parameters=draw(st.sampled_from([None, 3e9, 3e10])),
        attention=draw(
            st.sampled_from(
                [
                    None,
                    (
                        AttentionLayer("full", 4, query_width=4096.0),
                        AttentionLayer("window", 8, query_width=4096.0, window_tokens=512),
                    ),
                ]
            )
        ),
        prefill_sweep_bytes=draw(st.sampled_from([None, 0.95 * weights])),
    )


machines = st.builds(
    Machine,
    st.integers(4, 400).map(lambda size: size * 1e9),
    st.integers(50, 4000).map(lambda rate: rate * 1e9),
    st.sampled_from([{BF16: 1e14}, {BF16: 5e12}, {BF16: 1e15, FP4: 4e15}, {}]),
)
prompts = st.builds(
    Prompt,
    prompt_tokens=st.sampled_from([1, 100, 2048, 9000]),
    cached_prefix_tokens=st.sampled_from([0, 700]),
    chunk_tokens=st.sampled_from([None, 64, 512, 2048, 5000]),
    ttft_budget_s=st.sampled_from([None, 0.01, 0.5, 20.0]),
    cache_growth=st.sampled_from(["reserved", "on_demand"]),
    batch=st.sampled_from([None, 1, 4, 100]),
)


@given(
    st.lists(machines, min_size=1, max_size=3),
    st.lists(models(), min_size=1, max_size=4),
    prompts,
    st.sampled_from(["expected", "floor"]),
    st.sampled_from([BF16, FP4]),
)
@settings(max_examples=120, deadline=None)
def test_every_pair_is_what_prefill_says(rows, columns, prompt, routing, linear):
    assert_all_same(rows, columns, prompt, routing, linear)


def assert_all_same(rows, columns, prompt, routing, linear):
    workload = Workload(9000, 4000, 20.0, 1e9, routing=routing)
    linear_mode, attention_mode = {linear: 1.0}, {BF16: 0.5, linear: 0.5}
    if linear == BF16:
        attention_mode = {BF16: 1.0}
    machine, model = (part.ravel() for part in np.indices((len(rows), len(columns))))
    found = prefill_pairs(
        machine_table(rows, np.full(len(rows), 1e9)),
        prompt_table(columns, workload, prompt, [9000] * len(columns)),
        (
            seconds_table(rows, [linear_mode] * len(rows)),
            seconds_table(rows, [attention_mode] * len(rows)),
        ),
        machine,
        model,
    )
    for pair in range(machine.size):
        setup = Setup(
            rows[machine[pair]],
            columns[model[pair]],
            workload,
            linear_mode,
            attention_mode,
            prompt=prompt,
        )
        alone = prefill(setup)
        single = alone.single_prompt
        same(found.tokens_per_s[pair], alone.tokens_per_s)
        same(found.time_s[pair], alone.time_s)
        same(found.batch[pair], None if alone.tokens_per_s is None else alone.batch)
        same(found.single_time_s[pair], single and single.time_s)
        same(found.single_tokens_per_s[pair], single and single.tokens_per_s)


@pytest.mark.parametrize("linear", [BF16, FP4])
@pytest.mark.parametrize("prefix", [0, 700])
def test_long_and_short_prompts_of_every_kind_of_model_are_what_prefill_says(linear, prefix):
    """Weights, attention and caches of every kind, whole and in chunks, where either side binds."""
    rows = [Machine(4e11, rate, {BF16: 1e14, FP4: 4e14}) for rate in (1e11, 4e12)]
    attention = (
        AttentionLayer("full", 4, query_width=65_536.0),
        AttentionLayer("window", 8, query_width=65_536.0, window_tokens=512),
    )
    dense = msgspec.structs.replace(
        DENSE, cache=LAYERS, attention=attention, cache_write_bytes_per_token=5e6
    )
    columns = [
        dense,
        msgspec.structs.replace(dense, experts=(Experts(64, 6, 2e8),)),
        msgspec.structs.replace(dense, experts=(Experts(8, 2, 5e8), Experts(64, 6, 2e8))),
        msgspec.structs.replace(dense, prefill_sweep_bytes=9e8, cache=TypedCache(1e8, 1e7)),
        msgspec.structs.replace(dense, attention=None),
        msgspec.structs.replace(dense, linear_active_parameters=None),
    ]
    for tokens in (1, 2048, 8000):
        for chunk, budget, batch in ((None, None, None), (512, 20.0, None), (5000, 1.0, 4)):
            prompt = Prompt(
                tokens,
                prefix,
                chunk_tokens=chunk,
                ttft_budget_s=budget,
                cache_growth="reserved" if batch else "on_demand",
                batch=batch,
            )
            assert_all_same(rows, columns, prompt, "expected", linear)


def same(shown, wanted):
    """Equal to the last bit, NaN for None."""
    assert shown == wanted or (math.isnan(shown) and wanted is None), (shown, wanted)


@pytest.mark.parametrize(("growth", "prompts"), [("reserved", 2), ("on_demand", 20)])
def test_prompts_that_grow_on_demand_hold_what_they_fill(growth, prompts):
    """20 GB beside the weights: 10 GB for a reservation of 9000, 1 GB for a prompt behind 100.

    Slow arithmetic would rather have many of them: 10 GB of weights take 10 ms, a prompt 0.1 ms.
    """
    model = ModelCosts(
        10e9,
        10e9,
        (CacheLayer("full", 1, 1e10 / 9000, 1e10 / 9000),),
        cache_write_bytes_per_token=1.0,
        linear_active_parameters=1e5,
        attention=(),
    )
    workload = Workload(9000, 4000, 20.0, 0.0)
    place, seconds = np.array([0], dtype=np.intp), np.array([1e-12])
    for forced, batch in ((None, prompts), (prompts, prompts), (prompts + 1, np.nan)):
        prompt = Prompt(800, 100, cache_growth=growth, batch=forced)
        found = prefill_pairs(
            machine_table([Machine(31e9, 1e12)], np.full(1, 1e9)),
            prompt_table([model], workload, prompt, [9000]),
            (seconds, seconds),
            place,
            place,
        )
        np.testing.assert_array_equal(found.batch, [batch])
    rows = machine_table([Machine((10 + room) * 1e9, 1e12) for room in (0.9, 1, 9.9, 10)], 0.0)
    table = prompt_table([model], workload, Prompt(800, 100, cache_growth=growth), [9000])
    alone = prefill_pairs(rows, table, (np.full(4, 1e-12),) * 2, np.arange(4), np.zeros(4, int))
    single = [np.nan, np.nan, np.nan, 1] if growth == "reserved" else [np.nan, 1, 9, 10]
    np.testing.assert_array_equal(alone.batch, single)


def test_a_typed_cache_is_known_for_one_chunk_and_none_counts_as_a_byte():
    typed = ModelCosts(
        1e9,
        1e9,
        TypedCache(1e6, 1e6),
        cache_write_bytes_per_token=1.0,
        linear_active_parameters=1e6,
        attention=(),
    )
    bare = msgspec.structs.replace(typed, cache=())
    workload, place = Workload(9000, 4000, 20.0, 0.0), np.array([0], dtype=np.intp)
    rows, seconds = machine_table([Machine(1e9 + 7, 1e12)], np.zeros(1)), np.array([1e-12])
    roomy = machine_table([Machine(2e9, 1e12)], np.zeros(1))

    def known(machines, model, **asked):
        table = prompt_table([model], workload, Prompt(512, **asked), [9000])
        found = prefill_pairs(machines, table, (seconds, seconds), place, place)
        return bool(np.isfinite(found.time_s[0]))

    assert known(roomy, typed, chunk_tokens=512) and not known(roomy, typed, chunk_tokens=511)
    assert known(rows, bare, batch=7) and not known(rows, bare, batch=8)


def test_models_that_share_a_routing_are_worked_on_in_blocks_of_any_size(monkeypatch):
    sparse = msgspec.structs.replace(DENSE, experts=(Experts(8, 2, 1e8),))
    columns = [DENSE, sparse, DENSE, sparse, DENSE]
    machine, model = (part.ravel() for part in np.indices((3, 5)))
    rows = [Machine(1e10, rate) for rate in (1e11, 1e12, 1e13)]
    seconds = np.full(3, 1e-14)
    table = prompt_table(columns, Workload(9000, 4000, 20.0, 0.0), Prompt(1000), [9000] * 5)

    def found():
        return prefill_pairs(
            machine_table(rows, np.zeros(3)), table, (seconds, seconds), machine, model
        )

    whole = found()
    monkeypatch.setattr(worked_by, "BLOCK", 4)
    assert np.isfinite(whole.time_s).all()
    for name in whole.__struct_fields__:
        np.testing.assert_array_equal(getattr(found(), name), getattr(whole, name))


def test_a_table_of_no_pairs_is_empty():
    workload, prompt = Workload(9000, 4000, 20.0, 1e9), Prompt(100)
    none = np.array([], dtype=np.intp)
    table = prompt_table([ModelCosts(1.0, 1.0, ())], workload, prompt, [9000])
    seconds = np.array([1e-12])
    rows = machine_table([Machine(1e9, 1e9)], np.zeros(1))
    assert prefill_pairs(rows, table, (seconds, seconds), none, none).time_s.size == 0


@pytest.mark.parametrize("tokens", [9001, 20_000])
def test_a_prompt_beyond_the_reservation_has_no_figures(tokens):
    workload = Workload(9000, 4000, 20.0, 1e9)
    place = np.array([0], dtype=np.intp)
    rows = machine_table([Machine(1e11, 1e12)], np.zeros(1))
    seconds = np.array([1e-12])
    for length, there in ((tokens, False), (9000, True)):
        table = prompt_table([DENSE], workload, Prompt(length), [9000])
        found = prefill_pairs(rows, table, (seconds, seconds), place, place)
        assert np.isfinite(found.time_s[0]) == there
