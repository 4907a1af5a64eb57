"""One pass from a setup to everything the engine says of it."""

from .decode import decode
from .prefill import prefill
from .result import Result
from .setup import Setup


def evaluate(setup: Setup) -> Result:
    """Decode, and prefill where a prompt is given, with the assumptions they rest on.

    References: formulation, "Calculator procedure".
    """
    return Result(
        decode=decode(setup),
        prefill=None if setup.prompt is None else prefill(setup),
        assumptions=setup.assumptions,
    )
