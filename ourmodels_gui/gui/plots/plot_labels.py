"""Where the words of a plot stand, so that none covers another."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF

from ..theme import px
from .plot_items import Gate, Label

if TYPE_CHECKING:
    from .log_plot import LogPlot

LABEL_ROW_PX = 16
ROW_GAP_PX = 4
MARGIN_PX = 3


def place_gates(plot: "LogPlot") -> int:
    """Write the names of the gates at the top, in rows that do not touch; returns how many rows."""
    (left, right), (_, top) = plot.box.viewRange()
    wide, high = (max(size, 1e-9) for size in plot.box.viewPixelSize())  # of a pixel
    ends: list[float] = []
    for gate in sorted(plot.gates, key=Gate.value):
        x = gate.value()
        if not gate.name_text or not left <= x <= right:
            gate.label.hide()
            continue
        gate.label.write(gate.name_text)
        width = gate.label.width_px * wide
        start = min(x, right - width)
        row = next((i for i, end in enumerate(ends) if end <= start), len(ends))
        ends[row : row + 1] = [start + width + ROW_GAP_PX * wide]
        down = row * px(LABEL_ROW_PX) * high
        gate.label.put(gate.name_text, start, top - down, (0.0, 0.0))
    return len(ends)


def settle(plot: "LogPlot", labels: Iterable[Label]) -> None:
    """Keep each label that covers none before it and is not cut, on the other side of its line if
    need be."""
    taken: list[QRectF] = []
    seen = plot.box.sceneBoundingRect()
    for label in labels:
        if not label.isVisible():
            continue
        _keep_inside(plot, label, seen)
        for upside in (label.upside, 1.0 - label.upside):
            label.setAnchor((label.across, upside))
            place = _rect(plot, label)
            if beyond := max(seen.left() - place.left(), 0) or min(seen.right() - place.right(), 0):
                label.setAnchor((label.across - beyond / place.width(), upside))
                place = _rect(plot, label)
            whole = seen.top() <= place.top() and place.bottom() <= seen.bottom()
            if whole and not any(place.intersects(other) for other in taken):
                taken.append(place)
                break
        else:
            label.hide()


def _keep_inside(plot: "LogPlot", label: Label, seen: QRectF) -> None:
    """Move a label that reaches beyond the left or the right end."""
    place = _rect(plot, label)
    beyond = min(place.left() - seen.left(), 0.0) or max(place.right() - seen.right(), 0.0)
    if beyond:
        wide, _ = plot.box.viewPixelSize()
        label.setPos(label.pos().x() - beyond * wide, label.pos().y())


def _rect(plot: "LogPlot", label: Label) -> QRectF:
    """The label's place in the scene; its own mapping is only right once it was painted."""
    size = label.boundingRect()
    at = plot.box.mapViewToScene(label.pos())
    corner = at - QPointF(label.anchor.x() * size.width(), label.anchor.y() * size.height())
    # The margins around the words may overlap.
    return QRectF(corner, size.size()).adjusted(0, MARGIN_PX, 0, -MARGIN_PX)
