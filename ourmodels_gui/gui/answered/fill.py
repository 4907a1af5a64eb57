"""What fills a memory, drawn to scale in one bar."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen

from ...language import tr
from ...summary.memory_parts import Part
from ...units import exact, size
from .. import typed
from ..theme import RADIUS, UNIT, Palette, px

FREE = "free"
SWATCH_PX, GAP_PX = 14, 12

Stretch = tuple[Part, QRectF]


def stretches(parts: Sequence[Part], capacity_bytes: float, bar: QRectF) -> list[Stretch]:
    """Every part with its place in the bar, to scale; the free rest last."""
    taken = sum(part.size_bytes for part in parts)
    whole = max(capacity_bytes, taken)
    scale = bar.width() / whole if whole else 0.0
    shown = list(parts)
    if parts and capacity_bytes > taken:
        shown.append(Part(FREE, tr("free"), capacity_bytes - taken))
    found, x = [], bar.left()
    for part in shown:
        found.append((part, QRectF(x, bar.top(), part.size_bytes * scale, bar.height())))
        x += part.size_bytes * scale
    return found


def paint_fill(
    painter: QPainter,
    palette: Palette,
    bar: QRectF,
    filled: Sequence[Stretch],
    beyond: float | None = None,
) -> list[Part]:
    """Draw the parts with their names where these have room; returns those without.

    beyond: from where on the capacity is exceeded.
    """
    outline = QPainterPath()
    outline.addRoundedRect(bar, RADIUS / 2, RADIUS / 2)
    painter.save()
    painter.setClipPath(outline)
    painter.fillPath(outline, QColor(palette.base))
    for part, rect in filled:
        painter.fillRect(rect, brush(part, palette))
        painter.fillRect(QRectF(rect.right() - 0.5, bar.top(), 1, bar.height()), palette.base)
    if beyond is not None:
        over = QRectF(beyond, bar.top(), bar.right() - beyond, bar.height())
        painter.fillRect(over, QBrush(QColor(palette.on_fill), Qt.BrushStyle.BDiagPattern))
    painter.restore()
    left = [
        part
        for part, rect in filled
        if not _write_inside(painter, palette, part, rect, backed=beyond is not None)
    ]
    painter.setPen(QPen(QColor(palette.line), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(outline)
    return left


def brush(part: Part, palette: Palette) -> QBrush:
    """The fill of a part; what is free is hatched."""
    if part.role == FREE:
        return QBrush(QColor(palette.line), Qt.BrushStyle.BDiagPattern)
    return QBrush(QColor(getattr(palette, part.role)))


def _write_inside(
    painter: QPainter, palette: Palette, part: Part, rect: QRectF, *, backed: bool
) -> bool:
    free = part.role == FREE
    words = f"{part.name} {size(part.size_bytes, typed.separators())}"
    for text in (words, part.name):
        room = painter.fontMetrics().horizontalAdvance(text) + 2 * UNIT
        if room > rect.width():
            continue
        if free or backed:
            # Behind the words, so that no hatching runs through them.
            centre = QRectF(0, 0, room, rect.height() - 7)
            centre.moveCenter(rect.center())
            painter.fillRect(centre, QColor(palette.base if free else getattr(palette, part.role)))
        painter.setPen(QColor(palette.muted if free else palette.on_fill))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        return text == words
    return False


def paint_legend(
    painter: QPainter, palette: Palette, parts: Sequence[Part], start: QPoint, right: float
) -> None:
    """The names of parts behind swatches of their fills, as many as have room."""
    metrics, x, side = painter.fontMetrics(), start.x(), px(9)
    for part in parts:
        words = f"{part.name} {size(part.size_bytes, typed.separators())}"
        room = px(SWATCH_PX) + metrics.horizontalAdvance(words)
        if x + room > right:
            break
        if part.role == FREE:
            painter.setPen(QPen(QColor(palette.muted), 1.0))
            painter.setBrush(QBrush(QColor(palette.muted), Qt.BrushStyle.BDiagPattern))
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(brush(part, palette))
        painter.drawRect(QRectF(x + 0.5, start.y() - side + 0.5, side, side))
        painter.setPen(QColor(palette.muted))
        painter.drawText(QPoint(x + px(SWATCH_PX), start.y()), words)
        x += room + GAP_PX


def hint(filled: Sequence[Stretch], at: QPointF) -> str:
    """The part at a place, with every byte; "" where there is none."""
    for part, rect in filled:
        if rect.left() <= at.x() < rect.right() and rect.top() <= at.y() <= rect.bottom():
            write = typed.separators()
            count = tr("{count} bytes").format(count=exact(round(part.size_bytes)))
            return f"{part.name}: {size(part.size_bytes, write)}, {count}"
    return ""
