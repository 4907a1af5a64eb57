"""Expert parallelism: routed experts divided over equal devices."""

import numpy as np

from ..capacity import Capacity, session_bytes
from ..costs import sweep_bytes
from ..result import Binding, PoolShare
from .parts import parts
from .policy import Limit, Policy, Values
from .tensor import TensorSplit, one_share


class ExpertSplit(TensorSplit):
    """Experts divided, everything else tensor-split.

    In memory like a tensor split; on the link, all-reduces of the blocks without experts, and the
    dispatch and combine of every MoE layer.
    """

    name = "experts divided, attention tensor-split"
    restricts = True

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        kept = tuple(x for x in super().limits(batch) if x.binding(0).resource != "link")
        return (*kept, *self.link_limits(batch, "experts"))


class ReplicatedAttention(Policy):
    """Experts divided, everything else on every device, which serves its share of the sessions.

    W_res - (1 - 1/N) sum E p + W_draft,res + O_i + ceil(b / N) K_alloc <= C_i
    t = (always + p m(n) / N + gamma W_draft(b / N) + max(b / N, 1) (K_read + ...)) / R_i

    Each device is charged an even share of what a step touches, which is no more than what the
    busiest one has.
    """

    name = "experts divided, attention on every device"
    restricts = True

    def gate(self) -> Capacity:
        device, model = self.composition.devices[0], self.setup.model
        experts = sum(group.routed * group.expert_bytes for group in model.experts)
        held = model.resident_bytes - experts * (1.0 - 1.0 / self.devices)
        draft = self.setup.speculation.draft.resident_bytes if self.setup.speculation else 0.0
        margin = round(device.machine.capacity_bytes) - round(held)
        margin -= round(draft) + round(device.overhead_bytes)
        reserved = self.setup.workload.reserved_context_tokens
        return Capacity(margin, int(session_bytes(self.setup, reserved)))

    def memory_batch(self) -> int:
        return self.devices * super().memory_batch()

    def spare_bytes(self, batch: int) -> int:
        return super().spare_bytes(-(-batch // self.devices))

    def limits(self, batch: Values) -> tuple[Limit, ...]:
        name = self.composition.devices[0].name
        seconds = self._moved(batch) / self.composition.devices[0].machine.bandwidth_bytes_per_s
        return (
            Limit((Binding("memory", name),), self.rate(seconds)),
            *self.compute_limits(batch, name),
            *self.link_limits(batch, "tokens"),
        )

    def _moved(self, batch: Values) -> Values:
        """What each device moves in an iteration [bytes]."""
        step, gamma = self.step, self.step.draft_tokens
        own = np.maximum(batch / self.devices, 1.0)
        routed = sweep_bytes(0.0, step.experts, batch * (gamma + 1), step.routing)
        moved: Values = step.always_bytes + routed / self.devices + own * step.private_bytes
        if gamma > 0:
            draft = step.draft
            moved = moved + gamma * sweep_bytes(
                draft.always_bytes, draft.experts, own, step.routing
            )
        return moved

    def shares(self, batch: int) -> tuple[PoolShare, ...]:
        many = np.array([0.0, float(batch)])
        lying = parts(self.setup, self.step, many)
        without, held = lying.held_bytes.T
        copies = np.where(np.array(lying.classes) == "routed_experts", 1.0, self.devices)
        moved = float(self._moved(many)[1]) * self.devices
        return (one_share(self, lying.classes, held + (copies - 1.0) * without, moved),)
