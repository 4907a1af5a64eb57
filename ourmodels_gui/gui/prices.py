"""The user's own prices, currency and electricity: kept in one place, changed in a small form."""

from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QDate, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from .. import settings as files
from ..language import tr
from ..problem import BadInput
from ..settings import OwnPrice, Settings
from . import typed
from .captions import message, say
from .form import Group
from .theme import CARD_PADDING, UNIT

WIDTH_PX = 320


class Prices(QObject):
    """Holds the settings of the user's folder; every change is written at once.

    changed: they are others. refused: why they could not be kept on the disk.
    """

    changed = Signal()
    refused = Signal(str)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self.settings, self.notice = files.load(folder)

    def edit(self, changes: dict[str, Any]) -> None:
        """Change some settings by name; None stands for the default. Raises BadInput, and changes
        nothing, for values that cannot stand."""
        document = msgspec.to_builtins(self.settings) | msgspec.to_builtins(changes)
        kept = {key: value for key, value in document.items() if value is not None}
        whole = {"format": files.FORMAT, "version": files.VERSION} | kept
        self._put(files.read(msgspec.json.encode(whole)))

    def set_price(self, machine_id: str, amount: float | None) -> None:
        """The user's own price of a machine, None to go back to the catalog's. Raises BadInput."""
        own = dict(self.settings.prices)
        own.pop(machine_id, None)
        if amount is not None:
            today = QDate.currentDate().toString(Qt.DateFormat.ISODate)
            own[machine_id] = OwnPrice(amount, today)
        self.edit({"prices": own})

    def _put(self, settings: Settings) -> None:
        if settings == self.settings:
            return
        self.settings = settings
        try:
            files.save(settings, self._folder)
        except OSError as error:
            reason = error.strerror or str(error)
            self.refused.emit(
                tr("Prices cannot be kept in {folder}: {reason}").format(
                    folder=self._folder, reason=reason
                )
            )
        self.changed.emit()


def typed_price(text: str) -> float | None:
    """A price as typed, None for nothing. Raises ValueError with what to write instead."""
    if not text.strip():
        return None
    amount = typed.number(text)
    if amount <= 0:
        raise ValueError(tr("a price must be above 0; leave it empty where it is unknown"))
    return amount


class PricesPopup(QFrame):
    """Currency, what a dollar is worth, electricity, lifetime; Escape closes."""

    def __init__(self, prices: Prices, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(tr("Prices and electricity"))
        self._prices = prices
        self.form = form = Group(foldable=False)
        form.set_title(tr("Prices"))
        form.text("currency", tr("Currency"), tr("Three letters, such as USD or EUR"))
        form.number(
            "currency_per_usd",
            tr("One dollar is"),
            tr("Launch prices are in dollars. They count once this says what one is worth."),
        )
        form.number(
            "electricity_per_kwh",
            tr("Electricity"),
            tr("Price of a kilowatt-hour, for the cost of a million tokens"),
            unit=tr("per kWh"),
        )
        form.number(
            "lifetime_years",
            tr("Lifetime"),
            tr("Years over which a machine is paid for, running day and night"),
            unit=tr("years"),
        )
        form.edited.connect(self._edit)
        self.own = message(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING, 2 * UNIT, CARD_PADDING, CARD_PADDING)
        layout.addWidget(form)
        layout.addWidget(self.own)
        prices.changed.connect(self._show_values)
        self._show_values()

    def open_at(self, corner: QPoint) -> None:
        """Show with the upper right corner at a point of the screen, the first field in focus."""
        self.resize(WIDTH_PX, self.sizeHint().height())
        screen = self.screen().availableGeometry()
        x = min(corner.x() - self.width(), screen.right() - self.width())
        y = min(corner.y(), screen.bottom() - self.height())
        self.move(max(x, screen.left()), max(y, screen.top()))
        self.show()
        self.form.field("currency").setFocus()

    def _show_values(self) -> None:
        settings = self._prices.settings
        plain = Settings()
        values = {
            "currency": settings.currency if settings.currency != plain.currency else None,
            "currency_per_usd": settings.currency_per_usd,
            "electricity_per_kwh": settings.electricity_per_kwh,
            "lifetime_years": settings.lifetime_years
            if settings.lifetime_years != plain.lifetime_years
            else None,
        }
        defaults = {"currency": plain.currency, "lifetime_years": plain.lifetime_years}
        self.form.present(values, defaults)
        self.form.show_row("currency_per_usd", settings.currency != "USD")
        count = len(settings.prices)
        words = tr("{count} own prices. Edit one with F2 in the table; empty it to drop it.")
        none = tr("Type your own price of a machine with F2 in the table.")
        say(self.own, words.format(count=count) if count else none)
        self.resize(self.width(), self.sizeHint().height())

    def _edit(self, changes: dict[str, Any]) -> None:
        if isinstance(code := changes.get("currency"), str):
            changes = {"currency": code.strip().upper()}
        try:
            self._prices.edit(changes)
        except BadInput as bad:
            self.form.refuse(bad.problem.key, bad.problem.message, until_retyped=True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)
