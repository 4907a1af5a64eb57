"""A ready composition as a row of the picker of machines."""

from collections.abc import Iterable

from ... import units
from ...library.compositions import CompositionEntry
from ...library.load import Library
from ...library.records import Basis
from .. import typed
from .assembly import Assembly
from .machine_named import Named, named
from .machine_rows import MADE, memory_facet, sizes
from .search import Row, searchable, weakest

SPOKEN = "multi gpu several dual"
"""Words that people type for more than one device."""


def composition_row(entry: CompositionEntry, library: Library, rows: dict[str, Row]) -> Row:
    """One row; found by its name, its number and what its parts are found by.

    Parameters: rows of the machines by id.
    """
    parts = Assembly(entry.id, library)
    told = [named(one, library, rows) for _, one in parts.counted]
    known = [rows[one.row] for one in told if one.row in rows]
    held = parts.capacity_bytes
    memory = memory_words(held)
    many = [f"{device.count or 1}x" for device in parts.devices]
    basis = weakest_of(told)
    made = [MADE[1]] * (parts.written.count > 1) + [MADE[2]] * (parts.host is not None)
    makers = dict.fromkeys(maker for row in known for maker in row.facets["maker"])
    return Row(
        id=entry.id,
        name=entry.name,
        figures=(memory, ""),
        summary=memory,
        search=searchable(
            entry.name,
            *many,
            *(row.short or row.name for row in known),
            *makers,
            SPOKEN if parts.written.count > 1 else "",
            "offload ram" if parts.host is not None else "",
            "" if held is None else sizes(round(held / 2**30, 1), "GiB"),
        ),
        tip="\n".join(filter(None, (entry.name, tip(parts, told), entry.record.note))),
        yours=entry.yours,
        basis=basis,
        facets={
            "made": tuple(made),
            "memory": () if held is None else (memory_facet(held),),
            "maker": tuple(makers),
            "basis": (basis,),
            "standing": ("yours",) if entry.yours else (),
        },
    )


def memory_words(held_bytes: float | None) -> str:
    """All memory together, as machines are told of: short, in powers of two; "" where unknown.

    >>> memory_words(2 * 24 * 2**30), memory_words(8 * 141 * 2**30)
    ('48 GiB', '1.1 TiB')
    """
    if held_bytes is None:
        return ""
    gib = held_bytes / 2**30
    if gib >= 1000:
        return f"{units.number(gib / 1024, 1, typed.separators())} TiB"
    return f"{units.plain(float(f'{gib:.3g}'), typed.separators())} GiB"


def tip(parts: Assembly, told: list[Named]) -> str:
    """Each part with its number and its own figures."""
    return "\n".join(
        f"{count} x {one.words}" if count > 1 else one.words
        for (count, _), one in zip(parts.counted, told, strict=True)
    )


def weakest_of(told: Iterable[Named]) -> Basis | str:
    """What the figures of several machines rest on."""
    return weakest([one.basis for one in told if one.basis])  # type: ignore[misc]
