"""What fills the memory, drawn to scale against the capacity."""

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...summary.memory_parts import Part, parts, shown_sessions
from ...units import size
from .. import typed
from ..plots.pictures import offer_pictures
from ..theme import UNIT, colours, px, sized
from .fill import GAP_PX, Stretch, hint, paint_fill, paint_legend, stretches

BAR_PX = 26


class MemoryBar(QWidget):
    """The parts side by side, hatched where free; beyond the capacity's mark where they do not fit.

    A part too narrow for its name is named in the line below, behind a swatch of its colour.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Memory"))
        offer_pictures(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._parts: tuple[Part, ...] = ()
        self._capacity_bytes = 0.0
        self._shown: tuple[object, ...] = ()

    def present(self, evaluation: Evaluation) -> None:
        if evaluation.setup is None or evaluation.result is None:
            self._parts, self._capacity_bytes = (), 0.0
        else:
            self._parts = parts(evaluation.setup, shown_sessions(evaluation), typed.separators())
            self._capacity_bytes = evaluation.setup.machine.capacity_bytes
        shown = (self._parts, self._capacity_bytes, typed.separators())
        if shown != self._shown:
            self._shown = shown
            self.setAccessibleDescription(self._sentence())
            self.update()

    @property
    def free_bytes(self) -> float:
        """Capacity that nothing takes; negative is what is missing."""
        return self._capacity_bytes - sum(part.size_bytes for part in self._parts)

    def _sentence(self) -> str:
        if not self._parts:
            return ""
        write = typed.separators()
        listed = ", ".join(f"{part.name} {size(part.size_bytes, write)}" for part in self._parts)
        rest = size(abs(self.free_bytes), write)
        end = tr("{rest} free") if self.free_bytes >= 0 else tr("{rest} missing")
        return tr("{parts}, of {capacity}: {end}").format(
            parts=listed, capacity=size(self._capacity_bytes, write), end=end.format(rest=rest)
        )

    def sizeHint(self) -> QSize:
        line = QFontMetrics(sized("caption")).height()
        return QSize(400, px(BAR_PX) + UNIT + line)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def stretches(self) -> list[Stretch]:
        """Every part with its place in the widget, to scale; the free rest last."""
        bar = QRectF(0.5, 0.5, self.width() - 1.0, px(BAR_PX) - 1.0)
        return stretches(self._parts, self._capacity_bytes, bar)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(sized("caption"))
        bar = QRectF(0.5, 0.5, self.width() - 1.0, px(BAR_PX) - 1.0)
        mark = None
        if self._parts and self.free_bytes < 0:
            whole = self._capacity_bytes - self.free_bytes
            mark = bar.left() + bar.width() * self._capacity_bytes / whole
        below = paint_fill(painter, palette, bar, self.stretches(), mark)
        if mark is not None:
            painter.fillRect(QRectF(mark - 1, 0, 2, px(BAR_PX) + UNIT), QColor(palette.unfit))
        self._write_below(painter, below)

    def _write_below(self, painter: QPainter, below: list[Part]) -> None:
        if not self._parts:
            return
        palette, write = colours(self), typed.separators()
        metrics = painter.fontMetrics()
        baseline = px(BAR_PX) + UNIT + metrics.ascent()
        end = tr("capacity {size}").format(size=size(self._capacity_bytes, write))
        colour = palette.muted
        if self.free_bytes < 0:
            end = tr("{missing} beyond the capacity of {size}").format(
                missing=size(-self.free_bytes, write), size=size(self._capacity_bytes, write)
            )
            colour = palette.unfit
        right = self.width() - metrics.horizontalAdvance(end)
        painter.setPen(QColor(colour))
        painter.drawText(QPoint(right, baseline), end)
        paint_legend(painter, palette, below, QPoint(0, baseline), right - GAP_PX)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = hint(self.stretches(), QPointF(event.pos().x(), px(BAR_PX) / 2))
            if words:
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().event(event)
