"""What a picker finds: rows, the words typed, and facets with their counts. No widgets."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from ...language import tr
from ...library.records import Basis

Chosen = Mapping[str, frozenset[str]]
"""The values switched on, by facet; any of one facet's, and of each facet that has some."""

WEAKEST_FIRST: tuple[Basis, ...] = ("unverified", "derived", "measured", "published")


SIZE = re.compile(r"[\d.]+[gmt]i?b")


class Facet(msgspec.Struct, frozen=True):
    """A property to narrow a list by; values in their own order, the rest by how often they come.

    key: of `Row.facets`. title: in words. words: of values that are ids.
    """

    key: str
    title: str
    order: tuple[str, ...] = ()
    words: dict[str, str] = {}


class Row(msgspec.Struct, frozen=True):
    """One thing to choose.

    figures stand in columns at the right; summary: the same with their units, where the columns
    leave them out. search: what it is found by, in small letters. basis: what the figures that
    decide its answers rest on, the weakest of them; "" where that has no meaning. badge: a word
    beside the name. facets: its values by facet. short: the name without what the figures say.
    """

    id: str
    name: str
    figures: tuple[str, ...]
    search: str
    tip: str = ""
    yours: bool = False
    summary: str = ""
    basis: Basis | str = ""
    badge: str = ""
    facets: dict[str, tuple[str, ...]] = {}
    short: str = ""

    def words(self) -> str:
        """The row in one line."""
        return " · ".join((self.name, self.summary or " · ".join(self.figures)))

    def spoken(self) -> str:
        """The row as a screen reader says it, marks included."""
        return " · ".join(filter(None, (self.words(), self.badge, tr(self.basis))))


def weakest(bases: Sequence[Basis]) -> Basis | str:
    """What a figure computed from several rests on.

    >>> weakest(["published", "derived"])
    'derived'
    """
    return next((basis for basis in WEAKEST_FIRST if basis in bases), "")


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts numbers by their size.

    >>> sorted(["M1, 128 GB", "M1, 16 GB"], key=natural)
    ['M1, 16 GB', 'M1, 128 GB']
    """
    parts = re.split(r"(\d+)", name.casefold())
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts if part]


def searchable(*words: str) -> str:
    """Words as `matching` looks through them: small, and once more without the gaps in names.

    >>> searchable("GeForce RTX 4090")
    'geforce rtx 4090 geforcertx4090'
    """
    text = " ".join(filter(None, words)).casefold()
    # Never between two digits: "gemma 3 4b" has no "34b" in it.
    closed = re.sub(
        r"(?<=[a-z])[\s_-]+(?=[\da-z])|(?<=\d)[\s_-]+(?=[a-z])", "", words[0].casefold()
    )
    return text if closed in text else f"{text} {closed}"


def tokens_of(text: str) -> list[str]:
    """The words of a search; a number and its unit are one, and so is how many.

    >>> tokens_of("Radeon 24 GB"), tokens_of("2 x 3090"), tokens_of("4-bit")
    (['radeon', '24gb'], ['2x', '3090'], ['4bit'])
    """
    joined = re.sub(r"(?<=\d)\s+(?=(?:[gmt]i?b|b|x)\b)", "", text.casefold())
    return re.sub(r"(?<=\d)[\s-]+(?=bit\b)", "", joined).split()


def matching(rows: Sequence[Row], text: str) -> list[Row]:
    """Rows in which every word of `text` occurs; those whose name the words begin come first.

    A number is found as a whole from its first digit, and a size to its end: "7b" is not "27b", and
    "128gb" no bandwidth of "128gb/s".

    >>> rows = [Row("a", "Model 27B", (), "model 27b"), Row("b", "Model 7B", (), "model 7b")]
    >>> [row.id for row in matching(rows, "7B")]
    ['b']
    """
    tokens = tokens_of(text)
    if not tokens:
        return list(rows)
    whole = [
        _pattern(token, r"(?<![\d.])", r"(?![\w/])" if SIZE.fullmatch(token) else "")
        for token in tokens
        if token[0].isdecimal()
    ]
    starts = [_pattern(token, r"(?<![\w.])") for token in tokens]
    # Most rows fall out at the plain test, which costs a hundredth of a pattern.
    found = [
        row
        for row in rows
        if all([token in row.search for token in tokens])
        and all([number.search(row.search) for number in whole])
    ]

    def place(row: Row) -> int:
        name = row.name.casefold()
        if all(word.search(name) for word in starts):
            return 0 if name.startswith(tokens[0]) else 1
        return 2 if all(word.search(row.search) for word in starts) else 3

    return sorted(found, key=place)


def narrowed(rows: Sequence[Row], chosen: Chosen, but: str = "") -> list[Row]:
    """Rows that have one of the chosen values in every facet with some; `but` leaves one out."""
    wanted = [(key, values) for key, values in chosen.items() if values and key != but]
    return [
        row
        for row in rows
        if all(not values.isdisjoint(row.facets.get(key, ())) for key, values in wanted)
    ]


def counts(
    rows: Sequence[Row], facets: Sequence[Facet], text: str, chosen: Chosen
) -> dict[str, dict[str, int]]:
    """How many rows each value of each facet leaves, with the search and the other facets kept.

    Every value that any of the rows has is listed, those that leave none with 0.
    """
    found = matching(rows, text)
    out: dict[str, dict[str, int]] = {}
    for facet in facets:
        tally = dict.fromkeys(facet.order, 0)
        often: dict[str, int] = {}
        for row in rows:
            for value in row.facets.get(facet.key, ()):
                often[value] = often.get(value, 0) + 1
        for value in sorted(often, key=lambda value: (-often[value], value.casefold())):
            tally.setdefault(value, 0)
        for row in narrowed(found, chosen, facet.key):
            for value in row.facets.get(facet.key, ()):
                tally[value] += 1
        out[facet.key] = {value: count for value, count in tally.items() if value in often}
    return out


def _pattern(token: str, before: str, after: str = "") -> re.Pattern[str]:
    return re.compile(before + re.escape(token) + after)
