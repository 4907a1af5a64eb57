"""Small sentences under a field or a list: what is wrong, odd or special."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from .theme import GROUP_GAP, sized


def message(parent: QWidget | None = None, *, error: bool = False) -> QLabel:
    """A caption that wraps; muted, or in the colour of what does not fit."""
    label = QLabel(parent)
    label.setWordWrap(True)
    label.setFont(sized("caption"))
    role = QPalette.ColorRole.BrightText if error else QPalette.ColorRole.PlaceholderText
    label.setForegroundRole(role)
    label.setVisible(False)
    return label


def instead(parent: QWidget | None = None) -> QLabel:
    """Words in the middle, in the place of what cannot be shown; hidden until they are said."""
    label = QLabel(parent)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setMargin(GROUP_GAP)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setVisible(False)
    return label


def say(label: QLabel, text: str) -> None:
    """Show a sentence, or nothing when there is none."""
    label.setText(text)
    label.setVisible(bool(text))
