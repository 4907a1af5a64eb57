"""A list that drops down, as every form uses it."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QWidget


class _WheelNeedsFocus(QObject):
    """Lets the wheel scroll the page instead of changing a value in passing."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and not watched.hasFocus():  # type: ignore[attr-defined]
            event.ignore()
            return True
        return False


def wheel_needs_focus(widget: QWidget) -> None:
    """The wheel changes `widget` only while it has the focus, and never gives it the focus."""
    widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    widget.installEventFilter(_WheelNeedsFocus(widget))


class ListField(QComboBox):
    """May be narrower than its words, which are whole on hover; the wheel needs the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tip = ""
        wheel_needs_focus(self)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.currentTextChanged.connect(lambda _words: self._tell())

    def setToolTip(self, tip: str) -> None:
        """What the field is for; words that are cut stand before it."""
        self._tip = tip
        self._tell()

    def _tell(self) -> None:
        words = self.currentText()
        whole = self.fontMetrics().horizontalAdvance(words) <= self._room(self._option())
        super().setToolTip(self._tip if whole else "\n".join(filter(None, (words, self._tip))))

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option

    def _room(self, option: QStyleOptionComboBox) -> int:
        part, control = QStyle.SubControl.SC_ComboBoxEditField, QStyle.ComplexControl.CC_ComboBox
        return self.style().subControlRect(control, option, part, self).width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()
