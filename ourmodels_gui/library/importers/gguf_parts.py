"""A GGUF model in one file or split over several, opened by any of them -> Checkpoint."""

import re
from pathlib import Path
from typing import Any

from ...language import tr
from ...problem import BadInput
from .bounded import BoundedFile
from .found import Cancelled, Checkpoint, Tensor, go_on, listed, shorten
from .gguf import Header, read_header

MOST_PARTS = 2000
_PART = re.compile(r"(?P<stem>.+)-(?P<part>\d{5})-of-(?P<parts>\d{5})\.gguf", re.IGNORECASE)


def read_gguf(path: Path, cancelled: Cancelled | None = None) -> Checkpoint:
    """All headers of the model that `path` belongs to.

    Raises OSError for a file that cannot be opened, BadInput for a damaged or incomplete model,
    ImportCancelled.
    """
    paths = parts_of(path)
    metadata: dict[str, Any] = {}
    tensors: list[Tensor] = []
    names: set[str] = set()
    sizes: list[tuple[int, int]] = []
    notes: list[str] = []
    for place, part in enumerate(paths):
        go_on(cancelled)
        with BoundedFile(part) as file:
            header = read_header(file)
            _check_part(file, header, place, len(paths))
            sizes.append((file.size, header.data_start))
            if file.size - header.end > 64:
                notes.append(
                    tr("{name}: {size:,} bytes after the tensors").format(
                        name=part.name, size=file.size - header.end
                    )
                )
        again = next((t.name for t in header.tensors if t.name in names), None)
        if again is not None:
            message = tr("this tensor stands in two parts; they are not of one model")
            raise BadInput(shorten(again), message, str(part))
        names.update(tensor.name for tensor in header.tensors)
        tensors += header.tensors
        metadata = header.metadata | metadata  # the first part describes the model
        if header.big_endian:
            notes.append(
                tr("{name}: big-endian; most runtimes cannot load it").format(name=part.name)
            )
    announced = metadata.get("split.tensors.count")
    if len(paths) > 1 and isinstance(announced, int) and announced != len(tensors):
        message = tr("the parts hold {tensors:,} tensors, {announced:,} are announced").format(
            tensors=len(tensors), announced=announced
        )
        raise BadInput(
            "split.tensors.count",
            tr("{message}; download them again").format(message=message),
            str(paths[0]),
        )
    if not tensors:
        message = tr(
            "the file holds no tensors (a vocabulary only?); give the file with the weights"
        )
        raise BadInput("", message, str(path))
    return Checkpoint(
        "gguf",
        str(paths[0]),
        tuple(tensors),
        metadata,
        len(paths),
        sum(size for size, _ in sizes),
        sum(start for _, start in sizes),
        notes=tuple(notes),
    )


def parts_of(path: Path) -> list[Path]:
    """All files of a split model in order, by the name of any of them; a single file otherwise.

    Raises BadInput naming the parts that are missing.
    """
    match = _PART.fullmatch(path.name)
    if match is None:
        return [path]
    count, own = int(match["parts"]), int(match["part"])
    if not 1 <= own <= count:
        raise BadInput(
            "",
            tr("part {own} of {count} cannot be; check the file's name").format(
                own=own, count=count
            ),
            str(path),
        )
    if count > MOST_PARTS:
        raise BadInput(
            "",
            tr("{count:,} parts are too many; check the file's name").format(count=count),
            str(path),
        )
    suffix = path.name[-len(".gguf") :]
    names = [f"{match['stem']}-{part:05}-of-{count:05}{suffix}" for part in range(1, count + 1)]
    missing = [name for name in names if not path.with_name(name).exists()]
    if missing:
        message = tr("{missing} of {count} parts are missing beside it: {missing_2}").format(
            missing=len(missing), count=count, missing_2=listed(missing)
        )
        raise BadInput("", message, str(path))
    return [path.with_name(name) for name in names]


def _check_part(file: BoundedFile, header: Header, place: int, count: int) -> None:
    """A part says of itself which it is; what it says has to fit its name."""
    announced = header.metadata.get("split.count", 0)
    if announced not in (0, count) and not (announced == 1 and count == 1):
        message = tr("it is one of {announced} parts by its header, of {count} by its name").format(
            announced=announced, count=count
        )
        remedy = (
            tr("give the files their original names") if count == 1 else tr("download them again")
        )
        raise file.bad(f"{message}; {remedy}", "split.count")
    own = header.metadata.get("split.no", place)
    if own != place and count > 1:
        message = tr("its name says part {place}, its header part {own}").format(
            place=place + 1, own=own
        )
        raise file.bad(
            tr("{message}; restore the original names").format(message=message), "split.no"
        )
