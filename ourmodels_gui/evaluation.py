"""One pass from what was chosen to what it means; what every view is given."""

import msgspec

from .engine.evaluate import evaluate
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
        return Evaluation(scenario, setup, evaluate(setup))
    except BadInput as bad:
        return Evaluation(scenario, problem=bad.problem)
