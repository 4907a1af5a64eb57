"""Memory traffic: the same machine twice, charged for the weights alone and for every read."""

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ...engine.setup import Setup
from ...engine.traffic import Accounting, demand, weights_only, with_reads
from ...evaluation import Evaluation
from ...language import tr
from ...units import number, rate
from .. import typed
from ..answered.cards import SIGNS
from ..captions import instead, say
from ..elided import ElidedLabel
from ..folding import is_narrow
from ..theme import UNIT, sized
from .batches import why_no_curve
from .cells import Contents, contents, nice
from .feasible import Feasible
from .traffic_board import TrafficBoard
from .traffic_controls import Motion, TrafficControls
from .traffic_words import key, left_lines, refusal, right_lines, several_words

FRAME_MS = 33
LONGEST_FRAME_S = 0.1
"""After a longer pause the motion goes on from where it was, instead of jumping ahead."""
LEFT_S, RIGHT_S, QUICKEST_S = 1.0, 6.0, 0.2
"""Wished seconds of an iteration on the screen: of the left board at most, of the right one, and
what the left one may shrink to for the right one to get along."""


def slow_motion(left: Accounting, right: Accounting) -> float:
    """How many times slower than the machine the boards run, a round number; 1 is real time.

    >>> left, right = (Accounting(4, 18e9, 0.0, s, 1.0) for s in (0.0225, 0.14))
    >>> slow_motion(left, right)
    50.0
    """
    wished = max(RIGHT_S / right.iteration_s, QUICKEST_S / left.iteration_s)
    return nice(max(min(wished, LEFT_S / left.iteration_s), 1.0))


class Side(QWidget):
    """One board under its name and its counter, with its arithmetic below."""

    def __init__(self, name: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.board = TrafficBoard(name)
        self.name = ElidedLabel()
        self.name.setFont(sized("text", bold=True))
        self.name.say(name, tip)
        self.counter = QLabel()
        self.counter.setFont(sized("heading"))
        self.rate = ElidedLabel()
        self.lines = (ElidedLabel(), ElidedLabel())
        for line in self.lines:
            line.setFont(sized("caption"))
            line.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        head = QHBoxLayout()
        head.setSpacing(2 * UNIT)
        head.addWidget(self.counter)
        head.addWidget(self.rate, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT // 2)
        layout.addWidget(self.name)
        layout.addLayout(head)
        layout.addWidget(self.board, 1)
        for line in self.lines:
            layout.addWidget(line)

    def present(self, inside: Contents, runs: Accounting | None, lines: tuple[str, str]) -> None:
        self.board.present(inside, runs)
        self.rate.say(
            "" if runs is None else f"{rate(runs.tokens_per_s, typed.separators())} tok/s"
        )
        role = QPalette.ColorRole
        tone = role.BrightText if runs is None else role.PlaceholderText
        for line, words in zip(self.lines, lines, strict=True):
            line.setForegroundRole(tone)
            line.say(words)
        spoken = (self.rate.accessibleName(), *lines)
        self.board.setAccessibleDescription(". ".join(part for part in spoken if part))

    def say(self, words: str) -> None:
        self.board.say(words)
        for label in (self.rate, *self.lines):
            label.say("")

    def show_at(self, runs: Accounting | None, elapsed_s: float, *, still: bool) -> None:
        """The board and its counter after so many seconds of the machine."""
        if runs is None:
            self.counter.setText("")
            self.board.show_progress(0.0)
            return
        if still:
            self.counter.setText("")
            self.board.show_progress(1.0)
            return
        count = number(runs.emitted(elapsed_s), 0, typed.separators())
        self.counter.setText(tr("{count} tokens").format(count=count))
        self.board.show_progress(runs.progress(elapsed_s))


class TrafficTab(QWidget):
    """Two boards in step, the feasible rectangle, and what they are set with.

    Time is the machine's, slowed down; it stands still while the tab is hidden.
    """

    edited = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._waiting: Evaluation | None = None
        self._runs: tuple[Accounting, Accounting] | None = None
        self._factor, self._key = 1.0, ""
        self.elapsed_s = 0.0
        self.left = Side(
            tr("Weights only"),
            tr("The memory-power accounting: an iteration is charged the weights, once."),
        )
        self.right = Side(
            tr("Weights and every context"),
            tr("The KV-aware bound: every session's own context is charged as well."),
        )
        self.left.board.pair_with(self.right.board)
        self.feasible = Feasible()
        head = QLabel(tr("What the memory can serve"))
        head.setFont(sized("text", bold=True))
        self.controls = TrafficControls()
        self.controls.edited.connect(self.edited)
        self.motion = Motion()
        self.motion.changed.connect(self._motion_changed)
        self.motion.stepped.connect(self._step)
        self.key = ElidedLabel(lines=2)
        self.key.setFont(sized("caption"))
        self.key.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._plane = QWidget()
        side = QVBoxLayout(self._plane)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(UNIT)
        side.addWidget(head)
        side.addWidget(self.feasible, 1)
        self._boards = boards = QHBoxLayout()
        boards.setSpacing(4 * UNIT)
        boards.addWidget(self.left, 5)
        boards.addWidget(self.right, 5)
        self._below = below = QGridLayout()
        below.setHorizontalSpacing(4 * UNIT)
        self._fold(narrow=False)
        self.inside = QWidget()
        layout = QVBoxLayout(self.inside)
        layout.setContentsMargins(0, UNIT, 0, UNIT)
        layout.setSpacing(2 * UNIT)
        layout.addLayout(boards, 1)
        layout.addLayout(below)
        self.instead = instead()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.inside)
        whole.addWidget(self.instead)
        self._clock = QElapsedTimer()
        self._timer = QTimer(self, interval=FRAME_MS)
        self._timer.timeout.connect(self._tick)
        if isinstance(program := QGuiApplication.instance(), QGuiApplication):
            # A window that is made small leaves the front, and comes back to it.
            program.applicationStateChanged.connect(self._keep_time)

    def _fold(self, *, narrow: bool) -> None:
        """Place what stands beside the boards and the controls, or below them."""
        self._narrow = narrow
        below, top = self._below, Qt.AlignmentFlag.AlignTop
        self.controls.fold(narrow=narrow)
        if narrow:
            below.addWidget(self._plane, 0, 0, 1, 2)
            below.addWidget(self.controls, 1, 0, 1, 2)
            below.addWidget(self.motion, 2, 0)
            below.addWidget(self.key, 2, 1, top)
        else:
            self._boards.addWidget(self._plane, 3)
            below.addWidget(self.controls, 0, 0, 2, 1)
            below.addWidget(self.motion, 0, 1)
            below.addWidget(self.key, 1, 1, top)
        below.setColumnStretch(0, not narrow)
        below.setColumnStretch(1, narrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if is_narrow(self) != self._narrow:
            self._fold(narrow=is_narrow(self))

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation, and draw it if the tab is in sight."""
        self._waiting = evaluation
        if self.isVisible():
            self._draw()

    @property
    def is_moving(self) -> bool:
        return self._timer.isActive()

    def advance(self, real_s: float) -> None:
        """Let so many seconds pass on the screen."""
        self._show_at(self.elapsed_s + real_s / self._factor)

    def _draw(self) -> None:
        if self._waiting is None:
            return
        evaluation, self._waiting = self._waiting, None
        setup, result = evaluation.setup, evaluation.result
        several = setup is not None and setup.composition is not None
        say(self.instead, several_words() if several else "")
        self.inside.setHidden(several)
        if several or setup is None or result is None:
            self._runs = None
            for side in (self.left, self.right):
                side.say(why_no_curve(evaluation))
            self.feasible.present(None, None)
            self.controls.present(evaluation, 1, 1)
            self._key = ""
        else:
            self._draw_setup(evaluation, setup)
        self._motion_changed()

    def _draw_setup(self, evaluation: Evaluation, setup: Setup) -> None:
        room = contents(setup, 1).room
        sessions = setup.workload.batch or max(room, 1)
        inside = contents(setup, sessions)
        left, right = weights_only(setup, sessions), with_reads(setup, sessions)
        runs = (left, right) if sessions <= room else None
        if runs != self._runs:
            self._runs, self.elapsed_s = runs, 0.0
            self._factor = slow_motion(left, right)
        lines = (left_lines(evaluation, left), right_lines(evaluation, right))
        if runs is None:
            lines = ((f"{SIGNS['unfit']} {refusal(setup, sessions)}", ""),) * 2
        for side, accounting, words in zip(
            (self.left, self.right), runs or (None, None), lines, strict=True
        ):
            side.present(inside, accounting, words)
        self.feasible.present(setup.machine, demand(setup, sessions))
        self.controls.present(evaluation, sessions, room)
        self._key = key(inside, speculates=setup.speculation is not None)

    def _show_at(self, elapsed_s: float) -> None:
        self.elapsed_s = elapsed_s
        still = self.motion.still.isChecked()
        runs = self._runs or (None, None)
        for side, accounting in zip((self.left, self.right), runs, strict=True):
            side.show_at(accounting, elapsed_s, still=still)

    def _tick(self) -> None:
        self.advance(min(self._clock.restart() / 1000, LONGEST_FRAME_S))

    def _step(self) -> None:
        if self._runs is not None:
            whole = round(self.elapsed_s / self._runs[0].iteration_s, 9)
            # A hair beyond the end, so that rounding never leaves the iteration unfinished.
            self._show_at((int(whole) + 1) * self._runs[0].iteration_s * (1 + 1e-12))

    def _motion_changed(self) -> None:
        self.motion.present(runs=self._runs is not None)
        pace = "" if self._runs is None else self.motion.words(self._factor)
        self.key.say("; ".join(part for part in (self._key, pace) if part))
        self._show_at(self.elapsed_s)
        self._keep_time()

    def _keep_time(self) -> None:
        """Run the timer only while there is motion that somebody sees."""
        seen = self.isVisible() and not self.window().isMinimized()
        wanted = self._runs is not None and self.motion.is_running and seen
        if wanted and not self._timer.isActive():
            self._clock.start()
            self._timer.start()
        elif not wanted:
            self._timer.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw()
        self._keep_time()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()
