"""A drawing painted: the counterpart of the report's SVG."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from ...report.drawing import Area, Disc, Drawing, Item, Label, Stroke
from .lettering import POINT, Type, advance, font, printable


def paint_drawing(painter: QPainter, drawing: Drawing, x: float, y: float) -> None:
    """The drawing with its upper left corner at x, y."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(x, y)
    for item in drawing.items:
        _paint(painter, item)
    painter.restore()


def _paint(painter: QPainter, item: Item) -> None:
    if isinstance(item, Stroke):
        painter.setPen(_pen(item.colour, item.width, item.dash))
        painter.drawPolyline(_polygon(item.points))
    elif isinstance(item, Area):
        painter.setPen(_pen(item.stroke, item.width) if item.stroke else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(item.fill) if item.fill else QBrush())
        painter.drawPolygon(_polygon(item.points))
    elif isinstance(item, Disc):
        painter.setPen(_pen(item.stroke, 1.0))
        painter.setBrush(QColor(item.fill))
        radius = item.radius * POINT
        painter.drawEllipse(QPointF(item.x * POINT, item.y * POINT), radius, radius)
    else:
        _label(painter, item)


def _pen(colour: str, width: float, dash: Sequence[float] = ()) -> QPen:
    pen = QPen(QColor(colour), width * POINT)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if dash:
        pen.setDashPattern([length / width for length in dash])  # Qt counts in widths of the pen
    return pen


def _polygon(points: Sequence[tuple[float, float]]) -> QPolygonF:
    return QPolygonF([QPointF(x * POINT, y * POINT) for x, y in points])


def _label(painter: QPainter, item: Label) -> None:
    type_ = Type(item.size, item.bold, item.colour)
    text = printable(item.text)
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[item.anchor] * advance(text, type_)
    painter.setFont(font(type_))
    painter.setPen(QColor(item.colour))
    if not item.upright:
        painter.drawText(QPointF(item.x * POINT - shift, item.y * POINT), text)
        return
    painter.save()
    painter.translate(item.x * POINT, item.y * POINT)
    painter.rotate(-90)
    painter.drawText(QPointF(-shift, 0), text)
    painter.restore()
