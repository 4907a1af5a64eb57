import math
import random

import msgspec
import numpy as np
import pytest
from decode_setups import (
    DEEPSEEK,
    GB,
    GEMMA,
    M5_MAX,
    QWEN,
    SPARK,
    caches,
    experts,
    setup,
    within_limit,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine import sweep as swept_by
from ourmodels_gui.engine.decode import decode
from ourmodels_gui.engine.floor_test import largest_step_bytes, line_batch
from ourmodels_gui.engine.setup import Experts, Machine, ModelCosts, Setup, TypedCache, Workload
from ourmodels_gui.engine.step import decode_step, per_session_tokens_per_s
from ourmodels_gui.engine.sweep import VERDICTS, sweep, sweep_tables
from ourmodels_gui.engine.tables import machine_table, model_table, some_of

FIGURES = (
    "resident_margin_bytes",
    "memory_batch",
    "rate_limited_batch",
    "best_batch",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "memory_power_tokens_per_s",
)
WORKLOAD = setup(SPARK, QWEN).workload


def alone(machine, model, workload, overhead=None):
    """The same pair through `decode`, its contexts within the model's limit."""
    kept = within_limit(workload, model)
    if overhead is not None:
        kept = msgspec.structs.replace(kept, overhead_bytes=overhead)
    return decode(Setup(machine, model, kept, {}, {}))


def assert_same(found, machines, models, workload, overheads=None):
    columns = {name: getattr(found, name) for name in FIGURES}
    verdicts = found.verdict
    for i, machine in enumerate(machines):
        for j, model in enumerate(models):
            said = alone(machine, model, workload, None if overheads is None else overheads[i])
            assert VERDICTS[verdicts[i, j]] == said.verdict
            for name, column in columns.items():
                wanted, given_ = getattr(said, name), column[i, j]
                assert given_ == wanted or (wanted is None and math.isnan(given_)), name


def test_the_printed_results_come_out_of_one_sweep():
    found = sweep([SPARK, M5_MAX], [QWEN, GEMMA, DEEPSEEK], WORKLOAD)
    assert found.best_batch.tolist() == [[17, 16, 7], [50, 66, 22]]
    assert np.round(found.aggregate_tokens_per_s).tolist() == [[346, 333, 155], [1008, 1323, 448]]
    assert np.round(found.single_session_tokens_per_s).tolist() == [[149, 120, 84], [336, 271, 188]]
    power = np.round(found.memory_power_tokens_per_s / 1000, 1)
    assert power.tolist() == [[18.2, 23.6, 13.1], [40.9, 53.1, 29.5]]
    assert (found.verdict == VERDICTS.index("serves")).all()


@st.composite
def model_lists(draw):
    models = []
    for _ in range(draw(st.integers(1, 6))):
        always, sets = draw(st.floats(1e6, 1e11)), draw(experts())
        full = always + sum(group.routed * group.expert_bytes for group in sets)
        limit = draw(st.one_of(st.none(), st.integers(1, 400)))
        models.append(
            ModelCosts(full * 1.05, always, draw(caches()), sets, max_context_tokens=limit)
        )
    return [models[place] for place in draw(st.permutations(list(range(len(models))) * 2))]


@st.composite
def workloads(draw):
    reserved = draw(st.integers(1, 500))
    return Workload(
        reserved,
        draw(st.integers(0, reserved)),
        draw(st.one_of(st.just(0.0), st.floats(1e-3, 1e4))),
        draw(st.floats(0, 1e9)),
        draw(st.sampled_from(["windowed", "full"])),
        draw(st.sampled_from(["expected", "floor"])),
    )


MACHINES = st.lists(
    st.builds(Machine, st.floats(1e8, 1e13), st.floats(1e9, 1e14)), min_size=1, max_size=5
)


@settings(max_examples=120, deadline=None)
@given(MACHINES, model_lists(), workloads())
def test_a_sweep_is_decode_of_every_pair_value_for_value(machines, models, workload):
    assert_same(sweep(machines, models, workload), machines, models, workload)


@settings(max_examples=80, deadline=None)
@given(MACHINES, model_lists(), workloads(), st.integers(1, 3000))
def test_a_floor_that_a_batch_just_reaches_is_decided_alike(machines, models, workload, batch):
    found = Setup(machines[0], models[0], workload, {}, {})
    rate = per_session_tokens_per_s(decode_step(found, None), batch)
    exact = msgspec.structs.replace(workload, floor_tokens_per_s=rate)
    assert_same(sweep(machines, models, exact), machines, models, exact)


def test_the_sweep_agrees_with_trying_every_batch():
    """Neither road of the engine: every fitting batch of every pair, in one array each."""
    draw = random.Random(7)
    machines = [Machine(draw.uniform(16, 512) * GB, draw.uniform(50, 4000) * GB) for _ in range(12)]
    models = [
        ModelCosts(
            12 * GB,
            draw.uniform(0.1, 12) * GB,
            TypedCache(draw.uniform(1e6, 1e9), draw.uniform(0, 1e6)),
            draw.choice([(), (Experts(256, 8, 4e7),), (Experts(64, 6, 1e8), Experts(8, 2, 1e8))]),
        )
        for _ in range(12)
    ]
    found = sweep(machines, models, WORKLOAD)
    for i, machine in enumerate(machines):
        for j, model in enumerate(models):
            fitting = int(np.nan_to_num(found.memory_batch[i, j]))
            step = decode_step(Setup(machine, model, WORKLOAD, {}, {}), None)
            rates = per_session_tokens_per_s(step, np.arange(1, fitting + 1))
            kept = np.flatnonzero(rates >= WORKLOAD.floor_tokens_per_s)
            assert np.nan_to_num(found.best_batch[i, j]) == (kept[-1] + 1 if kept.size else 0)


def test_models_are_swept_alike_in_blocks_of_any_size(monkeypatch):
    models = [QWEN, GEMMA, DEEPSEEK, msgspec.structs.replace(QWEN, experts=())] * 2
    whole = sweep([SPARK, M5_MAX], models, WORKLOAD)
    monkeypatch.setattr(swept_by, "BLOCK", 5)
    pieces = sweep([SPARK, M5_MAX], models, WORKLOAD)
    for name in FIGURES:
        np.testing.assert_array_equal(getattr(pieces, name), getattr(whole, name))


@pytest.mark.parametrize("rows", [slice(0, 2), slice(1, 4), slice(3, 5), slice(2, 2)])
def test_a_run_of_models_is_swept_as_among_all(rows):
    models = [GEMMA, QWEN, DEEPSEEK, GEMMA, QWEN]
    whole = model_table(models, WORKLOAD)
    some = some_of(whole, rows)
    assert [one.rows.tolist() for one in some.mixtures] == [
        [row - rows.start for row in one.rows if rows.start <= row < rows.stop]
        for one in whole.mixtures
        if any(rows.start <= row < rows.stop for row in one.rows)
    ]
    machines = machine_table([M5_MAX, SPARK], np.zeros(2))
    every, found = sweep_tables(machines, whole, 20.0), sweep_tables(machines, some, 20.0)
    for name in ("memory_batch", "best_batch", "aggregate_tokens_per_s"):
        np.testing.assert_array_equal(getattr(found, name), getattr(every, name)[:, rows])


def test_a_machine_that_seats_a_single_session_has_its_figures():
    model = ModelCosts(10 * GB, 10 * GB, TypedCache(3 * GB, 1 * GB))
    machines = [Machine(size * GB, 100 * GB) for size in (12.9, 13.0, 15.9)]
    asked = msgspec.structs.replace(WORKLOAD, floor_tokens_per_s=1.0, overhead_bytes=0.0)
    found = sweep(machines, [model], asked)
    assert found.memory_batch.ravel().tolist() == [0.0, 1.0, 1.0]
    assert found.single_session_tokens_per_s[1:].ravel() == pytest.approx([100 / 11] * 2)
    assert np.isnan(found.single_session_tokens_per_s[0])
    assert found.memory_power_tokens_per_s[1, 0] == pytest.approx(100 * 3 / (3 * 10))
    slow = sweep(machines, [model], msgspec.structs.replace(asked, floor_tokens_per_s=1e3))
    said = [VERDICTS[code] for code in slow.verdict.ravel()]
    assert said == ["no session fits", *["fits, but no batch satisfies the floor"] * 2]


def test_arithmetic_limits_a_single_session_as_well():
    """13 GB hold 10 of weights and one session: 9.1 tokens/s of memory, 2 of arithmetic."""
    model = ModelCosts(10 * GB, 10 * GB, TypedCache(3 * GB, 1 * GB))
    asked = msgspec.structs.replace(WORKLOAD, floor_tokens_per_s=1.0)
    rows = machine_table([Machine(size * GB, 100 * GB) for size in (13, 16)], np.zeros(2))
    found = sweep_tables(rows, model_table([model], asked), 1.0, np.full((1, 2), 0.5))
    assert found.best_batch.ravel().tolist() == [1.0, 2.0]
    assert found.per_session_tokens_per_s.ravel().tolist() == [2.0, 1.0]


def test_each_machine_has_its_own_overhead():
    machines, overheads = [SPARK, M5_MAX, SPARK], np.array([8 * GB, 1 * GB, 105 * GB])
    found = sweep(machines, [QWEN, DEEPSEEK], WORKLOAD, overheads)
    assert_same(found, machines, [QWEN, DEEPSEEK], WORKLOAD, overheads)
    assert VERDICTS[found.verdict[2, 1]] == "model does not fit"


def test_contexts_stay_within_each_models_limit():
    short = msgspec.structs.replace(QWEN, max_context_tokens=8192)
    found = sweep([SPARK], [QWEN, short], WORKLOAD)
    assert found.models.reserved_context_tokens.tolist() == [100_000, 8192]
    assert found.models.read_context_tokens.tolist() == [32_000, 8192]


def test_a_forced_batch_and_the_combined_ceiling_play_no_part():
    asked = msgspec.structs.replace(WORKLOAD, batch=3, decode_ceiling="combined")
    plain, found = (sweep([SPARK], [QWEN], asked_) for asked_ in (WORKLOAD, asked))
    assert found.aggregate_tokens_per_s == plain.aggregate_tokens_per_s


def test_tables_serve_several_floors():
    machines = machine_table([SPARK, M5_MAX], np.full(2, 8 * GB))
    models = model_table([QWEN, GEMMA], WORKLOAD)
    for floor in (0.0, 5.0, 20.0, 200.0):
        asked = msgspec.structs.replace(WORKLOAD, floor_tokens_per_s=floor)
        found = sweep_tables(machines, models, floor)
        assert_same(found, [SPARK, M5_MAX], [QWEN, GEMMA], asked)


def test_tables_are_as_long_as_the_whole_bytes_of_a_cache_allow():
    """A cache of 1.4 bytes counts as one: more sessions fit than the quotient says."""
    model = ModelCosts(0.0, 1.0, TypedCache(1.4, 0.001), (Experts(512, 1, 1.0),))
    asked = msgspec.structs.replace(WORKLOAD, floor_tokens_per_s=1.0, overhead_bytes=0.0)
    machines = [Machine(1000.0, 1e9), Machine(1000.0, 440.0)]
    found = sweep(machines, [model], asked)
    assert found.best_batch[0, 0] == 1000
    assert_same(found, machines, [model], asked)


@pytest.mark.parametrize(("machines", "models"), [([], [QWEN]), ([SPARK], []), ([], [])])
def test_nothing_to_sweep_is_an_empty_answer(machines, models):
    found = sweep(machines, models, WORKLOAD)
    shape = (len(machines), len(models))
    assert all(getattr(found, name).shape == shape for name in (*FIGURES, "verdict"))


def test_a_model_without_a_cache_is_no_decoder():
    with pytest.raises(ValueError, match="K_alloc"):
        sweep([SPARK], [QWEN, ModelCosts(1.0, 1.0, TypedCache(0.0, 0.0))], WORKLOAD)


@settings(max_examples=200)
@given(st.floats(1e6, 1e15), st.floats(1e-6, 1e6))
def test_the_largest_step_is_the_floor_test_itself(bandwidth, floor):
    (most,) = largest_step_bytes(np.array([bandwidth]), floor)
    assert bandwidth / most >= floor
    assert bandwidth / np.nextafter(most, np.inf) < floor


@settings(max_examples=200)
@given(
    st.floats(1.0, 1e15),
    st.floats(0.0, 1e12),
    st.one_of(st.just(0.0), st.floats(1e-6, 1e9), st.integers(1, 10**9).map(float)),
)
def test_the_line_ends_at_its_last_batch(most, swept, private):
    batch = line_batch(np.array([most]), np.array([[swept]]), np.array([[private]]))[0, 0]
    if math.isinf(batch):
        assert swept + 2**62 * private <= most
    else:
        assert swept + (batch + 1) * private > most or batch >= 2**53
        assert batch == 0 or swept + batch * private <= most
