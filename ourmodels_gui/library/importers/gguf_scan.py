"""The values of a GGUF header, one after the other, whatever the file announces."""

import struct
from math import prod
from typing import Any

from ...language import tr
from ...problem import BadInput
from ..encodings import ENCODINGS, stored_bytes
from .bounded import BoundedFile
from .found import Tensor, shorten
from .ggml_types import TYPES

MOST_STRINGS = 4_000_000
"""Strings of all arrays together; the largest vocabularies with their merges have a million."""
MOST_DEPTH = 4
LONGEST_NAME = 65_535
LONGEST_TEXT = 1 << 24
KEPT_TEXT = 4096
KEPT_VALUES = 16_384
_WINDOW_BYTES = 1 << 20

_SCALARS = "BbHhIif?  Qqd"
"""struct codes by GGUF value type; 8 is a string, 9 an array."""
_STRING, _ARRAY = 8, 9


class Scan:
    """A place in the file that moves forward, with a window of bytes around it."""

    def __init__(self, file: BoundedFile) -> None:
        self.file = file
        self.endian = "<"
        self._bytes = b""
        self._start = 0
        self._at = 0
        self._strings = 0

    @property
    def place(self) -> int:
        return self._start + self._at

    def take(self, count: int) -> bytes:
        """The next bytes; BadInput where the file ends before."""
        if self._at + count > len(self._bytes):
            self._move(self.place)
            if count > len(self._bytes):
                self._bytes = self.file.read(self._start, count)
            if count > len(self._bytes):
                raise self._ended()
        self._at += count
        return self._bytes[self._at - count : self._at]

    def order(self) -> int:
        """The version; sets the byte order by which it makes sense."""
        raw = self.take(4)
        for endian in "<>":
            version: int = struct.unpack(f"{endian}I", raw)[0]
            if version in (2, 3):
                self.endian = endian
                return version
        version = int.from_bytes(raw, "little")
        if version == 1:
            message = tr("GGUF version 1 is no longer in use; convert the model again")
            raise self.file.bad(message)
        raise self.file.bad(
            tr("GGUF version {version:,} is not known here; versions 2 and 3 are").format(
                version=version
            )
        )

    def number(self, code: str) -> Any:
        raw = self.take(struct.calcsize(f"={code}"))
        return struct.unpack(f"{self.endian}{code}", raw)[0]

    def text(self, longest: int, what: str) -> str:
        length = self.number("Q")
        if length > longest:
            raise self.file.bad(
                tr("{what} of {length:,} bytes cannot be; the file is damaged").format(
                    what=what, length=length
                )
            )
        try:
            return self.take(length).decode()
        except UnicodeDecodeError:
            raise self.file.bad(
                tr("{what} is not UTF-8 text; the file is damaged").format(what=what)
            ) from None

    def value(self, key: str) -> tuple[str, Any]:
        """One value; what is too long to keep becomes its length under `key#`."""
        kind = self.number("I")
        if kind == _STRING:
            # only what is kept has to be text: tokenisers hold bytes of all sorts
            length = self.number("Q")
            if length > LONGEST_TEXT:
                raise self.file.bad(
                    tr("a text of {length:,} bytes cannot be").format(length=length), shorten(key)
                )
            if length > KEPT_TEXT or key.startswith("tokenizer."):
                self._skip(length)
                return f"{key}#", length
            raw = self.take(length)
            try:
                return key, raw.decode()
            except UnicodeDecodeError:
                raise self.file.bad(tr("the text is not UTF-8"), shorten(key)) from None
        if kind == _ARRAY:
            return self._array(key, 1)
        return key, self._scalar(kind, key)

    def tensor(self, known: set[str]) -> tuple[int, Tensor]:
        """One entry of the tensor list: its offset, and what it is."""
        name = self.text(LONGEST_NAME, "a tensor's name")
        if name in known:
            raise self.file.bad(tr("this tensor stands twice; the file is damaged"), shorten(name))
        known.add(name)
        axes = self.number("I")
        if axes > 4:
            raise self.file.bad(
                tr("{axes:,} dimensions are more than 4").format(axes=axes), shorten(name)
            )
        columns_first = [self.number("Q") for _ in range(axes)]
        shape = tuple(reversed(columns_first)) or (1,)
        kind, offset = self.number("I"), self.number("Q")
        return offset, self._sized(name, shape, kind)

    def _sized(self, name: str, shape: tuple[int, ...], kind: int) -> Tensor:
        encoding = TYPES.get(kind)
        if encoding is None:
            message = tr("its number format (ggml type {kind:,}) is not known here").format(
                kind=kind
            )
            raise self.file.bad(message, shorten(name))
        if 0 in shape or prod(shape) >= 1 << 62:
            raise self.file.bad(
                tr("a tensor of {shape} cannot be; the file is damaged").format(shape=shape),
                shorten(name),
            )
        block = ENCODINGS[encoding].block_columns
        if shape[-1] % block:
            message = tr("{shape:,} columns are not whole blocks of {block} ({encoding})").format(
                shape=shape[-1], block=block, encoding=encoding
            )
            raise self.file.bad(message, shorten(name))
        return Tensor(name, shape, int(stored_bytes(shape, ENCODINGS[encoding])), encoding)

    def _scalar(self, kind: int, key: str) -> Any:
        if kind >= len(_SCALARS) or kind in (_STRING, _ARRAY):
            raise self.file.bad(
                tr("value type {kind:,} does not exist").format(kind=kind), shorten(key)
            )
        return self.number(_SCALARS[kind])

    def _array(self, key: str, depth: int) -> tuple[str, Any]:
        kind, count = self.number("I"), self.number("Q")
        if kind == _STRING:
            self._skip_strings(count, key)
            return f"{key}#", count
        if kind == _ARRAY:
            if depth == MOST_DEPTH:
                raise self.file.bad(tr("lists inside lists beyond any use"), shorten(key))
            self._charge(count, key)
            for _ in range(count):
                self._array(key, depth + 1)
            return f"{key}#", count
        if kind >= len(_SCALARS):
            raise self.file.bad(
                tr("value type {kind:,} does not exist").format(kind=kind), shorten(key)
            )
        code = _SCALARS[kind]
        width = struct.calcsize(f"={code}")
        if count * width > self.file.size:
            raise self._ended()
        if depth > 1 or count > KEPT_VALUES or key.startswith("tokenizer."):
            self._skip(count * width)
            return f"{key}#", count
        raw = self.take(count * width)
        return key, list(struct.unpack(f"{self.endian}{count}{code}", raw))

    def _skip_strings(self, count: int, key: str) -> None:
        """Step over strings by their lengths; the one place where a file's header is long."""
        self._charge(count, key)
        length_of = struct.Struct(f"{self.endian}Q").unpack_from
        while count:
            window, at = self._bytes, self._at
            last = len(window) - 8
            while count and at <= last:
                at += 8 + length_of(window, at)[0]
                count -= 1
            self._at = at
            if self.place > self.file.size:
                raise self._ended()
            if count:
                self._move(self.place)
                if len(self._bytes) < 8:
                    raise self._ended()

    def _charge(self, count: int, key: str) -> None:
        self._strings += count
        if self._strings > MOST_STRINGS:
            raise self.file.bad(
                tr("{count:,} texts are more than any vocabulary has; the file is damaged").format(
                    count=count
                ),
                shorten(key),
            )

    def _skip(self, count: int) -> None:
        self._at += count
        if self.place > self.file.size:
            raise self._ended()

    def _move(self, place: int) -> None:
        self._bytes = self.file.read(place, _WINDOW_BYTES)
        self._start, self._at = place, 0

    def _ended(self) -> BadInput:
        return self.file.bad(tr("the file ends within its header; download it again"))
