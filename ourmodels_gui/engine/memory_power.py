"""What a memory system offers before any model detail, and the two loosest decode ceilings."""

from .setup import Machine


def memory_power_bytes2_per_s(machine: Machine) -> float:
    """Area of the region of workloads that the memory can serve.

    D = C R

    References: formulation, "Two numbers and their product".

    >>> memory_power_bytes2_per_s(Machine(24e9, 1000e9)) / 1e18
    24000.0
    """
    return machine.capacity_bytes * machine.bandwidth_bytes_per_s


def contains(machine: Machine, held_bytes: float, flow_bytes_per_s: float) -> bool:
    """Whether a workload that holds h and moves r lies in the feasible rectangle.

    F(C, R) = {(h, r) : 0 <= h <= C, 0 <= r <= R}

    Parameters: machine; held_bytes, h [bytes]; flow_bytes_per_s, r [bytes/s].
    References: formulation, "Feasibility theorem".
    """
    return (
        0.0 <= held_bytes <= machine.capacity_bytes
        and 0.0 <= flow_bytes_per_s <= machine.bandwidth_bytes_per_s
    )


def volume_bytes(machine: Machine, window_s: float) -> float:
    """Bytes held and moved over a time; counts the same byte as often as it is moved.

    C + R dt, a different question from the feasible region and kept apart from it.

    References: formulation, "A caveat on the metric".
    """
    return machine.capacity_bytes + machine.bandwidth_bytes_per_s * window_s


def two_rooflines_tokens_per_s(
    bandwidth_bytes_per_s: float, bytes_per_token: float, flop_per_s: float, flop_per_token: float
) -> float:
    """The universal bound: the lower of the memory and the compute roofline.

    T_max <= min(R / q, F / a)

    Parameters: R [bytes/s]; q [bytes/token]; F [FLOP/s]; a [FLOP/token].
    References: formulation, "Universal resource bound".

    >>> two_rooflines_tokens_per_s(800e9, 8e9, 100e12, 64e9)
    100.0
    """
    return min(bandwidth_bytes_per_s / bytes_per_token, flop_per_s / flop_per_token)


def memory_power_tokens_per_s(
    machine: Machine, held_bytes: float, alloc_bytes: float, active_bytes: float
) -> float:
    """Ceiling of ordinary decode with private reads dropped and memory full of caches.

    R (C - W_resident - O) / (K_alloc W_active) = D / (K_alloc W_active) (1 - (W_resident + O) / C)

    Parameters: machine; held_bytes, W_resident + O; alloc_bytes, K_alloc of a session;
    active_bytes, W_active [bytes].
    References: formulation, "Memory-power bound as a corollary".

    >>> round(memory_power_tokens_per_s(Machine(128e9, 800e9), 24e9, 1.04e9, 18e9))
    4444
    """
    free_bytes = machine.capacity_bytes - held_bytes
    return machine.bandwidth_bytes_per_s * free_bytes / (alloc_bytes * active_bytes)


def large_memory_limit_tokens_per_s(
    machine: Machine, alloc_bytes: float, active_bytes: float
) -> float:
    """The loosest ceiling: memory power per cost of a token, the model's own room not charged.

    D / (K_alloc W_active)

    References: formulation, "Memory-power decode bound" and "The bound the calculator uses".
    """
    return memory_power_tokens_per_s(machine, 0.0, alloc_bytes, active_bytes)
