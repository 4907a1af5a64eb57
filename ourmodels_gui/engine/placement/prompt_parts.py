"""The bytes and the arithmetic of prompts by class, for pools of unlike speed."""

import msgspec
import numpy as np

from ..chunks import reread_bytes
from ..costs import (
    cache_alloc_bytes,
    draft_alloc_bytes,
    layer_alloc_bytes,
    layer_read_bytes,
    prefill_sweep_scale,
)
from ..prompt_costs import Floats
from ..setup import CacheLayer, ModelCosts, Setup, TypedCache
from .parts import CLASSES, Parts, Row, weight_rows
from .together import shape_of

Cuts = tuple[tuple[Floats, Floats], ...]
"""Sweeps of the weights: how many, and the positions of each."""


class Private(msgspec.Struct, frozen=True, eq=False):
    """What prompts move of their own cache: rereads and the write, by cache of the model [bytes].

    held_tokens: what each prompt has filled by the end.
    """

    held_tokens: Floats
    moved_bytes: tuple[Floats, ...]


def private(setup: Setup, tokens: Floats, width: Floats, prefix: int) -> Private:
    """The parts of `PromptCosts.private_bytes`; the write is shared out as the caches store.

    Parameters: tokens, L; width, c; prefix, l [tokens].
    References: formulation, "One formula for both phases".
    """
    chunks = np.ceil(tokens / width)
    several = bool(np.any(chunks > 1.0))
    rows = []
    for part, written in zip(_caches(setup.model), _written(setup.model), strict=True):
        read = np.zeros(tokens.shape)
        if isinstance(part, TypedCache):
            read = read + (part.read_bytes_per_token if prefix else 0.0)
        elif several:
            read = reread_bytes((part,), prefix, width, chunks)
        elif prefix:
            read = read + float(layer_read_bytes(part, prefix))
        rows.append(read + written * tokens)
    return Private(tokens + prefix, tuple(rows))


def private_of_chunk(setup: Setup, start: Floats, width: Floats) -> Private:
    """The same of one chunk: the cache read before it, if there is one, and the write."""
    rows = []
    for part, written in zip(_caches(setup.model), _written(setup.model), strict=True):
        read: Floats | float
        if isinstance(part, TypedCache):
            read = part.read_bytes_per_token
        else:
            read = layer_read_bytes(part, start)
        rows.append(np.where(start > 0, read, 0.0) + written * width)
    return Private(start + width, tuple(rows))


def _caches(model: ModelCosts) -> tuple[CacheLayer | TypedCache, ...]:
    return (model.cache,) if isinstance(model.cache, TypedCache) else model.cache


def _written(model: ModelCosts) -> tuple[float, ...]:
    """kappa_KV,w by cache, in proportion to what each stores of a token [bytes]."""
    written = model.cache_write_bytes_per_token or 0.0
    if isinstance(model.cache, TypedCache):
        return (written,)
    stored = [layer.count * layer.bytes_per_token for layer in model.cache]
    total = sum(stored)
    if total <= 0.0:
        return tuple(written / len(stored) for _ in stored)
    return tuple(written * each / total for each in stored)


def prompt_parts(
    setup: Setup, kept: tuple[Floats, Floats], sweeps: Cuts, own: Private, whole_layers: bool
) -> Parts:
    """Every part of a model and its prompts, with what it moves over all the sweeps.

    A cache lies between the pools evenly along its tokens. A draft is held and moves nothing.

    Parameters: arrays of one value for each column; kept, prompts b and the tokens that each
    reserves; sweeps; own, of each prompt; whole_layers as in `parts.parts`.
    """
    model, work = setup.model, setup.workload
    batch, reserved_tokens = kept
    scale = prefill_sweep_scale(model)
    costs = (model.resident_bytes, model.always_bytes, model.experts)
    rows: list[Row] = []
    for times, positions in sweeps:
        swept = weight_rows(costs, positions, work.routing, scale, CLASSES[:3])
        swept = [(name, held, moved * times) for name, held, moved in swept]
        if rows:
            swept = [
                (name, held, moved + row[2])
                for (name, held, moved), row in zip(swept, rows, strict=True)
            ]
        rows = swept
    always = rows[0][2]
    for part, moved in zip(_caches(model), own.moved_bytes, strict=True):
        tokens = np.stack((reserved_tokens, np.minimum(own.held_tokens, reserved_tokens)))
        if isinstance(part, TypedCache):
            all_of_it = filled = cache_alloc_bytes(part, reserved_tokens, work.cache_policy)
        else:
            all_of_it, filled = layer_alloc_bytes(part, tokens, work.cache_policy)
        rows.append(("cache", batch * filled, batch * moved))
        rows.append(("cache", batch * (all_of_it - filled), 0.0 * batch))
    shape = shape_of(setup)
    if whole_layers and shape is not None and shape.alike:
        rows = _whole(rows, shape.head_bytes, always / max(model.always_bytes, 1e-300))
    if setup.speculation is not None:
        draft = setup.speculation.draft
        reserved = draft_alloc_bytes(draft, reserved_tokens, work.cache_policy)
        rows.append(("draft", draft.resident_bytes + batch * reserved, 0.0 * batch))
    return _of(*(row for row in rows if row[1].any() or row[2].any()))


def _whole(rows: list[Row], head_bytes: float, sweeps: Floats) -> list[Row]:
    """Rows of a model with equal layers: the head, the layers whole, the tables."""
    swept = [row for row in rows if row[0] != "embedding"]
    tables = [row for row in rows if row[0] == "embedding"]
    head = np.full(sweeps.shape, head_bytes)
    held = sum((row[1] for row in swept), -head)
    moved = sum((row[2] for row in swept), -head * sweeps)
    return [("weights", head, head * sweeps), ("layers", held, moved), *tables]


def work_parts(setup: Setup, whole_layers: bool) -> Parts:
    """Which share of the linear path and of attention is done with what, as two columns.

    A class's arithmetic is spread evenly over its bytes, the output head has none, and attention is
    done where the cache lies. Caches take no room here, nor does what is not known to be anywhere,
    which only loosens a ceiling.

    Parameters: setup; whole_layers keeps the arithmetic of a layer together, where all are alike.
    """
    model, shape = setup.model, shape_of(setup)
    one, linear, attention = np.ones(2), np.array([1.0, 0.0]), np.array([0.0, 1.0])
    head = 0.0 if shape is None else shape.head_bytes
    costs = (model.resident_bytes, model.always_bytes, model.experts)
    weights, *routed, _ = weight_rows(costs, one, setup.workload.routing, 1.0, CLASSES[:3])
    size = weights[1] * (1.0 - head / max(model.always_bytes, head, 1e-300))
    if whole_layers and shape is not None and shape.alike:
        layers = sum((row[1] for row in routed), size)
        return _of(("layers", layers, one))
    rows: list[Row] = [("cache", 0.0 * one, attention)]
    chosen = 0.0
    if model.experts:
        inside = None if shape is None else shape.expert_parameters
        if inside is None:
            # Whose share is unknown may be done anywhere.
            return _of(("weights", 0.0 * one, linear), *rows)
        chosen = inside / max(model.linear_active_parameters or 0.0, inside, 1e-300)
    active = sum(group.per_token * group.expert_bytes for group in model.experts)
    for _, held, moved in routed:
        rows.append(("routed_experts", held, linear * chosen * moved / max(active, 1e-300)))
    return _of(("weights", size, linear * (1.0 - chosen)), *rows)


def _of(*rows: Row) -> Parts:
    names, held, moved = zip(*rows, strict=True)
    return Parts(tuple(names), np.array(held), np.array(moved))
