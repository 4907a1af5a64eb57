"""Weights of a model of which only the config is there: the usual tensors, sized by its numbers.

Norms, biases and whatever else is small are left out, towers as well: a config does not size them.
Recurrent layers are sized by their projections.
"""

from collections.abc import Iterator

from ..encodings import ENCODINGS, stored_bytes
from .described import Described, Layer
from .found import Tensor
from .quantisation import Packing, Scheme

_DTYPES = {
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8",
}
_METHODS = {
    "fp8": "fp8_b128",
    "mxfp4": "mxfp4",
    "nvfp4": "nvfp4",
    "awq": "awq_g128",
    "gptq": "gptq_g128",
    "bitsandbytes": "nf4",
    "bitnet": "ternary",
    "modelopt": "fp8",
}


def shapes_of(said: Described, packing: Packing, dtype: str | None) -> tuple[Tensor, ...]:
    """The large tensors that a config implies.

    Parameters: said, the config; packing of its linear layers; dtype of the rest.
    Empty when the config does not give width, layers and vocabulary.
    """
    if not (said.hidden_width and said.layer_count and said.vocabulary):
        return ()
    plain = _DTYPES.get(dtype or "", "bf16")
    linear = _encoding(packing, plain)
    rows = list(_shapes(said, said.hidden_width, said.vocabulary))
    return tuple(_tensor(name, shape, plain if table else linear) for name, shape, table in rows)


def _tensor(name: str, shape: tuple[int, ...], encoding: str) -> Tensor:
    return Tensor(name, shape, round(stored_bytes(shape, ENCODINGS[encoding])), encoding)


def _encoding(packing: Packing, plain: str) -> str:
    scheme = packing.of("")
    if packing.method == "mlx":
        name = f"mlx{scheme.bits}_g{scheme.group}"
        return name if name in ENCODINGS else plain
    method = packing.method.lower()
    if method in ("awq", "gptq") and scheme.group == 32:
        return f"{method}_g32"
    if method == "compressed-tensors":
        return _compressed(scheme, plain)
    return _METHODS.get(method, plain)


def _compressed(scheme: Scheme, plain: str) -> str:
    if scheme.bits == 8:
        return "fp8_channel"
    if scheme.bits == 4:
        return {16: "nvfp4", 32: "int4_g32"}.get(scheme.group, "int4_g128")
    return plain


def _shapes(
    said: Described, hidden: int, vocabulary: int
) -> Iterator[tuple[str, tuple[int, ...], bool]]:
    """Name, shape, and whether it is one of the tables, which quantisers leave alone."""
    yield "model.embed_tokens.weight", (vocabulary, hidden), True
    if said.tied is False:
        yield "lm_head.weight", (vocabulary, hidden), True
    for i in range(said.layer_count or 0):
        layer = said.layers[i] if i < len(said.layers) else Layer()
        at = f"model.layers.{i}"
        if layer.mixer in ("attention", "both"):
            yield from _attention(said, layer, f"{at}.self_attn", hidden)
        if layer.mixer in ("state", "both") and said.state and said.state.input_rows:
            yield f"{at}.mamba.in_proj.weight", (said.state.input_rows, hidden), False
            yield f"{at}.mamba.out_proj.weight", (hidden, said.state.inner_width), False
        yield from _mlp(said, i, at, hidden)


def _attention(
    said: Described, layer: Layer, at: str, hidden: int
) -> Iterator[tuple[str, tuple[int, ...], bool]]:
    queries, width = layer.query_heads, layer.key_width
    if queries and not width and hidden % queries == 0:
        width = hidden // queries
    if not queries or not width:
        return
    value = layer.value_width or width
    rows = queries * width * (2 if said.query_gate else 1)
    if said.query_rank:
        yield f"{at}.q_a_proj.weight", (said.query_rank, hidden), False
        yield f"{at}.q_b_proj.weight", (rows, said.query_rank), False
    else:
        yield f"{at}.q_proj.weight", (rows, hidden), False
    yield f"{at}.o_proj.weight", (hidden, queries * value), False
    if layer.shares_cache:
        return
    if said.latent_width:
        latent = said.latent_width
        yield f"{at}.kv_a_proj_with_mqa.weight", (latent + said.rope_width, hidden), False
        nope = width - said.rope_width
        yield f"{at}.kv_b_proj.weight", (queries * (nope + value), latent), False
        return
    keys = layer.key_heads or queries
    yield f"{at}.k_proj.weight", (keys * width, hidden), False
    yield f"{at}.v_proj.weight", (keys * value, hidden), False


def _mlp(
    said: Described, i: int, at: str, hidden: int
) -> Iterator[tuple[str, tuple[int, ...], bool]]:
    layer = said.layers[i] if i < len(said.layers) else Layer()
    if layer.mlp == "none":
        return
    gates = ("gate_proj",) if said.gated is not False else ()
    if said.routed and said.expert_width and i not in said.dense_layers and layer.mlp != "dense":
        width, count, outer = said.expert_width, said.routed, said.expert_input or hidden
        for name in (*gates, "up_proj"):
            yield f"{at}.mlp.experts.{name}", (count, width, outer), False
        yield f"{at}.mlp.experts.down_proj", (count, outer, width), False
        yield f"{at}.mlp.gate.weight", (count, hidden), True
        at, dense = f"{at}.mlp.shared_expert", said.shared_experts * width
    else:
        at, dense = f"{at}.mlp", said.dense_width or 0
    if dense:
        for name in (*gates, "up_proj"):
            yield f"{at}.{name}.weight", (dense, hidden), False
        yield f"{at}.down_proj.weight", (hidden, dense), False
