"""The files of a safetensors model: a single one, an index with shards, a folder."""

import re
from pathlib import Path

import msgspec

from ...language import tr
from ...problem import BadInput
from .bounded import BoundedFile, names_in, read_whole
from .config_json import parse_json
from .found import Cancelled, go_on, listed, shorten
from .safetensors import Raw, read_header

INDEX = ".safetensors.index.json"
LARGEST_INDEX = 100_000_000
MOST_SHARDS = 5000
_SHARD = re.compile(r"(?P<stem>.+)-(?P<part>\d{5,6})-of-(?P<parts>\d{5,6})\.safetensors")


class Shards(msgspec.Struct, frozen=True):
    """What the files hold together. `missing`: named by the index and not there."""

    tensors: tuple[Raw, ...]
    files: int
    file_bytes: int
    header_bytes: int
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Index(msgspec.Struct, frozen=True):
    """weight_map of an index: tensor -> file; total_size: what it says of all of them."""

    path: Path
    weight_map: dict[str, str]
    total_size: int | None


def find_files(folder: Path) -> tuple[Index | None, list[Path]]:
    """The safetensors files that make up the model of a folder, and their index if there is one.

    Raises BadInput when the folder holds several models.
    """
    names = names_in(folder)
    indexes = [name for name in names if name.endswith(INDEX)]
    chosen = _only(folder, indexes, "model" + INDEX, tr("index files"))
    if chosen is not None:
        index = read_index(folder / chosen)
        return index, [folder / name for name in sorted(set(index.weight_map.values()))]
    singles = [name for name in names if name.endswith(".safetensors")]
    sharded = [name for name in singles if _SHARD.fullmatch(name)]
    whole = [name for name in singles if name not in sharded]
    if "model.safetensors" in whole or (whole and not sharded):
        single = _only(folder, whole, "model.safetensors", tr("safetensors files"))
        return None, [folder / single] if single else []
    return (None, siblings(folder / sharded[0])) if sharded else (None, [])


def siblings(path: Path) -> list[Path]:
    """All shards of the model of which `path` is one, by their names."""
    match = _SHARD.fullmatch(path.name)
    if match is None:
        return [path]
    count, own, digits = int(match["parts"]), int(match["part"]), len(match["parts"])
    if not 1 <= own <= count or count > MOST_SHARDS:
        raise BadInput(
            "",
            tr("shard {own} of {count} cannot be; check the name").format(own=own, count=count),
            str(path),
        )
    return [
        path.with_name(f"{match['stem']}-{part:0{digits}}-of-{match['parts']}.safetensors")
        for part in range(1, count + 1)
    ]


def read_index(path: Path) -> Index:
    """An index file. Raises BadInput when it names anything but safetensors files beside it."""
    content = parse_json(read_whole(path, LARGEST_INDEX), str(path))
    weight_map = content.get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        message = tr("it has no weight_map, so it is not the index of a safetensors model")
        raise BadInput("weight_map", message, str(path))
    for name, shard in weight_map.items():
        if not isinstance(shard, str):
            key = f"weight_map.{shorten(name)}"
            raise BadInput(key, tr("has to be the name of a file"), str(path))
    named_by = {shard: name for name, shard in weight_map.items()}
    for shard, name in named_by.items():
        key = f"weight_map.{shorten(name)}"
        if "/" in shard or "\\" in shard or "\0" in shard or shard in ("", ".", ".."):
            message = tr(
                "“{shard}” leads out of the folder; shards have to stand beside it"
            ).format(shard=shorten(shard))
            raise BadInput(key, message, str(path))
        if not shard.endswith(".safetensors"):
            message = tr("“{shard}” is not a safetensors file; an index names only such").format(
                shard=shorten(shard)
            )
            raise BadInput(key, message, str(path))
    if len(named_by) > MOST_SHARDS:
        raise BadInput("weight_map", tr("names more files than any model has"), str(path))
    meta = content.get("metadata")
    total = meta.get("total_size") if isinstance(meta, dict) else None
    if isinstance(total, float) and total == int(total):
        total = int(total)
    return Index(path, weight_map, total if isinstance(total, int) and total > 0 else None)


def read_shards(
    index: Index | None, paths: list[Path], cancelled: Cancelled | None = None
) -> Shards:
    """The headers of all files.

    Raises OSError, ImportCancelled, and BadInput when shards are missing or contradict the index.
    """
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        message = tr("{count} of {all} shards are missing: {names}").format(
            count=len(missing), all=len(paths), names=listed(missing)
        )
        place = str(index.path if index else paths[0].parent)
        raise BadInput(
            "",
            tr("{message}; download them, or give config.json alone").format(message=message),
            place,
        )
    tensors: dict[str, Raw] = {}
    file_bytes = header_bytes = 0
    for path in paths:
        go_on(cancelled)
        own = path.name
        with BoundedFile(path) as file:
            held, start = read_header(file)
            file_bytes += file.size
            header_bytes += start
        for raw in held:
            if raw.name in tensors:
                message = tr("this tensor stands in two shards; they are not of one model")
                raise BadInput(shorten(raw.name), message, str(path))
            if index is not None and index.weight_map.get(raw.name, own) != own:
                message = tr("the index looks for it in {weight_map}").format(
                    weight_map=shorten(index.weight_map[raw.name])
                )
                raise BadInput(shorten(raw.name), message, str(path))
            tensors[raw.name] = raw
    notes = []
    if index is not None:
        if not index.weight_map.keys() <= tensors.keys():
            lacking = [name for name in index.weight_map if name not in tensors]
            message = tr("the index names tensors that no shard holds: {lacking}").format(
                lacking=listed(lacking)
            )
            raise BadInput(
                "weight_map",
                tr("{message}; download them again").format(message=message),
                str(index.path),
            )
        if not tensors.keys() <= index.weight_map.keys():
            extra = [name for name in tensors if name not in index.weight_map]
            notes.append(
                tr("tensors that the index does not name: {extra}").format(extra=listed(extra))
            )
    if not tensors:
        raise BadInput("", tr("the files hold no tensors"), str(paths[0]))
    return Shards(tuple(tensors.values()), len(paths), file_bytes, header_bytes, notes=tuple(notes))


def _only(folder: Path, names: list[str], usual: str, what: str) -> str | None:
    """The one that is meant: the only one, or the one with the usual name."""
    if len(names) <= 1 or usual in names:
        return usual if usual in names else (names or [None])[0]  # type: ignore[list-item]
    message = tr("the folder holds {count} {what}; give one of them: {names}").format(
        count=len(names), what=what, names=listed(names)
    )
    raise BadInput("", message, str(folder))
