"""What the user says once for every scenario: prices, looks, what was open. One typed file.

The file lies in the user's own folder and is written whole or not at all. A file that cannot be
read is set aside under another name, with a notice, and never written over. Several windows share
it: each writes only what it changed itself.
"""

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from . import strict_json
from .files import locked, read_small, write_whole
from .fitting import fit
from .language import tr
from .problem import BadInput

FORMAT = "ourmodels-settings"
VERSION = 1
FILE = "settings.json"
MOST_RECENT = 8

Theme = Literal["system", "light", "dark"]
Numbers = Literal["system", "1,234.5", "1.234,5", "1 234,5"]
Scope = Literal["machines", "models", "pairs"]
Look = Literal["table", "map", "value"]
THEMES: tuple[Theme, ...] = get_args(Theme)
NUMBERS: tuple[Numbers, ...] = get_args(Numbers)
TEXT_SIZES = (90, 100, 115, 130, 150, 200)
"""Percent, as the menu offers them."""

Money = Annotated[float, Meta(gt=0, le=1e12)]


class OwnPrice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a machine costs this user, in the currency of the settings; date as YYYY-MM-DD."""

    amount: Money
    date: str = ""
    note: str = ""


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Sizes of the window and its splitters: Qt's own saved states in base64."""

    geometry: str = ""
    columns: str = ""
    left: str = ""


class ReportChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the last report was made with; logo is the path of a picture."""

    author: str = ""
    logo: str = ""
    paper: Literal["a4", "letter"] = "a4"


class RankChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How the ranking is looked at.

    scope: machines for the chosen model, models for the chosen machine, or every pair. weights: a
    format id, `ranking.field.BEST`, or None for what the scenario or the release says. columns: in
    sight, none for those of a first run. ranges: what was typed, by column. facets: the values that
    stay. across, up: the axes of the value plot; `up` is also what the map shows.
    """

    scope: Scope = "machines"
    look: Look = "table"
    weights: str | None = None
    columns: tuple[str, ...] = ()
    sort: str = "aggregate_tokens_per_s"
    descending: bool = True
    ranges: dict[str, str] = {}
    facets: dict[str, tuple[str, ...]] = {}
    text: str = ""
    across: str = "price"
    up: str = "aggregate_tokens_per_s"


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything that outlives a run beside scenarios, machines and models.

    currency: of every price here. currency_per_usd: what one US dollar of a launch price is
    worth in it; None leaves launch prices out unless the currency is USD.
    electricity_per_kwh: None until typed. lifetime_years: of continuous use, over which a machine
    is paid for. prices: by machine id, in place of launch prices.
    language: a code, or "" for the system's. numbers: separators. text_percent: of the size that
    the system asks for. recent: scenario files, the last one first. hints_put_away: titles of tabs.
    """

    currency: str = "USD"
    currency_per_usd: Money | None = None
    electricity_per_kwh: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    lifetime_years: Annotated[float, Meta(gt=0, le=100)] = 3.0
    prices: dict[str, OwnPrice] = {}
    theme: Theme = "system"
    language: str = ""
    numbers: Numbers = "system"
    text_percent: Annotated[int, Meta(ge=70, le=250)] = 100
    layout: Layout = Layout()
    report: ReportChoice = ReportChoice()
    rank: RankChoice = RankChoice()
    recent: tuple[str, ...] = ()
    hints_put_away: tuple[str, ...] = ()

    @property
    def money(self) -> tuple[object, ...]:
        """All that a price depends on."""
        return (self.currency, self.currency_per_usd, self.electricity_per_kwh,
                self.lifetime_years, self.prices)  # fmt: skip

    def __post_init__(self) -> None:
        if not re.fullmatch("[A-Z]{3}", self.currency):
            raise BadInput("currency", tr("must be three capital letters, such as USD or EUR"))


MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""By version, what turns a document of that version into one of the next."""


def load(folder: Path) -> tuple[Settings, str]:
    """The settings kept in a folder, and a notice for the user, "" when there is nothing to say.

    No file means the defaults. A damaged file, or one of a later version, is set aside.
    """
    path = folder / FILE
    try:
        return read(read_small(path)), ""
    except FileNotFoundError:
        return Settings(), ""
    except OSError as bad:
        why = bad.strerror or str(bad)
        return Settings(), tr("{path} cannot be read ({why}); the defaults hold for now").format(
            path=path, why=why
        )
    except (BadInput, ValueError) as bad:
        return Settings(), _set_aside(path, str(bad))


def change(folder: Path, old: Settings, new: Settings) -> Settings:
    """Write what differs between two settings into the file, whatever else now stands there.

    Returns what the file then holds. Raises OSError; the file is then as it was.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        settings = carried(old, new, load(folder)[0])
        write_whole(folder / FILE, write(settings))
    return settings


def carried(old: Settings, new: Settings, kept: Settings) -> Settings:
    """What was kept meanwhile, with what differs between old and new changed in it too.

    >>> both = carried(Settings(), Settings(theme="light"), Settings("EUR", theme="dark"))
    >>> both.currency, both.theme
    ('EUR', 'light')
    """
    differing = {
        name: getattr(new, name)
        for name in Settings.__struct_fields__
        if getattr(new, name) != getattr(old, name)
    }
    if "prices" in differing:
        differing["prices"] = _prices(kept.prices, old.prices, new.prices)
    return msgspec.structs.replace(kept, **differing)


def _prices(
    kept: dict[str, OwnPrice], old: dict[str, OwnPrice], new: dict[str, OwnPrice]
) -> dict[str, OwnPrice]:
    """The kept prices with those changed that differ between old and new."""
    changed = {id_: new.get(id_) for id_ in old | new if old.get(id_) != new.get(id_)}
    prices = kept | changed
    return {id_: price for id_, price in prices.items() if price is not None}


def edited(settings: Settings, changes: dict[str, Any]) -> Settings:
    """The same with other values by name; None stands for the default. Raises BadInput.

    >>> edited(Settings(currency="EUR"), {"currency": None, "lifetime_years": 5}).lifetime_years
    5.0
    """
    document = _document(settings) | _document(changes)
    kept = {key: value for key, value in document.items() if value is not None}
    found: Settings = fit(kept, Settings)
    return found


def _document(value: Any) -> Any:
    """A value as a file would give it back."""
    return msgspec.json.decode(msgspec.json.encode(value))


def read(data: bytes) -> Settings:
    """The settings that a file holds. Raises BadInput with the path of the key at fault.

    >>> read(b'{"format": "ourmodels-settings", "version": 1, "prices": {"a": {"amount": 0}}}')
    Traceback (most recent call last):
    ...
    ourmodels_gui.problem.BadInput: prices.a.amount: 0 must be above 0
    """
    document = strict_json.parse(data)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadInput(
            "format", tr('must be "{format}"; this is not a settings file').format(format=FORMAT)
        )
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BadInput(
            "version", tr("must be a whole number up to {version}").format(version=VERSION)
        )
    if version > VERSION:
        raise BadInput(
            "version",
            tr("this program reads version {known}, the file has {version}").format(
                known=VERSION, version=version
            ),
        )
    for old in range(version, VERSION):
        document = MIGRATIONS[old](document)
    rest = {key: value for key, value in document.items() if key not in ("format", "version")}
    settings: Settings = fit(rest, Settings)
    return settings


def write(settings: Settings) -> bytes:
    """The file that holds the settings."""
    document = {"format": FORMAT, "version": VERSION} | _document(settings)
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _set_aside(path: Path, why: str) -> str:
    for number in range(1, 1000):
        aside = path.with_name(f"{path.stem}.unread-{number}{path.suffix}")
        if not os.path.lexists(aside):
            break
    with contextlib.suppress(OSError):
        os.rename(path, aside)
        return tr("The settings could not be read ({why}); they were kept as {name}.").format(
            why=why, name=aside.name
        )
    return tr("The settings could not be read ({why}) and stay where they are, in {path}.").format(
        why=why, path=path
    )
