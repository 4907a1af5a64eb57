"""What takes part in a ranking as a machine: one of the library, one written out, a composition."""

from collections.abc import Iterable

import msgspec

from ..composed import ComposedHardware, Hardware, HardwareRef
from ..engine.setup import Machine
from ..inline import InlineHardware
from ..language import mark, tr
from ..library import written_out
from ..library.hardware import Price
from ..library.load import Library
from ..library.lookup import hardware_in_use, machine_entry
from ..library.resolve import chosen_machine
from ..scenario import WorkloadChoice

SEVERAL = mark("several devices")
WITH_HOST = mark("device with host memory")
"""Kinds of compositions, beside those of machines."""


class RankedMachine(msgspec.Struct, frozen=True, eq=False):
    """A machine that takes part.

    hardware: how a scenario names it. machine: at its resource limits, of a composition all pools
    together; measured: sustained rates. memory: the type of its memory, "" when typed. price: the
    catalog's, which is the one of the smallest size where a record has several.
    composed: what a composition writes out, with its devices and its host, each with its number;
    None for one machine.
    """

    id: str
    name: str
    machine: Machine
    hardware: Hardware
    vendor: str = ""
    kind: str | None = None
    memory: str = ""
    measured: dict[str, float] = {}
    price: Price | None = None
    watts: float | None = None
    composed: ComposedHardware | None = None
    devices: tuple[tuple[int, "RankedMachine"], ...] = ()
    host: "RankedMachine | None" = None


def ranked_machine(named: Hardware, library: Library) -> RankedMachine:
    """The machine that a scenario names. Raises BadInput for one that the library lacks."""
    written = hardware_in_use(named, library)
    if isinstance(written, ComposedHardware):
        return _composition(named, written, library)
    return _one(written, library)


def _one(named: str | InlineHardware | HardwareRef, library: Library) -> RankedMachine:
    if isinstance(named, InlineHardware):
        machine, measured = written_out.machine(named)
        name = named.name or tr("machine as typed")
        return RankedMachine("", name, machine, named, kind=named.kind, measured=measured)
    entry = machine_entry(named, library)
    record = entry.record
    power = record.power
    size = next(size for size in record.configurations if size.id == entry.id)
    smallest = min(record.configurations, key=lambda other: other.capacity.value)
    return RankedMachine(
        entry.id,
        entry.name,
        msgspec.structs.replace(entry.machine, default_share_bytes=entry.default_share_bytes),
        named,
        entry.vendor,
        entry.kind,
        (size.memory or record.memory).type,
        entry.measured,
        record.price if size is smallest else None,
        None if power is None else power.value * (1e3 if power.unit == "kW" else 1.0),
    )


def _composition(named: Hardware, written: ComposedHardware, library: Library) -> RankedMachine:
    """A composition with its parts; one device alone is that device under the composition's name.

    Its watts are those of every part, the host's platform among them; unknown where one is.
    """
    devices = tuple((device.count or 1, _one(device.chosen, library)) for device in written.devices)
    host = None if written.host_memory is None else _one(written.host_memory, library)
    ready = library.compositions.get(named) if isinstance(named, str) else None
    whole = chosen_machine(written, WorkloadChoice(overhead_gb=0.0), library)
    parts = [*(one for _, one in devices), *([host] if host else [])]
    first = parts[0]
    if whole.composition is None:
        return msgspec.structs.replace(
            first, id=ready.id if ready else first.id, name=written.title, hardware=named
        )
    drawn = [(count, one.watts) for count, one in (*devices, *([(1, host)] if host else []))]
    return RankedMachine(
        ready.id if ready else "",
        whole.name,
        whole.machine,
        named,
        vendor=_each(one.vendor for one in parts),
        kind=WITH_HOST if host else SEVERAL,
        memory=_each(one.memory for one in parts),
        watts=None
        if any(watts is None for _, watts in drawn)
        else sum(count * (watts or 0.0) for count, watts in drawn),
        composed=written,
        devices=devices,
        host=host,
    )


def _each(words: Iterable[str]) -> str:
    """Words that differ, each once, in their order."""
    return " + ".join(dict.fromkeys(word for word in words if word))
