"""Machines and models as columns of numbers, for the sweep."""

from collections.abc import Sequence
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from .cache_columns import CacheColumns
from .costs import (
    active_bytes,
    cache_alloc_bytes,
    cache_read_bytes,
    distinct_experts,
    saturating_tokens,
    sweep_bytes,
)
from .setup import CachePolicy, Experts, Machine, ModelCosts, Workload

Floats = NDArray[np.float64]


class MachineTable(msgspec.Struct, frozen=True, eq=False):
    """C, R and O by machine."""

    capacity_bytes: Floats
    bandwidth_bytes_per_s: Floats
    overhead_bytes: Floats


class Mixture(msgspec.Struct, frozen=True, eq=False):
    """Models with experts that route in one way, so that they share the count of distinct experts.

    rows: their places in the table. kinds: (E, k) of each set of experts.
    always_bytes: by model. expert_bytes: by set of experts and model, of one expert.
    curved_tokens: routings that touch every expert.
    """

    rows: NDArray[np.intp]
    kinds: tuple[tuple[int, int], ...]
    always_bytes: Floats
    expert_bytes: Floats
    curved_tokens: int


class ModelTable(msgspec.Struct, frozen=True, eq=False):
    """Adapter quantities by model at one workload.

    reserved_context_tokens, read_context_tokens: the workload's, within the model's limit.
    full_sweep_bytes: W_batch once every expert is touched. mixtures: empty under floor routing.
    """

    reserved_context_tokens: NDArray[np.int64]
    read_context_tokens: NDArray[np.int64]
    resident_bytes: Floats
    alloc_bytes: Floats
    read_bytes: Floats
    active_bytes: Floats
    full_sweep_bytes: Floats
    mixtures: tuple[Mixture, ...]


def machine_table(machines: Sequence[Machine], overhead_bytes: Floats) -> MachineTable:
    """The numbers of the machines that a sweep needs, with the overhead of each."""
    return MachineTable(
        np.array([machine.capacity_bytes for machine in machines], dtype=np.float64),
        np.array([machine.bandwidth_bytes_per_s for machine in machines], dtype=np.float64),
        np.array(overhead_bytes, dtype=np.float64),
    )


def model_table(models: Sequence[ModelCosts], workload: Workload) -> ModelTable:
    """The numbers of the models that a sweep needs; the same for every machine.

    Errors: ValueError for a model whose session reserves nothing.
    """
    rows = []
    for model in models:
        limit = model.max_context_tokens or workload.reserved_context_tokens
        reserved = min(workload.reserved_context_tokens, limit)
        read = min(workload.read_context_tokens, reserved)
        rows.append(
            (
                reserved,
                read,
                model.resident_bytes,
                cache_alloc_bytes(model.cache, reserved, workload.cache_policy),
                cache_read_bytes(model.cache, read),
                active_bytes(model.always_bytes, model.experts),
                sweep_bytes(model.always_bytes, model.experts, np.inf, workload.routing),
            )
        )
    columns = np.array(rows, dtype=np.float64).reshape(len(rows), 7).T
    if np.any(np.rint(columns[3]) <= 0.0):
        raise ValueError("a session reserves no cache: K_alloc must be at least one byte")
    return ModelTable(
        reserved_context_tokens=columns[0].astype(np.int64),
        read_context_tokens=columns[1].astype(np.int64),
        resident_bytes=columns[2],
        alloc_bytes=columns[3],
        read_bytes=columns[4],
        active_bytes=columns[5],
        full_sweep_bytes=columns[6],
        mixtures=_mixtures(models) if workload.routing == "expected" else (),
    )


def at_contexts(
    table: ModelTable,
    caches: CacheColumns,
    policy: CachePolicy,
    reserved_tokens: NDArray[np.int64],
    read_tokens: NDArray[np.int64],
) -> ModelTable:
    """The same models at other contexts, without going through them one by one.

    Parameters: table; caches of its models; policy; L_alloc and L_read by model.
    """
    return msgspec.structs.replace(
        table,
        reserved_context_tokens=reserved_tokens,
        read_context_tokens=read_tokens,
        alloc_bytes=caches.alloc_bytes(reserved_tokens.astype(np.float64), policy),
        read_bytes=caches.step_read_bytes(read_tokens.astype(np.float64)),
    )


def some_of(table: ModelTable, rows: slice) -> ModelTable:
    """A run of models of a table; its figures are the table's own, not copies."""
    columns = {
        name: getattr(table, name)[rows]
        for name in ModelTable.__struct_fields__
        if name != "mixtures"
    }
    mixtures = []
    for mixture in table.mixtures:
        start, end = mixture.rows.searchsorted((rows.start, rows.stop))
        if start < end:
            mixtures.append(
                msgspec.structs.replace(
                    mixture,
                    rows=mixture.rows[start:end] - rows.start,
                    always_bytes=mixture.always_bytes[start:end],
                    expert_bytes=mixture.expert_bytes[:, start:end],
                )
            )
    return ModelTable(**columns, mixtures=tuple(mixtures))


def touched_experts(routed: int, per_token: int, length: int) -> Floats:
    """Distinct experts of an iteration of 1, 2, .. `length` routings."""
    return _touched_table(routed, per_token, 1 << (length - 1).bit_length())[:length]


@lru_cache(maxsize=256)
def _touched_table(routed: int, per_token: int, length: int) -> Floats:
    table = distinct_experts(
        Experts(routed, per_token, 1.0), np.arange(1.0, length + 1.0), "expected"
    )
    table.flags.writeable = False
    return table


def _mixtures(models: Sequence[ModelCosts]) -> tuple[Mixture, ...]:
    alike: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for row, model in enumerate(models):
        if model.experts:
            kinds = tuple((group.routed, group.per_token) for group in model.experts)
            alike.setdefault(kinds, []).append(row)
    return tuple(
        Mixture(
            rows=np.array(rows, dtype=np.intp),
            kinds=kinds,
            always_bytes=np.array([models[row].always_bytes for row in rows], dtype=np.float64),
            expert_bytes=np.array(
                [[group.expert_bytes for group in models[row].experts] for row in rows],
                dtype=np.float64,
            ).T,
            curved_tokens=max(map(saturating_tokens, models[rows[0]].experts)),
        )
        for kinds, rows in alike.items()
    )
