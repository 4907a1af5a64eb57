"""The machine in use as its parts, and every edit that adds, changes or takes away one. No widgets.

An edit is the one of the whole `hardware`, so that what no longer belongs goes with it; one device
that is left alone becomes the ordinary machine again.
"""

from typing import Any

import msgspec

from ...composed import (
    ComposedHardware,
    DeviceChoice,
    Hardware,
    HardwareRef,
    PlacementChoice,
    name_of,
)
from ...inline import InlineHardware
from ...language import tr, written
from ...library.hardware import Kind, MachineEntry
from ...library.load import Library
from ...library.lookup import hardware_in_use, machine_entry
from ...library.usual_link import usual_link
from ...problem import BadInput
from ...units import digits
from .. import typed

One = str | InlineHardware | HardwareRef
Edit = dict[str, Any]

KEY = "hardware."
HOST = -1
"""The place of the host's memory, beside those of the devices from 0 on."""
USUAL_HOST = ("Ryzen 9000", "2ch DDR5-5600", "128 GB")
"""What the name of the memory says that is put beside a card first; another is a click away."""


class Assembly:
    """What a scenario's hardware is made of; `edit` methods return changes for the store."""

    def __init__(self, hardware: Hardware, library: Library) -> None:
        self._library = library
        self.id = hardware if isinstance(hardware, str) else ""
        written = hardware_in_use(hardware, library)
        self.is_composed = isinstance(written, ComposedHardware)
        if not isinstance(written, ComposedHardware):
            written = ComposedHardware(devices=(_device(written),))
        self.written: ComposedHardware = written

    @property
    def devices(self) -> tuple[DeviceChoice, ...]:
        return self.written.devices

    @property
    def host(self) -> One | None:
        return self.written.host_memory

    @property
    def counted(self) -> list[tuple[int, One]]:
        """Every part with its number, the host's memory last."""
        found = [(device.count or 1, device.chosen) for device in self.devices]
        return found if self.host is None else [*found, (1, self.host)]

    def part(self, place: int) -> One | None:
        """The machine at a place; None where there is none yet."""
        if place == HOST:
            return self.host
        return self.devices[place].chosen if place < len(self.devices) else None

    def entry(self, part: One) -> MachineEntry | None:
        """The machine of the library, or the one that travels with the scenario."""
        if isinstance(part, InlineHardware):
            return None
        try:
            return machine_entry(part, self._library)
        except BadInput:
            return None

    @property
    def usual_link(self) -> str | None:
        """What usually joins these devices."""
        return self._usual_link([device.chosen for device in self.devices])

    def usual_host(self) -> str | None:
        """The system memory that many people have; None where the library has none at all."""
        memories = [one for one in self._library.machines.values() if one.kind == "cpu"]
        usual = [one for one in memories if all(word in one.name for word in USUAL_HOST)]
        return next((one.id for one in usual or memories), None)

    @property
    def capacity_bytes(self) -> float | None:
        """All memory together; None where a machine is not known."""
        whole = 0.0
        for count, one in self.counted:
            if isinstance(one, InlineHardware):
                whole += count * one.memory_gb * 1e9
                continue
            entry = self.entry(one)
            if entry is None:
                return None
            whole += count * entry.machine.capacity_bytes
        return whole

    @property
    def title(self) -> str:
        """Its own name, or its parts with their numbers."""
        if self.written.name:
            return self.written.name
        many = [(device.count or 1, self.name(device.chosen)) for device in self.devices]
        parts = [f"{count} x {words}" if count > 1 else words for count, words in many]
        if self.host is not None:
            parts.append(self._memory(self.host))
        return " + ".join(parts)

    def name(self, part: One) -> str:
        """A machine's name; of an unknown one its id."""
        entry = self.entry(part)
        return name_of(part) if entry is None else entry.name

    def _memory(self, host: One) -> str:
        """The host's memory by its size: "128 GiB system memory"."""
        entry = self.entry(host)
        if isinstance(host, InlineHardware):
            size = f"{digits(host.memory_gb / 2**30 * 1e9, 5, typed.separators())} GiB"
        elif entry is not None:
            size = f"{written(entry.memory.value, 'g')} {entry.memory.unit}"
        else:
            return tr("system memory")
        return tr("{size} system memory").format(size=size)

    def alone(self) -> Edit:
        """The first device and nothing else."""
        return {"hardware": msgspec.to_builtins(self.devices[0].chosen)}

    def count(self, place: int, count: int | None) -> Edit:
        """So many devices of a kind; None for one."""
        return self._edit(place, {"count": count or 1})

    def put(self, place: int, machine_id: str) -> Edit:
        """Another machine at a place, or one more kind of device behind the last."""
        if place == HOST:
            return self._with_host(machine_id)
        return self._edit(place, {"id": machine_id, "machine": None, "record": None})

    def remove(self, place: int) -> Edit:
        """Without the kind of device at a place, or without the host's memory."""
        if place == HOST:
            return self._with_host(None)
        devices = self._plain()["devices"]
        return self._tidied({"devices": devices[:place] + devices[place + 1 :]})

    def add_host(self) -> Edit:
        return self._with_host(self.usual_host())

    def type_host(self, key: str, value: float | None) -> Edit:
        """The host's memory written out, with one of its figures as typed.

        Parameters: key, of `InlineHardware`; value, None to leave the figure as it is.
        """
        host = self.host
        assert host is not None
        if isinstance(host, InlineHardware):
            plain: dict[str, Any] = msgspec.to_builtins(host)
        else:
            entry = self.entry(host)
            plain = {"name": "System memory", "kind": "cpu"}
            if entry is not None:
                plain["memory_gb"] = entry.machine.capacity_bytes / 1e9
                plain["bandwidth_gb_per_s"] = entry.machine.bandwidth_bytes_per_s / 1e9
        return self._with_host(plain if value is None else plain | {key: value})

    def whole(self, changes: Edit) -> Edit:
        """Changes by key, those of `hardware` as one of the whole; None is the default.

        Where nothing of it changes, a ready composition stays what it is.
        """
        others = {key: value for key, value in changes.items() if not key.startswith(KEY)}
        chosen: dict[str, Any] = {}
        for key, value in changes.items():
            if key.startswith(KEY):
                name, _, inner = key.removeprefix(KEY).partition(".")
                if inner:
                    chosen.setdefault(name, self.shares())[inner] = value
                else:
                    chosen[name] = value
        plain = self._plain()
        if all(plain.get(key) == value for key, value in chosen.items()):
            return others
        return others | self._tidied(chosen)

    def shares(self) -> dict[str, float | None]:
        """What of each class of bytes is fixed to lie on the devices."""
        placement = self.written.placement
        return msgspec.structs.asdict(placement) if isinstance(placement, PlacementChoice) else {}

    def _plain(self) -> dict[str, Any]:
        plain: dict[str, Any] = msgspec.to_builtins(self.written)
        return plain | {"devices": list(plain["devices"])}

    def _edit(self, place: int, changes: dict[str, Any]) -> Edit:
        devices = self._plain()["devices"]
        if place == len(devices):
            devices.append({})
        devices[place] = {
            key: value for key, value in (devices[place] | changes).items() if value is not None
        }
        return self._tidied({"devices": devices})

    def _with_host(self, host: Any) -> Edit:
        return self._tidied({"host_memory": host})

    def _tidied(self, changes: dict[str, Any]) -> Edit:
        """The whole with changes, without what no longer belongs, and with the link it needs."""
        plain = self._plain() | changes
        shares = plain.get("placement")
        if isinstance(shares, dict):
            plain["placement"] = {key: one for key, one in shares.items() if one is not None}
        if {"devices", "host_memory"} & changes.keys():
            plain.pop("name", None)  # it was the name of other parts
        for device in plain["devices"]:
            if device.get("count") == 1:
                device.pop("count")
        kinds = len(plain["devices"])
        count = sum(device.get("count", 1) for device in plain["devices"])
        host = plain.get("host_memory")
        if count == 1 and host is None:
            return {"hardware": msgspec.to_builtins(_chosen(plain["devices"][0]))}
        if kinds > 1 or count == 1:
            plain.pop("split", None)
        if not self._keeps_groups(plain, count, "devices" in changes):
            plain.pop("groups", None)
        if host is None:
            plain.pop("pools", None)
        if host is None or kinds > 1 or not plain.get("placement"):
            plain.pop("placement", None)
        if "devices" in changes or plain.get("link") is None:
            self._relink(plain)
        return {"hardware": {key: value for key, value in plain.items() if value is not None}}

    def _keeps_groups(self, plain: dict[str, Any], count: int, recounted: bool) -> bool:
        """Whether groups of sessions can stay; too many typed ones stay to be told so."""
        by_layers = (plain.get("split") or "layers") == "layers"
        too_many = recounted and (plain.get("groups") or 1) > count
        return by_layers and plain.get("host_memory") is None and not too_many

    def _relink(self, plain: dict[str, Any]) -> None:
        """Give the parts the link that is usual for them, unless another was chosen on purpose."""
        if plain.get("link") in (None, self.usual_link if self.is_composed else None):
            plain["link"] = self._usual_link([_chosen(device) for device in plain["devices"]])

    def _usual_link(self, parts: list[One]) -> str | None:
        known: list[MachineEntry | Kind | None] = [
            part.kind if isinstance(part, InlineHardware) else self.entry(part) for part in parts
        ]
        return usual_link(known, self._library.links)


def _device(one: Any) -> DeviceChoice:
    if isinstance(one, InlineHardware):
        return DeviceChoice(machine=one)
    if isinstance(one, HardwareRef):
        return DeviceChoice(one.id, record=one.record)
    return DeviceChoice(one)


def _chosen(device: dict[str, Any]) -> One:
    """The machine of a device written in plain values."""
    machine = device.get("machine")
    if machine is not None:
        return msgspec.convert(machine, InlineHardware)
    if device.get("record") is not None:
        return HardwareRef(device["id"], device["record"])
    return str(device["id"])
