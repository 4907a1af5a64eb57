"""JSON of a model's folder: huge indexes, and configs that hold numbers such as Infinity.

Stricter than it has to be about text and keys, laxer about numbers: a config may hold a NaN where
nobody looks. Whoever does look gets a message (`Fields`).
"""

import json
import math
from pathlib import Path
from typing import Any

import msgspec

from ...language import tr
from ...problem import BadInput
from .bounded import read_whole
from .found import shorten

LARGEST_CONFIG = 10_000_000
DEEPEST = 60
LARGEST_INTEGER = 1 << 62


def parse_json(data: bytes, place: str) -> dict[str, Any]:
    """An object from UTF-8 JSON without repeated keys.

    Raises BadInput. A number that is not finite stands as such in the result.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        message = tr("byte {start} is not UTF-8 text; download the file again").format(
            start=bad.start
        )
        raise BadInput("", message, place) from None
    try:
        value = json.loads(text, object_pairs_hook=_without_twins, parse_int=_integer)
    except _Twin as twin:
        raise BadInput(shorten(twin.key), tr("this key stands twice; keep one"), place) from None
    except json.JSONDecodeError as bad:
        message = tr("not valid JSON, line {lineno} column {colno}: {msg}").format(
            lineno=bad.lineno, colno=bad.colno, msg=bad.msg
        )
        raise BadInput("", message, place) from None
    except RecursionError:
        raise BadInput("", tr("the file nests too deeply"), place) from None
    if not isinstance(value, dict):
        raise BadInput("", tr("expected an object {...}"), place)
    return value


def read_config(path: Path) -> dict[str, Any]:
    """A config.json. Raises OSError, or BadInput as `parse_json` does, also for deep nesting."""
    config = parse_json(read_whole(path, LARGEST_CONFIG), str(path))
    if _depth(config) > DEEPEST:
        raise BadInput("", tr("the file nests too deeply; it is no model's config"), str(path))
    return config


class _Twin(Exception):  # noqa: N818 - it names what was met
    def __init__(self, key: str) -> None:
        self.key = key


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twin(next(key for place, key in enumerate(keys) if key in keys[:place]))
    return found


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= 20 else float(digits)


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level:
        deepest += 1
        level = [
            item
            for one in level
            for item in (one.values() if isinstance(one, dict) else one)
            if isinstance(item, dict | list)
        ]
    return deepest


class Fields(msgspec.Struct, frozen=True):
    """Metadata by name, with what is wrong with a value said in one place.

    prefix: of the keys, for messages.
    """

    values: dict[str, Any]
    place: str
    prefix: str = ""

    def count(self, *names: str, zero: bool = False) -> int | None:
        """The first of these that is given, a whole number of at least 1 (or 0).

        None when none is given. Raises BadInput for what is no such number.
        """
        for name in names:
            value = self.values.get(name)
            if value is None or isinstance(value, list | dict):
                continue
            whole = self._whole(name, value)
            if whole < (0 if zero else 1):
                if whole == 0:
                    continue
                raise BadInput(
                    self.prefix + name, tr("{value} cannot be").format(value=value), self.place
                )
            return whole
        return None

    def counts(self, name: str) -> list[int] | None:
        """A list of whole numbers, None where there is none."""
        value = self.values.get(name)
        if not isinstance(value, list):
            return None
        return [self._whole(name, item) for item in value]

    def flag(self, *names: str) -> bool | None:
        """The first of these that is given, true or false."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, bool):
                return value
        return None

    def text(self, *names: str) -> str | None:
        """The first of these that is given, as a short text."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, str) and value.strip():
                return shorten(" ".join(value.split()), 200)
        return None

    def words(self, name: str) -> list[str] | None:
        """A list of texts, None where there is none."""
        value = self.values.get(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return None
        return value

    def inside(self, *names: str) -> "Fields | None":
        """The first of these that is an object of its own."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, dict):
                return Fields(value, self.place, f"{self.prefix}{name}.")
        return None

    def _whole(self, name: str, value: Any) -> int:
        key = self.prefix + shorten(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(
                key, tr("{value} is not a number").format(value=shorten(repr(value))), self.place
            )
        if not math.isfinite(value) or value != int(value) or abs(value) > LARGEST_INTEGER:
            raise BadInput(
                key, tr("{value} is not a sensible whole number").format(value=value), self.place
            )
        return int(value)
