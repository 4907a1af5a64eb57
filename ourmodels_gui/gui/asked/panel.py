"""What is asked, at the left: the machine, the model and the workload, one under the other."""

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from ...evaluation import Evaluation
from ...library.load import Library
from ...problem import Problem, brief
from ..theme import HANDLE_PX
from .machine_picker import MachinePicker
from .model_picker import ModelPicker
from .workload_form import WorkloadForm

HEIGHTS_PX = (200, 238, 304)
STRETCHES = (3, 3, 2)
MOST_LETTERS = 60


class Asked(QSplitter):
    """machine_asked: "add" for a new machine, "keep" for the parts in use as one's own.
    sources_asked: where the figures of the "machine" or the "model" come from.

    The machine's part grows while a composition has more to show, and goes back after it.
    """

    edited = Signal(dict)
    machine_asked = Signal(str)
    sources_asked = Signal(str)

    def __init__(self, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.machines = MachinePicker(library)
        self.models = ModelPicker(library)
        self.form = WorkloadForm(library)
        self.models.field_left(self.form.label_px)
        self.machines.label_px = self.form.label_px
        self._before: list[int] | None = None
        parts: tuple[Any, ...] = (self.machines, self.models, self.form)
        for index, part in enumerate(parts):
            self.addWidget(part)
            self.setStretchFactor(index, STRETCHES[index])
            self.setCollapsible(index, False)
            part.edited.connect(self.edited)
        self.setHandleWidth(HANDLE_PX)
        self.setSizes(HEIGHTS_PX)
        self.machines.add.connect(lambda: self.machine_asked.emit("add"))
        self.machines.keep.connect(lambda: self.machine_asked.emit("keep"))
        self.machines.sources.connect(lambda: self.sources_asked.emit("machine"))
        self.models.sources.connect(lambda: self.sources_asked.emit("model"))
        self.machines.resized.connect(self._make_room)

    @property
    def title(self) -> str:
        """The machine and the model in use; many parts leave room for the model."""
        machine = brief(self.machines.chosen_name, MOST_LETTERS)
        return f"{machine}  \u00b7  {self.models.chosen_name}"

    def offer(self, library: Library) -> None:
        self.machines.offer(library)
        self.models.offer(library)
        self.form.offer(library)

    def present(self, evaluation: Evaluation) -> None:
        self.machines.present(evaluation)
        self.models.present(evaluation)
        self.form.present(evaluation)

    def refuse(self, problem: Problem, changes: Iterable[str]) -> bool:
        """Show a value that no scenario can hold in its place; False if no field is to blame."""
        return self.machines.refuse(problem) or self.form.refuse(problem, changes)

    def focus_search(self) -> None:
        """Go to the search for machines, or from there to the one for models."""
        (self.models if self.machines.searching() else self.machines).focus_search()

    def open_filters(self) -> None:
        """Open the filters of the picker in use, the machines' unless the models' is."""
        inside = self.models.isAncestorOf(QApplication.focusWidget() or self)
        (self.models if inside else self.machines).open_filters()

    def saveState(self) -> QByteArray:
        """The heights without what a composition takes."""
        if self._before is not None:
            self.setSizes(self._before)
        return super().saveState()

    def _make_room(self, wanted: int) -> None:
        """Give the machine's part so many pixels, half from each other one; 0 gives them back."""
        if not wanted:
            if self._before is not None:
                self.setSizes(self._before)
            self._before = None
            return
        sizes = self._before or self.sizes()
        self._before = sizes
        more = max(wanted - sizes[0], 0)
        self.setSizes([sizes[0] + more, sizes[1] - more // 2, sizes[2] - more + more // 2])
