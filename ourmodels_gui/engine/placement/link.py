"""What the link between devices takes for each position of an iteration, in one direction."""

from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..setup import Composition
from .together import device_count

Figures = TypeVar("Figures", float, NDArray[np.float64])
"""Of one model, or of many."""
Sends = Literal["tensor", "experts", "tokens"]
"""All-reduces; those of blocks without experts, with dispatch and combine; or these alone."""
ACTIVATION_BYTES = 2.0
"""e_act: what runtimes send, BF16 or FP16."""


def all_reduce_bytes(width: Figures, blocks: Figures, devices: int, reduces: bool) -> Figures:
    """What each device sends to sum the outputs of `blocks` blocks for one position.

    blocks hidden e_act 2 (N - 1) / N round a ring; no more than blocks hidden e_act on a link that
    adds up on its way. Latency is left out, which only loosens a ceiling.

    Parameters: width, hidden; blocks; devices, N; reduces.

    >>> all_reduce_bytes(1000.0, 2.0, 4, False)
    6000.0
    """
    share = 2.0 * (devices - 1) / devices
    if reduces:
        share = min(share, 1.0)
    return blocks * width * ACTIVATION_BYTES * share


def dispatch_bytes(
    width: Figures, layers: Sequence[Figures], per_token: Sequence[Figures], devices: int
) -> Figures:
    """What each device sends to bring a position to the devices of its experts, and back.

    Per MoE layer 2 / N hidden e_act times the other devices that a token reaches under expected
    routing, (N - 1)(1 - (1 - 1/N)^k).

    Parameters: width, hidden; MoE layers and k of each set of experts; devices, N.

    >>> float(dispatch_bytes(1000.0, (3.0,), (1.0,), 2))
    3000.0
    """
    sent = 0.0 * width
    for many, chosen in zip(layers, per_token, strict=True):
        reached = (devices - 1) * (1.0 - np.power(1.0 - 1.0 / devices, chosen))
        sent = sent + 2.0 / devices * width * ACTIVATION_BYTES * many * reached
    return sent


def position_s(
    composition: Composition,
    sends: Sends,
    *,
    width: Figures,
    blocks: Figures,
    layers: Sequence[Figures],
    per_token: Sequence[Figures] | None,
) -> Figures:
    """What the link takes for one position, bytes / B_link [s].

    Parameters: composition; sends; width, hidden; blocks whose output is summed; MoE layers and k
    of each set of experts, None under floor routing, under which no token need leave its device.
    Errors: ValueError for a composition without a link.
    """
    if not composition.link_bytes_per_s:
        raise ValueError("a split across devices needs a link")
    devices, sent = device_count(composition), 0.0 * width
    if sends != "tokens":
        summed = blocks
        for many in layers if sends == "experts" else ():
            summed = summed - many
        sent = all_reduce_bytes(width, np.maximum(summed, 0.0), devices, composition.link_reduces)
    if sends != "tensor" and per_token is not None:
        sent = sent + dispatch_bytes(width, layers, per_token, devices)
    return sent * (1.0 / composition.link_bytes_per_s)
