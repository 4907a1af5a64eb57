"""One part of a composition: how many, which machine, and a way to take it away."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from ...composed import MOST_DEVICES
from ...language import tr
from .. import typed
from ..fields import NumberField
from ..theme import RADIUS, UNIT, colours, px, sized

COUNT_PX = 40


class PartName(QAbstractButton):
    """The name with its figures behind it; checked, the list below chooses another in its place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures = ""
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def say(self, name: str, figures: str) -> None:
        self.setText(name)
        self._figures = figures
        words = ", ".join(filter(None, (name, figures)))
        self.setAccessibleName(words)
        hint = tr("The list below puts another in its place")
        self.setAccessibleDescription(hint)
        self.setToolTip(f"{words}\n{hint}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, QFontMetrics(sized("text")).height() + 2 * UNIT)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, painter = colours(self), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tint = QColor(palette.accent)
        tint.setAlpha(40 if self.isChecked() else 16 if self.underMouse() else 0)
        painter.setBrush(tint)
        painter.setPen(QPen(QColor(palette.accent)) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS / 2, RADIUS / 2
        )
        inside = self.rect().adjusted(UNIT, 0, -UNIT, 0)
        painter.setFont(sized("text"))
        metrics = painter.fontMetrics()
        figures = self.shown_figures(metrics, inside.width())
        room = inside.width() - metrics.horizontalAdvance(figures) - 2 * UNIT * bool(figures)
        middle = Qt.AlignmentFlag.AlignVCenter
        name = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, max(room, 0))
        painter.setPen(QColor(palette.accent if self.isChecked() else palette.text))
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignLeft, name)
        painter.setPen(QColor(palette.muted))
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignRight, figures)

    def shown_figures(self, metrics: QFontMetrics, room: int) -> str:
        """As many figures as leave room for the whole name; memory before bandwidth."""
        left = room - metrics.horizontalAdvance(self.text()) - 2 * UNIT
        for words in (self._figures, self._figures.partition(" \u00b7 ")[0]):
            if metrics.horizontalAdvance(words) <= left:
                return words
        return ""


class PartRow(QWidget):
    """counted: how many were typed, None for one. refused: why a number cannot be. removed."""

    counted = Signal(object)
    refused = Signal(str)
    removed = Signal()

    def __init__(self, parent: QWidget | None = None, *, has_count: bool = True) -> None:
        super().__init__(parent)
        self.count = NumberField(device_count, typed.show, parent=self)
        self.count.setFixedWidth(px(COUNT_PX))
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.count.setToolTip(tr("How many of this machine work together."))
        self.count.committed.connect(self.counted)
        self.count.refused.connect(self.refused)
        self._times = QLabel("\u00d7", self)
        self._times.setBuddy(self.count)
        self.name = PartName(self)
        self.take_away = QToolButton(self, autoRaise=True)
        self.take_away.setText("\u00d7")
        self.take_away.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.take_away.clicked.connect(self.removed)
        kept = self.take_away.sizePolicy()
        kept.setRetainSizeWhenHidden(True)
        self.take_away.setSizePolicy(kept)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(UNIT)
        if not has_count:
            self._times.setText("+")
            row.addSpacing(px(COUNT_PX) + UNIT)
        self.count.setVisible(has_count)
        row.addWidget(self.count)
        row.addWidget(self._times)
        row.addWidget(self.name, 1)
        row.addWidget(self.take_away)

    def say(self, name: str, figures: str, count: int, *, can_go: bool) -> None:
        """can_go: whether it can be taken away."""
        self.name.say(name, figures)
        self.take_away.setVisible(can_go)
        self.count.present(None if count == 1 else count, 1)
        self.count.setAccessibleName(tr("Number of {name}").format(name=name))
        words = tr("Take {name} away").format(name=name)
        self.take_away.setAccessibleName(words)
        self.take_away.setToolTip(words)


def device_count(text: str) -> int:
    """A typed number of devices. Raises ValueError with what to write.

    >>> device_count("2")
    2
    """
    try:
        count = typed.whole(text)
    except ValueError:
        count = 0
    if not 1 <= count <= MOST_DEVICES:
        most = typed.show(MOST_DEVICES)
        raise ValueError(tr("write a whole number of devices, from 1 to {most}").format(most=most))
    return count
