"""Equal devices, many compositions x models at once.

The counterparts of `tensor`, `experts` and `layers`; their ceilings are the same to the last bit.
None rises with the batch and no aggregate falls, so the best batch is the last that clears the
floor.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..setup import Composition
from .link import ACTIVATION_BYTES, seconds_per_byte
from .sweep_models import ModelColumns
from .sweep_ways import Floats, Ways
from .together import bandwidth_bytes_per_s


class EqualDevices(Ways):
    """compute_s: of one position over all devices, by pair; 0 where it is no limit."""

    def __init__(
        self, compositions: Sequence[Composition], models: ModelColumns, compute_s: Floats
    ) -> None:
        super().__init__(compositions, models)
        self.compute_s = compute_s
        devices = [composition.devices[0] for composition in compositions]
        self.devices = self.by_pair([device.count for device in devices])
        self.one_rate = self.by_pair([device.machine.bandwidth_bytes_per_s for device in devices])
        self.link = link_columns(compositions, models, self.sends)

    sends = ""
    """What crosses the link: "tensor", "experts" or "tokens" (`Policy.link_limits`)."""

    def step_bytes(self, batch: Floats) -> Floats:
        """Memory traffic of an iteration, `step.step_bytes`."""
        models = self.models
        return models.sweep_bytes(models.always_bytes, batch) + batch * models.read_bytes

    def memory_limit(self, batch: Floats) -> Floats:
        """The ceiling of one session that the memory sets."""
        raise NotImplementedError

    def computed(self, batch: Floats) -> Floats:
        """Positions that the arithmetic of all devices is charged with."""
        return batch

    def limits(self, batch: Floats) -> tuple[Floats, Floats, Floats]:
        """The ceilings of memory, compute and link; infinite where there is none."""
        reduced, dispatched, seconds = self.link
        with np.errstate(divide="ignore"):
            computing = 1.0 / (self.computed(batch) * self.compute_s)
            sending = 1.0 / ((batch * reduced + batch * dispatched) * seconds)
        return self.memory_limit(batch), computing, sending

    def per_session(self, batch: Floats) -> Floats:
        memory, computing, sending = self.limits(batch)
        return np.minimum(np.minimum(memory, computing), sending)

    def binding(self, batch: Floats) -> NDArray[np.intp]:
        return np.argmin(self.limits(batch), axis=0)


class TensorWays(EqualDevices):
    sends = "tensor"

    def __init__(
        self, compositions: Sequence[Composition], models: ModelColumns, compute_s: Floats
    ) -> None:
        super().__init__(compositions, models, compute_s)
        self.rate = self.by_pair([bandwidth_bytes_per_s(one.devices) for one in compositions])

    def memory_limit(self, batch: Floats) -> Floats:
        return self.rate / self.step_bytes(batch)


class ExpertWays(TensorWays):
    sends = "experts"


class ReplicatedWays(EqualDevices):
    sends = "tokens"

    def __init__(
        self, compositions: Sequence[Composition], models: ModelColumns, compute_s: Floats
    ) -> None:
        super().__init__(compositions, models, compute_s)
        machines = [(one.devices[0].machine, one.devices[0]) for one in compositions]
        free = [
            round(machine.capacity_bytes) - round(device.overhead_bytes)
            for machine, device in machines
        ]
        held = self.models.resident_bytes - self.models.expert_bytes * (1.0 - 1.0 / self.devices)
        self.margin_bytes = self.by_pair(free) - np.rint(held)

    def memory_batch(self) -> Floats:
        return self.devices * super().memory_batch()

    def spare_bytes(self, batch: Floats) -> Floats:
        return super().spare_bytes(np.ceil(batch / self.devices))

    def memory_limit(self, batch: Floats) -> Floats:
        models, own = self.models, np.maximum(batch / self.devices, 1.0)
        routed = models.sweep_bytes(np.zeros(batch.shape), batch) / self.devices
        moved = models.always_bytes + routed + own * models.read_bytes
        return 1.0 / (moved / self.one_rate)


class LayerWays(EqualDevices):
    def __init__(
        self, compositions: Sequence[Composition], models: ModelColumns, compute_s: Floats
    ) -> None:
        super().__init__(compositions, models, compute_s)
        asked = [float(composition.groups or np.inf) for composition in compositions]
        self.groups = np.minimum(self.by_pair(asked), self.devices)

    def memory_limit(self, batch: Floats) -> Floats:
        working = batch / np.minimum(self.groups, batch)
        return self.one_rate / self.step_bytes(working)

    def computed(self, batch: Floats) -> Floats:
        return batch * self.devices / np.minimum(self.groups, batch)


def link_columns(
    compositions: Sequence[Composition], models: ModelColumns, sends: str
) -> tuple[Floats, Floats, Floats]:
    """Bytes of all-reduces and of dispatch for each position, by pair, and seconds for a byte.

    As `link` has them; nothing where a model's shape is unknown.
    """
    columns = models.resident_bytes.size
    sent = np.zeros((3, len(compositions), columns))
    if not sends:
        return sent[0].ravel(), sent[1].ravel(), sent[2].ravel()
    blocks = models.summed_blocks
    if sends != "tensor":
        inside = np.maximum(blocks - models.expert_layers.sum(axis=0), 0.0)
        blocks = inside if sends == "experts" else 0.0 * blocks
    for row, composition in enumerate(compositions):
        devices = composition.devices[0].count
        if devices == 1:
            continue
        share = 2.0 * (devices - 1) / devices
        if composition.link_reduces:
            share = min(share, 1.0)
        sent[0, row] = blocks * models.hidden_width * ACTIVATION_BYTES * share
        if sends != "tensor" and models.expected:
            reached = np.zeros(columns)
            for layers, group in zip(models.expert_layers, models.experts, strict=True):
                reached += (
                    layers * (devices - 1) * (1.0 - _powers(1.0 - 1.0 / devices, group.per_token))
                )
            sent[1, row] = 2.0 / devices * models.hidden_width * ACTIVATION_BYTES * reached
        sent[2, row] = seconds_per_byte(composition)
    reduced, dispatched, seconds = np.nan_to_num(sent, nan=0.0).reshape(3, -1)
    return reduced, dispatched, seconds


def _powers(base: float, exponents: Floats) -> Floats:
    """Base to whole powers by the interpreter, whose last bit is not that of numpy."""
    distinct, place = np.unique(exponents, return_inverse=True)
    return np.array([base ** int(exponent) for exponent in distinct])[place]
