import math
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from decode_setups import (
    BF16,
    DEEPSEEK,
    GB,
    GEMMA,
    M5_MAX,
    QWEN,
    SPARK,
    literal_rate,
    setup,
    setups,
    toy,
    with_workload,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ourmodels_gui.engine.capacity import capacity
from ourmodels_gui.engine.curve import curve, limits
from ourmodels_gui.engine.decode import (
    decode,
    last_batch,
    rate_limited_batch,
    simple_ceiling_tokens_per_s,
)
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Draft,
    Experts,
    Machine,
    ModelCosts,
    Speculation,
    TypedCache,
)
from ourmodels_gui.engine.step import (
    Step,
    aggregate_tokens_per_s,
    decode_step,
    per_session_tokens_per_s,
)

RATES = (
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "memory_power_tokens_per_s",
    "large_memory_limit_tokens_per_s",
)


@pytest.mark.parametrize(
    ("machine", "model", "single", "batch", "aggregate", "memory_power"),
    [
        (SPARK, QWEN, 149, 17, 346, 18.2),
        (SPARK, GEMMA, 120, 16, 333, 23.6),
        (SPARK, DEEPSEEK, 84, 7, 155, 13.1),
        (M5_MAX, QWEN, 336, 50, 1008, 40.9),
        (M5_MAX, GEMMA, 271, 66, 1323, 53.1),
        (M5_MAX, DEEPSEEK, 188, 22, 448, 29.5),
    ],
)
def test_the_printed_results(machine, model, single, batch, aggregate, memory_power):  # noqa: PLR0917
    found = decode(setup(machine, model))
    assert found.verdict == "serves"
    assert round(found.single_session_tokens_per_s) == single
    assert found.best_batch == batch
    assert round(found.aggregate_tokens_per_s) == aggregate
    assert round(found.memory_power_tokens_per_s / 1000, 1) == memory_power
    assert found.binding_gate == "floor"


@pytest.mark.parametrize(
    ("model", "batch", "aggregate", "per_session"),
    [
        (QWEN, 32, 397, 12.4),
        (QWEN, 64, 482, 7.5),
        (GEMMA, 32, 434, 13.6),
        (GEMMA, 64, 581, 9.1),
    ],
)
def test_the_printed_forced_concurrency(model, batch, aggregate, per_session):
    found = decode(setup(SPARK, model, batch=batch))
    assert round(found.forced.aggregate_tokens_per_s) == aggregate
    assert round(found.forced.per_session_tokens_per_s, 1) == per_session
    assert found.forced.fits
    assert not found.forced.clears_floor
    del found.kind["forced"]
    assert msgspec.structs.replace(found, forced=None) == decode(setup(SPARK, model))


def test_the_toy_machine_promises_thousands_to_a_hundred_sessions():
    at_4k = decode(toy(4000))
    assert at_4k.memory_batch == 100
    assert at_4k.memory_power_tokens_per_s > 4000
    assert decode(toy(1000)).memory_power_tokens_per_s > 17_000


@settings(max_examples=200, deadline=None)
@given(setups())
def test_the_best_batch_is_the_one_that_trying_every_batch_finds(found):
    said, floor = decode(found), found.workload.floor_tokens_per_s
    batches = range(1, capacity(found).memory_batch + 1)
    rates = [literal_rate(found, batch, found.speculation) for batch in batches]
    kept = [batch for batch, rate in zip(batches, rates, strict=True) if rate >= floor]
    assert kept == list(range(1, len(kept) + 1))
    assert said.best_batch == (kept[-1] if kept else None)
    if kept:
        best = kept[-1] * rates[kept[-1] - 1]
        assert said.aggregate_tokens_per_s == best
        assert said.per_session_tokens_per_s == rates[kept[-1] - 1]
        most = max(batch * rate for batch, rate in zip(kept, rates, strict=False))
        assert best == pytest.approx(most, rel=1e-12)
    if said.memory_batch:
        assert said.single_session_tokens_per_s == rates[0]
        assert said.verdict == ("serves" if kept else "fits, but no batch satisfies the floor")


@settings(max_examples=100, deadline=None)
@given(setups(ceilings=("combined",)))
def test_the_combined_ceiling_keeps_what_trying_every_batch_keeps(found):
    step, said = decode_step(found, found.speculation), decode(found)
    floor = found.workload.floor_tokens_per_s
    kept = [
        batch
        for batch in range(1, capacity(found).memory_batch + 1)
        if min(
            literal_rate(found, batch, found.speculation),
            step.emitted_tokens / (batch * step.compute_s),
        )
        >= floor
    ]
    assert said.best_batch == (kept[-1] if kept else None)


@settings(max_examples=150, deadline=None)
@given(setups(), st.integers(1, 10**6))
def test_a_printed_rate_given_back_as_the_floor_admits_its_batch(found, batch):
    step = decode_step(found, found.speculation)
    rate = per_session_tokens_per_s(step, batch)
    limited = rate_limited_batch(step, rate)
    assert limited is None or limited >= batch
    fitting = capacity(found).memory_batch
    if fitting:
        said = decode(with_workload(found, floor_tokens_per_s=rate))
        assert said.best_batch >= min(batch, fitting)


@settings(max_examples=150, deadline=None)
@given(setups())
def test_the_rate_limited_batch_is_the_last_that_passes_its_test(found):
    step, floor = decode_step(found, found.speculation), found.workload.floor_tokens_per_s
    limited = rate_limited_batch(step, floor)
    rate = step.emitted_tokens * step.bandwidth_bytes_per_s
    least = found.model.always_bytes
    for group in found.model.experts:
        least += group.per_token * group.expert_bytes
    drafted = step.draft.always_bytes
    for group in step.draft.experts:
        drafted += group.per_token * group.expert_bytes
    least += step.draft_tokens * drafted

    def holds(batch):
        return rate / (least + batch * step.private_bytes) >= floor

    if limited is None:
        assert floor == 0 or holds(2**62)
    elif limited == 0:
        assert not holds(1)
    else:
        assert holds(limited)
        assert not holds(limited + 1)
    said = decode(found)
    if said.best_batch is not None:
        assert said.best_batch <= said.usable_batch
        assert said.usable_batch == min(said.memory_batch, math.inf if limited is None else limited)


@settings(max_examples=100, deadline=None)
@given(setups(), st.lists(st.integers(1, 10**9), min_size=2, max_size=20))
def test_the_aggregate_never_falls_and_the_per_session_rate_never_rises(found, batches):
    step, ordered = decode_step(found, found.speculation), np.array(sorted(batches))
    aggregate = aggregate_tokens_per_s(step, ordered)
    assert np.all(np.diff(aggregate) >= -1e-12 * aggregate[1:])
    assert np.all(np.diff(per_session_tokens_per_s(step, ordered)) <= 0)


@settings(max_examples=150, deadline=None)
@given(setups(speculating=False))
def test_the_ordinary_ceilings_are_ordered(found):
    said = decode(found)
    assume(capacity(found).session_bytes > 100)
    if said.memory_batch:
        fitting = said.memory_batch
        simple = simple_ceiling_tokens_per_s(found, fitting)
        chain = [simple, said.memory_power_tokens_per_s, said.large_memory_limit_tokens_per_s]
        if said.best_batch is not None:
            chain.insert(0, said.aggregate_tokens_per_s)
        # the gate counts whole bytes, the rates do not
        slack = 1 + 3 / capacity(found).session_bytes
        assert all(low <= high * slack for low, high in pairwise(chain))


def test_speculation_may_exceed_memory_power_which_is_that_of_ordinary_decode():
    """A few sessions that are hard to hold and cheap to read: rho tokens for each sweep."""
    model = ModelCosts(10 * GB, 10 * GB, TypedCache(10 * GB, 0.001 * GB))
    found = setup(Machine(28 * GB, 100 * GB), model, Speculation(3, 3.5), floor_tokens_per_s=0.0)
    said = decode(found)
    assert said.memory_batch == 1
    assert said.aggregate_tokens_per_s > said.memory_power_tokens_per_s
    plain = decode(msgspec.structs.replace(found, speculation=None))
    assert plain.aggregate_tokens_per_s <= plain.memory_power_tokens_per_s
    assert plain.memory_power_tokens_per_s == said.memory_power_tokens_per_s


@settings(max_examples=60, deadline=None)
@given(setups(speculating=False), st.floats(1.0, 8.0))
def test_more_bandwidth_capacity_or_patience_never_serves_less(found, more):
    before = decode(found)
    machine = found.machine
    for better in (
        msgspec.structs.replace(
            found,
            machine=Machine(machine.capacity_bytes, machine.bandwidth_bytes_per_s * more),
        ),
        msgspec.structs.replace(
            found,
            machine=Machine(machine.capacity_bytes * more, machine.bandwidth_bytes_per_s),
        ),
        with_workload(found, floor_tokens_per_s=found.workload.floor_tokens_per_s / more),
        with_workload(found, read_context_tokens=int(found.workload.read_context_tokens / more)),
    ):
        after = decode(better)
        assert (after.best_batch or 0) >= (before.best_batch or 0)
        if before.best_batch is not None:
            assert after.aggregate_tokens_per_s >= before.aggregate_tokens_per_s * (1 - 1e-12)


def test_a_trillion_sessions_are_answered_exactly():
    """A batch that no scan could reach, against the closed form in whole numbers."""
    model = ModelCosts(1e9, 1e9, TypedCache(1.0, 1.0))
    found = setup(Machine(4e12 + 9e9, 1e14), model, floor_tokens_per_s=50.0)
    said = decode(found)
    assert said.memory_batch == 4 * 10**12
    assert said.best_batch == 2 * 10**12 - 10**9
    mixed = msgspec.structs.replace(
        found, model=ModelCosts(1e9, 1e8, TypedCache(1.0, 1.0), (Experts(512, 1, 1e6),))
    )
    assert decode(mixed).best_batch == 2 * 10**12 - 10**8 - 512 * 10**6


def test_a_prefix_property_is_found_to_the_batch():
    for true in (0, 1, 63, 64, 65, 4095, 4096, 10**12 - 1, 10**12):
        assert last_batch(lambda batch, true=true: batch <= true, 0, 10**12) == true


MODEL_TOO_BIG = setup(Machine(20 * GB, 273 * GB, {BF16: 1e14}), QWEN, batch=2)
NO_SESSION = setup(Machine(26 * GB, 273 * GB), QWEN, batch=2)
NO_BATCH = setup(SPARK, QWEN, floor_tokens_per_s=150.0)


def test_a_model_that_does_not_fit_leaves_only_what_does_not_need_it():
    said = decode(MODEL_TOO_BIG)
    assert said.verdict == "model does not fit"
    assert said.resident_margin_bytes == -5_500_000_000
    assert said.spare_bytes == -6_525_000_000
    assert said.rate_limited_batch == 37
    assert said.memory_power_bytes2_per_s == 20 * GB * 273 * GB
    gone = ("memory_batch", "usable_batch", "best_batch", "crossover_tokens", "forced", *RATES)
    assert all(getattr(said, name) is None for name in gone)


def test_no_session_fits_leaves_the_forced_batch():
    said = decode(NO_SESSION)
    assert said.verdict == "no session fits"
    assert said.memory_batch == 0
    assert said.spare_bytes == 500_000_000 - 1_025_000_000
    gone = ("rate_limited_batch", "usable_batch", "best_batch", *RATES)
    assert all(getattr(said, name) is None for name in gone)
    assert said.forced.fits is False
    assert said.forced.per_session_tokens_per_s > 20
    assert said.forced.clears_floor is True


def test_no_batch_satisfies_the_floor_keeps_the_single_session():
    said = decode(NO_BATCH)
    assert said.verdict == "fits, but no batch satisfies the floor"
    assert said.rate_limited_batch == said.usable_batch == 0
    assert said.best_batch is said.aggregate_tokens_per_s is said.per_session_tokens_per_s is None
    assert said.single_session_tokens_per_s == pytest.approx(149.43, abs=0.01)
    assert said.memory_power_tokens_per_s == pytest.approx(18_200)
    assert said.spare_bytes == 102_500_000_000 - 1_025_000_000
    assert said.binding_gate == ""


def test_without_a_floor_memory_is_the_gate():
    said = decode(setup(SPARK, QWEN, floor_tokens_per_s=0.0))
    assert said.rate_limited_batch is None
    assert said.usable_batch == said.best_batch == said.memory_batch == 100
    assert said.binding_gate == "memory"
    assert said.spare_bytes == 0


@pytest.mark.parametrize(("floor", "limited", "best"), [(100.0, None, 10), (101.0, 0, None)])
def test_without_private_reads_every_batch_is_as_fast_as_one(floor, limited, best):
    model = ModelCosts(1 * GB, 1 * GB, TypedCache(1 * GB, 0.0))
    said = decode(setup(Machine(19 * GB, 100 * GB), model, floor_tokens_per_s=floor))
    assert said.rate_limited_batch == limited
    assert said.best_batch == best


COMPUTING = msgspec.structs.replace(
    QWEN,
    linear_active_parameters=2.5e9,
    head_parameters=0.5e9,
    attention=(AttentionLayer("full", 10, query_width=4096.0),),
)


def test_the_compute_time_of_a_step_is_that_of_its_positions():
    machine = Machine(128 * GB, 273 * GB, {BF16: 1e14, "fp8_fp32acc": 2e14})
    found = msgspec.structs.replace(
        setup(machine, COMPUTING), linear_mode={"fp8_fp32acc": 0.5, BF16: 0.5}
    )
    said = decode(found)
    linear_s = 2 * 3e9 * (0.5 / 2e14 + 0.5 / 1e14)
    attention_s = 10 * 4 * 4096 * 32_001 / 1e14
    assert said.compute_time_s == pytest.approx(17 * (linear_s + attention_s))
    assert said.memory_time_s == pytest.approx(1 / said.per_session_tokens_per_s)


def slow(rate):
    return setup(Machine(128 * GB, 273 * GB, {BF16: rate}), COMPUTING)


def test_arithmetic_slower_than_memory_is_a_caution_and_changes_no_figure():
    said, fast = decode(slow(1e12)), decode(slow(1e15))
    assert said.compute_time_s > said.memory_time_s
    assert any("compute must be added" in caution for caution in said.cautions)
    assert fast.cautions == ()
    assert said.aggregate_tokens_per_s == fast.aggregate_tokens_per_s


def test_the_combined_ceiling_takes_the_longer_time():
    said = decode(with_workload(slow(1e12), decode_ceiling="combined"))
    assert said.best_batch < 17
    assert said.per_session_tokens_per_s == pytest.approx(1 / said.compute_time_s)
    same = decode(with_workload(slow(1e15), decode_ceiling="combined"))
    assert same.aggregate_tokens_per_s == decode(slow(1e15)).aggregate_tokens_per_s


@pytest.mark.parametrize(
    ("model", "modes", "missing"),
    [
        (COMPUTING, {"fp4_fp32acc": 1.0}, "fp4_fp32acc"),
        (QWEN, {BF16: 1.0}, "linear parameters"),
        (msgspec.structs.replace(COMPUTING, attention=None), {BF16: 1.0}, "attention layers"),
    ],
)
def test_the_combined_ceiling_without_a_rate_is_memory_and_names_what_is_missing(
    model, modes, missing
):
    machine = Machine(128 * GB, 273 * GB, {BF16: 1e12})
    found = msgspec.structs.replace(
        setup(machine, model, decode_ceiling="combined"), linear_mode=modes
    )
    said = decode(found)
    assert said.compute_time_s is None
    assert said.aggregate_tokens_per_s == decode(setup(SPARK, QWEN)).aggregate_tokens_per_s
    assert any(missing in caution for caution in said.cautions)


def test_sessions_that_read_next_to_nothing_are_cautioned():
    recurrent = ModelCosts(10 * GB, 10 * GB, (CacheLayer("state", 32, state_bytes=1e6),))
    (caution,) = decode(setup(SPARK, recurrent)).cautions
    assert "almost nothing grows with the batch" in caution
    assert decode(setup(SPARK, QWEN)).cautions == ()


@pytest.mark.parametrize(("sessions", "cautions"), [(63, 0), (64, 1)])
def test_many_sessions_are_sixty_four(sessions, cautions):
    recurrent = ModelCosts(10 * GB, 10 * GB, (CacheLayer("state", 32, state_bytes=1e6),))
    machine = Machine(18 * GB + sessions * 32e6, 273 * GB)
    said = decode(setup(machine, recurrent, floor_tokens_per_s=0.0))
    assert said.best_batch == sessions
    assert len(said.cautions) == cautions


def test_a_draft_with_experts_makes_estimates_only_where_it_drafts():
    plain = msgspec.structs.replace(QWEN, experts=(), always_bytes=17 * GB)
    draft = Draft(1 * GB, 0.1 * GB, (Experts(8, 2, 0.1 * GB),))
    drafted = decode(setup(SPARK, plain, Speculation(2, 1.5, draft)))
    assert drafted.kind["aggregate_tokens_per_s"] == "estimate"
    dense = decode(setup(SPARK, plain, Speculation(2, 1.5, Draft(1 * GB, 0.1 * GB))))
    assert dense.kind["aggregate_tokens_per_s"] == "bound"


def test_expected_routing_makes_estimates_of_what_a_batch_sweeps():
    said = decode(setup(SPARK, QWEN))
    estimates = {name for name, kind in said.kind.items() if kind == "estimate"}
    assert {"aggregate_tokens_per_s", "per_session_tokens_per_s", "best_batch"} <= estimates
    bounds = {name for name, kind in said.kind.items() if kind == "bound"}
    assert {
        "single_session_tokens_per_s",
        "memory_power_tokens_per_s",
        "large_memory_limit_tokens_per_s",
        "rate_limited_batch",
        "memory_batch",
    } <= bounds
    assert len(said.kind_reasons) == 1


@pytest.mark.parametrize(
    ("model", "batch", "draft_tokens", "kind"),
    [
        (QWEN, 1, 0, "bound"),
        (QWEN, 2, 0, "estimate"),
        (QWEN, 1, 1, "estimate"),
        (QWEN, 1, 2, "estimate"),
        (msgspec.structs.replace(QWEN, experts=()), 2, 0, "bound"),
    ],
)
def test_a_forced_batch_is_an_estimate_where_it_routes_several_positions(
    model, batch, draft_tokens, kind
):
    speculation = Speculation(draft_tokens, 1.5) if draft_tokens else None
    assert decode(setup(SPARK, model, speculation, batch=batch)).kind["forced"] == kind


def test_weights_that_just_fit_leave_no_session_rather_than_not_fitting():
    for spare, verdict in ((0.0, "no session fits"), (-1.0, "model does not fit")):
        assert decode(setup(Machine(25.5 * GB + spare, 273 * GB), QWEN)).verdict == verdict


@pytest.mark.parametrize(("sessions", "kind"), [(1, "bound"), (2, "estimate")])
def test_one_usable_session_routes_one_position(sessions, kind):
    machine = Machine((8 + 17.5 + 1.025 * sessions) * GB + 1.0, 273 * GB)
    said = decode(setup(machine, QWEN))
    assert said.usable_batch == sessions
    assert said.kind["aggregate_tokens_per_s"] == kind


@pytest.mark.parametrize(
    ("measured", "ceiling", "crossover", "aggregate"),
    [
        (set(), "combined", "bound", "bound"),
        ({"bandwidth"}, "memory", "estimate", "estimate"),
        ({"linear"}, "memory", "estimate", "bound"),
        ({"linear"}, "combined", "estimate", "estimate"),
        ({"attention"}, "memory", "bound", "bound"),
        ({"attention"}, "combined", "bound", "estimate"),
        ({"other"}, "combined", "bound", "bound"),
    ],
)
def test_what_a_measured_rate_makes_an_estimate(measured, ceiling, crossover, aggregate):
    machine = Machine(
        128 * GB, 800 * GB, {"linear": 1e14, "attention": 1e14}, measured=frozenset(measured)
    )
    model = msgspec.structs.replace(
        QWEN, experts=(), linear_active_parameters=3e9, attention=(), always_bytes=17 * GB
    )
    found = msgspec.structs.replace(
        setup(machine, model, decode_ceiling=ceiling, batch=1),
        linear_mode={"linear": 1.0},
        attention_mode={"attention": 1.0},
    )
    said = decode(found)
    assert said.kind["crossover_tokens"] == crossover
    assert said.kind["aggregate_tokens_per_s"] == said.kind["forced"] == aggregate
    told = crossover == "estimate" or aggregate == "estimate"
    assert len(said.kind_reasons) == told
    rated = "bandwidth" if "bandwidth" in measured else "compute rate"
    assert not told or rated in said.kind_reasons[0]


def test_the_rate_limited_batch_may_be_one_session_or_none():
    """1000 B/s over 10 shared and 7 private bytes: 58.8 steps for one session, 41.7 for two."""
    step = Step(1000.0, 10.0, (), "floor", private_bytes=7.0)
    assert [rate_limited_batch(step, floor) for floor in (41.0, 42.0, 58.0, 59.0)] == [2, 1, 1, 0]


def test_the_rate_limited_batch_charges_the_draft_s_experts_for_one_session():
    """W_active 10, a draft that sweeps 1 + 2 experts of 1 twice: (100 - 10 - 6) / 7 = 12."""
    draft = Draft(always_bytes=1.0, experts=(Experts(8, 2, 1.0),))
    step = Step(1000.0, 10.0, (), "expected", private_bytes=7.0, draft_tokens=2, draft=draft)
    assert not step.combined
    assert rate_limited_batch(step, 10.0) == 12
    assert rate_limited_batch(msgspec.structs.replace(step, private_bytes=7.01), 10.0) == 11


def test_a_dense_model_or_floor_routing_gives_bounds_alone():
    for found in (toy(), setup(SPARK, QWEN, routing="floor")):
        said = decode(found)
        assert set(said.kind.values()) == {"bound"}
        assert said.kind_reasons == ()


def test_floor_routing_gives_the_higher_ceiling():
    expected, floor = (decode(setup(SPARK, QWEN, routing=way)) for way in ("expected", "floor"))
    assert floor.best_batch == floor.rate_limited_batch == 37
    assert floor.aggregate_tokens_per_s > expected.aggregate_tokens_per_s
    assert floor.single_session_tokens_per_s == expected.single_session_tokens_per_s


def test_a_measured_bandwidth_makes_estimates_of_every_rate():
    machine = Machine(128 * GB, 273 * GB, measured=frozenset({"bandwidth"}))
    said = decode(setup(machine, toy().model))
    assert {said.kind[name] for name in RATES} == {"estimate"}
    assert said.kind["memory_batch"] == "bound"
    assert "Measured bandwidth" in said.kind_reasons[0]


def test_a_measured_compute_rate_matters_where_it_is_charged():
    machine = Machine(128 * GB, 273 * GB, {BF16: 1e14}, frozenset({BF16}))
    model = msgspec.structs.replace(COMPUTING, experts=())
    memory = decode(setup(machine, model))
    combined = decode(setup(machine, model, decode_ceiling="combined"))
    assert memory.kind["aggregate_tokens_per_s"] == "bound"
    assert combined.kind["aggregate_tokens_per_s"] == "estimate"
    assert combined.kind["memory_power_tokens_per_s"] == "bound"


def test_the_crossover_of_a_dense_model_is_half_its_width_times_the_rates():
    model = ModelCosts(18 * GB, 16 * GB, TypedCache(1.0, 1.0), linear_active_parameters=32e9)
    said = decode(setup(Machine(128 * GB, 800 * GB, {BF16: 100e12}), model))
    assert said.crossover_tokens == pytest.approx(31.25)


def test_the_crossover_stays_where_no_session_fits():
    machine = Machine(26 * GB, 273 * GB, {BF16: 1e14})
    said = decode(setup(machine, COMPUTING))
    assert said.verdict == "no session fits"
    assert said.crossover_tokens > 1


@settings(max_examples=60, deadline=None)
@given(setups(ceilings=("memory", "combined")), st.lists(st.integers(1, 10**7), min_size=1))
def test_a_curve_is_its_points_bit_for_bit(found, batches):
    drawn, step = curve(found, np.array(batches)), decode_step(found, found.speculation)
    for place, batch in enumerate(batches):
        assert drawn.per_session_tokens_per_s[place] == per_session_tokens_per_s(step, batch)
        assert drawn.aggregate_tokens_per_s[place] == aggregate_tokens_per_s(step, batch)
    said = decode(found)
    if said.best_batch is not None:
        best = curve(found, np.array([said.best_batch]))
        assert best.aggregate_tokens_per_s[0] == said.aggregate_tokens_per_s
        assert best.memory_time_s[0] == said.memory_time_s
        assert best.compute_time_s[0] == said.compute_time_s


def test_each_batch_is_told_its_limit():
    found = with_workload(slow(3e13), decode_ceiling="combined", floor_tokens_per_s=10.0)
    said = decode(found)
    batches = np.arange(1, 121)
    told = list(limits(found, batches))
    assert told[: said.best_batch].count("capacity") == told[: said.best_batch].count("floor") == 0
    assert told[said.best_batch] == "floor"
    assert set(told[100:]) == {"capacity"}
    assert told[0] == "memory"
    memory = limits(with_workload(found, decode_ceiling="memory"), batches)
    assert "compute" not in memory


def test_arithmetic_is_told_as_the_limit_where_it_is():
    found = with_workload(slow(1e12), decode_ceiling="combined", floor_tokens_per_s=0.0)
    told = list(limits(found, np.array([1, 100, 101])))
    drawn = curve(found, np.array([1, 100]))
    assert drawn.compute_time_s[1] > drawn.memory_time_s[1]
    assert told == ["compute", "compute", "capacity"]


@pytest.mark.parametrize("bandwidth", [2.0**61 - 1e5, 3e18, 1.7e17])
def test_the_last_batch_is_found_where_single_batches_are_lost_in_rounding(bandwidth):
    """Floats are a few hundred apart there, and each stands for the batches around it."""
    last = rate_limited_batch(Step(bandwidth, 1.0, (), "floor", 1.0), 1.0)
    assert bandwidth / (1.0 + last) >= 1.0 > bandwidth / (1.0 + (last + 1))
