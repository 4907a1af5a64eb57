"""What the division of models over pools depends on, as columns of numbers."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..cache_columns import CacheColumns
from ..setup import ModelCosts, ModelShape, Workload
from ..tables import ModelTable

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class ExpertColumns(msgspec.Struct, frozen=True, eq=False):
    """One set of routed experts of each model; a model without it has experts of no bytes."""

    routed: Floats
    per_token: Floats
    missed: Floats
    expert_bytes: Floats

    def touched(self, routings: Floats) -> Floats:
        """Distinct experts of an iteration, as `costs.distinct_experts` has them."""
        touched = self.routed * -np.expm1(routings * self.missed)
        return np.where(routings == 1.0, self.per_token, touched)

    def of(self, models: Indices) -> "ExpertColumns":
        return ExpertColumns(*(getattr(self, name)[models] for name in self.__struct_fields__))


class ModelColumns(msgspec.Struct, frozen=True, eq=False):
    """By model, and by [layer group, model] where that is said.

    session_bytes: K_alloc in whole bytes. read_bytes: K_read. active_bytes: W_active.
    expert_bytes: of all routed experts. group_alloc_bytes, group_read_bytes: of one session, by
    layer group. expected: whether experts are swept as expected, or no more than W_active.
    hidden_width, summed_blocks, head_bytes, alike: of `ModelShape`; NaN and False where unknown.
    expert_layers: by set of experts.
    """

    resident_bytes: Floats
    session_bytes: Floats
    read_bytes: Floats
    active_bytes: Floats
    always_bytes: Floats
    experts: tuple[ExpertColumns, ...]
    expert_bytes: Floats
    group_alloc_bytes: Floats
    group_read_bytes: Floats
    hidden_width: Floats
    summed_blocks: Floats
    head_bytes: Floats
    alike: NDArray[np.bool_]
    expert_layers: Floats
    expected: bool

    def of(self, models: Indices) -> "ModelColumns":
        """The same at some of the models, each as often as it is named."""
        kept = {
            name: getattr(self, name)[..., models]
            for name in self.__struct_fields__
            if isinstance(getattr(self, name), np.ndarray)
        }
        experts = tuple(group.of(models) for group in self.experts)
        return msgspec.structs.replace(self, experts=experts, **kept)

    @property
    def kept_read_bytes(self) -> Floats:
        """What is both kept and read of a session."""
        return np.minimum(self.group_alloc_bytes, self.group_read_bytes).sum(axis=0)

    def sweep_bytes(self, always_bytes: Floats, routings: Floats) -> Floats:
        """`costs.sweep_bytes` at so many routings of each model, more than none."""
        total = always_bytes
        for group in self.experts:
            touched = group.touched(routings) if self.expected else group.per_token
            total = total + group.expert_bytes * touched
        return total


def model_columns(
    models: Sequence[ModelCosts],
    shapes: Sequence[ModelShape | None],
    table: ModelTable,
    caches: CacheColumns,
    workload: Workload,
) -> ModelColumns:
    """The columns of models at the contexts of their table."""
    session = np.rint(table.alloc_bytes)
    depth = max((len(model.experts) for model in models), default=0)
    sets = np.empty((depth, 4, len(models)))
    sets[:] = np.array([2.0, 1.0, math.log1p(-0.5), 0.0])[:, np.newaxis]
    for column, model in enumerate(models):
        for place, group in enumerate(model.experts):
            missed = math.log1p(-group.per_token / group.routed)
            sets[place, :, column] = group.routed, group.per_token, missed, group.expert_bytes
    always = np.array([model.always_bytes for model in models], dtype=np.float64)
    divided = np.full((4, len(models)), np.nan)
    layers = np.zeros((depth, len(models)))
    for column, shape in enumerate(shapes):
        if shape is not None:
            width, blocks = shape.hidden_width, shape.summed_blocks
            divided[:, column] = width, blocks, shape.head_bytes, shape.alike
            layers[: len(shape.expert_layers), column] = shape.expert_layers
    reserved, read = (
        tokens.astype(np.float64)
        for tokens in (table.reserved_context_tokens, table.read_context_tokens)
    )
    return ModelColumns(
        resident_bytes=table.resident_bytes,
        session_bytes=session,
        read_bytes=table.read_bytes,
        active_bytes=table.active_bytes,
        always_bytes=always,
        experts=tuple(ExpertColumns(*group) for group in sets),
        expert_bytes=np.sum(sets[:, 0] * sets[:, 3], axis=0),
        group_alloc_bytes=caches.group_alloc_bytes(reserved, workload.cache_policy),
        group_read_bytes=caches.group_read_bytes(read),
        hidden_width=divided[0],
        summed_blocks=divided[1],
        head_bytes=divided[2],
        alike=divided[3] == 1.0,
        expert_layers=layers,
        expected=workload.routing == "expected",
    )
