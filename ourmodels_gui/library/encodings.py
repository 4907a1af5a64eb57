"""Stored bytes of one tensor from the block layout of its number format.

A block layout says how many bits each value takes and what each block of values carries beside
them: scales, minima, zero points. A format of a whole file (`formats`) chooses one per tensor.
"""

from math import ceil, prod

import msgspec


class Encoding(msgspec.Struct, frozen=True):
    """How one tensor is stored.

    value_bits: of each value. block_rows, block_columns: the values that share what follows, 0
    columns for a whole row. block_bytes: what a block carries beside its values. tensor_bytes:
    what a whole tensor carries. layout: where the block is defined, in words.
    """

    id: str
    value_bits: float
    block_columns: int = 1
    block_bytes: float = 0.0
    block_rows: int = 1
    tensor_bytes: float = 0.0
    layout: str = ""


_GGML = "ggml block structs (ggml-common.h, llama.cpp)"
_MLX = "MLX affine quantisation: a 16-bit scale and a 16-bit bias for each group (mx.quantize)"
_OCP = "OCP Microscaling (MX) specification 1.0: an 8-bit exponent for each 32 values"


def _ggml(name: str, values: int, size: int) -> Encoding:
    """A ggml block of `values` numbers in `size` bytes; everything is inside the block."""
    return Encoding(name, 0.0, values, float(size), layout=_GGML)


def _mlx(bits: int, group: int) -> Encoding:
    return Encoding(f"mlx{bits}_g{group}", bits, group, 4.0, layout=_MLX)


def _by_id(*encodings: Encoding) -> dict[str, Encoding]:
    return {encoding.id: encoding for encoding in encodings}


ENCODINGS: dict[str, Encoding] = _by_id(
    Encoding("fp32", 32, layout="IEEE 754 binary32"),
    Encoding("fp16", 16, layout="IEEE 754 binary16"),
    Encoding("bf16", 16, layout="bfloat16: the upper half of binary32"),
    Encoding("fp8", 8, tensor_bytes=4, layout="OCP 8-bit floating point; one scale per tensor"),
    Encoding("fp8_channel", 8, 0, 4, layout="OCP 8-bit floating point; one scale per output row"),
    Encoding(
        "fp8_b128", 8, 128, 4, 128, layout="E4M3 with a 32-bit scale per 128 x 128 (DeepSeek-V3)"
    ),
    Encoding("mxfp8", 8, 32, 1, layout=_OCP),
    Encoding("int8", 8, 0, 4, layout="8-bit integers; one scale per output row"),
    Encoding(
        "nvfp4", 4, 16, 1, tensor_bytes=8, layout="E2M1 with an E4M3 scale per 16 (NVIDIA NVFP4)"
    ),
    Encoding("mxfp4", 4, 32, 1, layout=_OCP),
    Encoding("int4_g32", 4, 32, 2, layout="4-bit integers, 16-bit scale per 32, symmetric"),
    Encoding("awq_g128", 4, 128, 2.5, layout="AutoAWQ GEMM: 16-bit scale and 4-bit zero per 128"),
    Encoding("awq_g32", 4, 32, 2.5, layout="AutoAWQ GEMM: 16-bit scale and 4-bit zero per 32"),
    Encoding("gptq_g128", 4, 128, 2.5, layout="GPTQ: 16-bit scale and 4-bit zero per 128"),
    Encoding("gptq_g32", 4, 32, 2.5, layout="GPTQ: 16-bit scale and 4-bit zero per 32"),
    *(_mlx(bits, group) for bits in (3, 4, 5, 6, 8) for group in (32, 64)),
    _ggml("q4_0", 32, 18),
    _ggml("q4_1", 32, 20),
    _ggml("q5_0", 32, 22),
    _ggml("q5_1", 32, 24),
    _ggml("q8_0", 32, 34),
    _ggml("q1_0", 128, 18),
    _ggml("q2_k", 256, 84),
    _ggml("q3_k", 256, 110),
    _ggml("q4_k", 256, 144),
    _ggml("q5_k", 256, 176),
    _ggml("q6_k", 256, 210),
    _ggml("iq1_s", 256, 50),
    _ggml("iq1_m", 256, 56),
    _ggml("iq2_xxs", 256, 66),
    _ggml("iq2_xs", 256, 74),
    _ggml("iq2_s", 256, 82),
    _ggml("iq3_xxs", 256, 98),
    _ggml("iq3_s", 256, 110),
    _ggml("iq4_xs", 256, 136),
    _ggml("iq4_nl", 32, 18),
    _ggml("tq1_0", 256, 54),
    _ggml("tq2_0", 256, 66),
    _ggml("gguf_mxfp4", 32, 17),
    _ggml("gguf_nvfp4", 64, 36),
    *(Encoding(f"i{bits}", bits, layout=f"{bits}-bit integers") for bits in (8, 16, 32, 64)),
    Encoding("fp64", 64, layout="IEEE 754 binary64"),
    Encoding("nf4", 4, 64, 4, layout="bitsandbytes: 4 bits, a 32-bit scale per 64 (NF4, FP4)"),
    *(
        Encoding(f"int{bits}_g{group}", bits, group, 2, layout="integers, 16-bit scale per group")
        for bits in (2, 3, 4, 5, 6, 8)
        for group in (32, 64, 128)
        if (bits, group) != (4, 32)
    ),
    Encoding("ternary", 2, tensor_bytes=2, layout="four ternary values in a byte (BitNet b1.58)"),
)

CACHE_FORMATS: dict[str, str] = {
    "fp16": "fp16",
    "bf16": "bf16",
    "fp8": "fp8",
    "q8_0": "q8_0",
    "q5_1": "q5_1",
    "q4_0": "q4_0",
    "nvfp4": "nvfp4",
}
"""Cache format ids, each with the encoding of its values."""


def stored_bytes(shape: tuple[int, ...], encoding: Encoding) -> float:
    """Bytes of one tensor, its blocks padded to whole ones.

    values * value_bits / 8 + blocks * block_bytes + tensors * tensor_bytes

    Parameters: shape, (experts,) rows, columns; encoding.

    >>> stored_bytes((2, 512), ENCODINGS["q4_k"])  # 4 blocks of 144 bytes
    576.0
    >>> stored_bytes((256, 200), ENCODINGS["fp8_b128"])  # 51,200 values, 2 x 2 scales
    51216.0
    """
    rows, columns = (shape[-2], shape[-1]) if len(shape) > 1 else (1, shape[0])
    matrices = prod(shape[:-2])
    width = encoding.block_columns or columns
    blocks = ceil(rows / encoding.block_rows) * ceil(columns / width)
    values_bytes = rows * columns * encoding.value_bits / 8
    return matrices * (values_bytes + blocks * encoding.block_bytes + encoding.tensor_bytes)


def cache_value_bytes(cache_format: str) -> float:
    """Bytes of one cached value, its share of the block's scale included.

    Parameters: cache_format, a key of CACHE_FORMATS. KeyError for another.

    >>> cache_value_bytes("q8_0")
    1.0625
    """
    encoding = ENCODINGS[CACHE_FORMATS[cache_format]]
    return encoding.value_bits / 8 + encoding.block_bytes / (encoding.block_columns or 1)
