"""Figures as data: bars of memory, and plots with logarithmic axes."""

from typing import Literal

import msgspec

Fill = Literal["weights", "experts", "cache", "state", "draft", "overhead", "free", "missing"]
Marker = Literal["dot", "square", "diamond", "triangle", "cross", "ring"]
Unit = Literal["sessions", "tokens", "rate", "seconds", "price", "watts"]

LINE_STYLES: tuple[tuple[str, tuple[float, ...], Marker], ...] = (
    ("#0072B2", (), "dot"),
    ("#C4500A", (6, 2.5), "square"),
    ("#7A4E9E", (1.5, 2), "diamond"),
    ("#12704F", (8, 2, 1.5, 2), "triangle"),
    ("#8A5A00", (3.5, 1.5), "cross"),
    ("#1B1F24", (10, 2, 2, 2, 2, 2), "ring"),
)
"""Colour, dash and marker of the first to sixth curve, so that black and white tells them apart."""


class Segment(msgspec.Struct, frozen=True):
    """A part of a bar [bytes]."""

    fill: Fill
    bytes_: float


class Bar(msgspec.Struct, frozen=True):
    """The memory of one machine or pool: capacity, and what stands in it, side by side.

    label: a letter before it. name: printed above it, "" where there is nothing to tell apart.
    """

    label: str
    capacity_bytes: float
    segments: tuple[Segment, ...]
    name: str = ""


class Bars(msgspec.Struct, frozen=True):
    """Bars on one scale."""

    bars: tuple[Bar, ...]


class Line(msgspec.Struct, frozen=True):
    """A curve with its label at the end; style: place in LINE_STYLES."""

    label: str
    style: int
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    thin: bool = False


class Point(msgspec.Struct, frozen=True):
    """A marked point; label "" for none."""

    label: str
    style: int
    x: float
    y: float


class Level(msgspec.Struct, frozen=True):
    """A straight line across: at a y, or at an x."""

    label: str
    at: float
    upright: bool = False


class Axis(msgspec.Struct, frozen=True):
    """A logarithmic axis."""

    title: str
    unit: Unit


class Plot(msgspec.Struct, frozen=True):
    """Curves, marked points and straight levels."""

    x: Axis
    y: Axis
    lines: tuple[Line, ...] = ()
    points: tuple[Point, ...] = ()
    levels: tuple[Level, ...] = ()


Picture = Bars | Plot
