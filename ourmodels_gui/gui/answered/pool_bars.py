"""What lies in each memory of a composition, one bar for each, to the scale of its capacity."""

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...summary.pool_parts import PoolParts, off_devices, pool_parts
from ...units import size
from .. import typed
from ..plots.pictures import offer_pictures
from ..theme import UNIT, colours, px, sized
from .fill import Stretch, hint, paint_fill, stretches

BAR_PX, ROW_PX, CLOSE_PX = 18, 22, 18
"""Heights of a bar and of a row; of a row where there are many."""
FEW = 3
NAME_SHARE, NAME_PX = 0.28, 220


class PoolBars(QWidget):
    """A row for each memory: its name, its bar, what is free; below them what lies off the devices.

    Every part says its bytes on hover.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Memory"))
        offer_pictures(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.pools: tuple[PoolParts, ...] = ()
        self.said = ""
        self._has_host = False
        self._shown: tuple[object, ...] = ()

    def present(self, evaluation: Evaluation) -> None:
        write = typed.separators()
        before = self.sizeHint()
        self.pools = pool_parts(evaluation, write)
        made = evaluation.setup.composition if evaluation.setup else None
        self._has_host = made is not None and made.host is not None
        off = ", ".join(off_devices(evaluation, write))
        self.said = tr("In the system memory: {parts}").format(parts=off) if off else ""
        shown = (self.pools, self.said, self._has_host, write)
        if shown == self._shown:
            return
        self._shown = shown
        self.setAccessibleDescription(self._sentence())
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def _sentence(self) -> str:
        write = typed.separators()
        told = []
        for pool in self.pools:
            listed = ", ".join(f"{part.name} {size(part.size_bytes, write)}" for part in pool.parts)
            told.append(
                tr("{name}: {parts}, of {capacity}: {rest} free").format(
                    name=pool.name,
                    parts=listed,
                    capacity=size(pool.capacity_bytes, write),
                    rest=size(max(pool.free_bytes, 0.0), write),
                )
            )
        return ". ".join(filter(None, (*told, self.said)))

    def sizeHint(self) -> QSize:
        line = QFontMetrics(sized("caption")).height() if self._has_host else 0
        return QSize(400, len(self.pools) * self.row_px + line)

    @property
    def row_px(self) -> int:
        """The height of a row."""
        return px(ROW_PX if len(self.pools) <= FEW else CLOSE_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def stretches(self) -> list[list[Stretch]]:
        """Of every memory, each part with its place in the widget."""
        return [
            stretches(pool.parts, pool.capacity_bytes, bar)
            for pool, bar in zip(self.pools, self._bars(), strict=True)
        ]

    def _bars(self) -> list[QRectF]:
        """The place of the bar of every memory."""
        metrics = QFontMetrics(sized("caption"))
        sizes = (size(pool.capacity_bytes, typed.separators()) for pool in self.pools)
        right = max((metrics.horizontalAdvance(words) for words in sizes), default=0) + 2 * UNIT
        left = self._name_px() + 2 * UNIT
        row_px = self.row_px
        height = min(px(BAR_PX), row_px - 2) - 1
        width = self.width() - left - right - 1.0
        return [
            QRectF(left + 0.5, row * row_px + 0.5, width, height) for row in range(len(self.pools))
        ]

    def _name_px(self) -> int:
        """The room for names: of the longest, and not more than a share of the whole."""
        metrics = QFontMetrics(sized("caption"))
        longest = max((metrics.horizontalAdvance(pool.name) for pool in self.pools), default=0)
        return min(longest + 2, px(NAME_PX), round(NAME_SHARE * self.width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, painter = colours(self), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(sized("caption"))
        metrics, room = painter.fontMetrics(), self._name_px()
        middle = Qt.AlignmentFlag.AlignVCenter
        for pool, bar in zip(self.pools, self._bars(), strict=True):
            line = QRectF(0, bar.top() - 0.5, self.width(), bar.height())
            painter.setPen(QColor(palette.text))
            name = metrics.elidedText(pool.name, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(line, middle | Qt.AlignmentFlag.AlignLeft, name)
            painter.setPen(QColor(palette.muted))
            capacity = size(pool.capacity_bytes, typed.separators())
            painter.drawText(line, middle | Qt.AlignmentFlag.AlignRight, capacity)
            paint_fill(painter, palette, bar, stretches(pool.parts, pool.capacity_bytes, bar))
        painter.setPen(QColor(palette.muted))
        baseline = len(self.pools) * self.row_px + metrics.ascent()
        words = metrics.elidedText(self.said, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(QPoint(0, baseline), words)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = QPointF(event.pos())
            words = next(filter(None, (hint(one, at) for one in self.stretches())), "")
            row = int(at.y() // self.row_px)
            if not words and row < len(self.pools):
                words = self.pools[row].name
            QToolTip.showText(event.globalPos(), words or self.said, self)
            return True
        return super().event(event)
