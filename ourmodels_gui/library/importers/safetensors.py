"""The header of one safetensors file.

References: the safetensors format description (huggingface/safetensors, README).
"""

import json
from itertools import pairwise
from math import prod

import msgspec

from ...language import tr
from .bounded import BoundedFile
from .found import shorten

LARGEST_HEADER = 100_000_000
MOST_TENSORS = 1_000_000
LONGEST_NAME = 65_535

BITS: dict[str, int] = {
    "BOOL": 8,
    "U8": 8,
    "I8": 8,
    "F8_E4M3": 8,
    "F8_E5M2": 8,
    "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8,
    "F8_E5M2FNUZ": 8,
    "I16": 16,
    "U16": 16,
    "F16": 16,
    "BF16": 16,
    "I32": 32,
    "U32": 32,
    "F32": 32,
    "I64": 64,
    "U64": 64,
    "F64": 64,
    "C64": 64,
    "F4": 4,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
}


class Raw(msgspec.Struct, frozen=True, gc=False):
    """One entry as it stands in the header; what it means comes later (`packed`)."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    stored_bytes: int


class _Entry(msgspec.Struct, gc=False):
    """`__metadata__` reads as one without a dtype."""

    dtype: str | None = None
    shape: list[int] | None = None
    data_offsets: tuple[int, int] | None = None


_DECODER = msgspec.json.Decoder(dict[str, _Entry])


def read_header(file: BoundedFile) -> tuple[list[Raw], int]:
    """The tensors of a file, and where their data begins.

    Raises BadInput for anything but a complete header with all its data behind it.
    """
    length = int.from_bytes(file.read(0, 8), "little")
    if file.size < 8 or length > min(LARGEST_HEADER, file.size - 8) or length < 2:
        raise file.bad(
            tr(
                "this is no complete safetensors file: it announces a header of {length:,} "
                "bytes and has {size:,}; download it again"
            ).format(length=length, size=file.size)
        )
    text = file.read(8, length)
    if len(text) < length:
        raise file.bad(tr("the file ends within its header; download it again"))
    tensors = []
    spans = []
    shapes: dict[tuple[int, ...], tuple[int, ...]] = {}  # a few, of very many tensors
    for name, entry in _entries(file, text).items():
        if name == "__metadata__":
            continue
        size, span = _sized(file, name, entry)
        shape = tuple(entry.shape or ())
        tensors.append(Raw(name, entry.dtype or "", shapes.setdefault(shape, shape), size))
        spans.append((span, name))
    _check_data(file, spans, 8 + length)
    return tensors, 8 + length


def _entries(file: BoundedFile, text: bytes) -> dict[str, _Entry]:
    try:
        text.decode()
        entries = _DECODER.decode(text)
    except msgspec.ValidationError as bad:
        raise file.bad(
            tr("a header entry is not as it has to be ({bad})").format(bad=bad)
        ) from None
    except UnicodeDecodeError as bad:
        message = tr("the header is not UTF-8 text at byte {value:,}; download it again").format(
            value=8 + bad.start
        )
        raise file.bad(message) from None
    except msgspec.DecodeError as bad:
        raise file.bad(
            tr("the header is not valid JSON ({bad}); download it again").format(bad=bad)
        ) from None
    except RecursionError:
        raise file.bad(tr("the header nests too deeply; it is no safetensors header")) from None
    if len(entries) > MOST_TENSORS:
        raise file.bad(
            tr("{entries:,} tensors are more than any model has").format(entries=len(entries))
        )
    # the quick reader keeps the last of two equal keys; only a count that differs asks the slow one
    if text.count(b'"data_offsets"') != len(entries) - ("__metadata__" in entries):
        twin = _twin(text.decode())
        if twin is not None:
            raise file.bad(tr("this name stands twice; the file is damaged"), shorten(twin))
    return entries


def _twin(text: str) -> str | None:
    """A name that stands twice in one object of valid JSON."""
    twins: list[str] = []

    def look(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                twins.append(key)
            found[key] = value
        return found

    json.loads(text, object_pairs_hook=look)
    return twins[0] if twins else None


def _sized(file: BoundedFile, name: str, entry: _Entry) -> tuple[int, tuple[int, int]]:
    """Stored bytes and place of one tensor, checked against each other."""
    if len(name) > LONGEST_NAME:
        raise file.bad(tr("a tensor's name is too long; the file is damaged"), shorten(name))
    if entry.dtype is None or entry.shape is None or entry.data_offsets is None:
        raise file.bad(tr("it lacks dtype, shape or data_offsets"), shorten(name))
    bits = BITS.get(entry.dtype)
    if bits is None:
        message = tr("number format {dtype} is not known; one of {bits}").format(
            dtype=shorten(entry.dtype), bits=", ".join(BITS)
        )
        raise file.bad(message, shorten(name))
    begin, end = entry.data_offsets
    if min(entry.shape, default=1) < 0 or begin < 0 or end < begin:
        raise file.bad(tr("negative sizes; the file is damaged"), shorten(name))
    count = prod(entry.shape) if len(entry.shape) <= 8 else 1 << 62
    if count >= 1 << 62:
        raise file.bad(tr("a tensor of this shape cannot be"), shorten(name))
    if count * bits != 8 * (end - begin):
        message = tr("{end:,} bytes are not {dtype} of shape {shape}").format(
            end=end - begin, dtype=entry.dtype, shape=entry.shape
        )
        raise file.bad(tr("{message}; the file is damaged").format(message=message), shorten(name))
    return end - begin, (begin, end)


def _check_data(
    file: BoundedFile, spans: list[tuple[tuple[int, int], str]], data_start: int
) -> None:
    spans.sort()
    for ((_, end), name), ((begin, _), other) in pairwise(spans):
        if begin < end:
            message = tr("its data overlaps that of {other}; the file is damaged").format(
                other=shorten(other)
            )
            raise file.bad(message, shorten(name))
    end = spans[-1][0][1] if spans else 0
    if data_start + end > file.size:
        message = tr("the file is cut short: {data_start:,} bytes are missing").format(
            data_start=data_start + end - file.size
        )
        raise file.bad(tr("{message}; download it again").format(message=message))
