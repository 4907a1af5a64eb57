"""What people type as a number, in their own locale, and how it is shown back."""

from PySide6.QtCore import QLocale

from .. import units
from ..language import use_signs
from ..settings import Numbers
from ..units import Separators

WRITTEN_SO: dict[Numbers, QLocale.Language] = {
    "1,234.5": QLocale.Language.English,
    "1.234,5": QLocale.Language.German,
    "1 234,5": QLocale.Language.French,
}
"""A language whose people write numbers so."""


def use_numbers(numbers: Numbers) -> None:
    """Read and write numbers so from now on; "system" leaves them to the user's locale."""
    if numbers in WRITTEN_SO:
        QLocale.setDefault(QLocale(WRITTEN_SO[numbers]))
    use_signs(separators)


def separators() -> Separators:
    """Group and decimal separators of the user's locale."""
    locale = QLocale()
    return Separators(locale.groupSeparator(), locale.decimalPoint())


def number(text: str) -> float:
    """A typed number. Raises ValueError with the sentence to show at the field."""
    return units.parse_number(_as_locale(text), separators())


def whole(text: str) -> int:
    """A typed whole number, "100k" and "128Ki" included; raises ValueError with a sentence."""
    return units.parse_tokens(_as_locale(text), separators())


def show(value: float) -> str:
    """Every digit that a person would type, grouped as the locale does."""
    if value == round(value) and abs(value) < 1e15:
        return units.number(value, 0, separators())
    return units.exact(float(f"{value:.12g}")).replace(".", separators().point)


def _as_locale(text: str) -> str:
    """Any kind of blank stands for the locale's group separator, where that is a blank."""
    group = separators().group
    return group.join(text.split()) if not group.strip() else text
