"""The settings in use: changed from anywhere in the window, written a moment later."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QDate, QObject, Qt, QTimer, Signal

from .. import settings as files
from ..language import tr
from ..paths import as_text
from ..settings import MOST_RECENT, OwnPrice, Settings
from .background import Worker

WRITE_AFTER_MS = 300


class Preferences(QObject):
    """Holds the settings of the user's folder; several changes in a row are written once, beside
    the window: a slow disk must not stop it.

    prices_changed: prices, or what they are counted in, are others. refused: why the settings could
    not be kept on the disk. notice: what is to be told of the file that was read.
    """

    prices_changed = Signal()
    refused = Signal(str)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self.settings, self.notice = files.load(folder)
        self._written = self.settings
        self._timer = QTimer(self, singleShot=True, interval=WRITE_AFTER_MS)
        self._timer.timeout.connect(self.write)
        self._asked = self.settings
        self._worker = Worker(self)
        self._worker.done.connect(self._take)
        self._worker.failed.connect(self._refuse)

    def edit(self, **changes: Any) -> None:
        """Change some settings by name; None stands for the default. Raises BadInput, and changes
        nothing, for values that cannot stand."""
        settings: Settings = files.edited(self.settings, changes)
        if settings == self.settings:
            return
        before, self.settings = self.settings, settings
        self._timer.start()
        if settings.money != before.money:
            self.prices_changed.emit()

    def set_price(self, machine_id: str, amount: float | None) -> None:
        """The user's own price of a machine, None to go back to the catalog's. Raises BadInput."""
        own = dict(self.settings.prices)
        own.pop(machine_id, None)
        if amount is not None:
            today = QDate.currentDate().toString(Qt.DateFormat.ISODate)
            own[machine_id] = OwnPrice(amount, today)
        self.edit(prices=own)

    def remember(self, path: Path) -> None:
        """Put a scenario file at the head of the recent ones."""
        if not (name := as_text(path)):
            return
        others = (old for old in self.settings.recent if old != name)
        self.edit(recent=(name, *others)[:MOST_RECENT])

    def write(self) -> None:
        """Write what has not been written yet, once what is being written is on the disk."""
        self._timer.stop()
        if self._worker.is_busy:
            self._timer.start()
        elif self.settings != self._written:
            self._asked = self.settings
            self._worker.ask(lambda _: files.change(self._folder, self._written, self._asked))

    def end(self) -> None:
        """Write it and wait until it is on the disk."""
        self._timer.stop()
        self._worker.close()
        if self.settings == self._written:
            return
        self._asked = self.settings
        try:
            self._take(files.change(self._folder, self._written, self._asked))
        except OSError as error:
            self._refuse(error)

    def _take(self, found: Settings) -> None:
        """What the file holds now, other windows' changes among it."""
        self.settings = files.carried(self._asked, self.settings, found)
        self._written = found

    def _refuse(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        self.refused.emit(
            tr("Settings cannot be kept in {folder}: {reason}").format(
                folder=self._folder, reason=reason
            )
        )
