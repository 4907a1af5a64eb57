"""A slider beside a number, over a range that is too wide for equal steps."""

import math

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QWidget

from . import typed
from .list_field import wheel_needs_focus


class LogSlider(QSlider):
    """A slider over a logarithmic range, in steps of two significant digits.

    Shows and commits as the fields do.
    """

    committed = Signal(object)

    STEPS = 400

    def __init__(self, low: float, high: float, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._low = low
        self._high = high
        self.setRange(0, self.STEPS)
        self.setSingleStep(4)
        self.setPageStep(40)
        wheel_needs_focus(self)
        self.actionTriggered.connect(self._acted)

    def set_high(self, high: float) -> None:
        self._high = max(high, self._low * 2)

    def present(self, value: float | None, default: float | None = None) -> None:
        shown = default if value is None else value
        if shown is None or self.isSliderDown():
            return
        self.setAccessibleDescription(typed.show(shown))  # the position says nothing aloud
        inside = min(max(shown, self._low), self._high)
        share = math.log(inside / self._low) / math.log(self._high / self._low)
        self.setValue(round(share * self.STEPS))

    def _acted(self) -> None:
        position = self.sliderPosition()
        if position in (0, self.STEPS):
            self.committed.emit(round(self._high if position else self._low))
            return
        value = self._low * (self._high / self._low) ** (position / self.STEPS)
        step = 10.0 ** (math.floor(math.log10(value)) - 1)
        rounded = round(value / step) * step
        self.committed.emit(round(rounded) if step >= 1 else round(rounded, 2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # A press beside the handle brings it there instead of one page nearer.
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self
        )
        point: QPoint = event.position().toPoint()
        if event.button() == Qt.MouseButton.LeftButton and not handle.contains(point):
            room = self.width() - handle.width()
            self.setSliderPosition(
                QStyle.sliderValueFromPosition(
                    0, self.STEPS, point.x() - handle.width() // 2, max(room, 1)
                )
            )
        super().mousePressEvent(event)
