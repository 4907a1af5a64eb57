"""Sense checks over hardware files: the catalog's, the user's, and the one in the editor.

A check of one record takes the record and yields (key, message); a check across the catalog takes
all of them and yields (file, key, message). Each message says what to write instead. A record may
set a check aside by its name, with the reason, in `exceptions`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import PurePath

import msgspec

from ..problem import BadInput, Problem
from .check_rates import RATE_CHECKS, laptops_below_desktops
from .hardware import HardwareRecord, Memory, machine_entries
from .load import Library
from .records import RECOLLECTION, UNITS, Evidence, Figure, Source, si

Fault = tuple[str, str]

UNIT_OF: dict[str, str] = {
    "units": "units",
    "clock": "Hz",
    "matrix_clock": "Hz",
    "power": "W",
}
CURRENCIES = {"USD", "EUR", "GBP", "CNY", "JPY"}
STALE = "the check passes; remove the exception"
DRAM = re.compile(r"DDR|HBM")


def check_hardware(
    records: Mapping[str, HardwareRecord], sources: Mapping[str, Source] | None
) -> list[Problem]:
    """Every fault of the given records, by file.

    Parameters: records, by their files (``hardware/name.json``); sources of the catalog, or None
    for a user's own files, whose figures need none.
    """
    faults = [
        Problem(place, key, message)
        for place, record in records.items()
        for key, message in _faults_of(PurePath(place).stem, record, sources)
    ]
    across = list(ids_unique(records))
    laptops = list(laptops_below_desktops(records))
    excepted = {p for p, r in records.items() if laptops_below_desktops.__name__ in r.exceptions}
    across += [fault for fault in laptops if fault[0] not in excepted]
    across += [
        (place, f"exceptions.{laptops_below_desktops.__name__}", STALE)
        for place in sorted(excepted - {fault[0] for fault in laptops})
    ]
    return faults + [Problem(*fault) for fault in across]


def check_sources(sources: Mapping[str, Source], used: set[str]) -> list[Problem]:
    """Every source is complete and used. `used` holds the ids that any catalog file names."""
    faults = []
    for name, source in sources.items():
        if not source.title.strip() or not source.place.strip():
            faults.append((f"{name}", "title or place is empty; write where it can be found"))
        if name != RECOLLECTION and _day(source.read) is None:
            faults.append((f"{name}.read", "write the day it was read, as 2026-11-29"))
        if name not in used:
            faults.append((name, "no file uses this source; remove it, or correct the id"))
    return [Problem("sources.json", key, message) for key, message in faults]


def records_of(library: Library, *, yours: bool = False) -> dict[str, HardwareRecord]:
    """The hardware records of a library by file, the shipped ones or the user's."""
    return {
        entry.place: entry.record for entry in library.machines.values() if entry.yours == yours
    }


def used_sources(records: Mapping[str, HardwareRecord]) -> set[str]:
    """Ids of every source that the records name."""
    return {
        source
        for record in records.values()
        for _, evidence in evidence_of(record)
        for source in (evidence.source, *evidence.also)
    }


def evidence_of(record: object, key: str = "") -> Iterator[tuple[str, Evidence]]:
    """Every figure and fact of a record with its key path."""
    if isinstance(record, Evidence):
        yield key, record
    if isinstance(record, msgspec.Struct):
        for name in record.__struct_fields__:
            yield from evidence_of(getattr(record, name), f"{key}.{name}" if key else name)
    elif isinstance(record, dict):
        for name, value in record.items():
            yield from evidence_of(value, f"{key}.{name}")
    elif isinstance(record, tuple):
        for index, value in enumerate(record):
            yield from evidence_of(value, f"{key}[{index}]")


def units_fit(record: HardwareRecord) -> Iterator[Fault]:
    """Every figure carries a unit of its quantity and a value a machine can have."""
    try:
        machine_entries(record)
    except BadInput as bad:
        yield bad.problem.key, bad.problem.message
    quantities = [(name, getattr(record, name), unit) for name, unit in UNIT_OF.items()]
    for key, memory in _memories(record):
        quantities.append((f"{key}.bus_width", memory.bus_width, "bit"))
        quantities.append((f"{key}.data_rate", memory.data_rate, "bit/s"))
    for key, figure, quantity in quantities:
        if figure is not None:
            try:
                si(figure, quantity, key)
            except BadInput as bad:
                yield bad.problem.key, bad.problem.message
    for mode, figure in (record.compute | record.measured).items():
        wanted = "TOP/s" if mode.startswith("int") else "TFLOP/s"
        if figure.unit in UNITS["FLOP/s"] and ("FLOP" in figure.unit) != ("FLOP" in wanted):
            key = "compute" if mode in record.compute else "measured"
            yield f"{key}.{mode}.unit", f"rates of {mode} are counted in {wanted}"


def bandwidth_follows_bus(record: HardwareRecord) -> Iterator[Fault]:
    """Bus width times data rate is the bandwidth within 2 %."""
    for key, memory in _memories(record):
        if memory.bus_width is None or memory.data_rate is None:
            continue
        product = memory.bus_width.value * memory.data_rate.value / 8
        printed = memory.bandwidth.value * UNITS["bytes/s"].get(memory.bandwidth.unit, 1e9) / 1e9
        if abs(product / printed - 1) > 0.02:
            message = (
                f"{memory.bus_width.value:g} bit x {memory.data_rate.value:g} Gbit/s / 8 is "
                f"{product:g} GB/s, not {printed:g}; write that, or correct bus or data rate"
            )
            yield f"{key}.bandwidth", message


def channels_fill_bus(record: HardwareRecord) -> Iterator[Fault]:
    """A platform's memory channels are 64 bits wide each."""
    for key, memory in _memories(record):
        if memory.channels and memory.bus_width and memory.type.startswith(("DDR", "MRDIMM")):
            expected = 64 * memory.channels
            if memory.bus_width.value != expected:
                yield f"{key}.bus_width", f"{memory.channels} channels make {expected} bit"


def capacity_as_marketed(record: HardwareRecord) -> Iterator[Fault]:
    """Capacity lies between nine tenths of the marketed decimal figure and its reading in GiB."""
    for index, size in enumerate(record.configurations):
        key = f"configurations[{index}].capacity"
        memory = size.memory or record.memory
        if size.capacity.unit == "GB" and DRAM.search(memory.type):
            yield f"{key}.unit", f"makers count {memory.type} in binary units; write GiB"
        if size.marketed is None or size.marketed.unit not in ("GB", "TB"):
            continue
        try:
            held = si(size.capacity, "bytes", key)
        except BadInput:
            continue
        sold = size.marketed.value * UNITS["bytes"][size.marketed.unit]
        most = size.marketed.value * (2**40 if size.marketed.unit == "TB" else 2**30)
        if not 0.9 * sold <= held <= 1.0001 * most:
            message = (
                f"{size.capacity.value:g} {size.capacity.unit} cannot be sold as "
                f"{size.marketed.value:g} {size.marketed.unit}; correct one of them"
            )
            yield key, message


def sizes_ascend(record: HardwareRecord) -> Iterator[Fault]:
    """Memory sizes differ and stand in ascending order."""
    sizes = [size.capacity.value for size in record.configurations]
    for index in range(1, len(sizes)):
        if sizes[index] <= sizes[index - 1]:
            message = "sizes stand in ascending order, each once; move or remove this one"
            yield f"configurations[{index}].capacity", message


def share_within_capacity(record: HardwareRecord) -> Iterator[Fault]:
    """The accelerator's default share is a part of the memory, on a system that shares it."""
    for index, size in enumerate(record.configurations):
        share = size.default_share
        if share is None:
            continue
        key = f"configurations[{index}].default_share"
        try:
            part = si(share, "bytes", key) / si(size.capacity, "bytes", key)
        except BadInput as bad:
            yield bad.problem.key, bad.problem.message
            continue
        if not 0.05 <= part <= 1:
            yield key, f"a share of {part:.0%} of the memory is not plausible; check the unit"
        if record.kind != "unified":
            yield key, f"a {record.kind} machine does not share its memory; remove this"


def dates_sane(record: HardwareRecord) -> Iterator[Fault]:
    """Dates are dates of this field; what is only announced has no day of release."""
    if record.released is not None:
        day = _day(record.released.text)
        if day is None:
            yield "released.text", "write a date as 2024-10-30 or 2024-10"
        elif not date(2010, 1, 1) <= day <= date.today():
            yield "released.text", f"{day} is not plausible; correct it, or set `announced`"
        if record.announced:
            yield "released", "a part that is only announced has no date of release; remove one"
    if record.price is not None and record.price.date and _day(record.price.date) is None:
        yield "price.date", "write a date as 2024-10-30 or 2024-10"


def price_plausible(record: HardwareRecord) -> Iterator[Fault]:
    """A price is in a known currency and lies between 20 and 5 million."""
    price = record.price
    if price is None:
        return
    if price.unit not in CURRENCIES:
        yield "price.unit", f"write a currency: {', '.join(sorted(CURRENCIES))}"
    if not 20 <= price.value <= 5_000_000:
        yield "price.value", f"{price.value:g} {price.unit} is not the price of a machine"


def evidence_complete(record: HardwareRecord, sources: Mapping[str, Source]) -> Iterator[Fault]:
    """Every shipped figure has a source that exists, and a basis that fits it."""
    for key, evidence in evidence_of(record):
        for source in (evidence.source, *evidence.also):
            if source not in sources:
                message = f"“{source}” is not in sources.json; add it there, or correct the id"
                yield f"{key}.source", message
        if evidence.source == RECOLLECTION and evidence.basis != "unverified":
            yield f"{key}.basis", "what rests on recollection is “unverified”"
        if evidence.basis == "derived" and not evidence.where and not evidence.note:
            yield f"{key}.where", "say how this is derived"
        in_measured = key.startswith("measured.")
        if isinstance(evidence, Figure) and in_measured != (evidence.basis == "measured"):
            message = "sustained figures stand under `measured`, with that basis, and only they"
            yield f"{key}.basis", message


def ids_follow_file(record: HardwareRecord, stem: str) -> Iterator[Fault]:
    """Ids of a shipped file are its stem, alone or with a suffix."""
    for index, size in enumerate(record.configurations):
        if size.id != stem and not size.id.startswith(f"{stem}-"):
            yield (
                f"configurations[{index}].id",
                f"write {stem}, or {stem}-{size.capacity.value:g}gb",
            )


def ids_unique(records: Mapping[str, HardwareRecord]) -> Iterator[tuple[str, str, str]]:
    """No id and no name stands in two files."""
    owners: dict[str, str] = {}
    for place, record in records.items():
        named = [
            (f"configurations[{i}].id", size.id) for i, size in enumerate(record.configurations)
        ]
        for key, word in [*named, ("name", record.name)]:
            if owners.setdefault(word, place) != place:
                yield place, key, f"“{word}” also stands in {owners[word]}; choose another"


RECORD_CHECKS: tuple[Callable[[HardwareRecord], Iterator[Fault]], ...] = (
    units_fit,
    bandwidth_follows_bus,
    channels_fill_bus,
    capacity_as_marketed,
    sizes_ascend,
    share_within_capacity,
    dates_sane,
    price_plausible,
    *RATE_CHECKS,
)
"""Checks that need nothing but the record; the editor runs them too."""

CHECK_NAMES = {check.__name__ for check in RECORD_CHECKS} | {"laptops_below_desktops"}


def _faults_of(
    stem: str, record: HardwareRecord, sources: Mapping[str, Source] | None
) -> Iterator[Fault]:
    for name, reason in record.exceptions.items():
        if name not in CHECK_NAMES:
            yield f"exceptions.{name}", f"no such check; one of {', '.join(sorted(CHECK_NAMES))}"
        elif not reason.strip():
            yield f"exceptions.{name}", "say why the check does not apply"
    for check in RECORD_CHECKS:
        found = list(check(record))
        if check.__name__ not in record.exceptions:
            yield from found
        elif not found:
            yield f"exceptions.{check.__name__}", STALE
    if sources is not None:
        yield from evidence_complete(record, sources)
        yield from ids_follow_file(record, stem)


def _memories(record: HardwareRecord) -> Iterator[tuple[str, Memory]]:
    yield "memory", record.memory
    for index, size in enumerate(record.configurations):
        if size.memory is not None:
            yield f"configurations[{index}].memory", size.memory


def _day(text: str) -> date | None:
    """The date, or the first day of the month; None for anything else."""
    try:
        return date.fromisoformat(text if text.count("-") != 1 else f"{text}-01")
    except ValueError:
        return None
