"""Figures as programs and people print them, in any locale."""

import re
from functools import lru_cache

import msgspec

_BODY = r"[+-]?[.,]?\d[\d.,' \u00a0\u2009\u202f]*(?:[eE][+-]?\d{1,3})?"
FIGURE = re.compile(_BODY)
PLAIN = re.compile(r"\s*(\d+)(?:\.(\d+))?\s*(?:±[^,]*)?")
"""How nearly all figures are printed; read without the pains the others take."""
SPREAD = re.compile(r"\s*(?:±|Â±|\+/-|\+-)\s*.*$")
"""What follows the figure: its spread, also where the encoding of ± was lost."""
COMMA_MARK = re.compile(r"[^\d.,]*[\d.]*,\d+[^\d.,]*")
"""A spread whose decimal mark is the comma, and so the figure's before it."""
SIZE = re.compile(r"([\d.,]+)\s*([KMGT]i?B)\b")
SIZES = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
SIZES |= {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


class Figure(msgspec.Struct, frozen=True):
    """A number and how many decimals it was printed with."""

    value: float
    decimals: int


@lru_cache(maxsize=4096)
def figure(text: str) -> Figure | None:
    """The first figure of a text without its spread; None when there is none.

    A comma or point that stands once and has not exactly three digits behind it, or that comes last
    of two kinds, is the decimal mark; every other one groups digits. A point groups, too, where the
    spread behind the figure has a decimal comma.

    >>> figure("2368.80 ± 93.24")
    Figure(value=2368.8, decimals=2)
    >>> figure("1.234,5 tok/s"), figure("1,234.5")
    (Figure(value=1234.5, decimals=1), Figure(value=1234.5, decimals=1))
    >>> figure("1 008"), figure("12,41"), figure("n/a")
    (Figure(value=1008.0, decimals=0), Figure(value=12.41, decimals=2), None)
    """
    if plain := PLAIN.fullmatch(text):
        return _sane(float(f"{plain[1]}.{plain[2] or 0}"), len(plain[2] or ""))
    text = text[:200]
    spread = SPREAD.search(text)
    found = FIGURE.search(text[: spread.start()] if spread else text)
    if not found:
        return None
    body, _, power = re.sub(r"[' \u00a0\u2009\u202f]", "", found.group().lower()).partition("e")
    body = body.rstrip(".,")
    mark = max(body.rfind("."), body.rfind(","))
    if mark >= 0:
        kind = body[mark]
        grouped = body.count(kind) > 1 or (
            kind == "," and len(body) - mark == 4 and "." not in body and body[0] not in ",0"
        )
        if kind == "." and len(body) - mark == 4 and spread:
            grouped = grouped or COMMA_MARK.fullmatch(spread.group()) is not None
        if grouped:
            mark = -1
    whole = re.sub(r"[.,]", "", body[:mark] if mark >= 0 else body)
    decimals = re.sub(r"[.,]", "", body[mark + 1 :]) if mark >= 0 else ""
    try:
        value = float(f"{whole or '0'}.{decimals or '0'}e{power or '0'}")
    except ValueError:
        return None
    return _sane(value, len(decimals))


def _sane(value: float, decimals: int) -> Figure | None:
    return Figure(value, decimals) if abs(value) < 1e15 else None


def positive(text: str) -> Figure | None:
    """The figure when it is above zero."""
    found = figure(text)
    return found if found is not None and found.value > 0 else None


def count(text: str) -> int | None:
    """A whole number of at least zero; None for anything else."""
    found = figure(text)
    if found is None or not found.value.is_integer() or not 0 <= found.value < 2**31:
        return None
    return int(found.value)


@lru_cache(maxsize=1024)
def size_gb(text: str) -> float | None:
    """A size with its unit in decimal GB.

    >>> round(size_gb("3.56 GiB"), 3)
    3.823
    """
    found = SIZE.search(text)
    amount = figure(found.group(1)) if found else None
    if found is None or amount is None or amount.value <= 0:
        return None
    return amount.value * SIZES[found.group(2)] / 1e9
