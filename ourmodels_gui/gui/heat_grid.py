"""Where the cells of a map lie in its viewport, and which of them are in sight."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QSize

from .theme import UNIT, px

CELLS = ((2, 2), (3, 3), (4, 4), (6, 6), (10, 10), (18, 18), (56, 20))
"""Width and height of a cell, by zoom."""
NAMED_PX, WRITTEN_PX = 10, 40
"""From which size on a cell has names beside it, and its figure in it."""
NAMES_LEFT_PX, NAMES_TOP_PX = 180, 150


class Grid(NamedTuple):
    """Models down and machines across, with room for their names at the left and the top.

    width, height: of a cell. left, top: room for names, 0 where cells are too small for any.
    x, y: where the first cell lies, as it is scrolled. models, machines: how many there are.
    """

    width: int
    height: int
    left: int
    top: int
    x: int
    y: int
    models: int
    machines: int

    @property
    def is_written(self) -> bool:
        """Whether a cell has room for its figure."""
        return self.width >= px(WRITTEN_PX) and self.height >= px(NAMED_PX) + 4

    def area(self, room: QSize) -> QRect:
        """The viewport without the room for names."""
        return QRect(self.left, self.top, room.width() - self.left, room.height() - self.top)

    def seen(self, room: QSize) -> tuple[range, range]:
        """The models and the machines in sight."""
        area = self.area(room)
        return (
            _seen(self.top - self.y, self.height, area.height(), self.models),
            _seen(self.left - self.x, self.width, area.width(), self.machines),
        )

    def box(self, models: range, machines: range) -> QRect:
        """The place of a block of cells."""
        return QRect(
            self.x + machines.start * self.width,
            self.y + models.start * self.height,
            len(machines) * self.width,
            len(models) * self.height,
        )

    def at(self, place: QPoint) -> tuple[int, int] | None:
        """The model and the machine under a place of the viewport; None among the names."""
        if place.x() < self.left or place.y() < self.top:
            return None
        return (place.y() - self.y) // self.height, (place.x() - self.x) // self.width

    def named(self, models: range, line_px: int) -> Iterator[tuple[int, QRect]]:
        """The models whose name has room, each with its place beside the map."""
        step = ceil(line_px / self.height)
        for model in models:
            if model % step == 0:
                top = self.y + model * self.height
                yield model, QRect(0, top, self.left - UNIT, max(self.height, line_px))

    def headed(self, machines: range, line_px: int) -> Iterator[tuple[int, float]]:
        """The machines whose name has room above the map, each with the middle of its column."""
        step = ceil(line_px / self.width)
        for machine in machines:
            if machine % step == 0:
                yield machine, self.x + machine * self.width + self.width / 2


def cells() -> list[tuple[int, int]]:
    """The sizes that a cell may have; those that are named or written in grow with the text."""
    return [(px(w), px(h)) if w >= NAMED_PX else (w, h) for w, h in CELLS]


def cell_in(room: QSize, models: int, machines: int, zoom: int | None) -> tuple[int, int]:
    """Width and height of a cell: of a zoom, else what lets the whole map fill the room."""
    if zoom is not None:
        return cells()[zoom]
    most = cells()[-1]
    return (
        fitting(room.width(), px(NAMES_LEFT_PX), machines, most[0]),
        fitting(room.height(), px(NAMES_TOP_PX), models, most[1]),
    )


def margins(width: int, height: int) -> tuple[int, int]:
    """Room for the names of the models at the left, of the machines at the top."""
    named = px(NAMED_PX)
    left, top = px(NAMES_LEFT_PX), px(NAMES_TOP_PX)
    return left if height >= named else 0, top if width >= named else 0


def fitting(room_px: int, names_px: int, count: int, most_px: int) -> int:
    """The size of a cell at which so many fill the room, names included.

    >>> fitting(800, 150, 672, 56), fitting(800, 150, 20, 56)
    (2, 32)
    """
    least = CELLS[0][0]
    return min(max((room_px - names_px) // max(count, 1), least), most_px)


def _seen(scrolled: int, each: int, room: int, count: int) -> range:
    first = max(scrolled // each, 0)
    return range(first, min(first + ceil(room / each) + 1, count))
