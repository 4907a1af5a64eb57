"""The names of models and machines beside the map of every pair."""

from math import ceil

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from ..theme import UNIT, colours, px, sized

NAMED_PX = 10
"""From which size on a cell has names beside it."""
NAMES_LEFT_PX, NAMES_TOP_PX = 180, 150


def margins(width: int, height: int) -> tuple[int, int]:
    """Room for the names of the models at the left, of the machines at the top.

    Parameters: width and height of a cell.
    """
    named = px(NAMED_PX)
    left, top = px(NAMES_LEFT_PX), px(NAMES_TOP_PX)
    return left if height >= named else 0, top if width >= named else 0


def paint_names(
    painter: QPainter,
    view: QWidget,
    start: QPoint,
    cell: tuple[int, int],
    *,
    models: dict[int, str],
    machines: dict[int, str],
) -> None:
    """Names where a cell has the room of a line; every so many where lines are higher than cells.

    Parameters: view, that is painted; start, where the map's first cell lies in it; cell, its width
    and height; models and machines, names by place.
    """
    (width, height), (left, top) = cell, margins(*cell)
    painter.setPen(QColor(colours(view).muted))
    painter.setFont(sized("caption"))
    metrics = QFontMetrics(sized("caption"))
    step = ceil(metrics.height() / height)
    painter.setClipRect(QRect(0, top, left, view.height() - top))
    for place, name in models.items():
        if place % step == 0:
            y = start.y() + place * height
            painter.drawText(
                QRect(0, y, left - UNIT, max(height, metrics.height())),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, left - UNIT),
            )
    step = ceil(metrics.height() / width)
    painter.setClipRect(QRect(left, 0, view.width() - left, top))
    for place, name in machines.items():
        if place % step == 0:
            painter.save()
            x = start.x() + place * width + width / 2 + metrics.ascent() / 2
            painter.translate(x, top - UNIT)
            painter.rotate(-90)
            elided = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, top - UNIT)
            painter.drawText(QPoint(0, 0), elided)
            painter.restore()
    painter.setClipping(False)
