"""One question before something is lost."""

from PySide6.QtWidgets import QMessageBox, QWidget


def may_lose(parent: QWidget, title: str, words: str) -> bool:
    """Ask whether something may be discarded; what happens without a choice is that it stays."""
    button = QMessageBox.StandardButton
    answer = QMessageBox.question(
        parent, title, words, button.Discard | button.Cancel, button.Cancel
    )
    return answer == button.Discard
