"""The user's own machines, models and compositions: one file each, in a folder of their kind.

Nothing here overwrites or deletes what was not read and shown before: a new entry takes a free
file name, an edited one is written only over the content it was read from.
"""

import os
import re
import unicodedata
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import msgspec

from .. import files
from ..language import mark, tr
from ..problem import BadInput
from .compositions import CompositionEntry, CompositionRecord
from .hardware import Configuration, HardwareRecord, MachineEntry
from .load import ModelEntry
from .models import ModelRecord

Record = HardwareRecord | ModelRecord | CompositionRecord
Entry = MachineEntry | ModelEntry | CompositionEntry

_FOLDERS: dict[type, str] = {
    HardwareRecord: "hardware",
    ModelRecord: "models",
    CompositionRecord: "compositions",
}

_DEVICE = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]")
"""Names that Windows keeps for devices."""


def slug(name: str) -> str:
    """An id made from a name.

    >>> slug("Büro-PC (2 x 48 GB)")
    'buro-pc-2-x-48-gb'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    made = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:80].strip("-") or "own"
    return f"my-{made}" if _DEVICE.fullmatch(made) else made


def add_machine(
    user: Path, record: HardwareRecord, taken: frozenset[str] = frozenset()
) -> tuple[Path, str]:
    """Write a machine under a new file; give its sizes ids nobody uses yet.

    Parameters: user, the user's folder; record, whose ids are replaced; taken, ids in use.
    Returns the file and the first size's id. Raises BadInput when it cannot be written.
    """
    for base in _names(record.name):
        sizes = _with_ids(record.configurations, base)
        path = user / "hardware" / f"{base}.json"
        if not taken & {size.id for size in sizes} and _write_new(
            path, msgspec.structs.replace(record, configurations=sizes)
        ):
            break
    return path, sizes[0].id


def add_model(
    user: Path, record: ModelRecord, taken: frozenset[str] = frozenset()
) -> tuple[Path, str]:
    """Write a model under a new file, whose stem is its id. As `add_machine`."""
    return _add(user, record, taken)


def add_composition(
    user: Path, record: CompositionRecord, taken: frozenset[str] = frozenset()
) -> tuple[Path, str]:
    """Write a composition under a new file, whose stem is its id. As `add_machine`; taken are the
    ids of machines and of compositions."""
    return _add(user, record, taken)


def _add(
    user: Path, record: ModelRecord | CompositionRecord, taken: frozenset[str]
) -> tuple[Path, str]:
    for base in _names(record.name):
        path = user / _FOLDERS[type(record)] / f"{base}.json"
        if base not in taken and _write_new(path, record):
            break
    return path, base


def override(user: Path, stem: str, record: Record) -> Path:
    """Write the user's version of a shipped entry, under the shipped ids, as a new file.

    Raises BadInput when the user's folder already has a file of that name.
    """
    path = user / _FOLDERS[type(record)] / f"{stem}.json"
    if not _write_new(path, record):
        message = tr("you already have a file of this name; edit that one, or remove it")
        raise BadInput("", message, str(path))
    return path


def save(entry: Entry, record: Record) -> Path:
    """Write an edited record over the file its entry was read from; the ids stay.

    Raises BadInput when the entry is not the user's, when the file changed since it was read, or
    when it cannot be written; the file then stands untouched.
    """
    path = _own_file(entry)
    try:
        files.replace(path, encode(record), entry.stamp)
    except (files.FileChanged, OSError) as bad:
        raise _refused(path, bad, mark("saved")) from None
    return path


def rename(entry: Entry, name: str) -> Path:
    """Give an entry another name; its ids and its file keep theirs. Raises as `save` does."""
    if not name.strip():
        raise BadInput("name", tr("a name is needed; write one"))
    return save(entry, msgspec.structs.replace(entry.record, name=name.strip()))


def delete(entry: Entry) -> Path:
    """Remove the file an entry was read from, with every size in it. Raises as `save` does."""
    path = _own_file(entry)
    try:
        files.delete(path, entry.stamp)
    except (files.FileChanged, OSError) as bad:
        raise _refused(path, bad, mark("deleted")) from None
    return path


def encode(record: Record) -> bytes:
    """The record as its file holds it."""
    return msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"


def _with_ids(sizes: tuple[Configuration, ...], base: str) -> tuple[Configuration, ...]:
    """Ids from the file's stem: alone for one size, with the size behind it for several."""
    if len(sizes) == 1:
        return (msgspec.structs.replace(sizes[0], id=base),)
    named: list[Configuration] = []
    for size in sizes:
        wanted = f"{base}-{slug(f'{size.capacity.value:g}{size.capacity.unit}')}"
        known = {other.id for other in named}
        ids = [wanted, *(f"{wanted}-{number}" for number in range(2, len(sizes) + 1))]
        chosen = next(candidate for candidate in ids if candidate not in known)
        named.append(msgspec.structs.replace(size, id=chosen))
    return tuple(named)


def _own_file(entry: Entry) -> Path:
    if not entry.yours or not entry.place or not entry.stamp:
        raise BadInput(
            "", tr("“{name}” is shipped; duplicate it to change it").format(name=entry.name)
        )
    return Path(entry.place)


def _names(name: str) -> Iterator[str]:
    stem = slug(name)
    yield stem
    for number in count(2):
        yield f"{stem}-{number}"


def _write_new(path: Path, record: Record) -> bool:
    """False when the name is taken."""
    try:
        files.create(path, encode(record))
    except FileExistsError:
        if not os.path.lexists(path):  # a file stands where a folder is needed
            raise _refused(
                path, OSError(tr("a file stands where a folder is needed")), mark("saved")
            ) from None
        return False
    except OSError as bad:
        raise _refused(path, bad, mark("saved")) from None
    return True


def _refused(path: Path, why: Exception, done: str) -> BadInput:
    if isinstance(why, files.FileChanged):
        message = tr(
            "the file was changed elsewhere since it was read, so nothing was {done}; "
            "reload, or keep yours under another name"
        ).format(done=tr(done))
    else:
        said = getattr(why, "strerror", None) or why
        message = tr(
            "nothing could be {done} there ({said}); check the folder and its permissions"
        ).format(done=tr(done), said=said)
    return BadInput("", message, str(path))
