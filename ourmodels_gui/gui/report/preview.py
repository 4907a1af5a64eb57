"""The pages of a report as pictures, one below the other."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from ...language import tr
from ..theme import CARD_PADDING
from .maker import Page

PAGE_PX = 520


class Preview(QScrollArea):
    """Keeps the old pages until the new ones are there, and the place that is looked at."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setAccessibleName(tr("Preview"))
        self.setMinimumWidth(PAGE_PX + 4 * CARD_PADDING)
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setSpacing(CARD_PADDING)
        self._column.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.pages: list[QLabel] = []
        self.setWidget(inside)

    def width_px(self) -> int:
        """How wide a page has to be in pixels of the screen."""
        return round(PAGE_PX * self.devicePixelRatioF())

    def show_page(self, page: Page) -> None:
        """Put a page in its place; pages beyond the last one go."""
        while len(self.pages) < page.pages:
            label = QLabel()
            self._column.addWidget(label)
            self.pages.append(label)
        while len(self.pages) > page.pages:
            label = self.pages.pop()
            self._column.removeWidget(label)
            label.deleteLater()
        shown = QPixmap.fromImage(page.picture)
        shown.setDevicePixelRatio(shown.width() / PAGE_PX)
        label = self.pages[page.place]
        label.setPixmap(shown)
        words = tr("Page {number} of {count}")
        label.setAccessibleName(words.format(number=page.place + 1, count=page.pages))
