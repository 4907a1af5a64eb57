"""Equal devices, many compositions x models at once.

The counterparts of `tensor`, `experts` and `layers`; their ceilings are the same to the last bit.
None rises with the batch and no aggregate falls, so the best batch is the last that clears the
floor.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..setup import Composition
from .link import Sends, position_s
from .sweep_models import ModelColumns
from .sweep_ways import Floats, Ways
from .together import bandwidth_bytes_per_s, device_count


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
        self.link_s = np.zeros(self.one_rate.shape)
        if self.sends is not None:
            self.link_s = link_columns(compositions, models, self.sends)

    sends: Sends | None = None
    """What crosses the link."""

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
        with np.errstate(divide="ignore"):
            computing = 1.0 / (self.computed(batch) * self.compute_s)
            sending = 1.0 / (batch * self.link_s)
        return self.memory_limit(batch), computing, sending

    def per_session(self, batch: Floats) -> Floats:
        memory, computing, sending = self.limits(batch)
        return np.minimum(np.minimum(memory, computing), sending)

    def binding(self, batch: Floats) -> NDArray[np.intp]:
        return np.argmin(self.limits(batch), axis=0)


class TensorWays(EqualDevices):
    sends: Sends | None = "tensor"

    def __init__(
        self, compositions: Sequence[Composition], models: ModelColumns, compute_s: Floats
    ) -> None:
        super().__init__(compositions, models, compute_s)
        self.rate = self.by_pair([bandwidth_bytes_per_s(one.devices) for one in compositions])

    def memory_limit(self, batch: Floats) -> Floats:
        return self.rate / self.step_bytes(batch)


class ExpertWays(TensorWays):
    sends: Sends | None = "experts"


class ReplicatedWays(EqualDevices):
    sends: Sends | None = "tokens"

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


def link_columns(compositions: Sequence[Composition], models: ModelColumns, sends: Sends) -> Floats:
    """What the link takes for one position, by pair [s]; 0 where a model's shape is unknown."""
    chosen = [group.per_token for group in models.experts] if models.expected else None
    seconds = np.zeros((len(compositions), models.resident_bytes.size))
    for row, composition in enumerate(compositions):
        if device_count(composition) > 1:
            seconds[row] = position_s(
                composition,
                sends,
                width=models.hidden_width,
                blocks=models.summed_blocks,
                layers=list(models.expert_layers),
                per_token=chosen,
            )
    return np.nan_to_num(seconds, nan=0.0).ravel()
