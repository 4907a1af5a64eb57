"""What a window that is too small for its text does: parts go under each other, pages scroll."""

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QScrollArea,
    QSplitter,
    QWidget,
)

from .theme import SCROLL_PX, px

NARROW_PX = 600
"""A narrower page has its parts one under the other."""
LOW_PX, FOLDED_PX = 200, 520
"""The least heights of two parts beside each other and under each other."""


def is_narrow(page: QWidget) -> bool:
    """Whether a page has no room for two parts beside each other."""
    return page.width() < px(NARROW_PX)


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
        self._page_px = page.minimumSizeHint().width()
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
        if not self._sideways and least.width() != self._page_px:
            self._page_px = least.width()
            self.updateGeometry()
        width = max(room.width() - beside, least.width())
        if self._filling is not None:
            before = self._filling.minimumHeight()
            high = self._least_height(width) - before + self._least_px > room.height()
            wanted = max(self._least_px, room.height()) if high else self._least_px
            if wanted != before:
                self._filling.setMinimumHeight(wanted)
        height = room.height() - (SCROLL_PX if width > room.width() else 0)
        self._page.resize(width, max(height, self._least_height(width)))

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        # Room for a scroll bar always: one that comes widens nothing.
        return least if self._sideways else QSize(self._page_px + SCROLL_PX, least.height())

    def _least_height(self, width: int) -> int:
        return least_height(self._page, width)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        # Its own size: a scroll bar may come or go without another size of what is inside.
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return handled

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
        *,
        low_px: int = LOW_PX,
    ) -> None:
        """sizes: how the room is divided at first. stretches: and what is added to it. heights: of
        the parts at the least where one is under the other.

        low_px: the least height beside each other; without one, also under each other, that of the
        parts.
        """
        super().__init__(Qt.Orientation.Horizontal)
        self._beside_px, self._heights, self._low_px = px(NARROW_PX), heights, low_px
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
        least = sum(self._widths()) + self.handleWidth()
        folded = self.width() < max(self._beside_px, least)
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
            high = px(sum(self._heights) or (FOLDED_PX if self._low_px else 0))
            return QSize(least.width(), max(least.height(), high))
        return QSize(max(self._widths()), max(least.height(), px(self._low_px)))

    def _widths(self) -> list[int]:
        parts = (self.widget(place) for place in range(self.count()))
        least = (part for part in parts if part is not None)
        return [max(part.minimumSizeHint().width(), part.minimumWidth()) for part in least]
