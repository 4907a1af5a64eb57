"""Reading parts of files that may be huge, cut short, or change under the reader.

Plain reads, no memory mapping: a mapped file that another program shortens would end the process.
"""

import os
import stat
from pathlib import Path
from types import TracebackType

from ...language import tr
from ...problem import BadInput

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
MOST_NAMES = 50_000


class BoundedFile:
    """An ordinary file, open for reading at any place. Use as a context manager.

    Raises OSError when it cannot be opened, BadInput when it is not an ordinary file, and on
    leaving, BadInput when it was changed meanwhile.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        handle = os.open(path, _FLAGS)  # without waiting for a writer, should it be a pipe
        try:
            self._before = os.fstat(handle)
            if not stat.S_ISREG(self._before.st_mode):
                raise self.bad(tr("this is not an ordinary file; give the model's own file"))
            self._file = os.fdopen(handle, "rb", buffering=0)
        except BaseException:
            os.close(handle)
            raise
        self.size = self._before.st_size

    def __enter__(self) -> "BoundedFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        after = os.fstat(self._file.fileno())
        self._file.close()
        changed = _mark(after) != _mark(self._before)
        if changed and (kind is None or issubclass(kind, BadInput)):
            message = tr(
                "the file was changed while it was read; wait until it is complete, try again"
            )
            raise self.bad(message) from None

    def read(self, offset: int, count: int) -> bytes:
        """Up to `count` bytes from `offset`; fewer only where the file ended when it was opened."""
        count = min(count, self.size - offset)  # a buffer is made for all of it at once
        self._file.seek(offset)
        parts = []
        while count > 0 and (part := self._file.read(count)):
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def bad(self, message: str, key: str = "") -> BadInput:
        """What is wrong with this file."""
        return BadInput(key, message, str(self.path))


def read_whole(path: Path, most_bytes: int) -> bytes:
    """All of a file that has to be small. Raises OSError, or BadInput when it is not."""
    with BoundedFile(path) as file:
        if file.size > most_bytes:
            raise file.bad(
                tr(
                    "{size:,} bytes are too many for such a file; the limit is {most_bytes:,}"
                ).format(size=file.size, most_bytes=most_bytes)
            )
        return file.read(0, most_bytes)


def names_in(folder: Path) -> list[str]:
    """Names of a folder's entries in order. Raises OSError, or BadInput when there are too many."""
    names = []
    with os.scandir(folder) as entries:
        for entry in entries:
            names.append(entry.name)
            if len(names) > MOST_NAMES:
                message = tr(
                    "the folder holds more than {most_names:,} files; give the model's file"
                ).format(most_names=MOST_NAMES)
                raise BadInput("", message, str(folder))
    return sorted(names)


def _mark(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns
