"""A machine's memory as cells of equal size: what holds them, where they lie, which are charged.

Arithmetic of the picture only; nothing here draws, and nothing here knows Qt.
"""

from bisect import bisect_right
from collections.abc import Iterator
from math import ceil, floor, log10
from typing import NamedTuple

import msgspec

from ...engine.capacity import capacity
from ...engine.setup import Setup
from ...engine.traffic import Accounting

CELLS = 640
MOST_BOXES = 320
CELL_ROLES = ("weights", "overhead", "cache")
"""What is counted out in cells; the rest is hatched, and may be any multiple of the memory."""
LARGEST_PX, SMALLEST_PX = 20.0, 2.0
PAD, GAP = 2.0, 3.0


class Area(NamedTuple):
    x: float
    y: float
    width: float
    height: float


class Contents(msgspec.Struct, frozen=True):
    """What the memory holds, counted in cells; a fraction is a cell that is not full.

    cell_bytes: of one cell. room: sessions that fit. sessions: as many as run. grouped: sessions
    that one box stands for. box: cells of a full box. free: what is left beside `room` sessions.
    lacking: cells of weights and overhead that find no place.
    """

    cell_bytes: float
    weights: float
    overhead: float
    free: float
    lacking: float
    room: int
    sessions: int
    grouped: int
    session: float

    @property
    def box(self) -> float:
        return self.grouped * self.session


def nice(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, ... from `value` on.

    >>> [nice(x) for x in (0.9, 1.0, 3.0, 160e6)]
    [1.0, 1.0, 5.0, 200000000.0]
    """
    decade = 10.0 ** floor(log10(value))
    return next(
        step * decade for step in (1.0, 2.0, 5.0, 10.0) if value <= step * decade * 1.000001
    )


def contents(setup: Setup, sessions: int) -> Contents:
    """The memory of a setup with so many sessions, in cells that depend on the capacity alone."""
    gate = capacity(msgspec.structs.replace(setup, speculation=None))
    cell = nice(setup.machine.capacity_bytes / CELLS)
    room = gate.memory_batch
    return Contents(
        cell_bytes=cell,
        weights=setup.model.resident_bytes / cell,
        overhead=setup.workload.overhead_bytes / cell,
        free=max(gate.spare_bytes(room), 0) / cell,
        lacking=max(-gate.margin_bytes, 0) / cell,
        room=room,
        sessions=sessions,
        grouped=max(1, ceil(max(room, sessions) / MOST_BOXES)),
        session=gate.session_bytes / cell,
    )


class Box(NamedTuple):
    """A container of cells.

    role: "weights", "overhead", "cache" of sessions that run, "empty" for one that could,
    "free" for what is too little for one, "over" for what does not fit. cells: `CELL_ROLES` only.
    """

    role: str
    area: Area
    cells: tuple[Area, ...]


class Board(msgspec.Struct, frozen=True):
    """Where everything lies. frame: the memory; what lies below it does not fit.

    unseen: sessions beyond the memory that have no place in the picture either.
    """

    frame: Area
    boxes: tuple[Box, ...]
    unseen: int = 0


class _Grid(NamedTuple):
    """Cells of one size on a board of one width."""

    px: float
    width: float

    def columns(self) -> int:
        return max(1, int((self.width - 2 * PAD) // self.px))

    def high(self, rows: int) -> float:
        """Height of a container with so many rows of cells."""
        return rows * self.px + 2 * PAD - 1.0

    def strip(self, count: float) -> float:
        """Height that a container as wide as the board takes, with the gap below it."""
        return self.high(ceil(count / self.columns() - 1e-9)) + GAP if count > 0 else 0.0

    def shape(self, box: float, boxes: int) -> "_Shape":
        """The box with the lowest shelves, and among these the squarest."""
        count = max(1, ceil(box - 1e-9))
        shapes = []
        for columns in range(1, min(count, self.columns()) + 1):
            rows = ceil(count / columns)
            beside = max(1, int((self.width + GAP) // (self.high(columns) + GAP)))
            shelves = ceil(boxes / beside) * (self.high(rows) + GAP)
            shapes.append((shelves, abs(columns - rows), _Shape(columns, rows, beside)))
        return min(shapes)[2]

    def cells(self, area: Area, columns: int, count: float) -> tuple[Area, ...]:
        """`count` cells in rows inside a container, the last one as narrow as it is full."""
        out = []
        for index in range(ceil(count - 1e-9)):
            row, column = divmod(index, columns)
            wide = min(1.0, count - index) * (self.px - 1.0)
            x, y = area.x + PAD + column * self.px, area.y + PAD + row * self.px
            out.append(Area(x, y, wide, self.px - 1.0))
        return tuple(out)


class _Shape(NamedTuple):
    """Columns and rows of a session's box, and boxes side by side."""

    columns: int
    rows: int
    beside: int


def board(inside: Contents, width: float, height: float) -> Board:
    """The largest cells with which everything has a place in so many pixels."""
    px, inner = LARGEST_PX, width - 2 * GAP
    while px > SMALLEST_PX and _height(inside, _Grid(px, inner)) > height:
        px -= 0.5
    return _drawn(inside, _Grid(px, inner), height)


def _slots(inside: Contents) -> tuple[int, int]:
    """Boxes that have room, and boxes that are in use."""
    return ceil(inside.room / inside.grouped), ceil(inside.sessions / inside.grouped)


def _height(inside: Contents, grid: _Grid) -> float:
    slots, running = _slots(inside)
    shape = grid.shape(inside.box, max(slots, running))
    shelf = grid.high(shape.rows) + GAP
    # What does not fit gets one shelf; the rest of it is counted in words.
    beyond = 2 * GAP + shelf if running > slots else 0.0
    if inside.lacking:
        beyond = 2 * GAP + grid.strip(inside.lacking)
    held = (inside.weights, inside.overhead, inside.free)
    return 2 * GAP + sum(map(grid.strip, held)) + ceil(slots / shape.beside) * shelf + beyond


def _drawn(inside: Contents, grid: _Grid, height: float) -> Board:
    boxes: list[Box] = []
    y = GAP

    def put(role: str, area: Area, columns: int, count: float) -> None:
        cells = grid.cells(area, columns, count) if role in CELL_ROLES else ()
        boxes.append(Box(role, area, cells))

    def strip(role: str, count: float) -> None:
        nonlocal y
        if count > 0.01:
            area = Area(GAP, y, grid.width, grid.strip(count) - GAP)
            put(role, area, grid.columns(), count)
            y += grid.strip(count)

    def shelves(slots: range) -> None:
        nonlocal y
        wide, high = grid.high(shape.columns), grid.high(shape.rows)
        for place, slot in enumerate(slots):
            shelf, column = divmod(place, shape.beside)
            area = Area(GAP + column * (wide + GAP), y + shelf * (high + GAP), wide, high)
            first = slot * inside.grouped
            running = min(max(inside.sessions - first, 0), inside.grouped)
            role = "over" if slot >= room else "cache" if running else "empty"
            put(role, area, shape.columns, running * inside.session)
        y += ceil(len(slots) / shape.beside) * (high + GAP)

    room, running = _slots(inside)
    shape = grid.shape(inside.box, max(room, running))
    place = inside.weights + inside.overhead - inside.lacking
    strip("weights", min(inside.weights, place))
    strip("overhead", min(inside.overhead, place - min(inside.weights, place)))
    shelves(range(room))
    strip("free", inside.free)
    frame = Area(0.5, 0.5, grid.width + 2 * GAP - 1.0, y - 0.5)
    y += 2 * GAP
    strip("over", inside.lacking)
    shown = 0
    if running > room and not inside.lacking:
        shelf = grid.high(shape.rows) + GAP
        shown = min(running - room, shape.beside * max(1, int((height - y) // shelf)))
        shelves(range(room, room + shown))
    unseen = 0 if inside.lacking else max(0, inside.sessions - (room + shown) * inside.grouped)
    return Board(frame, tuple(boxes), unseen)


class Charged(msgspec.Struct, frozen=True):
    """The cells that an iteration lights up, in order, and the bytes moved when each is done."""

    cells: tuple[tuple[str, Area], ...]
    ends_bytes: tuple[float, ...]

    def lit(self, moved_bytes: float) -> int:
        """How many cells are done after so many bytes."""
        return bisect_right(self.ends_bytes, moved_bytes * (1.0 + 1e-12))


def charged(drawn: Board, inside: Contents, accounting: Accounting) -> Charged:
    """The cells that the accounting charges: weights first, then one session after the other.

    Only what fits runs, so cells beyond the memory are never charged.
    """
    cells: list[tuple[str, Area]] = []
    ends: list[float] = []
    done = 0.0
    for role, area, size in _reads(drawn, inside, accounting):
        done += size
        cells.append((role, area))
        ends.append(done)
    return Charged(tuple(cells), tuple(ends))


def _reads(
    drawn: Board, inside: Contents, accounting: Accounting
) -> Iterator[tuple[str, Area, float]]:
    """Each charged cell with the bytes that it stands for."""
    first = 0
    for box in drawn.boxes:
        if box.role == "weights":
            size = accounting.shared_bytes
        elif box.role == "cache":
            size = min(inside.sessions - first, inside.grouped) * accounting.private_bytes
            first += inside.grouped
        else:
            continue
        for area, moved in _part(box.cells, size, inside.cell_bytes):
            yield box.role, area, moved


def _part(cells: tuple[Area, ...], size: float, cell_bytes: float) -> Iterator[tuple[Area, float]]:
    """The first cells of a container, `size` bytes of them; all of them where they hold less."""
    if size <= 0.0 or not cells:
        return
    last = min(len(cells), max(1, ceil(size / cell_bytes - 1e-9))) - 1
    for cell in cells[:last]:
        yield cell, cell_bytes
    rest = size - last * cell_bytes
    wide = max(min(rest / cell_bytes, 1.0) * cells[last].height, 1.0)
    yield cells[last]._replace(width=min(cells[last].width, wide)), rest
