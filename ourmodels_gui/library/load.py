"""Folders of catalog and user files -> Library and the problems met on the way."""

from pathlib import Path

import msgspec

from ..engine.setup import Machine
from ..problem import Problem
from .hardware import HardwareRecord
from .models import ModelRecord
from .records import Figure, Source


class MachineEntry(msgspec.Struct, frozen=True):
    """One machine that can be chosen: a hardware record with one of its memory configurations.

    kind: "discrete", "unified", "datacenter" or "cpu"; decides the default overhead.
    memory: capacity as its source prints it. machine: the same in SI, with the resource limits.
    measured: sustained figures in SI by "bandwidth" or mode id, apart from the limits.
    default_share_bytes: what the system lets the accelerator use unless told otherwise, or None.
    yours: it comes from the user's folder.
    """

    id: str
    name: str
    vendor: str
    kind: str
    memory: Figure
    machine: Machine
    record: HardwareRecord
    measured: dict[str, float] = {}
    default_share_bytes: float | None = None
    yours: bool = False


class ModelEntry(msgspec.Struct, frozen=True):
    """One model that can be chosen. Formats and sizes come from `library.profile`."""

    id: str
    name: str
    vendor: str
    record: ModelRecord
    yours: bool = False


class Library(msgspec.Struct, frozen=True):
    """Replaced whole when a file changes; never edited."""

    machines: dict[str, MachineEntry]
    models: dict[str, ModelEntry]
    sources: dict[str, Source] = {}
    problems: tuple[Problem, ...] = ()
    version: str = ""


def load(catalog: Path, user: Path | None = None) -> Library:
    """Read every file; a bad one becomes a Problem and the rest loads."""
    raise NotImplementedError
