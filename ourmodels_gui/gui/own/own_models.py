"""Edit, duplicate, export and delete the user's own models."""

import msgspec
from PySide6.QtWidgets import QDialog

from ... import files, paths
from ...language import tr
from ...library import user as own_files
from ...library.load import ModelEntry
from ...library.models import ModelRecord
from ...problem import BadInput
from ...scenario import ModelRef
from ..consent import may_lose
from ..saving import ask_where
from .user_files import UserFiles


class OwnModels(UserFiles):
    """Each change writes a file, loads the library again and keeps the model chosen."""

    editor: QDialog | None = None

    def _listen(self) -> None:
        self._window.model_asked.connect(self._asked)

    def _asked(self, what: str) -> None:
        if what in ("import", "paste"):
            return  # of files, whatever is chosen: `Imports`
        entry = self._chosen()
        if entry is None:
            self._window.bar.say(tr("Choose a model of the list first."))
            return
        try:
            if what == "duplicate":
                self._duplicate(entry)
            elif what == "export":
                self._export(entry)
            elif what == "edit" and entry.yours:
                self._edit(entry)
            elif what == "delete" and entry.yours:
                self._delete(entry)
        except BadInput as bad:
            self._window.bar.say(str(bad.problem))

    def _duplicate(self, entry: ModelEntry) -> None:
        name = self._ask_name(tr("Duplicate a model"), tr("{name}, copy").format(name=entry.name))
        if not name:
            return
        record = msgspec.structs.replace(entry.record, name=name, replaced_by="")
        taken = frozenset(self._store.library.models)
        _, model_id = own_files.add_model(self._folder, record, taken)
        self._read_again()
        self._store.edit({"model.id": model_id})

    def _edit(self, entry: ModelEntry) -> None:
        from .model_editor import ModelEditor  # noqa: PLC0415 - no start needs it

        def save(record: ModelRecord) -> None:
            if record != entry.record:
                own_files.save(entry, record)
                self._read_again()

        self.editor = ModelEditor(entry.record, save, self._window)
        self.editor.finished.connect(self.editor.deleteLater)
        self.editor.open()

    def _export(self, entry: ModelEntry) -> None:
        suggestion = paths.home() / f"{entry.id}.json"
        path = ask_where(self._window, tr("Export a model"), suggestion, {".json": tr("Model")})
        if path is None:
            return
        try:
            files.write_whole(path, own_files.encode(entry.record))
        except OSError as error:
            reason = error.strerror or str(error)
            words = tr("{path} cannot be written: {reason}. Nothing was exported.")
            self._window.bar.say(words.format(path=path, reason=reason))

    def _delete(self, entry: ModelEntry) -> None:
        words = tr("Delete \u201c{name}\u201d and its file?").format(name=entry.name)
        if may_lose(self._window, tr("Delete a model"), words):
            own_files.delete(entry)
            self._read_again()

    def _chosen(self) -> ModelEntry | None:
        model = self._store.scenario.model
        if not isinstance(model, ModelRef) or model.record is not None:
            return None
        return self._store.library.models.get(model.id)
