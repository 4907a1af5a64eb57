"""Pieces -> pages with running head and foot."""

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter

from ...report.pdf_file import Bookmark
from ...report.shapes import Report
from .lettering import POINT, Type, advance, font, metrics, printable
from .pieces import Piece, report_pieces

SIZES = {"a4": (595, 842), "letter": (612, 792)}
"""Of paper, in points."""
SIDE, TOP, FOOT = 54, 60, 58
SPARSE = 0.2
"""A last page that ends above this share of the paper is nearly empty."""
SMALL = Type(7.5, colour="#57606A")


class Placed(NamedTuple):
    """A piece with its upper edge on the page."""

    piece: Piece
    y: float


class Pages:
    """A report on pages of paper, ready to be painted on any device."""

    def __init__(self, report: Report) -> None:
        self._report = report
        wide, high = SIZES[report.paper]
        self.size_points = QSizeF(wide, high)
        self._width = (wide - 2 * SIDE) * POINT
        self._bottom = (high - FOOT) * POINT
        pieces = list(report_pieces(report, self._width))
        self._fill(pieces, 1.0)
        if self._y < SPARSE * high * POINT:
            self._tighten(pieces)

    def __len__(self) -> int:
        return len(self.pages)

    def bookmarks(self) -> list[Bookmark]:
        """Every title with its place."""
        return [
            Bookmark(piece.mark[0], page, max(y / POINT - 8, 0), piece.mark[1])
            for page, placed in enumerate(self.pages)
            for piece, y in placed
            if piece.mark
        ]

    def paint(self, painter: QPainter, index: int) -> None:
        """One page, in tenths of a point from its upper left corner."""
        for piece, y in self.pages[index]:
            scale = min(1.0, (self._bottom - TOP * POINT) / piece.height)
            if scale == 1.0:
                piece.paint(painter, SIDE * POINT, y)
                continue
            painter.save()
            painter.translate(SIDE * POINT, y)
            painter.scale(scale, scale)
            piece.paint(painter, 0, 0)
            painter.restore()
        self._frame(painter, index)

    def _tighten(self, pieces: list[Piece]) -> None:
        """Less space between the pieces, if that saves the last page, which is nearly empty."""
        loose = len(self.pages)
        for tightness in (0.85, 0.7, 0.55):
            self._fill(pieces, tightness)
            if len(self.pages) < loose:
                return
        self._fill(pieces, 1.0)

    def _fill(self, pieces: list[Piece], spacing: float) -> None:
        self.pages: list[list[Placed]] = [[]]
        self._y = 50.0 * POINT
        self._spacing = spacing
        place = 0
        while place < len(pieces):
            end = place
            while pieces[end].keeps and end + 1 < len(pieces):
                end += 1
            group = pieces[place : end + 1]
            height = sum(piece.before * spacing + piece.height for piece in group)
            room = self._bottom - TOP * POINT
            if self.pages[-1] and self._y + height > self._bottom and height <= room:
                self._new_page(group[0])
            for piece in group:
                self._put(piece)
            place = end + 1

    def _put(self, piece: Piece) -> None:
        before = piece.before * self._spacing if self.pages[-1] else 0.0
        if self.pages[-1] and self._y + before + piece.height > self._bottom:
            self._new_page(piece)
            before = 0.0
        self.pages[-1].append(Placed(piece, self._y + before))
        self._y += before + piece.height

    def _new_page(self, first: Piece) -> None:
        self.pages.append([])
        self._y = float(TOP * POINT)
        if first.head is not None:
            self.pages[-1].append(Placed(first.head, self._y))
            self._y += first.head.height

    def _frame(self, painter: QPainter, index: int) -> None:
        """Title above every page but the first; versions and page number below."""
        wide, high = (side * POINT for side in SIZES[self._report.paper])
        left, right = SIDE * POINT, wide - SIDE * POINT
        number = f"page {index + 1} of {len(self.pages)}"
        foot = high - 32 * POINT
        painter.fillRect(QRectF(left, foot - 12 * POINT, right - left, 0.5 * POINT), _RULE)
        _line(painter, left, foot, self._report.versions)
        _line(painter, right - advance(number, SMALL), foot, number)
        if index == 0:
            return
        elide = Qt.TextElideMode.ElideRight
        author = printable(self._report.author)
        author = metrics(SMALL).elidedText(author, elide, (right - left) / 3)
        room = right - left - advance(author, SMALL) - 20 * POINT
        title = metrics(SMALL).elidedText(printable(self._report.title), elide, room)
        _line(painter, left, 38 * POINT, title)
        _line(painter, right - advance(author, SMALL), 38 * POINT, author)
        painter.fillRect(QRectF(left, 44 * POINT, right - left, 0.5 * POINT), _RULE)


_RULE = QColor("#D0D7DE")


def _line(painter: QPainter, x: float, y: float, text: str) -> None:
    painter.setFont(font(SMALL))
    painter.setPen(QColor(SMALL.colour))
    painter.drawText(QPointF(x, y), text)
