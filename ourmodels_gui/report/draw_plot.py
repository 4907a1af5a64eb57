"""A plot with logarithmic axes -> drawing."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from ..units import duration, plain, rate, tokens
from .drawing import (
    GRID,
    INK,
    MUTED,
    SIZE,
    Anchor,
    Drawing,
    Item,
    Label,
    Stroke,
    marker,
    text_width,
)
from .pictures import LINE_STYLES, Axis, Line, Plot, Unit

TOP, BOTTOM = 10.0, 30.0
RATIO = 0.36
LEAST_GAP = SIZE + 2.0
TICKS = {
    "sessions": tuple(float(2**power) for power in range(32)),
    "tokens": tuple(float(2**power) for power in range(32)),
}
"""Where people expect the ticks of counts; the other axes have 1, 2 and 5."""


class _Frame(msgspec.Struct, frozen=True):
    """The plot's area and the ends of its axes."""

    left: float
    right: float
    top: float
    bottom: float
    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A point of the axes on paper, held inside the area."""
        across, up = _share(x, self.x), _share(y, self.y)
        across, up = min(max(across, 0.0), 1.0), min(max(up, 0.0), 1.0)
        return (
            self.left + across * (self.right - self.left),
            self.bottom - up * (self.bottom - self.top),
        )


def draw_plot(plot: Plot, width: float) -> Drawing:
    """Grid, axes, levels, curves with their names at the end, marks."""
    height = width * RATIO
    xs, ys = _ends(plot, across=True), _ends(plot, across=False)
    up = list(_ticks(ys, plot.y.unit))
    names = [line.label for line in plot.lines] + [s.label for s in plot.levels if not s.upright]
    right = max((text_width(name) for name in names), default=0.0) + 8
    left = max(text_width(_tick(value, plot.y.unit)) for value in up) + SIZE + 10
    frame = _Frame(left, width - max(right, 14), TOP, height - BOTTOM, xs, ys)
    items: list[Item] = [*_grid(plot, frame, up), *_levels(plot, frame)]
    for line in plot.lines:
        items.append(_curve(line, frame))
    items += _names(plot, frame)
    for point in plot.points:
        x, y = frame.at(point.x, point.y)
        colour, _, shape = LINE_STYLES[point.style]
        items += marker(shape, x, y, colour)
        if point.label:
            items.append(_beside(point.label, x, y, plot, frame))
    return Drawing(width, height, tuple(items))


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    return math.log(max(value, 1e-300) / low) / math.log(high / low)


def _ends(plot: Plot, *, across: bool) -> tuple[float, float]:
    """The ends of an axis: round all that is drawn, at least a factor of 2 apart."""
    lines = [value for line in plot.lines for value in (line.xs if across else line.ys)]
    points = [point.x if across else point.y for point in plot.points]
    levels = [level.at for level in plot.levels if level.upright == across]
    values = [value for value in (*lines, *points, *levels) if value > 0]
    if not values:
        return 1.0, 10.0
    low, high = min(values), max(values)
    if across and lines:
        return low, max(high, 2 * low)
    low, high = low / 1.25, high * 1.25
    return (low, high) if high / low > 3 else (low / 1.5, high * 1.5)


def _ticks(ends: tuple[float, float], unit: Unit) -> Iterator[float]:
    """Round values within the ends, few enough to be read."""
    low, high = ends[0] * 0.999, ends[1] * 1.001
    if unit in TICKS:
        chosen = [value for value in TICKS[unit] if low <= value <= high]
    else:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = (1, 2, 5) if high / low < 2000 else (1,)
        chosen = [
            step * 10.0**power
            for power in decades
            for step in steps
            if low <= step * 10.0**power <= high
        ]
    if not chosen:
        chosen = [math.sqrt(low * high)]
    yield from chosen[:: max(1, math.ceil(len(chosen) / 11))]


def _tick(value: float, unit: Unit) -> str:
    if unit == "seconds":
        return duration(value)
    if unit == "rate":
        return rate(value) if value < 1 or value >= 10_000 else plain(value)
    if unit == "tokens" and value >= 1024 and value % 1024 == 0:
        return f"{value / 1024:g}k"
    return tokens(value) if unit == "tokens" else plain(value)


def _grid(plot: Plot, frame: _Frame, up: Sequence[float]) -> list[Item]:
    items: list[Item] = []
    for value in up:
        _, y = frame.at(frame.x[0], value)
        items.append(Stroke(((frame.left, y), (frame.right, y)), GRID, 0.5))
        text = _tick(value, plot.y.unit)
        items.append(Label(frame.left - 4, y + SIZE * 0.35, text, "end", MUTED))
    for value in _ticks(frame.x, plot.x.unit):
        x, _ = frame.at(value, frame.y[0])
        items.append(Stroke(((x, frame.top), (x, frame.bottom)), GRID, 0.5))
        text = _tick(value, plot.x.unit)
        items.append(Label(x, frame.bottom + SIZE + 3, text, "middle", MUTED))
    corner = (frame.left, frame.bottom)
    items += [
        Stroke((corner, (frame.right, frame.bottom)), MUTED, 0.8),
        Stroke((corner, (frame.left, frame.top)), MUTED, 0.8),
        _title(plot.x, (frame.left + frame.right) / 2, frame.bottom + 2 * SIZE + 8),
        Label(SIZE, (frame.top + frame.bottom) / 2, plot.y.title, "middle", MUTED, upright=True),
    ]
    return items


def _title(axis: Axis, x: float, y: float) -> Label:
    return Label(x, y, axis.title, "middle", MUTED)


def _levels(plot: Plot, frame: _Frame) -> list[Item]:
    items: list[Item] = []
    for level in plot.levels:
        if level.upright:
            x, _ = frame.at(level.at, frame.y[0])
            items.append(Stroke(((x, frame.top), (x, frame.bottom)), INK, 0.8, (2, 2)))
            items.append(_free_place(level.label, x, plot, frame, items))
        else:
            _, y = frame.at(frame.x[0], level.at)
            items.append(Stroke(((frame.left, y), (frame.right, y)), INK, 0.8, (4, 2)))
    return items


def _free_place(text: str, x: float, plot: Plot, frame: _Frame, drawn: Sequence[Item]) -> Label:
    """The name of an upright level beside it: the highest place that no curve and no name crosses,
    to the right where there is room."""
    names = [item for item in drawn if isinstance(item, Label)]
    sides: list[tuple[float, Anchor]] = [(x + 3, "start")]
    if frame.right - x <= text_width(text) + 6:
        sides = [(x - 3, "end")]
    baseline = frame.top + SIZE
    while baseline < frame.bottom - 2:
        for place, anchor in sides:
            label = Label(place, baseline, text, anchor)
            left, right = _extent(label)
            taken = any(
                abs(baseline - other.y) < SIZE + 1 and left < end and right > start
                for other in names
                for start, end in [_extent(other)]
            )
            if not taken and not _crossed(plot, frame, (left, right), baseline):
                return label
        baseline += SIZE + 1
    return Label(sides[0][0], frame.top + SIZE, text, sides[0][1])


def _crossed(plot: Plot, frame: _Frame, across: tuple[float, float], baseline: float) -> bool:
    """Whether a curve passes through the letters of a line of text."""
    for line in plot.lines:
        points = [frame.at(x, y) for x, y in zip(line.xs, line.ys, strict=True)]
        for (x0, y0), (x1, y1) in pairwise(points):
            low, high = max(x0, across[0]), min(x1, across[1])
            if low > high:
                continue
            ends = [y0 + (y1 - y0) * (x - x0) / ((x1 - x0) or 1.0) for x in (low, high)]
            if min(ends) < baseline + 3 and max(ends) > baseline - SIZE:
                return True
    return False


def _curve(line: Line, frame: _Frame) -> Stroke:
    colour, dash, _ = LINE_STYLES[line.style]
    points = tuple(frame.at(x, y) for x, y in zip(line.xs, line.ys, strict=True))
    return Stroke(_straightened(points), colour, 0.8 if line.thin else 1.6, dash)


def _straightened(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Without the points that lie within a twentieth of a point of the line between others."""
    if len(points) < 3:
        return points
    (x0, y0), (x1, y1) = points[0], points[-1]
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    off = [abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length for x, y in points]
    far = max(range(len(points)), key=off.__getitem__)
    if off[far] < 0.05:
        return (points[0], points[-1])
    return _straightened(points[: far + 1])[:-1] + _straightened(points[far:])


def _names(plot: Plot, frame: _Frame) -> list[Item]:
    """Names at the right edge, pushed apart where they would overlap, with a thin leader."""
    wanted: list[tuple[float, float, str, str]] = []
    for line in plot.lines:
        if line.label:
            x, y = frame.at(line.xs[-1], line.ys[-1])
            wanted.append((y, x, line.label, LINE_STYLES[line.style][0]))
    for level in plot.levels:
        if not level.upright:
            wanted.append((frame.at(frame.x[0], level.at)[1], frame.right, level.label, INK))
    wanted.sort()
    places = _apart([y for y, *_ in wanted], frame.top + 2, frame.bottom - 2)
    items: list[Item] = []
    for (y, x, name, colour), place in zip(wanted, places, strict=True):
        if x < frame.right - 1 or abs(place - y) > 2:
            items.append(Stroke(((x, y), (frame.right + 2, place)), colour, 0.4, (1, 1.5)))
        items.append(
            Label(frame.right + 4, place + SIZE * 0.35, name, colour=colour, bold=len(name) == 1)
        )
    return items


def _apart(places: list[float], top: float, bottom: float) -> list[float]:
    """The places in order, at least LEAST_GAP apart, as near as may be to where they were."""
    moved = list(places)
    for _ in range(50):
        clear = True
        for index, (above, below) in enumerate(pairwise(moved)):
            short = LEAST_GAP - (below - above)
            if short > 0.01:
                moved[index] -= short / 2
                moved[index + 1] += short / 2
                clear = False
        if moved and moved[0] < top:
            moved = [max(place, top + k * LEAST_GAP) for k, place in enumerate(moved)]
        if moved and moved[-1] > bottom:
            last = len(moved) - 1
            moved = [min(p, bottom - (last - k) * LEAST_GAP) for k, p in enumerate(moved)]
        if clear:
            break
    return moved


def _beside(name: str, x: float, y: float, plot: Plot, frame: _Frame) -> Label:
    """A mark's name beside it: above and to the right, or where it meets no upright level.

    The places are tried in this order: above right, above left, below right, below left.
    """
    sides: tuple[tuple[float, Anchor], ...] = ((x + 5, "start"), (x - 5, "end"))
    levels = [level for level in plot.levels if level.upright]
    lines = [frame.at(level.at, frame.y[0])[0] for level in levels]
    names = [item for item in _levels(plot, frame) if isinstance(item, Label)]
    for baseline in (y - 5, y + 5 + SIZE):
        for place, anchor in sides:
            left, right = _extent(Label(place, baseline, name, anchor))
            free = frame.left < left and right < frame.right and baseline < frame.bottom - 2
            free = free and not any(left - 1 < line < right + 1 for line in lines)
            near = [_extent(other) for other in names if abs(baseline - other.y) < SIZE + 1]
            if free and not any(left < end and right > start for start, end in near):
                return Label(place, baseline, name, anchor, bold=True)
    return Label(x + 5, y - 5, name, bold=True)


def _extent(label: Label) -> tuple[float, float]:
    """The left and the right end of a label."""
    width = text_width(label.text, label.size)
    return (label.x - width, label.x) if label.anchor == "end" else (label.x, label.x + width)
