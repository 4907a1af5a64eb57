"""safetensors files and configs for the tests: small ones by the format's own package, huge ones
as a header over a hole, in the same layout."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

SIZES = {
    "F64": 8, "I64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "I16": 2,
    "I8": 1, "U8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E8M0": 1,
}  # fmt: skip
NUMPY = {"F32": np.float32, "F16": np.float16, "I32": np.int32, "U8": np.uint8, "I8": np.int8}


def write_real(path: Path, tensors: dict) -> Path:
    """By the `safetensors` package. tensors: name -> (dtype, shape)."""
    arrays = {name: np.zeros(shape, NUMPY[kind]) for name, (kind, shape) in tensors.items()}
    save_file(arrays, str(path), metadata={"format": "pt"})
    return path


def write_sparse(path: Path, tensors: dict, metadata: dict | None = None) -> Path:
    """The same layout with a hole for the data. tensors: name -> (dtype, shape)."""
    entries, end = {"__metadata__": metadata or {"format": "pt"}}, 0
    for name, (kind, shape) in tensors.items():
        size = SIZES[kind] * int(np.prod(shape, dtype=object))
        entries[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    return write_header(path, json.dumps(entries).encode(), end)


def write_header(path: Path, header: bytes, data: int = 0) -> Path:
    header += b" " * (-len(header) % 8)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + data)
    return path


def write_config(folder: Path, **config) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    return path


def llama_config(*, layers=2, width=256, heads=8, keys=2, rows=512, **more):
    return {
        "architectures": ["TestedForCausalLM"],
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": keys,
        "head_dim": width // heads,
        "intermediate_size": 2 * width,
        "vocab_size": rows,
        "max_position_embeddings": 4096,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
        **more,
    }


def llama_tensors(*, layers=2, width=256, heads=8, keys=2, rows=512, kind="BF16", head=True):
    each = width // heads
    tensors = {"model.embed_tokens.weight": (kind, (rows, width))}
    if head:
        tensors["lm_head.weight"] = (kind, (rows, width))
    tensors["model.norm.weight"] = (kind, (width,))
    for i in range(layers):
        at = f"model.layers.{i}"
        tensors |= {
            f"{at}.input_layernorm.weight": (kind, (width,)),
            f"{at}.self_attn.q_proj.weight": (kind, (heads * each, width)),
            f"{at}.self_attn.k_proj.weight": (kind, (keys * each, width)),
            f"{at}.self_attn.v_proj.weight": (kind, (keys * each, width)),
            f"{at}.self_attn.o_proj.weight": (kind, (width, heads * each)),
            f"{at}.post_attention_layernorm.weight": (kind, (width,)),
            f"{at}.mlp.gate_proj.weight": (kind, (2 * width, width)),
            f"{at}.mlp.up_proj.weight": (kind, (2 * width, width)),
            f"{at}.mlp.down_proj.weight": (kind, (width, 2 * width)),
        }
    return tensors
