import json
import math

import msgspec
import pytest

from ourmodels_gui.evaluation import run
from ourmodels_gui.problem import BadInput
from ourmodels_gui.ranking import requirements
from ourmodels_gui.ranking.field import BELOW_4_BITS
from ourmodels_gui.ranking.requirements import Requirements
from ourmodels_gui.ranking.search import CERTAIN, LOW_LAST, ONE_WAY, search
from ourmodels_gui.scenario import ModelRef
from ourmodels_gui.settings import OwnPrice, Settings

QWEN = ModelRef("qwen3-30b-a3b")
NEEDS = Requirements(
    QWEN,
    context_tokens=32_000,
    users=4,
    tokens_per_s_each=15.0,
    first_token_s=20.0,
    prompt_tokens=8192,
    budget=2500.0,
    watts=400.0,
)


@pytest.fixture(scope="module")
def found(library):
    return search(library, NEEDS, misses=10_000)


def test_every_machine_is_in_one_list(found, library):
    ids = [one.machine.id for one in (*found.meets, *found.unknown, *found.misses)]
    assert len(ids) == len(set(ids))
    assert set(ids) == library.machines.keys() | library.compositions.keys()


def test_an_overhead_that_fills_a_part_of_a_composition_rules_it_out(library):
    needs = Requirements(QWEN, context_tokens=1000, overhead_gb=64.0)
    found = search(library, needs, misses=10_000)
    every = (*found.meets, *found.unknown, *found.misses)
    known = library.machines.keys() | library.compositions.keys()
    assert {one.machine.id for one in every} == known
    full = [one for one in found.misses if "taken by the overhead" in one.checks[0].said()]
    assert len(full) > 10 and all(one.checks[0].met is False for one in full)
    for one in (*found.meets[:40], *found.misses[:40], *found.misses[-20:]):
        if one not in full:
            result = run(one.scenario, library).result
            assert one.checks[0].met == bool(result.decode.memory_batch)


def test_those_that_meet_the_needs_come_by_price(found):
    order = [(one.weights in BELOW_4_BITS, one.price) for one in found.meets]
    assert len(order) > 3 and order == sorted(order)
    for one in found.meets:
        assert all(check.met for check in one.checks)
        assert one.price <= NEEDS.budget and one.machine.watts <= NEEDS.watts


def test_each_check_is_what_evaluate_says_of_the_machine(found, library):
    for one in (*found.meets, *found.unknown[:25], *found.misses[:60], *found.misses[-20:]):
        result = run(one.scenario, library).result
        checks = {check.need: check for check in one.checks}
        fits = result.decode.forced is not None and result.decode.forced.fits
        assert checks["memory"].met is fits
        if result.decode.forced is not None:
            rate = result.decode.forced.per_session_tokens_per_s
            assert checks["rate"].met is (rate >= NEEDS.tokens_per_s_each)
            assert checks["rate"].headroom == rate / NEEDS.tokens_per_s_each
        single = result.prefill.single_prompt
        wait = None if single is None else single.time_s
        assert checks["first token"].met is (None if wait is None else wait <= NEEDS.first_token_s)


def test_what_binds_is_the_need_with_the_least_headroom(found):
    for one in found.meets:
        least = min(check.headroom for check in one.checks)
        assert one.binds.headroom == least >= 1.0


def test_an_unknown_figure_rules_nothing_out(found):
    assert found.unknown
    for one in found.unknown:
        assert one.unknown and not one.lacks
    assert any("no price known" in check.said() for one in found.unknown for check in one.unknown)


def test_misses_come_nearest_first_and_say_what_they_lack(found):
    counts = [
        len(one.lacks) + any(check.need == "rate" for check in one.unknown) for one in found.misses
    ]
    assert counts == sorted(counts) and counts[0] == 1
    for one in found.misses[:50]:
        assert all(
            check.said() and check.headroom is not None for check in one.lacks if check.headroom
        )
    lacking = next(one for one in found.misses if one.lacks[0].need == "memory")
    assert "missing" in lacking.lacks[0].said()


def test_the_largest_format_that_meets_the_needs_is_shown(found, library):
    for one in found.meets[:6]:
        ids = [weights for weights in ("native", "bf16", "q8_0", "q6_k", "q5_k_m", "q4_k_m")]
        larger = ids[: ids.index(one.weights)] if one.weights in ids else ids
        for weights in larger:
            model = msgspec.structs.replace(NEEDS.model, weights=weights)
            again = search(library, msgspec.structs.replace(NEEDS, model=model), misses=10_000)
            assert one.machine.id not in {other.machine.id for other in again.meets}


def test_typed_weights_are_the_only_ones_tried(library):
    needs = msgspec.structs.replace(NEEDS, model=ModelRef("qwen3-30b-a3b", "q4_k_m"))
    found = search(library, needs, misses=10_000)
    assert {one.weights for one in (*found.meets, *found.unknown, *found.misses)} == {"q4_k_m"}


def test_the_limits_of_a_ceiling_are_said(found):
    assert "certain" in found.said[0] and "necessary, not sufficient" in found.said[0]
    assert "estimates" in found.said[1]


def test_floor_routing_and_dense_models_give_no_estimate(library):
    needs = msgspec.structs.replace(NEEDS, routing="floor")
    assert search(library, needs).said == (CERTAIN, ONE_WAY, LOW_LAST)
    dense = Requirements(ModelRef("llama-3.3-70b-instruct"), context_tokens=8192)
    assert search(library, dense).said == (CERTAIN, ONE_WAY, LOW_LAST)


def test_needs_that_nothing_meets_name_the_nearest(library):
    needs = Requirements(QWEN, context_tokens=32_000, users=1_000_000, tokens_per_s_each=1e6)
    found = search(library, needs)
    assert found.meets == () and found.unknown == () and len(found.misses) == 10
    assert found.said[-1].startswith("No machine meets these needs. The nearest is ")


def test_a_format_that_does_not_fit_is_not_nearer_for_its_unknown_rate(library):
    model = ModelRef("llama-3.1-405b-instruct")
    needs = Requirements(model, 20_000, users=50, tokens_per_s_each=500.0)
    first = search(library, needs).misses[0]
    forced = run(first.scenario, library).result.decode.forced
    assert forced is not None, f"the model does not fit in {first.weights}"
    assert not first.unknown


def test_own_prices_count(library):
    price = Settings(prices={"nvidia-h200-sxm-141gb": OwnPrice(9.0)})
    needs = Requirements(QWEN, context_tokens=32_000, budget=10.0)
    met = search(library, needs, price).meets
    assert [one.machine.id for one in met] == ["nvidia-h200-sxm-141gb"]
    assert "your price" in met[0].price_tag.said


def test_a_context_beyond_the_model_is_bad_input(library):
    with pytest.raises(BadInput, match="ends at 40,960 tokens"):
        search(library, Requirements(QWEN, context_tokens=1_000_000))


def test_a_model_of_unknown_layout_is_bad_input(library):
    with pytest.raises(BadInput, match="unknown"):
        search(library, Requirements(ModelRef("zephyr-7b-beta"), context_tokens=1000))


def test_requirements_survive_a_file(tmp_path):
    path = tmp_path / "needs.json"
    requirements.write_file(path, NEEDS)
    assert requirements.read_file(path) == NEEDS
    assert "cache_format" not in path.read_text()


@pytest.mark.parametrize(
    "change, key",
    [
        ({"version": 2}, "version"),
        ({"format": "ourmodels-scenario"}, "format"),
        ({"users": 0}, "users"),
        ({"users": "ten"}, "users"),
        ({"budget": 0}, "budget"),
        ({"budget": "2500 USD"}, "budget"),
        ({"watts": -1}, "watts"),
        ({"speed": 3}, "speed"),
        ({"context_tokens": None}, "context_tokens"),
        ({"prompt_tokens": 64_000}, "prompt_tokens"),
        ({"read_context_tokens": 64_000}, "read_context_tokens"),
        ({"model": {}}, "model.id"),
    ],
)
def test_bad_requirements_name_the_key(change, key):
    document = json.loads(requirements.write(NEEDS)) | change
    with pytest.raises(BadInput) as bad:
        requirements.read(json.dumps(document))
    assert bad.value.problem.key == key and bad.value.problem.message


def test_nothing_asked_beyond_memory_is_only_memory(library):
    found = search(library, Requirements(QWEN, context_tokens=8192))
    assert {check.need for one in found.meets for check in one.checks} == {"memory"}
    assert all(not math.isnan(one.binds.headroom) for one in found.meets)


def test_what_needs_fewer_than_4_bits_a_weight_comes_last(library):
    needs = Requirements(ModelRef("llama-3.3-70b-instruct"), context_tokens=16_000)
    found = search(library, needs, misses=10_000)
    low = [one.weights in BELOW_4_BITS for one in found.meets]
    assert any(low) and not all(low) and low == sorted(low)
    assert any("fewer than 4 bits" in said for said in found.said)
    dearest = [one.price for one in found.meets if one.price is not None]
    assert dearest != sorted(dearest)
    chosen = msgspec.structs.replace(needs, model=ModelRef("llama-3.3-70b-instruct", "q2_k"))
    meets = search(library, chosen, misses=10_000).meets
    prices = [one.price for one in meets if one.price is not None]
    assert prices == sorted(prices)
    lacking = [one for one in meets if not one.price_tag.whole]
    assert lacking and all(one.machine.composed.host_memory for one in lacking)
    assert lacking[0].price_text() == f"≥ {lacking[0].price:,.0f}"
    whole = next(one for one in meets if one.price_tag.whole)
    assert whole.price_text() == f"{whole.price:,.0f}"
    assert meets[-1].price is None and meets[-1].price_text() is None
