"""The bytes of a setup by class: how many are held, and how many an iteration moves.

A class may be divided between pools at any byte, which only loosens a ceiling.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..costs import (
    distinct_experts,
    draft_alloc_bytes,
    draft_read_bytes,
    layer_alloc_bytes,
    layer_read_bytes,
)
from ..setup import CachePolicy, Experts, ModelCosts, Routing, Setup, TypedCache
from ..step import Step
from .together import shape_of

CLASSES = ("weights", "routed_experts", "embedding", "cache", "draft")
"""Swept by every iteration; routed experts; held and never swept; cache and state of the sessions;
all of a draft."""

Row = tuple[str, NDArray[np.float64], NDArray[np.float64]]
"""Class, bytes held, bytes moved; one value for each batch."""


class Parts(msgspec.Struct, frozen=True):
    """Parts down, batches across.

    classes: of each part. held_bytes: s. moved_bytes: t, per iteration.
    """

    classes: tuple[str, ...]
    held_bytes: NDArray[np.float64]
    moved_bytes: NDArray[np.float64]


def parts(
    setup: Setup,
    step: Step,
    batch: NDArray[np.float64],
    working: NDArray[np.float64] | None = None,
    whole_layers: bool = False,
) -> Parts:
    """Every part of a model, its sessions and its draft at each batch.

    Density t / s is 1 for weights, m(n) / E for routed experts under expected routing (under floor
    routing k of them have density 1 and E - k have 0), 1 for the cache that is read and 0 for the
    rest of what a session reserves; a draft's are gamma times that.

    Parameters: setup; step, its iteration; batch, sessions held; working, sessions in one
    iteration, all of them unless given; whole_layers keeps weights, experts and cache of a layer
    together, where all layers are alike, so that only the head and the tables are apart.
    """
    working = batch if working is None else working
    rows = part_rows(setup, step, (batch, working), whole_layers)
    kept = [row for row in rows if row[1].any() or row[2].any()]
    return Parts(
        tuple(row[0] for row in kept),
        np.array([row[1] for row in kept]),
        np.array([row[2] for row in kept]),
    )


def part_rows(
    setup: Setup,
    step: Step,
    sessions: tuple[NDArray[np.float64], NDArray[np.float64]],
    whole_layers: bool,
) -> list[Row]:
    """The same in order, those without bytes among them: weights, each set of experts, tables; what
    is read of each cache and what is not; then the same of the draft.

    Parameters: sessions held and working.
    """
    model, routing, gamma = setup.model, step.routing, step.draft_tokens
    working = sessions[1]
    rows = weight_rows(
        (model.resident_bytes, model.always_bytes, model.experts),
        working * (gamma + 1),
        routing,
        1.0,
        CLASSES[:3],
    )
    for held, read in _sessions(setup, model, setup.workload.cache_policy):
        rows += _private("cache", sessions, held, read)
    shape = shape_of(setup)
    if whole_layers and shape is not None and shape.alike:
        rows = _together(rows, shape.head_bytes)
    if gamma > 0:
        draft = step.draft
        of = (draft.resident_bytes, draft.always_bytes, draft.experts)
        rows += weight_rows(of, working, routing, float(gamma), ("draft",) * 3)
        work = setup.workload
        reserved = draft_alloc_bytes(draft, work.reserved_context_tokens, work.cache_policy)
        read = draft_read_bytes(draft, work.read_context_tokens)
        rows += _private("draft", sessions, reserved, read, float(gamma))
    return rows


def weight_rows(
    costs: tuple[float, float, tuple[Experts, ...]],
    routings: NDArray[np.float64],
    routing: Routing,
    times: float,
    classes: tuple[str, ...],
) -> list[Row]:
    """Weights swept `times` an iteration; what is resident beyond them is never swept."""
    resident, always, experts = costs
    swept = always + sum(group.routed * group.expert_bytes for group in experts)
    # Typed sizes may hold less than they sweep; what is held is then spread over what is swept.
    scale = min(1.0, resident / swept) if swept > 0.0 else 1.0
    one = np.ones(routings.shape)
    rows = [(classes[0], one * always * scale, one * always * times)]
    for group in experts:
        if routing == "floor":
            hot = group.per_token * group.expert_bytes
            cold = (group.routed - group.per_token) * group.expert_bytes
            rows.append((classes[1], one * hot * scale, one * hot * times))
            rows.append((classes[1], one * cold * scale, one * 0.0))
        else:
            size = group.routed * group.expert_bytes
            moved = group.expert_bytes * distinct_experts(group, routings, routing)
            rows.append((classes[1], one * size * scale, moved * times))
    rows.append((classes[2], one * max(resident - swept, 0.0), one * 0.0))
    return rows


def _sessions(setup: Setup, model: ModelCosts, policy: CachePolicy) -> list[tuple[float, float]]:
    """K_alloc and K_read of one session, by the caches of the model [bytes]."""
    workload = setup.workload
    if isinstance(model.cache, TypedCache):
        return [(model.cache.alloc_bytes_per_session, model.cache.read_bytes_per_token)]
    return [
        (
            float(layer_alloc_bytes(layer, workload.reserved_context_tokens, policy)),
            float(layer_read_bytes(layer, workload.read_context_tokens)),
        )
        for layer in model.cache
    ]


def _private(
    name: str,
    sessions: tuple[NDArray[np.float64], NDArray[np.float64]],
    reserved_bytes: float,
    read_bytes: float,
    times: float = 1.0,
) -> list[Row]:
    """A cache: the part that is read, `times` an iteration, and the rest that is only kept.

    Parameters: sessions held and sessions working; reserved_bytes and read_bytes of one session.
    """
    batch, working = sessions
    read_held = min(read_bytes, reserved_bytes)
    return [
        (name, read_held * batch, times * read_bytes * working),
        (name, (reserved_bytes - read_held) * batch, 0.0 * working),
    ]


def _together(rows: list[Row], head_bytes: float) -> list[Row]:
    """Rows of a model with equal layers: the head, the layers whole, the tables."""
    swept = [row for row in rows if row[0] != "embedding"]
    head = np.full(rows[0][1].shape, head_bytes)
    held = sum((row[1] for row in swept), -head)
    moved = sum((row[2] for row in swept), -head)
    tables = [row for row in rows if row[0] == "embedding"]
    return [("weights", head, head), ("layers", held, moved), *tables]
