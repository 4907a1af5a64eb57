"""The dialog for the name and the notes of a model of the user's own."""

from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from ...language import tr
from ...library.models import ModelRecord
from ...problem import BadInput
from ..captions import message, say
from ..consent import may_lose
from ..theme import GROUP_GAP, px
from .name_and_notes import NameAndNotes


class ModelEditor(QDialog):
    """Edits a copy; `save` writes it and may refuse. The dialog closes only after saving worked.

    Parameters: record to start from; save, which raises BadInput.
    """

    def __init__(
        self,
        record: ModelRecord,
        save: Callable[[ModelRecord], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Edit {name}").format(name=record.name))
        self._record, self._save = record, save
        self.fields = NameAndNotes(self, lines=6)
        self.fields.present(record)
        self.trouble = message(self, error=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP_GAP, GROUP_GAP, GROUP_GAP, GROUP_GAP)
        layout.addWidget(self.fields)
        layout.addWidget(self.trouble)
        layout.addStretch(1)
        layout.addWidget(self.buttons)
        self.resize(px(520), self.sizeHint().height())

    def accept(self) -> None:
        """Save what is typed and close, or say why not."""
        try:
            self._save(self.fields.put_in(self._record))
        except BadInput as bad:
            say(self.trouble, str(bad.problem))
            return
        super().accept()

    def reject(self) -> None:
        """Close; but not over changes that nobody agreed to lose."""
        words = tr("Close without saving the changes?")
        if not self.fields.is_edited or may_lose(self, tr("Unsaved changes"), words):
            super().reject()
