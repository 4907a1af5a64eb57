import json
import math

import pytest
import toy
from hypothesis import event, given, settings
from hypothesis import strategies as st

from ourmodels_gui import export, scenario, summary
from ourmodels_gui.evaluation import run
from ourmodels_gui.library.load import Library
from ourmodels_gui.problem import BadInput

BOTH_MODES = {"compute_tflop_per_s": {"bf16_fp32acc": 125, "fp4_fp32acc": 500}}
DECODE = {
    "verdict",
    "kind",
    "kind_reasons",
    "cautions",
    "resident_margin_gb",
    "spare_gb",
    "memory_batch",
    "rate_limited_batch",
    "usable_batch",
    "best_batch",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "memory_power_tokens_per_s",
    "large_memory_limit_tokens_per_s",
    "memory_power_gb2_per_s",
    "crossover_tokens",
    "speculation",
    "forced",
}
PREFILL = {
    "verdict", "kind", "batch", "chunk_tokens", "tokens_per_s", "time_s", "limit",
    "memory_ceiling_tokens_per_s", "compute_ceiling_tokens_per_s", "memory_power_tokens_per_s",
    "linear_ceiling_tokens_per_s", "flop_per_token", "bytes_per_token", "crossover_tokens",
    "unavailable", "range", "range_single", "single_prompt", "unrestricted",
}  # fmt: skip


def evaluated(hardware=None, **parts):
    evaluation = toy.evaluated(BOTH_MODES | (hardware or {}), **parts)
    assert evaluation.problem is None, evaluation.problem
    return evaluation


def public(*arguments, **sections):
    return json.loads(export.to_json(evaluated(*arguments, **sections).result))


def test_the_keys_are_exactly_those_of_the_interface():
    speculation = {"draft_tokens": 4, "acceptance": 0.7}
    found = public(workload={"batch": 3}, prefill={"ttft_budget_s": 1e6}, speculation=speculation)
    assert set(found) == {"decode", "prefill", "assumptions"}
    assert set(found["decode"]) == DECODE and set(found["prefill"]) == PREFILL
    assert set(found["decode"]["forced"]) == {
        "batch", "aggregate_tokens_per_s", "per_session_tokens_per_s", "fits", "clears_floor",
    }  # fmt: skip
    assert set(found["decode"]["speculation"]) >= {
        "emitted_tokens_per_iteration", "break_even_at_1", "break_even_at_best", "loses_at",
    }  # fmt: skip
    prefill = found["prefill"]
    assert set(prefill["range"]["low"]) == {"tokens_per_s", "prompt_tokens", "batch"}
    assert set(prefill["range_single"]) == {"low", "high"}
    assert set(prefill["single_prompt"]) == {"tokens_per_s", "time_s"}
    assert set(prefill["unrestricted"]) == {"batch", "tokens_per_s", "time_s"}
    for told in found["assumptions"]:
        assert set(told) == {"name", "value", "unit", "source"}


def test_the_figures_are_those_done_by_hand():
    decode = public()["decode"]
    assert decode["verdict"] == "serves"
    assert decode["resident_margin_gb"] == 104
    assert decode["memory_batch"] == 4  # 104 / 26
    assert decode["rate_limited_batch"] == 2  # (800 / 20 - 18) / 8.32
    assert decode["usable_batch"] == decode["best_batch"] == 2
    assert decode["spare_gb"] == 52
    assert decode["aggregate_tokens_per_s"] == pytest.approx(2 * 800 / (18 + 2 * 8.32))
    assert decode["single_session_tokens_per_s"] == pytest.approx(800 / 26.32)
    assert decode["memory_power_gb2_per_s"] == pytest.approx(102_400)
    assert decode["speculation"] is None and decode["forced"] is None


def test_no_prefill_is_null_and_an_empty_one_is_asked():
    assert public()["prefill"] is None
    assert public(prefill=None)["prefill"] is None
    assert public(prefill={})["prefill"]["verdict"] == "serves"


def test_kinds_are_named_like_their_figures():
    found = public(prefill={})
    assert set(found["decode"]["kind"]) <= DECODE and set(found["prefill"]["kind"]) <= PREFILL
    assert set(found["decode"]["kind"].values()) <= {"bound", "estimate"}


RATES = [
    "usable_batch", "best_batch", "aggregate_tokens_per_s", "per_session_tokens_per_s",
    "single_session_tokens_per_s", "memory_power_tokens_per_s", "large_memory_limit_tokens_per_s",
]  # fmt: skip


def test_a_model_that_does_not_fit_has_no_figures_but_its_lack():
    decode = public({"memory_gb": 20}, workload={"batch": 2})["decode"]
    assert decode["verdict"] == "model does not fit"
    assert decode["resident_margin_gb"] == -4 and decode["spare_gb"] == -30
    assert decode["rate_limited_batch"] == 2 and decode["memory_power_gb2_per_s"] == 16_000
    for figure in [*RATES, "memory_batch", "crossover_tokens", "speculation", "forced"]:
        assert decode[figure] is None, figure


def test_where_no_session_fits_the_batches_are_null():
    decode = public({"memory_gb": 40}, workload={"batch": 2})["decode"]
    assert decode["verdict"] == "no session fits"
    assert decode["memory_batch"] == 0 and decode["spare_gb"] == -10
    for figure in [*RATES, "rate_limited_batch"]:
        assert decode[figure] is None, figure
    assert decode["crossover_tokens"] > 0
    assert decode["forced"]["fits"] is False and decode["forced"]["clears_floor"] is True


def test_where_no_batch_clears_the_floor_only_the_best_is_null():
    decode = public(workload={"floor_tokens_per_s": 100})["decode"]
    assert decode["verdict"] == "fits, but no batch satisfies the floor"
    assert decode["memory_batch"] == 4 and decode["rate_limited_batch"] == 0
    assert decode["spare_gb"] == 78 and decode["single_session_tokens_per_s"] > 0
    for figure in ("best_batch", "aggregate_tokens_per_s", "per_session_tokens_per_s"):
        assert decode[figure] is None


def test_no_floor_has_no_rate_limit():
    decode = public(workload={"floor_tokens_per_s": 0})["decode"]
    assert decode["rate_limited_batch"] is None and decode["best_batch"] == 4


def test_a_printed_rate_given_back_as_the_floor_admits_its_batch():
    decode = public()["decode"]
    again = public(workload={"floor_tokens_per_s": decode["per_session_tokens_per_s"]})["decode"]
    assert again["best_batch"] == decode["best_batch"]


def test_an_unknown_rate_leaves_the_memory_side():
    prefill = public(prefill={"linear_mode": "fp8_fp32acc"})["prefill"]
    assert "fp8_fp32acc" in prefill["unavailable"]
    assert prefill["memory_ceiling_tokens_per_s"] > 0 and prefill["bytes_per_token"] > 0
    for figure in ("tokens_per_s", "time_s", "limit", "compute_ceiling_tokens_per_s", "range"):
        assert prefill[figure] is None


def test_a_prompt_longer_than_the_reservation_is_unavailable():
    found = public(prefill={"prompt_tokens": 100_001})
    assert found["decode"]["verdict"] == "serves" and found["prefill"]["unavailable"]
    for figure in PREFILL - {"verdict", "kind", "unavailable"}:
        assert found["prefill"][figure] is None, figure


def test_a_budget_that_nothing_meets_keeps_the_unrestricted_result():
    prefill = public(prefill={"ttft_budget_s": 1e-6})["prefill"]
    assert prefill["verdict"] == "no setting meets the budget"
    assert prefill["tokens_per_s"] is None and prefill["unrestricted"]["time_s"] > 1e-6
    assert public(prefill={})["prefill"]["unrestricted"] is None


def log_uniform(low, high):
    return st.floats(math.log10(low), math.log10(high)).map(lambda power: 10**power)


percents = st.integers(1, 100).map(lambda percent: percent / 100)
contexts = st.one_of(st.integers(1, 200_000), st.integers(1, 2**31))


@st.composite
def routed(draw, dense):
    """A dense adapter given experts whose always-on part is not negative, most of the time."""
    adapter = dict(draw(dense))
    if draw(st.booleans()):
        adapter["routed_experts"] = draw(st.integers(2, 512))
        adapter["experts_per_token"] = draw(st.integers(1, adapter["routed_experts"]))
        share = adapter["experts_per_token"] / adapter["routed_experts"]
        share = share + (1 - share) * draw(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0, -0.1]))
        adapter["active_parameters_b"] = share * adapter["total_parameters_b"]
    return adapter


dense_adapters = st.fixed_dictionaries(
    {
        "total_parameters_b": log_uniform(1e-3, 1e4),
        "bytes_per_parameter": log_uniform(0.01, 8),
        "cache": st.one_of(
            st.fixed_dictionaries(
                {
                    "alloc_gb_per_session": log_uniform(1e-9, 1e3),
                    "read_gb_per_token": st.one_of(st.just(0.0), log_uniform(1e-9, 1e3)),
                }
            ),
            st.lists(
                st.one_of(
                    st.fixed_dictionaries(
                        {"count": st.integers(1, 100), "kind": st.just("full"),
                         "bytes_per_token": log_uniform(1e-3, 1e6)}
                    ),
                    st.fixed_dictionaries(
                        {"count": st.integers(1, 100), "kind": st.just("window"),
                         "bytes_per_token": log_uniform(1e-3, 1e6), "window_tokens": contexts}
                    ),
                    st.fixed_dictionaries(
                        {"count": st.integers(1, 100), "kind": st.just("state"),
                         "bytes": log_uniform(1, 1e8)}
                    ),
                ),
                max_size=3,
            ).map(lambda layers: {"layers": layers}),
        ),
    },
    optional={
        "max_context_tokens": st.integers(1, 300_000),
        "resident_gb": log_uniform(1e-6, 1e5),
        "prefill": st.fixed_dictionaries(
            {},
            optional={
                "linear_active_parameters_b": log_uniform(1e-3, 1e4),
                "swept_gb": log_uniform(1e-3, 1e4),
                "cache_write_bytes_per_token": log_uniform(1e-3, 1e9),
                "attention": st.just([{"count": 2, "kind": "full", "query_width": 6144}]),
            },
        ),
    },
)  # fmt: skip
adapters = routed(dense_adapters)
workloads = st.fixed_dictionaries(
    {},
    optional={
        "reserved_context_tokens": contexts,
        "read_context_fraction": percents,
        "floor_tokens_per_s": st.one_of(st.just(0.0), log_uniform(1e-6, 1e9)),
        "overhead_gb": st.one_of(st.just(0.0), log_uniform(1e-9, 1e3)),
        "routing": st.sampled_from(["expected", "floor"]),
        "cache_policy": st.sampled_from(["windowed", "full"]),
        "decode_ceiling": st.sampled_from(["memory", "combined"]),
        "batch": st.integers(1, 2**31),
    },
)
speculations = st.fixed_dictionaries(
    {"draft_tokens": st.integers(0, 16), "acceptance": percents},
    optional={
        "draft": st.fixed_dictionaries(
            {name: log_uniform(1e-6, 1e3)
             for name in ("resident_gb", "sweep_gb", "cache_alloc_gb", "cache_read_gb")}
        )
    },
)  # fmt: skip
prefills = st.fixed_dictionaries(
    {},
    optional={
        "prompt_tokens": contexts,
        "cached_prefix_tokens": st.integers(0, 100_000),
        "chunk_tokens": st.integers(64, 2**31),
        "ttft_budget_s": log_uniform(1e-6, 1e9),
        "cache_growth": st.sampled_from(["reserved", "on_demand"]),
        "batch": st.integers(1, 2**31),
    },
)
machines = st.fixed_dictionaries(
    {"memory_gb": log_uniform(1, 1e9), "bandwidth_gb_per_s": log_uniform(1e-6, 1e9)},
    optional={"compute_tflop_per_s": st.just({"bf16_fp32acc": 125})},
)


@settings(max_examples=120, deadline=None)
@given(machines, adapters, workloads, st.none() | speculations, st.none() | prefills)
def test_any_scenario_gives_a_result_or_one_clear_problem(
    hardware, adapter, workload, speculation, prefill
):
    document = {
        "format": "ourmodels-scenario", "version": 1, "hardware": hardware,
        "model": {"adapter": adapter}, "workload": workload, "speculation": speculation,
        "prefill": prefill,
    }  # fmt: skip
    try:
        chosen = scenario.read(json.dumps(document))
    except BadInput as bad:
        event(f"refused at {bad.problem.key}")
        return
    evaluation = run(chosen, Library({}, {}))
    if evaluation.result is None:
        event(f"refused at {evaluation.problem.key}")
        assert evaluation.problem.key
        return
    event(evaluation.result.decode.verdict)
    found = export.document(evaluation.result)
    json.dumps(found, allow_nan=False)
    assert found["decode"]["aggregate_tokens_per_s"] != 0
    assert summary.to_text(summary.summarise(evaluation))
