"""A strip from nothing to the ceiling: where published runs lie, and a run that is checked."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...language import tr
from ...measured.evidence import Evidence
from ..theme import UNIT, colours, px, sized

HEIGHT_PX = 34
BOX_PX = 12


class QuartileStrip(QWidget):
    """Extremes as a line, the middle half as a box, the median as a stroke, a check as a diamond.

    The right end is the ceiling itself.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._found: Evidence | None = None
        self._ratio: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def present(self, found: Evidence | None, ratio: float | None = None) -> None:
        """Show what runs reached, and where a checked one lies at `ratio` of its ceiling."""
        self._found, self._ratio = found, ratio
        self.setVisible(found is not None)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, px(HEIGHT_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        found = self._found
        if found is None:
            return
        palette = colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(sized("caption"))
        most = max(1.0, found.highest, self._ratio or 0.0)
        left, width = 2.0 * UNIT, self.width() - 4.0 * UNIT
        middle = BOX_PX / 2 + 2

        def at(ratio: float) -> float:
            return left + width * ratio / most

        painter.setPen(QPen(QColor(palette.line), 1))
        painter.drawLine(QPointF(left, middle), QPointF(left + width, middle))
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            painter.drawLine(QPointF(at(share), middle + 6), QPointF(at(share), middle + 10))
        painter.setPen(QColor(palette.muted))
        foot = QRectF(0, middle + 9, 0, self.height() - middle - 9)
        centre = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        for share, words in ((0.0, "0"), (0.25, "25 %"), (0.5, "50 %"), (0.75, "75 %")):
            place = foot.translated(at(share), 0).adjusted(-px(24), 0, px(24), 0)
            painter.drawText(place, centre, words)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        end = foot.translated(at(1.0), 0).adjusted(-px(60), 0, 2 * UNIT, 0)
        painter.drawText(end, right, tr("ceiling"))
        painter.setPen(QPen(QColor(palette.aggregate), 2))
        painter.drawLine(QPointF(at(found.lowest), middle), QPointF(at(found.highest), middle))
        lower, median, upper = found.quartiles
        painter.setBrush(QColor(palette.base))
        box = QRectF(at(lower), middle - BOX_PX / 2, max(at(upper) - at(lower), 3.0), BOX_PX)
        painter.drawRect(box)
        painter.drawLine(
            QPointF(at(median), middle - BOX_PX / 2), QPointF(at(median), middle + BOX_PX / 2)
        )
        if self._ratio is not None:
            painter.setPen(QPen(QColor(palette.base), 1))
            painter.setBrush(QColor(palette.text))
            x = at(self._ratio)
            painter.drawPolygon(
                [QPointF(x, middle - 6), QPointF(x + 6, middle), QPointF(x, middle + 6),
                 QPointF(x - 6, middle)]
            )  # fmt: skip
