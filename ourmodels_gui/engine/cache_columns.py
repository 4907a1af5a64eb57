"""The caches of many models as columns, so that a change of context costs a few array operations.

The sums are those of `costs.cache_alloc_bytes` and `costs.cache_read_bytes`, term by term in the
same order, so the bytes are the same to the last bit.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from .setup import CachePolicy, ModelCosts, TypedCache

Floats = NDArray[np.float64]


class CacheColumns(msgspec.Struct, frozen=True, eq=False):
    """By [layer group, model]; a model with fewer groups has zeros.

    held_per_token, held_most: bytes reserved per token, up to so many tokens under the windowed
    policy. read_per_token, read_most: the same for what a step reads. index_per_token: read for
    every token. held_bytes, read_bytes: whatever the context.
    """

    count: Floats
    held_per_token: Floats
    held_most: Floats
    held_bytes: Floats
    read_per_token: Floats
    read_most: Floats
    index_per_token: Floats
    read_bytes: Floats

    def alloc_bytes(self, tokens: Floats, policy: CachePolicy) -> Floats:
        """K_alloc by model at each one's own context [bytes]."""
        return np.add.reduce(self.group_alloc_bytes(tokens, policy), axis=0)

    def group_alloc_bytes(self, tokens: Floats, policy: CachePolicy) -> Floats:
        """The same by [layer group, model]."""
        held = np.minimum(tokens, self.held_most) if policy == "windowed" else tokens
        return self.count * (self.held_per_token * held + self.held_bytes)

    def step_read_bytes(self, tokens: Floats) -> Floats:
        """K_read by model at each one's own context [bytes]."""
        return np.add.reduce(self.group_read_bytes(tokens), axis=0)

    def group_read_bytes(self, tokens: Floats) -> Floats:
        """The same by [layer group, model]."""
        read = self.read_per_token * np.minimum(tokens, self.read_most)
        return self.count * (read + self.index_per_token * tokens + self.read_bytes)


def cache_columns(models: Sequence[ModelCosts]) -> CacheColumns:
    """The caches of models, a typed one as constants."""
    caches = [model.cache for model in models]
    depth = max((len(cache) if isinstance(cache, tuple) else 1 for cache in caches), default=0)
    columns = np.zeros((8, depth, len(models)))
    columns[[2, 5]] = np.inf
    for place, cache in enumerate(caches):
        if isinstance(cache, TypedCache):
            columns[[0, 3, 7], 0, place] = (
                1.0,
                cache.alloc_bytes_per_session,
                cache.read_bytes_per_token,
            )
            continue
        for row, layer in enumerate(cache):
            window = layer.window_tokens if layer.kind == "window" else np.inf
            columns[:, row, place] = (
                layer.count,
                layer.bytes_per_token + layer.index_bytes_per_token,
                window,
                layer.state_bytes,
                layer.read_bytes_per_token,
                layer.selected_tokens if layer.kind == "sparse" else window,
                layer.index_bytes_per_token,
                layer.state_bytes,
            )
    return CacheColumns(*columns)
