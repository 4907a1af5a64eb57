"""One of very many names, found by typing a part of it."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QWidget

from .list_field import ListField


class NameField(ListField):
    """Commits the id of the name that was chosen, None when the field was emptied."""

    committed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        completer, self._line = self.completer(), self.lineEdit()
        assert completer is not None and self._line is not None  # it is editable
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._names: tuple[tuple[str, str], ...] = ()
        self._value: str | None = None
        self.activated.connect(lambda _index: self.commit())
        self._line.editingFinished.connect(self.commit)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        if self._line is not None:  # a screen reader finds it as a part of its own
            self._line.setAccessibleName(name)

    def offer(self, names: Sequence[tuple[str, str]]) -> None:
        """Ids with their names, in order."""
        if tuple(names) == self._names:
            return
        value = self._value
        self._names = tuple(names)
        self.blockSignals(True)
        self.clear()
        for id_, name in self._names:
            self.addItem(name, id_)
        self.setCurrentIndex(-1)
        self.blockSignals(False)
        self._value = None
        self.present(value)

    def present(self, value: Any, default: Any = None) -> bool:
        """Show the name of an id, or nothing; True when that changed."""
        shown = value or default
        if shown == self._value and self.currentIndex() == self.findData(shown):
            return False
        self._value = shown
        self.setCurrentIndex(self.findData(shown) if shown else -1)
        if self.currentIndex() < 0:
            self.setEditText(shown or "")
        if self._line is not None:
            self._line.setCursorPosition(0)
        return True

    def commit(self) -> None:
        """Report what was chosen; a text that is no name is taken back."""
        text = self.currentText().strip()
        chosen = self._named(text)
        if text and chosen is None:
            kept, self._value = self._value, "\0"
            self.present(kept)
        elif chosen != self._value:
            self._value = chosen
            self.committed.emit(chosen)

    def _named(self, text: str) -> str | None:
        """The id of a name."""
        index = self.findText(text, Qt.MatchFlag.MatchFixedString)
        return self.itemData(index) if text and index >= 0 else None
