"""The small sign of what a figure rests on: a shape for each basis, so that colour says nothing
alone.

published: a full disc. derived: a half disc. measured: a diamond. unverified: an empty ring.
"""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QWidget

from ..language import tr
from .theme import Palette, colours, px

MARK_PX = 14


def basis_words(basis: str) -> str:
    """What a basis means, in a sentence."""
    said = {
        "published": tr("published: printed by the maker, or by a page that repeats the maker"),
        "derived": tr("derived: computed from published facts"),
        "measured": tr("measured: a sustained rate seen on a device"),
        "unverified": tr("unverified: recollection, or a third party's word alone"),
    }
    return said.get(basis, "")


def paint_basis(painter: QPainter, place: QRect, basis: str, palette: Palette) -> None:
    """Paint the sign into the middle of a place."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colour = QColor(palette.below if basis == "unverified" else palette.muted)
    middle = QPointF(place.x() + place.width() / 2, place.y() + place.height() / 2)
    radius = px(MARK_PX) / 4
    box = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    painter.setPen(QPen(colour, 1.2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if basis == "measured":
        painter.setBrush(colour)
        corners = ((0, -1), (1, 0), (0, 1), (-1, 0))
        painter.drawPolygon(
            QPolygonF([middle + QPointF(radius * x, radius * y) for x, y in corners])
        )
    else:
        if basis == "published":
            painter.setBrush(colour)
        painter.drawEllipse(box)
        if basis == "derived":
            painter.setBrush(colour)
            painter.drawPie(box, 90 * 16, 180 * 16)
    painter.restore()


def basis_icon(basis: str, widget: QWidget) -> QIcon:
    """The sign for a button or a table of `widget`, in the colours it is drawn with now."""
    ratio = widget.devicePixelRatioF()
    side = px(MARK_PX)
    picture = QPixmap(round(side * ratio), round(side * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    if basis:
        painter = QPainter(picture)
        paint_basis(painter, QRect(0, 0, side, side), basis, colours(widget))
        painter.end()
    return QIcon(picture)
