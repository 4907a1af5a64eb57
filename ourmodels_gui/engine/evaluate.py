"""evaluate(Setup) -> Result: everything the engine says of one setup."""

from . import placement
from .decode import decode
from .prefill import prefill
from .result import Result
from .setup import Setup


def evaluate(setup: Setup) -> Result:
    """Decode, prefill when a prompt is asked for, and the assumptions both rest on.

    References: formulation, "Calculator procedure".
    """
    if setup.composition is not None:
        found, placed = placement.decode(setup)
        prompted = None
        if setup.prompt is not None:
            prompted, placed = placement.prefill(setup, placed)
        return Result(found, prompted, setup.assumptions, placed)
    return Result(
        decode=decode(setup),
        prefill=prefill(setup) if setup.prompt else None,
        assumptions=setup.assumptions,
    )
