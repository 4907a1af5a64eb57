"""Machines and simplified adapters written out in a scenario -> inputs of the engine."""

from ..engine.setup import AttentionLayer, CacheLayer, Experts, Machine, ModelCosts, TypedCache
from ..inline import InlineAdapter, InlineCache, InlineHardware, InlinePrefill
from ..language import tr
from ..problem import BadInput

GB = 1e9
BILLION = 1e9
TERA = 1e12


def machine(hardware: InlineHardware) -> tuple[Machine, dict[str, float]]:
    """The machine with its limits, and its measured figures by "bandwidth" or mode id, in SI."""
    measured = _flop_per_s(hardware.measured_compute_tflop_per_s)
    if hardware.measured_bandwidth_gb_per_s is not None:
        measured["bandwidth"] = hardware.measured_bandwidth_gb_per_s * GB
    limits = Machine(
        capacity_bytes=hardware.memory_gb * GB,
        bandwidth_bytes_per_s=hardware.bandwidth_gb_per_s * GB,
        compute_flop_per_s=_flop_per_s(hardware.compute_tflop_per_s),
    )
    return limits, measured


def _flop_per_s(rates: dict[str, float] | None) -> dict[str, float]:
    return {mode: rate * TERA for mode, rate in (rates or {}).items()}


def model_costs(adapter: InlineAdapter) -> ModelCosts:
    """What a simplified adapter costs.

    p_expert = (P_total - P_active) / (E - k), P_fixed = P_active - k p_expert
    W_batch(n) = e_w [P_fixed - P_embed + p_expert m(n)]; dense: e_w (P_total - P_embed)

    Errors: BadInput at ``model.adapter.active_parameters_b`` when the always-on part
    P_fixed - P_embed comes out negative.
    References: formulation, "Model adapters".

    >>> from ..inline import InlineCache
    >>> qwen = InlineAdapter(
    ...     total_parameters_b=35, active_parameters_b=3, routed_experts=256, experts_per_token=8,
    ...     bytes_per_parameter=0.5,
    ...     cache=InlineCache(alloc_gb_per_session=1.025, read_gb_per_token=0.3268992))
    >>> costs = model_costs(qwen)
    >>> costs.resident_bytes / 1e9, round(costs.always_bytes / 1e9, 6)
    (17.5, 0.983871)
    """
    per_parameter = adapter.bytes_per_parameter
    total = adapter.total_parameters_b * BILLION
    resident = total * per_parameter if adapter.resident_gb is None else adapter.resident_gb * GB
    always, experts = _sweep(adapter, total)
    prefill = adapter.prefill or InlinePrefill()
    linear = prefill.linear_active_parameters_b
    return ModelCosts(
        resident_bytes=resident,
        always_bytes=always,
        experts=experts,
        cache=_cache(adapter.cache),
        max_context_tokens=adapter.max_context_tokens,
        cache_write_bytes_per_token=_cache_write(adapter),
        linear_active_parameters=None if linear is None else linear * BILLION,
        attention=_attention(prefill),
        prefill_sweep_bytes=None if prefill.swept_gb is None else prefill.swept_gb * GB,
    )


def _sweep(adapter: InlineAdapter, total: float) -> tuple[float, tuple[Experts, ...]]:
    """The bytes swept by every iteration, and the routed experts."""
    embedding = (adapter.embedding_parameters_b or 0.0) * BILLION
    routed, per_token = adapter.routed_experts, adapter.experts_per_token
    dense = (total - embedding) * adapter.bytes_per_parameter
    if routed is None or per_token is None or adapter.active_parameters_b is None:
        return dense, ()
    if per_token == routed:
        return dense, ()
    active = adapter.active_parameters_b * BILLION
    expert = (total - active) / (routed - per_token)
    always = active - per_token * expert - embedding
    if always < -1e-9 * total:
        least = (per_token * total / routed + embedding * (1 - per_token / routed)) / BILLION
        raise BadInput(
            "model.adapter.active_parameters_b",
            tr(
                "{active:g} leaves the part that every token uses negative: "
                "{per_token} of {routed} experts alone hold more; it must be at least "
                "{least:.6g}"
            ).format(
                active=adapter.active_parameters_b,
                per_token=per_token,
                routed=routed,
                least=least,
            ),
        )
    bytes_per_parameter = adapter.bytes_per_parameter
    if expert == 0:
        return dense, ()
    return (
        max(always, 0.0) * bytes_per_parameter,
        (Experts(routed, per_token, expert * bytes_per_parameter),),
    )


def _cache(cache: InlineCache) -> tuple[CacheLayer, ...] | TypedCache:
    if cache.layers is None:
        return TypedCache(
            (cache.alloc_gb_per_session or 0.0) * GB, (cache.read_gb_per_token or 0.0) * GB
        )
    return tuple(
        CacheLayer(
            kind=layer.kind,
            count=layer.count,
            bytes_per_token=layer.bytes_per_token or 0.0,
            read_bytes_per_token=layer.bytes_per_token or 0.0,
            window_tokens=layer.window_tokens or 0,
            selected_tokens=layer.selected_tokens or 0,
            index_bytes_per_token=layer.index_bytes_per_token or 0.0,
            state_bytes=layer.bytes or 0.0,
        )
        for layer in cache.layers
    )


def _cache_write(adapter: InlineAdapter) -> float | None:
    """kappa_KV,w: typed, else the sum over the layers; unknown with typed cache figures."""
    if adapter.prefill is not None and adapter.prefill.cache_write_bytes_per_token is not None:
        return adapter.prefill.cache_write_bytes_per_token
    if adapter.cache.layers is None:
        return None
    return sum(layer.count * (layer.bytes_per_token or 0.0) for layer in adapter.cache.layers)


def _attention(prefill: InlinePrefill) -> tuple[AttentionLayer, ...] | None:
    if prefill.attention is None:
        return None
    return tuple(
        AttentionLayer(
            kind=layer.kind,
            count=layer.count,
            query_width=layer.query_width or 0.0,
            window_tokens=layer.window_tokens or 0,
            selected_tokens=layer.selected_tokens or 0,
            index_flop_per_pair=layer.index_flop_per_pair or 0.0,
            flop_per_token=layer.flop_per_token or 0.0,
        )
        for layer in prefill.attention
    )
