"""Add, edit, duplicate and delete the user's own machines."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from PySide6.QtWidgets import QDialog

from ...language import tr
from ...library import user as own_files
from ...library.hardware import HardwareRecord, MachineEntry
from ...problem import BadInput
from ..consent import may_lose
from .user_files import UserFiles

if TYPE_CHECKING:
    from ...probe import Candidate
    from ...probe.bandwidth import Bandwidth
    from .machine_values import Values
    from .this_machine import ThisMachine


class OwnMachines(UserFiles):
    """Each change writes a file, loads the library again and chooses the machine."""

    editor: QDialog | None = None
    probe: "ThisMachine | None" = None

    def _listen(self) -> None:
        self._window.machine_asked.connect(self._asked)

    def _asked(self, what: str) -> None:
        if what == "keep" or (self._is_composition() and what not in ("probe", "add")):
            return  # the own compositions answer
        entry = self._chosen()
        if what == "probe":
            self._show_probe()
        elif what == "add":
            self._edit(tr("Add a machine"), None, self._add)
        elif entry is None:
            self._window.bar.say(tr("Choose a machine of the list first."))
        elif what == "duplicate":
            self._edit(tr("Duplicate a machine"), self._copy(entry), self._add)
        elif what == "edit" and entry.yours:
            self._edit(
                tr("Edit {name}").format(name=entry.name),
                entry.record,
                lambda record: self._save(entry, record),
                size=_size_of(entry),
            )
        elif what == "delete" and entry.yours:
            self._delete(entry)

    def _edit(
        self,
        title: str,
        record: HardwareRecord | None,
        save: Callable[[HardwareRecord], None],
        size: int = 0,
        start: "Values | None" = None,
    ) -> None:
        from .machine_editor import MachineEditor  # noqa: PLC0415 - no start needs it

        self.editor = MachineEditor(
            title, record, save, size=size, start=start, parent=self._window
        )
        self.editor.finished.connect(self.editor.deleteLater)
        self.editor.open()

    def _show_probe(self) -> None:
        from .this_machine import ThisMachine  # noqa: PLC0415 - no start needs it

        self.probe = ThisMachine(self._store.library, parent=self._window)
        self.probe.finished.connect(self._forget_probe)
        self.probe.chosen.connect(lambda machine: self._store.edit({"hardware": machine}))
        self.probe.own.connect(self._own)
        self.probe.open()

    def _forget_probe(self) -> None:
        if self.probe is not None:
            self.probe.deleteLater()
        self.probe = None

    def _own(self, one: "Candidate", measured: "Bandwidth | None") -> None:
        """Open the editor on what the probe knows; what was measured is saved with it."""
        from ...probe.own import with_bandwidth  # noqa: PLC0415
        from .this_machine import start_of  # noqa: PLC0415

        def save(record: HardwareRecord) -> None:
            self._add(with_bandwidth(record, measured) if measured else record)
            if measured:
                self._store.edit({"workload.rates": "measured"})

        record, start = start_of(one, self._store.library)
        self._edit(tr("Save this machine"), record, save, start=start)

    def _add(self, record: HardwareRecord) -> None:
        taken = self._store.library.hardware_ids
        _, machine_id = own_files.add_machine(self._folder, record, taken)
        self._read_again()
        self._store.edit({"hardware": machine_id})

    def _save(self, entry: MachineEntry, record: HardwareRecord) -> None:
        own_files.save(entry, record)
        self._read_again()

    def _delete(self, entry: MachineEntry) -> None:
        sizes = len(entry.record.configurations)
        words = tr("Delete \u201c{name}\u201d and its file?")
        if sizes > 1:
            words = tr("Delete \u201c{name}\u201d with all its {sizes} sizes and their file?")
        words = words.format(name=entry.record.name, sizes=sizes)
        if not may_lose(self._window, tr("Delete a machine"), words):
            return
        try:
            own_files.delete(entry)
        except BadInput as bad:
            self._window.bar.say(str(bad.problem))
            return
        self._read_again()

    def _copy(self, entry: MachineEntry) -> HardwareRecord:
        """The chosen memory size alone, under a name of its own."""
        own = entry.record.configurations[_size_of(entry)]
        return msgspec.structs.replace(
            entry.record,
            name=tr("{name}, copy").format(name=entry.name),
            memory=own.memory or entry.record.memory,
            configurations=(msgspec.structs.replace(own, memory=None),),
            replaced_by="",
        )

    def _is_composition(self) -> bool:
        hardware = self._store.scenario.hardware
        return isinstance(hardware, str) and hardware in self._store.library.compositions

    def _chosen(self) -> MachineEntry | None:
        hardware = self._store.scenario.hardware
        return self._store.library.machines.get(hardware) if isinstance(hardware, str) else None


def _size_of(entry: MachineEntry) -> int:
    ids = [size.id for size in entry.record.configurations]
    return ids.index(entry.id)
