"""How each layer attends: metadata held against the tensors.

Where both speak and differ, the tensors are right, for they are what is stored, and the difference
is reported. What neither says becomes a question.
"""

from collections.abc import Mapping

import msgspec

from ...language import mark, tr
from ..models import LayerGroup
from .described import Described, Layer, Mixer
from .sorted_tensors import LayerTensors, Shape


class Layout(msgspec.Struct):
    """Layers of a model, and what was met on the way.

    groups: None while something is open. open: keys of the questions. recurrent: layers whose
    projections feed a state.
    """

    groups: tuple[LayerGroup, ...] | None = None
    recurrent: set[int] = msgspec.field(default_factory=set)
    mixing: int = 0
    open: dict[str, str] = msgspec.field(default_factory=dict)
    contradictions: dict[str, None] = msgspec.field(default_factory=dict)
    inferred: dict[str, str] = msgspec.field(default_factory=dict)


def lay_out(said: Described, held: Mapping[int, LayerTensors]) -> Layout:
    """The layers of the main model.

    Parameters: said, the metadata, with answers put in; held, what each layer holds, empty where
    only a config was read.
    """
    layout = Layout()
    count = said.layer_count or (max(held) + 1 if held else 0)
    if count == 0:
        layout.open["layers"] = mark("neither metadata nor tensors show any layer")
        return layout
    groups: list[LayerGroup | None] = []
    for i in range(count):
        layer = said.layers[i] if i < len(said.layers) else Layer()
        tensors = held.get(i)
        mixer = _mixer(layout, layer, tensors, i, bool(held))
        if mixer in ("state", "both"):
            groups.append(_state(layout, said))
        if mixer == "state":
            layout.recurrent.add(i)
        if mixer in ("attention", "both"):
            groups.append(_attending(layout, said, layer, tensors))
        layout.mixing += mixer != "none"
    if said.causal is False:
        layout.groups = ()
        layout.open = {}
        layout.inferred = {}
    elif not layout.open and None not in groups:
        layout.groups = _merged([group for group in groups if group is not None])
    return layout


def _merged(groups: list[LayerGroup]) -> tuple[LayerGroup, ...]:
    counts: dict[LayerGroup, int] = {}
    for group in groups:
        counts[group] = counts.get(group, 0) + 1
    return tuple(msgspec.structs.replace(group, count=count) for group, count in counts.items())


def _mixer(
    layout: Layout, layer: Layer, tensors: LayerTensors | None, i: int, has_tensors: bool
) -> Mixer:
    """What mixes tokens here: by the tensors where there are any."""
    said = layer.mixer
    if not has_tensors:
        if said is None:
            layout.open["mixers"] = mark("which layers attend and which keep a state")
        return said or "none"
    if tensors is None:
        layout.contradictions[tr("layer {i} has no tensors").format(i=i)] = None
        return "none"
    if not tensors.attends:
        seen: Mixer = "state" if tensors.recurrent else "none"
    elif tensors.recurrent:
        split = {"key", "value"} <= tensors.shapes.keys() and not tensors.inner
        if said in ("state", "both"):
            seen = said
        else:
            seen = "both" if split or "latent_down" in tensors.shapes else "state"
    else:
        seen = "state" if said == "state" else "attention"
    if said is not None and seen != said and not (said == "none" and seen == "attention"):
        text = tr("layer {i}: the metadata says {said}, its tensors are those of {seen}").format(
            i=i, said=tr(said), seen=tr(seen)
        )
        layout.contradictions.setdefault(text, None)
    return seen


def _state(layout: Layout, said: Described) -> LayerGroup | None:
    if said.state is None or not (said.state.elements or said.state.conv_elements):
        layout.open["state"] = mark("the size of the recurrent state")
        return None
    state = said.state
    return LayerGroup(
        "state",
        1,
        state_elements=state.elements,
        conv_elements=state.conv_elements,
        state_flop_per_token=state.flop_per_token,
    )


def _attending(
    layout: Layout,
    said: Described,
    layer: Layer,
    tensors: LayerTensors | None,
) -> LayerGroup | None:
    shapes = tensors.shapes if tensors else {}
    if said.latent_width and said.latent_width > 0 and (not tensors or "key" not in shapes):
        group = _latent(layout, said, layer, shapes)
    elif "latent_down" in shapes:
        layout.open["latent_width"] = mark("the width of the latent that each token stores")
        return None
    else:
        group = _heads(layout, said, layer, shapes)
    if group is None:
        return None
    return _sighted(layout, said, layer, tensors, group)


def _latent(
    layout: Layout, said: Described, layer: Layer, shapes: dict[str, Shape]
) -> LayerGroup | None:
    """One compressed entry for each token, its rotary part beside it."""
    latent, rope = said.latent_width or 0, said.rope_width
    down = shapes.get("latent_down", (0,))[0]
    if down and down != latent + rope:
        if down < latent:
            layout.contradictions[
                tr(
                    "the latent is {latent} wide by the metadata, its projection only {down}"
                ).format(latent=latent, down=down)
            ] = None
            layout.open["latent_width"] = mark("the width of the latent that each token stores")
            return None
        if rope:
            layout.contradictions[
                tr(
                    "latent and rotary part are {latent} + {rope} wide by the metadata, {down} "
                    "by the tensors"
                ).format(latent=latent, rope=rope, down=down)
            ] = None
        rope = down - latent
        layout.inferred[mark("rotary width")] = tr("{rope}, from the latent's projection").format(
            rope=rope
        )
    if not layer.query_heads or not layer.key_width:
        layout.open["query_heads"] = mark("the number and width of the heads")
        return None
    value = layer.value_width or layer.key_width
    return LayerGroup(
        "latent",
        1,
        query_heads=layer.query_heads,
        key_heads=layer.key_heads or layer.query_heads,
        key_width=layer.key_width,
        value_width=value,
        latent_width=latent,
        rope_width=rope,
    )


def _heads(
    layout: Layout, said: Described, layer: Layer, shapes: dict[str, Shape]
) -> LayerGroup | None:
    """Query heads, key heads and their widths; tensors decide where they say otherwise."""
    queries, keys = layer.query_heads, layer.key_heads or None
    width, value_width = layer.key_width, layer.value_width
    out = shapes["output"][-1] if len(shapes.get("output", ())) == 2 else 0
    key_rows, value_rows = shapes.get("key", (0,))[0], shapes.get("value", (0,))[0]
    if not queries:
        layout.open["query_heads"] = mark("the number of query heads")
        return None
    if width is None:
        width = (out or said.hidden_width or 0) // queries
        if not width:
            layout.open["key_width"] = mark("the width of a head")
            return None
        words = tr("{width}: the hidden width over {queries} query heads")
        if out:
            words = tr("{width}: the output projection over {queries} query heads")
        layout.inferred[mark("head width")] = words.format(width=width, queries=queries)
    fused = shapes.get("query_key_value", (0,))[0]
    if keys is None:
        keys = _key_heads(queries, width, key_rows, fused)
        source = tr("the key tensors") if key_rows or fused else tr("as many as query heads")
        layout.inferred[mark("key heads")] = f"{keys}: {source}"
    if key_rows and keys * width != key_rows:
        layout.contradictions[
            tr(
                "{keys} key heads of {width} by the metadata, but the key tensors have "
                "{key_rows} rows"
            ).format(keys=keys, width=width, key_rows=key_rows)
        ] = None
        if key_rows % width == 0:
            keys = key_rows // width
        elif key_rows % keys == 0:
            width = key_rows // keys
    if value_width is None:
        value_width = value_rows // keys if value_rows and value_rows % keys == 0 else width
    elif value_rows and keys * value_width != value_rows:
        layout.contradictions[
            tr(
                "{keys} value heads of {value_width} by the metadata, but the value tensors "
                "have {value_rows} rows"
            ).format(keys=keys, value_width=value_width, value_rows=value_rows)
        ] = None
        value_width = value_rows // keys if value_rows % keys == 0 else value_width
    if out and queries * value_width != out:
        layout.contradictions[
            tr(
                "{queries} query heads of {value_width} by the metadata, but the output "
                "projection takes {out}"
            ).format(queries=queries, value_width=value_width, out=out)
        ] = None
        queries = out // value_width if out % value_width == 0 else queries
    if queries < keys or queries % keys:
        layout.contradictions[
            tr("{keys} key heads do not divide {queries} query heads").format(
                keys=keys, queries=queries
            )
        ] = None
        layout.open["key_heads"] = mark("the number of key heads")
        return None
    return LayerGroup(
        "full",
        1,
        query_heads=queries,
        key_heads=keys,
        key_width=width,
        value_width=value_width,
        shares_cache=layer.shares_cache,
    )


def _key_heads(queries: int, width: int, key_rows: int, fused: int) -> int:
    """Key heads where the metadata names none: by the tensors, else one for each query head."""
    if key_rows:
        return max(key_rows // width, 1)
    rest = fused // width - queries if fused else 0
    return rest // 2 if rest >= 2 and rest % 2 == 0 else queries


def _sighted(
    layout: Layout,
    said: Described,
    layer: Layer,
    tensors: LayerTensors | None,
    group: LayerGroup,
) -> LayerGroup | None:
    """The same layer with what it sees: all, a window, a selection, or compressed entries."""
    window = layer.window_tokens
    has_index = tensors.index if tensors and tensors.tokens else layer.index
    if layer.tokens_per_entry > 1:
        smallest = min(one.tokens_per_entry for one in said.layers if one.tokens_per_entry > 1)
        selects = tensors.index if tensors else layer.tokens_per_entry == smallest
        changes = {"tokens_per_entry": layer.tokens_per_entry, "window_tokens": window or 0}
        group = msgspec.structs.replace(group, **changes)
        return _selecting(said, group, True) if selects else group
    if said.selected_entries and not window and (said.latent_width or has_index):
        return _selecting(said, group, has_index)
    if window is None:
        layout.open["window"] = f"which layers see only the last {said.window_tokens:,} tokens"
        return None
    if window:
        return msgspec.structs.replace(group, kind="window", window_tokens=window)
    return group


def _selecting(said: Described, group: LayerGroup, has_index: bool) -> LayerGroup:
    return msgspec.structs.replace(
        group,
        kind="sparse",
        selected_entries=said.selected_entries or 0,
        index_heads=said.index_heads if has_index else 0,
        index_width=said.index_width if has_index else 0,
    )
