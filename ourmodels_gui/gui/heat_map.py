"""Every machine with every model as one picture: the darker, the faster."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from ..language import tr
from ..ranking.table import Indices, Table
from . import typed
from .heat_grid import Grid, cell_in, cells, margins
from .heat_image import axes, image
from .theme import UNIT, colours, sized


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
        self._table: Table | None = None
        self._column = ""
        self._machines: Indices = np.empty(0, dtype=np.intp)
        self._models: Indices = np.empty(0, dtype=np.intp)
        self._inside: NDArray[np.bool_] = np.zeros((0, 0), dtype=bool)
        self._image = QImage()
        self._zoom: int | None = None
        self.at: tuple[int, int] | None = None

    def present(self, table: Table, column: str, rows: Indices) -> None:
        """Draw a column of some rows of the table."""
        self._table, self._column = table, column
        self._models, self._machines, self._inside = axes(table, rows)
        if self.at is not None and not self._there(*self.at):
            self.at = None
        self._paint_image()
        self._set_bars()

    def _there(self, model: int, machine: int) -> bool:
        return model < self._models.size and machine < self._machines.size

    def row_of(self, model: int, machine: int) -> int | None:
        """The row of the table at a place of the map; None where a filter took it away."""
        if self._table is None or not self._there(model, machine):
            return None
        if not self._inside[model, machine]:
            return None
        width = len(self._table.field.machines)
        return int(self._models[model]) * width + int(self._machines[machine])

    # Drawing

    def _paint_image(self) -> None:
        """One pixel for each cell."""
        table = self._table
        if table is None or not self._models.size:
            self._image = QImage()
            return
        self._image = image(
            table, self._column, (self._models, self._machines), self._inside, colours(self)
        )

    @property
    def cell(self) -> tuple[int, int]:
        """Width and height of a cell in pixels."""
        return cell_in(self.viewport().size(), self._models.size, self._machines.size, self._zoom)

    @property
    def grid(self) -> Grid:
        """Where the cells lie now."""
        cell = self.cell
        left, top = margins(*cell)
        x, y = left - self.horizontalScrollBar().value(), top - self.verticalScrollBar().value()
        return Grid(*cell, left, top, x, y, self._models.size, self._machines.size)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, palette = QPainter(self.viewport()), colours(self)
        painter.fillRect(self.viewport().rect(), QColor(palette.base))
        grid, room = self.grid, self.viewport().size()
        models, machines = grid.seen(room)
        if self._image.isNull() or not models or not machines:
            return
        painter.setClipRect(grid.area(room))
        source = QRect(machines.start, models.start, len(machines), len(models))
        painter.drawImage(grid.box(models, machines), self._image, source)
        if grid.is_written:
            self._write(painter, grid, models, machines)
        if self.at is not None:
            model, machine = self.at
            painter.setPen(QColor(palette.text))
            used = grid.box(range(model, model + 1), range(machine, machine + 1))
            painter.drawRect(used.adjusted(-1, -1, 0, 0))
        painter.setClipping(False)
        if grid.left or grid.top:
            self._name(painter, grid, models, machines)

    def _write(self, painter: QPainter, grid: Grid, models: range, machines: range) -> None:
        """The figure in each cell."""
        assert self._table is not None
        palette = colours(self)
        painter.setFont(sized("caption"))
        for model in models:
            for machine in machines:
                row = self.row_of(model, machine)
                if row is None or not self._table.serves[row]:
                    continue
                dark = QColor(self._image.pixel(machine, model)).lightness() < 128
                painter.setPen(QColor("#FFFFFF" if dark else palette.on_fill))
                box = grid.box(range(model, model + 1), range(machine, machine + 1))
                painter.drawText(
                    box.adjusted(0, 0, -UNIT, 0),
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    self._table.cell(self._column, row, typed.separators()),
                )

    def _name(self, painter: QPainter, grid: Grid, models: range, machines: range) -> None:
        """Names beside the map, where a cell has the room of a line."""
        assert self._table is not None
        field, area = self._table.field, grid.area(self.viewport().size())
        painter.setPen(QColor(colours(self).muted))
        painter.setFont(sized("caption"))
        metrics, cut = QFontMetrics(sized("caption")), Qt.TextElideMode.ElideMiddle
        painter.setClipRect(QRect(0, grid.top, grid.left, area.height()))
        for model, box in grid.named(models, metrics.height()):
            name = field.models[int(self._models[model])].name
            painter.drawText(
                box,
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                metrics.elidedText(name, cut, box.width()),
            )
        painter.setClipRect(QRect(grid.left, 0, area.width(), grid.top))
        for machine, middle in grid.headed(machines, metrics.height()):
            name = field.machines[int(self._machines[machine])].name
            painter.save()
            painter.translate(middle + metrics.ascent() / 2, grid.top - UNIT)
            painter.rotate(-90)
            painter.drawText(QPoint(0, 0), metrics.elidedText(name, cut, grid.top - UNIT))
            painter.restore()
        painter.setClipping(False)

    # Moving

    def zoom(self, steps: int) -> None:
        """Larger or smaller cells, the one in use staying in sight."""
        width, _ = self.cell
        sizes = cells()
        level = sum(other < width for other, _ in sizes)
        if steps > 0 and level < len(sizes) and sizes[level][0] > width:
            steps -= 1  # a cell that fills the room lies between two sizes
        self._zoom = min(max(level + steps, 0), len(sizes) - 1)
        self._set_bars()
        self._bring()

    def _set_bars(self) -> None:
        grid, area = self.grid, self.grid.area(self.viewport().size())
        for bar, whole, room in (
            (self.horizontalScrollBar(), grid.width * grid.machines, area.width()),
            (self.verticalScrollBar(), grid.height * grid.models, area.height()),
        ):
            bar.setRange(0, max(whole - room, 0))
            bar.setPageStep(max(room, 1))
            bar.setSingleStep(20)
        self.viewport().update()

    def _bring(self) -> None:
        if self.at is None:
            return
        grid, area = self.grid, self.grid.area(self.viewport().size())
        for bar, start, length, room in (
            (self.horizontalScrollBar(), self.at[1] * grid.width, grid.width, area.width()),
            (self.verticalScrollBar(), self.at[0] * grid.height, grid.height, area.height()),
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
        found = self.grid.at(at)
        return found if found is not None and self._there(*found) else None

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
