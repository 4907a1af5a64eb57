"""One pass from what was chosen to what it means; what every view is given."""

import msgspec

from .engine.evaluate import evaluate
from .engine.memory_limit import memory_limit_caution
from .engine.result import Result
from .engine.setup import Setup
from .library.load import Library
from .library.resolve import resolve
from .problem import BadInput, Problem
from .scenario import Scenario


class Evaluation(msgspec.Struct, frozen=True):
    """A scenario with its setup and result, or with the one problem that prevents them."""

    scenario: Scenario
    setup: Setup | None = None
    result: Result | None = None
    problem: Problem | None = None


def run(scenario: Scenario, library: Library) -> Evaluation:
    """Resolve and evaluate; bad input becomes the evaluation's problem."""
    try:
        setup = resolve(scenario, library)
        return Evaluation(scenario, setup, _with_caution(evaluate(setup), setup))
    except BadInput as bad:
        return Evaluation(scenario, problem=bad.problem)


def _with_caution(result: Result, setup: Setup) -> Result:
    caution = memory_limit_caution(setup, result.decode)
    if not caution:
        return result
    cautions = (caution, *result.decode.cautions)
    decode = msgspec.structs.replace(result.decode, cautions=cautions)
    return msgspec.structs.replace(result, decode=decode)
