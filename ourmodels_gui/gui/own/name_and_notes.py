"""What a person may change of a model of their own: its name and the notes on it."""

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QPlainTextEdit, QWidget

from ...language import tr
from ...library.models import ModelRecord
from ...problem import BadInput
from ..form import LABEL_PX
from ..theme import UNIT, px, sized

NAME_LENGTH = 120
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class NameAndNotes(QWidget):
    """Two fields; a line of the notes is one note."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None, *, lines: int = 2) -> None:
        """lines: of the notes, in sight at once."""
        super().__init__(parent)
        self.name = QLineEdit(self)
        self.name.setMaxLength(NAME_LENGTH)
        self.name.setAccessibleName(tr("Name"))
        self.name.setToolTip(tr("What the model is called in the list."))
        self.notes = QPlainTextEdit(self)
        self.notes.setProperty("isField", True)
        self.notes.setAccessibleName(tr("Notes"))
        self.notes.setToolTip(tr("One note in a line; they stand beside the model's sources."))
        self.notes.setTabChangesFocus(True)
        self.notes.setFont(sized("text"))
        margins = 2 * round(self.notes.document().documentMargin()) + 2 * self.notes.frameWidth()
        self.notes.setFixedHeight(lines * self.notes.fontMetrics().lineSpacing() + margins)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(2 * UNIT)
        layout.setVerticalSpacing(UNIT)
        layout.setColumnMinimumWidth(0, px(LABEL_PX))
        layout.setColumnStretch(1, 1)
        for row, (words, field) in enumerate(((tr("Name"), self.name), (tr("Notes"), self.notes))):
            label = QLabel(words, self)
            label.setBuddy(field)
            layout.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop if row else _MIDDLE)
            layout.addWidget(field, row, 1)
        self._at_start = ("", "")
        self.name.textEdited.connect(lambda _text: self.edited.emit())
        self.notes.textChanged.connect(self.edited)

    def present(self, record: ModelRecord) -> None:
        """Start from what a record says."""
        self.name.setText(record.name)
        self.name.setCursorPosition(0)
        self.notes.setPlainText("\n".join(record.notes))
        self._at_start = self._typed()

    @property
    def is_edited(self) -> bool:
        return self._typed() != self._at_start

    def put_in(self, record: ModelRecord) -> ModelRecord:
        """The record with what is typed. Raises BadInput when there is no name."""
        name = " ".join(self.name.text().split())
        if not name:
            raise BadInput("name", tr("a name is needed; write one"))
        lines = (line.strip() for line in self.notes.toPlainText().splitlines())
        notes = tuple(line for line in lines if line)
        return msgspec.structs.replace(record, name=name, notes=notes)

    def _typed(self) -> tuple[str, str]:
        return self.name.text(), self.notes.toPlainText()
