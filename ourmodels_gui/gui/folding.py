"""What a window that is too small for its text does: parts go under each other, pages scroll."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QWidget,
)

from .fields import ChoiceField
from .theme import SCROLL_PX, UNIT, px

NARROW_PX = 600
"""A narrower page has its parts one under the other."""
LOW_PX, FOLDED_PX = 200, 520
"""The least heights of two parts beside each other and under each other."""
LONGEST_PX = 220
"""Words that need more are cut in a field of a row of tools."""


def is_narrow(page: QWidget) -> bool:
    """Whether a page has no room for two parts beside each other."""
    return page.width() < px(NARROW_PX)


def give_way(field: ChoiceField, most_px: int) -> None:
    """A field of a row of tools: up to `most_px` wide, never narrower than the words in use."""

    def fit() -> None:
        least = min(field.whole_px, px(LONGEST_PX))
        field.setMinimumWidth(least)
        field.setMaximumWidth(max(px(most_px), least))

    fit()
    field.currentTextChanged.connect(lambda _words: fit())
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


def least_height(page: QWidget, width: int) -> int:
    """The height that a page needs at a width; words wrap there."""
    layout = page.layout()
    if layout is not None and layout.hasHeightForWidth():
        return layout.totalMinimumHeightForWidth(width)
    return page.minimumSizeHint().height()


class Scrolled(QScrollArea):
    """A page that fills its place, and scrolls where it needs more than that at the least.

    Qt's own resizing gives a page with wrapped words the height that it would like instead.
    """

    def __init__(
        self, page: QWidget, *, sideways: bool = True, filling: QWidget | None = None
    ) -> None:
        """sideways: it may be narrower than its page; otherwise only lower.

        filling: a part that gets as high as the place where the page has to scroll.
        """
        super().__init__()
        self._page, self._sideways, self._filling = page, sideways, filling
        self._least_px = 0 if filling is None else filling.minimumHeight()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)
        self.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        if not sideways:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _fit(self) -> None:
        room, least = self.maximumViewportSize(), self._page.minimumSizeHint()
        beside = SCROLL_PX if self._least_height(room.width()) > room.height() else 0
        if not self._sideways:
            self.setMinimumWidth(least.width() + beside)
        width = max(room.width() - beside, least.width())
        if self._filling is not None:
            before = self._filling.minimumHeight()
            high = self._least_height(width) - before + self._least_px > room.height()
            wanted = max(self._least_px, room.height()) if high else self._least_px
            if wanted != before:
                self._filling.setMinimumHeight(wanted)
        height = room.height() - (SCROLL_PX if width > room.width() else 0)
        self._page.resize(width, max(height, self._least_height(width)))

    def _least_height(self, width: int) -> int:
        return least_height(self._page, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)


class FoldingSplit(QSplitter):
    """Two parts beside each other with a handle between; in a narrow page one under the other.

    folded: whether they stand so.
    """

    folded = Signal(bool)

    def __init__(
        self,
        first: QWidget,
        second: QWidget,
        sizes: tuple[int, int],
        stretches: tuple[int, int] = (0, 0),
        heights: tuple[int, int] = (0, 0),
    ) -> None:
        """sizes: how the room is divided at first. stretches: and what is added to it. heights: of
        the parts at the least where one is under the other."""
        super().__init__(Qt.Orientation.Horizontal)
        self._beside_px, self._heights = px(NARROW_PX), heights
        for place, part in enumerate((first, second)):
            self.addWidget(part)
            self.setStretchFactor(place, stretches[place])
        self.setChildrenCollapsible(False)
        self.setSizes(sizes)

    def need(self, width_px: int) -> None:
        """Beside each other the parts need so much; in less they stand one under the other."""
        self._beside_px = max(px(NARROW_PX), width_px)
        self._fold()

    def _fold(self) -> None:
        folded = self.width() < self._beside_px
        if folded != (self.orientation() == Qt.Orientation.Vertical):
            self.setOrientation(Qt.Orientation.Vertical if folded else Qt.Orientation.Horizontal)
            if folded and any(self._heights):
                self.setSizes([px(height) for height in self._heights])
            self.updateGeometry()
            self.folded.emit(folded)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fold()
        super().resizeEvent(event)
        self._keep_heights()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._keep_heights()
        return handled

    def _keep_heights(self) -> None:
        """A splitter itself never asks how high a part is at its width."""
        for place in range(self.count()):
            if (part := self.widget(place)) is not None:
                part.setMinimumHeight(least_height(part, part.width()))

    def minimumSizeHint(self) -> QSize:
        """It may be narrower than the parts beside each other."""
        least = super().minimumSizeHint()
        if self.orientation() == Qt.Orientation.Vertical:
            high = px(sum(self._heights) or FOLDED_PX)
            return QSize(least.width(), max(least.height(), high))
        parts = (self.widget(place) for place in range(self.count()))
        widest = max(part.minimumSizeHint().width() for part in parts if part is not None)
        return QSize(widest, max(least.height(), px(LOW_PX)))


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
