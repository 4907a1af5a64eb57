"""The shapes that all catalog files share."""

from typing import Literal

import msgspec

Basis = Literal["published", "derived", "measured", "unverified"]


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where a figure comes from; `catalog/sources.json` maps an id to each.

    place: a public address, or a document and the page in it. read: the day it was read.
    """

    title: str
    place: str
    read: str


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One fact as its source prints it, with the unit that is physically meant.

    source: an id of `catalog/sources.json`; "" only in a user's own file.
    where: the row or page inside the source. note: shown to people.
    """

    value: float
    unit: str
    source: str = ""
    basis: Basis = "published"
    where: str = ""
    note: str = ""
