"""The pools of unlike speed of a composition, as one way of using them sees them."""

from typing import Literal

import msgspec
import numpy as np

from ..setup import Composition, Device
from .together import device_count, pools_of

Mode = Literal["sequential", "both", "streamed", "groups"]


class Pool(msgspec.Struct, frozen=True):
    """Devices of one kind whose memory is filled as one.

    room_bytes: m (C - O). one_s: seconds that a byte takes in one device, 1 / R. all_s: where all
    of them work at once, 1 / (m R). source: the devices. link: whether its bytes cross the link.
    """

    name: str
    room_bytes: float
    one_s: float
    all_s: float
    source: Device
    link: bool


def pools_in(composition: Composition, mode: Mode) -> tuple[Pool, ...]:
    """The devices by kind and the host; the fastest first where there are more than two.

    Devices that work on the same bytes at once, in any split but by layers, are one. Streamed, the
    host's bytes cross the links of the devices, each device its own, if those are slower.
    """
    devices, host = composition.devices, composition.host
    merged = composition.split != "layers"
    pools = []
    for device in pools_of(composition):
        room = device.count * (device.machine.capacity_bytes - device.overhead_bytes)
        one = 1.0 / device.machine.bandwidth_bytes_per_s
        if merged:
            one /= device.count
        every = one if merged else one / device.count
        streamed = mode == "streamed" and device is host
        if streamed:
            rate = (composition.link_bytes_per_s or np.inf) * device_count(composition)
            streamed = 1.0 / rate > one
            one = every = max(one, 1.0 / rate)
        pools.append(Pool(device.name, max(room, 0.0), one, every, device, streamed))
    if len(devices) + (host is not None) > 2:
        pools.sort(key=lambda pool: pool.one_s)
    return tuple(pools)
