"""Text <-> numbers: rates, sizes, tokens, times, as people read and type them.

Rounding is for people; `exact` keeps every digit. Separators are English unless others are given,
so a window can follow its locale while reports and text output do not.
"""

import math
import re
from typing import NamedTuple

from .language import mark, signed, tr

GB = 1e9
GIB = float(2**30)
THIN_SPACE = "\u2009"

SIZES = {
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": GB,
    "TB": 1e12,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": GIB,
    "TiB": 2.0**40,
}
MULTIPLES = {"": 1, "k": 10**3, "ki": 2**10, "m": 10**6, "mi": 2**20}


class Separators(NamedTuple):
    """What stands between groups of three digits, and before the decimals."""

    group: str = ","
    point: str = "."


ENGLISH = Separators()


def number(value: float, decimals: int = 0, separators: Separators = ENGLISH) -> str:
    """A number with grouped digits and a fixed count of decimals; never "-0".

    >>> number(1008.4), number(12.41, 1), number(0.0 - 0.01, 1)
    ('1,008', '12.4', '0.0')
    """
    text = f"{value:,.{decimals}f}"
    if text.startswith("-") and not text.strip("-0.,"):
        text = text[1:]
    return signed(text, separators)


def rate(value: float, separators: Separators = ENGLISH) -> str:
    """Tokens per second: one decimal below 100, whole below 10,000, then thousands (k), then
    millions (M), with one decimal. The limits are those of the rounded figure.

    >>> [rate(x) for x in (12.41, 99.96, 335.6, 1008.2, 9999.6, 18188.0, 2.5e6)]
    ['12.4', '100', '336', '1,008', '10.0k', '18.2k', '2.5M']
    """
    if round(value, 1) < 100:
        return number(value, 1, separators)
    if round(value) < 10_000:
        return number(value, 0, separators)
    if round(value / 1e3, 1) < 1000:
        return number(value / 1e3, 1, separators) + "k"
    return number(value / 1e6, 1, separators) + "M"


def _scaled(value: float, units: tuple[tuple[str, float], ...], separators: Separators) -> str:
    """One decimal in the largest unit that leaves at least one before the point."""
    for unit, size in units[:-1]:
        if round(abs(value) / size, 1) >= 1:
            return f"{number(value / size, 1, separators)} {unit}"
    unit, size = units[-1]
    return f"{number(value / size, 0, separators)} {unit}"


def digits(value: float, count: int, separators: Separators = ENGLISH) -> str:
    """A figure with so many significant digits, whole from there on.

    >>> digits(0.01234, 3), digits(12.0, 3), digits(123456.0, 3), digits(0, 3)
    ('0.0123', '12', '123,456', '0')
    """
    text = f"{value:,.{count}g}"
    return signed(f"{value:,.0f}" if "e+" in text else text, separators)


def size(value: float, separators: Separators = ENGLISH) -> str:
    """Bytes, in decimal units: GB with one decimal, and smaller units below one GB.

    >>> size(18e9), size(326_899_200.0), size(98_304), size(-2.5e9), size(0)
    ('18.0 GB', '326.9 MB', '98.3 kB', '-2.5 GB', '0 B')
    """
    return _scaled(value, (("GB", GB), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)), separators)


def capacity(value: float, separators: Separators = ENGLISH) -> str:
    """A memory capacity in both readings of the word, GiB first where it is the rounder one.

    >>> capacity(24 * 2**30), capacity(128e9)
    ('24 GiB, 25.8 GB', '128 GB, 119.2 GiB')
    """
    in_gib, in_gb = value / GIB, value / GB
    if in_gib == round(in_gib):
        return f"{number(in_gib, 0, separators)} GiB, {number(in_gb, 1, separators)} GB"
    decimals = 0 if in_gb == round(in_gb) else 1
    return f"{number(in_gb, decimals, separators)} GB, {number(in_gib, 1, separators)} GiB"


def plain(value: float, separators: Separators = ENGLISH) -> str:
    """A figure with a decimal only where it says something: whole from 100 on, or when integral.

    >>> plain(273.0), plain(51.2), plain(8), plain(3352.3)
    ('273', '51.2', '8', '3,352')
    """
    whole = round(value, 1) >= 100 or value == round(value)
    return number(value, 0 if whole else 1, separators)


def bandwidth(value: float, separators: Separators = ENGLISH) -> str:
    """Bytes per second in GB/s.

    >>> bandwidth(273e9)
    '273 GB/s'
    """
    return f"{plain(value / GB, separators)} GB/s"


def compute(value: float, separators: Separators = ENGLISH) -> str:
    """FLOP per second in TFLOP/s.

    >>> compute(125e12)
    '125 TFLOP/s'
    """
    return f"{plain(value / 1e12, separators)} TFLOP/s"


def tokens(value: float, separators: Separators = ENGLISH) -> str:
    """A token count: exact, and short where that loses nothing.

    >>> tokens(100_000), tokens(131_072), tokens(8192), tokens(1_000_000)
    ('100k', '131,072', '8,192', '1M')
    """
    if value >= 10_000 and value % 1000 == 0:
        if value % 1_000_000 == 0:
            return number(value / 1_000_000, 0, separators) + "M"
        return number(value / 1000, 0, separators) + "k"
    return number(value, 0, separators)


def duration(value: float, separators: Separators = ENGLISH) -> str:
    """Seconds, with the digits that matter to someone who waits.

    >>> [duration(x) for x in (0.0004, 0.042, 0.423, 1.153, 25.2, 150, 7500)]
    ['0.4 ms', '42 ms', '0.42 s', '1.2 s', '25.2 s', '2 min 30 s', '2 h 5 min']
    """
    if value < 0.0095:
        return f"{number(value * 1e3, 1, separators)} ms"
    if value < 0.0995:
        return f"{number(value * 1e3, 0, separators)} ms"
    if value < 0.995:
        return f"{number(value, 2, separators)} s"
    if round(value, 1) < 120:
        return f"{number(value, 1, separators)} s"
    whole = round(value)
    if whole < 7200:
        return f"{whole // 60} min {whole % 60} s"
    return f"{number(whole // 3600, 0, separators)} h {whole % 3600 // 60} min"


def exact(value: float) -> str:
    """Every digit of a figure, for hovering and copying.

    >>> exact(0.1), exact(128e9), exact(7)
    ('0.1', '128000000000', '7')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value) if isinstance(value, int) else repr(float(value))


TOO_LARGE = mark("is larger than any number here can be")


def _split(text: str, separators: Separators) -> tuple[float, str]:
    """The figure and the unit behind it."""
    group, point = re.escape(separators.group), re.escape(separators.point)
    match = re.fullmatch(
        rf"([+-]?(?:\d{{1,3}}(?:{group}\d{{3}})+|\d+)?(?:{point}\d*)?(?:[eE][+-]?\d{{1,3}})?)"
        r"\s*([A-Za-z/]*)",
        text.strip().replace(THIN_SPACE, " "),
        flags=re.ASCII,
    )
    digits = match and match[1].replace(separators.group, "").replace(separators.point, ".")
    try:
        value = float(digits or "")
    except ValueError:
        raise ValueError(
            tr('"{text}" is not a number; write it like {example}').format(
                text=text.strip(), example=number(1234.5, 1, separators)
            )
        ) from None
    if math.isinf(value):
        raise ValueError(f'"{text.strip()}" {tr(TOO_LARGE)}')
    return value, match[2] if match else ""


def parse_number(text: str, separators: Separators = ENGLISH) -> float:
    """A typed figure without a unit. Raises ValueError with what to write instead.

    >>> parse_number("1,008"), parse_number(" 12.5 "), parse_number("1e5")
    (1008.0, 12.5, 100000.0)
    """
    value, unit = _split(text, separators)
    if unit:
        raise ValueError(
            tr('"{unit}" is not expected here; write the figure alone').format(unit=unit)
        )
    return value


def parse_tokens(text: str, separators: Separators = ENGLISH) -> int:
    """A typed token count; k and M are thousands and millions, Ki and Mi powers of two.

    >>> parse_tokens("100k"), parse_tokens("128Ki"), parse_tokens("131,072"), parse_tokens("1.5M")
    (100000, 131072, 131072, 1500000)
    """
    value, unit = _split(text, separators)
    if unit.lower() not in MULTIPLES:
        raise ValueError(
            tr('"{unit}" is not a multiple; write 100000, 100k or 128Ki').format(unit=unit)
        )
    count = value * MULTIPLES[unit.lower()]
    if not count.is_integer():
        raise ValueError(tr('"{text}" is not a whole number of tokens').format(text=text.strip()))
    if abs(count) >= 2**53:  # not every whole number can be told from the next any more
        raise ValueError(f'"{text.strip()}" {tr(TOO_LARGE)}')
    return int(count)


def parse_size(text: str, default_unit: str = "GB", separators: Separators = ENGLISH) -> float:
    """A typed size in bytes; a figure alone is in the default unit. Case does not matter.

    >>> parse_size("32 GiB") == 32 * 2**30, parse_size("8"), parse_size("512 mb")
    (True, 8000000000.0, 512000000.0)
    """
    value, unit = _split(text, separators)
    for name, factor in SIZES.items():
        if name.lower() == (unit or default_unit).lower():
            return value * factor
    raise ValueError(tr('"{unit}" is not a unit of size; write GB or GiB').format(unit=unit))
