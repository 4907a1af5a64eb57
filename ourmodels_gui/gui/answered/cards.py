"""A card: one question with its verdict, its figure, and one line of why."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ...summary import Row
from ...units import THIN_SPACE
from ..elided import ElidedLabel, in_lines
from ..theme import CARD_PADDING, RADIUS, UNIT, colours, px, sized
from .figure import Figure

LEAST_PX, ROOMY_PX = 108, 180
SIGNS = {"serves": "✓", "below": "◐", "unfit": "✗", "muted": "–"}  # noqa: RUF001


class Offer(NamedTuple):
    """What would answer a question which has no answer: its words, and the edit by scenario keys.

    Without keys it leads to the ranking of machines.
    """

    words: str
    changes: Mapping[str, object] = MappingProxyType({})


class CardText(NamedTuple):
    """What a card says.

    tone: "serves", "below", "unfit" or "muted"; gives colour and sign. figure: "" where there is
    none; `why` then takes its place. badge: the kind of the figure or "", with its reason. working:
    the figure's row in the ledger, which a click opens.
    """

    tone: str
    verdict: str
    figure: str = ""
    unit: str = ""
    why: str = ""
    badge: str = ""
    reason: str = ""
    working: Row | None = None
    offer: Offer | None = None


class Card(QWidget):
    """Keeps its size whatever it says, so that nothing beside it moves."""

    edited = Signal(dict)
    ranking_asked = Signal()

    def __init__(self, question: str, asks: str, parent: QWidget | None = None) -> None:
        """question: its head, such as "Fits". asks: the whole question, on hover."""
        super().__init__(parent)
        self._question = question
        self._offer: Offer | None = None
        self.text: CardText | None = None
        self.tallest_px = 0
        # Fonts are set once, here: a style sheet takes back what is set on a widget in sight.
        self._head = QLabel(question)
        self._head.setFont(sized("text", bold=True))
        self._head.setToolTip(asks)
        self._badge = QLabel()
        self._badge.setFont(sized("caption"))
        self._badge.setCursor(Qt.CursorShape.WhatsThisCursor)
        self._figure = Figure()
        self._verdict = ElidedLabel()
        self._verdict.setFont(sized("text", bold=True))
        self._why = ElidedLabel(lines=2)
        self._why.setFont(sized("caption"))
        self._act = QPushButton()
        self._act.setFont(sized("caption"))
        self._act.setCursor(Qt.CursorShape.PointingHandCursor)
        self._act.setFixedHeight(self._why.sizeHint().height())
        self._act.setMinimumWidth(1)
        self._act.clicked.connect(self._accept)
        self._act.hide()
        for muted in (self._badge, self._why):
            muted.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._top = top = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        top.addWidget(self._head)
        top.addStretch()
        top.addWidget(self._badge)
        self._gap_px = top.spacing()
        self._layout = layout = QVBoxLayout(self)
        around = CARD_PADDING - UNIT
        layout.setContentsMargins(CARD_PADDING, around, CARD_PADDING, around)
        layout.setSpacing(UNIT // 2)
        layout.addLayout(top)
        layout.addWidget(self._figure)
        layout.addWidget(self._verdict)
        layout.addWidget(self._why)
        layout.addWidget(self._act, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addStretch()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(self.least_px)
        self._tint()

    def present(self, text: CardText) -> None:
        if text == self.text:
            return
        retint = self.text is None or text.tone != self.text.tone
        self.text = text
        self._offer = text.offer
        self._badge.setText(text.badge)
        self._badge.setToolTip(text.reason)
        self._figure.say(text.figure, text.unit, text.why, text.working)
        self._verdict.say(f"{SIGNS[text.tone]}{THIN_SPACE}{text.verdict}")
        self._why.say(text.why if text.figure else "")
        if text.offer is not None:
            self._act.setAccessibleName(text.offer.words)
            self._act.setToolTip("\n".join(filter(None, (text.offer.words, text.why))))
            self._break_offer()
        self._why.setVisible(text.offer is None)
        self._act.setVisible(text.offer is not None)
        self.setAccessibleName(self._question)
        spoken = (text.verdict, f"{text.figure} {text.unit}", text.why, text.badge)
        self.setAccessibleDescription(". ".join(part.strip() for part in spoken if part.strip()))
        if retint:
            self._tint()

    @property
    def least_px(self) -> int:
        """The width below which its head is cut."""
        return max(px(LEAST_PX), self._head.sizeHint().width() + 2 * (CARD_PADDING - UNIT))

    def _break_offer(self) -> None:
        if self._offer is not None:
            room, metrics = self.width() - 2 * _side(self.width()), self._act.fontMetrics()
            self._act.setText("\n".join(in_lines(self._offer.words, metrics, max(room, 1), 2)))

    def is_crowded(self, width_px: int) -> bool:
        """Whether its head and the kind of its figure have no room beside each other."""
        words = self._head.sizeHint().width() + self._badge.sizeHint().width()
        return words + UNIT > width_px - 2 * _side(width_px)

    def lines(self, width_px: int) -> int:
        """The lines that its verdict takes."""
        return 2 if self._verdict.whole_px > width_px - 2 * _side(width_px) else 1

    @property
    def offers(self) -> bool:
        """Whether it offers what would answer its question."""
        return self._offer is not None

    def fold(self, folded: bool, width_px: int) -> None:
        """Put the kind of the figure below the head, and share the lines of words as needed.

        tallest_px: its height with the longest verdict.
        """
        way = QBoxLayout.Direction
        self._top.setDirection(way.TopToBottom if folded else way.LeftToRight)
        self._top.setSpacing(0 if folded else self._gap_px)
        lines = self.lines(width_px)
        self._verdict.set_lines(lines)
        self._why.set_lines((4 if folded else 3) - lines)
        fonts = QFontMetrics(self._verdict.font()), QFontMetrics(self._why.font())
        taller = fonts[0].lineSpacing() - fonts[1].lineSpacing()
        self.tallest_px = self.sizeHint().height() + (taller if lines == 1 else 0)

    def _accept(self) -> None:
        if self._offer is None:
            return
        if self._offer.changes:
            self.edited.emit(dict(self._offer.changes))
        else:
            self.ranking_asked.emit()

    def _tint(self) -> None:
        palette = colours(self)
        tone = self.text.tone if self.text else "muted"
        self._verdict.setStyleSheet(f"color: {getattr(palette, tone)};")
        self._act.setStyleSheet(
            f"QPushButton {{ color: {palette.accent}; border: none; padding: 0;"
            " text-align: left; background: transparent; }"
            "QPushButton:hover, QPushButton:focus { text-decoration: underline; }"
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        side, around = _side(self.width()), CARD_PADDING - UNIT
        self._layout.setContentsMargins(side, around, side, around)
        self._break_offer()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(palette.line), 1.0))
        painter.setBrush(QColor(palette.base))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()


def _side(width_px: int) -> int:
    """The padding at the sides of a card."""
    return CARD_PADDING if width_px >= px(ROOMY_PX) else CARD_PADDING - UNIT
