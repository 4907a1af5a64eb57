import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ourmodels_gui import scenario
from ourmodels_gui.inline import InlineHardware
from ourmodels_gui.problem import BadInput
from ourmodels_gui.scenario import Scenario, WorkloadChoice, edited

CATALOG = {"format": "ourmodels-scenario", "version": 1, "hardware": "a", "model": {"id": "b"}}
TOY = {
    "name": "Toy",
    "kind": "unified",
    "memory_gb": 128,
    "bandwidth_gb_per_s": 800,
    "measured_bandwidth_gb_per_s": 700.5,
    "compute_tflop_per_s": {"bf16_fp32acc": 125},
    "measured_compute_tflop_per_s": {"bf16_fp32acc": 90},
}
ADAPTER = {
    "name": "Hybrid",
    "total_parameters_b": 35,
    "active_parameters_b": 3,
    "routed_experts": 256,
    "experts_per_token": 8,
    "bytes_per_parameter": 0.5,
    "resident_gb": 17.5,
    "embedding_parameters_b": 0.25,
    "max_context_tokens": 262144,
    "cache": {
        "layers": [
            {"count": 12, "kind": "full", "bytes_per_token": 2048.5},
            {"count": 36, "kind": "window", "window_tokens": 512, "bytes_per_token": 2048},
            {
                "count": 4,
                "kind": "sparse",
                "bytes_per_token": 1152,
                "selected_tokens": 2048,
                "index_bytes_per_token": 132,
            },
            {"count": 4, "kind": "state", "bytes": 4194304},
        ]
    },
    "prefill": {
        "linear_active_parameters_b": 2.7,
        "swept_gb": 17,
        "cache_write_bytes_per_token": 98304,
        "attention": [
            {"count": 12, "kind": "full", "query_width": 6144},
            {"count": 36, "kind": "window", "window_tokens": 512, "query_width": 9216},
            {
                "count": 4,
                "kind": "sparse",
                "query_width": 8192,
                "selected_tokens": 2048,
                "index_flop_per_pair": 0,
            },
            {"count": 4, "kind": "state", "flop_per_token": 8e6},
        ],
    },
}
WHOLE = {
    "format": "ourmodels-scenario", "version": 1, "name": "Everything", "catalog_version": "2026.1",
    "hardware": TOY, "model": {"adapter": ADAPTER},
    "workload": {
        "reserved_context_tokens": 100000, "read_context_tokens": 32000, "floor_tokens_per_s": 20,
        "overhead_gb": 8, "cache_format": "fp16", "cache_read_format": "fp8",
        "cache_policy": "full", "routing": "floor", "rates": "measured",
        "decode_ceiling": "combined", "batch": 4,
    },
    "speculation": {
        "draft_tokens": 4, "acceptance": 0.7,
        "draft": {"resident_gb": 1, "sweep_gb": 0.9, "cache_alloc_gb": 0.1, "cache_read_gb": 0.05},
    },
    "prefill": {
        "prompt_tokens": 8192, "cached_prefix_tokens": 0, "answer_tokens": 500,
        "chunk_tokens": 2048, "ttft_budget_s": 2.5, "cache_growth": "on_demand",
        "linear_mode": {"fp4_fp32acc": 0.75, "bf16_fp32acc": 0.25},
        "attention_mode": "bf16_fp32acc", "batch": 2,
    },
}  # fmt: skip


def read(document):
    return scenario.read(json.dumps(document))


def changed(document, path, value):
    """The document with the value at a path of keys and positions replaced."""
    copy = json.loads(json.dumps(document))
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return copy


def fault(document):
    with pytest.raises(BadInput) as caught:
        read(document) if isinstance(document, dict) else scenario.read(document)
    problem = caught.value.problem
    assert problem.message and "\n" not in str(problem)
    return problem


def test_every_key_survives_reading_and_writing():
    assert json.loads(scenario.write(read(WHOLE))) == WHOLE


def test_writing_is_stable_and_ends_in_a_line():
    once = scenario.write(read(WHOLE))
    assert scenario.write(scenario.read(once)) == once
    assert once.endswith(b"}\n") and b'"floor_tokens_per_s": 20,' in once


def test_what_is_absent_stays_absent():
    assert json.loads(scenario.write(read(CATALOG))) == CATALOG


def test_an_empty_prefill_is_kept_apart_from_none():
    assert read(CATALOG | {"prefill": {}}).prefill is not None
    assert read(CATALOG | {"prefill": None}).prefill is None
    assert json.loads(scenario.write(read(CATALOG | {"prefill": {}})))["prefill"] == {}


def test_null_means_the_default_for_any_key_that_may_be_absent():
    workload = dict.fromkeys(WHOLE["workload"], None)
    assert read(CATALOG | {"workload": workload, "speculation": None}) == read(CATALOG)
    assert fault(CATALOG | {"hardware": None}).key == "hardware"


def test_a_users_own_record_travels_untouched():
    record = {"name": "Mine", "memory": [{"value": 24.0, "unit": "GiB"}], "odd": None}
    document = CATALOG | {"hardware": {"id": "mine", "record": record}}
    assert json.loads(scenario.write(read(document))) == document


def test_whole_numbers_may_be_written_as_decimals():
    workload = {"reserved_context_tokens": 1e5}
    assert read(CATALOG | {"workload": workload}).workload.reserved_context_tokens == 100_000


def test_a_byte_order_mark_is_skipped():
    assert scenario.read(b"\xef\xbb\xbf" + json.dumps(CATALOG).encode()) == read(CATALOG)


@pytest.mark.parametrize(
    "text, says",
    [
        (b"", "empty"), (b" \n", "empty"), (b"\xff\xfe{\x00}", "UTF-8"), (b"{", "line 1"),
        ("{'a': 1}", "not valid JSON"), ("[]", "object"), ("3", "object"), ("null", "object"),
        ("[" * 100_000, "deep"), ('{"a":' * 60 + "1" + "}" * 60, "deep"),
        (b" " * 5_000_000, "larger than"), ("{}", "scenario"), ('{"format": "\\ud800"}', "half"),
        ('{"\\ud800": 1}', "half"), ('{"format": 1e999}', "finite"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_a_scenario_is_refused_in_words(text, says):
    assert says in fault(text).message


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "9" * 400])
def test_numbers_that_are_not_numbers_are_refused_at_their_key(number):
    text = json.dumps(changed(WHOLE, ["workload", "overhead_gb"], 77)).replace("77", number)
    assert fault(text).key == "workload.overhead_gb"


def test_a_repeated_key_is_refused_wherever_it_stands():
    text = json.dumps(WHOLE)
    assert fault(text.replace('"version": 1,', '"version": 1, "version": 1,')).key == "version"
    twice = text.replace('"selected_tokens": 2048,', '"selected_tokens": 2048,' * 2, 1)
    assert fault(twice).key == "model.adapter.cache.layers[2].selected_tokens"
    inside = json.dumps(CATALOG | {"hardware": {"id": "m", "record": {"a": 1}}})
    assert fault(inside.replace('"a": 1', '"a": 1, "a": 2')).key == "hardware.record.a"


@pytest.mark.parametrize(
    "path",
    [[], ["hardware"], ["model"], ["model", "adapter"], ["model", "adapter", "cache"],
     ["model", "adapter", "cache", "layers", 1], ["model", "adapter", "prefill"],
     ["model", "adapter", "prefill", "attention", 0], ["workload"], ["speculation"],
     ["speculation", "draft"], ["prefill"]],
)  # fmt: skip
def test_an_unknown_key_is_named_with_its_path(path):
    problem = fault(changed(WHOLE, [*path, "surprise"], 1))
    assert problem.key.endswith("surprise") and problem.key.count(".") >= len(path) - 1
    assert "unknown key" in problem.message


def test_an_unknown_key_suggests_the_one_meant():
    problem = fault(CATALOG | {"workload": {"floor_tokens_per_sec": 3}})
    assert "floor_tokens_per_s" in problem.message


BAD_VALUES = [
    ("format", "other"), ("format", None), ("version", 2), ("version", True), ("version", "1"),
    ("version", None), ("hardware", 3), ("hardware", []), ("hardware", True), ("model", "b"),
    ("model", []), ("model", None), ("name", 3), ("name", "x" * 3000), ("workload", 3),
    ("hardware.memory_gb", 0), ("hardware.memory_gb", -1), ("hardware.memory_gb", "128"),
    ("hardware.memory_gb", True), ("hardware.memory_gb", 1e30), ("hardware.memory_gb", None),
    ("hardware.memory_gb", 1e-30), ("hardware.bandwidth_gb_per_s", 0),
    ("hardware.bandwidth_gb_per_s", -273), ("hardware.kind", "laptop"),
    ("hardware.compute_tflop_per_s.bf16_fp32acc", 0),
    ("hardware.compute_tflop_per_s.bf16_fp32acc", "fast"),
    ("hardware.measured_bandwidth_gb_per_s", -1),
    ("model.adapter.total_parameters_b", 0), ("model.adapter.bytes_per_parameter", -0.5),
    ("model.adapter.routed_experts", 0), ("model.adapter.routed_experts", 2.5),
    ("model.adapter.routed_experts", None), ("model.adapter.experts_per_token", None),
    ("model.adapter.experts_per_token", 257), ("model.adapter.active_parameters_b", 36),
    ("model.adapter.active_parameters_b", None), ("model.adapter.embedding_parameters_b", -1),
    ("model.adapter.embedding_parameters_b", 35), ("model.adapter.max_context_tokens", 0),
    ("model.adapter.cache.layers[0].count", 0), ("model.adapter.cache.layers[0].kind", "latent"),
    ("model.adapter.cache.layers[0].bytes_per_token", -1),
    ("model.adapter.cache.layers[0].bytes_per_token", None),
    ("model.adapter.cache.layers[0].window_tokens", 4),
    ("model.adapter.cache.layers[1].window_tokens", None),
    ("model.adapter.cache.layers[2].selected_tokens", None),
    ("model.adapter.cache.layers[3].bytes", None),
    ("model.adapter.prefill.swept_gb", 0), ("model.adapter.prefill.attention[1].query_width", None),
    ("model.adapter.prefill.attention[3].query_width", 5), ("model.adapter.prefill.attention", {}),
    ("workload.reserved_context_tokens", 0), ("workload.reserved_context_tokens", 2**31 + 1),
    ("workload.reserved_context_tokens", 100.5), ("workload.reserved_context_tokens", False),
    ("workload.read_context_tokens", 100_001), ("workload.read_context_tokens", -1),
    ("workload.read_context_fraction", 0.9), ("workload.floor_tokens_per_s", -1),
    ("workload.floor_tokens_per_s", 1e-9), ("workload.overhead_gb", -8),
    ("workload.cache_policy", "paged"), ("workload.routing", "exact"), ("workload.rates", "best"),
    ("workload.decode_ceiling", "both"), ("workload.batch", 0), ("workload.batch", 1.5),
    ("workload.batch", 2**40), ("workload.cache_format", 16),
    ("speculation.draft_tokens", -1), ("speculation.draft_tokens", None),
    ("speculation.acceptance", 1.01), ("speculation.acceptance", -0.1),
    ("speculation.acceptance", None), ("speculation.emitted_tokens", 2), ("speculation.draft", 3),
    ("speculation.draft", "mtp"), ("speculation.draft", "dflash"), ("speculation.draft", "ngram"),
    ("speculation.draft.sweep_gb", -1), ("speculation.draft.sweep_gb", None),
    ("prefill.prompt_tokens", 0), ("prefill.cached_prefix_tokens", -1),
    ("prefill.chunk_tokens", 0), ("prefill.ttft_budget_s", 0), ("prefill.ttft_budget_s", -1),
    ("prefill.cache_growth", "never"), ("prefill.linear_mode", "fp7"),
    ("prefill.linear_mode", {}), ("prefill.linear_mode", {"fp32": 0.5}),
    ("prefill.attention_mode", ["fp32"]), ("prefill.batch", 0),
]  # fmt: skip


@pytest.mark.parametrize("key, value", BAD_VALUES)
def test_a_bad_value_is_named_by_its_key(key, value):
    steps = [
        int(step) if step.isdigit() else step
        for step in key.replace("[", ".").replace("]", "").split(".")
    ]
    assert fault(changed(WHOLE, steps, value)).key == key


@pytest.mark.parametrize("key", ["format", "version", "hardware", "model"])
def test_a_required_key_that_is_missing_is_named(key):
    assert fault({name: CATALOG[name] for name in CATALOG if name != key}).key == key


def test_typed_figures_and_a_layer_list_exclude_each_other():
    cache = ["model", "adapter", "cache"]
    both = changed(WHOLE, [*cache, "read_gb_per_token"], 0.3)
    assert fault(both).key == "model.adapter.cache.read_gb_per_token"
    half = changed(WHOLE, cache, {"alloc_gb_per_session": 1})
    assert fault(half).key == "model.adapter.cache.read_gb_per_token"


def test_a_dense_adapter_with_other_active_parameters_is_refused():
    dense = {"total_parameters_b": 32, "bytes_per_parameter": 0.5, "active_parameters_b": 3,
             "cache": {"alloc_gb_per_session": 1, "read_gb_per_token": 1}}  # fmt: skip
    assert fault(CATALOG | {"model": {"adapter": dense}}).key == "model.adapter.active_parameters_b"
    dense["active_parameters_b"] = 32
    assert read(CATALOG | {"model": {"adapter": dense}})


def test_emitted_tokens_lie_between_one_and_the_draft_and_its_bonus():
    for emitted, good in [(1, True), (5, True), (5.01, False), (0.99, False)]:
        document = CATALOG | {"speculation": {"draft_tokens": 4, "emitted_tokens": emitted}}
        if good:
            assert read(document).speculation.emitted_tokens == emitted
        else:
            assert fault(document).key == "speculation.emitted_tokens"


def test_no_draft_tokens_need_no_acceptance():
    assert read(CATALOG | {"speculation": {"draft_tokens": 0}}).speculation.draft_tokens == 0


def test_a_parallel_draft_is_refused_by_name_with_the_reason():
    problem = fault(CATALOG | {"speculation": {
        "draft_tokens": 15, "acceptance": 0.5, "draft": "DFlash"}})  # fmt: skip
    assert problem.key == "speculation.draft"
    assert '"DFlash"' in problem.message and "only sequential drafts" in problem.message


def test_reading_above_the_default_reservation_is_refused_as_typed():
    assert fault(CATALOG | {"workload": {"read_context_tokens": 100_001}}).key == (
        "workload.read_context_tokens"
    )


def test_an_edit_creates_changes_and_removes():
    toy = read(CATALOG)
    asked = edited(toy, {"workload.floor_tokens_per_s": 15, "prefill.batch": None})
    assert asked.workload.floor_tokens_per_s == 15 and asked.prefill is None
    assert edited(asked, {"workload.floor_tokens_per_s": None}) == toy
    drafted = edited(toy, {"speculation.acceptance": 0.7, "speculation.draft_tokens": 4})
    assert drafted.speculation.draft_tokens == 4
    assert edited(drafted, {"speculation": None}) == toy
    assert edited(toy, {"prefill": {}}).prefill is not None
    assert edited(toy, {"hardware": "other", "model.weights": "q4_k_m"}).model.weights == "q4_k_m"


def test_an_edit_takes_parts_of_a_scenario():
    machine = InlineHardware(memory_gb=24, bandwidth_gb_per_s=1008)
    toy = edited(read(CATALOG), {"hardware": machine, "workload": WorkloadChoice(batch=2)})
    assert toy.hardware == machine and toy.workload.batch == 2
    assert edited(toy, {"hardware.memory_gb": 48}).hardware.memory_gb == 48


def test_an_edit_is_checked_like_a_file():
    for key, value in [("workload.floor_tokens_per_s", -1), ("workload.nothing", 1),
                       ("hardware.memory_gb", 24), ("workload.overhead_gb", math.nan),
                       ("model.id", None), ("speculation.draft", "mtp")]:  # fmt: skip
        with pytest.raises(BadInput) as caught:
            edited(read(CATALOG), {key: value})
        assert caught.value.problem.key.startswith(key.split(".")[0])


def test_an_edit_leaves_the_old_scenario_as_it_was():
    old = read(CATALOG | {"hardware": {"id": "m", "record": {"a": {"b": 1}}}})
    edited(old, {"hardware.record.a.b": 2, "hardware.record.c": 3})
    assert old.hardware.record == {"a": {"b": 1}}


def test_a_file_is_written_whole_and_read_back(tmp_path):
    path = tmp_path / f"toy{scenario.SUFFIX}"
    scenario.write_file(path, read(WHOLE))
    assert scenario.read_file(path) == read(WHOLE)
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_a_bad_file_is_named(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b"\xff")
    with pytest.raises(BadInput) as caught:
        scenario.read_file(path)
    assert caught.value.problem.place == str(path)
    with pytest.raises(OSError):
        scenario.read_file(tmp_path / "missing.json")


def test_parts_built_in_code_are_checked_too():
    with pytest.raises(BadInput):
        WorkloadChoice(read_context_tokens=1, read_context_fraction=0.5)


numbers = st.one_of(st.integers(-5, 2**33), st.floats(), st.sampled_from([0, 1, 1e-300, 1e300]))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def paths(value, here=()):
    yield here
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list):
            yield from paths(item, (*here, key))
        else:
            yield (*here, key)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(paths(WHOLE))[1:]), values)
def test_any_value_anywhere_is_read_back_or_refused(path, value):
    try:
        found = read(changed(WHOLE, path, value))
    except BadInput as bad:
        assert bad.problem.message and "\n" not in str(bad)
    else:
        assert scenario.read(scenario.write(found)) == found


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60), values.map(json.dumps)))
def test_any_bytes_are_a_scenario_or_refused(content):
    with pytest.raises(BadInput):
        scenario.read(content)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(json.dumps(WHOLE)) - 1))
def test_a_truncated_file_is_refused(length):
    with pytest.raises(BadInput):
        scenario.read(json.dumps(WHOLE)[:length])


def test_a_scenario_is_a_value():
    assert isinstance(read(WHOLE), Scenario) and read(WHOLE) == read(WHOLE)
