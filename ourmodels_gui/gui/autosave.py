"""What is open and not saved survives a crash: a copy in the user's folder, renewed after edits.

It is written beside the window: a slow disk must not stop it. Every running window has a copy of
its own under a lock that dies with it. A copy whose window is gone was left by a crash; the next
start takes the newest of them over.
"""

import contextlib
import os
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QLockFile, QObject, QTimer

from .. import files, strict_json
from ..fitting import fit
from ..paths import as_text
from ..problem import BadInput
from ..scenario import read
from .background import Worker
from .document import Document

FOLDER = "recovery"
SUFFIX = ".json"
DELAY_MS = 1000


class Copy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One unsaved scenario. path: its file, "" without one. stamp: what that file held then."""

    scenario: dict[str, Any]
    path: str = ""
    stamp: str = ""


class Autosave(QObject):
    """Keeps the copy of one window; `end` drops it once nothing can be lost any more.

    Parameters: document; folder of the user.
    """

    def __init__(self, document: Document, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._folder = folder / FOLDER
        self._lock: QLockFile | None = None
        self._file: Path | None = None
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self.keep)
        self._worker = Worker(self)  # alone uses lock and file while it runs
        document.changed.connect(self._timer.start)

    def restore(self) -> bool:
        """Open what the last crash left, if anything; it counts as not saved."""
        for left in _newest_first(self._folder):
            lock = _locked(left)
            if lock is None:
                continue  # its window is open
            try:
                copy = read_copy(left)
                scenario = read(msgspec.json.encode(copy.scenario))
            except (BadInput, OSError, ValueError):
                _set_aside(left)
                lock.unlock()
                continue
            self._file, self._lock = left, lock
            self._document.restore(scenario, Path(copy.path) if copy.path else None, copy.stamp)
            return True
        return False

    def keep(self) -> None:
        """Write the copy, or drop it where everything is saved; the last to be asked for wins."""
        if not self._document.is_modified:
            if self._file is not None or self._worker.is_busy:
                self._worker.ask(lambda _: self._drop())
            return
        copy = encode_copy(self._document)
        self._worker.ask(lambda _: self._write(copy))

    def wait(self) -> None:
        """Until what was asked for is on the disk."""
        self._worker.wait()

    def end(self) -> None:
        """The window closes in order: nothing is left behind."""
        self._timer.stop()
        self._worker.close()
        self._drop()
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None
        self._file = None

    def _write(self, copy: bytes) -> None:
        if self._file is None and not self._take_file():
            return
        assert self._file is not None
        with contextlib.suppress(OSError):  # a full disk must not stop the window
            files.write_whole(self._file, copy)

    def _take_file(self) -> bool:
        """A free name under a lock of this process."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            for number in range(1000):
                file = self._folder / f"{os.getpid()}-{number}{SUFFIX}"
                lock = None if file.exists() else _locked(file)
                if lock is not None:
                    self._file, self._lock = file, lock
                    return True
        return False

    def _drop(self) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.unlink(missing_ok=True)


def encode_copy(document: Document) -> bytes:
    """The copy of a scenario and of where it belongs."""
    path = document.path
    scenario = msgspec.json.decode(document.content())
    copy = Copy(scenario, as_text(path) if path else "", document.stamp)
    return msgspec.json.encode(copy)


def read_copy(file: Path) -> Copy:
    """A copy as its file holds it. Raises BadInput, OSError or ValueError."""
    copy: Copy = fit(strict_json.parse(files.read_small(file, 16_000_000)), Copy)
    return copy


def _newest_first(folder: Path) -> list[Path]:
    try:
        found = [path for path in folder.iterdir() if path.suffix == SUFFIX]
        return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
    except OSError:
        return []


def _locked(file: Path) -> QLockFile | None:
    """The lock of a copy, or None while another window holds it; a dead one's lock is free."""
    lock = QLockFile(f"{file}.lock")
    lock.setStaleLockTime(0)  # only a dead process gives it up, not a slow one
    return lock if lock.tryLock(0) else None


def _set_aside(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.rename(file.with_suffix(".unread"))
