"""What a model costs: weight sweeps, cache reserved and read, attention FLOPs.

Every function takes a number or a numpy array for token counts, so a curve, a point and a sweep
are the same formula, bit for bit: a number goes through the same numpy functions as an array.
"""

import math
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .setup import (
    AttentionLayer,
    CacheLayer,
    CachePolicy,
    Draft,
    Experts,
    ModelCosts,
    Routing,
    TypedCache,
)

SATURATED = 40.0
"""The exponent of the expert count from which e^-x is lost beside 1 in float64, with room."""

Tokens = TypeVar("Tokens", float, NDArray[Any])
"""A number in gives a number out, an array in an array of the same shape."""


def _constant(value: float, tokens: Tokens) -> Tokens:
    """`value` at every count; over many pairs at once it is an array as well, of the same shape."""
    if isinstance(tokens, np.ndarray):
        return np.full(tokens.shape, value, dtype=np.float64)
    return float(value)


def _at_most(tokens: Tokens, limit: int) -> Tokens:
    if isinstance(tokens, np.ndarray):
        capped: NDArray[Any] = np.minimum(tokens, limit)
        return capped
    return min(tokens, limit)


def distinct_experts(experts: Experts, tokens: Tokens, routing: Routing) -> Tokens:
    """Distinct routed experts that an iteration of `tokens` token routings touches.

    m(n) = E (1 - (1 - k/E)^n) under expected routing, k under floor routing; m(1) is exactly k.

    Parameters: experts; tokens [n > 0]; routing.
    References: formulation, "Mixture-of-experts".

    >>> distinct_experts(Experts(256, 8, 1.0), 1, "expected")
    8.0
    >>> round(distinct_experts(Experts(256, 8, 1.0), 2, "expected"), 6)
    15.75
    """
    if routing == "floor":
        return _constant(experts.per_token, tokens)
    missed = math.log1p(-experts.per_token / experts.routed)
    touched = experts.routed * -np.expm1(tokens * missed)
    if isinstance(tokens, np.ndarray):
        return np.where(tokens == 1, float(experts.per_token), touched)
    return float(experts.per_token if tokens == 1 else touched)


def saturating_tokens(experts: Experts) -> int:
    """Routings from which the expected count is every expert, to the last bit of float64.

    >>> many = saturating_tokens(Experts(256, 8, 1.0))
    >>> many, distinct_experts(Experts(256, 8, 1.0), many, "expected")
    (1260, 256.0)
    """
    return math.ceil(SATURATED / -math.log1p(-experts.per_token / experts.routed))


def sweep_bytes(
    always_bytes: float, experts: tuple[Experts, ...], tokens: Tokens, routing: Routing
) -> Tokens:
    """Shared weight traffic of one iteration that routes `tokens` tokens, W_batch(n) [bytes].

    W_batch(n) = e_w [P_fixed - P_embed + p_expert m(n)]

    Parameters: always_bytes [bytes]; experts; tokens [n > 0]; routing.
    References: formulation, "Dense transformers" and "Mixture-of-experts".

    >>> sweep_bytes(10.0, (Experts(4, 1, 2.0),), 1, "floor")
    12.0
    """
    total = _constant(always_bytes, tokens)
    for group in experts:
        total = total + group.expert_bytes * distinct_experts(group, tokens, routing)
    return total


def active_bytes(always_bytes: float, experts: tuple[Experts, ...]) -> float:
    """The lower bound W_active = W_batch(1): the always-swept part and k experts [bytes]."""
    return sweep_bytes(always_bytes, experts, 1, "floor")


def full_sweep_bytes(model: ModelCosts) -> float:
    """W_batch(infinity): the sweep with every routed expert touched [bytes]."""
    return model.always_bytes + sum(group.routed * group.expert_bytes for group in model.experts)


def prefill_sweep_scale(model: ModelCosts) -> float:
    """Factor that brings the sweeps of prefill to a known full sweep; 1 without one."""
    if model.prefill_sweep_bytes is None:
        return 1.0
    return model.prefill_sweep_bytes / full_sweep_bytes(model)


def cache_alloc_bytes(
    cache: tuple[CacheLayer, ...] | TypedCache, tokens: Tokens, policy: CachePolicy
) -> Tokens:
    """Cache that one session reserves for a context of `tokens`, K_alloc(L) [bytes].

    Full, latent and sparse layers reserve every token (sparse ones their index key as well), window
    layers min(L, w) under the ``windowed`` policy and L under ``full``, state layers a constant.

    References: formulation, "Dense transformers" and "Hybrid, sliding, and recurrent attention".
    """
    if isinstance(cache, TypedCache):
        return _constant(cache.alloc_bytes_per_session, tokens)
    total = _constant(0.0, tokens)
    for layer in cache:
        total = total + layer_alloc_bytes(layer, tokens, policy)
    return total


def layer_alloc_bytes(layer: CacheLayer, tokens: Tokens, policy: CachePolicy) -> Tokens:
    """The part of `cache_alloc_bytes` that one group of layers reserves [bytes]."""
    held = tokens
    if layer.kind == "window" and policy == "windowed":
        held = _at_most(tokens, layer.window_tokens)
    per_token = layer.bytes_per_token + layer.index_bytes_per_token
    reserved: Tokens = layer.count * (per_token * held + layer.state_bytes)
    return reserved


def cache_read_bytes(cache: tuple[CacheLayer, ...] | TypedCache, tokens: Tokens) -> Tokens:
    """Private context traffic of one decode step at a context of `tokens`, K_read(L) [bytes].

    K_read(L) = kappa_global L + kappa_local min(L, w) + K_state; a sparse layer reads every index
    key and min(L, selected) entries.

    References: formulation, "Hybrid, sliding, and recurrent attention".
    """
    if isinstance(cache, TypedCache):
        return _constant(cache.read_bytes_per_token, tokens)
    total = _constant(0.0, tokens)
    for layer in cache:
        total = total + layer_read_bytes(layer, tokens)
    return total


def layer_read_bytes(layer: CacheLayer, tokens: Tokens) -> Tokens:
    """The part of `cache_read_bytes` that one group of layers moves [bytes]."""
    read = tokens
    if layer.kind == "window":
        read = _at_most(tokens, layer.window_tokens)
    elif layer.kind == "sparse":
        read = _at_most(tokens, layer.selected_tokens)
    moved: Tokens = layer.count * (
        layer.read_bytes_per_token * read + layer.index_bytes_per_token * tokens + layer.state_bytes
    )
    return moved


def draft_alloc_bytes(draft: Draft, tokens: Tokens, policy: CachePolicy) -> Tokens:
    """Cache of a draft that one session reserves at a context of `tokens`, K_draft,alloc [bytes].

    A draft keeps no more than its own context limit.

    References: formulation, "Speculative decoding".
    """
    return cache_alloc_bytes(draft.cache, _within(draft, tokens), policy)


def draft_read_bytes(draft: Draft, tokens: Tokens) -> Tokens:
    """What one step of a draft reads of its cache at a context of `tokens`, K_draft,read [bytes].

    References: formulation, "Speculative decoding".

    >>> draft_read_bytes(Draft(cache=(CacheLayer("full", 1, 2.0, 2.0),), max_context_tokens=10), 99)
    20.0
    """
    read: Tokens = cache_read_bytes(draft.cache, _within(draft, tokens)) / draft.modules
    return read


def _within(draft: Draft, tokens: Tokens) -> Tokens:
    limit = draft.max_context_tokens
    return tokens if limit is None else _at_most(tokens, limit)


def attended_pairs(
    prefix: ArrayLike, tokens: ArrayLike, limit: float = np.inf
) -> NDArray[np.float64]:
    """Query-key pairs of `tokens` new tokens behind a cached `prefix`, each token attending to at
    most `limit` positions, itself included: sum over j = 1..c of min(l + j, w).

    >>> float(attended_pairs(0, 4)), float(attended_pairs(2, 4, limit=4))
    (10.0, 15.0)
    """
    prefix = np.asarray(prefix, dtype=np.float64)
    tokens = np.asarray(tokens, dtype=np.float64)
    if limit == np.inf:
        return tokens * (prefix + (tokens + 1.0) / 2.0)
    growing = np.minimum(np.maximum(limit - prefix, 0.0), tokens)
    return growing * (prefix + (growing + 1.0) / 2.0) + (tokens - growing) * limit


def attention_flop(
    layers: tuple[AttentionLayer, ...], prefix: ArrayLike, tokens: ArrayLike
) -> NDArray[np.float64]:
    """Attention FLOPs of `tokens` new tokens behind `prefix`, c * a_attn(c, l), of one sequence.

    The sum over a prompt does not depend on how it is cut into chunks.

    References: formulation, "Prefill adapter fields".
    """
    total = np.zeros(np.broadcast(np.asarray(prefix), np.asarray(tokens)).shape)
    for layer in layers:
        if layer.kind == "state":
            flop = layer.flop_per_token * np.asarray(tokens, dtype=np.float64)
        else:
            limit = {"window": layer.window_tokens, "sparse": layer.selected_tokens}.get(
                layer.kind, np.inf
            )
            flop = 4.0 * layer.query_width * attended_pairs(prefix, tokens, limit)
            if layer.index_flop_per_pair:
                flop = flop + layer.index_flop_per_pair * attended_pairs(prefix, tokens)
        total = total + layer.count * flop
    return total
