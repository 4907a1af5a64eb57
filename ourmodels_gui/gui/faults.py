"""A fault of the program: the work is kept, and a report can be copied."""

import sys
import traceback
from collections.abc import Callable
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from .. import paths
from ..language import tr
from .theme import CARD_PADDING, GROUP_GAP, fixed_font, open_at
from .versions import as_lines, versions

MOST_LETTERS = 100_000
"""A fault in every paint must not fill the memory."""


class Faults(QObject):
    """Takes what nobody caught, from any thread, and shows it in one dialog.

    Parameters: window; keep, called at once to bring the work into safety; catalog, the version of
    its figures.
    """

    _fell = Signal(str)

    def __init__(self, window: QWidget, keep: Callable[[], object], catalog: str) -> None:
        super().__init__(window)
        self._window = window
        self._keep = keep
        self._catalog = catalog
        self.dialog: FaultDialog | None = None
        # Queued even in this thread: a fault in a paint event must not open a window inside it.
        self._fell.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def hook(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """What `sys.excepthook` is set to; also called for faults of other threads."""
        sys.__excepthook__(kind, error, trace)
        if issubclass(kind, Exception):
            self._fell.emit("".join(traceback.format_exception(kind, error, trace)))

    def _show(self, trace: str) -> None:
        self._keep()
        if self.dialog is None:
            self.dialog = FaultDialog(as_lines(versions(self._catalog)), self._window)
            self.dialog.finished.connect(self._forget)
            self.dialog.show()
        self.dialog.add(trace)

    def _forget(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


class FaultDialog(QDialog):
    """Says what happened and what it means; the window behind it stays usable."""

    def __init__(self, heading: str, parent: QWidget | None = None) -> None:
        """heading: what the report begins with."""
        super().__init__(parent)
        self.setWindowTitle(tr("A fault inside the program"))
        words = QLabel(
            tr(
                "Something in the program went wrong. Your scenario is untouched, and a copy of "
                "it is kept. You can go on; what you see may be incomplete until the next edit.\n\n"
                "Nothing was sent anywhere. Whoever is to mend it needs this report; look through "
                "it first, it may name files of yours."
            ),
            self,
        )
        words.setWordWrap(True)
        self.report = QPlainTextEdit(self, readOnly=True)
        self.report.setAccessibleName(tr("Report"))
        self.report.setFont(fixed_font())
        self.report.setPlainText(heading)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton(tr("Copy the report"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self.copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GROUP_GAP, GROUP_GAP, GROUP_GAP, GROUP_GAP)
        layout.setSpacing(CARD_PADDING)
        layout.addWidget(words)
        layout.addWidget(self.report, 1)
        layout.addWidget(buttons)
        open_at(self, 680, 460)

    def add(self, trace: str) -> None:
        """Put another fault below the others, unless it is there or the report is long already."""
        said = self.report.toPlainText()
        if len(home := str(paths.home())) > 1:  # "/" is in every path
            trace = trace.replace(home, "~")
        trace = trace.rstrip()
        if trace not in said and len(said) < MOST_LETTERS:
            self.report.appendPlainText("\n" + trace)

    def copy(self) -> None:
        """Put the report on the clipboard."""
        QGuiApplication.clipboard().setText(self.report.toPlainText())
