"""All pools of a composition taken as one: the loosest machine that it could be."""

import msgspec

from ..setup import Composition, Device, Machine, ModelShape, Setup


def pools_of(composition: Composition) -> tuple[Device, ...]:
    """The devices by kind, and the host's memory last."""
    host = () if composition.host is None else (composition.host,)
    return (*composition.devices, *host)


def device_count(composition: Composition) -> int:
    """N, the host's memory not counted."""
    return sum(device.count for device in composition.devices)


def overhead_bytes(composition: Composition) -> float:
    """The sum of O_i over every device, and the host's [bytes]."""
    return sum(pool.count * pool.overhead_bytes for pool in pools_of(composition))


def capacity_bytes(pools: tuple[Device, ...]) -> float:
    """C = sum C_i over every device [bytes]."""
    return sum(pool.count * pool.machine.capacity_bytes for pool in pools)


def bandwidth_bytes_per_s(pools: tuple[Device, ...]) -> float:
    """R = sum R_i over every device [bytes/s]."""
    return sum(pool.count * pool.machine.bandwidth_bytes_per_s for pool in pools)


def together(pools: tuple[Device, ...]) -> Machine:
    """One machine with all the capacity, bandwidth and arithmetic of several.

    C = sum C_i, R = sum R_i, F(mode) = sum F_i(mode), where every pool has the mode

    What is measured of any pool makes the sum measured.

    >>> pair = together((Device("card", Machine(24e9, 900e9, {"fp32": 30.0}), count=2),))
    >>> pair.capacity_bytes / 1e9, pair.bandwidth_bytes_per_s / 1e9, pair.compute_flop_per_s
    (48.0, 1800.0, {'fp32': 60.0})
    """
    modes = [set(pool.machine.compute_flop_per_s) for pool in pools]
    shared = [mode for mode in pools[0].machine.compute_flop_per_s if all(mode in m for m in modes)]
    return Machine(
        capacity_bytes=capacity_bytes(pools),
        bandwidth_bytes_per_s=bandwidth_bytes_per_s(pools),
        compute_flop_per_s={
            mode: sum(pool.count * pool.machine.compute_flop_per_s[mode] for pool in pools)
            for mode in shared
        },
        measured=frozenset().union(*(pool.machine.measured for pool in pools)),
    )


def shape_of(setup: Setup) -> ModelShape | None:
    """The shape of a setup's model, where there is a composition and it is known."""
    return None if setup.composition is None else setup.composition.shape


def alone(composition: Composition) -> Device | None:
    """The one device that is all of a composition, which is then the ordinary case; else None."""
    if composition.host is not None or device_count(composition) != 1:
        return None
    return msgspec.structs.replace(composition.devices[0], count=1)
