"""Tensors and metadata -> ModelRecord, with what was concluded and what stays open."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...language import mark, tr
from ...problem import BadInput
from ..models import Audit, LayerGroup, ModelRecord, Mtp, Reference, Tensors, tensors_of
from .described import Described
from .expert_sets import expert_sets, settle_odd
from .found import Checkpoint
from .layout import Layout, lay_out
from .sorted_tensors import LayerTensors, Placed, as_recurrent, by_layer, grouped, place_all

TIED = mark("tied")


class Assembled(msgspec.Struct, frozen=True):
    """A record, and what a review tells of it.

    open: question key -> what is missing. held: what each layer holds, empty without tensors.
    """

    record: ModelRecord
    open: dict[str, str]
    contradictions: tuple[str, ...]
    inferred: dict[str, str]
    held: dict[int, LayerTensors]


def assemble(files: Checkpoint, said: Described, name: str) -> Assembled:
    """The record of a model by its files.

    Parameters: said, the metadata with answers put in; name, for people.
    Raises BadInput when the files cannot be a language model at all.
    """
    count = said.layer_count or _last_layer(files) + 1
    placed = place_all(files.tensors, count)
    if not any(one.use.part == "text" for one in placed):
        parts = sorted({one.use.part for one in placed})
        size = sum(tensor.stored_bytes for tensor in files.tensors)
        message = tr("only a {parts} part ({size:,} bytes); give the language model").format(
            parts=" and ".join(parts), size=size
        )
        raise BadInput("", message, files.place)
    from_shapes = files.container == "config"
    held = {} if from_shapes else dict(by_layer(placed))
    layout = lay_out(msgspec.structs.replace(said, layer_count=count), held)
    placed = as_recurrent(placed, layout.recurrent)
    hidden, width_known = _hidden(said, placed)
    tensors = grouped(placed, hidden, said.routed)
    tensors, tied = _tie(layout, said, tensors)
    tensors = _one_table(_copies_in_draft(layout, tensors), hidden)
    experts = expert_sets(layout, said, tensors, placed)
    tensors = settle_odd(layout, tensors, experts)
    if not width_known:
        layout.inferred[mark("hidden width")] = tr(
            "{hidden:,}, the width that most matrices share"
        ).format(hidden=hidden)
    if from_shapes:
        _ask_for_sizes(layout, said)
    _compare_counts(layout, said, placed, count)
    _compare_index(layout, files)
    if said.context_tokens is None and said.causal is not False:
        layout.open["context_tokens"] = mark("the context limit")
    groups = layout.groups
    record = ModelRecord(
        name=name,
        vendor=said.vendor or "",
        family=said.family or "",
        tied=tied,
        hidden_width=hidden,
        layer_count=count,
        tensors=tensors,
        audit=_audit(layout),
        repository=said.repository or "",
        licence=said.licence,
        context_tokens=said.context_tokens,
        summed_blocks=_summed(layout, placed),
        experts=experts,
        layers=groups,
        mtp=_mtp(tensors, placed, groups),
        notes=files.notes,
        native=said.weights_name or files.container.upper(),
        sources={
            "shapes": Reference("", Path(files.place).name),
            **({"layers": Reference("", Path(files.place).name)} if groups else {}),
        },
    )
    return Assembled(record, layout.open, tuple(layout.contradictions), layout.inferred, held)


def _ask_for_sizes(layout: Layout, said: Described) -> None:
    """What a config has to say, where there are no tensors to show it."""
    if said.tied is None:
        layout.open["tied"] = mark("whether the output head is the input embedding")
        layout.inferred.pop(TIED, None)
    if said.gated is None:
        layout.open["gated"] = mark("whether the MLP has a gate; it is sized with one")
    if said.dense_width is None and said.expert_width is None:
        layout.open["dense_width"] = mark("the width of the MLP; the sizes leave it out")


def _compare_index(layout: Layout, files: Checkpoint) -> None:
    """What an index says of all bytes, against what the config implies."""
    stated = files.stated.get("total_size")
    size = sum(tensor.stored_bytes for tensor in files.tensors)
    if stated and abs(size / stated - 1) > 0.05:
        layout.contradictions[
            tr(
                "the index says {stated:,} bytes, the tensors that the config implies have {size:,}"
            ).format(stated=stated, size=size)
        ] = None


def _last_layer(files: Checkpoint) -> int:
    placed = place_all(files.tensors, None)
    return max((one.place.layer for one in placed if one.use.part == "text"), default=0)


def _hidden(said: Described, placed: list[Placed]) -> tuple[int, bool]:
    """Width of the model: said, or that of the input table, or the commonest of all."""
    tables = [
        one.tensor.shape[-1]
        for one in placed
        if one.use.tensor_class == "input_embedding" and one.use.role == "token"
    ]
    if said.hidden_width:
        return said.hidden_width, True
    if tables:
        return tables[0], True
    widths: dict[int, int] = {}
    for one in placed:
        if one.use.part == "text":
            widths[one.tensor.shape[-1]] = widths.get(one.tensor.shape[-1], 0) + 1
    return max(widths, key=lambda width: (widths[width], width)), False


def _tie(
    layout: Layout, said: Described, tensors: tuple[Tensors, ...]
) -> tuple[tuple[Tensors, ...], bool]:
    """Whether the head is the input table; a second copy of the table is held by no runtime."""
    heads = [
        group
        for group in tensors
        if group.part == "text" and group.tensor_class == "output_head" and group.role != "bias"
    ]
    if not heads:
        if said.tied is False and said.causal is not False:
            layout.contradictions[
                tr("the config says that the head is a tensor of its own, but there is none")
            ] = None
        elif said.tied is None and said.causal is not False:
            layout.inferred[TIED] = tr("yes: there is no output head beside the input table")
        return tensors, True
    if not said.tied:
        return tensors, False
    layout.inferred[mark("second head")] = tr(
        "the files hold the tied head as a tensor of its own; runtimes keep one copy"
    )
    return tuple(
        msgspec.structs.replace(group, role="unused") if group in heads else group
        for group in tensors
    ), True


def _copies_in_draft(layout: Layout, tensors: tuple[Tensors, ...]) -> tuple[Tensors, ...]:
    """Tables of draft layers that are as large as the main ones are copies of them."""
    main = {
        (group.tensor_class, group.shape)
        for group in tensors
        if group.part == "text" and group.tensor_class in ("input_embedding", "output_head")
    }
    changed = []
    for group in tensors:
        if group.part == "mtp" and (group.tensor_class, group.shape) in main:
            layout.inferred[mark("tables of the draft layers")] = tr(
                "taken as copies of the main model's"
            )
            group = msgspec.structs.replace(group, role="unused")  # noqa: PLW2901
        changed.append(group)
    return tuple(changed)


def _one_table(tensors: tuple[Tensors, ...], hidden: int) -> tuple[Tensors, ...]:
    """One input table has the role ``token``: the first as wide as the model."""
    chosen = next(
        (
            group
            for group in tensors
            if group.part == "text" and group.role == "token" and group.shape[-1] == hidden
        ),
        None,
    )
    return tuple(
        msgspec.structs.replace(group, role="other")
        if group.role == "token" and group is not chosen and chosen is not None
        else group
        for group in tensors
    )


def _compare_counts(layout: Layout, said: Described, placed: list[Placed], count: int) -> None:
    seen = {one.place.layer for one in placed if one.use.part == "text" and one.place.layer >= 0}
    if said.layer_count and seen and len(seen) != count and not layout.contradictions:
        layout.contradictions[
            tr("{count} layers by the metadata, {seen} by the tensors").format(
                count=count, seen=len(seen)
            )
        ] = None
    drafts = {
        one.place.layer for one in placed if one.use.part == "mtp" and one.place.layer >= count
    }
    if drafts and len(drafts) != said.mtp_layers:
        layout.contradictions[
            tr("{mtp_layers} draft layers by the metadata, {drafts} by the tensors").format(
                mtp_layers=said.mtp_layers, drafts=len(drafts)
            )
        ] = None
    tables = [
        one.tensor.shape[0]
        for one in placed
        if one.use.part == "text" and one.use.role == "token" and len(one.tensor.shape) == 2
    ]
    if said.vocabulary and tables and tables[0] < said.vocabulary:
        layout.contradictions[
            tr("{vocabulary:,} tokens by the metadata, {tables:,} rows in the input table").format(
                vocabulary=said.vocabulary, tables=tables[0]
            )
        ] = None


def _summed(layout: Layout, placed: list[Placed]) -> int:
    """Blocks whose output a tensor split adds up: one for mixing, one for the MLP of a layer."""
    mlp = {
        one.place.layer
        for one in placed
        if one.use.part == "text"
        and one.use.tensor_class in ("dense_mlp", "routed_experts", "shared_experts")
    }
    return layout.mixing + len(mlp)


def _mtp(
    tensors: tuple[Tensors, ...],
    placed: list[Placed],
    groups: tuple[LayerGroup, ...] | None,
) -> Mtp | None:
    """Draft layers attend as the main model's own layers do, where nothing else is said."""
    own = [group for group in tensors if group.part == "mtp"]
    if not own or not groups:
        return None
    numbers = {one.place.layer for one in placed if one.use.part == "mtp" and one.place.layer >= 0}
    modules = max(len(numbers), 1)
    order = {"full": 0, "latent": 0, "sparse": 0, "window": 1, "state": 2}
    like = min(groups, key=lambda group: order[group.kind])
    if like.kind == "state":
        return None
    return Mtp(modules, (msgspec.structs.replace(like, count=modules, shares_cache=False),))


def _audit(layout: Layout) -> Audit:
    missing = tuple(layout.open.values())
    return Audit("unaudited", missing or (mark("a published total to hold the file against"),))


def totals(record: ModelRecord) -> Mapping[str, int]:
    """Parameters by part, for comparisons."""
    parts = {group.part for group in record.tensors}
    return {
        part: sum(group.parameters for group in tensors_of(record, part)) for part in sorted(parts)
    }
