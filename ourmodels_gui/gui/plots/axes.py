"""What the plots share: axes that count in logarithms, with ticks that people think in.

Coordinates are log10 of the value, on linear pyqtgraph axes, so that every item (a line, a label, a
region) stands in the same coordinates as the curves. Only plot modules may import this one: it
imports pyqtgraph, which costs as much as the rest of the start.
"""

from collections.abc import Callable
from math import ceil, floor, log2, log10
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPen

from ...units import ENGLISH, Separators, digits, number
from .. import typed
from ..theme import Palette, mixed, sized, text_scale

GRID_SHARE = 0.15
BEHIND = -1000
"""Under the curves: a level at a round value must not lie under its grid line."""
TICK_GAP_PX = 46
ROW_GAP_PX = 21
TITLE_MARGIN_PX = 12

Ticks = Callable[[float, float, float], list[float]]


class Reading(NamedTuple):
    """What a plot says at one place: rows of (label, value), dots of (y, role of its colour)."""

    x: float
    title: str
    rows: tuple[tuple[str, str], ...]
    dots: tuple[tuple[float, str], ...] = ()

    def spoken(self) -> str:
        """The same in one line, for a screen reader."""
        return ", ".join([self.title, *(f"{label} {value}" for label, value in self.rows)])


def log(values: ArrayLike) -> np.ndarray:
    """Plot coordinates of `values`; what is not positive or not known becomes a gap."""
    values = np.asarray(values, dtype=np.float64)
    out = np.full(values.shape, np.nan)
    np.log10(values, out=out, where=values > 0)
    return out


def powers_of_two(low: float, high: float, size_px: float) -> list[float]:
    """1, 2, 4, 8, ... within [low, high], thinned to 1, 4, 16, ... where they crowd.

    >>> powers_of_two(1, 20, 400)
    [1.0, 2.0, 4.0, 8.0, 16.0]
    >>> powers_of_two(1, 300, 150)
    [1.0, 8.0, 64.0]
    """
    first, last = ceil(log2(low) - 1e-9), floor(log2(high) + 1e-9)
    room = max(size_px / TICK_GAP_PX, 1.0)
    step = max(1, ceil((log2(high) - log2(low)) / room))
    return [2.0**power for power in range(first, last + 1) if power % step == 0]


def one_two_five(low: float, high: float, size_px: float) -> list[float]:
    """1, 2, 5, 10, 20, ... within [low, high]; 1, 10, 100 or fewer where they crowd.

    >>> one_two_five(1, 60, 400)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    >>> one_two_five(1, 10000, 120)
    [1.0, 10.0, 100.0, 1000.0, 10000.0]
    """
    decades = log10(high) - log10(low)
    room = max(size_px / ROW_GAP_PX, 1.0)
    digits = (1, 2, 5) if 3 * decades <= room else (1,)
    step = max(1, ceil(decades / room))
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks = [float(d * 10.0**p) for p in powers if p % step == 0 for d in digits]
    return [tick for tick in ticks if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]


def rate_tick(value: float, separators: Separators = ENGLISH) -> str:
    """A rate as a round tick: 0.5, 20, 5,000, 20k.

    >>> [rate_tick(x) for x in (0.5, 20.0, 5000.0, 20000.0, 2e6)]
    ['0.5', '20', '5,000', '20k', '2M']
    """
    for size, suffix in ((1e6, "M"), (1e4, "k")):
        if value >= size * (1 - 1e-9):
            return digits(value / (1e6 if suffix == "M" else 1e3), 12, separators) + suffix
    if value >= 1 - 1e-9:
        return number(value, 0, separators)
    return digits(value, 6, separators)


def token_tick(value: float, separators: Separators = ENGLISH) -> str:
    """A power of two of tokens as people say it: 512, 8k, 1M.

    >>> [token_tick(2.0**power) for power in (9, 13, 20)]
    ['512', '8k', '1M']
    """
    for power, suffix in ((20, "M"), (10, "k")):
        if value >= 2.0**power * (1 - 1e-9):
            return digits(value / 2.0**power, 6, separators) + suffix
    return digits(value, 6, separators)


def time_tick(value: float, separators: Separators = ENGLISH) -> str:
    """A time as a round tick: 20 ms, 5 s, 2,000 s.

    >>> [time_tick(x) for x in (0.0005, 0.02, 5.0, 2000.0)]
    ['0.5 ms', '20 ms', '5 s', '2,000 s']
    """
    if value < 1 - 1e-9:
        return f"{digits(value * 1e3, 6, separators)} ms"
    return f"{number(value, 0, separators)} s"


class LogAxis(pg.AxisItem):
    """An axis over log10 of its values; `ticks` chooses the values and `text` writes them."""

    def __init__(
        self, orientation: str, counts: str, ticks: Ticks, text: Callable[..., str]
    ) -> None:
        """counts: what is counted, in a word or two beside the axis; "" for nothing.

        text: takes the separators as well.
        """
        self._counts = counts
        self._font: QFont | None = None
        super().__init__(orientation, maxTickLength=0)
        self._ticks = ticks
        self._text = text
        self.enableAutoSIPrefix(False)
        self.setGrid(255)

    def tickValues(
        self, minVal: float, maxVal: float, size: float
    ) -> list[tuple[float, list[float]]]:
        ticks = self._ticks(10.0**minVal, 10.0**maxVal, size / text_scale())
        return [(1.0, [log10(tick) for tick in ticks])]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        write = typed.separators()
        return [self._text(10.0**value, separators=write) for value in values]

    def resizeEvent(self, event: object = None) -> None:
        if self._font is not None and self._counts:
            self._write_counts(self._font)
        super().resizeEvent(event)  # puts the words in the middle

    def _write_counts(self, font: QFont) -> None:
        """What is counted, cut where the axis is shorter."""
        room = self.size().height() if self.orientation == "left" else self.size().width()
        words = QFontMetrics(font).elidedText(
            self._counts, Qt.TextElideMode.ElideRight, max(int(room) - TITLE_MARGIN_PX, 0)
        )
        self.setToolTip("" if words == self._counts else self._counts)
        if words != self.labelText:
            self.setLabel(words, **self.labelStyle)

    def restyle(self, palette: Palette, scale: float) -> None:
        self.setPen(pen(palette.line, scale))
        # Opaque: lines that let the base through take several times as long to draw.
        self.setTickPen(pen(mixed(palette.base, palette.text, GRID_SHARE), scale))
        self.setTextPen(palette.muted)
        font = sized("caption")
        self.setTickFont(font)
        self._font = font
        if self._counts:
            style = {"color": palette.muted, "font-size": f"{font.pixelSize()}px"}
            self.setLabel(self.labelText or self._counts, **style)
            self.resizeEvent()


def pen(colour: str, width: float = 1.0, dash: tuple[float, ...] = ()) -> QPen:
    """An opaque cosmetic pen; `dash` in units of its width."""
    out = pg.mkPen(QColor(colour), width=width)
    if dash:
        out.setDashPattern(list(dash))
    return out


def tint(colour: str, alpha: int) -> QColor:
    """The colour, let through: for regions behind the curves."""
    out = QColor(colour)
    out.setAlpha(alpha)
    return out
