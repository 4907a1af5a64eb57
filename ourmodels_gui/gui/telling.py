"""The summary of the evaluation in sight, made once for all the views that tell from it."""

from ..engine.evaluate import evaluate
from ..engine.setup import Setup
from ..evaluation import Evaluation
from ..summary import Summary, summarise
from ..units import Separators
from . import typed

_last: tuple[Evaluation, Separators, Summary] | None = None


def told(evaluation: Evaluation) -> Summary:
    """What is told of the evaluation, in the separators of the user's locale."""
    global _last  # noqa: PLW0603 - views are given one evaluation after another, and share it
    write = typed.separators()
    if _last is None or _last[0] is not evaluation or _last[1] != write:
        _last = (evaluation, write, summarise(evaluation, write))
    return _last[2]


def told_of(evaluation: Evaluation, setup: Setup) -> Summary:
    """What is told where the scenario's own setup is changed in a figure or two."""
    return summarise(Evaluation(evaluation.scenario, setup, evaluate(setup)), typed.separators())
