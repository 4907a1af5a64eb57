"""Folders of catalog and user files -> Library and the problems met on the way."""

import os
from pathlib import Path
from typing import TypeVar

import msgspec

from ..files import read_small, stamp
from ..language import tr
from ..problem import BadInput, Problem
from .compositions import CompositionEntry, composition_entry, refuse_unknown_parts
from .compositions import read as read_composition
from .hardware import HardwareRecord, MachineEntry, machine_entries
from .links import LinkEntry, LinkRecord, link_entry
from .models import ModelRecord, refuse_impossible
from .parse import parse
from .records import Source


class ModelEntry(msgspec.Struct, frozen=True):
    """One model that can be chosen. Formats and sizes come from `library.profile`.

    yours: it comes from the user's folder. place: its file. stamp: what the file held when read.
    """

    id: str
    name: str
    vendor: str
    record: ModelRecord
    yours: bool = False
    place: str = ""
    stamp: str = ""


Entry = TypeVar("Entry", MachineEntry, ModelEntry, CompositionEntry)


class Library(msgspec.Struct, frozen=True, weakref=True):
    """Replaced whole when a file changes; never edited.

    compositions: several devices or pools under one id, which no machine has.
    """

    machines: dict[str, MachineEntry]
    models: dict[str, ModelEntry]
    sources: dict[str, Source] = {}
    problems: tuple[Problem, ...] = ()
    version: str = ""
    links: dict[str, LinkEntry] = {}
    compositions: dict[str, CompositionEntry] = {}

    @property
    def hardware_ids(self) -> frozenset[str]:
        """Every id that a scenario's hardware may be."""
        return frozenset(self.machines) | frozenset(self.compositions)


def load(catalog: Path, user: Path | None = None, *, strict: bool = False) -> Library:
    """Read every file; a bad one becomes a Problem and the rest loads.

    Parameters: catalog, the shipped folder (`hardware`, `models`, `compositions`, `links.json`,
    `sources*.json`, `version`); user, the user's own, with the first three, which need not exist.
    A user's entry with a shipped id takes its place and is marked `yours`.
    strict: refuse a key that stands twice in shipped files as well; the user's always are.
    """
    problems: list[Problem] = []
    machines: dict[str, MachineEntry] = {}
    models: dict[str, ModelEntry] = {}
    for root, yours in ((catalog, False), (user, True)):
        if root is None:
            continue
        for path, data in _files(root / "hardware", problems):
            with _Collect(problems, path):
                record = parse(data, HardwareRecord, strict=yours or strict)
                mark = stamp(data) if yours else ""
                found = machine_entries(record, yours=yours, place=str(path), stamp=mark)
                _add(machines, found, yours)
        for path, data in _files(root / "models", problems):
            with _Collect(problems, path):
                model = parse(data, ModelRecord, strict=yours or strict)
                if yours:  # the shipped ones are checked before they ship
                    refuse_impossible(model)
                mark = stamp(data) if yours else ""
                entry = ModelEntry(
                    path.stem, model.name, model.vendor, model, yours, str(path), mark
                )
                _add(models, (entry,), yours)
    sources: dict[str, Source] = {}
    for path, data in _files(catalog, problems, "sources"):
        with _Collect(problems, path):
            sources |= parse(data, dict[str, Source], strict=strict)
    links: dict[str, LinkEntry] = {}
    for path, data in _files(catalog, problems, "links"):
        with _Collect(problems, path):
            listed = parse(data, dict[str, LinkRecord], strict=strict)
            links |= {name: link_entry(name, record) for name, record in listed.items()}
    compositions: dict[str, CompositionEntry] = {}
    for root, yours in ((catalog, False), (user, True)):
        for path, data in _files(root / "compositions", problems) if root else ():
            with _Collect(problems, path):
                made = read_composition(data)
                refuse_unknown_parts(made.hardware, machines, links)
                _refuse_taken(path.stem, machines)
                mark = stamp(data) if yours else ""
                composition = composition_entry(
                    path.stem, made, yours=yours, place=str(path), stamp=mark
                )
                _add(compositions, (composition,), yours)
    return Library(
        machines, models, sources, tuple(problems), _version(catalog), links, compositions
    )


class _Collect:
    """Turns BadInput inside the block into a Problem of `path`; the loop goes on."""

    def __init__(self, problems: list[Problem], path: Path) -> None:
        self._problems, self._path = problems, path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if not isinstance(error, BadInput):
            return False
        problem = error.problem
        self._problems.append(Problem(str(self._path), problem.key, problem.message))
        return True


def _files(folder: Path, problems: list[Problem], prefix: str = "") -> list[tuple[Path, bytes]]:
    """Every JSON file of a folder with its bytes, in the order of the names."""
    found: list[tuple[Path, bytes]] = []
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return found
    except OSError as bad:
        message = tr("the folder cannot be read ({reason}); check it").format(
            reason=bad.strerror or bad
        )
        problems.append(Problem(str(folder), "", message))
        return found
    for name in names:
        if not (name.endswith(".json") and name.startswith(prefix)) or name.startswith("."):
            continue
        path = folder / name
        try:
            found.append((path, read_small(path)))
        except OSError as bad:
            message = tr("the file cannot be read ({reason}); check its permissions").format(
                reason=bad.strerror or bad
            )
            problems.append(Problem(str(path), "", message))
        except ValueError as bad:
            problems.append(Problem(str(path), "", str(bad)))
    return found


def _add(known: dict[str, Entry], found: tuple[Entry, ...], yours: bool) -> None:
    """All entries of one file, or none. The first file that uses an id keeps it."""
    for entry in found:
        other = known.get(entry.id)
        if other is not None and other.yours == yours:
            message = tr("“{id}” is already used by {place}; choose another id").format(
                id=entry.id, place=other.place
            )
            raise BadInput("id", message)
    known.update((entry.id, entry) for entry in found)


def _refuse_taken(id_: str, machines: dict[str, MachineEntry]) -> None:
    if id_ in machines:
        message = tr("“{id}” is a machine's id ({place}); give this file another name").format(
            id=id_, place=machines[id_].place
        )
        raise BadInput("", message)


def _version(catalog: Path) -> str:
    try:
        return read_small(catalog / "version", 100).decode().strip()
    except (OSError, ValueError):
        return ""
