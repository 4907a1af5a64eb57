"""How long a model's headers take to read: one huge file, and a model over many shards.

Run from the repository root: python benchmarks/import_model.py
Limits: 20 GB with a vocabulary of 150,000 in 150 ms and 60 MB; 400 GB over 100 shards in 1 s.
"""

import json
import sys
import tempfile
import tracemalloc
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/library/importers"))

from catalog_files import gguf_keys, gguf_tensors, hf_config, hf_tensors, model
from gguf_files import write_gguf
from safetensors_files import write_config, write_sparse

from ourmodels_gui.library.importers.importing import import_model

VOCABULARY = 151_936
SHARDS = 100
REPETITIONS = 7


def one_file(folder: Path) -> Path:
    """20 GB of Qwen3-8B in Q4_K_M, all but the header a hole."""
    record = model("qwen3-8b")
    words = {
        "tokenizer.ggml.tokens": [f"token{i}" for i in range(VOCABULARY)],
        "tokenizer.ggml.merges": [f"to ken{i}" for i in range(VOCABULARY)],
        "tokenizer.ggml.token_type": [1] * VOCABULARY,
    }
    path = folder / "one.gguf"
    write_gguf(path, gguf_keys(record) | words, gguf_tensors(record, "q4_k_m"))
    with path.open("r+b") as file:
        file.truncate(20_000_000_000)
    return path


def shards(folder: Path, name: str, *, fp8: bool = False) -> Path:
    """A release over 100 shards and an index, all data a hole; in BF16, or FP8 with its scales."""
    record, place = model(name), folder / f"{name}{'-fp8' * fp8}"
    place.mkdir()
    write_config(place, **hf_config(record))
    held = hf_tensors(record)
    tensors, weight_map = list((in_fp8(held) if fp8 else held).items()), {}
    for i in range(SHARDS):
        shard = f"model-{i + 1:05}-of-{SHARDS:05}.safetensors"
        part = dict(tensors[i::SHARDS])
        write_sparse(place / shard, part)
        weight_map |= dict.fromkeys(part, shard)
    index = json.dumps({"weight_map": weight_map})
    (place / "model.safetensors.index.json").write_text(index)
    return place


def in_fp8(tensors: dict) -> dict:
    """Each matrix in FP8 with a scale for 128 x 128 weights beside it."""
    made = {}
    for name, (kind, shape) in tensors.items():
        if len(shape) < 2 or "embed" in name or "head" in name:
            made[name] = (kind, shape)
            continue
        made[name] = ("F8_E4M3", shape)
        made[f"{name}_scale_inv"] = ("F32", tuple(-(-side // 128) for side in shape))
    return made


def measured(path: Path) -> tuple[float, float, int, int]:
    """Seconds (the quickest of several), peak bytes, tensors, bytes of the files."""
    times = []
    for _ in range(REPETITIONS):
        start = perf_counter()
        import_model(path)
        times.append(perf_counter() - start)
    tracemalloc.start()
    files = import_model(path).files.checkpoint
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times), peak, len(files.tensors), files.file_bytes


def main() -> int:
    """Print times and memory; 1 where a limit is missed."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        cases = [
            ("one GGUF file", one_file(work), 0.150),
            ("400 GB class, plain", shards(work, "llama-3.1-405b-instruct"), 1.0),
            ("400 GB class, single experts", shards(work, "qwen3-235b-a22b"), 1.0),
            ("the same in FP8 with scales", shards(work, "qwen3-235b-a22b", fp8=True), 1.0),
        ]
        for name, path, limit in cases:
            seconds, peak, tensors, size = measured(path)
            missed |= seconds > limit or peak > 60e6
            print(
                f"{name:30} {size / 1e9:6.0f} GB {tensors:6,} tensors {1e3 * seconds:6.0f} ms "
                f"(limit {1e3 * limit:.0f}) {peak / 1e6:5.1f} MB (limit 60)"
            )
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
