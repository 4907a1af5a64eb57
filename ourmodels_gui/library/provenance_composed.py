"""Where the figures of a composition come from: of each of its parts, and of what joins them."""

import msgspec

from ..composed import ComposedHardware, Hardware
from ..inline import InlineHardware
from ..language import tr
from ..problem import BadInput
from ..units import ENGLISH, Separators
from .compositions import CompositionRecord, parts_of
from .load import Library
from .lookup import machine_entry
from .provenance import Provenance, Told, figure_text, of_machine, row_of


def of_composition(
    title: str,
    hardware: ComposedHardware,
    library: Library,
    record: CompositionRecord | None = None,
    separators: Separators = ENGLISH,
) -> Told:
    """The link, then every figure of each part under the part's name.

    Parameters: title, its name; record, where it is a ready one, for its own facts.
    """
    rows = list(_link(hardware, library, separators))
    conflicts: list[str] = []
    notes: list[str] = [record.note] if record is not None and record.note else []
    if record is not None:
        fact = tr("how it is built")
        rows += [
            row_of(fact, one, library.sources, separators, yours=False) for one in record.facts
        ]
    told = [_part(part, library, separators) for _, part in parts_of(hardware)]
    for one in dict.fromkeys(told):
        rows += [msgspec.structs.replace(row, name=f"{one.title}: {row.name}") for row in one.rows]
        conflicts += [f"{one.title}: {words}" for words in one.conflicts]
        notes += [f"{one.title}: {words}" for words in one.notes]
    return Told(title, tuple(rows), tuple(conflicts), tuple(notes))


def _link(
    hardware: ComposedHardware, library: Library, separators: Separators
) -> tuple[Provenance, ...]:
    link = hardware.link
    if not isinstance(link, str):
        if link is None:
            return ()
        speed = figure_text(link, separators)
        return (Provenance(tr("link, one way"), speed, "GB/s", source=tr("typed")),)
    entry = library.links.get(link)
    if entry is None:
        return ()
    name = tr("link: {name}").format(name=entry.name)
    if entry.record.directions == "both":
        name = tr("link: {name}, both ways together").format(name=entry.name)
    return (row_of(name, entry.record.bandwidth, library.sources, separators, yours=False),)


def _part(part: Hardware, library: Library, separators: Separators) -> Told:
    if isinstance(part, InlineHardware):
        title = part.name or tr("machine as typed")
        return Told(title, (), notes=(tr("written out in the scenario, without sources"),))
    assert not isinstance(part, ComposedHardware)
    try:
        return of_machine(machine_entry(part, library), library.sources, separators)
    except BadInput as bad:
        title = part if isinstance(part, str) else part.id
        return Told(title, (), notes=(bad.problem.message,))
