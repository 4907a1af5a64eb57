"""A scenario that opens anywhere: the user's own machine and models go along."""

from typing import Any, TypeVar

import msgspec

from ..composed import ComposedHardware, HardwareRef
from ..scenario import DraftModel, ModelRef, Scenario
from .load import Library
from .lookup import hardware_in_use

Model = TypeVar("Model", ModelRef, DraftModel)


def travelling(scenario: Scenario, library: Library) -> Scenario:
    """The scenario as a file holds it: the user's own machine and models go along, in full.

    A composition of the user's, or one with a machine of theirs in it, is written out.
    """
    changes: dict[str, object] = {"catalog_version": library.version or None}
    chosen = scenario.hardware
    hardware = hardware_in_use(chosen, library)
    if isinstance(hardware, ComposedHardware):
        own = _composed(hardware, library)
        ready = library.compositions.get(chosen) if isinstance(chosen, str) else None
        if ready is None or ready.yours or own != hardware:
            changes["hardware"] = own
    elif isinstance(hardware, str) and (record := _own(hardware, library)) is not None:
        changes["hardware"] = HardwareRef(hardware, record)
    model = scenario.model
    if isinstance(model, ModelRef):
        changes["model"] = _with_record(model, library)
    speculation = scenario.speculation
    if speculation is not None and isinstance(speculation.draft, DraftModel):
        draft = _with_record(speculation.draft, library)
        changes["speculation"] = msgspec.structs.replace(speculation, draft=draft)
    return msgspec.structs.replace(scenario, **changes)


def _composed(hardware: ComposedHardware, library: Library) -> ComposedHardware:
    """The same with the records of the user's own machines."""
    devices = tuple(
        msgspec.structs.replace(device, record=_own(device.id, library) or device.record)
        for device in hardware.devices
    )
    host = hardware.host_memory
    if isinstance(host, str) and (record := _own(host, library)) is not None:
        host = HardwareRef(host, record)
    return msgspec.structs.replace(hardware, devices=devices, host_memory=host)


def _own(machine_id: str | None, library: Library) -> dict[str, Any] | None:
    machine = library.machines.get(machine_id or "")
    if machine is None or not machine.yours:
        return None
    record: dict[str, Any] = msgspec.to_builtins(machine.record)
    return record


def _with_record(model: Model, library: Library) -> Model:
    known = library.models.get(model.id)
    if known is None or not known.yours:
        return model
    return msgspec.structs.replace(model, record=msgspec.to_builtins(known.record))
