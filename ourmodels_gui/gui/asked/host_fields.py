"""Size and bandwidth of the memory beside the devices, as typed."""

import re

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from ...inline import InlineHardware
from ...language import tr
from ...units import digits, parse_size
from .. import typed
from ..fields import NumberField
from ..theme import UNIT, px
from ..tool_row import ToolRow, labelled
from .assembly import Assembly, One

LEAST_PX, FIELD_PX = 98, 108
GIB = 2.0**30
DIGITS = 5
CHANNELS = re.compile(r"(\d+)\s*(?:ch|channels?)?\s*[x\u00d7*]\s*(?:ddr\d\w*-?)?(\d{3,5})", re.I)


class HostFields(QWidget):
    """Size and speed of the host's memory, of the chosen platform until they are typed."""

    changed = Signal(str, object)
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.memory = NumberField(_gib, _shown, tr("GiB"), self)
        self.bandwidth = NumberField(gb_per_s, _shown, tr("GB/s"), self)
        pieces = []
        for field, label, spoken, tip, key in (
            (
                self.memory,
                tr("Memory"),
                tr("Size of the system memory"),
                tr("Size of the system memory. Modules are sold in GB and hold GiB."),
                "memory_gb",
            ),
            (
                self.bandwidth,
                tr("at"),
                tr("Bandwidth of the system memory"),
                tr("Its bandwidth in GB/s, or channels x speed, such as 2 x 5600."),
                "bandwidth_gb_per_s",
            ),
        ):
            field.setToolTip(tip)
            field.setAccessibleName(spoken)
            field.setMinimumWidth(px(LEAST_PX))
            field.setMaximumWidth(px(FIELD_PX))
            field.refused.connect(self.refused)
            field.committed.connect(lambda value, key=key: self._commit(key, value))
            name = QLabel(label)
            pieces.append(labelled(name, field, 2 * UNIT))
            if field is self.memory:
                self._first = name
        row = QVBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(ToolRow(pieces, gap_px=2 * UNIT))

    def field_left(self, label_px: int) -> None:
        """Leave so much room for the label."""
        self._first.setMinimumWidth(label_px)

    def present(self, host: One, parts: Assembly) -> None:
        """Show what was typed, or in muted text what the platform has."""
        if isinstance(host, InlineHardware):
            self.memory.present(host.memory_gb * 1e9 / GIB)
            self.bandwidth.present(host.bandwidth_gb_per_s)
            return
        entry = parts.entry(host)
        has = None if entry is None else entry.machine
        self.memory.present(None, None if has is None else has.capacity_bytes / GIB)
        self.bandwidth.present(None, None if has is None else has.bandwidth_bytes_per_s / 1e9)

    def _commit(self, key: str, value: float | None) -> None:
        if value is not None and key == "memory_gb":
            value = value * GIB / 1e9
        self.changed.emit(key, value)


def _shown(value: float) -> str:
    """As many digits as say how large it is: 64 GB are 59.605 GiB."""
    return digits(value, DIGITS, typed.separators())


def _gib(text: str) -> float:
    """A typed size in GiB. Raises ValueError."""
    size = parse_size(text, "GiB", typed.separators()) / GIB
    if not size > 0:
        raise ValueError(tr("write a size above 0"))
    return size


def gb_per_s(text: str) -> float:
    """A typed bandwidth, or channels x million transfers of 8 bytes. Raises ValueError.

    >>> gb_per_s("89.6"), gb_per_s("2 x 5600"), gb_per_s("8ch x DDR5-4800")
    (89.6, 89.6, 307.2)
    """
    modules = CHANNELS.fullmatch(text.strip())
    speed = int(modules[1]) * int(modules[2]) * 8 / 1000 if modules else typed.number(text)
    if not 0 < speed <= 1e6:
        raise ValueError(tr("write a bandwidth above 0 in GB/s, or channels x speed: 2 x 5600"))
    return speed
