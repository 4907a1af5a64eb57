"""The ring around the control that the keyboard is at: one for all kinds, over whatever they paint.

Whoever uses the mouse sees none; the first key brings it with the next control.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QCheckBox,
    QRadioButton,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from .theme import UNIT, colours

THICK_PX = 2
AROUND_PX = THICK_PX
"""How far it reaches beyond the control."""
KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
PLACES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)


class FocusRing(QWidget):
    """Lies over a window, around one control of it; lets every event of the mouse through."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def lie_around(self, control: QWidget) -> None:
        """Where the control is now; out of sight where it is."""
        place = _seen(control, self.window()) if control.isVisible() else QRect()
        if place.width() > 2 * AROUND_PX and place.height() > 2 * AROUND_PX:
            if place != self.geometry():
                self.setGeometry(place)
                inside = self.rect().adjusted(*_by(UNIT))
                self.setMask(QRegion(self.rect()) - QRegion(inside))
            if not self.isVisible():
                self.show()
                self.raise_()
        elif self.isVisible():
            self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours(self).accent), THICK_PX))
        half = THICK_PX / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), UNIT, UNIT)


class KeyboardFocus(QObject):
    """Has the ring follow the focus through every window of the program.

    Holds no control and no window: one that only Python holds would end in the midst of a change.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._by_keyboard = False
        self._watch: _Watch | None = None
        app.focusChanged.connect(self._moved)

    def _moved(self) -> None:
        if self._watch is not None:
            self._watch.end()
        control = QApplication.focusWidget()
        if control is None:
            self._watch = None
            return
        window = control.window()
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._by_keyboard = False
        elif window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            self._by_keyboard = True
        has_ring = self._by_keyboard and not _shows_itself(control)
        self._watch = _Watch(self.key_pressed, _ring_of(window) if has_ring else None)
        self._watch.follow(control)

    def key_pressed(self) -> None:
        """Wherever the focus goes from here, a key sent it."""
        self._by_keyboard = True


class _Watch(QObject):
    """What happens to one control as long as the focus is there; gone, it watches no more."""

    def __init__(self, pressed: Callable[[], None], ring: FocusRing | None) -> None:
        super().__init__()
        self._pressed, self._ring = pressed, ring

    def follow(self, control: QWidget) -> None:
        control.installEventFilter(self)
        if self._ring is None:
            return
        above: QWidget | None = control
        while above is not None and not above.isWindow():
            above = above.parentWidget()
            if above is not None:
                above.installEventFilter(self)
        self._ring.lie_around(control)

    def end(self) -> None:
        if self._ring is not None and isValid(self._ring):
            self._ring.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in KEYS:
            self._pressed()
        elif kind in PLACES and self._ring is not None and isValid(self._ring):
            control = QApplication.focusWidget()
            if control is not None and control.window() is self._ring.window():
                self._ring.lie_around(control)
        return False


def _ring_of(window: QWidget) -> FocusRing:
    mine = Qt.FindChildOption.FindDirectChildrenOnly
    rings = window.findChildren(FocusRing, options=mine)
    return rings[0] if rings else FocusRing(window)


def _shows_itself(control: QWidget) -> bool:
    """The tab in use and the row of an open list are marked by the theme."""
    in_list = control.window().inherits("QComboBoxPrivateContainer")
    return in_list or isinstance(control, QTabBar) or control.isWindow()


def _seen(control: QWidget, window: QWidget) -> QRect:
    """The part of a control in sight with some pixels around, in its window."""
    size = control.size()
    if isinstance(control, QCheckBox | QRadioButton):
        size.setWidth(min(size.width(), control.sizeHint().width()))
    place = QRect(control.mapTo(window, QPoint()), size).adjusted(*_by(-AROUND_PX))
    above = control.parentWidget()
    while above is not None and above is not window:
        if isinstance(above.parentWidget(), QAbstractScrollArea):
            room = QRect(above.mapTo(window, QPoint()), above.size())
            place &= room.adjusted(*_by(-AROUND_PX))
        above = above.parentWidget()
    return place & window.rect()


def _by(px: int) -> tuple[int, int, int, int]:
    return px, px, -px, -px
