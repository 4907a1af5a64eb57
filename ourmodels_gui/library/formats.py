"""Weight formats: how a whole file stores the tensors of a model.

A format is one rule for matrices and the list of what it leaves alone. The encodings of a release's
own files come with its record: format ``native``.
"""

from collections.abc import Iterable

import msgspec

from ..language import mark
from .encodings import ENCODINGS, stored_bytes
from .gguf_mixes import GGUF_MIXES, Share, fitting, shares
from .models import TOWERS, ModelRecord, Part, TensorClass, Tensors

NATIVE = "native"

_LINEAR: frozenset[TensorClass] = frozenset(
    {"attention", "dense_mlp", "routed_experts", "shared_experts", "recurrent"}
)
_EVERYTHING: frozenset[TensorClass] = _LINEAR | {
    "input_embedding",
    "output_head",
    "router",
    "other",
}


class WeightFormat(msgspec.Struct, frozen=True):
    """One way to store a model.

    matrix: encoding of the matrices of the classes in `quantised`; the others stay in `kept`.
    vector: encoding of norms, biases and convolutions. parts: which parts of a release its files
    hold. quantised_parts: in which of them matrices are quantised. overrides: classes with an
    encoding of their own. mixed: the encodings come from GGUF_MIXES.
    """

    id: str
    name: str
    matrix: str
    kept: str = "bf16"
    vector: str = "bf16"
    quantised: frozenset[TensorClass] = _LINEAR
    parts: tuple[Part, ...] = ("text", "mtp", "vision", "audio")
    quantised_parts: tuple[Part, ...] = ("text",)
    overrides: dict[TensorClass, str] = {}
    mixed: bool = False


def _plain(name: str) -> WeightFormat:
    return WeightFormat(
        name, name.upper(), name, name, name, _EVERYTHING, quantised_parts=("text", "mtp", *TOWERS)
    )


def _mlx(bits: int, group: int) -> WeightFormat:
    suffix = "" if group == 64 else f"-g{group}"
    return WeightFormat(
        f"mlx-{bits}bit{suffix}",
        f"MLX {bits}-bit, groups of {group}",
        f"mlx{bits}_g{group}",
        quantised=_EVERYTHING,
        parts=("text", *TOWERS),
    )


def _gguf(name: str) -> WeightFormat:
    """GGUF files hold the main model; towers go in a file of their own."""
    return WeightFormat(
        name,
        f"GGUF {name.removeprefix('gguf-').upper()}",
        GGUF_MIXES[name].base,
        "fp16",
        "fp32",
        _EVERYTHING - {"router"},
        parts=("text",),
        overrides={"routed_experts": "gguf_mxfp4"} if name == "gguf-mxfp4" else {},
        mixed=True,
    )


_FP8_PARTS: tuple[Part, ...] = ("text", "mtp")

WEIGHT_FORMATS: dict[str, WeightFormat] = {
    form.id: form
    for form in (
        _plain("fp32"),
        _plain("fp16"),
        _plain("bf16"),
        WeightFormat("fp8", mark("FP8, one scale per tensor"), "fp8", quantised_parts=_FP8_PARTS),
        WeightFormat(
            "fp8-channel", mark("FP8, scales per row"), "fp8_channel", quantised_parts=_FP8_PARTS
        ),
        WeightFormat(
            "fp8-block128",
            mark("FP8, scales per 128 x 128"),
            "fp8_b128",
            quantised_parts=_FP8_PARTS,
        ),
        WeightFormat("int8", mark("INT8, scales per row"), "int8"),
        WeightFormat("nvfp4", "NVFP4", "nvfp4"),
        WeightFormat("mxfp4", "MXFP4", "mxfp4"),
        WeightFormat("awq-g128", mark("AWQ int4, groups of 128"), "awq_g128", "fp16", "fp16"),
        WeightFormat("awq-g32", mark("AWQ int4, groups of 32"), "awq_g32", "fp16", "fp16"),
        WeightFormat("gptq-g128", mark("GPTQ int4, groups of 128"), "gptq_g128", "fp16", "fp16"),
        WeightFormat("gptq-g32", mark("GPTQ int4, groups of 32"), "gptq_g32", "fp16", "fp16"),
        WeightFormat(
            "mlx-bf16", "MLX BF16", "bf16", quantised=frozenset(), parts=("text", *TOWERS)
        ),
        *(_mlx(bits, group) for bits in (3, 4, 5, 6, 8) for group in (64, 32)),
        WeightFormat(
            "mlx-mxfp4",
            "MLX MXFP4",
            "mxfp4",
            quantised=_EVERYTHING,
            parts=("text", *TOWERS),
        ),
        WeightFormat(
            "mlx-mxfp4-q8",
            mark("MLX MXFP4 experts, 8-bit rest"),
            "mlx8_g64",
            quantised=_EVERYTHING,
            parts=("text", *TOWERS),
            overrides={"routed_experts": "mxfp4"},
        ),
        WeightFormat(
            "mlx-nvfp4",
            "MLX NVFP4",
            "nvfp4",
            quantised=_EVERYTHING,
            parts=("text", *TOWERS),
        ),
        *(_gguf(name) for name in GGUF_MIXES),
        WeightFormat("gguf-nvfp4", "GGUF NVFP4", "gguf_nvfp4", vector="fp32", parts=("text",)),
    )
}


def tolerance(weights: str) -> float:
    """How far the size of a published file may lie from the computed one, as a fraction.

    1 % where one rule gives every block, 2.5 % where a GGUF format mixes them.
    """
    mix = GGUF_MIXES.get(weights)
    return 0.01 if mix is None or (mix.head == mix.base and not mix.roles) else 0.025


def encoding_shares(record: ModelRecord, tensors: Tensors, weights: str) -> tuple[Share, ...]:
    """The encodings of one group of tensors in a weight format, each with its share of the group.

    Parameters: weights, ``native`` or a key of WEIGHT_FORMATS. KeyError for another.
    """
    if weights == NATIVE:
        return ((1.0, tensors.encoding),)
    form = WEIGHT_FORMATS[weights]
    if tensors.role in ("bias", "convolution") or len(tensors.shape) == 1:
        vector = form.kept if tensors.part in TOWERS else form.vector
        return ((1.0, vector),)
    published = record.published.get(weights)
    if published and tensors.tensor_class in published.encodings:
        return ((1.0, published.encodings[tensors.tensor_class]),)
    if tensors.part not in form.quantised_parts:
        return ((1.0, form.kept),)
    if tensors.tensor_class == "router" and form.mixed:
        return ((1.0, form.vector),)
    if tensors.tensor_class not in form.quantised:
        return ((1.0, form.kept),)
    encoding = form.overrides.get(tensors.tensor_class, form.matrix)
    if form.mixed and tensors.tensor_class not in form.overrides:
        return _mixed_shares(record, tensors, form)
    group = ENCODINGS[encoding].block_columns
    fills = group == 0 or ENCODINGS[encoding].block_rows > 1 or tensors.shape[-1] % group == 0
    return ((1.0, encoding if fills else form.kept),)


def tensors_bytes(record: ModelRecord, tensors: Tensors, weights: str) -> float:
    """Stored bytes of one group of tensors in a weight format [bytes]."""
    if weights == NATIVE and tensors.stored_bytes is not None:
        return tensors.stored_bytes
    each = sum(
        share * stored_bytes(tensors.shape, ENCODINGS[encoding])
        for share, encoding in encoding_shares(record, tensors, weights)
    )
    return tensors.count * each


def class_bytes(record: ModelRecord, weights: str, part: Part = "text") -> dict[TensorClass, float]:
    """The ledger of one part: stored bytes by tensor class, classes without tensors left out."""
    ledger: dict[TensorClass, float] = {}
    for group in record.tensors:
        if group.part == part:
            held = ledger.get(group.tensor_class, 0.0)
            ledger[group.tensor_class] = held + tensors_bytes(record, group, weights)
    return ledger


def bytes_of(record: ModelRecord, weights: str, groups: Iterable[Tensors]) -> float:
    """Stored bytes of some of a record's tensors [bytes]."""
    return sum(tensors_bytes(record, group, weights) for group in groups)


def file_bytes(record: ModelRecord, weights: str) -> float:
    """Bytes of all tensors in a release's files in this format [bytes].

    Draft layers and towers are included where such files hold them; the file's header is not.
    """
    parts = ("text", "mtp", *TOWERS) if weights == NATIVE else WEIGHT_FORMATS[weights].parts
    return bytes_of(record, weights, (group for group in record.tensors if group.part in parts))


def _mixed_shares(record: ModelRecord, tensors: Tensors, form: WeightFormat) -> tuple[Share, ...]:
    mix = GGUF_MIXES[form.id]
    columns = tensors.shape[-1]
    if tensors.tensor_class == "output_head" or (record.tied and tensors.role == "token"):
        return ((1.0, fitting(mix.head, columns)),)
    if tensors.tensor_class == "input_embedding":
        return ((1.0, fitting(mix.token or mix.base, columns)),)
    routed = max((experts.routed for experts in record.experts), default=0)
    layers = record.layer_count if tensors.role == "down" else tensors.count
    return shares(
        mix,
        tensors.role,
        layers=layers,
        queries_per_key=_queries_per_key(record),
        experts=routed,
        columns=columns,
    )


def _queries_per_key(record: ModelRecord) -> float:
    """N_q / N_kv of the layers that hold most of the attention; 1 where unknown."""
    attending = [group for group in record.layers or () if group.key_heads]
    if not attending:
        return 1.0
    group = max(attending, key=lambda layer: layer.count)
    return group.query_heads / group.key_heads
