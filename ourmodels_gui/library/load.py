"""Folders of catalog and user files -> Library and the problems met on the way."""

import json
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from ..files import read_small, stamp
from ..language import mark, tr
from ..problem import BadInput, Problem, brief
from .compositions import CompositionEntry, composition_entry, refuse_unknown_parts
from .compositions import read as read_composition
from .hardware import HardwareRecord, MachineEntry, machine_entries
from .links import LinkEntry, LinkRecord, link_entry
from .models import ModelRecord, refuse_impossible
from .records import Source

T = TypeVar("T")

__all__ = ["Library", "MachineEntry", "ModelEntry", "load", "parse"]


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


class Library(msgspec.Struct, frozen=True):
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


def parse(data: bytes, kind: type[T], *, strict: bool = False) -> T:
    """The content of one file as the struct it should be.

    Parameters: data; kind; strict refuses a key that stands twice in one object.
    Raises BadInput with the key's path and what to do.
    """
    data = data.removeprefix(BOM_UTF8)
    try:
        text = data.decode()
    except UnicodeDecodeError as bad:
        message = tr("byte {start} is not UTF-8 text; save the file as UTF-8").format(
            start=bad.start
        )
        raise BadInput("", message) from None
    try:
        if strict:
            json.loads(text, object_pairs_hook=_without_twins, parse_int=str)
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as bad:
        raise BadInput(*_explain(_named(str(bad), data, kind), kind)) from None
    except (msgspec.DecodeError, json.JSONDecodeError) as bad:
        message = tr(
            "this is not complete JSON ({bad}); repair it there, or remove the file"
        ).format(bad=bad)
        raise BadInput("", message) from None
    except RecursionError:
        raise BadInput(
            "", tr("the file nests too deeply; it cannot be what it should be")
        ) from None


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


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        twin = next(key for key in keys if keys.count(key) > 1)
        raise BadInput(
            twin, tr("“{twin}” stands twice in one object; keep one of them").format(twin=twin)
        )
    return dict(pairs)


_PATH = re.compile(r" - at (?:`key` in )?`\$\.?(.*)`$")
_REMEDIES = (
    ("contains unknown field", mark("the key is unknown; remove it, or check its spelling")),
    ("missing required field", mark("a key is missing; add it")),
    ("> 0", mark("must be above 0; leave the key out when it is unknown")),
    ("Number out of range", mark("is too large to be a number; check it")),
    ("matching regex", mark("write small letters, digits and single hyphens")),
)


def _named(text: str, data: bytes, kind: Any) -> str:
    """msgspec's words with the name of a dict's key where they say only `[...]`.

    The key at fault is the one that alone still gives the same words.
    """
    match = _PATH.search(text)
    first, *rest = match.group(1).split("[...]") if match else [""]
    if not rest:
        return text
    path = first
    try:
        content = place = msgspec.json.decode(data)
    except msgspec.DecodeError:  # a number too large for any type
        return text
    for later in rest:
        for step in re.findall(r"[^.\[\]]+", first):
            place = place[int(step) if isinstance(place, list) else step]
        for key, value in dict(place).items():
            place.clear()
            place[key] = value
            if _complaint(content, kind) == text:
                break
        place, first = place[key], later
        path += f".{brief(key)}{later}"
    return f"{_PATH.sub('', text)} - at `$.{path}`"


def _complaint(content: Any, kind: Any) -> str:
    """What msgspec says against some content; "" when nothing."""
    try:
        msgspec.convert(content, kind)
    except msgspec.ValidationError as bad:
        return str(bad)
    return ""


def _explain(text: str, wanted: Any) -> tuple[str, str]:
    """Key path and sentence from msgspec's own words about a value that is not as wanted."""
    match = _PATH.search(text)
    key = match.group(1) if match else ""
    said = brief(_PATH.sub("", text), 160)
    for words, remedy in _REMEDIES:
        if words in said:
            return key, f"{tr(remedy)} ({said})"
    if said.startswith("Invalid enum value") and (known := _words(wanted, key)):
        return key, tr("{said} is unknown; one of {known}").format(
            said=said[len("Invalid enum value ") :], known=", ".join(known)
        )
    return key, tr("{said}; write that instead").format(said=said)


def _words(wanted: Any, key: str) -> list[str]:
    """What may stand at a key that takes one of a few words, or at the keys of a table there."""
    types = [msgspec.inspect.type_info(wanted)]
    for name in re.findall(r"\.{3}|[^.\[\]]+", key):
        types = [inner for one in types for inner in _inside(one, name)]
    words = [getattr(one, "key_type", one) for one in types]
    return [str(word) for one in words for word in getattr(one, "values", ())]


def _inside(outer: msgspec.inspect.Type, name: str) -> Iterator[msgspec.inspect.Type]:
    """The types that the value under a name, or in a list or a table, may have."""
    found: list[msgspec.inspect.Type] = []
    if isinstance(outer, msgspec.inspect.StructType):
        found = [field.type for field in outer.fields if field.encode_name == name]
    elif isinstance(outer, msgspec.inspect.DictType):
        found = [outer.value_type]
    elif isinstance(outer, msgspec.inspect.VarTupleType):
        found = [outer.item_type]
    for one in found:
        yield from one.types if isinstance(one, msgspec.inspect.UnionType) else (one,)


def _version(catalog: Path) -> str:
    try:
        return read_small(catalog / "version", 100).decode().strip()
    except (OSError, ValueError):
        return ""
