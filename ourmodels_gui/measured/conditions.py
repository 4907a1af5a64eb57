"""The scenario that the source of a run describes.

Every choice that the source leaves open is made so that the ceiling can only be higher: no runtime
overhead, the smallest cache the engine offers, the fastest arithmetic mode the device has for both
paths, a prompt in one shot, a link without limit, all pools at once.
"""

from typing import Any

import msgspec

from ..engine.setup import Routing
from ..library.formats import NATIVE, file_bytes, tensors_bytes
from ..library.hardware import MachineEntry
from ..library.load import Library
from ..library.models import ModelRecord
from ..scenario import ModelRef, PrefillChoice, Scenario, SpeculationChoice, WorkloadChoice
from .composition import hardware_of
from .runs import MeasuredRun

GB = 1e9
FP16_CACHE = ("llama", "ollama", "mlx", "lmstudio", "mlc", "exllama", "ktransformers", "hipfire")
"""Engines whose cache is FP16 unless told otherwise; the others offer FP8, so FP8 is assumed."""
SIXTEEN_BIT = ("fp16_vector", "fp16_fp16acc", "fp16_fp32acc", "bf16_fp32acc")
FILE_WITHIN = 0.01
"""A file smaller than the rule of its format by more is another mix; its size then decides."""

FLOOR = {"workload.routing": "floor", "workload.floor_tokens_per_s": 0}
"""What makes a scenario's ceiling one that a run can be held against."""


def scenario_of(run: MeasuredRun, library: Library, routing: Routing = "floor") -> Scenario:
    """The scenario that the source of a run describes.

    Read context of decode: the depth at the start plus half of what is generated, its mean over
    the run. Raises KeyError for a run whose ids are not in the library.
    """
    entry = library.machines[run.machine]
    read = read_context_tokens(run)
    prompt = run.prompt_tokens or 1
    reserved = max(read, 1, prompt + run.depth_tokens if run.phase == "prefill" else 1)
    mode = fastest_mode(entry)
    return Scenario(
        hardware=hardware_of(run),
        model=_model(run, library.models[run.model].record, reserved),
        workload=WorkloadChoice(
            reserved_context_tokens=reserved,
            read_context_tokens=read,
            floor_tokens_per_s=0.0,
            overhead_gb=0.0,
            cache_format=run.cache or _unstated_cache(run.engine),
            routing=routing,
            decode_ceiling="combined" if mode else "memory",
            batch=run.batch or (1 if run.phase == "decode" else None),
        ),
        speculation=_speculation(run),
        prefill=PrefillChoice(
            prompt_tokens=prompt,
            cached_prefix_tokens=run.depth_tokens if run.phase == "prefill" else None,
            linear_mode=mode,
            attention_mode=mode,
            batch=run.batch or 1,
        ),
    )


def here(run: MeasuredRun) -> dict[str, Any]:
    """The changes to a scenario that give it what a run says of batch and lengths."""
    changes: dict[str, Any] = {}
    if run.phase == "prefill":
        changes["prefill.batch"] = run.batch or 1
        if run.prompt_tokens:
            changes["prefill.prompt_tokens"] = run.prompt_tokens
        if run.depth_tokens:
            changes["prefill.cached_prefix_tokens"] = run.depth_tokens
        return changes
    changes["workload.batch"] = run.batch or (1 if run.phase == "decode" else None)
    if says_context(run):
        read = read_context_tokens(run)
        changes["workload.read_context_fraction"] = None
        changes["workload.read_context_tokens"] = read
        changes["workload.reserved_context_tokens"] = max(read, 1)
    return changes


def says_context(run: MeasuredRun) -> bool:
    """Whether a run says anything of what was cached."""
    return bool(run.depth_tokens or run.prompt_tokens or run.generated_tokens)


def read_context_tokens(run: MeasuredRun) -> int:
    """L_read: what is cached at the start, and half of what is generated; 0 for what is unsaid."""
    start = run.depth_tokens
    if run.phase == "serving":
        start = max(start, run.prompt_tokens or 0)
    return int(start + (run.generated_tokens or 0.0) / 2)


def fastest_mode(entry: MachineEntry) -> str | None:
    """The arithmetic mode with the highest rate; None unless some 16-bit rate is known."""
    rates = entry.machine.compute_flop_per_s
    if not any(mode in rates for mode in SIXTEEN_BIT):
        return None
    return max(rates, key=lambda mode: rates[mode])


def file_scale(run: MeasuredRun, record: ModelRecord) -> float:
    """Bytes of the stated file over those of the format's rule; 0 where the rule stands."""
    if run.file_gb is None:
        return 0.0
    share = run.file_gb * GB / file_bytes(record, run.weights)
    return share if run.sized or share < 1.0 - FILE_WITHIN else 0.0


def _model(run: MeasuredRun, record: ModelRecord, reserved: int) -> ModelRef:
    """The catalog model; written out where the file's size decides, or past its context limit."""
    scale = file_scale(run, record)
    limit = record.context_tokens
    longer = limit is not None and reserved > limit
    if not scale and not longer:
        return ModelRef(run.model, run.weights)
    changes: dict[str, Any] = {}
    weights = run.weights
    if longer:
        changes["context_tokens"] = reserved
    if scale:
        weights = NATIVE
        changes["tensors"] = tuple(
            msgspec.structs.replace(
                group, stored_bytes=scale * tensors_bytes(record, group, run.weights)
            )
            for group in record.tensors
        )
    written = msgspec.to_builtins(msgspec.structs.replace(record, **changes))
    return ModelRef(run.model, weights, record=written)


def _unstated_cache(engine: str) -> str:
    said = engine.lower()
    known = any(name in said for name in FP16_CACHE)
    return "fp16" if known else "fp8"


def _speculation(run: MeasuredRun) -> SpeculationChoice | None:
    """Declared speculation with the model's own layers: rho = 1 + gamma * share accepted."""
    declared = run.drafting
    if declared is None or declared.kind != "mtp":
        return None
    if declared.draft_tokens is None or declared.acceptance is None:
        return None
    emitted = 1.0 + declared.draft_tokens * declared.acceptance
    return SpeculationChoice(declared.draft_tokens, emitted_tokens=emitted, draft="mtp")
