"""Keep the parts in use as a machine of one's own; rename, duplicate and delete such ones."""

from collections.abc import Callable
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog, QLineEdit, QMessageBox

from ..language import tr
from ..library import user as own_files
from ..library.compositions import CompositionEntry, CompositionRecord
from ..library.load import Library
from ..problem import BadInput
from .assembly import Assembly
from .main_window import MainWindow
from .store import Store


class OwnCompositions(QObject):
    """Each change writes a file, loads the library again and chooses the composition.

    Parameters: folder of the user's files; reload, which reads the library again.
    """

    def __init__(
        self, store: Store, window: MainWindow, folder: Path, reload: Callable[[], Library]
    ) -> None:
        super().__init__(window)
        self._store = store
        self._window = window
        self._folder = folder
        self._reload = reload
        window.machine_asked.connect(self._asked)

    def _asked(self, what: str) -> None:
        entry = self._chosen()
        try:
            if what == "keep" or (what == "duplicate" and entry is not None):
                self._keep()
            elif what == "edit" and entry is not None and entry.yours:
                self._rename(entry)
            elif what == "delete" and entry is not None and entry.yours:
                self._delete(entry)
        except BadInput as bad:
            self._window.bar.say(str(bad.problem))

    def _keep(self) -> None:
        parts = Assembly(self._store.scenario.hardware, self._store.library)
        name = self._ask_name(tr("Keep this machine"), self._window.machines.chosen_name)
        if not name or not parts.is_composed:
            return
        record = CompositionRecord(
            name=name, hardware=msgspec.structs.replace(parts.written, name="")
        )
        library = self._store.library
        _, made = own_files.add_composition(self._folder, record, library.hardware_ids)
        self._store.set_library(self._reload())
        self._store.edit({"hardware": made})

    def _rename(self, entry: CompositionEntry) -> None:
        name = self._ask_name(tr("Rename {name}").format(name=entry.name), entry.name)
        if name and name != entry.name:
            own_files.rename(entry, name)
            self._store.set_library(self._reload())

    def _delete(self, entry: CompositionEntry) -> None:
        button = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self._window,
            tr("Delete a machine"),
            tr("Delete \u201c{name}\u201d and its file?").format(name=entry.name),
            button.Discard | button.Cancel,
            button.Cancel,
        )
        if answer == button.Discard:
            own_files.delete(entry)
            # Its parts stay in use, written out.
            self._store.edit({"hardware": entry.hardware})
            self._store.set_library(self._reload())

    def _ask_name(self, title: str, name: str) -> str:
        """What was typed; "" when nothing was agreed to."""
        normal = QLineEdit.EchoMode.Normal
        typed, agreed = QInputDialog.getText(self._window, title, tr("Name"), normal, name)
        return typed.strip()[:120] if agreed else ""

    def _chosen(self) -> CompositionEntry | None:
        hardware = self._store.scenario.hardware
        known = self._store.library.compositions
        return known.get(hardware) if isinstance(hardware, str) else None
