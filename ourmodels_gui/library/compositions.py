"""Several devices and pools that can be chosen by one id: the shape of their files.

One file each, `catalog/compositions/<id>.json` or in the user's folder.
"""

from collections.abc import Container, Iterator

import msgspec

from .. import strict_json
from ..composed import ComposedHardware, Hardware
from ..fitting import fit
from ..language import tr
from ..problem import BadInput, brief
from .records import CatalogStruct, Fact


class CompositionRecord(CatalogStruct, frozen=True, kw_only=True):
    """hardware: as a scenario writes it, without a name of its own.

    note: shown to people; which link it is, and what else to know. facts: that it is built this way
    and what its parts and its link are, each with its source.
    """

    name: str
    hardware: ComposedHardware
    note: str = ""
    facts: tuple[Fact, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.strip() or len(self.name) > 120:
            raise BadInput("name", tr("write a name of 1 to 120 characters"))
        if self.hardware.name:
            raise BadInput("hardware.name", tr("leave it out; the composition has a name already"))


class CompositionEntry(msgspec.Struct, frozen=True):
    """One composition that can be chosen; its id is the stem of its file.

    hardware: what a scenario would write, under the composition's name.
    yours: it comes from the user's folder. place: its file. stamp: what the file held when read.
    """

    id: str
    name: str
    hardware: ComposedHardware
    record: CompositionRecord
    yours: bool = False
    place: str = ""
    stamp: str = ""


def read(data: bytes) -> CompositionRecord:
    """The record of a file. Raises BadInput with the key's path and what to write."""
    record: CompositionRecord = fit(strict_json.parse(data), CompositionRecord)
    return record


def composition_entry(
    id_: str, record: CompositionRecord, *, yours: bool = False, place: str = "", stamp: str = ""
) -> CompositionEntry:
    """The composition that a record describes."""
    named = msgspec.structs.replace(record.hardware, name=record.name)
    return CompositionEntry(id_, record.name, named, record, yours, place, stamp)


def parts_of(hardware: ComposedHardware) -> Iterator[tuple[str, Hardware]]:
    """Every machine of a composition with its key in the file."""
    for index, device in enumerate(hardware.devices):
        yield f"hardware.devices[{index}].{'id' if device.id else 'machine'}", device.chosen
    if hardware.host_memory is not None:
        yield "hardware.host_memory", hardware.host_memory


def refuse_unknown_parts(
    hardware: ComposedHardware, machines: Container[str], links: Container[str]
) -> None:
    """Raise BadInput at the first id that the library does not have."""
    for key, part in parts_of(hardware):
        if isinstance(part, str) and part not in machines:
            raise BadInput(
                key,
                tr(
                    "there is no machine “{part}” in this library; correct the id, or write the "
                    "machine out"
                ).format(part=brief(part, 80)),
            )
    if isinstance(hardware.link, str) and hardware.link not in links:
        message = tr("there is no link “{link}”; correct the id, or write GB/s").format(
            link=brief(hardware.link, 80)
        )
        raise BadInput("hardware.link", message)
