"""The header of one GGUF file: metadata and tensor list, versions 2 and 3, both byte orders.

Only the header is read. Long arrays (vocabularies) are stepped over; their length is kept.

References: the GGUF specification in the ggml repository (docs/gguf.md).
"""

from itertools import pairwise
from math import ceil
from typing import Any

import msgspec

from ...language import tr
from .bounded import BoundedFile
from .found import Tensor, shorten
from .gguf_scan import LONGEST_NAME, Scan

MAGIC = b"GGUF"
MOST_KEYS = 65_536
MOST_TENSORS = 500_000


class Header(msgspec.Struct, frozen=True):
    """One file's header. `data_start`: where tensor data begins. `end`: where it has to end.

    An array that was stepped over stands in the metadata as its length, under its key + `#`.
    """

    metadata: dict[str, Any]
    tensors: tuple[Tensor, ...]
    data_start: int
    end: int
    version: int
    big_endian: bool


def read_header(file: BoundedFile) -> Header:
    """Metadata and tensors of a GGUF file.

    Raises BadInput for anything but a complete GGUF header with its data behind it.
    """
    scan = Scan(file)
    if scan.take(4) != MAGIC:
        raise file.bad(tr("this is not a GGUF file: it does not begin with GGUF"))
    version = scan.order()
    tensor_count, key_count = scan.number("Q"), scan.number("Q")
    if key_count > MOST_KEYS or tensor_count > MOST_TENSORS:
        message = tr(
            "the header announces {key_count:,} keys and {tensor_count:,} tensors, more "
            "than any model has ({most_keys:,} and {most_tensors:,}); the file is damaged"
        ).format(
            key_count=key_count,
            tensor_count=tensor_count,
            most_keys=MOST_KEYS,
            most_tensors=MOST_TENSORS,
        )
        raise file.bad(message)
    metadata: dict[str, Any] = {}
    for _ in range(key_count):
        key = scan.text(LONGEST_NAME, "a key")
        if key in metadata or f"{key}#" in metadata:
            raise file.bad(tr("this key stands twice; the file is damaged"), shorten(key))
        name, value = scan.value(key)
        metadata[name] = value
    alignment = metadata.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20:
        raise file.bad(
            tr("{alignment!r} is no alignment").format(alignment=alignment), "general.alignment"
        )
    places: list[tuple[int, Tensor]] = []
    known: set[str] = set()
    for _ in range(tensor_count):
        offset, tensor = scan.tensor(known)
        if offset % alignment:
            raise file.bad(
                tr("its data begins at {offset:,}, off alignment").format(offset=offset),
                shorten(tensor.name),
            )
        places.append((offset, tensor))
    start = ceil(scan.place / alignment) * alignment if places else scan.place
    end = _check_data(file, places, start)
    return Header(
        metadata, tuple(tensor for _, tensor in places), start, end, version, scan.endian == ">"
    )


def _check_data(file: BoundedFile, places: list[tuple[int, Tensor]], start: int) -> int:
    """Where the data ends; BadInput when tensors overlap or the file ends before it."""
    if not places:
        return start
    places = sorted(places, key=lambda pair: pair[0])
    for (offset, tensor), (following, other) in pairwise(places):
        if following < offset + tensor.stored_bytes:
            raise file.bad(
                tr("its data overlaps that of {name}; the file is damaged").format(
                    name=shorten(other.name)
                ),
                shorten(tensor.name),
            )
    last, tensor = places[-1]
    end = start + last + tensor.stored_bytes
    if end > file.size:
        raise file.bad(
            tr(
                "the file is cut short: its tensors end at byte {end:,}, the file at "
                "{size:,}; download it again"
            ).format(end=end, size=file.size)
        )
    return end
