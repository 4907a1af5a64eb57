"""Where the output of a benchmark is pasted, dropped or opened; a huge one is shown in part."""

from pathlib import Path

from PySide6.QtCore import QMimeData, QTimer, Signal
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ...language import tr

SHOWN = 20_000
"""Characters of a long text that are put into the field: a million lines would freeze it."""


class PasteBox(QPlainTextEdit):
    """Says what is in it once typing pauses.

    given: a text, or the path of a file. A long text is kept aside and its beginning shown, not to
    be edited, until the field is cleared.
    """

    given = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Output of a benchmark"))
        self.setPlaceholderText(
            tr(
                "Paste what llama-bench, llama-batched-bench, vLLM, SGLang, mlx_lm or ollama "
                "printed, or drop a file here. Or fill in the fields below."
            )
        )
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._pause = QTimer(self, singleShot=True, interval=250)
        self._pause.timeout.connect(lambda: self.given.emit(self.toPlainText()))
        self.textChanged.connect(self._typed)

    def take(self, text: str) -> None:
        """Take a whole text in place of what is there."""
        long = len(text) > SHOWN
        self.blockSignals(True)
        self.setPlainText(text[:SHOWN] + "\n\u2026" if long else text)
        self.setReadOnly(long)
        self.blockSignals(False)
        self._pause.stop()
        self.given.emit(text)

    def show_file(self, path: Path) -> None:
        """Take a file: its name stands in the field, its content goes to the reader."""
        self.blockSignals(True)
        self.setPlainText(str(path))
        self.setReadOnly(True)
        self.blockSignals(False)
        self._pause.stop()
        self.given.emit(path)

    def clear(self) -> None:
        self.take("")

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        urls = source.urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            self.show_file(Path(urls[0].toLocalFile()))
            return
        text = source.text()
        if len(text) > SHOWN or self.isReadOnly():
            self.take(text)
        else:
            super().insertFromMimeData(source)

    def _typed(self) -> None:
        self._pause.start()
