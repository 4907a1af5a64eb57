"""Sense checks over compositions: parts that can be joined that way, and a source for each.

Each takes a composition and yields (key, message) for every fault.
"""

import re
from collections.abc import Iterator, Mapping

from ..composed import ComposedHardware
from ..language import tr
from ..problem import Problem
from .check import evidence_complete
from .check_machine import Fault
from .compositions import CompositionEntry, parts_of
from .hardware import MachineEntry
from .load import Library
from .records import Source

LARGEST = 72
"""Devices that one link joins in any machine that is sold."""

_PCIE = re.compile(r"PCIe (\d)\.0(?: x(\d+))?")
_OWN = {"nvlink": "NVLink", "infinity-fabric": "Infinity Fabric", "pcie": "PCIe"}
"""Links that a device has or has not, by the start of their id, and what its facts call them."""


def check_compositions(
    library: Library, sources: Mapping[str, Source] | None, *, yours: bool
) -> list[Problem]:
    """Every fault of the shipped compositions, or of the user's, by file.

    sources: of the catalog, or None for a user's own, which need none.
    """
    found = []
    names = {entry.name: entry.place for entry in library.machines.values()}
    for entry in library.compositions.values():
        if entry.yours != yours:
            continue
        faults = [*joined(entry.hardware, library.machines)]
        if names.setdefault(entry.name, entry.place) != entry.place:
            message = tr("“{name}” also stands in {place}; choose another").format(
                name=entry.name, place=names[entry.name]
            )
            faults.append(("name", message))
        if sources is not None:
            faults += [*sourced(entry), *evidence_complete(entry.record, sources)]
        found += [Problem(entry.place, key, message) for key, message in faults]
    return found


def sourced(entry: CompositionEntry) -> Iterator[Fault]:
    """A shipped composition is found by its first device, and says what it rests on."""
    first = entry.hardware.devices[0].id or ""
    if not entry.id.startswith(first):
        yield "", tr("name the file after its first device: {first}-...").format(first=first)
    if not entry.record.facts:
        yield "facts", tr("say where such a machine is described, with its source")
    if not entry.record.note.strip():
        yield "note", tr("say which link it is, in a sentence")


def joined(hardware: ComposedHardware, machines: Mapping[str, MachineEntry]) -> Iterator[Fault]:
    """So many devices can be joined, each has the link, and the host is no accelerator."""
    if hardware.count > LARGEST:
        yield (
            "hardware.devices",
            tr("{count} devices share no link; {most} is the most").format(
                count=hardware.count, most=LARGEST
            ),
        )
    for key, part in parts_of(hardware):
        entry = machines.get(part) if isinstance(part, str) else None
        if entry is None:
            continue
        if key == "hardware.host_memory" and entry.kind in ("discrete", "datacenter"):
            yield (
                key,
                tr("{name} is an accelerator; write the platform whose memory it is").format(
                    name=entry.name
                ),
            )
        elif key != "hardware.host_memory" and isinstance(hardware.link, str):
            yield from _has(entry, hardware.link)


def _has(entry: MachineEntry, link: str) -> Iterator[Fault]:
    """A device whose interconnects are known has that link, and as fast a slot."""
    own = [fact.text for fact in entry.record.interconnect]
    kind = next((start for start in _OWN if link.startswith(start)), "")
    if not own or not kind:
        return
    if not any(_OWN[kind] in text for text in own):
        yield (
            "hardware.link",
            tr("{name} has no {link} (it has {own})").format(
                name=entry.name, link=_OWN[kind], own=", ".join(own)
            ),
        )
        return
    slot = next((match for text in own if (match := _PCIE.search(text))), None)
    if kind == "pcie" and slot is not None:
        generation, lanes = (int(part) for part in re.findall(r"\d+", link))
        if generation > int(slot[1]) or lanes > int(slot[2] or 16):
            yield (
                "hardware.link",
                tr("{name} has {slot}; {link} is more than that").format(
                    name=entry.name, slot=slot[0], link=link
                ),
            )
