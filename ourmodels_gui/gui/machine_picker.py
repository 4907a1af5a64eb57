"""Choose a machine: name, memory and bandwidth in each row."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from .. import units
from ..evaluation import Evaluation
from ..library.load import Library, MachineEntry
from ..scenario import HardwareRef, InlineHardware
from . import typed
from .picker import Picker
from .rows import Row


def machine_row(entry: MachineEntry) -> Row:
    """One row; found by name, maker, kind, form, chip, and by memory as it is sold ("24gb")."""
    local = typed.separators()
    memory = f"{units.plain(entry.memory.value, local)} {entry.memory.unit}"
    bandwidth = units.bandwidth(entry.machine.bandwidth_bytes_per_s, local)
    record = entry.record
    size = f"{entry.memory.value:g}"
    words = (
        entry.name,
        entry.vendor,
        entry.kind,
        *record.forms,
        record.chip,
        record.architecture,
        record.memory.type,
        f"{size} gb {size}gb {size} gib {size}gib",
    )
    both = units.capacity(entry.machine.capacity_bytes, local)
    return Row(
        id=entry.id,
        name=entry.name,
        figures=(memory, bandwidth.removesuffix(" GB/s")),
        summary=f"{memory} \u00b7 {bandwidth}",
        search=" ".join(words).casefold(),
        tip=f"{entry.vendor} {entry.name}\n{both}; {bandwidth}",
        yours=entry.yours,
    )


class MachinePicker(Picker):
    """Emits ``{"hardware": id}``; `add` asks for a machine of the user's own."""

    edited = Signal(dict)
    add = Signal()

    def __init__(self, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(
            self.tr("Machine"), ("99.6 GiB", "9,999"), self.tr("name, 24gb, laptop"), parent
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
            library.machines.values(), key=lambda one: (not one.yours, one.name.casefold())
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
        machine_id = hardware.id if isinstance(hardware, HardwareRef) else hardware
        entry = self._machines.get(machine_id)
        if entry is not None:
            row = self._rows[machine_id]
            self.show_chosen(machine_id, row.name, row.words())
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
