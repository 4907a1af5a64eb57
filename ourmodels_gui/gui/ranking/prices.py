"""The user's currency, electricity and what a dollar is worth, changed in a small form."""

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from ...language import tr
from ...problem import BadInput
from ...settings import Settings
from .. import typed
from ..captions import message, say
from ..form import Group
from ..preferences import Preferences
from ..theme import CARD_PADDING, UNIT, px

WIDTH_PX = 320


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

    def __init__(self, preferences: Preferences, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(tr("Prices and electricity"))
        self._preferences = preferences
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
        preferences.prices_changed.connect(self._show_values)
        self._show_values()

    def open_at(self, corner: QPoint) -> None:
        """Show with the upper right corner at a point of the screen, the first field in focus."""
        self.resize(px(WIDTH_PX), self.sizeHint().height())
        screen = self.screen().availableGeometry()
        x = min(corner.x() - self.width(), screen.right() - self.width())
        y = min(corner.y(), screen.bottom() - self.height())
        self.move(max(x, screen.left()), max(y, screen.top()))
        self.show()
        self.form.field("currency").setFocus()

    def _show_values(self) -> None:
        settings = self._preferences.settings
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
            self._preferences.edit(**changes)
        except BadInput as bad:
            self.form.refuse(bad.problem.key, bad.problem.message, until_retyped=True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)
