"""The list of a choice: headings between its values, found by typing any part of their words."""

from collections.abc import Sequence
from time import monotonic

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from .theme import UNIT

Index = QModelIndex | QPersistentModelIndex

HEADING = object()
"""In place of a value: its words are a heading, which cannot be chosen."""

PARTED = "  "
PAUSE_S = 1.0
"""Between two keys, from which on typing starts anew."""


class _ChoiceDelegate(QStyledItemDelegate):
    """Two blanks in a value's words part what stands at the left from its figure at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width() + 6 * UNIT, size.height() + 2 * UNIT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        words, _, figure = str(index.data()).partition(PARTED)
        self.initStyleOption(option, index)
        style, widget = option.widget.style(), option.widget
        text, option.text = option.text, ""
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        room = option.rect.adjusted(2 * UNIT, 0, -2 * UNIT, 0)
        enabled = bool(index.flags() & Qt.ItemFlag.ItemIsEnabled)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text
        muted = QPalette.ColorRole.PlaceholderText
        painter.save()
        painter.setFont(option.font)
        for said, side, colour in (
            (words if figure else text, Qt.AlignmentFlag.AlignLeft, role if enabled else muted),
            (figure, Qt.AlignmentFlag.AlignRight, role if chosen else muted),
        ):
            painter.setPen(option.palette.color(colour))
            painter.drawText(room, side | Qt.AlignmentFlag.AlignVCenter, said)
        painter.restore()


class ChoiceList(QListView):
    """Typing goes to the first value in which a word begins so, or else has it anywhere in it.

    Gaps and marks make no difference: "q4km" finds "GGUF Q4_K_M". What is found by nothing typed
    so far starts anew, so that one letter pressed again goes on to the next value.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setUniformItemSizes(True)
        self.setItemDelegate(_ChoiceDelegate(self))
        self._typed, self._last = "", 0.0

    def keyboardSearch(self, search: str) -> None:
        now = monotonic()
        anew = now - self._last > PAUSE_S
        self._last = now
        self._typed = squeezed(search) if anew else self._typed + squeezed(search)
        place = self.currentIndex().row()
        found = place_of(self._typed, self._words(), place)
        if found is None:
            self._typed = squeezed(search)
            found = place_of(self._typed, self._words(), place + 1)
        if found is not None:
            self.setCurrentIndex(self._at(found))

    def _at(self, row: int) -> QModelIndex:
        return self.model().index(row, 0)

    def _words(self) -> list[str]:
        """What each value says, "" where it cannot be chosen."""
        rows = map(self._at, range(self.model().rowCount()))
        return [
            str(index.data()) if index.flags() & Qt.ItemFlag.ItemIsEnabled else "" for index in rows
        ]


def squeezed(text: str) -> str:
    """Letters and digits alone, in small letters.

    >>> squeezed("GGUF Q4_K_M")
    'ggufq4km'
    """
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def place_of(typed: str, words: Sequence[str], start: int) -> int | None:
    """Where typed letters are found, from a place on and then round; the start of a word first.

    >>> words = ["BF16", "GGUF Q8_0", "GGUF Q4_K_M", "AWQ int4"]
    >>> place_of("q4", words, 0), place_of("f16", words, 2), place_of("x", words, 0)
    (2, 0, None)
    """
    if not typed or not words:
        return None
    places = [(max(start, 0) + step) % len(words) for step in range(len(words))]

    def begins(text: str) -> bool:
        parts = text.split()
        return any(squeezed("".join(parts[at:])).startswith(typed) for at in range(len(parts)))

    for holds in (begins, lambda text: typed in squeezed(text)):
        for place in places:
            if holds(words[place]):
                return place
    return None
