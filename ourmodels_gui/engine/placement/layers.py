"""Layer split over equal devices: each has an even share of the layers."""

import msgspec
import numpy as np

from ..result import Binding, PoolShare
from ..setup import Setup
from ..step import per_session_tokens_per_s, step_bytes
from .parts import parts
from .policy import Limit, Policy, Values
from .tensor import one_share
from .together import device_count


class EqualLayers(Policy):
    """g groups of sessions pass through N equal devices one after another.

    period = max(sum_i t_i(b / g), g max_i t_i(b / g)) = t(b / g), where t is one device's time for
    the whole step, for g <= min(N, b): an even share of each device is the best, and the sum is
    never the smaller. So the most groups are the best, and one session runs at the speed of one
    device.

    groups: g, or None for the best.
    """

    def __init__(self, setup: Setup, groups: int | None) -> None:
        super().__init__(setup)
        self.asked = groups
        self.restricts = groups is not None
        self.name = groups_name(groups)
        machine = self.composition.devices[0].machine
        self.one = msgspec.structs.replace(
            self.step, bandwidth_bytes_per_s=machine.bandwidth_bytes_per_s, combined=False
        )

    def groups(self, batch: int) -> int | None:
        return min(self.asked or self.devices, self.devices, batch)

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        most = np.minimum(min(self.asked or self.devices, self.devices), batch)
        name = self.composition.devices[0].name
        memory = per_session_tokens_per_s(self.one, batch / most)
        return (
            Limit((Binding("memory", name),), memory),
            *self.compute_limits(batch * self.devices / most, name),
        )

    def shares(self, batch: int) -> tuple[PoolShare, ...]:
        many = np.array([float(batch)])
        lying = parts(self.setup, self.step, many)
        groups = self.groups(batch) or 1
        moved = groups * float(step_bytes(self.step, many / groups)[0])
        return (one_share(self, lying.classes, lying.held_bytes[:, 0], moved),)


def groups_name(groups: int | None) -> str:
    """How people are told of a layer split with so many groups."""
    if groups is None:
        return "layer split, as many groups of sessions as is best"
    return "layer split, one device at a time" if groups == 1 else f"layer split, {groups} groups"


def groups_tried(setup: Setup) -> tuple[int | None, ...]:
    """The numbers of groups to show: the one asked for, then the best and one at a time."""
    composition = setup.composition
    assert composition is not None
    others = (None, 1) if device_count(composition) > 1 else (None,)
    return tuple(dict.fromkeys((composition.groups, *others)))
