"""Arithmetic rates of a setup: what a FLOP costs on each path, and what is unknown."""

from .setup import Machine, Setup


def missing_modes(machine: Machine, shares: dict[str, float]) -> tuple[str, ...]:
    """The arithmetic modes of a path that the machine has no rate for."""
    return tuple(mode for mode in shares if mode not in machine.compute_flop_per_s)


def seconds_per_flop(machine: Machine, shares: dict[str, float]) -> float | None:
    """Time of one FLOP of a path whose FLOPs are split over modes; None when a rate is unknown.

    1 / F = sum over modes of share / F_hw(mode)

    Parameters: machine; shares, by mode, summing to 1.
    References: formulation, "Compute per prompt token".

    >>> seconds_per_flop(Machine(1.0, 1.0, {"a": 4.0, "b": 2.0}), {"a": 0.5, "b": 0.5})
    0.375
    >>> seconds_per_flop(Machine(1.0, 1.0, {"a": 4.0}), {"b": 1.0})
    """
    if missing_modes(machine, shares):
        return None
    return sum(share / machine.compute_flop_per_s[mode] for mode, share in shares.items())


def missing_for_compute(setup: Setup) -> tuple[str, ...]:
    """What the compute side of a setup lacks, named for people; empty when nothing.

    An unknown rate is never replaced by another mode's.
    """
    modes = dict.fromkeys((*setup.linear_mode, *setup.attention_mode))
    missing = [
        f"the machine's {mode} rate" for mode in modes if missing_modes(setup.machine, {mode: 1.0})
    ]
    if setup.model.linear_active_parameters is None:
        missing.append("the model's active linear parameters")
    if setup.model.attention is None:
        missing.append("the model's attention layers")
    return tuple(missing)
