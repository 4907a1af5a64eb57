"""A row of controls that goes on in a second line, and what stands in one."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QWidget,
    QWidgetItem,
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


class ToolRow(QWidget):
    """Controls beside each other, on as many lines as their least widths need.

    The room that a line has to spare goes to the pieces that can grow; what is left of it stands
    before the `last` ones.
    """

    def __init__(
        self, pieces: Sequence[QWidget], last: Sequence[QWidget] = (), gap_px: int = UNIT
    ) -> None:
        """A piece is never torn apart. last: the pieces that stand at the right end."""
        super().__init__()
        self._gap_px = gap_px
        # Not in a QLayout of our own: its items would be Qt's, and Python could outlive them.
        self._items = [QWidgetItem(piece) for piece in (*pieces, *last)]
        self._ending = self._items[len(pieces) :]
        for piece in (*pieces, *last):
            piece.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        lines = self._broken(width)
        return sum(map(_height, lines)) + UNIT * max(len(lines) - 1, 0)

    def sizeHint(self) -> QSize:
        seen = [item.sizeHint() for item in self._items if not item.isEmpty()]
        wide = sum(size.width() for size in seen) + self._gap_px * max(len(seen) - 1, 0)
        return QSize(wide, max((size.height() for size in seen), default=0))

    def minimumSizeHint(self) -> QSize:
        seen = [item.minimumSize().width() for item in self._items if not item.isEmpty()]
        return QSize(max(seen, default=0), self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._place()
            # A splitter between it and the page asks for the least height alone.
            self.setMinimumHeight(self.heightForWidth(self.width()))
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return handled

    def _place(self) -> None:
        top = 0
        for line in self._broken(self.width()):
            widths = _shared(line, self.width() - self._gap_px * (len(line) - 1))
            spare = self.width() - sum(widths) - self._gap_px * (len(line) - 1)
            left, height = 0, _height(line)
            for item, wide in zip(line, widths, strict=True):
                if item in self._ending:
                    left, spare = left + spare, 0
                item.setGeometry(QRect(left, top, wide, height))
                left += wide + self._gap_px
            top += height + UNIT

    def _broken(self, width: int) -> list[list[QWidgetItem]]:
        lines: list[list[QWidgetItem]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            wide = item.minimumSize().width()
            if not lines or left + wide > width:
                lines.append([])
                left = 0
            lines[-1].append(item)
            left += wide + self._gap_px
        return lines


def _height(line: Sequence[QWidgetItem]) -> int:
    return max(item.sizeHint().height() for item in line)


def _shared(line: Sequence[QWidgetItem], room: int) -> list[int]:
    """The widths of the pieces of a line: the least ones, and the rest for those that can grow."""
    widths = [min(item.minimumSize().width(), room) for item in line]
    across = Qt.Orientation.Horizontal
    growing = [at for at, item in enumerate(line) if item.expandingDirections() & across]
    while growing and (each := (room - sum(widths)) // len(growing)) > 0:
        for at in growing:
            widths[at] = min(widths[at] + each, _most_px(line[at]))
        growing = [at for at in growing if widths[at] < _most_px(line[at])]
    return widths


def _most_px(item: QWidgetItem) -> int:
    piece, most = item.widget(), item.maximumSize().width()
    inside = None if piece is None else piece.layout()
    return most if inside is None else min(most, inside.maximumSize().width())


def in_columns(grid: QGridLayout, tiles: Sequence[QWidget], count: int) -> None:
    """Place tiles of one width in so many columns."""
    for place, tile in enumerate(tiles):
        grid.addWidget(tile, place // count, place % count)
    for column in range(len(tiles)):
        grid.setColumnStretch(column, column < count)


def labelled(words: str | QLabel, field: QWidget, gap_px: int = UNIT) -> QWidget:
    """A field with its label before it, as one piece of a row of tools."""
    label = QLabel(words) if isinstance(words, str) else words
    label.setBuddy(field)
    label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    piece = QWidget()
    row = QHBoxLayout(piece)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(gap_px)
    row.addWidget(label)
    row.addWidget(field, 1)
    return piece
