"""Sense checks over hardware files: the catalog's, the user's, and the one in the editor.

A check of one record takes the record and yields (key, message); a check across the catalog takes
all of them and yields (file, key, message). Each message says what to write instead. A record may
set a check aside by its name, with the reason, in `exceptions`.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePath

import msgspec

from ..language import mark, tr
from ..problem import Problem
from .check_machine import MACHINE_CHECKS, Fault, day_of
from .check_rates import RATE_CHECKS, laptops_below_desktops
from .hardware import HardwareRecord
from .links import LinkEntry
from .load import Library
from .records import RECOLLECTION, Evidence, Figure, Source

STALE = mark("the check passes; remove the exception")


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
        (place, f"exceptions.{laptops_below_desktops.__name__}", tr(STALE))
        for place in sorted(excepted - {fault[0] for fault in laptops})
    ]
    return faults + [Problem(*fault) for fault in across]


def check_sources(
    sources: Mapping[str, Source], used: set[str], place: str = "sources.json"
) -> list[Problem]:
    """Every source is complete and used. `used` holds the ids that any catalog file names."""
    faults = []
    for name, source in sources.items():
        if not source.title.strip() or not source.place.strip():
            faults.append((f"{name}", tr("title or place is empty; write where it can be found")))
        if name != RECOLLECTION and day_of(source.read) is None:
            faults.append((f"{name}.read", tr("write the day it was read, as 2026-11-29")))
        if name not in used:
            faults.append((name, tr("no file uses this source; remove it, or correct the id")))
    return [Problem(place, key, message) for key, message in faults]


def check_links(links: Mapping[str, LinkEntry], sources: Mapping[str, Source]) -> list[Problem]:
    """Every figure of a link has a source that exists, and a basis that fits it."""
    return [
        Problem("links.json", f"{name}.{key}", message)
        for name, link in links.items()
        for key, message in evidence_complete(link.record, sources)
    ]


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


def evidence_complete(record: object, sources: Mapping[str, Source]) -> Iterator[Fault]:
    """Every shipped figure has a source that exists, and a basis that fits it."""
    for key, evidence in evidence_of(record):
        for source in (evidence.source, *evidence.also):
            if source not in sources:
                message = tr(
                    "“{source}” is not in sources.json; add it there, or correct the id"
                ).format(source=source)
                yield f"{key}.source", message
        if evidence.source == RECOLLECTION and evidence.basis != "unverified":
            yield f"{key}.basis", tr("what rests on recollection is “unverified”")
        if evidence.basis == "derived" and not evidence.where and not evidence.note:
            yield f"{key}.where", tr("say how this is derived")
        in_measured = key.startswith("measured.")
        if isinstance(evidence, Figure) and in_measured != (evidence.basis == "measured"):
            message = tr("sustained figures stand under `measured`, with that basis, and only they")
            yield f"{key}.basis", message


def ids_follow_file(record: HardwareRecord, stem: str) -> Iterator[Fault]:
    """Ids of a shipped file are its stem, alone or with a suffix."""
    for index, size in enumerate(record.configurations):
        if size.id != stem and not size.id.startswith(f"{stem}-"):
            yield (
                f"configurations[{index}].id",
                tr("write {stem}, or {stem}-{value:g}gb").format(
                    stem=stem, value=size.capacity.value
                ),
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
                yield (
                    place,
                    key,
                    tr("“{word}” also stands in {owner}; choose another").format(
                        word=word, owner=owners[word]
                    ),
                )


RECORD_CHECKS = MACHINE_CHECKS + RATE_CHECKS
"""Checks that need nothing but the record; the editor runs them too."""

CHECK_NAMES = {check.__name__ for check in RECORD_CHECKS} | {"laptops_below_desktops"}


def _faults_of(
    stem: str, record: HardwareRecord, sources: Mapping[str, Source] | None
) -> Iterator[Fault]:
    for name, reason in record.exceptions.items():
        if name not in CHECK_NAMES:
            yield (
                f"exceptions.{name}",
                tr("no such check; one of {known}").format(known=", ".join(sorted(CHECK_NAMES))),
            )
        elif not reason.strip():
            yield f"exceptions.{name}", tr("say why the check does not apply")
    for check in RECORD_CHECKS:
        found = list(check(record))
        if check.__name__ not in record.exceptions:
            yield from found
        elif not found:
            yield f"exceptions.{check.__name__}", tr(STALE)
    if sources is not None:
        yield from evidence_complete(record, sources)
        yield from ids_follow_file(record, stem)
