"""GGUF metadata -> what it says of the model.

Every key is read under the architecture's own prefix; the architecture's name decides nothing.
"""

import re
from typing import Any

from ...language import tr
from ...problem import BadInput
from .config_json import Fields
from .described import Described, Layer, State
from .found import shorten
from .ggml_types import FILE_TYPES

MOST_LAYERS = 2000


def describe_gguf(metadata: dict[str, Any], tensor_names: list[str], place: str) -> Described:
    """What the keys of a GGUF file say.

    Parameters: metadata; tensor_names, which tell apart kinds of state and draft layers; place,
    the file, for messages. Raises BadInput for a number that cannot be.
    """
    general = Fields(metadata, place)
    architecture = general.text("general.architecture") or ""
    prefix = architecture + "."
    own = Fields(
        {k[len(prefix) :]: v for k, v in metadata.items() if k.startswith(prefix)}, place, prefix
    )
    blocks = own.count("block_count")
    mtp = own.count("nextn_predict_layers") or 0
    if mtp and not any(".nextn." in name for name in tensor_names):
        mtp = 0
    count = blocks - mtp if blocks and mtp < blocks else blocks
    if count is not None and count > MOST_LAYERS:
        raise BadInput(
            f"{prefix}block_count", tr("{count:,} layers cannot be").format(count=count), place
        )
    latent = own.count("attention.kv_lora_rank")
    window = own.count("attention.sliding_window")
    layers = tuple(_layer(own, i, count, window, latent) for i in range(count or 0))
    undecided = window if any(layer.window_tokens is None for layer in layers) else None
    file_type = metadata.get("general.file_type")
    return Described(
        name=general.text("general.name", "general.basename"),
        vendor=general.text("general.organization", "general.author"),
        family=architecture or None,
        repository=_repository(general),
        licence=general.text("general.license"),
        weights_name=FILE_TYPES.get(file_type) if isinstance(file_type, int) else None,
        layer_count=count,
        hidden_width=own.count("embedding_length"),
        context_tokens=own.count("context_length"),
        vocabulary=general.count("tokenizer.ggml.tokens#") or own.count("vocab_size"),
        causal=_causal(own),
        mtp_layers=mtp,
        layers=layers,
        window_tokens=undecided,
        latent_width=latent,
        rope_width=(own.count("rope.dimension_count") or 0) if latent else 0,
        selected_entries=own.count("attention.indexer.top_k"),
        index_heads=own.count("attention.indexer.head_count") or 0,
        index_width=own.count("attention.indexer.key_length") or 0,
        state=_state(own, tensor_names, layers),
        routed=own.count("expert_count"),
        per_token=own.count("expert_used_count"),
        expert_width=own.count("expert_feed_forward_length"),
        dense_width=own.count("feed_forward_length"),
    )


def _layer(own: Fields, i: int, count: int | None, window: int | None, latent: int | None) -> Layer:
    query_heads = _of_layer(own, "attention.head_count", i, count)
    key_heads = _of_layer(own, "attention.head_count_kv", i, count)
    slides = _slides(own, i, count) if window else False
    suffix = "_swa" if slides else ""
    key_width = own.count(f"attention.key_length{suffix}", "attention.key_length")
    value_width = own.count(f"attention.value_length{suffix}", "attention.value_length")
    if latent:
        key_width = own.count("attention.key_length_mla", "attention.key_length")
        value_width = own.count("attention.value_length_mla", "attention.value_length")
    shared = own.count("attention.shared_kv_layers") or 0
    sees = None if slides is None else (window if slides else 0)
    return Layer(
        query_heads=query_heads,
        key_heads=query_heads if latent else key_heads,
        key_width=key_width,
        value_width=value_width,
        window_tokens=sees,
        shares_cache=bool(count and i >= count - shared),
    )


def _of_layer(own: Fields, key: str, i: int, count: int | None) -> int | None:
    """A number that may be one for all layers or a list with one for each."""
    listed = own.counts(key)
    if listed is None:
        return own.count(key)
    if count is not None and len(listed) < count:
        message = tr("{listed} values for {count} layers").format(listed=len(listed), count=count)
        raise BadInput(
            own.prefix + key,
            tr("{message}; the file is damaged").format(message=message),
            own.place,
        )
    if listed[i] < 0:
        raise BadInput(
            own.prefix + key, tr("{listed} cannot be").format(listed=listed[i]), own.place
        )
    return listed[i]


def _slides(own: Fields, i: int, count: int | None) -> bool | None:
    """Whether a layer has the window: by a list with a flag for each layer, or every n-th not."""
    pattern = own.values.get("attention.sliding_window_pattern")
    if isinstance(pattern, list):
        if len(pattern) < (count or 0):
            key = own.prefix + "attention.sliding_window_pattern"
            message = tr("{pattern} values for {count} layers; the file is damaged").format(
                pattern=len(pattern), count=count
            )
            raise BadInput(key, message, own.place)
        return bool(pattern[i])
    period = own.count("attention.sliding_window_pattern")
    return None if period is None else (i + 1) % period != 0


def _causal(own: Fields) -> bool | None:
    causal = own.flag("attention.causal")
    if causal is None and own.count("decoder_block_count") is not None:
        return False
    return causal


def _state(own: Fields, names: list[str], layers: tuple[Layer, ...]) -> State | None:
    """The state of a recurrent layer, by the sizes that llama.cpp writes."""
    cache = own.count("shortconv.l_cache")
    if cache is not None:
        return State(0, (cache - 1) * (own.count("embedding_length") or 0))
    kernel = own.count("ssm.conv_kernel")
    head = own.count("kda.head_dim")
    if head is not None:
        heads = max((layer.query_heads or 0 for layer in layers), default=0)
        elements = heads * head * head
        return State(elements, 3 * ((kernel or 1) - 1) * heads * head, 6.0 * elements)
    inner, size = own.count("ssm.inner_size"), own.count("ssm.state_size")
    if inner is None or size is None:
        return None
    elements = inner * size
    delta = any(re.search(r"ssm_(beta|ba|alpha)\b", name) for name in names)
    groups = own.count("ssm.group_count") or 0
    channels = inner + 2 * groups * size
    return State(elements, ((kernel or 1) - 1) * channels, (6.0 if delta else 4.0) * elements)


def _repository(general: Fields) -> str | None:
    address = general.text(
        "general.base_model.0.repo_url", "general.source.repo_url", "general.repo_url"
    )
    found = re.search(r"([\w.-]+/[\w.-]+)/?$", address or "")
    return shorten(found[1]) if found and "/" in found[1] else None
