"""What a report is about: one evaluation, or several side by side."""

from collections.abc import Sequence

import msgspec

from ..composed import ComposedHardware
from ..engine.result import Result
from ..engine.setup import Assumption, Setup
from ..evaluation import Evaluation
from ..inline import InlineHardware
from ..library.compositions import CompositionEntry
from ..library.hardware import MachineEntry
from ..library.load import Library
from ..library.lookup import hardware_in_use, machine_entry
from ..problem import BadInput
from ..summary import Summary, summarise

MOST = 6
LETTERS = "ABCDEF"
SHORT = 26


class Subject(msgspec.Struct, frozen=True):
    """One evaluation with its names.

    letter: "" when it stands alone. name: what tells it from the others. machine, model: in full;
    weights: the format or the bytes of a parameter. entry: its machine in the library, or None
    when it is written out or a composition. ready: the composition whose id it has, or None.
    """

    letter: str
    name: str
    machine: str
    model: str
    weights: str
    evaluation: Evaluation
    setup: Setup
    result: Result
    summary: Summary
    entry: MachineEntry | None
    ready: CompositionEntry | None = None

    @property
    def note(self) -> str:
        """What the file of its composition says beside its figures."""
        return self.ready.record.note if self.ready else ""

    @property
    def title(self) -> str:
        """Letter and name."""
        return f"{self.letter}  {self.name}" if self.letter else self.name

    @property
    def said(self) -> str:
        """The name in a sentence, its letter behind it."""
        return f"{self.name} ({self.letter})" if self.letter else self.machine

    @property
    def short(self) -> str:
        """The title where there is little room."""
        return clipped(self.title)

    @property
    def head(self) -> str:
        """The head of its column."""
        return self.short if self.letter else "Value"


def clipped(name: str, most: int = SHORT) -> str:
    """A name cut to `most` characters.

    >>> clipped("NVIDIA DGX Spark", 10)
    'NVIDIA DG…'
    """
    return name if len(name) <= most else name[: most - 1].rstrip() + "\u2026"


def subjects(evaluations: Sequence[Evaluation], library: Library) -> tuple[Subject, ...]:
    """The evaluations of a report with letters and names.

    Errors: BadInput for none, for more than six, and for one without a result.
    """
    if not 1 <= len(evaluations) <= MOST:
        raise BadInput("", f"a report takes 1 to {MOST} scenarios, not {len(evaluations)}")
    for evaluation in evaluations:
        if evaluation.problem is not None:
            raise BadInput(evaluation.problem.key, evaluation.problem.message)
    told = [evaluation.setup.assumptions if evaluation.setup else () for evaluation in evaluations]
    machines = [" ".join(value(items, "machine").split()) for items in told]
    models = [" ".join(value(items, "model").split()) for items in told]
    weights = [_weights(items) for items in told]
    found = []
    for place, evaluation in enumerate(evaluations):
        if evaluation.setup is None or evaluation.result is None:
            raise BadInput("", "a scenario has no result yet")
        found.append(
            Subject(
                letter=LETTERS[place] if len(evaluations) > 1 else "",
                name=_name(place, machines, models, weights),
                machine=machines[place],
                model=models[place],
                weights=weights[place],
                evaluation=evaluation,
                setup=evaluation.setup,
                result=evaluation.result,
                summary=summarise(evaluation),
                entry=_entry(evaluation, library),
                ready=_ready(evaluation, library),
            )
        )
    return tuple(found)


def value(told: tuple[Assumption, ...], name: str) -> str:
    """The assumption of that name in words; "" where there is none."""
    return next((str(item.value) for item in told if item.name == name), "")


def alike(items: Sequence[str]) -> bool:
    return len(set(items)) == 1


def _name(place: int, machines: list[str], models: list[str], weights: list[str]) -> str:
    """What differs: the machine, the model, its weights, or all of them."""
    if len(machines) == 1:
        return f"{machines[0]} · {models[0]}"
    parts = [
        names[place] for names in (machines, models, weights) if not alike(names) and names[place]
    ]
    return " · ".join(parts) or machines[place]


def _weights(told: tuple[Assumption, ...]) -> str:
    for item in told:
        if item.name == "weight precision":
            return f"{item.value} {item.unit}".strip()
    return ""


def _entry(evaluation: Evaluation, library: Library) -> MachineEntry | None:
    hardware = hardware_in_use(evaluation.scenario.hardware, library)
    if isinstance(hardware, InlineHardware | ComposedHardware):
        return None
    return machine_entry(hardware, library)


def _ready(evaluation: Evaluation, library: Library) -> CompositionEntry | None:
    hardware = evaluation.scenario.hardware
    return library.compositions.get(hardware) if isinstance(hardware, str) else None
