"""Read a file with its stamp; write a file whole or not at all, and never over another's work."""

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from .language import tr

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opens a pipe that lies in the folder without waiting for somebody to write into it."""

LARGEST_BYTES = 1_000_000
"""Files that people write by hand or through the program stay far below this."""


class FileChanged(Exception):  # noqa: N818 - it names what happened
    """The file no longer holds what it held when it was read; nothing was written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(
            tr("{path} was changed by another window or program since it was read").format(
                path=path
            )
        )


def read_small(path: Path, limit_bytes: int = LARGEST_BYTES) -> bytes:
    """The whole file.

    Raises OSError when it cannot be read, ValueError (with a sentence for people) when it is not
    an ordinary file or larger than `limit_bytes`.
    """
    # straight from the system: a catalog is a thousand of these before the first paint
    handle = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise ValueError(tr("this is not an ordinary file; move it out of the folder"))
        parts = []
        left = limit_bytes + 1
        while left and (part := os.read(handle, min(left, found.st_size + 1))):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(handle)
    data = b"".join(parts)
    if len(data) > limit_bytes:
        message = tr(
            "the file is larger than {limit_bytes:g} MB; it cannot be what it should be"
        ).format(limit_bytes=limit_bytes / 1000000.0)
        raise ValueError(message)
    return data


def stamp(data: bytes) -> str:
    """A short name for a file's content: equal content, equal stamp."""
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file anywhere, whole or not at all, over whatever was there.

    Nothing else is left in its folder. Raises OSError; the old file then stands untouched.
    """
    _put(path, data)


def write_over(path: Path, data: bytes, expected: bytes | None) -> None:
    """Write over a file anywhere that still holds what it held when it was read, or that is gone.

    Two windows that do so at the same moment come one after the other, and the second finds the
    first one's work. Nothing else is left in the folder. Raises FileChanged or OSError; the old
    file then stands untouched.
    """
    try:
        with path.open("rb") as old, _alone_with(old):
            # While this waited, another may have put a new file into its place.
            if path.read_bytes() != expected:
                raise FileChanged(path)
            _put(path, data)
            return
    except FileNotFoundError:
        _put(path, data)


@contextlib.contextmanager
def _alone_with(file: BinaryIO) -> Iterator[None]:
    """Wait for others who lock the same file. Windows refuses to replace a file that is locked."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
    yield


def create(path: Path, data: bytes) -> None:
    """Write a new file whole. Raises FileExistsError when the name is taken, OSError otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.parent):
        if os.path.lexists(path):
            raise FileExistsError(path)
        _put(path, data)


def replace(path: Path, data: bytes, expected: str | None) -> None:
    """Write over a file that still holds what it held when it was read.

    Parameters: path; data; expected, the stamp of the content that may be lost, or None when the
    user has agreed to lose whatever is there.
    Raises FileChanged when the content is another (or the file gone), OSError when it cannot be
    written; the old file then stands untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.parent):
        _expect(path, expected)
        _put(path, data)


def delete(path: Path, expected: str) -> None:
    """Remove a file that still holds what it held when it was read. Raises as `replace` does."""
    with locked(path.parent):
        _expect(path, expected)
        path.unlink()


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one window at a time looks at a folder's files and changes them.

    The lock belongs to the open file, so a window that dies leaves none behind. Where a file system
    has no locks, the check before writing still stands, without the guarantee.
    """
    with (folder / ".lock").open("a+b") as file:
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                if sys.platform == "win32":
                    file.seek(0)
                    msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)


def _expect(path: Path, expected: str | None) -> None:
    if expected is None:
        return
    try:
        found = stamp(read_small(path))
    except (FileNotFoundError, ValueError):
        raise FileChanged(path) from None
    if found != expected:
        raise FileChanged(path)


def _put(path: Path, data: bytes) -> None:
    """Temporary file beside the target, onto the disk, then into its place in one step."""
    _refuse_read_only(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _copy_mode(path, Path(name))
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    if sys.platform != "win32":  # the name itself must survive a power cut too
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _refuse_read_only(path: Path) -> None:
    """A new file in the place of one asks for no right to write that one; whoever took that right
    away means it to stay. Raises PermissionError."""
    with contextlib.suppress(FileNotFoundError):
        if not path.stat().st_mode & 0o222 or not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, tr("the file is read-only"), str(path))


def _copy_mode(old: Path, new: Path) -> None:
    """Temporary files are private; give the new one the rights of the old, or the usual ones."""
    try:
        mode = stat.S_IMODE(old.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    with contextlib.suppress(OSError):
        new.chmod(mode)
