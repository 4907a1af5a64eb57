"""Sense checks of model files: do the tensors, the layers and the audit tell one story.

Each check yields the key and what to write instead; the shape of the file is the reader's business.
"""

from collections.abc import Callable, Collection, Iterator
from datetime import date

from ..language import tr
from ..problem import Problem
from .encodings import ENCODINGS
from .formats import WEIGHT_FORMATS
from .models import LayerGroup, ModelRecord, tensors_of, total_parameters

TOLERANCE = 0.001
Finding = tuple[str, str]
Check = Callable[[ModelRecord], Iterator[Finding]]


def check_model(
    record: ModelRecord, place: str, sources: Collection[str] | None = None
) -> list[Problem]:
    """Every fault of one model file; empty when it makes sense.

    Parameters: place, the file; sources, the ids that exist, None for a user's own file, which
    need not cite any.
    """
    findings = [finding for check in CHECKS for finding in check(record)]
    if sources is not None:
        findings += check_sources(record, sources)
    return [Problem(place, key, message) for key, message in findings]


def check_total(record: ModelRecord) -> Iterator[Finding]:
    """Audited: the shapes sum to the published total, or the file says why not."""
    published, computed = record.published_parameters, total_parameters(record)
    if record.audit.status != "audited" or record.audit.explanation:
        return
    if published is None:
        yield (
            "published_parameters",
            tr("audited, but no total; give it or set audit.status unaudited"),
        )
    elif abs(computed / published - 1) > TOLERANCE:
        yield (
            "published_parameters",
            tr(
                "{published:,}, but the shapes sum to {computed:,}; correct one, or say why "
                "in audit.explanation"
            ).format(published=published, computed=computed),
        )


def check_audit(record: ModelRecord) -> Iterator[Finding]:
    """An audited model has its layers, an unaudited one says what is missing."""
    if record.audit.status == "audited" and record.layers is None:
        yield "layers", tr("audited, but no layers; give them or set audit.status unaudited")
    if record.audit.status == "unaudited" and not record.audit.missing:
        yield "audit.missing", tr("unaudited: name what is missing")


def check_tables(record: ModelRecord) -> Iterator[Finding]:
    """One input table as wide as the model, and a head of its own only when not tied."""
    tables = [group for group in tensors_of(record, "text", "input_embedding")]
    tokens = [group for group in tables if group.role == "token"]
    if len(tokens) != 1:
        yield (
            "tensors",
            tr("{count} input embeddings with role token; there has to be one").format(
                count=len(tokens)
            ),
        )
    elif tokens[0].shape[-1] != record.hidden_width:
        yield (
            "hidden_width",
            tr("{hidden_width}, but the input embedding is {width} wide").format(
                hidden_width=record.hidden_width, width=tokens[0].shape[-1]
            ),
        )
    heads = [g for g in tensors_of(record, "text", "output_head") if g.role != "unused"]
    if record.tied and heads:
        yield "tied", tr("true, but there is an output_head; write false or remove it")
    if not record.tied and not heads:
        yield "tied", tr("false, but there is no output_head; write true or add it")


def check_experts(record: ModelRecord) -> Iterator[Finding]:
    """Every routed tensor belongs to a set, and every set has tensors of its size."""
    routed = list(tensors_of(record, "text", "routed_experts"))
    declared = {experts.routed for experts in record.experts}
    for place, experts in enumerate(record.experts):
        key = f"experts[{place}]"
        if experts.per_token >= experts.routed:
            yield (
                f"{key}.per_token",
                tr(
                    "{per_token} of {routed}: enter a model that uses all its experts as dense"
                ).format(per_token=experts.per_token, routed=experts.routed),
            )
        downs = [g for g in routed if g.shape[0] == experts.routed and g.role == "down"]
        if not downs:
            yield (
                f"{key}.routed",
                tr("no routed_experts tensors of {routed} experts").format(routed=experts.routed),
            )
        elif experts.width not in {group.shape[-1] for group in downs}:
            yield (
                f"{key}.width",
                tr("{width}, but the tensors say {found}").format(
                    width=experts.width, found=downs[0].shape[-1]
                ),
            )
        elif sum(group.count for group in downs) != experts.layers and len(declared) == len(
            record.experts
        ):
            yield (
                f"{key}.layers",
                tr("{layers}, but the tensors are in {count}").format(
                    layers=experts.layers, count=sum(g.count for g in downs)
                ),
            )
    for group in record.tensors:
        if group.tensor_class == "routed_experts" and group.shape[0] not in declared:
            yield (
                "tensors",
                tr("routed_experts of {count}; add such a set to experts").format(
                    count=group.shape[0]
                ),
            )


def check_layers(record: ModelRecord) -> Iterator[Finding]:
    """Each group of layers has what its kind needs, and no more layers than the model."""
    groups = record.layers or ()
    for place, group in enumerate(groups):
        for field, message in _faults_of_kind(group):
            yield f"layers[{place}].{field}", message
        if record.context_tokens and group.window_tokens > record.context_tokens:
            yield (
                f"layers[{place}].window_tokens",
                tr(
                    "{window_tokens} is beyond the context limit; a layer that sees everything "
                    "is of kind full"
                ).format(window_tokens=group.window_tokens),
            )
    states = sum(group.count for group in groups if group.kind == "state")
    attending = sum(group.count for group in groups) - states
    for count, what in ((states, "state"), (attending, "attending")):
        if count > record.layer_count:
            yield (
                "layer_count",
                tr("{layer_count}, but there are {count} {what} layers").format(
                    layer_count=record.layer_count, count=count, what=what
                ),
            )


def _faults_of_kind(group: LayerGroup) -> Iterator[Finding]:
    if group.kind == "state":
        if not group.state_elements and not group.conv_elements:
            yield "state_elements", tr("a state layer needs state_elements or conv_elements")
        return
    if not group.query_heads or not group.key_width or not group.value_width:
        yield "query_heads", tr("give query_heads, key_width and value_width")
    if not group.latent_width and not group.key_heads:
        yield "key_heads", tr("give key_heads, or latent_width for a latent cache")
    if group.key_heads and group.query_heads % group.key_heads:
        yield (
            "key_heads",
            tr("{key_heads} does not divide {query_heads} query heads").format(
                key_heads=group.key_heads, query_heads=group.query_heads
            ),
        )
    if group.kind == "window" and not group.window_tokens:
        yield "window_tokens", tr("a window layer needs its window")
    if group.kind == "full" and group.window_tokens:
        yield "window_tokens", tr("a full layer has no window; kind is window")
    if group.kind == "latent" and not group.latent_width:
        yield "latent_width", tr("a latent layer needs its rank")
    if group.kind == "sparse" and not group.selected_entries:
        yield "selected_entries", tr("a sparse layer needs the number of entries it reads")


def check_widths(record: ModelRecord) -> Iterator[Finding]:
    """The attention tensors are as wide as the heads of the layers, summed over all layers."""
    if record.layers is None:
        return
    attending = [group for group in record.layers if group.kind != "state"]
    plain = [group for group in attending if not group.latent_width]
    attention = list(tensors_of(record, "text", "attention"))
    owned = sum(g.count * g.key_heads * g.key_width for g in plain if not g.shares_cache)
    keys = sum(g.count * g.shape[0] for g in attention if g.role == "key")
    if keys and keys != owned:
        yield (
            "layers",
            tr("key heads are {owned:,} wide in all layers, the key tensors {keys:,}").format(
                owned=owned, keys=keys
            ),
        )
    outputs = [group for group in attention if group.role == "output"]
    width = sum(g.count * g.query_heads * g.value_width for g in attending)
    held = sum(g.count * g.shape[-1] for g in outputs)
    if outputs and held != width:
        yield (
            "layers",
            tr("value heads are {width:,} wide in all layers, the output tensors {held:,}").format(
                width=width, held=held
            ),
        )


def check_mtp(record: ModelRecord) -> Iterator[Finding]:
    """Draft layers and their tensors come together."""
    has_tensors = any(True for _ in tensors_of(record, "mtp"))
    if has_tensors and record.mtp is None:
        yield "mtp", tr("tensors of part mtp, but no mtp; describe its layers")
    if record.mtp is not None and not has_tensors:
        yield "tensors", tr("mtp is described, but no tensor is of part mtp")


def check_names(record: ModelRecord) -> Iterator[Finding]:
    """Encodings, formats and the date are ones that exist, and a licence has a name."""
    for encoding in sorted({group.encoding for group in record.tensors} - set(ENCODINGS)):
        yield (
            "tensors",
            tr("unknown encoding {encoding!r}; one of {known}").format(
                encoding=encoding, known=", ".join(ENCODINGS)
            ),
        )
    for weights, published in record.published.items():
        if weights not in WEIGHT_FORMATS:
            yield (
                f"published.{weights}",
                tr("unknown format; one of {known}").format(known=", ".join(WEIGHT_FORMATS)),
            )
        for encoding in sorted(set(published.encodings.values()) - set(ENCODINGS)):
            yield (
                f"published.{weights}.encodings",
                tr("unknown encoding {encoding!r}").format(encoding=encoding),
            )
    if record.licence is not None and not record.licence.strip():
        yield "licence", tr("is empty; write its name, or leave it out where it is unknown")
    if record.released is not None:
        try:
            date.fromisoformat(record.released)
        except ValueError:
            yield (
                "released",
                tr("{released!r} is no date; write it as 2026-03-31").format(
                    released=record.released
                ),
            )


def check_sources(record: ModelRecord, sources: Collection[str]) -> Iterator[Finding]:
    """Each fact that is given names where it comes from, by a source that exists."""
    given = {
        "shapes": True,
        "layers": record.layers is not None,
        "context": record.context_tokens is not None,
        "total": record.published_parameters is not None,
        "licence": record.licence is not None,
        "released": record.released is not None,
    }
    for fact, present in given.items():
        if present and fact not in record.sources:
            yield f"sources.{fact}", tr("missing; say where this fact comes from")
    for fact, reference in record.sources.items():
        if not given.get(fact, True):
            yield (
                f"sources.{fact}",
                tr("a source for a fact that the file does not give; remove it"),
            )
        if reference.source not in sources:
            yield (
                f"sources.{fact}.source",
                tr("no source {source!r} in the list of sources").format(source=reference.source),
            )


CHECKS: tuple[Check, ...] = (
    check_total,
    check_audit,
    check_tables,
    check_experts,
    check_layers,
    check_widths,
    check_mtp,
    check_names,
)
