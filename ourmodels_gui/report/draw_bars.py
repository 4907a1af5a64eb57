"""Bars of memory -> drawing."""

from ..units import size
from .drawing import INK, MUTED, PAPER, Area, Drawing, Item, Label, Stroke, box, hatched, text_width
from .pictures import Bar, Bars, Fill

HEIGHT, GAP, LETTER, KEY, NAME = 14.0, 8.0, 14.0, 14.0, 13.0

FILLS: dict[Fill, tuple[str, str]] = {
    "weights": ("#E69F00", "weights"),
    "experts": ("#F0E442", "routed experts"),
    "cache": ("#56B4E9", "cache"),
    "state": ("#009E73", "recurrent state"),
    "draft": ("#CC79A7", "draft"),
    "overhead": ("#9AA4AF", "overhead"),
    "free": (PAPER, "free"),
}
HATCHES: dict[Fill, tuple[float, bool]] = {
    "experts": (4.5, False),
    "cache": (3.0, True),
    "state": (3.0, False),
    "draft": (1.8, True),
    "overhead": (1.8, False),
}
"""Gap and direction of the lines over a fill, so that black and white tells the fills apart."""


def draw_bars(bars: Bars, width: float) -> Drawing:
    """Every bar to one scale, its size at its end, and a key of the fills that occur."""
    most = max(
        max(bar.capacity_bytes, sum(part.bytes_ for part in bar.segments)) for bar in bars.bars
    )
    left = LETTER if any(bar.label for bar in bars.bars) else 0.0
    ends = [_end(bar) for bar in bars.bars]
    scale = (width - left - max(text_width(end) for end in ends) - 8) / most
    items: list[Item] = []
    y = 4.0
    for bar, end in zip(bars.bars, ends, strict=True):
        if bar.name:
            items.append(Label(left, y + 9, bar.name, colour=MUTED))
            y += NAME
        items.append(Label(0, y + HEIGHT * 0.7, bar.label, bold=True))
        x = left
        for part in bar.segments:
            stretch = part.bytes_ * scale
            items += _segment(part.fill, x, y, stretch)
            shown = size(part.bytes_)
            if part.fill != "free" and stretch > text_width(shown) + 10:
                items += _named(shown, x + stretch / 2, y)
            x += stretch
        edge = left + bar.capacity_bytes * scale
        items.append(Stroke(((edge, y - 4), (edge, y + HEIGHT + 4)), INK, 1.6))
        items.append(Label(max(edge, x) + 4, y + HEIGHT * 0.7, end, colour=MUTED))
        y += HEIGHT + GAP
    occur = {part.fill for bar in bars.bars for part in bar.segments}
    items += _key([fill for fill in FILLS if fill in occur], left, y + 2)
    return Drawing(width, y + KEY, tuple(items))


def _end(bar: Bar) -> str:
    """The capacity; where that is too little, what is needed as well."""
    needed = sum(part.bytes_ for part in bar.segments)
    if needed <= bar.capacity_bytes * (1 + 1e-9):
        return size(bar.capacity_bytes)
    return f"{size(needed)} for {size(bar.capacity_bytes)}"


def _segment(fill: Fill, x: float, y: float, width: float) -> list[Item]:
    colour, _ = FILLS[fill]
    corners = box(x, y, width, HEIGHT)
    lines: list[Item] = []
    if fill in HATCHES:
        gap, rising = HATCHES[fill]
        lines = hatched(x, y, width, HEIGHT, gap=gap, rising=rising)
    return [Area(corners, colour), *lines, Area(corners, "", INK, 0.5)]


def _named(text: str, x: float, y: float) -> list[Item]:
    """A size on paper of its own, so that no hatching crosses it."""
    half = text_width(text) / 2 + 2
    back = Area(box(x - half, y + 2.5, 2 * half, HEIGHT - 5), PAPER)
    return [back, Label(x, y + HEIGHT * 0.7, text, "middle")]


def _key(fills: list[Fill], x: float, y: float) -> list[Item]:
    items: list[Item] = []
    for fill in fills:
        colour, name = FILLS[fill]
        corners = box(x, y, 12, 8)
        items.append(Area(corners, colour))
        if fill in HATCHES:
            gap, rising = HATCHES[fill]
            items += hatched(x, y, 12, 8, gap=gap, rising=rising)
        items += [Area(corners, "", INK, 0.5), Label(x + 15, y + 7, name, colour=MUTED)]
        x += 15 + text_width(name) + 14
    items += [
        Stroke(((x, y - 1), (x, y + 9)), INK, 1.6),
        Label(x + 5, y + 7, "capacity", colour=MUTED),
    ]
    return items
