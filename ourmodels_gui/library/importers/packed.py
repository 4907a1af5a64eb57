"""Stored tensors -> weights as they work in the model: packed words, scales and zero points undone.

Which packing it is follows from the names and number formats of what stands beside a tensor; the
shapes then give the size. The config only decides where two readings are possible.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import prod

from ...language import tr
from ...problem import BadInput
from ..encodings import ENCODINGS
from .companions import Beside, with_companions
from .found import Tensor, shorten
from .quantisation import Packing, Scheme
from .safetensors import Raw

PLAIN: dict[str, str] = {
    "F32": "fp32",
    "F16": "fp16",
    "BF16": "bf16",
    "F64": "fp64",
    "I64": "i64",
    "U64": "i64",
    "C64": "i64",
    "I32": "i32",
    "U32": "i32",
    "I16": "i16",
    "U16": "i16",
    "I8": "i8",
    "U8": "i8",
    "BOOL": "i8",
    "F4": "mxfp4",
    "F6_E2M3": "int6_g32",
    "F6_E3M2": "int6_g32",
}
_FLOAT8 = ("F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ")

_PACKED = (".qweight", ".weight_packed", "_blocks")

_MICROSCALED = ((4, 32), (4, 16), (8, 32))
_AFFINE = (
    *((bits, 64) for bits in (4, 8, 6, 5, 3)),
    *((bits, 32) for bits in (4, 8, 6, 5, 3, 2)),
    *((bits, 128) for bits in (4, 8, 6, 5, 3, 2)),
)
"""Bits and group sizes of MLX, the usual first, for weights without a config."""


def undo_packing(raws: Iterable[Raw], packing: Packing, place: str) -> tuple[Tensor, ...]:
    """The weights of a checkpoint, each with all the bytes that are stored for it.

    Raises BadInput naming a tensor whose packing is not known, or whose scales do not fit it.
    """
    return tuple(_weight(raw, beside, packing, place) for raw, beside in with_companions(raws))


def _weight(raw: Raw, beside: Beside, packing: Packing, place: str) -> Tensor:
    size = raw.stored_bytes
    for other in beside.values():
        size += other.stored_bytes
    name = raw.name
    if not name.endswith(".weight"):
        for ending in _PACKED:
            if name.endswith(ending):
                module = name[: -len(ending)]
                name = module if ending == "_blocks" else f"{module}.weight"
                break
    shape, encoding = _undone(raw, beside, packing, name.removesuffix(".weight"), place)
    shape = shape or (1,)
    if 0 in shape:
        raise _bad(raw, place, tr("it is empty; the file is damaged"))
    return Tensor(name, shape, size, encoding)


def _undone(
    raw: Raw, beside: Beside, packing: Packing, module: str, place: str
) -> tuple[tuple[int, ...], str]:
    """Shape and encoding of one weight."""
    if raw.dtype in _FLOAT8:
        return raw.shape, _float8(raw, beside)
    if raw.name.endswith(".qweight"):
        return _gptq_or_awq(raw, beside, packing, place)
    if raw.name.endswith("_blocks") and raw.dtype == "U8" and "scales" in beside:
        if len(raw.shape) < 2 or raw.shape[:-1] != beside["scales"].shape:
            raise _bad(raw, place, tr("its scales do not fit its blocks"))
        return (*raw.shape[:-2], raw.shape[-2] * raw.shape[-1] * 2), "mxfp4"
    if raw.name.endswith(".weight_packed"):
        return _compressed(raw, beside, packing, place)
    if raw.dtype == "U32" and "scales" in beside:
        return _mlx(raw, beside, packing.of(module), place)
    if any(key.startswith(("absmax", "quant_state")) for key in beside):
        return (2 * prod(raw.shape),), "nf4"
    if raw.dtype in ("U8", "I8") and (scale := _scale_of(beside)) is not None:
        return _bytes_with_scale(raw, scale, place)
    packed_words = raw.dtype in ("I32", "U32", "U8", "I8", "I16", "U16") and len(raw.shape) > 1
    if packed_words and raw.name.endswith((".weight", "_proj", "_weight", "trellis")):
        raise _bad(
            raw,
            place,
            tr(
                "it is stored as packed words ({dtype}, {shape}) in a way that is not known "
                "here; known are AWQ, GPTQ, MLX, bitsandbytes, compressed-tensors, NVFP4, "
                "MXFP4 and FP8"
            ).format(dtype=raw.dtype, shape=list(raw.shape)),
        )
    return raw.shape, PLAIN.get(raw.dtype, "bf16")


def _gptq_or_awq(
    raw: Raw, beside: Beside, packing: Packing, place: str
) -> tuple[tuple[int, ...], str]:
    """32-bit words along the inputs (GPTQ) or the outputs (AWQ); scales are (groups, outputs)."""
    scales, zeros = beside.get("scales"), beside.get("qzeros")
    if scales is None or len(raw.shape) != 2 or len(scales.shape) != 2 or not scales.shape[1]:
        raise _bad(
            raw, place, tr("a GPTQ or AWQ weight needs its scales (groups, outputs) beside it")
        )
    groups, outputs = scales.shape
    stated = packing.of("").bits
    if raw.shape[1] == outputs:
        words = zeros.shape[1] if zeros is not None and len(zeros.shape) == 2 else 0
        bits = words * 32 // outputs or stated or 4
        order = beside.get("g_idx")
        inputs = order.shape[0] if order and order.shape else raw.shape[0] * 32 // bits
        kind = "gptq"
    else:
        bits = raw.shape[1] * 32 // outputs
        inputs, kind = raw.shape[0], "awq"
    packed = (inputs * outputs * bits + 31) // 32
    if bits not in range(2, 9) or not groups or packed != prod(raw.shape):
        raise _bad(
            raw,
            place,
            tr("its words {words} and scales {scales} differ").format(
                words=list(raw.shape), scales=list(scales.shape)
            ),
        )
    return (outputs, inputs), _grouped(kind, bits, inputs // groups)


def _mlx(raw: Raw, beside: Beside, scheme: Scheme, place: str) -> tuple[tuple[int, ...], str]:
    """32-bit words along the last axis; as many scales in a row as groups."""
    scales = beside["scales"]
    alike = raw.shape[:-1] == scales.shape[:-1]
    if not raw.shape or not scales.shape or not scales.shape[-1] or not alike:
        raise _bad(raw, place, tr("its scales do not fit it"))
    words, groups = raw.shape[-1], scales.shape[-1]
    known = [(scheme.bits, scheme.group)] if scheme.bits and scheme.group else []
    usual = _MICROSCALED if scales.dtype == "U8" else _AFFINE
    for bits, group in (*known, *usual):
        if bits in range(2, 9) and bits * group * groups == 32 * words:
            if scales.dtype == "U8":
                encoding = {16: "nvfp4"}.get(group, "mxfp4" if bits == 4 else "mxfp8")
            else:
                encoding = _grouped("mlx", bits, group)
            return (*raw.shape[:-1], groups * group), encoding
    raise _bad(
        raw,
        place,
        tr("its words {words} and scales {scales} differ").format(
            words=list(raw.shape), scales=list(scales.shape)
        ),
    )


def _compressed(
    raw: Raw, beside: Beside, packing: Packing, place: str
) -> tuple[tuple[int, ...], str]:
    """compressed-tensors: words or pairs of 4-bit numbers along the inputs."""
    scale = beside.get("weight_scale")
    if scale is None or len(raw.shape) < 2:
        raise _bad(raw, place, tr("a packed weight needs its weight_scale beside it"))
    if raw.dtype in ("U8", "I8"):
        return _bytes_with_scale(raw, scale, place)
    groups = scale.shape[-1] if len(scale.shape) == len(raw.shape) else 1
    schemes = [s for s in packing.schemes if s.bits] or [Scheme(4, 0)]
    for scheme in schemes:
        inputs = raw.shape[-1] * 32 // scheme.bits
        if groups and (not scheme.group or inputs == groups * scheme.group):
            group = inputs // groups if groups > 1 else 0
            return (*raw.shape[:-1], inputs), _grouped("int", scheme.bits, group)
    raise _bad(
        raw,
        place,
        tr("no scheme of the config fits {shape} with {groups:,} groups").format(
            shape=list(raw.shape), groups=groups
        ),
    )


def _bytes_with_scale(raw: Raw, scale: Raw, place: str) -> tuple[tuple[int, ...], str]:
    """Bytes that are one 8-bit number each, two of 4 bits, or four of 2 bits."""
    columns = raw.shape[-1] if raw.shape else 1
    groups = scale.shape[-1] if len(scale.shape) >= 2 and len(scale.shape) == len(raw.shape) else 1
    per_group = columns // groups if groups and columns % groups == 0 else 0
    if groups > 1 and per_group == 8:
        return (*raw.shape[:-1], 2 * columns), "nvfp4"
    if groups > 1 and per_group == 16:
        return (*raw.shape[:-1], 2 * columns), "mxfp4"
    if raw.dtype == "U8" and prod(scale.shape) == 1 and len(raw.shape) == 2:
        return (4 * raw.shape[0], columns), "ternary"
    if raw.dtype == "U8" and per_group == 32:
        return raw.shape, "mxfp8"
    if raw.dtype == "I8":
        return raw.shape, "int8" if groups == 1 else _grouped("int", 8, per_group)
    raise _bad(
        raw,
        place,
        tr("its scale {shape} does not say how it is packed").format(shape=list(scale.shape)),
    )


def _float8(raw: Raw, beside: Beside) -> str:
    scale = _scale_of(beside)
    return "fp8" if scale is None else _scaled_float8(raw.shape, scale.shape)


@lru_cache(maxsize=1024)
def _scaled_float8(shape: tuple[int, ...], scales: tuple[int, ...]) -> str:
    """Of ten thousands of tensors, very few differ in their shapes."""
    if prod(scales) <= 1 or len(shape) < 2:
        return "fp8"
    if len(scales) >= 2 and scales[-1] > 1 and shape[-1] == 32 * scales[-1]:
        return "mxfp8"
    if len(scales) >= 2 and scales[-1] == -(-shape[-1] // 128):
        return "fp8_b128" if scales[-2] != shape[-2] or shape[-1] > 128 else "fp8"
    return "fp8_channel"


def _scale_of(beside: Beside) -> Raw | None:
    for what in ("weight_scale_inv", "weight_scale", "scale_inv", "scale", "SCB", "scales"):
        if what in beside:
            return beside[what]
    return None


def _grouped(kind: str, bits: int, group: int) -> str:
    """The encoding nearest to integers of `bits` with scales for each `group` of them."""
    wanted = f"{kind}{bits}_g{group}" if kind in ("mlx", "int") else f"{kind}_g{group}"
    if wanted in ENCODINGS and (kind in ("mlx", "int") or bits == 4):
        return wanted
    sizes = (32, 64, 128)
    nearest = min(sizes, key=lambda size: abs(size - (group or 128)))
    return f"int{bits}_g{nearest}" if f"int{bits}_g{nearest}" in ENCODINGS else "i8"


def _bad(raw: Raw, place: str, message: str) -> BadInput:
    return BadInput(shorten(raw.name), message, place)
