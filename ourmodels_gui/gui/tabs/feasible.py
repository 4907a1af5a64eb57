"""The feasible rectangle of a memory, C x R, with a workload as a point in its plane."""

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...engine.memory_power import contains, memory_power_bytes2_per_s
from ...engine.setup import Machine
from ...engine.traffic import Demand
from ...language import tr
from ...units import bandwidth, number, size
from .. import typed
from ..plots.pictures import offer_pictures
from ..theme import UNIT, colours, mixed, px, sized

LEFT_PX, MARGIN_PX = 8, 10
DOT_PX = 4.5
FURTHEST = 3.0
"""How many times a side of the rectangle the plane reaches at most; beyond, the point is at the
edge, with an arrow."""


class _Scale(NamedTuple):
    """Where a value of one axis lies, as a share of the axis from 0 to 1, and whether it is off."""

    share: float
    off: bool


def placed(value: float, side: float) -> tuple[_Scale, float]:
    """Where `value` lies on an axis that shows the side and it; and the share of the side.

    >>> where, side = placed(50.0, 100.0)
    >>> round(where.share, 4), where.off, round(side, 4)
    (0.4545, False, 0.9091)
    """
    end = 1.1 * min(max(side, value), FURTHEST * side)
    return _Scale(min(value / end, 1.0), value > end), side / end


class Feasible(QWidget):
    """Held memory to the right, moved per second upwards; what lies inside can be served."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Feasible workloads"))
        offer_pictures(self)
        self.setToolTip(
            tr(
                "A workload holds h and moves r each second. The memory serves every workload "
                "inside its rectangle of capacity and bandwidth, and none outside. The area is the "
                "memory power D."
            )
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._machine: Machine | None = None
        self._demand: Demand | None = None

    def present(self, machine: Machine | None, demand: Demand | None) -> None:
        if (machine, demand) == (self._machine, self._demand):
            return
        self._machine, self._demand = machine, demand
        self.setAccessibleDescription(self.sentence())
        self.update()

    @property
    def is_inside(self) -> bool:
        """Whether the machine can serve the workload."""
        if self._machine is None or self._demand is None:
            return False
        return contains(self._machine, self._demand.held_bytes, self._demand.flow_bytes_per_s)

    def sentence(self) -> str:
        """What the point says: what is held and moved, and which side it lies beyond."""
        machine, demand = self._machine, self._demand
        if machine is None or demand is None:
            return ""
        write = typed.separators()
        held = size(demand.held_bytes, write)
        if demand.flow_bytes_per_s == 0:
            end = tr("holds {held}; no floor asks for a rate").format(held=held)
        else:
            end = tr("holds {held} and moves {flow} at the floor").format(
                held=held, flow=bandwidth(demand.flow_bytes_per_s, write)
            )
        verdict = {
            (False, False): tr("inside"),
            (True, False): tr("too large"),
            (False, True): tr("too fast"),
            (True, True): tr("too large and too fast"),
        }[
            demand.held_bytes > machine.capacity_bytes,
            demand.flow_bytes_per_s > machine.bandwidth_bytes_per_s,
        ]
        return f"{verdict}: {end}"

    def sizeHint(self) -> QSize:
        return QSize(px(200), px(190))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), px(110))

    def paintEvent(self, event: QPaintEvent) -> None:
        machine, demand = self._machine, self._demand
        if machine is None or demand is None:
            return
        palette = colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(sized("caption"))
        line = painter.fontMetrics().height()
        plane = QRectF(
            LEFT_PX,
            line + UNIT,
            self.width() - LEFT_PX - MARGIN_PX,
            self.height() - line - UNIT - 2 * line - UNIT,
        )
        (h, side_h), (r, side_r) = (
            placed(demand.held_bytes, machine.capacity_bytes),
            placed(demand.flow_bytes_per_s, machine.bandwidth_bytes_per_s),
        )
        rectangle = QRectF(
            plane.left(),
            plane.bottom() - side_r * plane.height(),
            side_h * plane.width(),
            side_r * plane.height(),
        )
        painter.fillRect(rectangle, QColor(mixed(palette.base, palette.power, 0.14)))
        painter.setPen(QPen(QColor(palette.power), 1.0))
        painter.drawLine(rectangle.topLeft(), rectangle.topRight())
        painter.drawLine(rectangle.topRight(), rectangle.bottomRight())
        painter.setPen(QPen(QColor(palette.outline), 1.0))
        painter.drawLine(plane.topLeft(), plane.bottomLeft())
        painter.drawLine(plane.bottomLeft(), plane.bottomRight())
        point = QPointF(
            plane.left() + h.share * plane.width(), plane.bottom() - r.share * plane.height()
        )
        tone = palette.serves if self.is_inside else palette.unfit
        painter.setPen(QPen(QColor(tone), 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(point.x(), plane.bottom()), point)
        painter.drawLine(QPointF(plane.left(), point.y()), point)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tone))
        painter.drawEllipse(point, DOT_PX, DOT_PX)
        self._write(painter, plane, rectangle, machine)
        arrow = "→" * h.off + "↑" * r.off
        sign = ("✓" if self.is_inside else "✗") + arrow
        painter.setPen(QColor(tone))
        painter.setFont(sized("text", bold=True))
        wide = painter.fontMetrics().horizontalAdvance(sign)
        x = point.x() + 7 if point.x() + 9 + wide < self.width() else point.x() - 7 - wide
        painter.drawText(QPointF(x, max(point.y() - 5, painter.fontMetrics().ascent())), sign)
        painter.setFont(sized("caption"))
        painter.setPen(QColor(palette.text))
        text = painter.fontMetrics().elidedText(
            self._point_words(demand), Qt.TextElideMode.ElideRight, self.width() - LEFT_PX
        )
        painter.drawText(QPointF(LEFT_PX, self.height() - UNIT), text)

    def _write(self, painter: QPainter, plane: QRectF, rectangle: QRectF, machine: Machine) -> None:
        palette, write = colours(self), typed.separators()
        metrics = painter.fontMetrics()
        painter.setPen(QColor(palette.muted))
        painter.drawText(
            QPointF(plane.left(), metrics.ascent()),
            f"R {bandwidth(machine.bandwidth_bytes_per_s, write)}",
        )
        capacity = f"C {size(machine.capacity_bytes, write)}"
        right = min(rectangle.right(), plane.right()) - metrics.horizontalAdvance(capacity)
        painter.drawText(
            QPointF(max(right, plane.left()), plane.bottom() + metrics.ascent() + 2), capacity
        )
        power = memory_power_bytes2_per_s(machine) / 1e18
        words = f"D = C R = {number(power, 0 if power >= 100 else 1, write)} GB²/s"
        room = rectangle.width() - 2 * UNIT
        if metrics.horizontalAdvance(words) > room:
            words = "D = C R"
        if metrics.horizontalAdvance(words) < room and rectangle.height() > 3 * metrics.height():
            painter.setPen(QColor(palette.power))
            painter.drawText(
                QPointF(rectangle.left() + UNIT, rectangle.top() + metrics.ascent() + UNIT), words
            )

    def _point_words(self, demand: Demand) -> str:
        separators = typed.separators()
        held = f"h {size(demand.held_bytes, separators)}"
        if demand.flow_bytes_per_s == 0:
            return tr("{held}, r: no floor").format(held=held)
        return f"{held}, r {bandwidth(demand.flow_bytes_per_s, separators)}"
