"""What is said of a composition: the gate that binds, kinds, cautions, the way in use."""

import random

import msgspec
import numpy as np
import pytest
from composition_setups import FAST, SHAPE, SLOW, composed, dense, many_pools, mixed_pools, sparse
from decode_setups import BF16, GB
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from prefill_setups import laguna, random_setup
from prompt_compositions import composed as prompts_over
from prompt_compositions import part_of, split

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.placement.prefill import prompts_under
from ourmodels_gui.engine.prefill import prefill_under
from ourmodels_gui.engine.setup import CacheLayer, Device, Machine, ModelShape

replace = msgspec.structs.replace
TENSOR = "experts divided, attention tensor-split"
REPLICATED = "experts divided, attention on every device"


@settings(max_examples=40, deadline=None)
@given(st.one_of(mixed_pools(most=60), many_pools(most=60)), st.integers(-2, 3), st.booleans())
def test_the_gate_that_binds_is_what_stops_one_session_more(found, beyond, just):
    """Floors that a batch about the best one just clears, and just does not."""
    way = policies(found)[0]
    high = way.memory_batch()
    assume(high > 0)
    batches = np.arange(1.0, high + 1)
    rates = way.per_session(batches)
    at = int(np.clip(np.argmax(batches * rates) + beyond, 0, high - 1))
    floor = rates[at] if just else np.nextafter(rates[at], np.inf)
    work = replace(found.workload, floor_tokens_per_s=float(floor))
    told = evaluate(replace(found, workload=work)).decode
    usable = int(np.argmin(np.append(rates, 0.0) >= floor))
    if not usable:
        assert told.best_batch is None
        return
    aggregates = (batches * rates)[:usable]
    best = 1 + int(np.argmax(aggregates >= aggregates.max() * (1 - 1e-12)))
    assert told.best_batch == best
    stopped = "" if rates[min(best, high - 1)] >= floor else "floor"
    assert told.binding_gate == ("memory" if best == high else stopped)


def counted(model, known=True):
    return replace(model, linear_active_parameters=9e9 if known else None, attention=())


def pair_of(rate=1e14, capacity=24 * GB, measured=()):
    return [Device("card", Machine(capacity, 936 * GB, {BF16: rate}, frozenset(measured)), 0.0, 2)]


ASKED = {
    "split": "tensor",
    "shape": SHAPE,
    "link_bytes_per_s": 1e13,
    "reserved_context_tokens": 10_000,
    "read_context_tokens": 10_000,
    "floor_tokens_per_s": 0.0,
}


@pytest.mark.parametrize(
    ("ceiling", "known", "kind"),
    [
        ("combined", True, "estimate"),
        ("combined", False, "bound"),
        ("memory", True, "bound"),
        ("memory", False, "bound"),
    ],
)
def test_a_measured_rate_of_arithmetic_makes_estimates_where_it_is_charged(ceiling, known, kind):
    pair = pair_of(measured=(BF16,))
    told = evaluate(composed(counted(dense(), known), pair, decode_ceiling=ceiling, **ASKED))
    assert told.decode.kind["aggregate_tokens_per_s"] == kind
    assert told.placement.policies[0].kind == kind


@pytest.mark.parametrize("longer", [0.999, 1.001, 1.5])
def test_arithmetic_that_is_slower_by_however_little_is_a_caution(longer):
    memory = evaluate(composed(dense(), pair_of(), **ASKED)).decode
    moved = 18 * GB + memory.best_batch * 2.5 * GB
    assert memory.memory_time_s == pytest.approx(moved / (2 * 936 * GB))
    rate = memory.best_batch * 2 * 9e9 / (longer * memory.memory_time_s) / 2
    told = evaluate(composed(counted(dense()), pair_of(rate), **ASKED)).decode
    assert told.compute_time_s == pytest.approx(longer * told.memory_time_s)
    said = any("arithmetic takes longer" in caution for caution in told.cautions)
    assert said == (longer > 1)


@pytest.mark.parametrize(("missing", "fits"), [(0.0, True), (1.0, False)])
def test_a_forced_batch_that_just_fits_fits(missing, fits):
    pair = pair_of(capacity=(18 * GB + 3 * 2.5 * GB) / 2 - missing)
    found = composed(dense(), pair, batch=3, **ASKED)
    forced = evaluate(found).decode.forced
    assert forced.fits is fits
    assert forced.aggregate_tokens_per_s == 3 * forced.per_session_tokens_per_s
    for more, clears in ((1.0, True), (1 + 1e-15, False)):
        floor = more * forced.per_session_tokens_per_s
        work = replace(found.workload, floor_tokens_per_s=floor)
        assert evaluate(replace(found, workload=work)).decode.forced.clears_floor is clears


def test_one_kind_of_device_has_a_crossover_and_unlike_pools_have_none():
    one = evaluate(composed(counted(dense()), pair_of(), **ASKED)).decode
    assert one.crossover_tokens == pytest.approx(18 * GB * 1e14 / (2 * 9e9 * 936 * GB))
    card, host = (
        replace(pool, machine=replace(pool.machine, compute_flop_per_s={BF16: 1e14}))
        for pool in (FAST, SLOW)
    )
    assert evaluate(composed(counted(dense()), [card], host=host)).decode.crossover_tokens is None


@pytest.mark.parametrize("sessions", [0, 1, 2])
def test_what_lies_where_is_told_as_soon_as_one_session_fits(sessions):
    """18 GB of weights in a card and a host; a second session's 2.5 GB push weights out."""
    asked = {key: ASKED[key] for key in ASKED if key.endswith(("_tokens", "_per_s"))}
    room = 18 * GB + (sessions + 0.5) * 2.5 * GB
    card, host = (
        Device("card", Machine(10 * GB, 936 * GB)),
        Device("host", Machine(room - 10 * GB, GB)),
    )
    model = replace(dense(), cache=(CacheLayer("full", 1, 250_000.0, 500_000.0),))
    told = evaluate(composed(model, [card], host=host, pools="sequential", **asked))
    assert told.decode.memory_batch == sessions
    assert len(told.placement.pools) == (2 if sessions else 0)
    # Where no batch clears the floor, as one session would have it.
    asked["floor_tokens_per_s"] = 1e9
    slow = evaluate(composed(model, [card], host=host, pools="sequential", **asked)).placement
    cached = sum(pool.held_bytes.get("cache", 0.0) for pool in slow.pools)
    assert cached == pytest.approx(2.5 * GB if sessions else 0.0)
    assert told.placement.pushed_out_from_batch == (2 if sessions == 2 else None)


@pytest.mark.parametrize(("routing", "kind"), [("expected", "estimate"), ("floor", "bound")])
def test_experts_spread_over_pools_make_estimates_under_expected_routing(routing, kind):
    """One session: what it reads is certain, but not where it lies."""
    asked = {"routing": routing, "reserved_context_tokens": 4000, "read_context_tokens": 4000}
    told = evaluate(composed(sparse(), [FAST], host=SLOW, **asked)).decode
    assert told.kind["single_session_tokens_per_s"] == kind
    ordinary = laguna(batch=1)
    ordinary = replace(ordinary, workload=replace(ordinary.workload, routing=routing))
    machine = ordinary.machine
    devices = [Device("a", part_of(machine, 0.6), 8e9), Device("b", part_of(machine, 0.4, 2.0))]
    for found, wanted in (
        (prompts_over(ordinary, devices), kind),
        (split(ordinary, 2, "tensor", link_bytes_per_s=1e9), "bound"),
    ):
        assert evaluate(found).prefill.kind["compute_ceiling_tokens_per_s"] == wanted


@pytest.mark.parametrize("rate", [1e9, 1e20])
@pytest.mark.parametrize("faster", [1.0, 1.5])
def test_of_pools_that_are_busy_alike_the_first_binds(rate, faster):
    """At once each has a share that takes as long, however fast it is."""
    ordinary = laguna(BF16, batch=1)
    machine = replace(ordinary.machine, compute_flop_per_s={BF16: rate})
    first, host = Device("first", machine, 8e9), Device("host", part_of(machine, faster), 0.0)
    told = evaluate(prompts_over(ordinary, [first], host=host, pools="both")).prefill
    assert (told.binding.place, told.limit) == ("first", "compute" if rate < 1e10 else "memory")


# The two ways of dividing experts ----------------------------------------------------------------


@pytest.mark.parametrize("experts", [3, 7, 64, 100])
def test_of_two_ways_that_are_alike_the_one_asked_for_is_in_use(experts):
    """One device has nothing to divide: both ways are the same but for rounding."""
    shape = ModelShape(4096, 48, expert_layers=(24,))
    asked = ASKED | {"split": "experts", "shape": shape}
    for size in (0.1, 0.13, 0.17, 0.19):
        model = sparse(experts=experts, per_token=2, size=size * GB / 7)
        told = evaluate(composed(model, [FAST], **asked)).placement
        assert told.policy == TENSOR
        assert [way.name for way in told.policies] == [TENSOR, REPLICATED]
    for seed in range(12):
        found = split(random_setup(seed, 60), 1, "experts", link_bytes_per_s=1e9)
        assert placement.prompt_policy(found).name == TENSOR


def test_each_way_of_dividing_experts_is_listed_once_the_better_first():
    """A slow link makes sending tokens to experts dearer than attention on every device."""
    asked = ASKED | {"split": "experts", "shape": ModelShape(4096, 48, expert_layers=(24,))}
    for link, first in ((1e8, REPLICATED), (1e13, TENSOR)):
        found = composed(sparse(), pair_of(), **asked | {"link_bytes_per_s": link})
        names = [way.name for way in evaluate(found).placement.policies]
        assert names[0] == first and sorted(names) == sorted((TENSOR, REPLICATED))


@pytest.mark.parametrize(("link", "faster"), [(1e-7, REPLICATED), (1e5, TENSOR)])
def test_where_one_way_alone_clears_the_floor_it_is_in_use_however_slow(link, faster):
    """Devices of less than a token in a second; the floor lies between the rates of both."""
    pair = pair_of()
    slow = replace(pair[0].machine, bandwidth_bytes_per_s=1.0)
    shape = ModelShape(4096, 48, expert_layers=(24,))
    asked = ASKED | {"split": "experts", "shape": shape, "link_bytes_per_s": link}
    found = composed(sparse(), [replace(pair[0], machine=slow)], **asked)
    rates = [way.at(1) for way in policies(found)]
    floor = float(np.sqrt(np.prod(rates)))
    told = evaluate(replace(found, workload=replace(found.workload, floor_tokens_per_s=floor)))
    assert told.placement.policy == faster
    assert told.decode.best_batch and told.decode.aggregate_tokens_per_s < 1


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([1.0, 1e-9]))
def test_of_two_ways_that_differ_the_faster_is_in_use_for_decode_and_for_prompts(seed, speed):
    """However slow both are, by however little; with a budget that only the faster keeps."""
    rng = random.Random(seed)
    ordinary = random_setup(seed, 60)
    machine = ordinary.machine
    slow = replace(
        machine,
        bandwidth_bytes_per_s=machine.bandwidth_bytes_per_s * speed,
        compute_flop_per_s={mode: r * speed for mode, r in machine.compute_flop_per_s.items()},
    )
    prompt = replace(ordinary.prompt, ttft_budget_s=None, batch=1)
    ordinary = replace(ordinary, machine=slow, prompt=prompt)
    link = speed * 10 ** rng.uniform(4, 9)
    found = split(ordinary, rng.randint(2, 4), "experts", link_bytes_per_s=link)
    if rng.random() < 0.5:
        # A link over which the tensor split takes half as long again as the other does without.
        tensor, alone = (
            prompts_under(way).costs(prompt.prompt_tokens, prompt.chunk_tokens)
            for way in policies(found)
        )
        longer = 1.5 * float(np.maximum(alone.shared_s(1), alone.work_s(1)))
        link *= float(tensor.link_s) / longer
        found = replace(found, composition=replace(found.composition, link_bytes_per_s=link))
    told = evaluate(replace(found, prompt=None)).placement
    assert sorted(way.name for way in told.policies) == sorted((TENSOR, REPLICATED))
    rates = {way.name: way.aggregate_tokens_per_s or 0.0 for way in told.policies}
    check_faster(told.policy, rates)
    seconds = check_prompts(found)
    if None not in seconds:
        between = replace(prompt, ttft_budget_s=float(np.sqrt(np.prod(seconds))))
        check_prompts(replace(found, prompt=between))


def check_prompts(found):
    ways = [prompts_under(way) for way in policies(found)]
    figures = {way.name: prefill_under(way, ranged=False) for way in ways}
    rates = {name: each.tokens_per_s or 0.0 for name, each in figures.items()}
    check_faster(placement.prompt_policy(found).name, rates)
    return [each.time_s for each in figures.values()]


def check_faster(name, rates):
    faster = rates[REPLICATED] > rates[TENSOR] * (1 + 1e-9)
    alike = rates[REPLICATED] == pytest.approx(rates[TENSOR], rel=1e-9)
    assert alike or name == (REPLICATED if faster else TENSOR)
