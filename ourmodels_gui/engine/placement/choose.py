"""Which ways of using its pools a composition has: the one asked for, then those beside it."""

from ..setup import Setup
from .experts import ExpertSplit, ReplicatedAttention
from .layers import EqualLayers, groups_tried
from .policy import Policy
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
        return tuple(PoolPolicy(setup, mode) for mode in dict.fromkeys(modes))
    if composition.split == "tensor":
        heads = (HeadSplit(setup),) if heads_known(setup) else ()
        return (TensorSplit(setup), *heads)
    if composition.split == "experts":
        return (ExpertSplit(setup), ReplicatedAttention(setup))
    if len(composition.devices) == 1:
        return tuple(EqualLayers(setup, groups) for groups in groups_tried(setup))
    return tuple(
        PoolPolicy(setup, "sequential") if groups == 1 else PoolPolicy(setup, "groups", groups)
        for groups in groups_tried(setup)
    )
