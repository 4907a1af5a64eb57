"""The imported model beside the catalog's profile of the same model."""

import re
from collections.abc import Mapping

from ...language import tr
from ...units import ENGLISH, Separators
from ..load import ModelEntry
from ..models import CLASS_NAMES, LayerGroup, ModelRecord, parameters_by_class
from .review import Difference, shown

_TOLERANCE = 0.001
_NOT_A_NAME = re.compile(r"[^a-z0-9]+")
_FORMAT = re.compile(
    r"-(gguf|mlx|awq|gptq|fp8|nvfp4|mxfp4|int4|int8|bnb|[2-8]bit|bf16|fp16|i?q\d.*)$"
)


def twin_of(record: ModelRecord, models: Mapping[str, ModelEntry]) -> ModelEntry | None:
    """The catalog's profile of the same model: by repository, by name, or by every size at once.

    Of several that are as good, the one that differs in the fewest figures.
    """
    shipped = [entry for entry in models.values() if not entry.yours]
    if record.repository:
        for entry in shipped:
            if entry.record.repository.lower() == record.repository.lower():
                return entry
    own = _bare(record.name)
    named = [entry for entry in shipped if own in (_bare(entry.name), entry.id)]
    alike = [entry for entry in shipped if _same_sizes(record, entry.record)]
    likely = [entry for entry in named if entry in alike] or named or alike
    return min(likely, key=lambda entry: len(differences(record, entry.record)), default=None)


def differences(
    record: ModelRecord, twin: ModelRecord, separators: Separators = ENGLISH
) -> tuple[Difference, ...]:
    """Every figure that the two have otherwise; what one of them does not know is left out."""
    found = []
    figures = {
        tr("context limit"): (record.context_tokens, twin.context_tokens),
        tr("layers"): (record.layer_count, twin.layer_count),
        tr("width"): (record.hidden_width, twin.hidden_width),
        tr("head is the input embedding"): (record.tied, twin.tied),
    }
    for name, (here, there) in figures.items():
        if here is not None and there is not None and here != there:
            found.append(Difference(name, shown(here, separators), shown(there, separators)))
    ours, theirs = parameters_by_class(record), parameters_by_class(twin)
    for tensor_class in dict.fromkeys([*ours, *theirs]):
        here, there = ours.get(tensor_class, 0), theirs.get(tensor_class, 0)
        if abs(here - there) > _TOLERANCE * max(here, there):
            kind = tr(CLASS_NAMES[tensor_class])
            name = tr("parameters, {kind}").format(kind=kind)
            found.append(Difference(name, shown(here, separators), shown(there, separators)))
    known = record.layers is not None and twin.layers is not None
    if known and layer_counts(record.layers or ()) != layer_counts(twin.layers or ()):
        found.append(Difference(tr("cache layout"), in_words(record.layers), in_words(twin.layers)))
    if sets(record) != sets(twin) and record.experts:
        found.append(Difference(tr("experts"), sets(record), sets(twin)))
    return tuple(found)


def layer_counts(groups: tuple[LayerGroup, ...]) -> dict[LayerGroup, int]:
    """Layers by what they are, whatever order and grouping they stand in."""
    counts: dict[LayerGroup, int] = {}
    for group in groups:
        one = LayerGroup(
            **({name: getattr(group, name) for name in group.__struct_fields__} | {"count": 1})
        )
        counts[one] = counts.get(one, 0) + group.count
    return counts


def in_words(groups: tuple[LayerGroup, ...] | None) -> str:
    """Layers for people, such as ``24 window (512), 6 full``."""
    if groups is None:
        return tr("unknown")
    if not groups:
        return tr("no cache")
    return ", ".join(_words(group) for group in groups)


def _words(group: LayerGroup) -> str:
    if group.kind == "state":
        detail = tr("{state_elements:,} + {conv_elements:,} elements").format(
            state_elements=group.state_elements, conv_elements=group.conv_elements
        )
    elif group.latent_width:
        detail = f"{group.latent_width} + {group.rope_width}"
    else:
        detail = f"{group.key_heads} x ({group.key_width} + {group.value_width})"
    parts = [detail]
    if group.window_tokens:
        parts.append(tr("last {count:,} tokens").format(count=group.window_tokens))
    if group.shares_cache:
        parts.append(tr("another's cache"))
    return f"{group.count} {tr(group.kind)} ({', '.join(parts)})"


def sets(record: ModelRecord) -> str:
    """Expert sets for people."""
    return ", ".join(
        tr("{per_token} of {routed} in {layers} layers").format(
            per_token=one.per_token, routed=one.routed, layers=one.layers
        )
        for one in record.experts
    )


def _bare(name: str) -> str:
    """A name without the format that repositories append.

    >>> _bare("Qwen3-8B-GGUF")
    'qwen3-8b'
    """
    plain = _NOT_A_NAME.sub("-", name.lower()).strip("-")
    while (shorter := _FORMAT.sub("", plain)) != plain:
        plain = shorter
    return plain


def _same_sizes(record: ModelRecord, other: ModelRecord) -> bool:
    shape = (record.layer_count, record.hidden_width, record.tied)
    if shape != (other.layer_count, other.hidden_width, other.tied):
        return False
    ours, theirs = parameters_by_class(record), parameters_by_class(other)
    return ours.keys() == theirs.keys() and all(
        abs(count - theirs[key]) <= _TOLERANCE * count for key, count in ours.items()
    )
