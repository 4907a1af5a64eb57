"""What a picker says of one machine: of the library, typed, or travelling with the scenario."""

from collections.abc import Mapping
from typing import NamedTuple

from ...inline import InlineHardware
from ...language import tr
from ...library.load import Library
from .. import typed
from .assembly import One
from .search import Row


class Named(NamedTuple):
    """row: of the list, "" for none. figures: memory and bandwidth; short: the same where there is
    little room. note: what is special about it. basis: what its figures rest on. missing: it does
    not exist."""

    row: str
    name: str
    figures: str = ""
    note: str = ""
    basis: str = ""
    missing: bool = False
    short: str = ""

    @property
    def words(self) -> str:
        return " \u00b7 ".join(filter(None, (self.name, self.figures)))


def named(machine: One, library: Library, rows: Mapping[str, Row]) -> Named:
    """One machine in words. Parameters: rows of the picker by machine id."""
    if isinstance(machine, InlineHardware):
        memory = typed.show(machine.memory_gb)
        rate = typed.show(machine.bandwidth_gb_per_s)
        figures = f"{memory} GB \u00b7 {rate} GB/s"
        return Named("", machine.name, figures, _travels(), short=figures)
    machine_id = machine if isinstance(machine, str) else machine.id
    if machine_id in library.machines:
        row = rows[machine_id]
        note = tr("Announced, not yet sold; its figures may change.") if row.badge else ""
        short = f"{row.figures[0]} \u00b7 {row.figures[1]} GB/s"
        return Named(machine_id, row.name, row.summary, note, row.basis, short=short)
    if not isinstance(machine, str):
        return Named("", str(machine.record.get("name", machine_id)), note=_travels())
    missing = tr("The catalog has no machine with this id. Choose another.")
    return Named("", machine_id, note=missing, missing=True)


def _travels() -> str:
    return tr("It is part of this scenario, not of the catalog.")
