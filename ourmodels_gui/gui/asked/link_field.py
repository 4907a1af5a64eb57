"""The link between devices: one of the library's, or its speed as typed."""

import re
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...language import tr
from .. import typed
from ..name_field import NameField

FASTEST_GB_PER_S = 1e6
BYTES = re.compile(r"\s*GB/s\s*$")
BITS = re.compile(r"\s*(Gbit/s|Gb/s|Gbps|Gbit)\s*$")


class LinkField(NameField):
    """Commits the id of a link, or GB/s of one direction; says why a text is neither."""

    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._speed: float | None = None

    def present(self, value: Any, default: Any = None) -> bool:
        """Show a link by its name, or a speed with its unit; True when that changed."""
        if not isinstance(value, float):
            self._speed = None
            return super().present(value, default)
        if value == self._speed:
            return False
        self._speed, self._value = value, None
        self.setCurrentIndex(-1)
        self.setEditText(tr("{speed} GB/s").format(speed=typed.show(value)))
        return True

    def commit(self) -> None:
        """Report the link or the speed that stands there, if it is another one."""
        text = self.currentText().strip()
        if not text or self._named(text) is not None:
            self._speed = None
            super().commit()
            return
        try:
            speed = gb_per_s(text)
        except ValueError as error:
            self.refused.emit(str(error))
            return
        self.refused.emit("")
        if speed != self._speed:
            self.present(speed)
            self.committed.emit(speed)


def gb_per_s(text: str) -> float:
    """The typed speed of one direction; network cards are sold by Gbit/s. Raises ValueError.

    >>> gb_per_s("31.5"), gb_per_s("25 GB/s"), gb_per_s("200 Gbit/s")
    (31.5, 25.0, 25.0)
    """
    bare = BITS.sub("", text)
    share = 1.0 if bare == text else 8.0
    try:
        speed = typed.number(BYTES.sub("", bare)) / share
    except ValueError:
        raise ValueError(
            tr("choose a link of the list, or write its speed one way in GB/s")
        ) from None
    if not 0 < speed <= FASTEST_GB_PER_S:
        raise ValueError(tr("write a speed above 0, in GB/s of one direction"))
    return speed
