"""The prefill ceilings over the prompt length, and below them the wait for the first token."""

from collections.abc import Sequence
from math import isfinite

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ...engine.prefill_curve import PrefillCurve, ceilings_over_length
from ...engine.result import Prefill, RangeEnd
from ...engine.setup import Prompt, Setup
from ...evaluation import Evaluation
from ...language import tr, trn
from ...measured.points import Point
from ...summary.spans import SHORTEST_TOKENS, length_span
from ...units import duration, number, rate, tokens
from .. import typed
from ..evidence.measured_plot_points import MeasuredPoints
from ..plots.axes import (
    LogAxis,
    Reading,
    one_two_five,
    powers_of_two,
    rate_tick,
    time_tick,
    token_tick,
)
from ..plots.log_plot import LogPlot
from ..theme import UNIT
from .prefill_curves import Curves, curves_of, reading


def why_no_curve(evaluation: Evaluation) -> str:
    """What keeps the plots empty; "" when there is something to show."""
    if evaluation.setup is None or evaluation.result is None:
        return evaluation.problem.message if evaluation.problem else tr("Nothing is chosen yet.")
    prefill = evaluation.result.prefill
    if evaluation.setup.prompt is None or prefill is None:
        return tr("No prompt is asked about. Give a prompt length to see how long it waits.")
    if prefill.verdict == "model does not fit":
        return tr("The model does not fit, so no prompt can be processed.")
    return ""


def prompts_of(end: RangeEnd) -> str:
    """How many prompts of which length."""
    write = typed.separators()
    words = trn("{length} token", "{length} tokens", end.prompt_tokens)
    length = words.format(length=tokens(end.prompt_tokens, write))
    if end.batch == 1:
        return length
    return tr("{count} prompts of {length}").format(
        count=number(end.batch, 0, write), length=length
    )


def how_to_know(unavailable: str) -> str:
    """What is missing, and how to supply it."""
    if "rate" not in unavailable:
        return unavailable
    return tr(
        "{unavailable}. Duplicate the machine and add the rate to supply one of your own."
    ).format(unavailable=unavailable)


class PrefillPlot(QWidget):
    """Rates above, waits below, over the same lengths.

    The curves hold the number of prompts at once that the scenario uses, so that its own point lies
    on them; the ends of the range are each at the best number for its length.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setup: Setup | None = None
        self._bracket: str | None = None
        self._batch = 1
        self.rates = LogPlot(
            tr("Prefill ceilings over the prompt length"),
            x=LogAxis("bottom", "", powers_of_two, token_tick),
            y=LogAxis("left", tr("prompt tokens per second"), one_two_five, rate_tick),
        )
        self.waits = LogPlot(
            tr("Time to first token over the prompt length"),
            x=LogAxis("bottom", tr("prompt tokens"), powers_of_two, token_tick),
            y=LogAxis("left", tr("first token"), one_two_five, time_tick),
        )
        self._beyond = self.rates.region("unfit")
        self._beyond_wait = self.waits.region("unfit")
        self._memory = self.rates.curve("aggregate")
        self._compute = self.rates.curve("session", dash=(5.0, 3.0), at_left=True, below=True)
        self._link = self.rates.curve("muted", dash=(8.0, 3.0), at_left=True)
        self._ghost = self.rates.curve("muted", width=1.0, dash=(2.0, 2.0))
        self._combined = self.rates.curve("text", at_left=True)
        self._other = self.rates.curve("session", width=1.0)
        self._band = self.rates.band("session", self._combined, self._other)
        self._ends = self.rates.points("text", filled=False)
        self._here = self.rates.points("serves", filled=True)
        self.measured = MeasuredPoints(self.rates)
        self._prompt = self.rates.gate("serves")
        self._crossover = self.rates.gate("muted")
        self._low, self._high = self.rates.note("text"), self.rates.note("text")
        self._ghost_wait = self.waits.curve("muted", width=1.0, dash=(1.0, 3.0))
        self._wait = self.waits.curve("text")
        self._other_wait = self.waits.curve("session", width=1.0, at_left=True)
        self.waits.band("session", self._wait, self._other_wait)
        self._budget = self.waits.level("below")
        self._here_wait = self.waits.points("serves", filled=True)
        self._prompt_wait = self.waits.gate("serves")
        for plot in (self.rates, self.waits):
            plot.read = self.reading_at if plot is self.rates else self._wait_at
            plot.step = lambda length, direction: length * 2.0 ** (direction / 4)
        self.waits.box.setXLink(self.rates.box)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.rates, 3)
        layout.addWidget(self.waits, 2)

    def set_measured(self, points: Sequence[Point]) -> None:
        """Measurements to draw with the next evaluation."""
        self.measured.points = tuple(point for point in points if point.phase == "prefill")

    def present(self, evaluation: Evaluation, bracket: str | None = None) -> None:
        """Draw the ceilings of the evaluation, or say why there are none.

        bracket: another mode of the linear layers, to draw a band to; None for no band.
        """
        why = why_no_curve(evaluation)
        setup, result = evaluation.setup, evaluation.result
        self.waits.setVisible(not why)
        self.rates.say(why)
        if why or setup is None or setup.prompt is None or result is None:
            self._setup = None
            return
        assert result.prefill is not None
        self._setup, self._bracket = setup, bracket
        self._draw(setup, setup.prompt, result.prefill)

    def _draw(self, setup: Setup, prompt: Prompt, prefill: Prefill) -> None:
        longest, batch = length_span(setup), prefill.batch or 1
        curves = curves_of(setup, longest, batch, self._bracket)
        values = np.empty(0)
        if curves is not None:
            drawn, shot = curves.drawn, curves.shot
            values = np.concatenate(
                (
                    self._draw_rates(drawn, shot, prompt, batch),
                    self._draw_other(curves.other, drawn),
                )
            )
        if curves is None or values.size == 0:
            self._setup = None
            self.waits.hide()
            none = tr("No prompt of any length fits beside the model.")
            unknown = how_to_know(prefill.unavailable or tr(prefill.verdict))
            self.rates.say(none if curves is None else unknown)
            return
        self._batch = batch
        for region in (self._beyond, self._beyond_wait):
            region.show_between(curves.refused_from, longest * 2.0, tr("does not fit"))
        self._mark(prompt, prefill)
        values = np.append(values, self.measured.show_over_lengths(SHORTEST_TOKENS, longest))
        self.rates.set_span(
            SHORTEST_TOKENS, longest, float(values.min()) / 1.2, float(values.max()) * 1.2
        )
        self._draw_waits(curves, prompt, longest, prefill.unavailable)

    def _draw_rates(
        self,
        drawn: PrefillCurve,
        shot: PrefillCurve | None,
        prompt: Prompt,
        batch: int,
    ) -> np.ndarray:
        """Draw the ceilings; returns every rate that is in sight."""
        write = typed.separators()
        policy = tr("one shot")
        if prompt.chunk_tokens:
            policy = tr("chunks of {chunk_tokens}").format(
                chunk_tokens=tokens(prompt.chunk_tokens, write)
            )
        if batch > 1:
            count = number(batch, 0, write)
            policy = tr("{policy}, {count} at once").format(policy=policy, count=count)
        seen: list[np.ndarray] = []
        for line, values, name in (
            (self._memory, drawn.memory, tr("memory side")),
            (self._compute, drawn.compute, tr("compute side")),
            (self._link, drawn.link, tr("link")),
            (self._combined, drawn.combined, policy),
        ):
            if values is None:
                line.clear_values()
            else:
                line.show_values(drawn.lengths, values, name)
                seen.append(values)
        self._ghost.clear_values()
        if shot is not None and shot.combined is not None and drawn.combined is not None:
            apart = int(np.argmax(shot.combined / drawn.combined))
            self._ghost.show_values(shot.lengths, shot.combined, tr("one shot"), named_at=apart)
        return np.concatenate(seen) if seen else np.empty(0)

    def _draw_other(self, other: PrefillCurve | None, drawn: PrefillCurve) -> np.ndarray:
        """Draw the other end of the bracket; returns its rates."""
        if (
            other is None
            or other.combined is None
            or other.time_s is None
            or drawn.combined is None
        ):
            self._other.clear_values()
            self._other_wait.clear_values()
            return np.empty(0)
        # Named where the band is widest: at its end the words would cover the ceiling itself.
        apart = int(np.argmax(np.abs(np.log(other.combined / drawn.combined))))
        words = tr("linear in {mode}").format(mode=self._bracket)
        self._other.show_values(other.lengths, other.combined, words, named_at=apart)
        self._other_wait.show_values(other.lengths, other.time_s)
        return other.combined

    def _mark(self, prompt: Prompt, prefill: Prefill) -> None:
        """The scenario's prompt, the crossover, and the ends of the range."""
        write = typed.separators()
        length = prompt.prompt_tokens
        for gate in (self._prompt, self._prompt_wait):
            gate.show_at(length, tr("prompt {length}").format(length=tokens(length, write)))
        here = [] if prefill.tokens_per_s is None else [(length, prefill.tokens_per_s)]
        self._here.show_values(here)
        self._here_wait.show_values([] if prefill.time_s is None else [(length, prefill.time_s)])
        crossing = prefill.crossover_tokens
        shown = crossing is not None and isfinite(crossing)
        name = (
            tr("crossover S* {length}").format(length=tokens(round(crossing), write))
            if shown and crossing
            else ""
        )
        self._crossover.show_at(crossing if shown else None, name)
        found = prefill.range
        ends = [] if found is None else [found.low, found.high]
        self._ends.show_values([(end.prompt_tokens, end.tokens_per_s) for end in ends])
        for note, words, end in zip(
            (self._low, self._high),
            (tr("lowest {rate}: {prompts}"), tr("highest {rate}: {prompts}")),
            ends or (None, None),
            strict=True,
        ):
            if end is not None:
                said = words.format(rate=rate(end.tokens_per_s, write), prompts=prompts_of(end))
                note.show_at(end.prompt_tokens, end.tokens_per_s, said, below=note is self._low)
            else:
                note.show_at(None, None, "")

    def _draw_waits(self, curves: Curves, prompt: Prompt, longest: int, unavailable: str) -> None:
        drawn, shot = curves.drawn, curves.shot
        self._ghost_wait.clear_values()
        if shot is not None and shot.time_s is not None:
            self._ghost_wait.show_values(shot.lengths, shot.time_s, tr("one shot"))
        if drawn.time_s is None:
            self.waits.say(how_to_know(unavailable))
            return
        self.waits.say("")
        self._wait.show_values(drawn.lengths, drawn.time_s, "")
        waits = drawn.time_s[np.isfinite(drawn.time_s)]
        budget = prompt.ttft_budget_s
        words = (
            ""
            if budget is None
            else tr("budget {time}").format(time=duration(budget, typed.separators()))
        )
        self._budget.show_at(budget, words, below=False)
        _, other = self._other_wait.getData()
        if other is not None and other.size:
            waits = np.concatenate((waits, 10.0**other))
        around = [float(waits.min()), float(waits.max()), *([budget] if budget else [])]
        self.waits.set_span(SHORTEST_TOKENS, longest, min(around) / 1.3, max(around) * 1.3)

    def _wait_at(self, x: float) -> Reading | None:
        found = self.reading_at(x)
        if found is None or self._setup is None or self._setup.prompt is None:
            return found
        chunk = self._setup.prompt.chunk_tokens
        at = ceilings_over_length(self._setup, np.array([found.x]), self._batch, chunk)
        time_s = np.nan if at.time_s is None else float(at.time_s[0])
        dots = () if np.isnan(time_s) else ((time_s, "text"),)
        return found._replace(dots=dots)

    def reading_at(self, x: float) -> Reading | None:
        """What the ceilings say at the length nearest to x; None when nothing is drawn."""
        if self._setup is None:
            return None
        return reading(self._setup, max(1, round(x)), self._batch, self._bracket)
