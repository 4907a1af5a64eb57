"""What is marked for comparison: machines with models, marked anywhere, compared in one place."""

from typing import Any

import msgspec
from PySide6.QtCore import QObject, Signal

from ...composed import ComposedHardware, Hardware, HardwareRef, name_of
from ...inline import InlineHardware
from ...language import tr
from ...library.load import Library
from ...scenario import InlineModel, ModelRef, Scenario
from ..asked.assembly import Assembly


class Mark(msgspec.Struct, frozen=True):
    """A machine with a model, as a scenario names them."""

    hardware: Hardware
    model: ModelRef | InlineModel

    def pair(self) -> tuple[object, object]:
        """What is marked, the weight format apart."""
        if isinstance(self.model, InlineModel):
            return self.hardware, self.model
        return self.hardware, msgspec.structs.replace(self.model, weights=None)


class Tray(QObject):
    """Holds the marks in the order in which they were made."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.marks: tuple[Mark, ...] = ()

    def holds(self, mark: Mark) -> bool:
        """Whether the machine is marked with the model, in any weight format."""
        pair = mark.pair()
        return any(other.pair() == pair for other in self.marks)

    def toggle(self, mark: Mark) -> None:
        """Mark a machine with a model, or drop every mark of the two."""
        pair = mark.pair()
        others = tuple(other for other in self.marks if other.pair() != pair)
        self._put(others if len(others) < len(self.marks) else (*self.marks, mark))

    def add(self, mark: Mark) -> None:
        """Mark; twice is once. Another weight format of the same two is a mark of its own."""
        if mark not in self.marks:
            self._put((*self.marks, mark))

    def drop(self, mark: Mark) -> None:
        self._put(tuple(other for other in self.marks if other != mark))

    def clear(self) -> None:
        self._put(())

    def said(self) -> str:
        """How many are marked, in words."""
        count = len(self.marks)
        if not count:
            return tr("Nothing is marked for comparison")
        return tr("{count} marked for comparison").format(count=count)

    def _put(self, marks: tuple[Mark, ...]) -> None:
        if marks != self.marks:
            self.marks = marks
            self.changed.emit()


def mark_of(scenario: Scenario) -> Mark:
    """The machine and the model that a scenario stands at."""
    return Mark(scenario.hardware, scenario.model)


def opening(wanted: Scenario, current: Scenario) -> dict[str, Any]:
    """The edit of a scenario that goes to the machine and the model of another."""
    model = wanted.model
    plain = isinstance(current.model, ModelRef) and current.model.record is None
    if plain and isinstance(model, ModelRef) and model.record is None:
        return {
            "hardware": wanted.hardware,
            "model.id": model.id,
            "model.weights": model.weights,
        }
    return {"hardware": wanted.hardware, "model": model}


def names_of(marks: tuple[Mark, ...], library: Library) -> tuple[str, ...]:
    """A short name for each: what is alike in all is left out, and no two are alike."""
    machines = [_machine_name(mark, library) for mark in marks]
    models = [_model_name(mark, library) for mark in marks]
    formats = [getattr(mark.model, "weights", None) or "" for mark in marks]
    parts = [machines if len(set(machines)) > 1 or len(set(models)) == 1 else []]
    if len(set(models)) > 1:
        parts.append(models)
    if len(set(formats)) > 1:
        parts.append(formats)
    shown = [
        " · ".join(filter(None, (part[place] for part in parts if part)))
        for place in range(len(marks))
    ]
    seen: dict[str, int] = {}
    for place, name in enumerate(shown):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            shown[place] = f"{name} ({seen[name]})"
    return tuple(shown)


def whole_name(mark: Mark, library: Library) -> str:
    """Machine, model and weight format."""
    weights = getattr(mark.model, "weights", None) or ""
    parts = (_machine_name(mark, library), _model_name(mark, library), weights)
    return " · ".join(filter(None, parts))


def _machine_name(mark: Mark, library: Library) -> str:
    hardware = mark.hardware
    if isinstance(hardware, InlineHardware):
        return name_of(hardware)
    if isinstance(hardware, ComposedHardware):
        return Assembly(hardware, library).title
    if isinstance(hardware, HardwareRef):
        return str(hardware.record.get("name", hardware.id))
    entry = library.machines.get(hardware) or library.compositions.get(hardware)
    return entry.name if entry else hardware


def _model_name(mark: Mark, library: Library) -> str:
    model = mark.model
    if isinstance(model, InlineModel):
        return model.adapter.name or tr("model as typed")
    entry = library.models.get(model.id)
    if entry is not None:
        return entry.name
    return str((model.record or {}).get("name", model.id))
