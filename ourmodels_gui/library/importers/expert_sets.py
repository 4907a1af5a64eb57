"""The sets of routed experts that a model's tensors show, held against its metadata."""

import msgspec

from ...language import mark, tr
from ..models import ExpertSet, Tensors
from .described import Described
from .found import listed
from .layout import Layout
from .sorted_tensors import Placed, routed_count


def expert_sets(
    layout: Layout, said: Described, tensors: tuple[Tensors, ...], placed: list[Placed]
) -> tuple[ExpertSet, ...]:
    """The sets of routed experts that the tensors show."""
    seen = routed_count(placed) or ({said.routed} if said.routed and layout.groups else set())
    held = {group.shape[0] for group in _matrices(tensors) if group.part == "text"}
    if said.routed and held and said.routed not in held:
        layout.contradictions[
            tr("{routed} routed experts by the metadata, {found} by the tensors").format(
                routed=said.routed, found=listed(sorted(map(str, held)))
            )
        ] = None
    if said.routed and not held:
        layout.contradictions[
            tr("{routed} routed experts by the metadata, but no tensor is one").format(
                routed=said.routed
            )
        ] = None
    if not held:
        return ()
    if not said.per_token:
        layout.open["per_token"] = mark("how many experts a token uses")
        layout.groups = None
        return ()
    sets = []
    for routed in sorted(held & (seen | held), reverse=True):
        own = [
            group
            for group in _matrices(tensors)
            if group.part == "text" and group.shape[0] == routed
        ]
        downs = [group for group in own if group.role == "down"]
        if downs:
            layers = sum(group.count for group in downs)
            sets.append(ExpertSet(routed, said.per_token, layers, downs[0].shape[-1]))
        elif own:
            layers = max(group.count for group in own)
            sets.append(ExpertSet(routed, said.per_token, layers, min(own[0].shape[1:])))
    return tuple(sets)


def _matrices(tensors: tuple[Tensors, ...]) -> list[Tensors]:
    """Matrices of routed experts, with their number in front."""
    return [
        group
        for group in tensors
        if group.tensor_class == "routed_experts" and len(group.shape) == 3
    ]


def settle_odd(
    layout: Layout, tensors: tuple[Tensors, ...], experts: tuple[ExpertSet, ...]
) -> tuple[Tensors, ...]:
    """Tensors of experts that belong to no set are read always: nothing says by how many."""
    if "per_token" in layout.open:
        return tensors
    known = {one.routed for one in experts}
    changed = []
    for group in tensors:
        if group.tensor_class == "routed_experts" and group.shape[0] not in known:
            shape = " x ".join(map(str, group.shape))
            text = tr(
                "expert tensors of {shape} belong to no set of experts; taken as always read"
            ).format(shape=shape)
            layout.contradictions[text] = None
            group = msgspec.structs.replace(group, tensor_class="other")  # noqa: PLW2901
        changed.append(group)
    return tuple(changed)
