"""Small sentences under a field or a list: what is wrong, odd or special."""

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QWidget

from .theme import sized


def message(parent: QWidget | None = None, *, error: bool = False) -> QLabel:
    """A caption that wraps; muted, or in the colour of what does not fit."""
    label = QLabel(parent)
    label.setWordWrap(True)
    label.setFont(sized("caption"))
    role = QPalette.ColorRole.BrightText if error else QPalette.ColorRole.PlaceholderText
    label.setForegroundRole(role)
    label.setVisible(False)
    return label


def say(label: QLabel, text: str) -> None:
    """Show a sentence, or nothing when there is none."""
    label.setText(text)
    label.setVisible(bool(text))
