"""The pages of a report as pictures, one below the other."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QLabel, QScrollArea, QVBoxLayout, QWidget

from ...language import tr
from ..captions import instead, say
from ..theme import CARD_PADDING
from .maker import Page

PAGE_PX = 520
LEAST_PX = 240
"""Of a page that is seen in part, on a screen that has no room for it."""


class Preview(QScrollArea):
    """Keeps the old pages until the new ones are there, and the place that is looked at."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setAccessibleName(tr("Preview"))
        self.setMinimumWidth(LEAST_PX)
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setSpacing(CARD_PADDING)
        self._column.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.pages: list[QLabel] = []
        self._words = instead()
        self._words.setMinimumWidth(PAGE_PX)
        self._column.addWidget(self._words)
        self.setWidget(inside)

    @property
    def words(self) -> str:
        """What stands in the place of the pages."""
        return self._words.text()

    def say(self, words: str) -> None:
        """Words in the place of the pages, while there are none."""
        say(self._words, "" if self.pages else words)

    def clear(self) -> None:
        """Drop every page."""
        self._keep(0)

    def sizeHint(self) -> QSize:
        return QSize(PAGE_PX + 4 * CARD_PADDING, super().sizeHint().height())

    def width_px(self) -> int:
        """How wide a page has to be in pixels of the screen."""
        return round(PAGE_PX * self.devicePixelRatioF())

    def _keep(self, count: int) -> None:
        while len(self.pages) > count:
            label = self.pages.pop()
            self._column.removeWidget(label)
            label.deleteLater()

    def show_page(self, page: Page) -> None:
        """Put a page in its place; pages beyond the last one go."""
        while len(self.pages) < page.pages:
            label = QLabel()
            self._column.addWidget(label)
            self.pages.append(label)
        self._keep(page.pages)
        shown = QPixmap.fromImage(page.picture)
        shown.setDevicePixelRatio(shown.width() / PAGE_PX)
        label = self.pages[page.place]
        label.setPixmap(shown)
        words = tr("Page {number} of {count}")
        label.setAccessibleName(words.format(number=page.place + 1, count=page.pages))
