"""One log-log plot that can be read with a cursor, by pointer and by keyboard alike."""

from collections.abc import Callable
from math import log10
from typing import Any, Protocol

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFocusEvent,
    QKeyEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsGridLayout, QLabel, QWidget

from ..theme import Palette, colours, px
from .axes import BEHIND, LogAxis, Reading, pen
from .pictures import offer_pictures
from .plot_cursor import Cursor
from .plot_items import Band, Curve, Gate, Level, Note, Points, Region
from .plot_labels import LABEL_ROW_PX, place_gates, settle

LEFT_AXIS_PX = 66
LEAST_PX = 120
"""The least height."""
MARGIN_PX = 10


class Styled(Protocol):
    """What takes the colours of the theme, and the pixels of a unit of length."""

    def restyle(self, palette: Palette, scale: float) -> None: ...


class LogPlot(pg.GraphicsView):
    """Curves over a logarithmic x axis.

    Its scene holds the axes and the box of the curves only: pyqtgraph's `PlotItem` brings menus of
    more than a hundred widgets, none of which is ever shown.

    read: what the plot says at an x, None where it says nothing. step: the x one key press away,
    given the current x and the direction, -1 or 1. Both are set by the owner.
    """

    _ready = False  # events arrive while the parent class is still being made
    _rows = 1
    _silent = False

    def __init__(
        self,
        name: str,
        *,
        x: LogAxis,
        y: LogAxis,
        parent: QWidget | None = None,
    ) -> None:
        self._styled: list[Styled] = [x, y]
        self.curves: list[Curve] = []
        self._points: list[Points] = []
        self.levels: list[Level] = []
        self.notes: list[Note] = []
        self.gates: list[Gate] = []
        self.regions: list[Region] = []
        self.read: Callable[[float], Reading | None] = lambda _x: None
        self.step: Callable[[float, int], float] = lambda x, direction: x * 2.0**direction
        self._span = (0.0, 1.0, 0.0, 1.0)
        self._ends = (1.0, 10.0)
        self._axes = (x, y)
        super().__init__(parent)
        self.enableMouse(False)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        # The background is one colour; kept as a picture it takes as much memory as the window.
        self.setCacheMode(self.CacheModeFlag.CacheNone)
        self.setMinimumHeight(px(LEAST_PX))
        self._content = pg.GraphicsWidget()
        self.box = pg.ViewBox(self._content, enableMenu=False)
        self.box.setMouseEnabled(x=True, y=False)
        self.box.disableAutoRange()
        self.box.setDefaultPadding(0.0)
        y.setWidth(px(LEFT_AXIS_PX))
        self._arrange(x, y)
        self._cursor = Cursor(self)
        self._words = QLabel(self)
        self._words.setWordWrap(True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._words.hide()
        self._placing = QTimer(self)
        self._placing.setSingleShot(True)
        self._placing.timeout.connect(self.place_labels)
        self.box.sigRangeChanged.connect(lambda *_: self._placing.start(0))
        self.scene().sigMouseMoved.connect(self._pointed)
        offer_pictures(self)
        self._ready = True
        self.restyle()

    # Making

    def _arrange(self, x: LogAxis, y: LogAxis) -> None:
        grid = QGraphicsGridLayout(self._content)
        grid.setContentsMargins(1, 1, 1, 1)
        grid.setSpacing(0)
        grid.addItem(self.box, 0, 1)
        for axis, place in ((y, (0, 0)), (x, (1, 1))):
            axis.setParentItem(self._content)
            axis.linkToView(self.box)
            axis.setFlag(axis.GraphicsItemFlag.ItemNegativeZStacksBehindParent)
            axis.setZValue(BEHIND)
            grid.addItem(axis, *place)
        grid.setRowStretchFactor(0, 100)
        grid.setColumnStretchFactor(1, 100)
        self.setCentralItem(self._content)

    def styled(self, item: Styled) -> None:
        """Give `item` the palette now and at every change of theme."""
        self._styled.append(item)
        item.restyle(colours(self), self.devicePixelRatioF())

    def curve(self, role: str, **how: Any) -> Curve:
        self.curves.append(Curve(self, role, **how))
        return self.curves[-1]

    def band(self, role: str, one: Curve, other: Curve) -> Band:
        """Tint the room between two of the curves."""
        return Band(self, role, one, other)

    def points(self, role: str, *, filled: bool) -> Points:
        self._points.append(Points(self, role, filled=filled))
        return self._points[-1]

    def note(self, role: str) -> Note:
        self.notes.append(Note(self, role))
        return self.notes[-1]

    def level(self, role: str, **how: Any) -> Level:
        self.levels.append(Level(self, role, **how))
        return self.levels[-1]

    def gate(self, role: str) -> Gate:
        self.gates.append(Gate(self, role))
        return self.gates[-1]

    def region(self, role: str) -> Region:
        self.regions.append(Region(self, role))
        return self.regions[-1]

    # Showing

    def say(self, words: str) -> None:
        """Say in the middle why there is nothing to show; "" shows the curves again."""
        self._words.setText(words)
        self._words.setVisible(bool(words))
        self._silent = bool(words)
        self.setAccessibleDescription(words)
        if words:
            self._cursor.hide()
            for curve in self.curves:
                curve.clear_values()
            for points in self._points:
                points.show_values(())
            for level in self.levels:
                level.show_at(None)
            for gate in self.gates:
                gate.show_at(None)
            for region in self.regions:
                region.show_between(None, None)
            for note in self.notes:
                note.show_at(None, None, "")
            self.place_labels()

    def set_span(self, x_low: float, x_high: float, y_low: float, y_high: float) -> None:
        """The stretch of values to show; a zoom survives while the x stretch stays the same."""
        margin = 0.012 * log10(x_high / x_low)
        span = (log10(x_low) - margin, log10(x_high) + margin, log10(y_low), log10(y_high))
        same_x, same_y = span[:2] == self._span[:2], span[2:] == self._span[2:]
        self._span = span
        self._ends = (x_low, x_high)
        if not same_x:
            self.box.setLimits(xMin=span[0], xMax=span[1], minXRange=min(0.3, span[1] - span[0]))
            self.box.setXRange(span[0], span[1], padding=0)
        if not same_y:
            self._set_y()
        self.place_labels()
        if self.reading is not None:
            self.point_at(self.reading.x)

    def _set_y(self) -> None:
        low, high = self._span[2:]
        height = max(self.box.height(), 40.0)
        above = MARGIN_PX + px(LABEL_ROW_PX) * (self._rows + 1)
        below = MARGIN_PX + px(LABEL_ROW_PX)
        scale = (high - low) / max(height - above - below, 20.0)
        self.box.setYRange(low - below * scale, high + above * scale, padding=0)

    def place_labels(self) -> None:
        """Write every name where its line is in view, the more important ones first."""
        rows = place_gates(self)
        if rows not in (0, self._rows):
            # More rows of names at the top leave less room below them, before anything is painted.
            self._rows = rows
            self._set_y()
            place_gates(self)
        self._placing.stop()
        (left, right), (bottom, _) = self.box.viewRange()
        placed: tuple[Curve | Level | Note, ...] = (*self.curves, *self.levels, *self.notes)
        for item in placed:
            item.place(left, right)
        for region in self.regions:
            region.place(left, right, bottom, max(self.box.viewPixelSize()[0], 1e-9))
        named: tuple[Gate | Curve | Level, ...] = (*self.gates, *self.curves, *self.levels)
        words = [each.label for each in named]
        settle(self, [*words, *self.notes, *(region.label for region in self.regions)])

    def restyle(self) -> None:
        palette = colours(self)
        self.setBackground(palette.base)
        for item in self._styled:
            item.restyle(palette, self.devicePixelRatioF())
        self._frame()
        self._words.setStyleSheet(
            f"color: {palette.muted}; background: {palette.base}; padding: 16px;"
        )

    def _frame(self) -> None:
        palette = colours(self)
        colour = palette.accent if self.hasFocus() else palette.line
        self.box.setBorder(pen(colour, self.devicePixelRatioF()))

    # The cursor

    @property
    def reading(self) -> Reading | None:
        """What the cursor reads, None when it is away."""
        return self._cursor.reading

    def point_at(self, x: float) -> None:
        """Put the cursor at the value `x` and show what the plot says there."""
        reading = None if self._silent else self.read(x)
        if reading is None:
            self._cursor.hide()
            return
        self._cursor.show(reading)
        self.setAccessibleDescription(reading.spoken())
        QAccessible.updateAccessibility(
            QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        )

    def _pointed(self, at: QPointF) -> None:
        if self.box.sceneBoundingRect().contains(at):
            self.point_at(10.0 ** self.box.mapSceneToView(at).x())
        else:
            self._cursor.hide()

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        low, high = self._ends
        x = self.reading.x if self.reading else None
        keys = Qt.Key
        if event.key() == keys.Key_Home:
            x = low
        elif event.key() == keys.Key_End:
            x = high
        elif event.key() in (keys.Key_Left, keys.Key_Right):
            direction = -1 if event.key() == keys.Key_Left else 1
            x = low if x is None else self.step(x, direction)
        elif event.key() in (keys.Key_PageUp, keys.Key_PageDown):
            x = low if x is None else x * (2.0 if event.key() == keys.Key_PageUp else 0.5)
        elif event.key() == keys.Key_Escape and self.reading is not None:
            self._cursor.hide()
            return
        else:
            event.ignore()
            return
        self.point_at(min(max(x, low), high))

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Without focus the wheel belongs to whatever scrolls around the plot.
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QEvent) -> None:
        """The whole stretch again."""
        self.box.setXRange(*self._span[:2], padding=0)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        if self._ready and not self.hasFocus():
            self._cursor.hide()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._frame()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._frame()
        self._cursor.hide()

    def close(self) -> None:
        self.clearFocus()
        self._placing.stop()
        self._ready = False  # its scene is emptied before the last events come
        super().close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._ready:
            self._words.setGeometry(self.rect())
            self._set_y()
            self.place_labels()

    def event(self, event: QEvent) -> bool:
        handled: bool = super().event(event)
        changed = event.type() in (
            QEvent.Type.PaletteChange,
            QEvent.Type.FontChange,
            QEvent.Type.DevicePixelRatioChange,
        )
        if changed and self._ready:
            self.restyle()
        return handled
