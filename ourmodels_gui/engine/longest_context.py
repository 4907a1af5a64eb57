"""The longest context that memory has room for, over many machines at once."""

import numpy as np
from numpy.typing import NDArray

from .costs import cache_alloc_bytes
from .setup import CacheLayer, CachePolicy, TypedCache

Floats = NDArray[np.float64]


def longest_context_tokens(
    cache: tuple[CacheLayer, ...] | TypedCache,
    policy: CachePolicy,
    margin_bytes: Floats,
    limit_tokens: int,
) -> Floats:
    """The longest reservation at which one session fits, 0 where none does [tokens].

    max L <= L_max with K_alloc(L) <= C - W_resident - O, in whole bytes

    K_alloc is a chain of straight lines that bends where a window is full, so the answer is a
    quotient on one of them; the few tokens that rounding may move are settled by the gate's test.

    Parameters: cache; policy; margin_bytes, C - W_resident - O by machine; limit_tokens, L_max.
    References: formulation, "Memory-fit batch".

    A window of 4 tokens beside a full layer, 10 bytes a token each:

    >>> cache = (CacheLayer("full", 1, 10.0), CacheLayer("window", 1, 10.0, window_tokens=4))
    >>> longest_context_tokens(cache, "windowed", np.array([19.0, 60.0, 95.0, 1e9]), 1000)
    array([   0.,    3.,    5., 1000.])
    """

    def held(tokens: Floats) -> Floats:
        return np.rint(cache_alloc_bytes(cache, tokens, policy))

    bends = {0, limit_tokens}
    if isinstance(cache, tuple):
        windows = (layer.window_tokens for layer in cache if layer.kind == "window")
        bends |= {tokens for tokens in windows if tokens < limit_tokens}
    cuts = np.array(sorted(bends), dtype=np.float64)
    at_cuts = cache_alloc_bytes(cache, cuts, policy)
    part = np.clip(at_cuts.searchsorted(margin_bytes, side="right") - 1, 0, cuts.size - 2)
    slope = (at_cuts[1:] - at_cuts[:-1])[part] / (cuts[1:] - cuts[:-1])[part]
    with np.errstate(divide="ignore", invalid="ignore"):
        along = (margin_bytes - at_cuts[part]) / slope
    along = np.where(slope > 0.0, along, np.where(margin_bytes >= at_cuts[part], np.inf, -1.0))
    # rounding to whole bytes moves the answer by half a byte's worth of tokens at most
    slack = np.ceil(1.0 / np.where(slope > 0.0, slope, 1.0)) + 1.0
    guess = cuts[part] + np.floor(along)
    low = np.clip(guess - slack, 0.0, limit_tokens)
    low = np.where(held(low) <= margin_bytes, low, 0.0)
    high = np.clip(guess + slack + 1.0, 1.0, limit_tokens + 1.0)
    while np.any(high - low > 1.0):
        middle = np.floor((low + high) / 2.0)
        fits = held(middle) <= margin_bytes
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return np.where(margin_bytes >= 0.0, low, 0.0)
