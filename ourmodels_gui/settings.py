"""What the user says once for every scenario: prices, currency, electricity. One typed file.

The file lies in the user's own folder and is written whole or not at all. A file that cannot be
read is set aside under another name, with a notice, and never written over.
"""

import contextlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from . import strict_json
from .files import read_small, write_whole
from .problem import BadInput

FORMAT = "ourmodels-settings"
VERSION = 1
FILE = "settings.json"

Money = Annotated[float, Meta(gt=0, le=1e12)]


class OwnPrice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a machine costs this user, in the currency of the settings; date as YYYY-MM-DD."""

    amount: Money
    date: str = ""
    note: str = ""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """currency: of every price here. currency_per_usd: what one US dollar of a launch price is
    worth in it; None leaves launch prices out unless the currency is USD.
    electricity_per_kwh: None until typed. lifetime_years: of continuous use, over which a machine
    is paid for. prices: by machine id, in place of launch prices.
    """

    currency: str = "USD"
    currency_per_usd: Money | None = None
    electricity_per_kwh: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    lifetime_years: Annotated[float, Meta(gt=0, le=100)] = 3.0
    prices: dict[str, OwnPrice] = {}

    def __post_init__(self) -> None:
        if not re.fullmatch("[A-Z]{3}", self.currency):
            raise BadInput("currency", "must be three capital letters, such as USD or EUR")


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
        return Settings(), f"{path} cannot be read ({why}); prices are the catalog's for now"
    except (BadInput, ValueError) as bad:
        return Settings(), _set_aside(path, str(bad))


def save(settings: Settings, folder: Path) -> None:
    """Write the settings whole, or leave what was there. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / FILE, write(settings))


def read(data: bytes) -> Settings:
    """The settings that a file holds. Raises BadInput with the path of the key at fault.

    >>> read(b'{"format": "ourmodels-settings", "version": 1, "prices": {"a": {"amount": 0}}}')
    Traceback (most recent call last):
    ...
    ourmodels_gui.problem.BadInput: prices.a.amount: 0 must be above 0
    """
    document = strict_json.parse(data)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadInput("format", f'must be "{FORMAT}"; this is not a settings file')
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BadInput("version", f"must be a whole number up to {VERSION}")
    if version > VERSION:
        raise BadInput("version", f"this program reads version {VERSION}, the file has {version}")
    for old in range(version, VERSION):
        document = MIGRATIONS[old](document)
    rest = {key: value for key, value in document.items() if key not in ("format", "version")}
    settings: Settings = strict_json.fit(rest, Settings)
    return settings


def write(settings: Settings) -> bytes:
    """The file that holds the settings."""
    document = {"format": FORMAT, "version": VERSION} | msgspec.to_builtins(settings)
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _set_aside(path: Path, why: str) -> str:
    for number in range(1, 1000):
        aside = path.with_name(f"{path.stem}.unread-{number}{path.suffix}")
        if not os.path.lexists(aside):
            break
    with contextlib.suppress(OSError):
        os.rename(path, aside)
        return f"The settings could not be read ({why}); they were kept as {aside.name}."
    return f"The settings could not be read ({why}) and stay where they are, in {path}."
