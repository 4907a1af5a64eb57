"""A row of controls that goes on in a second line, and what stands in one."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QSizePolicy,
    QWidget,
)

from .fields import ChoiceField
from .theme import UNIT, px

LONGEST_PX = 220
"""Words that need more are cut in a field of a row of tools."""


def give_way(field: ChoiceField, most_px: int) -> None:
    """A field of a row of tools: up to `most_px` wide, never narrower than the words in use."""

    def fit() -> None:
        least = min(field.whole_px, px(LONGEST_PX))
        field.setMinimumWidth(least)
        field.setMaximumWidth(max(px(most_px), least))

    fit()
    field.currentTextChanged.connect(lambda _words: fit())
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


class _Lines(QLayout):
    """Pieces beside each other, on as many lines as their least widths need.

    The room that a line has to spare goes to the pieces that can grow; what is left of it stands
    before the `last` ones.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.last = 0
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        lines = self._broken(width)
        return sum(map(_height, lines)) + UNIT * max(len(lines) - 1, 0)

    def sizeHint(self) -> QSize:
        seen = [item.sizeHint() for item in self._items if not item.isEmpty()]
        wide = sum(size.width() for size in seen) + self.spacing() * max(len(seen) - 1, 0)
        return QSize(wide, max((size.height() for size in seen), default=0))

    def minimumSize(self) -> QSize:
        seen = [item.minimumSize().width() for item in self._items if not item.isEmpty()]
        return QSize(max(seen, default=0), self.sizeHint().height())

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        ending = self._items[len(self._items) - self.last :]
        top = rect.y()
        for line in self._broken(rect.width()):
            widths = _shared(line, rect.width() - self.spacing() * (len(line) - 1))
            spare = rect.width() - sum(widths) - self.spacing() * (len(line) - 1)
            left, height = rect.x(), _height(line)
            for item, wide in zip(line, widths, strict=True):
                if item in ending:
                    left, spare = left + spare, 0
                item.setGeometry(QRect(left, top, wide, height))
                left += wide + self.spacing()
            top += height + UNIT

    def _broken(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            wide = item.minimumSize().width()
            if not lines or left + wide > width:
                lines.append([])
                left = 0
            lines[-1].append(item)
            left += wide + self.spacing()
        return lines


def _height(line: Sequence[QLayoutItem]) -> int:
    return max(item.sizeHint().height() for item in line)


def _shared(line: Sequence[QLayoutItem], room: int) -> list[int]:
    """The widths of the pieces of a line: the least ones, and the rest for those that can grow."""
    widths = [min(item.minimumSize().width(), room) for item in line]
    across = Qt.Orientation.Horizontal
    growing = [at for at, item in enumerate(line) if item.expandingDirections() & across]
    while growing and (each := (room - sum(widths)) // len(growing)) > 0:
        for at in growing:
            widths[at] = min(widths[at] + each, line[at].maximumSize().width())
        growing = [at for at in growing if widths[at] < line[at].maximumSize().width()]
    return widths


class ToolRow(QWidget):
    """A row of controls that goes on in a second line where it has no room for all of them."""

    def __init__(
        self,
        pieces: Sequence[QWidget | QLayout],
        last: Sequence[QWidget | QLayout] = (),
        gap_px: int = UNIT,
    ) -> None:
        """A piece is never torn apart. last: the pieces that stand at the right end."""
        super().__init__()
        self._lines = _Lines(self)
        self._lines.setSpacing(gap_px)
        self._lines.last = len(last)
        for piece in (*pieces, *last):
            if isinstance(piece, QLayout):
                self._lines.addChildLayout(piece)
                self._lines.addItem(piece)
            else:
                self._lines.addWidget(piece)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            # A splitter between it and the page asks for the least height alone.
            self.setMinimumHeight(self._lines.heightForWidth(self.width()))
        return handled


def in_columns(grid: QGridLayout, tiles: Sequence[QWidget], count: int) -> None:
    """Place tiles of one width in so many columns."""
    for place, tile in enumerate(tiles):
        grid.addWidget(tile, place // count, place % count)
    for column in range(len(tiles)):
        grid.setColumnStretch(column, column < count)


def show_labelled(field: QWidget, shown: bool) -> None:
    """Show or hide a field with its label."""
    field.setVisible(shown)
    above = field.parentWidget()
    for label in above.findChildren(QLabel) if above is not None else ():
        if label.buddy() is field:
            label.setVisible(shown)


def labelled(words: str | QLabel, field: QWidget, gap_px: int = UNIT) -> QHBoxLayout:
    """A field with its label before it, as one piece of a row of tools."""
    label = QLabel(words) if isinstance(words, str) else words
    label.setBuddy(field)
    label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    piece = QHBoxLayout()
    piece.setSpacing(gap_px)
    piece.addWidget(label)
    piece.addWidget(field, 1)
    return piece
