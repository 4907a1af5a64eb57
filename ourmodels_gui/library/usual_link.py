"""Which link joins machines of a kind unless somebody says otherwise."""

import re
from collections.abc import Sequence

from .hardware import Kind, MachineEntry
from .links import LinkEntry

USUAL = {"discrete": "pcie-4-x16", "datacenter": "pcie-4-x16"}
"""By kind, where a machine's own record names none; a cable for machines that stand apart."""
CABLE = "ethernet-10g"
CARD = re.compile(r"\b(PCIe|NVL)\b")
"""In the name of an accelerator that sits in a slot, whatever bridge may be put on it."""


def usual_link(
    machines: Sequence[MachineEntry | Kind | None], links: dict[str, LinkEntry]
) -> str | None:
    """The slowest of what each machine is usually joined by; None without any link.

    Cards are joined by the slot that their maker states, modules of a server by their fastest
    interconnect, machines that stand apart by their network. A bridge has to be bought, so it is
    nobody's usual link.

    Parameters: machines of the library, or the kind of one that is written out.
    """
    usual = [_of(machine, links) for machine in machines]
    known = [links[name] for name in usual if name in links]
    if known:
        return min(known, key=lambda link: link.bytes_per_s).id
    return next(iter(links), None)


def _of(machine: MachineEntry | Kind | None, links: dict[str, LinkEntry]) -> str:
    kind = machine.kind if isinstance(machine, MachineEntry) else machine
    if isinstance(machine, MachineEntry):
        stated = _stated(machine, links)
        if stated and kind == "datacenter" and not CARD.search(machine.name):
            return max(stated, key=lambda link: link.bytes_per_s).id
        apart = kind not in USUAL
        for link in stated:
            if link.id.startswith("ethernet") == apart:
                return link.id
    return USUAL.get(kind or "", CABLE)


def _stated(machine: MachineEntry, links: dict[str, LinkEntry]) -> list[LinkEntry]:
    """The links that a machine's record names: by their name, or by their kind and speed."""
    found = []
    for stated in machine.record.interconnect:
        network = re.search(r"(\d+) GbE", stated.text)
        if network and f"ethernet-{network[1]}g" in links:
            found.append(links[f"ethernet-{network[1]}g"])
        for link in links.values():
            both = link.record.bandwidth.value * (2 if link.record.directions == "one" else 1)
            alike = stated.bandwidth is not None and stated.bandwidth.value == both
            kind = link.name.split()[0]
            bridge = "bridge" in link.id
            if stated.text == link.name or (alike and stated.text == kind and not bridge):
                found.append(link)
    return found
