"""Layers of a model -> the caches that they own and the attention that they run."""

from ..engine.setup import AttentionLayer, CacheLayer
from .encodings import cache_value_bytes
from .models import LayerGroup

STATE_VALUE_BYTES = 4
"""Recurrent state is float32 in every runtime, whatever the cache format."""

CONVOLUTION_VALUE_BYTES = 2

INDEX_SCALE_BYTES = 4
"""Index keys are held as FP8 with one 32-bit scale."""


def entry_values(group: LayerGroup) -> int:
    """Values one layer stores for one entry of its cache: latent and rotary part, or K and V."""
    if group.latent_width:
        return group.latent_width + group.rope_width
    return group.key_heads * (group.key_width + group.value_width)


def cache_layers(
    groups: tuple[LayerGroup, ...], cache_format: str, cache_read_format: str | None
) -> tuple[CacheLayer, ...]:
    """The caches that these layers own, in a stored format and the one that is read.

    References: formulation, "Hybrid, sliding, and recurrent attention".
    """
    stored = cache_value_bytes(cache_format)
    read = cache_value_bytes(cache_read_format or cache_format)
    return tuple(
        layer for group in groups if not group.shares_cache for layer in _owned(group, stored, read)
    )


def _owned(group: LayerGroup, stored: float, read: float) -> tuple[CacheLayer, ...]:
    """What one group of layers owns: one cache, and a window beside a compressed one."""
    if group.kind == "state":
        state_bytes = (
            group.state_elements * STATE_VALUE_BYTES + group.conv_elements * CONVOLUTION_VALUE_BYTES
        )
        return (CacheLayer("state", group.count, state_bytes=state_bytes),)
    values = entry_values(group)
    window = CacheLayer(
        "window", group.count, values * stored, values * read, window_tokens=group.window_tokens
    )
    if group.kind == "window":
        return (window,)
    shared_by = group.tokens_per_entry
    index_bytes = group.index_width + INDEX_SCALE_BYTES if group.index_width else 0
    entries = CacheLayer(
        group.kind,
        group.count,
        values * stored / shared_by,
        values * read / shared_by,
        selected_tokens=group.selected_entries * shared_by,
        index_bytes_per_token=index_bytes / (group.tokens_per_index_key or shared_by),
    )
    return (entries, window) if group.window_tokens else (entries,)


def cache_heads(groups: tuple[LayerGroup, ...]) -> tuple[int, ...]:
    """Key heads of each of `cache_layers`: 1 for latents, 0 for a state, which divides freely."""
    heads: list[int] = []
    for group in groups:
        if group.shares_cache:
            continue
        if group.kind == "state":
            heads.append(0)
            continue
        own = 1 if group.latent_width else group.key_heads
        both = group.kind != "window" and group.window_tokens
        heads += [own, own] if both else [own]
    return tuple(heads)


def attention_layers(groups: tuple[LayerGroup, ...]) -> tuple[AttentionLayer, ...]:
    """The attention of these layers, of those that share a cache as well.

    References: formulation, "Prefill adapter fields".
    """
    return tuple(layer for group in groups for layer in _attending(group))


def _attending(group: LayerGroup) -> tuple[AttentionLayer, ...]:
    """Arithmetic of one group: 2 N_q (d_qk + d_v) a pair; compressed entries are fewer pairs."""
    if group.kind == "state":
        return (AttentionLayer("state", group.count, flop_per_token=group.state_flop_per_token),)
    width = group.query_heads * (group.key_width + group.value_width) / 2
    window = AttentionLayer("window", group.count, width, window_tokens=group.window_tokens)
    if group.kind == "window":
        return (window,)
    shared_by = group.tokens_per_entry
    entries = AttentionLayer(
        group.kind,
        group.count,
        width / shared_by,
        selected_tokens=group.selected_entries * shared_by,
        index_flop_per_pair=2.0
        * group.index_heads
        * group.index_width
        / (group.tokens_per_index_key or shared_by),
    )
    return (entries, window) if group.window_tokens else (entries,)
