"""Which ways of using its pools a composition has: the one asked for, then those beside it."""

from ..setup import Setup
from ..step import decode_step
from .experts import ExpertSplit, ReplicatedAttention
from .layers import EqualLayers, groups_tried
from .policy import Policy
from .pool_memory import Filling
from .pools import PoolPolicy
from .tensor import HeadSplit, TensorSplit, heads_known


def policies(setup: Setup) -> tuple[Policy, ...]:
    """Every policy to show; the decode figures are those of the first."""
    composition = setup.composition
    assert composition is not None
    if composition.host is not None:
        modes = [composition.pools, "both", "sequential"]
        if composition.link_bytes_per_s:
            modes.append("streamed")
        filling = Filling(setup, decode_step(setup, setup.speculation))
        return tuple(PoolPolicy(setup, mode, filling=filling) for mode in dict.fromkeys(modes))
    if composition.split == "tensor":
        heads = (HeadSplit(setup),) if heads_known(setup) else ()
        return (TensorSplit(setup), *heads)
    if composition.split == "experts":
        return (ExpertSplit(setup), ReplicatedAttention(setup))
    if len(composition.devices) == 1:
        return tuple(EqualLayers(setup, groups) for groups in groups_tried(setup))
    filling = Filling(setup, decode_step(setup, setup.speculation))
    return tuple(
        PoolPolicy(setup, "sequential", filling=filling)
        if groups == 1
        else PoolPolicy(setup, "groups", groups, filling)
        for groups in groups_tried(setup)
    )
