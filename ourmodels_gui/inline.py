"""Machines and models written out in a scenario, without the library.

Each part refuses what no single type can: BadInput with the key inside the part; `fit` puts
the path in front.
"""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from .fitting import OneOf
from .language import tr
from .problem import BadInput

ArithmeticMode = Literal[
    "fp32",
    "fp32_matrix",
    "fp16_vector",
    "tf32_fp32acc",
    "fp16_fp16acc",
    "fp16_fp32acc",
    "bf16_fp32acc",
    "fp8_fp16acc",
    "fp8_fp32acc",
    "mxfp8_fp32acc",
    "int8_int32acc",
    "int4_int32acc",
    "fp4_fp32acc",
    "blockfp8",
]
"""Operand and accumulation format; the rates are those of dense arithmetic."""

ARITHMETIC_MODES: tuple[str, ...] = get_args(ArithmeticMode)

Mode = Annotated[str, OneOf(ARITHMETIC_MODES)]
Positive = Annotated[float, Meta(gt=0, le=1e9)]
Amount = Annotated[float, Meta(ge=0, le=1e18)]
Fraction = Annotated[float, Meta(gt=0, le=1)]
Tokens = Annotated[int, Meta(ge=1, le=2**31)]
TokensOrNone = Annotated[int, Meta(ge=0, le=2**31)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Rates = dict[Mode, Positive]
Shares = dict[Mode, Annotated[float, Meta(ge=0, le=1)]]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Strict on reading, silent about defaults on writing."""


class InlineHardware(Part, frozen=True, kw_only=True):
    name: str = ""
    memory_gb: Positive
    bandwidth_gb_per_s: Positive
    kind: Literal["discrete", "unified", "datacenter", "cpu"] | None = None
    measured_bandwidth_gb_per_s: Positive | None = None
    compute_tflop_per_s: Rates | None = None
    measured_compute_tflop_per_s: Rates | None = None


def _only(part: msgspec.Struct, needed: str, allowed: str = "") -> None:
    """Refuse a layer that lacks what its kind needs or holds what another kind needs."""
    kind = getattr(part, "kind", "")
    for key in part.__struct_fields__[2:]:
        given = getattr(part, key) is not None
        if key in needed.split() and not given:
            raise BadInput(key, tr("is missing; a {kind} layer needs it").format(kind=kind))
        if given and key not in f"{needed} {allowed}".split():
            raise BadInput(key, tr("does not belong to a {kind} layer").format(kind=kind))


class InlineLayer(Part, frozen=True):
    """`count` layers that own a cache; bytes are per layer and as stored."""

    count: Count
    kind: Literal["full", "window", "sparse", "state"]
    bytes_per_token: Amount | None = None
    window_tokens: Tokens | None = None
    selected_tokens: Tokens | None = None
    index_bytes_per_token: Amount | None = None
    bytes: Amount | None = None

    def __post_init__(self) -> None:
        match self.kind:
            case "full":
                _only(self, "bytes_per_token")
            case "window":
                _only(self, "bytes_per_token window_tokens")
            case "sparse":
                _only(self, "bytes_per_token selected_tokens", "index_bytes_per_token")
            case "state":
                _only(self, "bytes")


class InlineCache(Part, frozen=True):
    """Either the two figures as typed, used whatever the contexts, or a layer list."""

    alloc_gb_per_session: Amount | None = None
    read_gb_per_token: Amount | None = None
    layers: tuple[InlineLayer, ...] | None = None

    def __post_init__(self) -> None:
        typed = {
            "alloc_gb_per_session": self.alloc_gb_per_session,
            "read_gb_per_token": self.read_gb_per_token,
        }
        for key, value in typed.items():
            if self.layers is not None and value is not None:
                raise BadInput(key, tr("excludes layers; keep one of them"))
            if self.layers is None and value is None:
                raise BadInput(key, tr("is missing; write it, or a list of layers instead"))


class InlineAttention(Part, frozen=True):
    """`count` layers that attend; query_width is N_q (d_qk + d_v) / 2."""

    count: Count
    kind: Literal["full", "window", "sparse", "state"]
    query_width: Amount | None = None
    window_tokens: Tokens | None = None
    selected_tokens: Tokens | None = None
    index_flop_per_pair: Amount | None = None
    flop_per_token: Amount | None = None

    def __post_init__(self) -> None:
        match self.kind:
            case "full":
                _only(self, "query_width")
            case "window":
                _only(self, "query_width window_tokens")
            case "sparse":
                _only(self, "query_width selected_tokens", "index_flop_per_pair")
            case "state":
                _only(self, "flop_per_token")


class InlinePrefill(Part, frozen=True):
    linear_active_parameters_b: Positive | None = None
    swept_gb: Positive | None = None
    cache_write_bytes_per_token: Amount | None = None
    attention: tuple[InlineAttention, ...] | None = None


class InlineAdapter(Part, frozen=True, kw_only=True):
    """A simplified adapter; decimal GB, parameters in billions. Without experts it is dense."""

    name: str = ""
    total_parameters_b: Positive
    bytes_per_parameter: Annotated[float, Meta(gt=0, le=64)]
    cache: InlineCache
    resident_gb: Positive | None = None
    active_parameters_b: Positive | None = None
    embedding_parameters_b: Amount | None = None
    routed_experts: Count | None = None
    experts_per_token: Count | None = None
    max_context_tokens: Tokens | None = None
    prefill: InlinePrefill | None = None

    def __post_init__(self) -> None:
        total, active = self.total_parameters_b, self.active_parameters_b
        embedding = self.embedding_parameters_b or 0.0
        if embedding >= total:
            raise BadInput("embedding_parameters_b", tr("must be below total_parameters_b"))
        if (self.routed_experts is None) != (self.experts_per_token is None):
            key = "routed_experts" if self.routed_experts is None else "experts_per_token"
            raise BadInput(key, tr("is missing; write both routed_experts and experts_per_token"))
        routed, per_token = self.routed_experts or 0, self.experts_per_token or 0
        if per_token > routed:
            raise BadInput("experts_per_token", tr("must be at most routed_experts"))
        if per_token == routed:
            if active not in (None, total):
                raise BadInput(
                    "active_parameters_b",
                    tr(
                        "must equal total_parameters_b where every token uses every parameter; "
                        "leave it out, or write routed_experts and a smaller experts_per_token"
                    ),
                )
            return
        if active is None:
            raise BadInput("active_parameters_b", tr("is missing; a model with experts needs it"))
        if active > total:
            raise BadInput("active_parameters_b", tr("must be at most total_parameters_b"))
