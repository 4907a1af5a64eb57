"""What fills the memory, drawn to scale against the capacity."""

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ..evaluation import Evaluation
from ..summary.memory_parts import Part, parts, shown_sessions
from ..units import exact, size
from .pictures import offer_pictures
from .theme import RADIUS, UNIT, colours, sized

BAR_PX = 26
GAP_PX = 12


class MemoryBar(QWidget):
    """The parts side by side, hatched where free; beyond the capacity's mark where they do not fit.

    A part too narrow for its name is named in the line below, behind a swatch of its colour.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Memory"))
        offer_pictures(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._parts: tuple[Part, ...] = ()
        self._capacity_bytes = 0.0

    def present(self, evaluation: Evaluation) -> None:
        if evaluation.setup is None or evaluation.result is None:
            self._parts, self._capacity_bytes = (), 0.0
        else:
            self._parts = parts(evaluation.setup, shown_sessions(evaluation))
            self._capacity_bytes = evaluation.setup.machine.capacity_bytes
        self.setAccessibleDescription(self._sentence())
        self.update()

    @property
    def free_bytes(self) -> float:
        """Capacity that nothing takes; negative is what is missing."""
        return self._capacity_bytes - sum(part.size_bytes for part in self._parts)

    def _sentence(self) -> str:
        if not self._parts:
            return ""
        listed = ", ".join(f"{part.name} {size(part.size_bytes)}" for part in self._parts)
        rest = size(abs(self.free_bytes))
        end = self.tr("{rest} free") if self.free_bytes >= 0 else self.tr("{rest} missing")
        return self.tr("{parts}, of {capacity}: {end}").format(
            parts=listed, capacity=size(self._capacity_bytes), end=end.format(rest=rest)
        )

    def sizeHint(self) -> QSize:
        line = QFontMetrics(sized("caption")).height()
        return QSize(400, BAR_PX + UNIT + line)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def stretches(self) -> list[tuple[Part, QRectF]]:
        """Every part with its place in the widget, to scale; the free rest last."""
        whole = max(self._capacity_bytes, self._capacity_bytes - self.free_bytes)
        scale = (self.width() - 1) / whole if whole else 0.0
        shown = list(self._parts)
        if self._parts and self.free_bytes > 0:
            shown.append(Part("free", self.tr("free"), self.free_bytes))
        out, x = [], 0.5
        for part in shown:
            out.append((part, QRectF(x, 0.5, part.size_bytes * scale, BAR_PX - 1.0)))
            x += part.size_bytes * scale
        return out

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(sized("caption"))
        outline = QPainterPath()
        outline.addRoundedRect(
            QRectF(0.5, 0.5, self.width() - 1.0, BAR_PX - 1.0), RADIUS / 2, RADIUS / 2
        )
        stretches = self.stretches()
        mark = next((r.left() for part, r in stretches if part.role == "free"), None)
        if self._parts and self.free_bytes < 0:
            whole = self._capacity_bytes - self.free_bytes
            mark = 0.5 + (self.width() - 1) * self._capacity_bytes / whole
        painter.save()
        painter.setClipPath(outline)
        painter.fillPath(outline, QColor(palette.base))
        for part, rect in stretches:
            if part.role == "free":
                painter.fillRect(rect, QBrush(QColor(palette.line), Qt.BrushStyle.BDiagPattern))
            else:
                painter.fillRect(rect, QColor(getattr(palette, part.role)))
            painter.fillRect(QRectF(rect.right() - 0.5, 0, 1, BAR_PX), QColor(palette.base))
        if mark is not None and self.free_bytes < 0:
            over = QRectF(mark, 0, self.width() - mark, BAR_PX)
            painter.fillRect(over, QBrush(QColor(palette.on_fill), Qt.BrushStyle.BDiagPattern))
        painter.restore()
        below = [part for part, rect in stretches if not self._write_inside(painter, part, rect)]
        painter.setPen(QPen(QColor(palette.line), 1.0))
        painter.drawPath(outline)
        if self.free_bytes < 0 and mark is not None:
            painter.fillRect(QRectF(mark - 1, 0, 2, BAR_PX + UNIT), QColor(palette.unfit))
        self._write_below(painter, below)

    def _write_inside(self, painter: QPainter, part: Part, rect: QRectF) -> bool:
        palette = colours(self)
        free = part.role == "free"
        fill = palette.base if free else getattr(palette, part.role)
        words = f"{part.name} {size(part.size_bytes)}"
        for text in (words, part.name):
            room = painter.fontMetrics().horizontalAdvance(text) + 2 * UNIT
            if room > rect.width():
                continue
            if free or self.free_bytes < 0:
                # Behind the words, so that no hatching runs through them.
                centre = QRectF(0, 0, room, BAR_PX - 8)
                centre.moveCenter(rect.center())
                painter.fillRect(centre, QColor(fill))
            painter.setPen(QColor(palette.muted if free else palette.on_fill))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
            return text == words
        return False

    def _write_below(self, painter: QPainter, below: list[Part]) -> None:
        palette = colours(self)
        metrics = painter.fontMetrics()
        baseline = BAR_PX + UNIT + metrics.ascent()
        end = self.tr("capacity {size}").format(size=size(self._capacity_bytes))
        colour = palette.muted
        if self.free_bytes < 0:
            missing = size(-self.free_bytes)
            end = self.tr("{missing} beyond the capacity of {size}").format(
                missing=missing, size=size(self._capacity_bytes)
            )
            colour = palette.unfit
        if not self._parts:
            return
        right = self.width() - metrics.horizontalAdvance(end)
        painter.setPen(QColor(colour))
        painter.drawText(QPoint(right, baseline), end)
        x = 0
        for part in below:
            words = f"{part.name} {size(part.size_bytes)}"
            room = 14 + metrics.horizontalAdvance(words)
            if x + room > right - GAP_PX:
                break
            if part.role == "free":
                painter.setPen(QPen(QColor(palette.muted), 1.0))
                painter.setBrush(QBrush(QColor(palette.muted), Qt.BrushStyle.BDiagPattern))
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(getattr(palette, part.role)))
            painter.drawRect(QRectF(x + 0.5, baseline - 8.5, 9, 9))
            painter.setPen(QColor(palette.muted))
            painter.drawText(QPoint(x + 14, baseline), words)
            x += room + GAP_PX

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            x = event.pos().x()
            part = next((part for part, rect in self.stretches() if x < rect.right()), None)
            if part is not None:
                count = self.tr("{count} bytes").format(count=exact(round(part.size_bytes)))
                words = f"{part.name}: {size(part.size_bytes)}, {count}"
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
