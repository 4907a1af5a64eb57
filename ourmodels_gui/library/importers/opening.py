"""A path, whatever it is -> the files of the model there, read."""

import os
import re
from pathlib import Path
from typing import Any

import msgspec

from ...language import tr
from ...problem import BadInput
from .bounded import names_in
from .config_json import read_config
from .described import Described
from .found import Cancelled, Checkpoint, listed, shorten
from .gguf_facts import describe_gguf
from .gguf_parts import parts_of, read_gguf
from .hf_config import describe_config
from .packed import undo_packing
from .quantisation import packing_of
from .shards import INDEX, Shards, find_files, read_index, read_shards, siblings


class Files(msgspec.Struct, frozen=True):
    """What was read, before any question is answered; reading it again is never needed."""

    checkpoint: Checkpoint
    said: Described
    name: str


def pasted_path(text: str) -> Path:
    """The path that somebody pasted or dropped: quotes, a file address and a home folder undone.

    Raises BadInput for a web address.

    >>> pasted_path(' "file:///models/my%20model.gguf" ').as_posix()
    '/models/my model.gguf'
    """
    plain = text.strip().strip("\"'").strip()
    if plain.lower().startswith(("http://", "https://")):
        message = tr(
            "this program works offline; download the files and give the path of their folder"
        )
        raise BadInput("", message, shorten(plain))
    if plain.lower().startswith("file://"):
        address = plain[len("file://") :]
        address = address[address.find("/") :] if "/" in address else address
        coded = re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), address.encode())
        plain = coded.decode(errors="surrogateescape")
        if re.match(r"/[A-Za-z]:/", plain):  # a drive letter
            plain = plain[1:]
    return _at_home(Path(plain))


def read_files(path: Path, cancelled: Cancelled | None = None) -> Files:
    """The headers and the metadata of the model at a path. Raises as `import_model` does."""
    path = Path(os.path.abspath(_at_home(path)))
    if path.is_dir():
        return _read_folder(path, cancelled)
    path.stat()
    name = path.name.lower()
    if name.endswith(".gguf"):
        return _from_gguf(read_gguf(path, cancelled), path)
    if name.endswith(INDEX):
        index = read_index(path)
        shards = [path.with_name(shard) for shard in sorted(set(index.weight_map.values()))]
        return _from_safetensors(path.parent, read_shards(index, shards, cancelled))
    if name.endswith(".safetensors"):
        return _from_safetensors(path.parent, read_shards(None, siblings(path), cancelled), path)
    if name.endswith(".json"):
        return _from_config(path, cancelled)
    message = tr(
        "not a model file this program reads; give a .gguf or .safetensors file, an "
        "index, a config.json, or the folder that holds them"
    )
    raise BadInput("", message, str(path))


def _at_home(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # the home of somebody who is not there
        return path


def _read_folder(folder: Path, cancelled: Cancelled | None) -> Files:
    names = names_in(folder)
    ggufs = [n for n in names if n.lower().endswith(".gguf") and not n.startswith("mmproj")]
    models = {parts_of(folder / name)[0] for name in ggufs}
    others = [name for name in names if name.endswith((".safetensors", INDEX))]
    if len(models) > 1:
        found = listed(sorted(path.name for path in models))
        message = tr("the folder holds {count} GGUF models; give one of them: {found}").format(
            count=len(models), found=found
        )
        raise BadInput("", message, str(folder))
    if models and not others:
        first = models.pop()
        return _from_gguf(read_gguf(first, cancelled), first)
    if "config.json" in names:
        return _from_config(folder / "config.json", cancelled)
    if others:
        return _from_safetensors(folder, read_shards(*find_files(folder), cancelled))
    message = tr("the folder holds nothing, so no model: no .gguf, .safetensors or config.json")
    if names:
        message = tr(
            "the folder holds {count:,} files, none of which is a model: no .gguf, .safetensors "
            "or config.json"
        ).format(count=len(names))
    raise BadInput("", message, str(folder))


def _from_gguf(checkpoint: Checkpoint, path: Path) -> Files:
    names = [tensor.name for tensor in checkpoint.tensors]
    said = describe_gguf(checkpoint.metadata, names, checkpoint.place)
    return Files(checkpoint, said, said.name or path.stem)


def _from_config(path: Path, cancelled: Cancelled | None) -> Files:
    """A config with the weights beside it, or alone when they are not there."""
    folder = path.parent
    index, paths = find_files(folder)
    present = [shard for shard in paths if shard.exists()]
    if present and (path.name == "config.json" or len(present) == len(paths)):
        held = read_shards(index, paths, cancelled)
        index = None  # its names are as many megabytes as the tensors' own
        return _from_safetensors(folder, held, config=path)
    config = read_config(path)
    said = describe_config(config, str(path))
    if said.layer_count is None and said.hidden_width is None:
        message = tr(
            "this JSON describes no model: it has neither num_hidden_layers nor hidden_size"
        )
        raise BadInput("", message, str(path))
    stated = {"total_size": index.total_size} if index and index.total_size else {}
    notes = [
        tr("sized by the config alone: norms, biases, draft layers and towers are left out"),
    ]
    if index is not None and said.tied is None:
        said = msgspec.structs.replace(said, tied="lm_head.weight" not in index.weight_map)
    checkpoint = Checkpoint(
        "config", str(path), (), config, 1, path.stat().st_size, 0, stated, tuple(notes)
    )
    return Files(checkpoint, said, said.name or folder.name)


def _from_safetensors(
    folder: Path, shards: Shards, single: Path | None = None, config: Path | None = None
) -> Files:
    config_path = config or folder / "config.json"
    metadata: dict[str, Any] = read_config(config_path) if config_path.exists() else {}
    place = str(single or folder)
    notes = list(shards.notes)
    if not metadata:
        notes.append(tr("no config.json beside the weights, so the cache layout is unknown"))
    packing = packing_of(metadata, str(config_path))
    tensors = undo_packing(shards.tensors, packing, place)
    if not packing.schemes and any(raw.dtype == "U32" for raw in shards.tensors):
        notes.append(tr("no config says how its words are packed; the usual bits are assumed"))
    checkpoint = Checkpoint(
        "safetensors",
        place,
        tensors,
        metadata,
        shards.files,
        shards.file_bytes,
        shards.header_bytes,
        notes=tuple(notes),
    )
    said = describe_config(metadata, str(config_path))
    return Files(checkpoint, said, said.name or _folder_name(folder, single))


def _folder_name(folder: Path, single: Path | None) -> str:
    if single is not None and single.name not in ("model.safetensors",):
        return single.stem
    # a download cache names the folder after the revision, the model two folders above
    parts = folder.parts
    if len(parts) > 2 and parts[-2] == "snapshots" and parts[-3].startswith("models--"):
        return parts[-3].split("--")[-1]
    return folder.name or "model"
