"""Inputs of the engine: plain numbers in SI units, already looked up and checked.

A Setup is a scenario resolved against the library. All structs are frozen; symbols of the
formulation stand beside the names.
"""

from typing import Literal

import msgspec

LayerKind = Literal["full", "window", "latent", "sparse", "state"]
Routing = Literal["expected", "floor"]
CachePolicy = Literal["windowed", "full"]
DecodeCeiling = Literal["memory", "combined"]
Split = Literal["tensor", "layers", "experts"]
Pools = Literal["sequential", "both", "streamed"]
CacheGrowth = Literal["reserved", "on_demand"]


class Machine(msgspec.Struct, frozen=True):
    """One pool of memory and the rates that work on it.

    capacity_bytes: C, before subtracting overhead.
    bandwidth_bytes_per_s: R.
    compute_flop_per_s: F_hw(mode), dense arithmetic; a mode that is absent is unknown.
    measured: which of the rates in use are measured sustained figures rather than limits:
        "bandwidth" or a mode id. A figure that uses one is an estimate.
    default_share_bytes: what the system lets the accelerator use until its memory limit is raised;
        it lowers no ceiling. None where there is no such limit, or it is unknown.
    """

    capacity_bytes: float
    bandwidth_bytes_per_s: float
    compute_flop_per_s: dict[str, float] = {}
    measured: frozenset[str] = frozenset()
    default_share_bytes: float | None = None


class Experts(msgspec.Struct, frozen=True):
    """One set of routed experts with the same routing.

    routed: E. per_token: k, 1 <= k < E.
    expert_bytes: stored bytes of one expert through all the layers of the set (e_w p_expert).
    """

    routed: int
    per_token: int
    expert_bytes: float


class CacheLayer(msgspec.Struct, frozen=True):
    """`count` layers that own a cache of one shape; every byte figure is per layer.

    bytes_per_token: stored; read_bytes_per_token: moved when read.
    window_tokens: for ``window``. selected_tokens, index_bytes_per_token: for ``sparse``.
    state_bytes: for ``state``, whatever the context.
    """

    kind: LayerKind
    count: int
    bytes_per_token: float = 0.0
    read_bytes_per_token: float = 0.0
    window_tokens: int = 0
    selected_tokens: int = 0
    index_bytes_per_token: float = 0.0
    state_bytes: float = 0.0


class TypedCache(msgspec.Struct, frozen=True):
    """Cache figures used as given, whatever the context lengths."""

    alloc_bytes_per_session: float
    read_bytes_per_token: float


class AttentionLayer(msgspec.Struct, frozen=True):
    """`count` layers whose attention costs the same; figures are per layer.

    query_width: N_q (d_qk + d_v) / 2, so that a query-key pair costs 4 * query_width FLOPs.
    index_flop_per_pair: FLOPs of the index of a ``sparse`` layer for each pair in the context.
    flop_per_token: cost of a ``state`` layer, whatever the context.
    """

    kind: LayerKind
    count: int
    query_width: float = 0.0
    window_tokens: int = 0
    selected_tokens: int = 0
    index_flop_per_pair: float = 0.0
    flop_per_token: float = 0.0


class ModelCosts(msgspec.Struct, frozen=True):
    """The adapter: what a model with its weight and cache formats costs.

    resident_bytes: W_resident.
    always_bytes: swept by every iteration, e_w (P_fixed - P_embed); W_active for a dense model.
    experts: routed experts, empty for a dense model.
    cache: layers that own a cache, or figures used as given.
    max_context_tokens: L_model,max, None when unlimited or unknown.
    cache_write_bytes_per_token: kappa_KV,w; None when unknown.
    linear_active_parameters: P_lin,active; None when unknown.
    head_parameters: P_head, the output projection that decode runs for every position.
    attention: layers that attend; None when unknown.
    prefill_sweep_bytes: the sweep with every expert touched, where it is known better than from
        the sums above; prefill sweeps are scaled to it. None for no correction.
    """

    resident_bytes: float
    always_bytes: float
    cache: tuple[CacheLayer, ...] | TypedCache
    experts: tuple[Experts, ...] = ()
    max_context_tokens: int | None = None
    cache_write_bytes_per_token: float | None = None
    linear_active_parameters: float | None = None
    head_parameters: float = 0.0
    attention: tuple[AttentionLayer, ...] | None = None
    prefill_sweep_bytes: float | None = None


class Workload(msgspec.Struct, frozen=True):
    """What is asked of the machine in decode.

    reserved_context_tokens: L_alloc. read_context_tokens: L_read <= L_alloc.
    floor_tokens_per_s: r_star, 0 for no floor. overhead_bytes: O.
    batch: a forced concurrency, or None.
    """

    reserved_context_tokens: int
    read_context_tokens: int
    floor_tokens_per_s: float
    overhead_bytes: float
    cache_policy: CachePolicy = "windowed"
    routing: Routing = "expected"
    decode_ceiling: DecodeCeiling = "memory"
    batch: int | None = None


class Draft(msgspec.Struct, frozen=True):
    """What proposes the tokens of speculative decoding; all zero for prompt lookup.

    resident_bytes: W_draft,res. always_bytes and experts: W_draft at the batch, per step.
    cache: of all its layers, at the target's contexts up to max_context_tokens, its own limit.
    modules: that take turns; a step reads the cache of one of them.
    """

    resident_bytes: float = 0.0
    always_bytes: float = 0.0
    experts: tuple[Experts, ...] = ()
    cache: tuple[CacheLayer, ...] | TypedCache = TypedCache(0.0, 0.0)
    max_context_tokens: int | None = None
    modules: int = 1


class Speculation(msgspec.Struct, frozen=True):
    """draft_tokens: gamma >= 1. emitted_tokens: rho, 1 <= rho <= gamma + 1."""

    draft_tokens: int
    emitted_tokens: float
    draft: Draft = Draft()


class Prompt(msgspec.Struct, frozen=True):
    """What is asked of the machine in prefill.

    prompt_tokens: L. cached_prefix_tokens: where the prompt starts.
    chunk_tokens: c, None for one shot. ttft_budget_s: tau_star, None for none.
    batch: a forced number of prompts, or None. answer_tokens: A, None where no turn is asked about.
    """

    prompt_tokens: int
    cached_prefix_tokens: int = 0
    chunk_tokens: int | None = None
    ttft_budget_s: float | None = None
    cache_growth: CacheGrowth = "reserved"
    batch: int | None = None
    answer_tokens: int | None = None


class Device(msgspec.Struct, frozen=True):
    """`count` machines of one kind that work together, or the memory of a host.

    overhead_bytes: O_i, of each.
    """

    name: str
    machine: Machine
    overhead_bytes: float = 0.0
    count: int = 1


class ModelShape(msgspec.Struct, frozen=True):
    """What a model's division over devices depends on beside its costs.

    hidden_width: of the activations between blocks, 2 bytes each. summed_blocks: blocks whose
        output a tensor split adds up. expert_layers: layers of each set of `ModelCosts.experts`.
    key_heads: N_kv of each entry of `ModelCosts.cache`, 1 for latents, 0 for what divides freely.
        Empty where it is unknown.
    head_bytes: of the output head, part of `ModelCosts.always_bytes`.
    expert_parameters: of the routed experts that one token is multiplied with, part of
        `ModelCosts.linear_active_parameters`; None when unknown.
    alike: whether all layers hold, read and keep the same.
    """

    hidden_width: int
    summed_blocks: int
    expert_layers: tuple[int, ...] = ()
    key_heads: tuple[int, ...] = ()
    head_bytes: float = 0.0
    expert_parameters: float | None = None
    alike: bool = False


class Composition(msgspec.Struct, frozen=True):
    """Several devices, or a device with the memory of its host, that serve one model.

    devices: by kind. split: how the model is divided over them. groups: of sessions, in a split by
        layers; None for the best. link_bytes_per_s: of one direction; None where there is one
        device and nothing is streamed. link_reduces: whether the link adds up on its way.
    host: memory beside the devices' own. pools: whether one pool works at a time, both at once, or
        the host's part is streamed to the device.
    placement: fraction of a class of bytes (`parts.CLASSES`) that lies on the devices; a class that
        is absent lies where it is best.
    shape: None where it is unknown; what depends on it is then left out.
    """

    devices: tuple[Device, ...]
    split: Split = "layers"
    groups: int | None = None
    link_bytes_per_s: float | None = None
    link_reduces: bool = False
    host: Device | None = None
    pools: Pools = "both"
    placement: dict[str, float] = {}
    shape: ModelShape | None = None


class Assumption(msgspec.Struct, frozen=True):
    """One input that moves the answer, as it is told to people: value in `unit`, and from where."""

    name: str
    value: float | int | str | None
    unit: str
    source: str


class Setup(msgspec.Struct, frozen=True):
    """Everything `evaluate` needs.

    machine: the one pool; of a composition, all its pools taken as one (`placement.together`).
    linear_mode, attention_mode: shares by arithmetic mode, summing to 1 (phi_linear,
    phi_attention).
    composition: None for the ordinary case of one pool.
    """

    machine: Machine
    model: ModelCosts
    workload: Workload
    linear_mode: dict[str, float]
    attention_mode: dict[str, float]
    speculation: Speculation | None = None
    prompt: Prompt | None = None
    assumptions: tuple[Assumption, ...] = ()
    composition: Composition | None = None
