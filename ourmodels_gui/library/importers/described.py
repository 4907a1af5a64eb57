"""What metadata says of a model, whichever file it came from. None everywhere means: not said."""

from typing import Literal

import msgspec

Mixer = Literal["attention", "state", "both", "none"]
"""What mixes tokens in a layer; ``none`` is a layer that holds an MLP only."""

Mlp = Literal["dense", "moe", "none"]


class Layer(msgspec.Struct, frozen=True):
    """One layer. Names as in `models.LayerGroup`.

    window_tokens: 0 says that the layer sees everything. index: whether a sparse layer has an index
    of its own. tokens_per_entry: above 1 where the cache is compressed. mlp: where a list says it.
    """

    mixer: Mixer | None = None
    query_heads: int | None = None
    key_heads: int | None = None
    key_width: int | None = None
    value_width: int | None = None
    window_tokens: int | None = None
    shares_cache: bool = False
    index: bool = True
    tokens_per_entry: int = 1
    mlp: Mlp | None = None


class State(msgspec.Struct, frozen=True):
    """One recurrent layer: what `models.LayerGroup` holds of it.

    input_rows, inner_width: of its projections from and to the model's width.
    """

    elements: int = 0
    conv_elements: int = 0
    flop_per_token: float = 0.0
    input_rows: int = 0
    inner_width: int = 0


class Described(msgspec.Struct, frozen=True):
    """A model by its metadata.

    layers: as many as layer_count, the main model's. mtp_layers: draft layers behind them.
    window_tokens: a window that some layer has, where nothing says which.
    latent_width, rope_width: of a latent cache. selected_entries, index_heads, index_width: of
    sparse attention. state: of one recurrent layer. causal: False for an encoder.
    routed, per_token, expert_width: of the MoE. expert_input: what an expert takes, where it is not
    the model's width. dense_width: of the MLP. gated: whether an MLP has a gate.
    query_rank: of low-rank queries. query_gate: queries come with a gate as wide.
    weights_name: the format in words, such as Q4_K_M.
    """

    name: str | None = None
    vendor: str | None = None
    family: str | None = None
    repository: str | None = None
    licence: str | None = None
    weights_name: str | None = None
    layer_count: int | None = None
    hidden_width: int | None = None
    context_tokens: int | None = None
    vocabulary: int | None = None
    tied: bool | None = None
    causal: bool | None = None
    mtp_layers: int = 0
    layers: tuple[Layer, ...] = ()
    window_tokens: int | None = None
    latent_width: int | None = None
    rope_width: int = 0
    selected_entries: int | None = None
    index_heads: int = 0
    index_width: int = 0
    state: State | None = None
    routed: int | None = None
    per_token: int | None = None
    shared_experts: int = 0
    expert_width: int | None = None
    expert_input: int | None = None
    query_rank: int | None = None
    query_gate: bool = False
    dense_width: int | None = None
    dense_layers: tuple[int, ...] = ()
    gated: bool | None = None
