"""Models from their own files: asked for in the menu, dropped on the window, or pasted."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from ...language import tr
from ...library import user as own_files
from ...library.models import ModelRecord
from ...problem import BadInput
from ..background import Worker
from ..own.user_files import UserFiles
from .model_paths import pasted_model

if TYPE_CHECKING:
    from .import_dialog import ImportDialog


class Imports(UserFiles):
    """One dialog at a time; a saved model is a file, and the window's choice."""

    dialog: "ImportDialog | None" = None

    def _listen(self) -> None:
        # Not the dialog's own: closing it must not wait for a file that is slow to read.
        self._worker = Worker(self)
        self._window.model_asked.connect(self._asked)
        self._window.model_given.connect(self.open)

    def open(self, path: Path | None = None) -> None:
        """Show the dialog, on the model at a path where one is given."""
        if self.dialog is None:
            self.dialog = self._new_dialog()
            self.dialog.open()
        if path is not None:
            self.dialog.read(path)

    def _new_dialog(self) -> "ImportDialog":
        from .import_dialog import ImportDialog  # noqa: PLC0415 - no start needs it
        from .import_reading import Beside  # noqa: PLC0415

        dialog = ImportDialog(
            self._worker,
            Beside(self._store.library, self._store.scenario),
            self._window.machines.chosen_name,
            self._save,
            self._window,
        )
        dialog.finished.connect(self._closed)
        return dialog

    def _closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = None

    def _asked(self, what: str) -> None:
        if what == "import":
            self.open()
        elif what == "paste":
            self._paste()

    def _paste(self) -> None:
        try:
            path = pasted_model(QGuiApplication.clipboard().mimeData())
        except BadInput as bad:
            self._window.bar.say(str(bad.problem))
            return
        if path is None:
            self._window.bar.say(tr("What was copied is no path of a model's file or folder."))
            return
        self.open(path)

    def _save(self, record: ModelRecord) -> None:
        taken = frozenset(self._store.library.models)
        _, model_id = own_files.add_model(self._folder, record, taken)
        self._read_again()
        self._store.edit({"model": {"id": model_id}})
