"""The map of every pair as an image of one pixel for each cell, and what stands on its axes."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from ...engine.sweep import VERDICTS
from ...ranking.table import UNKNOWN, Indices, Table
from ..theme import Palette, mixed

SHADES = 64
BELOW = next(code for code, verdict in enumerate(VERDICTS) if verdict.startswith("fits"))
Marks = NDArray[np.bool_]


def axes(table: Table, rows: Indices) -> tuple[Indices, Indices, Marks]:
    """The models of some rows from the smallest on, their machines from the weakest on, and which
    of these pairs are among the rows, by [model, machine]."""
    field = table.field
    kept: Marks = np.zeros(len(table), dtype=bool)
    kept[rows] = True
    inside = kept.reshape(len(field.models), len(field.machines))
    power = [
        one.machine.capacity_bytes * one.machine.bandwidth_bytes_per_s for one in field.machines
    ]
    size = [one.formats[0][1].resident_bytes if one.formats else np.inf for one in field.models]
    by_power, by_size = np.argsort(power, kind="stable"), np.argsort(size, kind="stable")
    machines = by_power[np.any(inside, axis=0)[by_power]]
    models = by_size[np.any(inside, axis=1)[by_size]]
    return models, machines, inside[np.ix_(models, machines)]


def image(
    table: Table, column: str, places: tuple[Indices, Indices], inside: Marks, palette: Palette
) -> QImage:
    """A column as shades of one colour on a logarithmic scale; tints where nothing is served."""
    shape = (len(table.field.models), len(table.field.machines))
    place = np.ix_(*places)
    values = table.values(column).reshape(shape)[place]
    serves = table.serves.reshape(shape)[place]
    verdict = table.verdict.reshape(shape)[place]
    ramp = [
        mixed(palette.base, palette.aggregate, 0.12 + 0.88 * shade / (SHADES - 1))
        for shade in range(SHADES)
    ]
    blank, unfit, below, outside = range(SHADES, SHADES + 4)
    tints = [
        palette.base,
        mixed(palette.base, palette.unfit, 0.16),
        mixed(palette.base, palette.below, 0.3),
        palette.window,
    ]
    code = np.full(values.shape, unfit)
    code[verdict == BELOW] = below
    code[verdict == UNKNOWN] = blank
    shown = serves & np.isfinite(values) & (values > 0)
    code[serves & ~shown] = blank
    if shown.any():
        scaled = np.log(values[shown])
        low, high = np.percentile(scaled, (1, 99))
        share = (scaled - low) / max(high - low, 1e-9)
        code[shown] = np.rint(np.clip(share, 0, 1) * (SHADES - 1)).astype(int)
    code[~inside] = outside
    colour = np.array([QColor(name).rgb() for name in (*ramp, *tints)], dtype=np.uint32)
    pixels = np.ascontiguousarray(colour[code])
    height, width = pixels.shape
    # The copy owns its pixels; the image around the array does not.
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()
