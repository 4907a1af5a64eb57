"""GGUF files for the tests, by the format's own Python package: real headers over sparse data."""

import warnings
from pathlib import Path

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import gguf
import numpy as np

TYPES = gguf.GGMLQuantizationType


def bytes_of(shape, kind):
    block, size = gguf.GGML_QUANT_SIZES[kind]
    return int(np.prod(shape)) // block * size


def write_gguf(
    path: Path,
    keys: dict,
    tensors: list[tuple[str, tuple[int, ...], TYPES]],
    *,
    arch="tested",
    big=False,
    alignment=32,
    cut=0,
) -> Path:
    """A complete header; the tensor data is a hole in the file as long as it has to be.

    keys beginning with a dot are the architecture's own. tensors: name, (rows, columns), type.
    """
    endian = gguf.GGUFEndian.BIG if big else gguf.GGUFEndian.LITTLE
    writer = gguf.GGUFWriter(str(path), arch, endianess=endian)
    if alignment != 32:
        writer.add_custom_alignment(alignment)
    for key, value in keys.items():
        add_value(writer, arch + key if key.startswith(".") else key, value)
    data = 0
    for name, shape, kind in tensors:
        size = bytes_of(shape, kind)
        stored = shape if kind == TYPES.F32 else gguf.quant_shape_to_byte_shape(shape, kind)
        dtype = np.dtype(np.float32 if kind == TYPES.F32 else np.uint8)
        writer.add_tensor_info(name, stored, dtype, size, kind)
        data = data + -data % alignment + size
    writer.write_header_to_file(path)
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    with path.open("r+b") as file:
        end = path.stat().st_size
        start = end + -end % alignment if tensors else end
        file.truncate(start + data - cut)
    return path


def add_value(writer, key, value):
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        writer.add_array(key, value)


def llama_keys(*, layers=2, width=256, heads=8, keys=2, context=4096, **more):
    return {
        "general.name": "Tested 1B",
        ".block_count": layers,
        ".embedding_length": width,
        ".feed_forward_length": 2 * width,
        ".context_length": context,
        ".attention.head_count": heads,
        ".attention.head_count_kv": keys,
        **{key.replace("__", "."): value for key, value in more.items()},
    }


def llama_tensors(
    *, layers=2, width=256, heads=8, keys=2, rows=512, kind=TYPES.F16, head=None, head_width=None
):
    """Tensors of a plain decoder; `head`: type of an output head of its own."""
    each = head_width or width // heads
    tensors = [("token_embd.weight", (rows, width), kind)]
    if head is not None:
        tensors.append(("output.weight", (rows, width), head))
    tensors.append(("output_norm.weight", (width,), TYPES.F32))
    for i in range(layers):
        tensors += [
            (f"blk.{i}.attn_norm.weight", (width,), TYPES.F32),
            (f"blk.{i}.attn_q.weight", (heads * each, width), kind),
            (f"blk.{i}.attn_k.weight", (keys * each, width), kind),
            (f"blk.{i}.attn_v.weight", (keys * each, width), kind),
            (f"blk.{i}.attn_output.weight", (width, heads * each), kind),
            (f"blk.{i}.ffn_norm.weight", (width,), TYPES.F32),
            (f"blk.{i}.ffn_gate.weight", (2 * width, width), kind),
            (f"blk.{i}.ffn_up.weight", (2 * width, width), kind),
            (f"blk.{i}.ffn_down.weight", (width, 2 * width), kind),
        ]
    return tensors
