"""What the window remembers between two runs; nothing that an answer depends on."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from PySide6.QtCore import QIODevice, QSaveFile

from .rank_choice import RankChoice
from .theme import Choice

FILE = "window.json"
MOST_RECENT = 8


class Settings(msgspec.Struct, omit_defaults=True):
    """Sizes as Qt's own saved states, in base64 of JSON bytes.

    recent: scenario files, the last one first. report_*: what the last report was made with.
    recent: scenario files, the last one first. known: titles of the tabs whose hint was put away.
    """

    theme: Choice = "system"
    geometry: bytes = b""
    columns: bytes = b""
    left: bytes = b""
    rank: RankChoice = RankChoice()
    report_author: str = ""
    report_logo: str = ""
    report_paper: Literal["a4", "letter"] = "a4"
    recent: Annotated[list[str], msgspec.Meta(max_length=MOST_RECENT)] = []
    known: list[str] = []

    def remember(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        name = str(path)
        self.recent = [name, *(old for old in self.recent if old != name)][:MOST_RECENT]


def load(folder: Path) -> Settings:
    """The settings kept in a folder; the defaults when there are none or they cannot be read."""
    try:
        return msgspec.json.decode((folder / FILE).read_bytes(), type=Settings)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Settings()


def save(settings: Settings, folder: Path) -> bool:
    """Write the settings whole or leave the old ones; False when that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    file = QSaveFile(str(folder / FILE))
    if not file.open(QIODevice.OpenModeFlag.WriteOnly):
        return False
    file.write(msgspec.json.encode(settings))
    return bool(file.commit())
