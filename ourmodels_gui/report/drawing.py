"""A drawing: strokes, areas and labels in points, from which SVG and PDF are painted alike."""

from typing import Literal

import msgspec

from .pictures import Marker

INK, MUTED, GRID, PAPER = "#1B1F24", "#57606A", "#D0D7DE", "#FFFFFF"
SIZE = 7.5
"""Height of labels [points]."""

Anchor = Literal["start", "middle", "end"]


class Stroke(msgspec.Struct, frozen=True):
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str = INK
    width: float = 1.0
    dash: tuple[float, ...] = ()


class Area(msgspec.Struct, frozen=True):
    """A closed shape; fill "" leaves it empty, stroke "" without an outline."""

    points: tuple[tuple[float, float], ...]
    fill: str = ""
    stroke: str = ""
    width: float = 0.7


class Disc(msgspec.Struct, frozen=True):
    """A filled circle with an outline."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str


class Label(msgspec.Struct, frozen=True):
    """One line of text; y is its baseline. upright: turned to read from below."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    colour: str = INK
    size: float = SIZE
    bold: bool = False
    upright: bool = False


Item = Stroke | Area | Disc | Label


class Drawing(msgspec.Struct, frozen=True):
    """What is drawn, later items above earlier ones."""

    width: float
    height: float
    items: tuple[Item, ...]


def box(x: float, y: float, width: float, height: float) -> tuple[tuple[float, float], ...]:
    """The corners of a rectangle."""
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def text_width(text: str, size: float = SIZE) -> float:
    """A width that holds the text in any usual sans serif.

    >>> text_width("1,008", 10) < text_width("中文中文中", 10)
    True
    """
    ems = sum(1.0 if ord(c) > 0x1100 else 0.32 if c in " .,:;'il|·" else 0.6 for c in text)
    return ems * size


def marker(kind: Marker, x: float, y: float, colour: str, radius: float = 3.0) -> list[Item]:
    """A mark that its shape tells from the others."""
    r = radius
    if kind == "dot":
        return [Disc(x, y, r, colour, PAPER)]
    if kind == "ring":
        return [Disc(x, y, r * 0.9, PAPER, colour)]
    if kind == "square":
        return [Area(box(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8), colour, PAPER)]
    if kind == "diamond":
        corners = ((x, y - r * 1.25), (x + r * 1.25, y), (x, y + r * 1.25), (x - r * 1.25, y))
        return [Area(corners, colour, PAPER)]
    if kind == "triangle":
        return [Area(((x, y - r * 1.2), (x + r * 1.2, y + r), (x - r * 1.2, y + r)), colour, PAPER)]
    return [
        Stroke(((x - r, y - r), (x + r, y + r)), colour, 1.6),
        Stroke(((x - r, y + r), (x + r, y - r)), colour, 1.6),
    ]


def hatched(
    x: float, y: float, width: float, height: float, *, gap: float, rising: bool = True
) -> list[Item]:
    """Slanting lines inside a rectangle, `gap` points apart."""
    lines: list[Item] = []
    offset = gap - height
    while offset < width:
        left, right = max(offset, 0.0), min(offset + height, width)
        if right > left:
            low, high = left - offset, right - offset
            if rising:
                low, high = height - low, height - high
            lines.append(Stroke(((x + left, y + low), (x + right, y + high)), INK, 0.5))
        offset += gap
    return lines
