"""Measurements in a plot: diamonds, filled where the context is the scenario's, else hollow."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...language import tr
from ...measured.points import Point
from ...units import Separators, rate
from .. import typed

if TYPE_CHECKING:
    from ..plots.log_plot import LogPlot

Place = tuple[float, float]


class MeasuredPoints:
    """points: what the owner was given; drawn when the owner draws."""

    def __init__(self, plot: "LogPlot") -> None:
        self.points: tuple[Point, ...] = ()
        self._same = plot.points("text", filled=True)
        self._other = plot.points("text", filled=False)
        for marks in (self._same, self._other):
            marks.setSymbol("d")
            marks.setSize(13)
            marks.setZValue(25)  # above the names, which may lie where it was measured
        self._name = plot.note("text")

    def show_over_batches(self, most: int) -> list[float]:
        """Draw each at its number of sessions, all together and each alone; the rates drawn."""
        inside = [point for point in self.points if point.batch <= most]
        return self._show(
            [
                (point.same, (point.batch, value))
                for point in inside
                for value in dict.fromkeys((point.tokens_per_s, point.tokens_per_s / point.batch))
            ]
        )

    def show_over_lengths(self, shortest: int, longest: int) -> list[float]:
        """Draw each at its prompt length; the rates drawn."""
        return self._show(
            [
                (point.same, (point.prompt_tokens, point.tokens_per_s))
                for point in self.points
                if shortest <= point.prompt_tokens <= longest
            ]
        )

    def rows_at(self, batch: int) -> tuple[tuple[str, str], ...]:
        """What was measured at a number of sessions, for the reading there."""
        write = typed.separators()
        return tuple(
            (tr("measured") if point.same else tr("at another context"), _rate(point, write))
            for point in self.points
            if point.batch == batch
        )[:4]

    def _show(self, places: Sequence[tuple[bool, Place]]) -> list[float]:
        self._same.show_values([place for same, place in places if same])
        self._other.show_values([place for same, place in places if not same])
        highest = max((place for _, place in places), key=lambda place: place[1], default=None)
        x, y = highest or (None, None)
        self._name.show_at(x, y, "measured", below=True)
        return [y for _, (_, y) in places]


def _rate(point: Point, write: Separators) -> str:
    return f"{rate(point.tokens_per_s, write)} tok/s"
