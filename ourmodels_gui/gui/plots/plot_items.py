"""What stands in a plot: curves, points, levels, limits and regions, each with its words in place.

Every item is made once, by the plot that owns it, and only updated: pyqtgraph items that are made
and dropped do not go away. `restyle` gives an item the colours and the pixels of a unit of length:
the pens are counted in pixels of the screen.
"""

from collections.abc import Sequence
from math import isfinite, log10
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QPainterPath

from ..theme import Palette, sized
from .axes import log, pen, tint

if TYPE_CHECKING:
    from .log_plot import LogPlot


REGION_ALPHA, BAND_ALPHA = 26, 40
MARGIN_PX = 4
"""Of a document, around its words."""


def coordinate(value: float | None) -> float | None:
    """Where a value stands on an axis; None for what has no place there."""
    return log10(value) if value is not None and value > 0 and isfinite(value) else None


class Label(pg.TextItem):
    """A few words inside a plot, in the caption size and one role's colour."""

    def __init__(self, plot: "LogPlot", role: str) -> None:
        super().__init__("")
        self.role, self._box = role, plot.box
        self.across, self.upside = 0.0, 0.0
        self._written: tuple[object, ...] = ()
        self.setZValue(20)
        self.hide()  # until there are words
        plot.box.addItem(self, ignoreBounds=True)
        plot.styled(self)

    def restyle(self, palette: Palette, scale: float) -> None:
        self.setColor(getattr(palette, self.role))
        self.setFont(sized("caption"))
        # The base behind the words keeps grid lines and curves from striking through them.
        self.fill = pg.mkBrush(tint(palette.base, 215))

    def put(self, text: str, x: float, y: float, anchor: tuple[float, float]) -> None:
        """Write `text`, its `anchor` at (x, y): (0, 0) is its top left, (1, 1) its foot right."""
        self.across, self.upside = anchor
        self.write(text)
        self.setAnchor(anchor)
        if self.pos().toTuple() != (x, y):
            self.setPos(x, y)
        self.setVisible(bool(text))

    def setAnchor(self, anchor: tuple[float, float]) -> None:
        if tuple(self.anchor) != anchor:
            super().setAnchor(anchor)

    def write(self, text: str) -> None:
        """The words, cut in the middle where the plot is narrower."""
        room = max(int(self._box.width()) - 2 * MARGIN_PX, 0)
        font = self.textItem.font()
        if (text, room, font) != self._written:
            self._written = (text, room, font)
            cut = Qt.TextElideMode.ElideMiddle
            self.setText(QFontMetrics(font).elidedText(text, cut, room))

    @property
    def width_px(self) -> float:
        return self.boundingRect().width()


class Curve(pg.PlotDataItem):
    """A line with its name at its right or left end, above or below it.

    Fewer than 200 points: there wide antialiased lines cost no more than segmented ones, whose
    joints show.
    """

    def __init__(
        self,
        plot: "LogPlot",
        role: str,
        *,
        width: float = 2.0,
        dash: tuple[float, ...] = (),
        below: bool = False,
        at_left: bool = False,
    ) -> None:
        super().__init__(antialias=True, skipFiniteCheck=False)
        self.role, self._width, self._dash = role, width, dash
        self._below, self._at_left = below, at_left
        self.name_text = ""
        self._named_at: int | None = None
        self._values = np.empty((2, 0))
        self.setZValue(10)
        plot.box.addItem(self)
        plot.styled(self)
        self.label = Label(plot, role)

    def restyle(self, palette: Palette, scale: float) -> None:
        self.setPen(pen(getattr(palette, self.role), self._width * scale, self._dash))

    def show_values(
        self, x: np.ndarray, y: np.ndarray, name: str = "", *, named_at: int | None = None
    ) -> None:
        """Draw y over x (values, not logarithms), named at its end or at the point `named_at`."""
        self.name_text, self._named_at = name, named_at
        values = np.stack((x, y)).astype(np.float64)
        if not np.array_equal(values, self._values, equal_nan=True):
            self._values = values
            self.setData(log(x), log(y), connect="finite")

    def clear_values(self) -> None:
        self.show_values(np.empty(0), np.empty(0))

    def place(self, left: float, right: float) -> None:
        """Put the name at its end, as far as that is in view."""
        x, y = self.getData()
        if x is None or not self.name_text:
            self.label.put("", 0, 0, (0, 0))
            return
        seen = np.flatnonzero(np.isfinite(y) & (x >= left) & (x <= right))
        if not seen.size:
            self.label.put("", 0, 0, (0, 0))
            return
        at = int(seen[0] if self._at_left else seen[-1])
        across = 0.0 if self._at_left else 1.0
        if self._named_at is not None:
            at, across = min(max(self._named_at, int(seen[0])), int(seen[-1])), 0.5
        self.label.put(self.name_text, x[at], y[at], (across, -0.15 if self._below else 1.15))


class Band(pg.FillBetweenItem):
    """The room between two curves, tinted; nothing where one of them is empty."""

    def updatePath(self) -> None:
        # An emptied curve keeps the path that it had before.
        ends = [curve.getData()[0] for curve in self.curves or ()]
        if any(x is None or not len(x) for x in ends):
            if not self.path().isEmpty():
                self.setPath(QPainterPath())
        else:
            super().updatePath()

    def __init__(self, plot: "LogPlot", role: str, one: Curve, other: Curve) -> None:
        super().__init__(one, other)
        self.role = role
        self.setZValue(-5)
        plot.box.addItem(self, ignoreBounds=True)
        plot.styled(self)

    def restyle(self, palette: Palette, scale: float) -> None:
        self.setBrush(tint(getattr(palette, self.role), BAND_ALPHA))


class Points(pg.ScatterPlotItem):
    """Single places, filled or as rings."""

    def __init__(self, plot: "LogPlot", role: str, *, filled: bool) -> None:
        super().__init__(size=9, pxMode=True)
        self.role, self._filled = role, filled
        self._places: list[tuple[float, float]] = []
        self.setZValue(15)
        plot.box.addItem(self, ignoreBounds=True)
        plot.styled(self)

    def restyle(self, palette: Palette, scale: float) -> None:
        colour = getattr(palette, self.role)
        self.setBrush(pg.mkBrush(colour if self._filled else palette.base))
        self.setPen(pen(palette.base if self._filled else colour, 1.5 * scale))

    def show_values(self, places: Sequence[tuple[float, float]]) -> None:
        if list(places) != self._places:
            self._places = list(places)
            x, y = zip(*places, strict=True) if places else ((), ())
            self.setData(x=log(x), y=log(y))


class Note(Label):
    """Words at a single place, or at the edge beyond which the place lies."""

    def __init__(self, plot: "LogPlot", role: str) -> None:
        super().__init__(plot, role)
        self._plot = plot
        self._at = (0.0, 0.0)
        self.said = ""
        self._below = False

    def show_at(self, x: float | None, y: float | None, words: str, *, below: bool = False) -> None:
        """Say `words` at (x, y), or nothing without a place."""
        self._below = below
        across, up = coordinate(x), coordinate(y)
        self.said = ""
        if across is not None and up is not None:
            self.said, self._at = words, (across, up)

    def place(self, left: float, right: float) -> None:
        x, y = self._at
        # Towards the middle, so that a note at an edge is not cut.
        horizontal = 0.0 if x < (left + right) / 2 else 1.0
        inside = min(max(x, left), right)
        _, (bottom, top) = self._plot.box.viewRange()
        below = self._below and y > bottom
        self.put(self.said, inside, min(max(y, bottom), top), (horizontal, -0.3 if below else 1.3))


class Level(pg.InfiniteLine):
    """A horizontal line with its value written at the left or the right end."""

    def __init__(self, plot: "LogPlot", role: str, *, at_right: bool = False) -> None:
        super().__init__(angle=0, movable=False)
        self.role, self._at_right, self.name_text = role, at_right, ""
        self.below = True
        self.setZValue(5)
        plot.box.addItem(self, ignoreBounds=True)
        plot.styled(self)
        self.label = Label(plot, role)
        self.hide()

    def restyle(self, palette: Palette, scale: float) -> None:
        self.setPen(pen(getattr(palette, self.role), scale, (6.0, 4.0)))

    def show_at(self, value: float | None, name: str = "", *, below: bool = True) -> None:
        at = coordinate(value)
        self.name_text = "" if at is None else name
        self.below = below
        self.setVisible(at is not None)
        if at is not None:
            self.setPos(at)

    def place(self, left: float, right: float) -> None:
        x, horizontal = (right, 1.0) if self._at_right else (left, 0.0)
        anchor = (horizontal, -0.05 if self.below else 1.05)
        self.label.put(self.name_text, x, self.value(), anchor)


class Gate(pg.InfiniteLine):
    """A thin vertical with its name at the top."""

    def __init__(self, plot: "LogPlot", role: str) -> None:
        super().__init__(angle=90, movable=False)
        self.role, self.name_text = role, ""
        self.setZValue(4)
        plot.box.addItem(self, ignoreBounds=True)
        plot.styled(self)
        self.label = Label(plot, role)
        self.hide()

    def restyle(self, palette: Palette, scale: float) -> None:
        self.setPen(pen(getattr(palette, self.role), scale))

    def show_at(self, value: float | None, name: str = "") -> None:
        at = coordinate(value)
        self.name_text = "" if at is None else name
        self.setVisible(at is not None)
        if at is not None:
            self.setPos(at)


class Region(pg.LinearRegionItem):
    """A stretch of the x axis tinted and named at its foot."""

    def __init__(self, plot: "LogPlot", role: str) -> None:
        super().__init__(movable=False, pen=pg.mkPen(None))
        self.role, self.name_text = role, ""
        self.setZValue(-10)
        plot.box.addItem(self, ignoreBounds=True)
        plot.styled(self)
        self.label = Label(plot, role)
        self.hide()

    def restyle(self, palette: Palette, scale: float) -> None:
        # The grid lies behind and shows through.
        self.setBrush(tint(getattr(palette, self.role), REGION_ALPHA))

    def show_between(self, low: float | None, high: float | None, name: str = "") -> None:
        start, end = coordinate(low), coordinate(high)
        self.name_text = ""
        self.setVisible(start is not None and end is not None and end > start)
        if start is not None and end is not None and end > start:
            self.name_text = name
            self.setRegion((start, end))

    def place(self, left: float, right: float, bottom: float, px: float) -> None:
        low, high = self.getRegion()
        low, high = max(low, left), min(high, right)
        self.label.put(self.name_text, (low + high) / 2, bottom, (0.5, 1.0))
        if (high - low) / px < self.label.width_px:
            self.label.hide()
