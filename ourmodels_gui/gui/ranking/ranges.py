"""What people type to narrow a column: 100-500, >= 20, 2500, 24.., 300?"""

import re

from ...language import mark, tr
from ...ranking.columns import Better
from ...ranking.order import Range
from .. import typed

HINT = mark(
    "20-50 or 20..50: from, to. >= 20 and <= 50: one end. A figure alone is the "
    "least, or the most where less is better. A ? behind keeps rows in which the "
    "figure is unknown."
)
MULTIPLES = {"k": 1e3, "m": 1e6}


def parse_range(text: str, better: Better = "more") -> Range | None:
    """The range that was typed, None for nothing. Raises ValueError with what to write instead.

    >>> parse_range("20-50"), parse_range("<= 2.5k?")
    (Range(low=20.0, high=50.0, unknown=False), Range(low=None, high=2500.0, unknown=True))
    >>> parse_range("300", "less"), parse_range("300")
    (Range(low=None, high=300.0, unknown=False), Range(low=300.0, high=None, unknown=False))
    """
    rest = text.strip()
    unknown = rest.endswith("?")
    rest = rest.removesuffix("?").strip()
    if not rest:
        return Range(unknown=True) if unknown else None
    if match := re.match(r"(>=|<=|[<>≥≤])\s*", rest):
        value = _figure(rest[match.end() :])
        at_least = match[1][0] in ">≥"
        return Range(value if at_least else None, None if at_least else value, unknown)
    # A minus is a sign at the start and behind another dash, and a dash after a figure.
    match = re.fullmatch(r"(.*?)\s*(?:\.\.+|…|–|(?<=[\dkKmM])\s*-)\s*(.*)", rest)  # noqa: RUF001
    if match:
        low, high = (_figure(part) if part else None for part in match.groups())
        if low is None and high is None:
            raise ValueError(tr("write a figure at one end at least, like 20.. or ..50"))
        if low is not None and high is not None and low > high:
            raise ValueError(
                tr("from {low} to {high} holds nothing; exchange the two").format(
                    low=typed.show(low), high=typed.show(high)
                )
            )
        return Range(low, high, unknown)
    value = _figure(rest)
    return Range(None, value, unknown) if better == "less" else Range(value, None, unknown)


def _figure(text: str) -> float:
    text = text.strip()
    factor = MULTIPLES.get(text[-1:].casefold(), 1.0)
    return typed.number(text[:-1] if factor > 1.0 else text) * factor
