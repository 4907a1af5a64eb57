"""The words of the window in the user's language; English, as the code has them, until `use`.

`tr` translates a text where it is shown. A text that stands before that, in a constant or as one
of an engine's words that code compares, is marked with `mark` and given to `tr` where it is shown.
Only the window calls `use`: commands, files and exports speak English.

>>> tr("{count} sessions").format(count=3), trn("{n} row", "{n} rows", 1).format(n=1)
('3 sessions', '1 row')
"""

import gettext
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Real
from pathlib import Path

from . import paths

VARIABLE = "OURMODELS_LANGUAGE"
"""Environment variable with the code of a language; it goes before what the system says."""
DOMAIN = "ourmodels"
ENGLISH = "en"

Signs = tuple[str, str]
"""What stands between groups of three digits, and before the decimals."""

_plain = gettext.NullTranslations()
_used: gettext.NullTranslations = _plain
_here: ContextVar[gettext.NullTranslations | None] = ContextVar("_here", default=None)
_signs: Callable[[], Signs] | None = None


def tr(text: str) -> str:
    """The text in the language in use. Values are put in afterwards, with `format`."""
    # What "" stands for is the file's header.
    return _for_values((_here.get() or _used).gettext(text)) if text else text


def trn(one: str, many: str, count: int) -> str:
    """The text for so many of something: languages differ in which numbers share a form."""
    return _for_values((_here.get() or _used).ngettext(one, many, count))


def written(value: float, spec: str) -> str:
    """A number as `format` has it, with the signs in use.

    >>> written(1234.56, ",.1f")
    '1,234.6'
    """
    text, signs = format(value, spec), in_use()[1]
    return text if signs is None else signed(text, signs)


def signed(text: str, signs: Signs) -> str:
    """A number as English writes it -> with these signs.

    >>> signed("1,234.6", (".", ","))
    '1.234,6'
    """
    group, point = signs
    return text.translate({ord(","): group, ord("."): point})


def in_use() -> tuple[gettext.NullTranslations, Signs | None]:
    """What any text rests on: the words and the signs of here and now; None is English."""
    here = _here.get()
    return here or _used, None if here is not None or _signs is None else _signs()


def _for_values(text: str) -> str:
    # Others stay plain: they are stored as they are, and msgspec stores no other kind of str.
    return text if _signs is None or "{" not in text else _Text(text)


class _Text(str):
    """A text that numbers are put into with the signs in use."""

    __slots__ = ()

    def format(self, *values: object, **named: object) -> str:
        return str.format(self, *map(_number, values), **{k: _number(v) for k, v in named.items()})


class _Number:
    def __init__(self, value: Real) -> None:
        self._value = value

    def __repr__(self) -> str:
        return repr(self._value)

    def __format__(self, spec: str) -> str:
        return written(self._value, spec)  # type: ignore[arg-type]


def _number(value: object) -> object:
    return _Number(value) if isinstance(value, Real) and not isinstance(value, bool) else value


def use_signs(signs: Callable[[], Signs] | None) -> None:
    """Ask here from now on what numbers are written with; None is English."""
    global _signs  # noqa: PLW0603 - a program has one language
    _signs = signs


def mark(text: str) -> str:
    """The text itself; it is translated where it is shown."""
    return text


def languages() -> tuple[str, ...]:
    """The codes of the languages that there are words of.

    >>> languages()
    ('de', 'en')
    """
    known = {path.parts[-3] for path in _folder().glob(f"*/LC_MESSAGES/{DOMAIN}.mo")}
    return tuple(sorted({ENGLISH, *known}))


def chosen(asked: str, system: Iterable[str]) -> str:
    """The language to use: the one asked for, or the first of the system's that is known.

    Parameters: asked, a code or "" for the system's; system, names of locales, the best one first.

    >>> chosen("en", ["de-AT"]), chosen("", ["gsw-CH", "de-CH", "en"]), chosen("xx", ["fr_FR"])
    ('en', 'de', 'en')
    """
    known = languages()
    codes = (name.replace("_", "-").partition("-")[0].lower() for name in (asked, *system))
    return next((code for code in codes if code in known), ENGLISH)


def use(code: str) -> None:
    """Speak this language from now on. Raises OSError where it has no words."""
    speak(_plain if code == ENGLISH else gettext.translation(DOMAIN, _folder(), [code]))


def speak(words: gettext.NullTranslations) -> None:
    """Take the words from here; tests give their own."""
    global _used  # noqa: PLW0603 - a program has one language
    _used = words


@contextmanager
def english() -> Iterator[None]:
    """Inside, this thread speaks English: what leaves the window reads the same everywhere."""
    before = _here.set(_plain)
    try:
        yield
    finally:
        _here.reset(before)


def _folder() -> Path:
    return paths.resources() / "locale"
