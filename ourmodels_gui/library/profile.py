"""A model with its weight and cache formats -> what the engine charges for it."""

from collections.abc import Iterator

import msgspec

from ..engine.setup import CacheLayer, Experts, ModelCosts, ModelShape
from ..language import tr
from ..problem import BadInput, brief
from ..spoken import spoken
from .encodings import CACHE_FORMATS
from .formats import NATIVE, WEIGHT_FORMATS, bytes_of, file_bytes
from .layer_costs import attention_layers, cache_heads, cache_layers
from .models import (
    TOWERS,
    LayerGroup,
    ModelRecord,
    Part,
    Tensors,
    experts_per_token,
    tensors_of,
    total_parameters,
)


class FormatSize(msgspec.Struct, frozen=True):
    """One row of a format picker: id, name, bytes of all tensors in the files, bits a parameter."""

    id: str
    name: str
    file_bytes: float
    bits_per_parameter: float


class MtpCosts(msgspec.Struct, frozen=True):
    """What a model's own draft layers cost.

    resident_bytes: their own tensors. always_bytes, experts: swept by one draft step: one module
    and an output head. cache: of all modules, reserved. modules: of which a step reads one.
    """

    resident_bytes: float
    always_bytes: float
    experts: tuple[Experts, ...]
    cache: tuple[CacheLayer, ...]
    modules: int


def weight_formats(record: ModelRecord) -> tuple[FormatSize, ...]:
    """The formats this model can be had in, its own first, each with the size of its files.

    A release in plain BF16 has no format ``native`` beside ``bf16``.
    """
    ids = [default_weights(record), *WEIGHT_FORMATS]
    total = total_parameters(record)
    sizes = []
    for weights in dict.fromkeys(ids):
        name = record.native if weights == NATIVE else WEIGHT_FORMATS[weights].name
        size = file_bytes(record, weights)
        sizes.append(FormatSize(weights, name, size, 8 * size / total))
    return tuple(sizes)


def default_weights(record: ModelRecord) -> str:
    """The format of the release itself: ``bf16`` where all is BF16, else ``native``."""
    plain = all(group.encoding == "bf16" and group.stored_bytes is None for group in record.tensors)
    return "bf16" if plain else NATIVE


def resident_bytes(record: ModelRecord, weights: str, *, include_towers: bool = False) -> float:
    """W_resident in a format [bytes]: the main model's, and those of vision and audio if asked."""
    towers = (group for group in record.tensors if include_towers and group.part in TOWERS)
    return bytes_of(record, weights, (*_own(record, "text"), *towers))


def model_costs(
    record: ModelRecord,
    weights: str,
    cache_format: str = "fp16",
    cache_read_format: str | None = None,
    include_towers: bool = False,
) -> ModelCosts:
    """The adapter of one model in one weight and one cache format.

    W_resident = sum of the main model's stored bytes (+ towers if asked; draft layers never)
    W_batch(n) = W_resident - towers - input tables not used as head - sum (E - m(n)) p_expert

    Parameters: weights, a format id; cache_format of what is stored; cache_read_format of what is
    read, None for the same; include_towers keeps vision and audio towers resident.

    Raises BadInput with the scenario's key for an unknown format, or a cache layout that is
    unknown or empty.

    References: formulation, "Model adapters".
    """
    _check_formats(weights, cache_format, cache_read_format)
    layers = _layers(record)
    main = _own(record, "text")
    always_bytes, experts = _sweep(record, weights, main, tied_head=record.tied)
    cache = cache_layers(layers, cache_format, cache_read_format)
    return ModelCosts(
        resident_bytes=resident_bytes(record, weights, include_towers=include_towers),
        always_bytes=always_bytes,
        experts=experts,
        cache=cache,
        max_context_tokens=record.context_tokens,
        cache_write_bytes_per_token=sum(layer.count * layer.bytes_per_token for layer in cache),
        linear_active_parameters=linear_active_parameters(record),
        head_parameters=float(sum(group.parameters for group in _head(record))),
        attention=attention_layers(layers),
    )


def model_shape(record: ModelRecord, weights: str, costs: ModelCosts) -> ModelShape:
    """What the model's division over devices depends on, beside `costs` in the same format.

    Layers are alike where one group of them attends, all of them or none have the same experts, and
    the format gives every layer the same blocks.

    References: the module `engine.placement`.
    """
    layers = record.layers or ()
    sets = {group.routed: 0 for group in costs.experts}
    for experts in record.experts:
        if experts.routed in sets:
            sets[experts.routed] += experts.layers
    whole = all(experts.layers == record.layer_count for experts in record.experts)
    uniform = len(layers) == 1 and layers[0].count == record.layer_count
    mixed = weights in WEIGHT_FORMATS and WEIGHT_FORMATS[weights].mixed
    return ModelShape(
        hidden_width=record.hidden_width,
        summed_blocks=record.summed_blocks,
        expert_layers=tuple(sets[group.routed] for group in costs.experts),
        key_heads=cache_heads(layers),
        head_bytes=bytes_of(record, weights, _head(record)),
        expert_parameters=_active_expert_parameters(record, costs),
        alike=uniform and whole and not mixed and not layers[0].shares_cache,
    )


def mtp_costs(
    record: ModelRecord,
    weights: str,
    cache_format: str = "fp16",
    cache_read_format: str | None = None,
) -> MtpCosts:
    """What the model's own draft layers cost, by the same formats.

    Resident are their own tensors; a step sweeps one module and the output head (the module's own,
    where it has one). A table stored twice costs nothing the second time.

    Raises BadInput when the model has none.
    """
    _check_formats(weights, cache_format, cache_read_format)
    if record.mtp is None:
        raise BadInput(
            "speculation.draft",
            tr("{name} has no MTP layers; name another draft").format(name=record.name),
        )
    own = _own(record, "mtp")
    swept, experts = _sweep(record, weights, own, tied_head=False)
    modules = record.mtp.modules
    has_head = any(group.tensor_class == "output_head" for group in own)
    head_bytes = 0.0 if has_head else bytes_of(record, weights, _head(record))
    return MtpCosts(
        resident_bytes=bytes_of(record, weights, own),
        always_bytes=swept / modules + head_bytes,
        experts=tuple(
            Experts(group.routed, group.per_token, group.expert_bytes / modules)
            for group in experts
        ),
        cache=cache_layers(record.mtp.layers, cache_format, cache_read_format),
        modules=modules,
    )


def linear_active_parameters(record: ModelRecord) -> float:
    """P_lin,active: matrices one token is multiplied with, k of the E routed experts; no lookup
    table and no output head.

    References: formulation, "Compute per prompt token".
    """
    return sum(_active_share(record, group) * group.parameters for group in _multiplied(record))


def _active_expert_parameters(record: ModelRecord, costs: ModelCosts) -> float:
    """The part of P_lin,active in experts of which a token uses some."""
    chosen = {group.routed for group in costs.experts}
    active = 0.0
    for group in _multiplied(record):
        if group.tensor_class == "routed_experts" and group.shape[0] in chosen:
            active += _active_share(record, group) * group.parameters
    return active


def _multiplied(record: ModelRecord) -> Iterator[Tensors]:
    """The matrices that every prompt token is multiplied with, experts it does not use included."""
    for group in _own(record, "text"):
        table = group.tensor_class in ("input_embedding", "output_head")
        if not table and len(group.shape) > 1 and group.role != "bias":
            yield group


def _active_share(record: ModelRecord, group: Tensors) -> float:
    if group.tensor_class != "routed_experts":
        return 1.0
    return experts_per_token(record, group.shape[0]) / group.shape[0]


def _check_formats(weights: str, cache_format: str, cache_read_format: str | None) -> None:
    """Raise BadInput when a format id is unknown."""
    if weights != NATIVE and weights not in WEIGHT_FORMATS:
        known = ", ".join([NATIVE, *WEIGHT_FORMATS])
        raise BadInput(
            "model.weights",
            tr("unknown weight format “{weights}”; one of {known}").format(
                weights=brief(weights), known=known
            ),
        )
    chosen = {"cache_format": cache_format, "cache_read_format": cache_read_format}
    for key, name in chosen.items():
        if name is not None and name not in CACHE_FORMATS:
            known = ", ".join(CACHE_FORMATS)
            message = tr("unknown cache format “{name}”; one of {known}").format(
                name=brief(name), known=known
            )
            raise BadInput(f"workload.{key}", message)


def _own(record: ModelRecord, part: Part) -> tuple[Tensors, ...]:
    """The tensors of a part that a runtime has to hold."""
    return tuple(group for group in tensors_of(record, part) if group.role != "unused")


def _sweep(
    record: ModelRecord, weights: str, groups: tuple[Tensors, ...], tied_head: bool
) -> tuple[float, tuple[Experts, ...]]:
    """Bytes that every iteration reads, and the routed experts of which it reads some.

    Lookup tables are not swept, but for a table that is the output head as well.
    """
    always_bytes = 0.0
    expert_bytes: dict[int, float] = {}
    for group in groups:
        size = bytes_of(record, weights, (group,))
        if group.tensor_class == "routed_experts":
            routed = group.shape[0]
            expert_bytes[routed] = expert_bytes.get(routed, 0.0) + size / routed
        elif group.tensor_class != "input_embedding" or (tied_head and group.role == "token"):
            always_bytes += size
    experts = []
    for routed, size in expert_bytes.items():
        per_token = experts_per_token(record, routed)
        if per_token >= routed:
            always_bytes += routed * size
        else:
            experts.append(Experts(routed, per_token, size))
    return always_bytes, tuple(experts)


def _head(record: ModelRecord) -> tuple[Tensors, ...]:
    """The output projection of the main model, the input table itself when they are tied."""
    wanted = ("input_embedding", "token") if record.tied else ("output_head", None)
    return tuple(
        group
        for group in _own(record, "text")
        if group.tensor_class == wanted[0] and wanted[1] in (None, group.role)
    )


def _layers(record: ModelRecord) -> tuple[LayerGroup, ...]:
    if record.layers is None:
        missing = "; ".join(map(spoken, record.audit.missing)) or tr(
            "no source describes its layers"
        )
        raise BadInput(
            "model.id",
            tr("the cache layout of {name} is unknown: {missing}").format(
                name=record.name, missing=missing
            ),
        )
    if not any(group.count for group in record.layers if not group.shares_cache):
        raise BadInput(
            "model.id", tr("{name} keeps no cache, so it is not a decoder").format(name=record.name)
        )
    return record.layers


def parts_bytes(record: ModelRecord, weights: str) -> dict[Part, float]:
    """Stored bytes of each part of the release that has tensors."""
    parts: dict[Part, float] = {}
    for group in record.tensors:
        parts[group.part] = parts.get(group.part, 0.0) + bytes_of(record, weights, (group,))
    return parts
