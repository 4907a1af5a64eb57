"""A scenario written out in full, so that its figures can be done by hand."""

import json

from ourmodels_gui import scenario
from ourmodels_gui.evaluation import Evaluation, run
from ourmodels_gui.library.load import Library

HARDWARE = {
    "name": "Toy",
    "kind": "unified",
    "memory_gb": 128,
    "bandwidth_gb_per_s": 800,
    "compute_tflop_per_s": {"bf16_fp32acc": 125},
}
ADAPTER = {
    "name": "Dense",
    "total_parameters_b": 36,
    "bytes_per_parameter": 0.5,
    "max_context_tokens": 131_072,
    "cache": {"layers": [{"count": 1, "kind": "full", "bytes_per_token": 260_000}]},
    "prefill": {
        "linear_active_parameters_b": 32,
        "attention": [{"count": 64, "kind": "full", "query_width": 5120}],
    },
}
WORKLOAD = {"reserved_context_tokens": 100_000, "read_context_tokens": 32_000,
            "floor_tokens_per_s": 20, "overhead_gb": 6}  # fmt: skip


def evaluated(hardware=None, adapter=None, workload=None, **sections) -> Evaluation:
    """The toy with changes to its parts, and further sections of a scenario."""
    document = {
        "format": "ourmodels-scenario", "version": 1, "hardware": HARDWARE | (hardware or {}),
        "model": {"adapter": ADAPTER | (adapter or {})}, "workload": WORKLOAD | (workload or {}),
    }  # fmt: skip
    return run(scenario.read(json.dumps(document | sections)), Library({}, {}))
