"""One pass from what was chosen to what it means; what every view is given."""

import msgspec

from .engine.result import Decode, Result
from .engine.setup import Setup
from .library.load import Library
from .problem import BadInput, Problem
from .scenario import Scenario
from .units import size


class Evaluation(msgspec.Struct, frozen=True):
    """A scenario with its setup and result, or with the one problem that prevents them."""

    scenario: Scenario
    setup: Setup | None = None
    result: Result | None = None
    problem: Problem | None = None


def run(scenario: Scenario, library: Library) -> Evaluation:
    """Resolve and evaluate; bad input becomes the evaluation's problem."""
    # The window paints before it computes: numpy loads with the first answer, not with this module.
    from .engine.evaluate import evaluate  # noqa: PLC0415
    from .library.resolve import resolve  # noqa: PLC0415

    try:
        setup = resolve(scenario, library)
        return Evaluation(scenario, setup, _with_caution(evaluate(setup), setup))
    except BadInput as bad:
        return Evaluation(scenario, problem=bad.problem)


def memory_limit_caution(setup: Setup, decode: Decode) -> str:
    """Why a setup that fits needs a setting of the system changed first; "" when it does not.

    Apple's wired limit or an APU's carve-out give the accelerator a share of the memory.

    The share lowers no ceiling. What is held against it is all that the best batch needs, or one
    session where no batch serves: C - spare.
    """
    share = setup.machine.default_share_bytes
    if share is None or decode.verdict in ("model does not fit", "no session fits"):
        return ""
    needed = setup.machine.capacity_bytes - decode.spare_bytes
    if needed <= share:
        return ""
    sessions = f"{decode.best_batch} sessions need"
    if decode.best_batch in (None, 1):
        sessions = "one session needs"
    return (
        f"Fits after raising the memory limit: {sessions} {size(needed)}, and the system gives "
        f"the accelerator {size(share)} until the limit is raised."
    )


def _with_caution(result: Result, setup: Setup) -> Result:
    caution = memory_limit_caution(setup, result.decode)
    if not caution:
        return result
    cautions = (caution, *result.decode.cautions)
    decode = msgspec.structs.replace(result.decode, cautions=cautions)
    return msgspec.structs.replace(result, decode=decode)
