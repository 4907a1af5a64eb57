"""The parts of a review as titled groups of words, and the tensors as a table."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from ...language import mark, tr
from ...library.formats import tensors_bytes
from ...library.importers.found import shorten
from ...library.models import CLASS_NAMES, ModelRecord
from ...library.profile import default_weights
from ...units import ENGLISH, Separators, number, size
from .. import typed
from ..tables import Cell, FigureTable
from ..theme import GROUP_GAP, SCROLL_PX, UNIT, sized

LONGEST = 600
"""Characters that are shown of one fact."""
PARTS = {"text": "", "mtp": mark("draft"), "vision": mark("vision"), "audio": mark("audio")}
"""What stands behind the class of a tensor."""


class Line(NamedTuple):
    """One fact: its name, what it is, and where that was read or how it was concluded."""

    name: str
    value: str = ""
    origin: str = ""


class Facts(QWidget):
    """A titled group of facts; without any it says so in one muted line."""

    def __init__(self, title: str, nothing: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nothing = nothing
        self.lines: tuple[Line, ...] = ()
        self.head = QLabel(title, self)
        self.head.setFont(sized("text", bold=True))
        self._body = QWidget(self)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(UNIT)
        self._layout.addWidget(self.head)
        self._layout.addWidget(self._body)
        self.present(())

    def present(self, lines: Sequence[Line], title: str = "", nothing: str = "") -> None:
        """Show other facts, under another title or with other words for none, where given."""
        if title:
            self.head.setText(title)
        self.lines = tuple(lines)
        body = QWidget(self)
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GROUP_GAP)
        grid.setVerticalSpacing(UNIT)
        three = any(line.value or line.origin for line in lines)
        grid.setColumnStretch(1 if three else 0, 2)
        grid.setColumnStretch(2, 1 if any(line.origin for line in lines) else 0)
        for row, line in enumerate(lines or (Line(nothing or self._nothing),)):
            for column, words in enumerate(line):
                if words:
                    label = _words(words, body, quiet=column == 2 or not lines)
                    grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
        self._layout.replaceWidget(self._body, body)
        self._body.hide()
        self._body.deleteLater()
        self._body = body


class TensorTable(FigureTable):
    """Stored bytes of a model by what its tensors do; as high as its rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Stored bytes by tensor class"),
            (tr("class"), tr("stored as"), tr("bytes"), tr("parameters")),
            (f"{tr('shared experts')} ({tr('draft')})", "q4_k, q6_k", "1,234.5 GB", "1,234.56 B"),
            left=(0, 1),
            stretched=1,
            parent=parent,
        )
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def show_record(self, record: ModelRecord) -> None:
        """Show the classes of every part, and the sum."""
        rows = tensor_rows(record)
        self.present(rows, {len(rows) - 1})
        height = self.verticalHeader().defaultSectionSize() * len(rows)
        self.setFixedHeight(height + self.horizontalHeader().sizeHint().height() + SCROLL_PX)


def tensor_rows(record: ModelRecord) -> list[tuple[Cell, Cell, Cell, Cell]]:
    """A row for each class of each part, with how it is stored; the last row is the sum."""
    weights = default_weights(record)
    found: dict[tuple[str, str], tuple[dict[str, None], float, int]] = {}
    for group in record.tensors:
        unused = group.role == "unused"
        part = mark("unused") if unused else PARTS[group.part]
        key = (part, CLASS_NAMES[group.tensor_class])
        stored, held, count = found.get(key, ({}, 0.0, 0))
        held += tensors_bytes(record, group, weights)
        found[key] = ({**stored, group.encoding: None}, held, count + group.parameters)
    rows = []
    for (part, name), (stored, held, count) in found.items():
        words = ", ".join(stored)
        title = f"{tr(name)} ({tr(part)})" if part else tr(name)
        rows.append(_row(title, words, held, count))
    every, whole = sum(one[1] for one in found.values()), sum(one[2] for one in found.values())
    return [*rows, _row(tr("all"), "", every, whole)]


def _row(title: str, stored: str, held: float, count: int) -> tuple[Cell, Cell, Cell, Cell]:
    write = typed.separators()
    return (
        Cell(title),
        Cell(stored),
        Cell(size(held, write), held),
        Cell(parameters(count, write), count),
    )


def parameters(count: int, write: Separators = ENGLISH) -> str:
    """Parameters in billions, few of them in millions.

    >>> parameters(8_190_735_360), parameters(1_246_464)
    ('8.19 B', '1.2 M')
    """
    if count < 1e8:
        return f"{number(count / 1e6, 1, write)} M"
    return f"{number(count / 1e9, 2, write)} B"


def _breakable(text: str) -> str:
    """Words of a file may be of any length; a label is as wide as its longest word."""
    return re.sub(r"(\S{40})(?=\S)", "\\1\u200b", shorten(text, LONGEST))


def _words(text: str, parent: QWidget, *, quiet: bool) -> QLabel:
    label = QLabel(_breakable(text), parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setFont(sized("caption" if quiet else "text"))
    if quiet:
        label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
