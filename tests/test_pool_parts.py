"""What lies in each memory: held against the engine's own sums, and counted as people count."""

import msgspec
import pytest

from ourmodels_gui import paths
from ourmodels_gui.engine import placement
from ourmodels_gui.evaluation import run
from ourmodels_gui.library.load import load
from ourmodels_gui.scenario import edited, read
from ourmodels_gui.summary import summarise
from ourmodels_gui.summary.memory_parts import parts as one_bar
from ourmodels_gui.summary.memory_parts import shown_sessions
from ourmodels_gui.summary.pool_parts import off_devices, pool_parts

HYBRID = b"""{"format": "ourmodels-scenario", "version": 1,
  "hardware": {"devices": [{"id": "geforce-rtx-5090"}], "link": "pcie-5-x16",
               "host_memory": "amd-ryzen-9000-am5-2ch-ddr5-5600-128gb"},
  "model": {"id": "qwen3-235b-a22b", "weights": "q3_k_m"},
  "workload": {"reserved_context_tokens": 16000, "read_context_tokens": 8000,
               "floor_tokens_per_s": 5}}"""
PAIR = b"""{"format": "ourmodels-scenario", "version": 1,
  "hardware": {"devices": [{"id": "geforce-rtx-3090", "count": 2}], "split": "tensor",
               "link": "pcie-4-x16"},
  "model": {"id": "qwen3-32b", "weights": "q4_k_m"}}"""
UNLIKE = b"""{"format": "ourmodels-scenario", "version": 1,
  "hardware": {"devices": [{"id": "geforce-rtx-3090"}, {"id": "geforce-rtx-5090"}],
               "link": "pcie-4-x16"},
  "model": {"id": "qwen3-30b-a3b", "weights": "q8_0"}}"""


@pytest.fixture(scope="module")
def library():
    return load(paths.catalog())


def answered(text, library, **changes):
    scenario = read(text)
    return run(edited(scenario, changes) if changes else scenario, library)


@pytest.mark.parametrize("text", [HYBRID, PAIR, UNLIKE], ids=["hybrid", "pair", "unlike"])
@pytest.mark.parametrize("batch", [None, 2], ids=["best", "forced"])
def test_all_memories_together_hold_what_one_would(library, text, batch):
    found = answered(text, library, **{"workload.batch": batch})
    assert found.result.decode.best_batch
    pools = pool_parts(found)
    whole = {}
    for pool in pools:
        assert pool.free_bytes >= -2
        for part in pool.parts:
            role = {"experts": "weights"}.get(part.role, part.role)
            whole[role] = whole.get(role, 0.0) + part.size_bytes
    sessions = shown_sessions(found)
    expected = {}
    for part in one_bar(found.setup, sessions):
        expected[part.role] = expected.get(part.role, 0.0) + part.size_bytes
    assert whole == pytest.approx(expected, rel=1e-9)
    capacity = sum(pool.capacity_bytes for pool in pools)
    assert capacity == pytest.approx(found.setup.machine.capacity_bytes)


def test_experts_off_the_card_are_counted_by_layers(library):
    found = answered(HYBRID, library)
    host = found.result.placement.pools[1].held_bytes["routed_experts"]
    card = found.result.placement.pools[0].held_bytes["routed_experts"]
    layers = sum(found.setup.composition.shape.expert_layers)
    assert layers == 94
    count = round(host / (host + card) * layers)
    assert off_devices(found)[0] == f"the experts of {count} of 94 layers"


def test_a_fixed_placement_is_told_as_it_was_fixed(library):
    fixed = {"hardware.placement": {"routed_experts": 0, "weights": 1, "cache": 1}}
    told = off_devices(answered(HYBRID, library, **fixed))
    assert told == ("the experts of 94 of 94 layers",)
    half = {"hardware.placement": {"cache": 0.5}}
    assert "50 % of the cache" in off_devices(answered(HYBRID, library, **half))


def test_experts_of_an_unknown_shape_are_told_by_their_share(library):
    found = answered(HYBRID, library)
    bare = msgspec.structs.replace(found.setup.composition, shape=None)
    setup = msgspec.structs.replace(found.setup, composition=bare)
    told = off_devices(msgspec.structs.replace(found, setup=setup))
    assert told[0].endswith("% of the experts")


def test_forced_sessions_are_those_that_lie_there(library):
    found = answered(HYBRID, library, **{"workload.batch": 2})
    cache = [part for pool in pool_parts(found) for part in pool.parts if part.role == "cache"]
    assert {part.name for part in cache} == {"cache × 2"}  # noqa: RUF001
    way = placement.policy(found.setup)
    held = sum(share.held_bytes["cache"] for share in way.shares(2))
    assert sum(part.size_bytes for part in cache) == pytest.approx(held)


def test_there_is_nothing_to_show_for_one_memory_or_where_nothing_fits(library):
    assert pool_parts(answered(HYBRID, library, hardware="geforce-rtx-5090")) == ()
    assert pool_parts(answered(HYBRID, library, **{"workload.batch": 5000})) == ()
    big = answered(HYBRID, library, **{"model.weights": "bf16"})
    assert big.result.decode.verdict == "model does not fit"
    assert pool_parts(big) == ()
    assert off_devices(big) == ()
    assert off_devices(answered(PAIR, library)) == ()


def test_a_pool_of_several_devices_says_how_many(library):
    assert [pool.name for pool in pool_parts(answered(PAIR, library))] == ["2 x GeForce RTX 3090"]


def test_too_many_forced_sessions_are_an_answer(library):
    found = answered(HYBRID, library, **{"workload.batch": 5000})
    assert found.result.decode.forced is None
    serving = summarise(found).answers[2]
    assert serving.tone == "unfit"
    assert serving.word == "5,000 sessions do not fit"
    fits = found.result.decode.memory_batch
    assert serving.why == f"forced; memory has room for {fits} sessions"


def test_what_binds_in_the_hosts_memory_is_the_systems(library):
    found = answered(HYBRID, library)
    assert found.result.placement.single_binding.place.startswith("AMD Ryzen")
    assert summarise(found).answers[1].why.startswith("limited by system memory; all pools at once")
