"""What is asked at the left, what is answered at the right, and a handle between them."""

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from .folding import Scrolled
from .theme import HANDLE_PX, px

LEFT_SHARE, LEAST_LEFT_PX, MOST_LEFT_PX = 0.306, 336, 440


class Columns(QSplitter):
    """The left column takes its share of the width until somebody moves the handle.

    A column scrolls where the window is lower than what it has to show at the least.
    """

    def __init__(self, left: QWidget, right: QWidget, tabs: QWidget) -> None:
        """tabs: the part of the right column that fills it where it scrolls."""
        super().__init__(Qt.Orientation.Horizontal)
        self._is_moved = False
        self._left = Scrolled(left, sideways=False)
        self._right = Scrolled(right, sideways=False, filling=tabs)
        self.addWidget(self._left)
        self.addWidget(self._right)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(HANDLE_PX)
        self.splitterMoved.connect(self._moved)

    def restoreState(self, state: QByteArray) -> bool:  # type: ignore[override]
        """Take the widths that were remembered, and keep them."""
        self._is_moved = super().restoreState(state)
        return self._is_moved

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_moved:
            least = max(LEAST_LEFT_PX, self._left.minimumSizeHint().width())
            left = max(min(round(LEFT_SHARE * self.width()), px(MOST_LEFT_PX)), least)
            self.setSizes([left, self.width() - left])

    def bring(self, part: QWidget) -> None:
        """Scroll a part of the right column into sight."""
        self._right.ensureWidgetVisible(part, 0, 0)

    def _moved(self) -> None:
        self._is_moved = True
