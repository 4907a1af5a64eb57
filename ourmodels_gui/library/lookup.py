"""Ids and travelling records of a scenario -> machines and models of the library's kind."""

from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec

from ..composed import Hardware, HardwareRef
from ..language import mark, tr
from ..problem import BadInput, brief
from ..scenario import DraftModel, ModelRef
from .hardware import HardwareRecord, MachineEntry, machine_entries
from .load import Library
from .models import ModelRecord, refuse_impossible
from .parse import parse

T = TypeVar("T")
NO_MACHINE = mark('there is no machine "{asked}" in this library{hint}. Choose another machine')
NO_MODEL = mark('there is no model "{asked}" in this library{hint}. Choose another model')


def hardware_in_use(hardware: Hardware, library: Library) -> Hardware:
    """The composition of an id, as a scenario writes it out; any other choice as it is."""
    if isinstance(hardware, str) and hardware in library.compositions:
        return library.compositions[hardware].hardware
    return hardware


def machine_entry(hardware: str | HardwareRef, library: Library) -> MachineEntry:
    """The machine of an id, or the one whose record came with the scenario."""
    if isinstance(hardware, str):
        if hardware in library.compositions:
            message = tr(
                '"{asked}" is several machines or memories; write one of them, or let it stand '
                "for the whole hardware"
            )
            raise BadInput("hardware", message.format(asked=hardware))
        if hardware not in library.machines:
            names = {key: entry.name for key, entry in library.machines.items()}
            names |= {key: entry.name for key, entry in library.compositions.items()}
            raise BadInput("hardware", _unknown(NO_MACHINE, hardware, names))
        return library.machines[hardware]
    record = _record(hardware.record, HardwareRecord, "hardware.record")
    try:
        entries = machine_entries(record, yours=True)
    except BadInput as bad:
        raise _inside("hardware.record", bad) from None
    for entry in entries:
        if entry.id == hardware.id:
            return entry
    known = ", ".join(entry.id for entry in entries)
    raise BadInput(
        "hardware.id",
        tr('the record has no memory size "{asked}"; it has {known}').format(
            asked=hardware.id, known=known
        ),
    )


def model_record(model: ModelRef | DraftModel, library: Library, key: str) -> ModelRecord:
    """The model of an id, or the one whose record came with the scenario; key is its place."""
    if model.record is not None:
        record = _record(model.record, ModelRecord, f"{key}.record")
        try:
            refuse_impossible(record)
        except BadInput as bad:
            raise _inside(f"{key}.record", bad) from None
        return record
    if model.id not in library.models:
        names = {id_: entry.name for id_, entry in library.models.items()}
        raise BadInput(f"{key}.id", _unknown(NO_MODEL, model.id, names))
    return library.models[model.id].record


def _record(record: dict[str, Any], kind: type[T], key: str) -> T:
    """A user's own machine or model that came with the scenario, read like a file of theirs."""
    try:
        return parse(msgspec.json.encode(record), kind)
    except BadInput as bad:
        raise _inside(key, bad) from None


def _inside(key: str, bad: BadInput) -> BadInput:
    path = f"{key}.{bad.problem.key}" if bad.problem.key else key
    return BadInput(path, bad.problem.message)


def _unknown(said: str, asked: str, names: dict[str, str]) -> str:
    """Which ids are near one that the library does not have."""
    wanted = asked.lower()[:80]
    near = get_close_matches(wanted, names, 3, 0.5)
    words = wanted.replace("-", " ").split()
    for id_, name in names.items():
        if id_ not in near and words and all(word in f"{id_} {name}".lower() for word in words):
            near.append(id_)
    hint = tr("; near it: {names}").format(names=", ".join(near[:3])) if near else ""
    return tr(said).format(asked=brief(asked, 80), hint=hint)
