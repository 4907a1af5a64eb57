"""Evaluation -> everything that is told of it."""

from ..composed import name_of
from ..evaluation import Evaluation
from ..language import tr
from ..scenario import InlineModel, Scenario
from ..spoken import spoken
from ..units import ENGLISH, Separators
from . import (
    cache_rows,
    decode_rows,
    memory_rows,
    placement_rows,
    prefill_rows,
    speculation_rows,
    turn_rows,
)
from .answers import answers
from .figures import figures
from .shapes import Summary


def summarise(evaluation: Evaluation, separators: Separators = ENGLISH) -> Summary:
    """The four answers, the ledger of figures, assumptions, reasons and cautions.

    Parameters: separators of the figures in words; reports and text output keep the English ones.
    """
    setup, result = evaluation.setup, evaluation.result
    if setup is None or result is None:
        return Summary(_title(evaluation), problem=str(evaluation.problem or tr("no result yet")))
    known = figures(setup, result, separators)
    groups = (
        memory_rows.memory(known),
        cache_rows.cache(known),
        decode_rows.decode(known),
        decode_rows.forced(known),
        placement_rows.placement(known),
        speculation_rows.speculation(known),
        prefill_rows.prefill(known),
        turn_rows.turns(known),
    )
    return Summary(
        title=_title(evaluation),
        answers=answers(known),
        groups=tuple(group for group in groups if group is not None),
        assumptions=result.assumptions,
        reasons=tuple(spoken(text, separators) for text in result.decode.kind_reasons),
        cautions=tuple(spoken(text, separators) for text in result.decode.cautions),
    )


def _title(evaluation: Evaluation) -> str:
    """The scenario's own name, and machine and model by the names they are resolved to."""
    scenario = evaluation.scenario
    told = evaluation.setup.assumptions if evaluation.setup else ()
    names = {item.name: str(item.value) for item in told if item.name in ("machine", "model")}
    machine = names.get("machine") or _asked_machine(scenario)
    model = names.get("model") or _asked_model(scenario)
    pair = f"{machine} · {model}"
    return f"{scenario.name}: {pair}" if scenario.name else pair


def _asked_machine(scenario: Scenario) -> str:
    return name_of(scenario.hardware)


def _asked_model(scenario: Scenario) -> str:
    model = scenario.model
    return model.adapter.name if isinstance(model, InlineModel) else model.id
