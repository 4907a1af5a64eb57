"""A result as the public JSON: GB for bytes, null where a figure does not exist."""

from typing import Any

import msgspec

from .engine.result import Decode, Placement, Prefill, PrefillPoint, PromptRange, Result

GB = 1e9

DECODE_FIGURES = (
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
)
PREFILL_FIGURES = (
    "batch",
    "chunk_tokens",
    "tokens_per_s",
    "time_s",
    "limit",
    "memory_ceiling_tokens_per_s",
    "compute_ceiling_tokens_per_s",
    "memory_power_tokens_per_s",
    "linear_ceiling_tokens_per_s",
    "flop_per_token",
    "bytes_per_token",
    "crossover_tokens",
)


def document(result: Result) -> dict[str, Any]:
    """The result as `ourmodels evaluate` prints it; names and nulls are a public interface."""
    told: dict[str, Any] = {
        "decode": _decode(result.decode),
        "prefill": None if result.prefill is None else _prefill(result.prefill),
        "assumptions": msgspec.to_builtins(result.assumptions),
    }
    if result.placement is not None:
        told["placement"] = _placement(result.placement)
    return told


def to_json(result: Result) -> bytes:
    """`document` as JSON text with every digit of each figure."""
    return msgspec.json.format(msgspec.json.encode(document(result)), indent=2) + b"\n"


def public_name(figure: str) -> str:
    """The name that a figure of the engine has in the JSON.

    >>> public_name("spare_bytes"), public_name("memory_power_bytes2_per_s")
    ('spare_gb', 'memory_power_gb2_per_s')
    """
    if figure == "bytes_per_token":
        return figure
    return figure.replace("_bytes2_per_s", "_gb2_per_s").replace("_bytes", "_gb")


def _decode(decode: Decode) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "resident_margin_gb": decode.resident_margin_bytes / GB,
        "spare_gb": decode.spare_bytes / GB,
        "memory_power_gb2_per_s": decode.memory_power_bytes2_per_s / GB**2,
    }
    return {
        "verdict": decode.verdict,
        "kind": _kind(decode.kind),
        "kind_reasons": list(decode.kind_reasons),
        "cautions": list(decode.cautions),
        **{name: figures.get(name, getattr(decode, name, None)) for name in DECODE_FIGURES},
        "speculation": msgspec.to_builtins(decode.speculation),
        "forced": msgspec.to_builtins(decode.forced),
    }


def _placement(placement: Placement) -> dict[str, Any]:
    pools = [
        {
            "name": pool.name,
            "capacity_gb": pool.capacity_bytes / GB,
            "overhead_gb": pool.overhead_bytes / GB,
            "held_gb": {name: size / GB for name, size in pool.held_bytes.items()},
            "traffic_gb": pool.traffic_bytes / GB,
            "time_s": pool.time_s,
        }
        for pool in placement.pools
    ]
    told: dict[str, Any] = msgspec.to_builtins(placement)
    return told | {"pools": pools}


def _prefill(prefill: Prefill) -> dict[str, Any]:
    single = prefill.single_prompt
    return {
        "verdict": prefill.verdict,
        "kind": _kind(prefill.kind),
        **{name: getattr(prefill, name) for name in PREFILL_FIGURES},
        "unavailable": prefill.unavailable or None,
        "range": _range(prefill.range),
        "range_single": _range(prefill.range_single),
        "single_prompt": single and {"tokens_per_s": single.tokens_per_s, "time_s": single.time_s},
        "unrestricted": _point(prefill.unrestricted),
    }


def _kind(kinds: dict[str, Any]) -> dict[str, str]:
    return {public_name(figure): kind for figure, kind in kinds.items()}


def _range(ends: PromptRange | None) -> dict[str, Any] | None:
    return None if ends is None else msgspec.to_builtins(ends)


def _point(point: PrefillPoint | None) -> dict[str, Any] | None:
    return None if point is None else msgspec.to_builtins(point)
