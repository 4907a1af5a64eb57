"""Opens the window of sources when it is asked for, and keeps it up to date."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ..evaluation import Evaluation
from .main_window import MainWindow
from .recompute import Recompute
from .store import Store

if TYPE_CHECKING:
    from .sources_window import SourcesWindow


class Sources(QObject):
    """Makes the window at the first asking; no start needs it."""

    def __init__(self, store: Store, recompute: Recompute, window: MainWindow) -> None:
        super().__init__(window)
        self._store = store
        self._main = window
        self._last: Evaluation | None = None
        self.window: SourcesWindow | None = None
        window.sources_asked.connect(self.open)
        recompute.evaluated.connect(self._present)

    def open(self, page: str) -> None:
        """Show the sources of the "machine" or the "model", or the "audit" of the catalog."""
        if self.window is None:
            from .sources_window import SourcesWindow  # noqa: PLC0415

            self.window = SourcesWindow(self._main)
        self.window.open_page(page)
        if self._last is not None:
            self._present(self._last)

    def _present(self, evaluation: Evaluation) -> None:
        self._last = evaluation
        if self.window is not None and self.window.isVisible():
            self.window.present(evaluation, self._store.library)
