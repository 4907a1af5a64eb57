"""The other end of a bracket between two arithmetic modes of the linear layers.

It is seldom obvious how much of the arithmetic runs in the fast mode; a band between two modes says
what is certain. Attention stays in its own mode.
"""

from msgspec import structs

from ...engine.setup import Setup

WIDE = ("bf16_fp32acc", "fp16_fp32acc", "fp16_fp16acc", "fp16_vector")
"""Modes of 16-bit operands, the ones that a runtime falls back on, in order."""


def with_linear(setup: Setup, mode: str) -> Setup:
    """The setup with its linear layers in another mode."""
    return structs.replace(setup, linear_mode={mode: 1.0})


def usual_bracket(setup: Setup) -> str | None:
    """The fastest floating-point mode beside a slower one, a 16-bit mode beside the fastest one.

    None where the machine gives no second rate.
    """
    rates = {
        mode: rate
        for mode, rate in setup.machine.compute_flop_per_s.items()
        if not mode.startswith("int")
    }
    used = next(iter(setup.linear_mode)) if len(setup.linear_mode) == 1 else None
    if used not in rates:
        return None
    fastest = max(rates, key=lambda mode: rates[mode])
    if rates[fastest] > rates[used]:
        return fastest
    return next((mode for mode in WIDE if rates.get(mode, rates[used]) < rates[used]), None)
