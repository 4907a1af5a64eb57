"""Which layer attends how, by the lists, periods and patterns of a config."""

from typing import Any

from ...language import tr
from ...problem import BadInput
from .config_json import Fields
from .described import Layer, Mixer, Mlp
from .found import shorten

_WORDS: dict[str, tuple[Mixer, str]] = {
    "full_attention": ("attention", "full"),
    "attention": ("attention", ""),
    "attn": ("attention", ""),
    "global": ("attention", "full"),
    "global_attention": ("attention", "full"),
    "minicpm4": ("attention", ""),
    "sliding_attention": ("attention", "window"),
    "sliding_window": ("attention", "window"),
    "local_attention": ("attention", "window"),
    "local": ("attention", "window"),
    "chunked_attention": ("attention", "chunk"),
    "linear_attention": ("state", ""),
    "mamba": ("state", ""),
    "mamba2": ("state", ""),
    "recurrent": ("state", ""),
    "conv": ("state", ""),
    "hybrid": ("both", ""),
    "moe": ("none", ""),
    "mlp": ("none", ""),
}
_LETTERS: dict[str, Mixer] = {"M": "state", "*": "attention", "-": "none", "E": "none"}
_MLP: dict[str, Mlp] = {"-": "dense", "E": "moe", "mlp": "dense", "moe": "moe"}
_STATE_KEYS = ("mamba_", "ssm_", "linear_", "conv_L", "conv_kernel", "short_conv")
"""A config with such keys has layers that keep a state, whether or not it says which."""


def describe_layers(own: Fields, count: int) -> tuple[Layer, ...]:
    """Each layer as the config has it."""
    query_heads = own.count("num_attention_heads", "n_head", "n_heads", "num_heads")
    key_heads = _key_heads(own)
    width = own.count("head_dim", "attention_head_dim", "kv_channels", "attention_head_size")
    plain = Layer(
        query_heads=query_heads,
        key_heads=key_heads,
        key_width=width,
        value_width=own.count("v_head_dim"),
    )
    if own.count("kv_lora_rank") is not None:
        nope, rope = own.count("qk_nope_head_dim") or 0, own.count("qk_rope_head_dim") or 0
        plain = _with(plain, key_heads=query_heads, key_width=(nope + rope) or width)
    kinds, mlps = _kinds(own, count), _mlps(own, count)
    shared = own.count("num_kv_shared_layers") or 0
    layers = []
    for i in range(count):
        mixer, sight = kinds[i]
        layer = _with(plain, mixer=mixer, shares_cache=i >= count - shared > 0, mlp=mlps[i])
        layer = _with(layer, window_tokens=_window(own, sight))
        layers.append(_special(own, layer, i, sight))
    return tuple(layers)


def window_stated(own: Fields) -> int | None:
    """A window that the config names and does not switch off."""
    if own.flag("use_sliding_window") is False:
        return None
    inner = own.inside("attn_config")
    window = own.count(
        "sliding_window", "sliding_window_size", "window_size", "attention_window_size"
    )
    if window is None and inner is not None:
        window = inner.count("sliding_window_size")
    context = own.count("max_position_embeddings")
    return None if window is None or (context and window >= context) else window


def _window(own: Fields, sight: str) -> int | None:
    if sight == "full":
        return 0
    if sight == "chunk":
        return own.count("attention_chunk_size", "sliding_window") or 0
    stated = window_stated(own)
    return (stated or 0) if sight == "window" or stated is None else None


def _key_heads(own: Fields) -> int | None:
    named = own.count(
        "num_key_value_heads", "n_kv_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv"
    )
    if own.flag("multi_query") and not own.flag("new_decoder_architecture"):
        return 1
    inner = own.inside("attn_config")
    return named or (inner.count("kv_n_heads") if inner else None)


def _kinds(own: Fields, count: int) -> list[tuple[Mixer | None, str]]:
    """Mixer and sight of each layer; (None, "") where the config does not say."""
    for name in ("layer_types", "layers_block_type", "block_types", "mixer_types"):
        words = own.words(name)
        if words is not None:
            return [_WORDS.get(word, (None, "")) for word in _whole(own, name, words, count)]
    pattern = own.text("hybrid_override_pattern")
    if pattern is not None:
        unknown = set(pattern) - set(_LETTERS)
        if unknown:
            key = "hybrid_override_pattern"
            raise BadInput(
                key,
                tr("“{unknown}” is not a known kind").format(unknown=shorten(min(unknown))),
                own.place,
            )
        return [(_LETTERS[c], "") for c in _whole(own, "hybrid_override_pattern", pattern, count)]
    mixers = _mixers(own, count)
    sights = _sights(own, count)
    return list(zip(mixers, sights, strict=True))


def _mlps(own: Fields, count: int) -> list[Mlp | None]:
    """A list that has layers for the MLP alone gives the other layers none."""
    listed: Any = own.text("hybrid_override_pattern") or own.words("layers_block_type") or ()
    if not any(kind in _MLP for kind in listed):
        # a model of states alone writes the state's own width as intermediate_size
        alone = own.count("state_size") and not own.count("num_attention_heads", "n_head")
        return ["none" if alone else None] * count
    return [_MLP.get(kind, "none") for kind in listed[:count]]


def _mixers(own: Fields, count: int) -> list[Mixer | None]:
    attending: set[int] | None = None
    types = own.counts("attn_type_list")
    period = own.count("attn_layer_period")
    linear = own.inside("linear_attn_config")
    interval = own.count("full_attention_interval")
    listed = own.counts("attn_layer_indices") or own.counts("full_attn_idxs")
    if types is not None:
        attending = {
            i for i, kind in enumerate(_whole(own, "attn_type_list", types, count)) if kind
        }
    elif period is not None:
        offset = own.count("attn_layer_offset", zero=True) or 0
        attending = {i for i in range(count) if i % period == offset}
    elif linear is not None and (full := linear.counts("full_attn_layers")):
        attending = {i - 1 for i in full}
    elif interval is not None:
        attending = {i for i in range(count) if (i + 1) % interval == 0}
    elif listed is not None:
        attending = set(listed)
    if attending is None:
        has_state = own.count("state_size") is not None or any(
            key.startswith(_STATE_KEYS) and own.count(key) for key in own.values
        )
        has_heads = own.count("num_attention_heads", "n_head") is not None
        if has_state:
            return [None if has_heads else "state"] * count
        return ["attention"] * count
    return ["attention" if i in attending else "state" for i in range(count)]


def _sights(own: Fields, count: int) -> list[str]:
    """Whether each layer sees everything (``full``), a window, or the config does not say ("")."""
    period = own.count("sliding_window_pattern", "_sliding_window_pattern")
    words = own.values.get("sliding_window_pattern")
    every = own.count("global_attn_every_n_layers")
    flags = own.counts("hybrid_layer_pattern") or own.counts("sliding_window_layers_flags")
    nope = own.counts("no_rope_layers")
    if window_stated(own) is None and not own.count("attention_chunk_size"):
        return ["full"] * count
    if flags is not None and len(flags) >= count:
        return ["window" if flag else "full" for flag in flags[:count]]
    if isinstance(words, str) and words and set(words) <= set("LG"):
        letters = [words[i % len(words)] for i in range(count)]
        return ["window" if letter == "L" else "full" for letter in letters]
    if own.count("attention_chunk_size") and nope is not None and len(nope) >= count:
        return ["chunk" if rope else "full" for rope in nope[:count]]
    if own.count("attention_chunk_size"):
        interval = own.count("nope_layer_interval", "no_rope_layer_interval") or 4
        return ["full" if (i + 1) % interval == 0 else "chunk" for i in range(count)]
    if period is not None:
        return ["full" if (i + 1) % period == 0 else "window" for i in range(count)]
    if every is not None:
        return ["full" if (i + 1) % every == 0 else "window" for i in range(count)]
    first = own.count("max_window_layers", zero=True)
    if own.flag("use_sliding_window") and first is not None:
        return ["full" if i < first else "window" for i in range(count)]
    return [""] * count


def _special(own: Fields, layer: Layer, i: int, sight: str) -> Layer:
    """What single layers have otherwise than the rest."""
    if sight == "full" and own.count("global_head_dim"):
        width = own.count("global_head_dim")
        layer = _with(layer, key_width=width, value_width=width)
        layer = _with(layer, key_heads=own.count("num_global_key_value_heads") or layer.key_heads)
    if sight == "window" and own.count("swa_num_key_value_heads", "swa_head_dim"):
        width = own.count("swa_head_dim") or layer.key_width
        layer = _with(
            layer,
            query_heads=own.count("swa_num_attention_heads") or layer.query_heads,
            key_heads=own.count("swa_num_key_value_heads") or layer.key_heads,
            key_width=width,
            value_width=own.count("swa_v_head_dim") or layer.value_width,
        )
    for name in ("num_attention_heads_per_layer", "num_attention_heads"):
        listed = own.counts(name)
        if listed is not None and i < len(listed):
            layer = _with(layer, query_heads=listed[i])
    for name in ("num_key_value_heads_per_layer", "num_key_value_heads", "num_kv_heads"):
        listed = own.counts(name)
        if listed is not None and i < len(listed):
            layer = _with(layer, key_heads=listed[i])
    indexers = own.words("indexer_types")
    if indexers is not None and i < len(indexers):
        layer = _with(layer, index=indexers[i] == "full")
    sparse = own.inside("sparse_attention_config")
    chosen = sparse.counts("sparse_attention_freq") if sparse else None
    if chosen is not None and i < len(chosen):
        layer = _with(layer, index=bool(chosen[i]))
    ratios = own.counts("compress_ratios")
    if ratios is not None and i < len(ratios):
        window = own.count("sliding_window") or 0
        layer = _with(layer, tokens_per_entry=max(ratios[i], 1), window_tokens=window)
    return _block(own, layer, i)


def _block(own: Fields, layer: Layer, i: int) -> Layer:
    """`block_configs`: a layer searched by itself, with its own heads or none at all."""
    blocks = own.values.get("block_configs")
    if not isinstance(blocks, list) or i >= len(blocks) or not isinstance(blocks[i], dict):
        return layer
    attention = Fields(blocks[i], own.place, f"block_configs[{i}].").inside("attention")
    if attention is None:
        return layer
    if attention.flag("no_op") or attention.flag("replace_with_linear"):
        return _with(layer, mixer="none")
    sharing = attention.count("n_heads_in_group")
    if sharing and layer.query_heads:
        layer = _with(layer, key_heads=layer.query_heads // sharing)
    return layer


def _whole(own: Fields, name: str, listed: Any, count: int) -> Any:
    """A list with one entry for each layer; longer ones go on into the draft layers."""
    if len(listed) < count:
        raise BadInput(
            name,
            tr("{listed} entries for {count} layers").format(listed=len(listed), count=count),
            own.place,
        )
    return listed[:count]


def _with(layer: Layer, **changes: Any) -> Layer:
    known = {name: getattr(layer, name) for name in layer.__struct_fields__}
    return Layer(**(known | changes))
