"""What a window that is too small for its text does: parts go under each other, pages scroll."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QLayout,
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
LEAST_PX = 56
"""The least width of a field that is cut."""


def is_narrow(page: QWidget) -> bool:
    """Whether a page has no room for two parts beside each other."""
    return page.width() < px(NARROW_PX)


def give_way(field: ChoiceField, most_px: int, *, whole: bool = True) -> None:
    """A field of a row of tools: up to `most_px` wide, narrower where the window is.

    whole: never narrower than the words in use.
    """

    def fit() -> None:
        least = field.whole_px if whole else px(LEAST_PX)
        field.setMinimumWidth(least)
        field.setMaximumWidth(max(px(most_px), least))

    fit()
    field.currentTextChanged.connect(lambda _words: fit())
    field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


class Scrolled(QScrollArea):
    """A page that fills its place, and scrolls where it needs more than that at the least.

    Qt's own resizing gives a page with wrapped words the height that it would like instead.
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self._page = page
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)
        self.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)

    def _fit(self) -> None:
        room, least = self.maximumViewportSize(), self._page.minimumSizeHint()
        high = self._least_height(room.width()) > room.height()
        width = max(room.width() - (SCROLL_PX if high else 0), least.width())
        height = room.height() - (SCROLL_PX if width > room.width() else 0)
        self._page.resize(width, max(height, self._least_height(width)))

    def _least_height(self, width: int) -> int:
        layout = self._page.layout()
        if layout is not None and layout.hasHeightForWidth():
            return layout.totalMinimumHeightForWidth(width)
        return self._page.minimumSizeHint().height()

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
        self.setMinimumHeight(px(LOW_PX))

    def need(self, width_px: int) -> None:
        """Beside each other the parts need so much; in less they stand one under the other."""
        self._beside_px = max(px(NARROW_PX), width_px)
        self._fold()

    def _fold(self) -> None:
        folded = self.width() < self._beside_px
        if folded != (self.orientation() == Qt.Orientation.Vertical):
            self.setOrientation(Qt.Orientation.Vertical if folded else Qt.Orientation.Horizontal)
            self.setMinimumHeight(px((sum(self._heights) or FOLDED_PX) if folded else LOW_PX))
            if folded and any(self._heights):
                self.setSizes([px(height) for height in self._heights])
            self.folded.emit(folded)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fold()
        super().resizeEvent(event)


class FoldingRow(QWidget):
    """Two groups of controls in a row; the second under the first where they have no room."""

    def __init__(
        self, first: QLayout, second: QLayout, stretches: tuple[int, int] = (1, 0)
    ) -> None:
        super().__init__()
        self._parts = (first, second)
        self._row = row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        for part, stretch in zip(self._parts, stretches, strict=True):
            row.addLayout(part, stretch)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(max(part.minimumSize().width() for part in self._parts), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        needed = sum(part.minimumSize().width() for part in self._parts) + self._row.spacing()
        way = QBoxLayout.Direction
        self._row.setDirection(way.LeftToRight if self.width() >= needed else way.TopToBottom)
        super().resizeEvent(event)
