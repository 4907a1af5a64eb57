"""What all changes to the user's own files have in common."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog, QLineEdit

from ...language import tr
from ...library.load import Library
from ..main_window import MainWindow
from ..store import Store


class UserFiles(QObject):
    """Each change writes a file, loads the library again and chooses what was written.

    Parameters: folder of the user's files; reload, which reads the library again.
    """

    def __init__(
        self, store: Store, window: MainWindow, folder: Path, reload: Callable[[], Library]
    ) -> None:
        super().__init__(window)
        self._store = store
        self._window = window
        self._folder = folder
        self._reload = reload
        self._listen()

    def _listen(self) -> None:
        """Connect to what the window is asked for."""
        raise NotImplementedError

    def _read_again(self) -> None:
        self._store.set_library(self._reload())

    def _ask_name(self, title: str, name: str) -> str:
        """What was typed; "" when nothing was agreed to."""
        normal = QLineEdit.EchoMode.Normal
        typed, agreed = QInputDialog.getText(self._window, title, tr("Name"), normal, name)
        return typed.strip()[:120] if agreed else ""
