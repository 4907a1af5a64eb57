"""Where a model's files are: typed, pasted, or chosen."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget

from ... import paths
from ...language import tr
from ...library.importers.opening import pasted_path
from ...problem import BadInput


class ModelPathRow(QWidget):
    """A path with two buttons, for a file and for a folder.

    given: the path to read, on Enter or when it was chosen. refused: why a text is none.
    """

    given = Signal(object)
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path = QLineEdit(self)
        self.path.setAccessibleName(tr("File or folder of the model"))
        words = tr("Path of a .gguf or .safetensors file, an index, a config.json or a folder")
        self.path.setPlaceholderText(words)
        self.path.setToolTip(words)
        self.path.setAcceptDrops(False)  # what is dropped is read at once, by the dialog
        self.path.returnPressed.connect(self._take)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.path, 1)
        row.addWidget(self._button(tr("File\u2026"), self._choose_file))
        row.addWidget(self._button(tr("Folder\u2026"), self._choose_folder))
        self.setFocusProxy(self.path)

    def _button(self, words: str, does: Callable[[], None]) -> QPushButton:
        button = QPushButton(words, self)
        button.setAutoDefault(False)  # Enter belongs to the field
        button.clicked.connect(lambda _checked=False: does())
        return button

    def _take(self) -> None:
        try:
            if self.path.text().strip():
                self.given.emit(pasted_path(self.path.text()))
        except BadInput as bad:
            self.refused.emit(str(bad.problem))

    def _choose_file(self) -> None:
        kinds = tr("Models (*.gguf *.safetensors *.json);;All files (*)")
        name, _ = QFileDialog.getOpenFileName(self, tr("A model's file"), self._folder(), kinds)
        if name:
            self.given.emit(Path(name))

    def _choose_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, tr("A model's folder"), self._folder())
        if name:
            self.given.emit(Path(name))

    def _folder(self) -> str:
        """Where to look for files: beside those that were given last."""
        path = Path(self.path.text())
        if not path.is_absolute():
            return str(paths.home())
        return str(path if path.is_dir() else path.parent)
