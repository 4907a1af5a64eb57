"""Decode with and without speculation over the sessions, and the acceptance that it needs."""

import numpy as np
from msgspec import structs
from numpy.typing import NDArray
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ...engine.capacity import capacity
from ...engine.setup import Setup, Speculation
from ...engine.speculation import acceptance_for
from ...evaluation import Evaluation
from ...language import tr, trn
from ...summary.spans import batch_span
from ...units import number, rate
from .. import typed
from ..plots.axes import LogAxis, Reading, one_two_five, powers_of_two, rate_tick
from ..plots.log_plot import LogPlot
from ..theme import UNIT
from .batches import sampled
from .drafting import needed_acceptance, needed_words, rates, why_nothing

LEAST_ACCEPTANCE = 0.02
BANDS = 8
"""Stretches of losing batches that are drawn; no known setup has more than three."""


class SpeculationPlot(QWidget):
    """The aggregate both ways above, the break-even acceptance below, over the same sessions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setup: Setup | None = None
        self.rates = LogPlot(
            tr("Decode with and without speculation over the number of sessions"),
            x=LogAxis("bottom", "", powers_of_two, number),
            y=LogAxis("left", tr("all sessions, tok/s"), one_two_five, rate_tick),
        )
        self.needs = LogPlot(
            tr("Break-even acceptance over the number of sessions"),
            x=LogAxis("bottom", tr("sessions at once"), powers_of_two, number),
            y=LogAxis("left", tr("acceptance"), _up_to_one, rate_tick),
        )
        self.losing = [
            (self.rates.region("below"), self.needs.region("below")) for _ in range(BANDS)
        ]
        self._beyond = (self.rates.region("unfit"), self.needs.region("unfit"))
        self._with = self.rates.curve("aggregate")
        self._without = self.rates.curve("session", dash=(5.0, 3.0), below=True)
        self._best = self.rates.points("serves", filled=True)
        self._gates = (self.rates.gate("serves"), self.needs.gate("serves"))
        self._needed = self.needs.curve("power")
        self._chosen = self.needs.level("serves", at_right=True)
        for plot in (self.rates, self.needs):
            plot.read = self.reading_at if plot is self.rates else self._need_at
            plot.step = lambda batch, direction: batch + direction
        self.needs.box.setXLink(self.rates.box)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.rates, 3)
        layout.addWidget(self.needs, 2)

    def present(self, evaluation: Evaluation) -> None:
        """Draw both ways, or say why there is nothing to compare."""
        why = why_nothing(evaluation)
        setup, result = evaluation.setup, evaluation.result
        self.needs.setVisible(not why)
        self.rates.say(why)
        self._setup = None if why else setup
        if why or setup is None or setup.speculation is None or result is None:
            return
        decode = result.decode
        high = batch_span(result)
        batches = sampled(high)
        with_draft, without = rates(setup, batches)
        self._with.show_values(batches, with_draft, tr("with a draft"))
        self._without.show_values(batches, without, tr("without"))
        low = float(min(np.nanmin(with_draft), np.nanmin(without)))
        top = float(max(np.nanmax(with_draft), np.nanmax(without)))
        fits = decode.memory_batch or 1
        intervals = decode.speculation.loses_at if decode.speculation else ()
        for index, regions in enumerate(self.losing):
            first, last = intervals[index] if index < len(intervals) else (None, None)
            for region in regions:
                start = None if first is None else first - 0.5
                end = None if last is None else last + 0.5
                region.show_between(start, end, tr("loses"))
        for region in self._beyond:
            region.show_between(fits + 0.5, high * 2.0, tr("does not fit"))
        best = decode.forced.batch if decode.forced else decode.best_batch
        for gate in self._gates:
            words = tr("forced {count}") if decode.forced else tr("best {count}")
            gate.show_at(best, words.format(count=number(best or 0, 0, typed.separators())))
        place = [] if best is None else [(best, float(rates(setup, np.array([best]))[0][0]))]
        self._best.show_values(place)
        self.rates.set_span(1, high, low / 1.3, top * 1.15)
        self._draw_needs(setup, setup.speculation, batches, high)

    def _draw_needs(
        self, setup: Setup, speculation: Speculation, batches: NDArray[np.int64], high: int
    ) -> None:
        needed = needed_acceptance(setup, batches)
        drawn = np.where(needed < LEAST_ACCEPTANCE, np.nan, needed)
        self._needed.show_values(batches, drawn, tr("break-even"))
        alpha = acceptance_for(speculation.emitted_tokens, speculation.draft_tokens)
        words = tr("acceptance {alpha}").format(alpha=number(alpha, 2, typed.separators()))
        self._chosen.show_at(alpha if alpha > 0 else None, words, below=False)
        seen = [value for value in (float(alpha), *drawn.tolist()) if value > 0]
        self.needs.set_span(1, high, max(min(seen, default=0.5) / 1.3, 0.01), 1.05)

    def _need_at(self, x: float) -> Reading | None:
        found = self.reading_at(x)
        if found is None or self._setup is None:
            return None
        needed = float(needed_acceptance(self._setup, np.array([int(found.x)]))[0])
        return found._replace(dots=((needed, "power"),) if needed >= LEAST_ACCEPTANCE else ())

    def reading_at(self, x: float) -> Reading | None:
        """What both ways give at the whole batch nearest to x; None when nothing is drawn."""
        if self._setup is None:
            return None
        return reading(self._setup, max(1, round(x)))


def _up_to_one(low: float, high: float, size_px: float) -> list[float]:
    return [tick for tick in one_two_five(low, high, size_px) if tick <= 1.0]


def reading(setup: Setup, batch: int) -> Reading:
    """Both ceilings at one batch, and the acceptance that the draft needs there."""
    write = typed.separators()
    here = np.array([batch])
    with_draft, without = (float(found[0]) for found in rates(setup, here))
    sessions = trn("{count} session", "{count} sessions", batch).format(
        count=number(batch, 0, write)
    )
    if np.isnan(with_draft):
        return Reading(batch, sessions, ((tr("fits"), tr("no")),))
    gain = number(100.0 * (with_draft / without - 1.0), 0, write)
    rows = [
        (tr("with a draft"), f"{rate(with_draft, write)} tok/s"),
        (tr("without"), f"{rate(without, write)} tok/s"),
        (tr("gain"), f"{'+' if with_draft >= without else ''}{gain} %"),
        (tr("break-even"), needed_words(float(needed_acceptance(setup, here)[0]))),
    ]
    if batch > capacity(setup).memory_batch:
        plain = capacity(structs.replace(setup, speculation=None))
        limit = tr("only without the draft") if plain.fits(batch) else tr("no")
        rows.append((tr("fits"), limit))
    dots = ((with_draft, "aggregate"), (without, "session"))
    return Reading(batch, sessions, tuple(rows), dots)
