"""The shapes that all catalog files share: figures, facts in words, sources."""

from typing import Annotated, Literal

import msgspec

from ..language import tr
from ..problem import BadInput, brief

Basis = Literal["published", "derived", "measured", "unverified"]

RECOLLECTION = "recollection"
"""Id of the one source that nobody has read; whatever rests on it is `unverified`."""


class CatalogStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Strict on reading, silent about defaults on writing."""


class Source(CatalogStruct, frozen=True):
    """Where a figure comes from; `catalog/sources.json` maps an id to each.

    place: a public address, or a document and the page in it. read: the day it was read.
    """

    title: str
    place: str
    read: str


class Evidence(CatalogStruct, frozen=True, kw_only=True):
    """What every fact says of itself.

    source: an id of `catalog/sources.json`; "" only in a user's own file.
    basis: published = printed by its source, the maker or one that repeats the maker;
        derived = computed from published facts, as `where` says; measured = a sustained rate seen
        on a real device; unverified = recollection, or a third party's word alone.
    where: the row or page inside the source, or the computation. note: shown to people.
    also: further sources that give the same.
    """

    source: str = ""
    basis: Basis = "published"
    where: str = ""
    note: str = ""
    also: tuple[str, ...] = ()


class Figure(Evidence, frozen=True):
    """One number as its source prints it, with the unit that is physically meant.

    A maker's "24 GB" of DRAM is value 24, unit GiB.
    """

    value: Annotated[float, msgspec.Meta(gt=0)]
    unit: str


class Fact(Evidence, frozen=True):
    """One fact in words, or a date as YYYY-MM-DD or YYYY-MM."""

    text: Annotated[str, msgspec.Meta(min_length=1)]


Quantity = Literal["bytes", "bytes/s", "FLOP/s", "bit", "bit/s", "Hz", "W", "units"]

UNITS: dict[Quantity, dict[str, float]] = {
    "bytes": {"GiB": 2.0**30, "GB": 1e9, "MiB": 2.0**20, "MB": 1e6, "TiB": 2.0**40, "TB": 1e12},
    "bytes/s": {"GB/s": 1e9, "TB/s": 1e12, "GiB/s": 2.0**30, "MB/s": 1e6},
    "FLOP/s": {"TFLOP/s": 1e12, "TOP/s": 1e12, "PFLOP/s": 1e15, "POP/s": 1e15, "GFLOP/s": 1e9},
    "bit": {"bit": 1.0},
    "bit/s": {"Gbit/s": 1e9, "Mbit/s": 1e6},
    "Hz": {"MHz": 1e6, "GHz": 1e9},
    "W": {"W": 1.0, "kW": 1e3},
}
"""Factor to SI of every unit a figure may carry; "units" (compute units) carries any word."""

PLAUSIBLE: dict[Quantity, tuple[float, float]] = {
    "bytes": (1e7, 1e15),
    "bytes/s": (1e8, 1e17),
    "FLOP/s": (1e8, 1e19),
    "bit": (8, 65536),
    "bit/s": (1e8, 1e12),
    "Hz": (1e7, 1e11),
    "W": (0.5, 1e5),
    "units": (1, 1e6),
}
"""Least and most that a single device can have; beyond it the unit is wrong."""


def si(figure: Figure, quantity: Quantity, key: str) -> float:
    """The figure in SI units.

    Parameters: figure; quantity it must be one of; key, its path in the file.
    Raises BadInput naming the key when the unit is not one of the quantity, or the value absurd.

    >>> si(Figure(24, "GiB"), "bytes", "capacity")
    25769803776.0
    """
    known = UNITS.get(quantity)
    factor = 1.0 if known is None else known.get(figure.unit)
    if factor is None:
        units = ", ".join(known or ())
        message = tr("“{unit}” is not a unit of {quantity}; write one of {units}").format(
            unit=brief(figure.unit), quantity=quantity, units=units
        )
        raise BadInput(f"{key}.unit", message)
    least, most = PLAUSIBLE[quantity]
    value = figure.value * factor
    if not least <= value <= most:
        message = tr(
            "{value:g} {unit} is out of any real machine's range; check the number and its unit"
        ).format(value=figure.value, unit=figure.unit)
        raise BadInput(f"{key}.value", message)
    return value
