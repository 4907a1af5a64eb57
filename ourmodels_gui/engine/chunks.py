"""What prompts cost when they are processed in chunks: traffic and FLOPs.

Sums over the chunks of a prompt are closed forms, so a prompt of ten million tokens in chunks of
one costs no more to evaluate than one shot. Every function takes numbers or arrays.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .costs import attention_flop, cache_read_bytes, prefill_sweep_scale, sweep_bytes
from .setup import CacheLayer, ModelCosts, Routing


def prefill_bytes_per_token(
    model: ModelCosts, routing: Routing, batch: ArrayLike, chunk: ArrayLike, prefix: ArrayLike
) -> NDArray[np.float64]:
    """Memory traffic per prompt token of one iteration of prefill [bytes].

    q_pf(b, c, l) = W_batch(b c) / (b c) + K_read(l) / c + kappa_KV,w

    Nothing is read back at l = 0, state included. At c = 1 this is the traffic of decode with the
    write term added.

    Parameters: model with a known cache write; routing; batch, b; chunk, c [tokens]; prefix, l
    [tokens].
    References: formulation, "One formula for both phases".
    """
    prefix = np.asarray(prefix, dtype=np.float64)
    chunk = np.asarray(chunk, dtype=np.float64)
    positions = np.asarray(batch, dtype=np.float64) * chunk
    sweep = sweep_bytes(model.always_bytes, model.experts, positions, routing)
    reread = np.where(prefix > 0, cache_read_bytes(model.cache, prefix), 0.0)
    return (
        prefill_sweep_scale(model) * sweep / positions
        + reread / chunk
        + (model.cache_write_bytes_per_token or 0.0)
    )


def prefill_flop_per_token(
    model: ModelCosts, chunk: ArrayLike, prefix: ArrayLike
) -> NDArray[np.float64]:
    """Compute per prompt token of one iteration of prefill [FLOP].

    a_pf(c, l) = 2 P_lin,active + a_attn(c, l); for full attention
    a_attn(c, l) = 4 N_layers d (l + (c + 1) / 2)

    Parameters: model with known linear parameters and attention; chunk, c [tokens]; prefix, l
    [tokens].
    References: formulation, "One formula for both phases" and "Prefill adapter fields".

    >>> from .setup import AttentionLayer
    >>> toy = ModelCosts(
    ...     1.0, 1.0, (), linear_active_parameters=10.0,
    ...     attention=(AttentionLayer("full", 3, query_width=2.0),),
    ... )
    >>> float(prefill_flop_per_token(toy, 4, 10))
    320.0
    """
    chunk = np.asarray(chunk, dtype=np.float64)
    assert model.linear_active_parameters is not None and model.attention is not None
    linear = 2.0 * model.linear_active_parameters
    return linear + attention_flop(model.attention, prefix, chunk) / chunk


def reread_bytes(
    cache: tuple[CacheLayer, ...], prefix: ArrayLike, chunk: ArrayLike, chunks: ArrayLike
) -> NDArray[np.float64]:
    """Cache that one prompt reads back in `chunks` chunks behind a cached prefix [bytes].

    sum over i = 0 .. chunks - 1 of K_read(l + i c), where a chunk that starts at 0 reads nothing

    Each layer's capped read is summed on its own: the first m chunks start below the cap, the rest
    read the cap.

    Parameters: cache; prefix, l [tokens]; chunk, c [tokens]; chunks, their number.
    References: formulation, "One formula for both phases".

    Starts 0, 4, 8 with a window of 6 tokens of 10 bytes read 0 + 40 + 60:

    >>> window = CacheLayer("window", 1, 10.0, 10.0, window_tokens=6)
    >>> float(reread_bytes((window,), 0, 4, 3))
    100.0
    """
    prefix = np.asarray(prefix, dtype=np.float64)
    chunk = np.asarray(chunk, dtype=np.float64)
    chunks = np.asarray(chunks, dtype=np.float64)
    starts = chunks * prefix + chunk * (chunks * (chunks - 1.0) / 2.0)
    total = np.zeros(np.shape(starts))
    for layer in cache:
        read = starts
        cap = {"window": layer.window_tokens, "sparse": layer.selected_tokens}.get(layer.kind)
        if cap is not None:
            below = np.minimum(np.maximum(np.ceil((cap - prefix) / chunk), 0.0), chunks)
            read = below * prefix + chunk * (below * (below - 1.0) / 2.0) + (chunks - below) * cap
        total = total + layer.count * (
            layer.read_bytes_per_token * read + layer.index_bytes_per_token * starts
        )
    state = sum(layer.count * layer.state_bytes for layer in cache)
    return total + state * (chunks - (prefix == 0))
