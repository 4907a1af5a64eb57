"""Bytes that cross a link in one iteration, of each device and in one direction."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..setup import Composition, ModelCosts, ModelShape, Routing

Positions = TypeVar("Positions", float, NDArray[np.float64])
ACTIVATION_BYTES = 2.0
"""e_act: what runtimes send, BF16 or FP16."""


def all_reduce_bytes(
    shape: ModelShape, devices: int, positions: Positions, blocks: int, reduces: bool
) -> Positions:
    """What summing the outputs of `blocks` blocks over the devices sends.

    blocks n hidden e_act 2 (N - 1) / N round a ring; no more than blocks n hidden e_act on a link
    that adds up on its way. Latency is left out, which only loosens a ceiling.

    Parameters: shape; devices, N; positions, n of an iteration; blocks; reduces.

    >>> all_reduce_bytes(ModelShape(1000, 2), 4, 1.0, 2, False)
    6000.0
    """
    share = 2.0 * (devices - 1) / devices
    if reduces:
        share = min(share, 1.0)
    return positions * (blocks * shape.hidden_width * ACTIVATION_BYTES * share)


def dispatch_bytes(
    shape: ModelShape, model: ModelCosts, devices: int, positions: Positions, routing: Routing
) -> Positions:
    """What sending tokens to the devices of their experts, and the results back, sends.

    Per MoE layer 2 (n / N) hidden e_act times the other devices that a token reaches:
    (N - 1)(1 - (1 - 1/N)^k) under expected routing, 0 under floor routing.

    >>> from ..setup import Experts
    >>> model = ModelCosts(1.0, 1.0, (), experts=(Experts(8, 1, 1.0),))
    >>> dispatch_bytes(ModelShape(1000, 2, expert_layers=(3,)), model, 2, 4.0, "expected")
    12000.0
    """
    if routing == "floor":
        return positions * 0.0
    reached = sum(
        layers * (devices - 1) * (1.0 - (1.0 - 1.0 / devices) ** group.per_token)
        for group, layers in zip(model.experts, shape.expert_layers, strict=True)
    )
    return positions * (2.0 / devices * shape.hidden_width * ACTIVATION_BYTES * reached)


def seconds_per_byte(composition: Composition) -> float:
    """1 / B_link [s/byte]. Errors: ValueError for a composition without a link."""
    if not composition.link_bytes_per_s:
        raise ValueError("a split across devices needs a link")
    return 1.0 / composition.link_bytes_per_s
