"""Choose a machine: name, memory and bandwidth in each row."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from ..evaluation import Evaluation
from ..library.load import Library
from ..scenario import ComposedHardware, HardwareRef, InlineHardware
from . import typed
from .machine_rows import FACETS, machine_row
from .picker import Picker
from .search import natural


class MachinePicker(Picker):
    """Emits ``{"hardware": id}``; `add` asks for a machine of the user's own."""

    edited = Signal(dict)
    add = Signal()

    def __init__(self, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(
            self.tr("Machine"),
            ("99.6 GiB", "9,999"),
            self.tr("4090, 24GB, laptop"),
            parent,
            facets=FACETS,
        )
        self.NOTHING = self.tr("The catalog holds no machines. Add your own with +.")
        plus = QToolButton(self, autoRaise=True)
        plus.setText("+")
        plus.setAccessibleName(self.tr("Add a machine of your own"))
        plus.setToolTip(self.tr("Add a machine of your own"))
        plus.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        plus.clicked.connect(self.add)
        self.head.addWidget(plus)
        self.picked.connect(lambda machine_id: self.edited.emit({"hardware": machine_id}))
        self.offer(library)

    def offer(self, library: Library) -> None:
        """Show the machines of a library, the user's own first."""
        self._machines = library.machines
        entries = sorted(
            library.machines.values(), key=lambda one: (not one.yours, natural(one.name))
        )
        self._rows = {entry.id: machine_row(entry) for entry in entries}
        self.offer_rows(list(self._rows.values()))

    def present(self, evaluation: Evaluation) -> None:
        """Name and mark the machine of a scenario."""
        hardware = evaluation.scenario.hardware
        if isinstance(hardware, InlineHardware):
            memory = typed.show(hardware.memory_gb)
            rate = typed.show(hardware.bandwidth_gb_per_s)
            words = f"{hardware.name} \u00b7 {memory} GB \u00b7 {rate} GB/s"
            self.show_chosen("", hardware.name, words, note=self._travels())
            return
        if isinstance(hardware, ComposedHardware):
            self.show_chosen("", hardware.title, note=self._travels())
            return
        machine_id = hardware.id if isinstance(hardware, HardwareRef) else hardware
        entry = self._machines.get(machine_id)
        if entry is not None:
            row = self._rows[machine_id]
            note = self.tr("Announced, not yet sold; its figures may change.") if row.badge else ""
            self.show_chosen(machine_id, row.name, row.words(), note=note, basis=row.basis)
        elif isinstance(hardware, HardwareRef):
            name = hardware.record.get("name", machine_id)
            self.show_chosen("", str(name), note=self._travels())
        else:
            self.show_chosen(
                "",
                machine_id,
                note=self.tr("The catalog has no machine with this id. Choose another."),
                missing=True,
            )

    def _travels(self) -> str:
        return self.tr("It is part of this scenario, not of the catalog.")
