"""The cursor of a plot: a vertical line, a dot on each curve, a card with what is read there."""

from itertools import pairwise
from math import log10
from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QLabel

from ..theme import RADIUS, UNIT, Palette, colours
from .axes import Reading
from .plot_items import Gate

if TYPE_CHECKING:
    from .log_plot import LogPlot

GAP_PX = 12


class Cursor:
    """Follows the pointer and the keys alike; the plot says where."""

    def __init__(self, plot: "LogPlot") -> None:
        self._plot = plot
        self.reading: Reading | None = None
        self._line = Gate(plot, "muted")
        self._dots = pg.ScatterPlotItem(size=8, pxMode=True)
        self._dots.setZValue(30)
        plot.box.addItem(self._dots, ignoreBounds=True)
        self._card = QLabel(plot)
        self._card.setTextFormat(Qt.TextFormat.RichText)
        self._card.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._card.hide()
        plot.styled(self)

    def restyle(self, palette: Palette, scale: float) -> None:
        self._card.setStyleSheet(
            f"background: {palette.window}; color: {palette.text}; padding: {2 * UNIT}px;"
            f"border: 1px solid {palette.line}; border-radius: {RADIUS}px;"
        )
        if self.reading is not None:
            self.show(self.reading)

    def hide(self) -> None:
        self.reading = None
        self._line.hide()
        self._card.hide()
        self._dots.setData([], [])

    def show(self, reading: Reading) -> None:
        """Stand at the reading."""
        palette = colours(self._plot)
        self.reading = reading
        x = log10(reading.x)
        self._line.setPos(x)
        self._line.show()
        self._dots.setData(
            [x] * len(reading.dots),
            [log10(y) for y, _ in reading.dots],
            brush=[pg.mkBrush(getattr(palette, role)) for _, role in reading.dots],
            pen=pg.mkPen(palette.base),
        )
        rows = "".join(
            f"<tr><td style='color:{palette.muted}'>{label}&nbsp;&nbsp;</td>"
            f"<td align='right'>{value}</td></tr>"
            for label, value in reading.rows
        )
        self._card.setText(f"<b>{reading.title}</b><table cellspacing='0'>{rows}</table>")
        self._card.adjustSize()
        self._card.show()
        self._card.raise_()
        self._place(reading)

    def _place(self, reading: Reading) -> None:
        """Beside the line, in the widest stretch between the dots, so that the card hides none."""
        plot, card = self._plot, self._card
        _, (bottom, top) = plot.box.viewRange()
        heights = sorted((bottom, top, *(log10(y) for y, _ in reading.dots)), reverse=True)
        places = (QPointF(log10(reading.x), y) for y in heights)
        edges = [plot.mapFromScene(plot.box.mapViewToScene(place)) for place in places]
        above, below = max(pairwise(edges), key=lambda pair: pair[1].y() - pair[0].y())
        left = above.x() + GAP_PX
        if left + card.width() > plot.width() - UNIT:
            left = above.x() - GAP_PX - card.width()
        middle = (above.y() + below.y() - card.height()) // 2
        lowest = plot.height() - card.height() - UNIT
        card.move(max(left, UNIT), min(max(middle, UNIT), lowest))
