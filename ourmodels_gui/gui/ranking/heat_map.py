"""Every machine with every model as one picture: the darker, the faster."""

from math import ceil

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from ...language import tr
from ...ranking.table import Indices, Table
from .. import typed
from ..theme import UNIT, colours, px, sized
from .heat_image import axes, image
from .heat_names import NAMED_PX, NAMES_LEFT_PX, NAMES_TOP_PX, margins, paint_names

CELLS = ((2, 2), (3, 3), (4, 4), (6, 6), (10, 10), (18, 18), (56, 20))
"""Width and height of a cell, by zoom."""
WRITTEN_PX = 40
"""From which size on a cell has its figure in it."""


class HeatMap(QAbstractScrollArea):
    """Models from the smallest at the top, machines from the weakest at the left.

    Arrows move, Enter or a double click opens, Space marks, plus and minus change the size.
    pointed, opened, marked: a row of the table.
    """

    pointed = Signal(int)
    opened = Signal(int)
    marked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Map of every machine with every model"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        self.table: Table | None = None
        self._column = ""
        self._machines: Indices = np.empty(0, dtype=np.intp)
        self._models: Indices = np.empty(0, dtype=np.intp)
        self._inside: NDArray[np.bool_] = np.zeros((0, 0), dtype=bool)
        self._image = QImage()
        self._zoom: int | None = None
        self.at: tuple[int, int] | None = None

    def present(self, table: Table, column: str, rows: Indices) -> None:
        """Draw a column of some rows of the table."""
        self.table, self._column = table, column
        self._models, self._machines, self._inside = axes(table, rows)
        if self.at is not None and not self._there(*self.at):
            self.at = None
        self._paint_image()
        self._set_bars()

    def clear(self) -> None:
        """Show nothing."""
        self.table, self._image = None, QImage()
        self._machines = self._models = np.empty(0, dtype=np.intp)
        self._inside = np.zeros((0, 0), dtype=bool)

    def _there(self, model: int, machine: int) -> bool:
        return model < self._models.size and machine < self._machines.size

    def row_of(self, model: int, machine: int) -> int | None:
        """The row of the table at a place of the map; None where a filter took it away."""
        if self.table is None or not self._there(model, machine):
            return None
        if not self._inside[model, machine]:
            return None
        width = len(self.table.field.machines)
        return int(self._models[model]) * width + int(self._machines[machine])

    # Drawing

    def _paint_image(self) -> None:
        """One pixel for each cell."""
        table = self.table
        if table is None or not self._models.size:
            self._image = QImage()
            return
        self._image = image(
            table, self._column, (self._models, self._machines), self._inside, colours(self)
        )

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height of a cell in pixels."""
        if self._zoom is not None:
            return _cells()[self._zoom]
        size = self.viewport().size()
        most = _cells()[-1]
        width = _fitting(size.width(), px(NAMES_LEFT_PX), self._machines.size, most[0])
        height = _fitting(size.height(), px(NAMES_TOP_PX), self._models.size, most[1])
        return width, height

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        palette = colours(self)
        painter.fillRect(self.viewport().rect(), QColor(palette.base))
        table = self.table
        if table is None or self._image.isNull():
            return
        (width, height), (left, top) = self.cell, margins(*self.cell)
        x0, y0 = left - self.horizontalScrollBar().value(), top - self.verticalScrollBar().value()
        first_machine, first_model = max((left - x0) // width, 0), max((top - y0) // height, 0)
        across = min(
            ceil((self.viewport().width() - left) / width) + 1, self._machines.size - first_machine
        )
        down = min(
            ceil((self.viewport().height() - top) / height) + 1, self._models.size - first_model
        )
        if across <= 0 or down <= 0:
            return
        area = QRect(left, top, self.viewport().width() - left, self.viewport().height() - top)
        painter.setClipRect(area)
        rows = range(first_model, first_model + down)
        columns = range(first_machine, first_machine + across)
        target = QRect(
            x0 + first_machine * width, y0 + first_model * height, across * width, down * height
        )
        painter.drawImage(target, self._image, QRect(first_machine, first_model, across, down))
        if width >= px(WRITTEN_PX) and height >= px(NAMED_PX) + 4:
            self._write(painter, x0, y0, rows, columns)
        if self.at is not None:
            model, machine = self.at
            painter.setPen(QColor(palette.text))
            painter.drawRect(
                x0 + machine * width - 1, y0 + model * height - 1, width + 1, height + 1
            )
        painter.setClipping(False)
        if left or top:
            models = table.field.models
            machines = table.field.machines
            paint_names(
                painter,
                self.viewport(),
                QPoint(x0, y0),
                self.cell,
                models={n: models[int(self._models[n])].name for n in rows},
                machines={n: machines[int(self._machines[n])].name for n in columns},
            )

    def _write(self, painter: QPainter, x0: int, y0: int, models: range, machines: range) -> None:
        """The figure in each cell."""
        assert self.table is not None
        palette = colours(self)
        width, height = self.cell
        painter.setFont(sized("caption"))
        for model in models:
            for machine in machines:
                row = self.row_of(model, machine)
                if row is None or not self.table.serves[row]:
                    continue
                dark = QColor(self._image.pixel(machine, model)).lightness() < 128
                painter.setPen(QColor("#FFFFFF" if dark else palette.on_fill))
                box = QRect(x0 + machine * width, y0 + model * height, width - UNIT, height)
                painter.drawText(
                    box,
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    self.table.cell(self._column, row, typed.separators()),
                )

    # Moving

    def zoom(self, steps: int) -> None:
        """Larger or smaller cells, the one in use staying in sight."""
        width, _ = self.cell
        sizes = _cells()
        level = sum(other < width for other, _ in sizes)
        if steps > 0 and level < len(sizes) and sizes[level][0] > width:
            steps -= 1  # a cell that fills the room lies between two sizes
        self._zoom = min(max(level + steps, 0), len(sizes) - 1)
        self._set_bars()
        self._bring()

    def _set_bars(self) -> None:
        (width, height), (left, top) = self.cell, margins(*self.cell)
        size: QSize = self.viewport().size()
        for bar, whole, room in (
            (self.horizontalScrollBar(), width * self._machines.size, size.width() - left),
            (self.verticalScrollBar(), height * self._models.size, size.height() - top),
        ):
            bar.setRange(0, max(whole - room, 0))
            bar.setPageStep(max(room, 1))
            bar.setSingleStep(20)
        self.viewport().update()

    def _bring(self) -> None:
        if self.at is None:
            return
        (width, height), (left, top) = self.cell, margins(*self.cell)
        size = self.viewport().size()
        for bar, start, length, room in (
            (self.horizontalScrollBar(), self.at[1] * width, width, size.width() - left),
            (self.verticalScrollBar(), self.at[0] * height, height, size.height() - top),
        ):
            if start < bar.value():
                bar.setValue(start)
            elif start + length > bar.value() + room:
                bar.setValue(start + length - room)

    def point_at(self, model: int, machine: int) -> None:
        """Put the cursor on a cell."""
        if not self._there(model, machine):
            return
        self.at = (model, machine)
        self.viewport().update()
        row = self.row_of(model, machine)
        if row is not None:
            self.pointed.emit(row)

    def describe(self, words: str) -> None:
        """What the cell in use says, for a screen reader."""
        self.setAccessibleDescription(words)
        QAccessible.updateAccessibility(
            QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        )

    def _under(self, at: QPoint) -> tuple[int, int] | None:
        (width, height), (left, top) = self.cell, margins(*self.cell)
        if at.x() < left or at.y() < top:
            return None
        machine = (at.x() - left + self.horizontalScrollBar().value()) // width
        model = (at.y() - top + self.verticalScrollBar().value()) // height
        return (model, machine) if self._there(model, machine) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if (found := self._under(event.position().toPoint())) is not None:
            self.point_at(*found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        found = self._under(event.position().toPoint())
        row = None if found is None else self.row_of(*found)
        if row is not None:
            self.opened.emit(row)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        model, machine = self.at or (0, 0)
        moves = {
            keys.Key_Left: (0, -1),
            keys.Key_Right: (0, 1),
            keys.Key_Up: (-1, 0),
            keys.Key_Down: (1, 0),
            keys.Key_PageUp: (-10, 0),
            keys.Key_PageDown: (10, 0),
            keys.Key_Home: (0, -(10**6)),
            keys.Key_End: (0, 10**6),
        }
        row = None if self.at is None else self.row_of(model, machine)
        if (key := keys(event.key())) in moves:
            if self.at is not None:
                down, across = moves[key]
                model = min(max(model + down, 0), self._models.size - 1)
                machine = min(max(machine + across, 0), self._machines.size - 1)
            self.point_at(model, machine)
            self._bring()
        elif key in (keys.Key_Plus, keys.Key_Equal, keys.Key_Minus):
            self.zoom(-1 if key == keys.Key_Minus else 1)
        elif key in (keys.Key_Return, keys.Key_Enter) and row is not None:
            self.opened.emit(row)
        elif key == keys.Key_Space and row is not None:
            self.marked.emit(row)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_bars()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_image"):
            self._paint_image()
            self.viewport().update()


def _cells() -> list[tuple[int, int]]:
    """The sizes that a cell may have; those that are named or written in grow with the text."""
    return [(px(w), px(h)) if w >= NAMED_PX else (w, h) for w, h in CELLS]


def _fitting(room_px: int, names_px: int, count: int, most_px: int) -> int:
    """The size of a cell at which so many fill the room, names included.

    >>> _fitting(800, 150, 672, 56), _fitting(800, 150, 20, 56)
    (2, 32)
    """
    least = CELLS[0][0]
    return min(max((room_px - names_px) // max(count, 1), least), most_px)
