"""Fields of a form: a number that may be typed as "100k", a line of words, a choice.

Each shows a value of the scenario, or its default in muted text when the value is None, and emits
`committed` with the new value only when the user made it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QLineEdit,
    QStyle,
    QStyleOptionFrame,
    QStylePainter,
    QWidget,
)

from .choice_list import HEADING, ChoiceList
from .list_field import ListField
from .theme import sized

Parse = Callable[[str], float]
Show = Callable[[float], str]


class NumberField(QLineEdit):
    """A typed number with its unit; empty means the default, which stands there in muted text.

    Text being typed is never rewritten. Enter or leaving the field commits; Escape takes the text
    back. `parse` raises ValueError with a sentence, which `refused` passes on; the text stays.
    """

    committed = Signal(object)
    refused = Signal(str)

    def __init__(
        self,
        parse: Parse,
        show: Show,
        unit: str = "",
        parent: QWidget | None = None,
        *,
        empty: str = "",
    ) -> None:
        """empty: words for the default where it is no number."""
        super().__init__(parent)
        self._empty = empty
        self.setPlaceholderText(empty)
        self._parse = parse
        self._show = show
        self._unit = unit
        self._value: float | None = None
        self.setFont(sized("text"))
        if unit:
            self.setTextMargins(0, 0, self.fontMetrics().horizontalAdvance(unit) + 2, 0)
        self.editingFinished.connect(self.commit)

    def present(self, value: float | None, default: float | None = None) -> bool:
        """Show `value`; touches the text, and says so, only when the value is a new one."""
        ghost = self._empty if default is None else self._show(default)
        if self.placeholderText() != ghost:
            self.setPlaceholderText(ghost)
        if value == self._value:
            return False
        self._value = value
        if self.isModified() and self.hasFocus():
            return False
        self._write(value)
        return True

    def keep_text(self, value: float | None) -> None:
        """The value is `value` still, whatever was typed; the text stays to be corrected."""
        self._value = value

    def take_back(self) -> None:
        """Drop what was typed and show the value again."""
        self._write(self._value)

    def _write(self, value: float | None) -> None:
        self.setText("" if value is None else self._show(value))
        self.setCursorPosition(0)

    def commit(self) -> None:
        """Report what was typed since the last commit, if anything was."""
        if not self.isModified():
            return
        text = self.text().strip()
        try:
            value = self._parse(text) if text else None
        except ValueError as error:
            self.refused.emit(str(error))
            return
        self._write(value)
        self._value = value
        self.committed.emit(value)

    def event(self, event: QEvent) -> bool:
        # Undo belongs to the window unless there is half-typed text to undo.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not self.isModified()
            and (
                event.matches(QKeySequence.StandardKey.Undo)
                or event.matches(QKeySequence.StandardKey.Redo)
            )
        ):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.take_back()
            self.refused.emit("")
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._unit:
            return
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(
            inside,
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            self._unit,
        )


class TextField(QLineEdit):
    """A line of words; committed on Enter or on leaving, empty as None."""

    committed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value: str | None = None
        self.editingFinished.connect(self.commit)

    def present(self, value: str | None, default: str | None = None) -> None:
        self.setPlaceholderText(default or "")
        if value != self._value:
            self._value = value
            self.setText(value or "")

    def commit(self) -> None:
        if self.isModified():
            self.setModified(False)
            self.committed.emit(self.text().strip() or None)


class ChoiceField(ListField):
    """One of some values, each with its words; the default's value is committed as None.

    Typing opens the list and finds a value by any part of its words.
    """

    committed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: tuple[tuple[Any, str], ...] = ()
        self._default: Any = None
        self._list: ChoiceList | None = None
        self.activated.connect(self._activated)

    def offer(self, choices: Sequence[tuple[Any, str]]) -> None:
        """The values with their words, in order; the value None stands for the default.

        `HEADING` in place of a value makes its words a heading.
        """
        if tuple(choices) == self._choices:
            return
        value, default = self.value(), self._default
        self._choices = tuple(choices)
        self.clear()
        for index, (offered, words) in enumerate(self._choices):
            self.addItem(words)
            if offered is HEADING:
                self.setItemData(index, sized("caption", bold=True), Qt.ItemDataRole.FontRole)
                self._items.item(index).setFlags(Qt.ItemFlag.NoItemFlags)
            else:
                self.setItemData(index, words, Qt.ItemDataRole.ToolTipRole)
        self.present(value, default)

    @property
    def _items(self) -> QStandardItemModel:
        model = self.model()
        assert isinstance(model, QStandardItemModel)  # Qt's own, unless it is given another
        return model

    def showPopup(self) -> None:
        if self._list is None:  # made when it is first asked for
            self._list = ChoiceList(self)
            self.setView(self._list)
        super().showPopup()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.KeyboardModifier
        if (
            event.text().strip().isprintable()
            and event.text().strip()
            and not (
                event.modifiers() & (keys.ControlModifier | keys.AltModifier | keys.MetaModifier)
            )
        ):
            self.showPopup()
            if self._list is not None:
                self._list.keyboardSearch(event.text())
            return
        super().keyPressEvent(event)

    @property
    def whole_px(self) -> int:
        """The width at which the words in use are whole."""
        self.ensurePolished()
        words = self.fontMetrics().horizontalAdvance(self.currentText())
        return self.width() - self._room(self._option()) + words

    def value(self) -> Any:
        index = self.currentIndex()
        return self._choices[index][0] if 0 <= index < len(self._choices) else None

    def present(self, value: Any, default: Any = None) -> None:
        """Show `value`, or the default's own entry when it is None and None is not offered."""
        self._default = default
        values = [known for known, _ in self._choices]
        wanted = value if value in values else default
        index = values.index(wanted) if wanted in values else -1
        if index != self.currentIndex():
            self.setCurrentIndex(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        # As the class itself does it, but for the sign that words were cut.
        painter, option = QStylePainter(self), self._option()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        words, room = option.currentText, self._room(option)
        if self.fontMetrics().horizontalAdvance(words) > room:
            cut = Qt.TextElideMode.ElideMiddle
            option.currentText = self.fontMetrics().elidedText(words, cut, room)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _activated(self, index: int) -> None:
        value = self._choices[index][0]
        self.committed.emit(None if value == self._default else value)
