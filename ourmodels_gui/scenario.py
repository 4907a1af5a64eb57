"""The scenario: what the user chose, as ids and numbers; and its files.

A field that is None is absent from the file and means its default, so "the overhead follows the
machine" survives a save. Units are part of the names.
"""

from typing import Any, Literal

import msgspec

from .engine.setup import CacheGrowth, CachePolicy, DecodeCeiling, Routing

FORMAT = "ourmodels-scenario"
VERSION = 1
SUFFIX = ".ourmodels.json"


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Strict on reading, silent about defaults on writing."""


class InlineHardware(_Part):
    name: str
    memory_gb: float
    bandwidth_gb_per_s: float
    kind: Literal["discrete", "unified", "datacenter", "cpu"] | None = None
    measured_bandwidth_gb_per_s: float | None = None
    compute_tflop_per_s: dict[str, float] | None = None
    measured_compute_tflop_per_s: dict[str, float] | None = None


class HardwareRef(_Part):
    """A machine of the user's own that travels with the scenario, in the catalog's file format."""

    id: str
    record: dict[str, Any]


class InlineLayer(_Part):
    count: int
    kind: Literal["full", "window", "sparse", "state"]
    bytes_per_token: float | None = None
    window_tokens: int | None = None
    selected_tokens: int | None = None
    index_bytes_per_token: float | None = None
    bytes: float | None = None


class InlineCache(_Part):
    alloc_gb_per_session: float | None = None
    read_gb_per_token: float | None = None
    layers: tuple[InlineLayer, ...] | None = None


class InlineAttention(_Part):
    count: int
    kind: Literal["full", "window", "sparse", "state"]
    query_width: float | None = None
    window_tokens: int | None = None
    selected_tokens: int | None = None
    index_flop_per_pair: float | None = None
    flop_per_token: float | None = None


class InlinePrefill(_Part):
    linear_active_parameters_b: float | None = None
    swept_gb: float | None = None
    cache_write_bytes_per_token: float | None = None
    attention: tuple[InlineAttention, ...] | None = None


class InlineAdapter(_Part):
    name: str
    total_parameters_b: float
    bytes_per_parameter: float
    cache: InlineCache
    resident_gb: float | None = None
    active_parameters_b: float | None = None
    embedding_parameters_b: float | None = None
    routed_experts: int | None = None
    experts_per_token: int | None = None
    max_context_tokens: int | None = None
    prefill: InlinePrefill | None = None


class InlineModel(_Part):
    adapter: InlineAdapter


class ModelRef(_Part):
    """A model of the library; `record` holds a user's own model in the catalog's file format."""

    id: str
    weights: str | None = None
    include_towers: bool | None = None
    record: dict[str, Any] | None = None


class WorkloadChoice(_Part):
    reserved_context_tokens: int | None = None
    read_context_tokens: int | None = None
    read_context_fraction: float | None = None
    floor_tokens_per_s: float | None = None
    overhead_gb: float | None = None
    cache_format: str | None = None
    cache_read_format: str | None = None
    cache_policy: CachePolicy | None = None
    routing: Routing | None = None
    rates: Literal["limit", "measured"] | None = None
    decode_ceiling: DecodeCeiling | None = None
    batch: int | None = None


class DraftModel(_Part):
    id: str
    weights: str | None = None
    record: dict[str, Any] | None = None


class TypedDraft(_Part):
    resident_gb: float
    sweep_gb: float
    cache_alloc_gb: float
    cache_read_gb: float


class SpeculationChoice(_Part):
    draft_tokens: int
    acceptance: float | None = None
    emitted_tokens: float | None = None
    draft: DraftModel | Literal["mtp"] | TypedDraft | None = None


class PrefillChoice(_Part):
    prompt_tokens: int | None = None
    cached_prefix_tokens: int | None = None
    answer_tokens: int | None = None
    chunk_tokens: int | None = None
    ttft_budget_s: float | None = None
    cache_growth: CacheGrowth | None = None
    linear_mode: str | dict[str, float] | None = None
    attention_mode: str | dict[str, float] | None = None
    batch: int | None = None


class Scenario(_Part):
    """hardware: a library id, a machine written out, or a user's own that travels with the file."""

    hardware: str | InlineHardware | HardwareRef
    model: ModelRef | InlineModel
    name: str | None = None
    catalog_version: str | None = None
    workload: WorkloadChoice = WorkloadChoice()
    speculation: SpeculationChoice | None = None
    prefill: PrefillChoice | None = None
