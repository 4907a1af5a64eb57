"""One board of memory cells, whose charged cells light up as an iteration goes on."""

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QHideEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...engine.traffic import Accounting
from ...language import tr
from ..plots.pictures import offer_pictures
from ..theme import UNIT, Palette, colours, mixed, sized
from .cells import CELL_ROLES, Area, Board, Charged, Contents, board, charged

UNLIT = 0.34
"""How much of its colour a cell shows while it is not moved."""


class TrafficBoard(QWidget):
    """The memory as cells: weights in one container, the cache of each session in its own.

    The cells stand still in a picture that is made once; a frame draws only what is lit.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        offer_pictures(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._inside: Contents | None = None
        self._accounting: Accounting | None = None
        self._words = ""
        self._board: Board | None = None
        self._charged = Charged((), ())
        self._rects: list[QRectF] = []
        self._weights = 0
        self._still: QPixmap | None = None
        self._twin: TrafficBoard | None = None
        self.lit = 0

    def pair_with(self, other: "TrafficBoard") -> None:
        """Let both boards draw their cells at the same size, whatever a pixel of width."""
        self._twin, other._twin = other, self

    def present(self, inside: Contents, accounting: Accounting | None) -> None:
        """Show a memory; accounting: what an iteration is charged, None where nothing runs."""
        if (inside, accounting, "") == (self._inside, self._accounting, self._words):
            return
        self._inside, self._accounting, self._words = inside, accounting, ""
        self._lay_out()

    def say(self, words: str) -> None:
        """Say in the middle why there is no board."""
        self._inside = self._accounting = None
        self._words = words
        self.setAccessibleDescription(words)
        self._lay_out()

    def show_progress(self, moved: float) -> None:
        """Light up the cells that a share of the iteration's bytes has moved, from 0 to 1."""
        lit = 0
        if self._accounting is not None:
            lit = self._charged.lit(moved * self._accounting.charged_bytes)
        if lit != self.lit:
            self.lit = lit
            self.update()

    @property
    def drawn(self) -> Board | None:
        return self._board

    @property
    def charged_cells(self) -> int:
        return len(self._rects)

    def sizeHint(self) -> QSize:
        return QSize(300, 220)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def _lay_out(self) -> None:
        self._still = None
        self._board, self._charged = None, Charged((), ())
        inside = self._inside
        pair = [self] if self._twin is None else [self, self._twin]
        sizes = ((each.width(), each.height()) for each in pair)
        width, height = (min(both) for both in zip(*sizes, strict=True))
        if inside is not None and width > 40 and height > 40:
            self._board = board(inside, width, height)
            if self._accounting is not None:
                self._charged = charged(self._board, inside, self._accounting)
        self._rects = [QRectF(*area) for _, area in self._charged.cells]
        self._weights = sum(role == "weights" for role, _ in self._charged.cells)
        self.lit = min(self.lit, len(self._rects))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = colours(self)
        painter = QPainter(self)
        if self._board is None:
            painter.setFont(sized("text"))
            painter.setPen(QColor(palette.muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect().adjusted(16, 0, -16, 0), flags, self._words)
            return
        if self._still is None:
            self._still = self._standing(self._board, palette)
        painter.drawPixmap(0, 0, self._still)
        painter.setPen(Qt.PenStyle.NoPen)
        for role, start, end in (
            ("weights", 0, min(self.lit, self._weights)),
            ("cache", self._weights, self.lit),
        ):
            if end > start:
                painter.setBrush(QColor(getattr(palette, role)))
                painter.drawRects(self._rects[start:end])

    def _standing(self, drawn: Board, palette: Palette) -> QPixmap:
        """What does not move: the frame, the containers, and every cell unlit."""
        ratio = self.devicePixelRatioF()
        still = QPixmap(self.size() * ratio)
        still.setDevicePixelRatio(ratio)
        still.fill(Qt.GlobalColor.transparent)
        painter = QPainter(still)
        painter.setPen(QPen(QColor(palette.outline), 1.0))
        painter.setBrush(QColor(palette.base))
        painter.drawRect(QRectF(*drawn.frame))
        for box in drawn.boxes:
            self._container(painter, palette, box.role, QRectF(*box.area), box.cells)
        if drawn.unseen:
            painter.setPen(QColor(palette.unfit))
            painter.setFont(sized("caption"))
            words = tr("and {count} more without room").format(
                count=self.locale().toString(drawn.unseen)
            )
            foot = self.rect().adjusted(UNIT, 0, -UNIT, 0)
            painter.drawText(
                foot, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight, words
            )
        painter.end()
        return still

    def _container(
        self,
        painter: QPainter,
        palette: Palette,
        role: str,
        area: QRectF,
        cells: Iterable[Area],
    ) -> None:
        outline = area.adjusted(0.5, 0.5, -0.5, -0.5)
        rects = [QRectF(*cell) for cell in cells]
        if role in CELL_ROLES:
            colour = getattr(palette, role)
            painter.setPen(QPen(QColor(mixed(palette.base, colour, 0.7)), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(outline)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(mixed(palette.base, colour, UNLIT)))
            painter.drawRects(rects)
        elif role == "empty":
            painter.setPen(QPen(QColor(palette.line), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(outline)
        elif role == "free":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QBrush(QColor(palette.line), Qt.BrushStyle.BDiagPattern))
            painter.drawRect(outline)
        else:
            painter.setPen(QPen(QColor(palette.unfit), 1.0, Qt.PenStyle.DashLine))
            painter.setBrush(QBrush(QColor(palette.unfit), Qt.BrushStyle.BDiagPattern))
            painter.drawRect(outline)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()
        if self._twin is not None:
            self._twin._lay_out()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._still = None  # as large as the board, and painted again in a few milliseconds

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.DevicePixelRatioChange):
            self._still = None
            self.update()
        return super().event(event)
