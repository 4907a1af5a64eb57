"""Random scenarios: what `evaluate` prints against a literal reading of the formulation."""

import json
import math
import random

import pytest
from judge import Judge

from ourmodels_gui import export, scenario
from ourmodels_gui.evaluation import run
from ourmodels_gui.library.load import Library

EMPTY = Library(machines={}, models={})
MODES = ("bf16_fp32acc", "fp8_fp32acc", "fp4_fp32acc")


def random_scenario(seed: int) -> dict:  # noqa: PLR0915
    """A setup small enough for every batch, chunk and length to be tried."""
    r = random.Random(seed)
    moe = r.random() < 0.5
    total = r.uniform(0.5, 40)
    e = r.choice((0.5, 0.5625, 1.0, 2.0))
    adapter: dict = {"name": "x", "total_parameters_b": total, "bytes_per_parameter": e}
    if r.random() < 0.5:
        adapter["resident_gb"] = total * e * r.uniform(0.9, 1.2)
    if moe:
        experts = r.choice((4, 8, 60, 128, 256))
        k = r.randint(1, max(1, experts // 8))
        share = r.uniform(0.05, 0.4)
        fixed = total * share
        adapter |= {
            "routed_experts": experts,
            "experts_per_token": k,
            "active_parameters_b": fixed + (total - fixed) * k / experts,
            "embedding_parameters_b": r.choice((0, fixed * 0.2)),
        }
    else:
        adapter["embedding_parameters_b"] = r.choice((0, total * 0.05))
    size = total * e
    layers: list[dict] = [
        {
            "count": r.randint(1, 8),
            "kind": "full",
            "bytes_per_token": r.choice((1024, 2048, 1152.5)),
        }
    ]
    if r.random() < 0.5:
        layers.append(
            {
                "count": r.randint(1, 20),
                "kind": "window",
                "window_tokens": r.randint(1, 300),
                "bytes_per_token": 2048,
            }
        )
    if r.random() < 0.3:
        layers.append(
            {
                "count": 3,
                "kind": "sparse",
                "bytes_per_token": 1152,
                "selected_tokens": r.randint(1, 200),
                "index_bytes_per_token": 132,
            }
        )
    if r.random() < 0.3:
        layers.append({"count": 6, "kind": "state", "bytes": r.uniform(1e4, 4e6)})
    limit = r.randint(8, 400)
    adapter["max_context_tokens"] = limit
    adapter["cache"] = {"layers": layers}
    attention: list[dict] = [{"count": 12, "kind": "full", "query_width": r.choice((512, 6144))}]
    for layer in layers[1:]:
        attention.append(
            {
                "window": {
                    "count": 36,
                    "kind": "window",
                    "window_tokens": layer.get("window_tokens"),
                    "query_width": 9216,
                },
                "sparse": {
                    "count": 4,
                    "kind": "sparse",
                    "query_width": 8192,
                    "selected_tokens": layer.get("selected_tokens"),
                    "index_flop_per_pair": r.choice((0, 8192)),
                },
                "state": {"count": 4, "kind": "state", "flop_per_token": 8e6},
            }[layer["kind"]]
        )
    adapter["prefill"] = {
        "linear_active_parameters_b": (adapter.get("active_parameters_b") or total) * 0.9,
        "attention": attention,
    }
    if r.random() < 0.3:
        adapter["prefill"]["swept_gb"] = size * 0.95
    if r.random() < 0.3:
        adapter["prefill"]["cache_write_bytes_per_token"] = r.uniform(1e3, 1e5)
    per_session = 3e-3 * limit / 400
    hardware = {
        "name": "m",
        "memory_gb": adapter.get("resident_gb", size)
        + 1
        + r.choice((-0.5, 0.0001, per_session * r.uniform(1, 60))),
        "bandwidth_gb_per_s": r.uniform(50, 3000),
        "compute_tflop_per_s": {m: r.uniform(0.5, 300) for m in MODES},
        "kind": "discrete",
    }
    hardware["memory_gb"] = max(hardware["memory_gb"], 0.1)
    workload: dict = {
        "reserved_context_tokens": r.randint(4, 500),
        "floor_tokens_per_s": r.choice((0, 0, 5, 20, 60)),
        "routing": r.choice(("expected", "floor")),
        "cache_policy": r.choice(("windowed", "full")),
        "decode_ceiling": r.choice(("memory", "combined")),
    }
    if r.random() < 0.5:
        workload["read_context_fraction"] = r.uniform(0.1, 1)
    else:
        workload["read_context_tokens"] = r.randint(0, workload["reserved_context_tokens"])
    if r.random() < 0.3:
        workload["batch"] = r.randint(1, 80)
    out = {
        "format": "ourmodels-scenario",
        "version": 1,
        "hardware": hardware,
        "model": {"adapter": adapter},
        "workload": workload,
    }
    if r.random() < 0.4:
        g = r.randint(1, 6)
        out["speculation"] = {
            "draft_tokens": g,
            "draft": r.choice(
                (
                    None,
                    {
                        "resident_gb": 0.0005,
                        "sweep_gb": size * 0.05,
                        "cache_alloc_gb": 1e-5,
                        "cache_read_gb": 1e-6,
                    },
                )
            ),
        }
        if r.random() < 0.5:
            out["speculation"]["acceptance"] = r.choice((0, 0.5, 0.9, 1))
        else:
            out["speculation"]["emitted_tokens"] = r.uniform(1, g + 1)
    prefill: dict = {
        "prompt_tokens": r.randint(1, 300),
        "cached_prefix_tokens": r.choice((0, 0, r.randint(1, 100))),
        "chunk_tokens": r.choice((None, 1, r.randint(2, 100))),
        "ttft_budget_s": r.choice((None, None, 10 ** r.uniform(-4, 0))),
        "cache_growth": r.choice(("reserved", "on_demand")),
        "linear_mode": r.choice((*MODES, {"bf16_fp32acc": 0.25, "fp4_fp32acc": 0.75})),
        "attention_mode": "bf16_fp32acc",
    }
    if r.random() < 0.2:
        prefill["batch"] = r.randint(1, 30)
    out["prefill"] = prefill
    return out


def close(a, b, rel=1e-9):
    if isinstance(a, float) or isinstance(b, float):
        if a is None or b is None:
            return a is b
        return math.isclose(a, b, rel_tol=rel, abs_tol=1e-12)
    return a == b


def printed(data: dict) -> dict:
    chosen = scenario.read(json.dumps(data).encode())
    done = run(chosen, EMPTY)
    assert done.problem is None, done.problem
    return export.document(done.result)


@pytest.mark.parametrize("seed", range(150))
def test_evaluate_agrees_with_a_literal_reading(seed: int) -> None:
    data = random_scenario(seed)
    judge = Judge(data)
    got = printed(data)
    for key, want in judge.decode().items():
        have = got["decode"][key]
        if key == "forced" and want:
            assert all(close(have[k], v) for k, v in want.items()), (key, have, want)
        else:
            assert close(have, want), (key, have, want)
    want = judge.prefill()
    for key, value in want.items():
        have = got["prefill"][key]
        if key == "unavailable":
            assert have
        elif key == "unrestricted":
            # a tie between batches is a tie of the ceiling, not of the batch
            assert math.isclose(have["tokens_per_s"], value["tokens_per_s"], rel_tol=1e-9)
        else:
            assert close(have, value, 1e-8), (key, have, value)
    none = got["prefill"]["unavailable"] or got["prefill"]["verdict"] in (
        "model does not fit",
        "the batch does not fit",
    )
    if seed % 5 == 0 and not none:
        for name, single in (("range", False), ("range_single", True)):
            low, high = judge.range(single)
            have = got["prefill"][name]
            if low is None:
                assert have is None
                continue
            for end, (rate, _, _) in (("low", low), ("high", high)):
                assert math.isclose(have[end]["tokens_per_s"], rate, rel_tol=1e-9), (name, end)
