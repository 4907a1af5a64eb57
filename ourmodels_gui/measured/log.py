"""The user's own measurements: one file in the user's folder, written whole or not at all.

What cannot be read is set aside under another name, with a notice, and never thrown away.
"""

import contextlib
import os
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from .. import strict_json
from ..composed import ComposedHardware, HardwareRef
from ..files import FileChanged, create, read_small, replace, stamp, write_whole
from ..fitting import fit
from ..inline import InlineHardware
from ..language import tr, trn
from ..library.load import Library
from ..library.lookup import hardware_in_use
from ..library.profile import default_weights
from ..library.records import CatalogStruct
from ..problem import BadInput
from ..scenario import InlineModel, ModelRef, Scenario
from .composition import name_of_run, named, policy_of, policy_of_run
from .runs import MeasuredRun

FORMAT = "ourmodels-measurements"
VERSION = 1
FILE = "measurements.json"
MOST_ENTRIES = 2000

Day = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class Entry(CatalogStruct, frozen=True):
    """A measurement and the day it was logged.

    It belongs to a scenario by the ids of its machine, model and weights; where it has none, by the
    names it was said with, which are those of what a scenario writes out itself.
    """

    logged: Day
    run: MeasuredRun


class Log(msgspec.Struct, frozen=True):
    """The entries, oldest first. stamp: of the file they were read from, None when there is none.
    notice: for the user, "" when there is nothing to say. is_stuck: the file stays in the way."""

    entries: tuple[Entry, ...] = ()
    stamp: str | None = None
    notice: str = ""
    is_stuck: bool = False


Subject = tuple[str, str, str]


def subject_of(run: MeasuredRun) -> Subject:
    """Machine, model and weights that a run is of: ids, or the names it was said with.

    A composition goes by its devices and the way in which they were used.
    """
    machine = run.machine or run.said.machine
    if run.machine and policy_of_run(run) != "one device":
        machine = name_of_run(run)
    return machine, run.model or run.said.model, run.weights


def subject(scenario: Scenario, library: Library) -> Subject:
    """The same of a scenario; what it writes out itself goes by its name."""
    hardware, model = hardware_in_use(scenario.hardware, library), scenario.model
    machine = hardware if isinstance(hardware, str) else ""
    if isinstance(hardware, HardwareRef):
        machine = hardware.id
    elif isinstance(hardware, InlineHardware):
        machine = hardware.name
    elif isinstance(hardware, ComposedHardware):
        machine = named(hardware, policy_of(hardware))
    if isinstance(model, InlineModel):
        return machine, model.adapter.name, ""
    assert isinstance(model, ModelRef)
    known = library.models.get(model.id)
    standard = default_weights(known.record) if known else ""
    return machine, model.id, model.weights or standard


def load(folder: Path) -> Log:
    """The log kept in a folder; no file means an empty one.

    A damaged entry is written to a file of its own beside the log, a damaged file is renamed; the
    notice says so. A file that cannot be read stays where it is.
    """
    path = folder / FILE
    try:
        data = read_small(path)
    except FileNotFoundError:
        return Log()
    except OSError as bad:
        words = tr("{path} cannot be read ({reason}); nothing is logged now.")
        return Log(notice=words.format(path=path, reason=bad.strerror or bad), is_stuck=True)
    except ValueError as bad:
        return _renamed(path, str(bad))
    try:
        entries, damaged = read(data)
    except BadInput as bad:
        return _renamed(path, str(bad.problem))
    if not damaged:
        return Log(entries, stamp(data))
    return _without(path, data, entries, damaged)


def read(data: bytes) -> tuple[tuple[Entry, ...], tuple[tuple[Any, str], ...]]:
    """The entries that a file holds, and those that cannot be read, each with the reason.

    Raises BadInput when the file as a whole is none.

    >>> read(b'{"format": "ourmodels-measurements", "version": 1, "entries": [7]}')
    ((), ((7, 'entries[0]: expected an object with logged, run, found 7'),))
    """
    document = strict_json.parse(data)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadInput(
            "format",
            tr('must be "{format}"; this is not a log of measurements').format(format=FORMAT),
        )
    version = document.get("version")
    if version != VERSION or isinstance(version, bool):
        raise BadInput(
            "version",
            tr("this program reads version {known}, the file has {version}").format(
                known=VERSION, version=version
            ),
        )
    rows = document.get("entries")
    if not isinstance(rows, list):
        raise BadInput("entries", tr("must be a list"))
    for key in document.keys() - {"format", "version", "entries"}:
        raise BadInput(key, tr("unknown key; known here: format, version, entries"))
    entries, damaged = [], []
    ids: set[str] = set()
    for number, row in enumerate(rows):
        try:
            entry: Entry = fit(row, Entry, f"entries[{number}]")
            _day(entry.logged, f"entries[{number}].logged")
            if entry.run.id in ids:
                raise BadInput(
                    f"entries[{number}].run.id", tr("“{id}” stands twice").format(id=entry.run.id)
                )
        except BadInput as bad:
            damaged.append((row, str(bad.problem)))
            continue
        ids.add(entry.run.id)
        entries.append(entry)
    return tuple(entries), tuple(damaged)


def write(entries: tuple[Entry, ...]) -> bytes:
    """The file that holds the entries."""
    return _document(msgspec.to_builtins(entries))


def add(folder: Path, runs: tuple[MeasuredRun, ...], day: str) -> Log:
    """Log runs under the next free ids, beside whatever another window logged meanwhile.

    Raises BadInput when the log is full or cannot be written; it then stands untouched.
    """

    def change(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        if len(entries) + len(runs) > MOST_ENTRIES:
            message = tr("the log holds at most {most:,} measurements; delete some first").format(
                most=MOST_ENTRIES
            )
            raise BadInput("", message)
        taken = {entry.run.id for entry in entries}
        free = (f"log-{number}" for number in range(1, 10**9) if f"log-{number}" not in taken)
        new = (Entry(day, msgspec.structs.replace(run, id=next(free))) for run in runs)
        return (*entries, *new)

    return _changed(folder, change)


def remove(folder: Path, ids: frozenset[str]) -> Log:
    """Delete entries by the ids of their runs. Raises as `add` does."""
    return _changed(folder, lambda entries: tuple(e for e in entries if e.run.id not in ids))


def _changed(folder: Path, change: Any) -> Log:
    for _ in range(5):
        log = load(folder)
        if log.is_stuck:
            raise BadInput("", log.notice, str(folder / FILE))
        entries = change(log.entries)
        data = write(entries)
        try:
            if log.stamp is None:
                create(folder / FILE, data)
            else:
                replace(folder / FILE, data, log.stamp)
        except (FileChanged, FileExistsError):
            continue  # another window was quicker; its entries are read first
        except OSError as bad:
            message = tr("the log cannot be written ({reason}); check the folder").format(
                reason=bad.strerror or bad
            )
            raise BadInput("", message, str(folder / FILE)) from None
        return Log(entries, stamp(data), log.notice)
    raise BadInput("", tr("the log is being changed elsewhere; try again"), str(folder / FILE))


def _day(text: str, key: str) -> None:
    year, _, rest = text.partition("-")
    month, _, day = rest.partition("-")
    plain = (year.isdigit(), month.isdigit(), day.isdigit())
    if not all(plain) or len(text) != 10 or not 1 <= int(month) <= 12 or not 1 <= int(day) <= 31:
        raise BadInput(key, tr("must be a day as YYYY-MM-DD"))


def _document(entries: Any) -> bytes:
    document = {"format": FORMAT, "version": VERSION, "entries": entries}
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def _without(
    path: Path, data: bytes, entries: tuple[Entry, ...], damaged: tuple[tuple[Any, str], ...]
) -> Log:
    """Keep the damaged entries in a file of their own and the log without them."""
    why = damaged[0][1]
    aside, kept = _aside(path), write(entries)
    try:
        write_whole(aside, _document([row for row, _ in damaged]))
        replace(path, kept, stamp(data))
    except (OSError, FileChanged):
        return Log(
            entries,
            stamp(data),
            trn(
                "One measurement in {path} could not be read ({why}).",
                "{count} measurements in {path} could not be read ({why}).",
                len(damaged),
            ).format(count=len(damaged), path=path, why=why),
        )
    return Log(
        entries,
        stamp(kept),
        trn(
            "One measurement could not be read ({why}) and went to {name}.",
            "{count} measurements could not be read ({why}) and went to {name}.",
            len(damaged),
        ).format(count=len(damaged), why=why, name=aside.name),
    )


def _renamed(path: Path, why: str) -> Log:
    with contextlib.suppress(OSError):
        aside = _aside(path)
        os.rename(path, aside)
        words = tr("The measurements could not be read ({why}); they were kept as {name}.")
        return Log(notice=words.format(why=why, name=aside.name))
    words = tr(
        "The measurements could not be read ({why}) and stay in {path}; nothing is logged now."
    )
    return Log(notice=words.format(why=why, path=path), is_stuck=True)


def _aside(path: Path) -> Path:
    numbered = (path.with_name(f"{path.stem}.unread-{n}{path.suffix}") for n in range(1, 10_000))
    return next(aside for aside in numbered if not os.path.lexists(aside))
