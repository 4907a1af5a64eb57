"""The ceilings of up to six sides over the number of sessions, in one plot."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtWidgets import QWidget

from ...engine.ascending import ascending
from ...engine.curve import curve
from ...engine.setup import Setup
from ...language import tr, trn
from ...ranking.comparison import Side
from ...units import number, rate
from .. import typed
from ..plots.axes import LogAxis, Reading, one_two_five, powers_of_two, rate_tick
from ..plots.log_plot import LogPlot
from ..tabs.batches import sampled
from .compared import ROLES

DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (5.0, 3.0),
    (2.0, 2.0),
    (8.0, 3.0, 2.0, 3.0),
    (10.0, 4.0),
    (1.0, 3.0),
)
"""Beside the colours of the sides, so that they differ in more than colour."""
LEAST_SPAN = 8


class ComparePlot(LogPlot):
    """Each side is drawn as far as its sessions fit, its best batch as a point."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Ceilings of the marked pairs over the number of sessions"),
            x=LogAxis("bottom", tr("sessions at once"), powers_of_two, number),
            y=LogAxis("left", tr("tokens per second"), one_two_five, rate_tick),
            parent=parent,
        )
        self._lines = [
            self.curve(role, dash=dash) for role, dash in zip(ROLES, DASHES, strict=True)
        ]
        self._best = [self.points(role, filled=True) for role in ROLES]
        self._floor = self.level("muted")
        self._sides: list[tuple[str, Setup, int, str]] = []
        self._each = False
        self.read = self._reading
        self.step = lambda batch, direction: batch + direction

    def present(self, sides: Sequence[Side], *, each: bool) -> None:
        """Draw the sides; each: the rate of every session instead of all together."""
        self._each = each
        self._sides = []
        for place, side in enumerate(sides):
            result, setup = side.evaluation.result, side.evaluation.setup
            if result is not None and setup is not None and result.decode.memory_batch:
                role = ROLES[place]
                self._sides.append((side.name, setup, result.decode.memory_batch, role))
        if not self._sides:
            self.say(tr("In none of these does a session fit, so there is no ceiling to draw."))
            return
        self.say("")
        seen: list[float] = []
        for place, side in enumerate(sides):
            self._draw(place, side, seen)
        for place in range(len(sides), len(ROLES)):
            self._lines[place].clear_values()
            self._best[place].show_values(())
        high = max(LEAST_SPAN, *(fits for _, _, fits, _ in self._sides))
        floor = self._sides[0][1].workload.floor_tokens_per_s
        shown = each and floor > 0
        self._floor.show_at(
            floor if shown else None, tr("floor {floor:g} tok/s").format(floor=floor)
        )
        if shown:
            seen.append(floor)
        self.set_span(1, high * 1.6, min(seen) / 1.4, max(seen) * 1.2)

    def _draw(self, place: int, side: Side, seen: list[float]) -> None:
        line, points = self._lines[place], self._best[place]
        known = next((one for one in self._sides if one[0] == side.name), None)
        result = side.evaluation.result
        if known is None or result is None:
            line.clear_values()
            points.show_values(())
            return
        _, setup, fits, _ = known
        batches = ascending(sampled(fits), fits)
        drawn = curve(setup, batches)
        rates = drawn.per_session_tokens_per_s if self._each else drawn.aggregate_tokens_per_s
        line.show_values(batches, rates, side.name)
        seen += [float(rates.min()), float(rates.max())]
        decode = result.decode
        best = decode.per_session_tokens_per_s if self._each else decode.aggregate_tokens_per_s
        there = decode.best_batch and best
        points.show_values([(decode.best_batch, best)] if there else ())  # type: ignore[list-item]

    def _reading(self, x: float) -> Reading | None:
        if not self._sides:
            return None
        write = typed.separators()
        batch = max(1, round(x))
        rows, dots = [], []
        for name, setup, fits, role in self._sides:
            if batch > fits:
                rows.append((name, tr("does not fit")))
                continue
            at = curve(setup, np.array([batch]))
            found = at.per_session_tokens_per_s if self._each else at.aggregate_tokens_per_s
            value = float(found[0])
            rows.append((name, f"{rate(value, write)} tok/s"))
            dots.append((value, role))
        sessions = trn("{count} session", "{count} sessions", batch)
        sessions = sessions.format(count=number(batch, 0, write))
        return Reading(batch, sessions, tuple(rows), tuple(dots))
