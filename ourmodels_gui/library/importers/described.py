"""What metadata says of a model, whichever file it came from. None everywhere means: not said."""

from typing import Literal

import msgspec

Mixer = Literal["attention", "state", "both", "none"]
"""What mixes tokens in a layer; ``none`` is a layer that holds an MLP only."""


class Layer(msgspec.Struct, frozen=True):
    """One layer. Names as in `models.LayerGroup`.

    window_tokens: 0 says that the layer sees everything. index: whether a sparse layer has an index
    of its own. tokens_per_entry: above 1 where the cache is compressed.
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


class State(msgspec.Struct, frozen=True):
    """The state of one recurrent layer: what `models.LayerGroup` holds of it."""

    elements: int = 0
    conv_elements: int = 0
    flop_per_token: float = 0.0


class Described(msgspec.Struct, frozen=True):
    """A model by its metadata.

    layers: as many as layer_count, the main model's. mtp_layers: draft layers behind them.
    window_tokens: a window that some layer has, where nothing says which.
    latent_width, rope_width: of a latent cache. selected_entries, index_heads, index_width: of
    sparse attention. state: of one recurrent layer. routed, per_token, expert_width: of the MoE.
    dense_width: of the MLP. causal: False for an encoder. gated: whether an MLP has a gate.
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
    dense_width: int | None = None
    dense_layers: tuple[int, ...] = ()
    gated: bool | None = None
