"""The two decode ceilings over the number of sessions: one rises, the other falls to the floor."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtWidgets import QWidget

from ...engine.ascending import ascending
from ...engine.curve import DecodeCurve, curve, limits
from ...engine.result import Decode, Result
from ...engine.setup import Setup
from ...evaluation import Evaluation
from ...language import tr, trn
from ...measured.points import Point
from ...summary.spans import batch_span, rate_limit
from ...units import duration, number, plain, rate
from .. import typed
from ..evidence.measured_plot_points import MeasuredPoints
from ..plots.axes import LogAxis, Reading, one_two_five, powers_of_two, rate_tick
from ..plots.log_plot import LogPlot
from .batches import LIMITS, sampled, why_no_curve

OFF_SCALE, ABOVE_FLOOR = 8.0, 1.9


def compute_bound(drawn: DecodeCurve) -> tuple[float | None, float | None]:
    """From which batch on the arithmetic takes longer than the memory traffic; Nones if it never
    does, or where it is unknown."""
    if drawn.compute_time_s is None:
        return None, None
    longer = drawn.batches[drawn.compute_time_s > drawn.memory_time_s]
    return (float(longer[0]), 2.0 * float(longer[-1])) if longer.size else (None, None)


class DecodePlot(LogPlot):
    """All sessions together and each session alone, with the floor, the limits, the best batch.

    Beyond the memory limit both ceilings go on as thin lines: what the bandwidth would allow if the
    sessions fitted. Of memories of unlike speed, a vertical says from where on the cache pushes
    weights out of the fastest.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Decode ceilings over the number of sessions"),
            x=LogAxis("bottom", tr("sessions at once"), powers_of_two, number),
            y=LogAxis("left", tr("tokens per second"), one_two_five, rate_tick),
            parent=parent,
        )
        self._setup: Setup | None = None
        self._decode: Decode | None = None
        self._policy: str | None = None
        self._beyond = self.region("unfit")
        self._computing = self.region("power")
        self._sending = self.region("session")
        self._pinned: tuple[str, DecodeCurve] | None = None
        self.ghosts = (self.curve("muted", width=1.0), self.curve("muted", width=1.0))
        self._all = self.curve("aggregate")
        self._each = self.curve("session", dash=(5.0, 3.0), below=True)
        self._all_beyond = self.curve("aggregate", width=1.0, dash=(1.0, 3.0))
        self._each_beyond = self.curve("session", width=1.0, dash=(1.0, 3.0), below=True)
        self._floor = self.level("below")
        self._power = self.level("power", at_right=True)
        self._power_beyond = self.note("power")
        self._rate_gate = self.gate("muted")
        self._memory_gate = self.gate("muted")
        self._best_gate = self.gate("serves")
        self._forced_gate = self.gate("text")
        self._pushed_gate = self.gate("below")
        self._floor_at = 0.0
        self._best = self.points("serves", filled=True)
        self._forced = self.points("text", filled=False)
        self.measured = MeasuredPoints(self)
        self.read = self.reading_at
        self.step = lambda batch, direction: batch + direction

    def present(self, evaluation: Evaluation) -> None:
        """Draw the ceilings of the evaluation, or say why there are none."""
        why = why_no_curve(evaluation)
        if why or evaluation.setup is None or evaluation.result is None:
            self._setup = self._decode = None
            self.say(why)
            return
        self.say("")
        self._setup, self._decode = evaluation.setup, evaluation.result.decode
        placed = evaluation.result.placement
        self._policy = None if placed is None else placed.policy
        self._draw(self._setup, evaluation.result)

    def set_measured(self, points: Sequence[Point]) -> None:
        """Measurements to draw with the next evaluation: all sessions together, and each."""
        self.measured.points = tuple(point for point in points if point.phase != "prefill")

    def pin(self, name: str | None) -> None:
        """Keep the curves that are drawn now as thin ghosts under `name`; None drops them."""
        self._pinned = None
        if name is not None and self._setup is not None and self._decode is not None:
            batches = sampled(self._decode.memory_batch or 1)
            self._pinned = (name, curve(self._setup, batches, self._policy))
        self._draw_ghosts()
        self.place_labels()

    def _draw_ghosts(self) -> tuple[float, ...]:
        """Draw what is pinned; returns the rates at its ends."""
        if self._pinned is None:
            for ghost in self.ghosts:
                ghost.clear_values()
            return ()
        name, kept = self._pinned
        total, single = kept.aggregate_tokens_per_s, kept.per_session_tokens_per_s
        self.ghosts[0].show_values(kept.batches, total, name)
        self.ghosts[1].show_values(kept.batches, single)
        return float(total.max()), float(single.min())

    def _draw(self, setup: Setup, result: Result) -> None:
        write, decode = typed.separators(), result.decode
        high = batch_span(result)
        fits = decode.memory_batch or 1
        drawn = curve(setup, ascending(sampled(high), min(fits, high)), self._policy)
        batches = drawn.batches
        total, single = drawn.aggregate_tokens_per_s, drawn.per_session_tokens_per_s
        # In pools of unlike speed what does not fit has no ceiling.
        inside, outside = batches <= fits, (batches >= fits) & np.isfinite(total)
        self._all.show_values(batches[inside], total[inside], tr("all sessions"))
        self._each.show_values(batches[inside], single[inside], tr("each session"))
        self._all_beyond.show_values(batches[outside], total[outside])
        self._each_beyond.show_values(batches[outside], single[outside])
        self._beyond.show_between(fits + 0.5, high * 2.0, tr("does not fit"))
        self._computing.show_between(*compute_bound(drawn), tr("compute takes longer"))
        sending = self._link_bound(setup, batches[inside])
        self._sending.show_between(*sending, tr("the link takes longer"))
        floor = setup.workload.floor_tokens_per_s
        words = tr("floor {rate} tok/s").format(rate=plain(floor, write))
        self._floor.show_at(floor, words, below=single[0] > floor)
        self._show_gates(result, high)
        self._show_points(decode)
        seen = [float(np.nanmax(total)), float(np.nanmin(single)), *self._draw_ghosts()]
        self._floor_at = floor
        if floor > 0:
            seen.append(floor)
        seen += self.measured.show_over_batches(high)
        self._show_power(decode.memory_power_tokens_per_s, seen)
        self.set_span(1, high, min(seen) / 1.3, max(seen) * 1.15)

    def _show_power(self, power: float | None, seen: list[float]) -> None:
        """The memory-power ceiling: a level where it does not flatten the rest, words otherwise."""
        words = tr("memory power {rate} tok/s")
        words = words.format(rate=rate(power or 0.0, typed.separators()))
        near = power is not None and power <= OFF_SCALE * max(seen)
        self._power.show_at(power if near else None, words, below=False)
        self._power_beyond.show_at(None, None, "")
        if power is not None and near:
            seen.append(power)
        elif power is not None:
            if max(seen) == self._floor_at:
                seen.append(ABOVE_FLOOR * max(seen))  # or both names would want one place
            self._power_beyond.show_at(1, max(seen), f"↑ {words}")

    def _link_bound(self, setup: Setup, batches: np.ndarray) -> tuple[float | None, float | None]:
        """From which batch to which the link is what limits; Nones where it never is."""
        made = setup.composition
        if made is None or not batches.size:
            return None, None
        if made.link_bytes_per_s is None or (made.split == "layers" and made.pools != "streamed"):
            return None, None
        bound = batches[limits(setup, batches, self._policy) == "link"]
        return (float(bound[0]), 1.001 * float(bound[-1])) if bound.size else (None, None)

    def _show_gates(self, result: Result, high: int) -> None:
        """A vertical for each limit; limits at the same batch share one."""
        write, decode, placed = typed.separators(), result.decode, result.placement
        pushed = None if placed is None else placed.pushed_out_from_batch
        limits_by_name = {
            tr("best"): (decode.best_batch, self._best_gate),
            tr("memory limit"): (decode.memory_batch, self._memory_gate),
            tr("rate limit"): (rate_limit(result), self._rate_gate),
            tr("forced"): (decode.forced.batch if decode.forced else None, self._forced_gate),
            tr("cache pushes weights out"): (pushed, self._pushed_gate),
        }
        taken: set[int] = set()
        for batch, gate in limits_by_name.values():
            if batch is None or not 1 <= batch <= high or batch in taken:
                gate.show_at(None)
                continue
            taken.add(batch)
            same = [name for name, (other, _) in limits_by_name.items() if other == batch]
            gate.show_at(batch, f"{' = '.join(same)} {number(batch, 0, write)}")

    def _show_points(self, decode: Decode) -> None:
        """The best batch as filled points on both ceilings, a forced one as rings."""
        for points, at, batch in (
            (self._best, decode, decode.best_batch),
            (self._forced, decode.forced, decode.forced.batch if decode.forced else None),
        ):
            if at is None or batch is None:
                points.show_values(())
                continue
            rates = (at.aggregate_tokens_per_s, at.per_session_tokens_per_s)
            points.show_values([(batch, found) for found in rates if found is not None])

    def reading_at(self, x: float) -> Reading | None:
        """What the ceilings say at the whole batch nearest to x; None when nothing is drawn."""
        if self._setup is None or self._decode is None:
            return None
        batch = max(1, round(x))
        found = reading(self._setup, batch, self._policy)
        return found._replace(rows=(*found.rows, *self.measured.rows_at(batch)))


def reading(setup: Setup, batch: int, policy: str | None = None) -> Reading:
    """What the ceilings say at one batch, and which limit binds there."""
    write = typed.separators()
    here = np.array([batch])
    at = curve(setup, here, policy)
    total, each = float(at.aggregate_tokens_per_s[0]), float(at.per_session_tokens_per_s[0])
    sessions = trn("{count} session", "{count} sessions", batch)
    sessions = sessions.format(count=number(batch, 0, write))
    if np.isnan(total):
        return Reading(batch, sessions, ((tr("limit"), tr(LIMITS["capacity"])),))
    rows = [
        (tr("all"), f"{rate(total, write)} tok/s"),
        (tr("each"), f"{rate(each, write)} tok/s"),
        (tr("memory time"), duration(float(at.memory_time_s[0]), write)),
    ]
    if at.compute_time_s is not None:
        rows.append((tr("compute time"), duration(float(at.compute_time_s[0]), write)))
    rows.append((tr("limit"), tr(LIMITS[str(limits(setup, here, policy)[0])])))
    return Reading(batch, sessions, tuple(rows), ((total, "aggregate"), (each, "session")))
