"""llama-bench: one row of its table, CSV, JSON or SQL -> a run."""

import re
from collections.abc import Mapping
from functools import lru_cache

from ...language import mark, tr
from ..runs import MeasuredRun, Said
from .context import Context
from .figures import Figure, count, positive, size_gb

TEST = re.compile(
    r"^(?P<kind>pp|tg)\s*(?P<tokens>\d+)(?:\s*@\s*d\s*(?P<depth>\d+))?$|^pp\s*\d+\s*\+\s*tg\s*\d+",
    re.I,
)
WEIGHTS = re.compile(
    r"^(?P<model>.*?)(?:\s+mostly)?\s+"
    r"(?P<weights>(?:I?Q\d\w*|TQ\d\w*|F16|BF16|F32|MXFP4|NVFP4)\b.*)$",
    re.I,
)
CACHES = {"f16": "fp16", "bf16": "bf16", "q8_0": "q8_0", "q5_1": "q5_1", "q4_0": "q4_0"}
MIXED = mark("the prompt and what is generated share one figure, which is neither phase's rate")

KEYS = (
    *("model", "size", "backend", "ngl", "sm", "ts", "ot", "ncmoe", "n_cpu_moe", "nkvo"),
    *("type_k", "type_v", "test", "t/s"),
    *("model_filename", "model_type", "model_size", "backends", "cpu_info", "gpu_info"),
    *("n_gpu_layers", "split_mode", "tensor_split", "tensor_buft_overrides", "no_kv_offload"),
    *("n_prompt", "n_gen", "n_depth", "avg_ts"),
)
"""Columns of the table and fields of the other formats that are used."""

Row = Mapping[str, object]


def is_row(row: Row) -> bool:
    """Whether the keys are those of llama-bench, in any of its formats."""
    return ("avg_ts" in row and "n_prompt" in row) or ("t/s" in row and "test" in row)


def run(row: Row, context: Context) -> MeasuredRun | str:
    """The run that a row describes, or why it is none.

    Keys: the columns of the Markdown table, or the fields of the other formats.
    """
    said = {key: str(row[key]).strip() for key in KEYS if key in row}
    rate = positive(said.get("avg_ts") or said.get("t/s", ""))
    if rate is None:
        return tr("the rate (t/s) is missing")
    phase_ = _phase(said)
    if isinstance(phase_, str):
        return phase_
    kind, tokens, depth = phase_
    model, weights = names(said, context)
    machine, devices = _machine(said, context)
    prefill = kind == "pp"
    return MeasuredRun(
        id="",
        said=Said(machine, model, weights),
        devices=devices,
        memory_gb=context.memory_gb,
        file_gb=_file_gb(said),
        cache=_cache(said),
        engine="llama.cpp",
        phase="prefill" if prefill else "decode",
        prompt_tokens=tokens if prefill else None,
        generated_tokens=None if prefill else float(tokens),
        depth_tokens=depth,
        batch=1,
        tokens_per_s=rate.value,
        decimals=_decimals(said, rate),
        source="pasted",
        note=context.noted(*_note(said)),
    )


def names(said: Mapping[str, str], context: Context) -> tuple[str, str]:
    """Model and weights as printed: of the file's name where there is one.

    >>> names({"model": "qwen2 7B Q4_K - Medium"}, Context())
    ('qwen2 7B', 'Q4_K - Medium')
    """
    model, weights = _parts(said.get("model_type") or said.get("model", ""))
    file = said.get("model_filename", "").replace("\\", "/").rsplit("/", maxsplit=1)[-1]
    return file or model or context.model, weights


@lru_cache(maxsize=256)
def _parts(kind: str) -> tuple[str, str]:
    found = WEIGHTS.match(kind)
    return (found["model"], found["weights"]) if found else (kind, "")


def _phase(said: Mapping[str, str]) -> tuple[str, int, int] | str:
    """Kind (pp or tg), tokens and depth; or why there is none."""
    if "n_prompt" in said:
        prompt, generated = count(said["n_prompt"]), count(said.get("n_gen", ""))
        depth = count(said.get("n_depth", "0"))
        if prompt is None or generated is None or depth is None:
            return tr("n_prompt, n_gen or n_depth is missing")
        if bool(prompt) == bool(generated):
            return tr(MIXED) if prompt else tr("neither a prompt nor generated tokens are given")
        return ("pp", prompt, depth) if prompt else ("tg", generated, depth)
    found = TEST.match(said.get("test", ""))
    if not found:
        return tr("the test “{value}” is none of pp and tg").format(value=said.get("test", "")[:40])
    if not found["kind"]:
        return MIXED
    return found["kind"].lower(), int(found["tokens"]), int(found["depth"] or 0)


def _machine(said: Mapping[str, str], context: Context) -> tuple[str, int]:
    """The device as printed and how many of it."""
    names, count = _named(said, context)
    if _mode(said) == "none":
        return names.partition(" + ")[0], 1
    return names, min(count, _filled(said) or count)


def _named(said: Mapping[str, str], context: Context) -> tuple[str, int]:
    """What is listed: one device and how many of it, or unlike ones joined."""
    backend = said.get("backends") or said.get("backend", "")
    on_cpu = backend == "CPU" or (said.get("n_gpu_layers") or said.get("ngl")) == "0"
    if on_cpu:
        name = said.get("cpu_info", "")
        return (f"{name} CPU" if name else ""), 1
    gpus = [name.strip() for name in said.get("gpu_info", "").split(",") if name.strip()]
    if gpus:
        return (gpus[0], len(gpus)) if len(set(gpus)) == 1 else (" + ".join(gpus), 1)
    return context.machine, context.count


def _mode(said: Mapping[str, str]) -> str:
    return said.get("split_mode") or said.get("sm", "layer")


def _filled(said: Mapping[str, str]) -> int:
    """How many devices have a part of the model; 0 where that is not said."""
    shares = (said.get("ts") or said.get("tensor_split", "")).split("/")
    return sum((share := positive(text)) is not None and share.value > 0 for text in shares)


def _file_gb(said: Mapping[str, str]) -> float | None:
    if found := size_gb(said.get("size", "")):
        return found
    held = positive(said.get("model_size", ""))
    return held.value / 1e9 if held else None


def _cache(said: Mapping[str, str]) -> str:
    """The cache format; the program's own where keys and values have the same or none is named."""
    key, value = said.get("type_k", "f16"), said.get("type_v", "f16")
    return CACHES.get(key, "") if key == value else ""


def _decimals(said: Mapping[str, str], rate: Figure) -> int:
    return min(rate.decimals, 6) if "avg_ts" in said else rate.decimals


def _note(said: Mapping[str, str]) -> list[str]:
    """What the row says of several devices and host memory."""
    told = []
    if _mode(said) in ("row", "tensor"):
        told.append(f"-sm {_mode(said)}")
    layers = count(said.get("ngl") or said.get("n_gpu_layers") or "")
    if layers is not None and 0 < layers < 90:
        told.append(f"{layers} layers on the GPU")
    experts = count(said.get("n_cpu_moe") or said.get("ncmoe") or "")
    if experts:
        told.append(f"--n-cpu-moe {experts}")
    override = said.get("ot") or said.get("tensor_buft_overrides", "")
    if "=CPU" in override:
        told.append(f"-ot {override[:200]}")
    if said.get("nkvo", "0") == "1" or said.get("no_kv_offload", "").lower() in ("1", "true"):
        told.append("cache in host memory")
    return told
