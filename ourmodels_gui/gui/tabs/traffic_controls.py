"""What the boards of memory traffic are set with: sessions, the two contexts, and the motion."""

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStyle,
    QWidget,
)

from ... import units
from ...engine.setup import Setup
from ...evaluation import Evaluation
from ...language import tr
from .. import typed
from ..asked.contexts import FOLLOWED_SHARE, READ, RESERVED, SHARE, context_edit, follow_edit
from ..fields import NumberField
from ..log_slider import LogSlider
from ..theme import UNIT, px
from .batches import sampled
from .concurrency import KEY as BATCH
from .concurrency import BatchSlider, at_least_one

LEAST_TOKENS, MOST_TOKENS = 256, 1_048_576
FIELD_PX, SHARE_PX, SLIDER_PX = 132, 56, 48


class TrafficControls(QWidget):
    """Sliders with their fields, that edit the scenario as the form does."""

    edited = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._read = self._rows = 0
        self._last: dict[int, QWidget] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(2 * UNIT)
        self._grid.setVerticalSpacing(UNIT)
        self._grid.setColumnStretch(2, 1)
        self.sessions = BatchSlider()
        self.sessions.chosen.connect(lambda batch: self.edited.emit({BATCH: batch}))
        self.batch = NumberField(at_least_one, typed.show)
        self.batch.committed.connect(lambda batch: self.edited.emit({BATCH: batch}))
        self.maximise = QPushButton(tr("Maximise"))
        self.maximise.setAccessibleName(tr("Maximise the sessions"))
        self.maximise.setToolTip(tr("As many sessions as the memory holds"))
        self.maximise.clicked.connect(lambda: self.edited.emit({BATCH: None}))
        self._row(
            tr("Sessions"),
            tr("Sessions that run at once. Empty is as many as the memory holds."),
            self.batch,
            self.sessions,
            self.maximise,
        )
        contexts = (LEAST_TOKENS, MOST_TOKENS)
        self.reserved, self.reserved_slider = self._context(RESERVED, contexts)
        self._row(
            tr("Reserved"),
            tr("Context that each session may grow to: it decides how many sessions fit."),
            self.reserved,
            self.reserved_slider,
        )
        self.read, self.read_slider = self._context(READ, contexts)
        self._row(
            tr("Read"),
            tr("Context that a session holds now: all of it is read for each new token."),
            self.read,
            self.read_slider,
            self._build_follow(),
        )

    def _build_follow(self) -> QWidget:
        self.follow = QCheckBox(tr("follows, at"))
        self.follow.setAccessibleName(tr("Read follows the reserved"))
        self.follow.setToolTip(
            tr(
                "The read context is this share of the reserved one, and at most 32,768 tokens "
                "less than it."
            )
        )
        self.follow.clicked.connect(lambda on: self.edited.emit(follow_edit(on)))
        self.share = NumberField(_share, typed.show)
        self.share.setAccessibleName(tr("Share read"))
        self.share.setToolTip(tr("Share of the reserved context that is read, from 0 to 1."))
        self.share.setFixedWidth(px(SHARE_PX))
        self.share.committed.connect(lambda value: self.edited.emit({SHARE: value}))
        self.share.refused.connect(self.share.setToolTip)
        both = QWidget()
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.follow)
        row.addWidget(self.share)
        return both

    def _context(self, key: str, span: tuple[float, float]) -> tuple[NumberField, LogSlider]:
        field = NumberField(typed.whole, typed.show, tr("tokens"))
        slider = LogSlider(*span)
        for part in (field, slider):
            part.committed.connect(
                lambda value: self.edited.emit(context_edit(key, value, self._read))
            )
        return field, slider

    def _row(
        self,
        label: str,
        tip: str,
        field: NumberField,
        slider: BatchSlider | LogSlider,
        last: QWidget | None = None,
    ) -> None:
        row = self._rows
        self._rows += 2
        name = QLabel(label)
        name.setBuddy(field)
        field.setFixedWidth(px(FIELD_PX))
        field.refused.connect(field.setToolTip)
        field.setAccessibleName(label)
        slider.setAccessibleName(tr("{label}, slider").format(label=label))
        slider.setMinimumWidth(SLIDER_PX)
        for part in (name, field, slider):
            part.setToolTip(tip)
        for column, part in enumerate((name, field, slider)):
            self._grid.addWidget(part, row, column)
        if last is not None:
            self._last[row] = last

    def fold(self, *, narrow: bool) -> None:
        """Put what stands behind a slider there, or below it."""
        left = Qt.AlignmentFlag.AlignLeft
        for row, last in self._last.items():
            if narrow:
                self._grid.addWidget(last, row + 1, 1, 1, 2, left)
            else:
                self._grid.addWidget(last, row, 3, left)

    def present(self, evaluation: Evaluation, sessions: int, room: int) -> None:
        """Show the scenario's values, the resolved ones in muted text where they are defaults."""
        setup, chosen = evaluation.setup, evaluation.scenario.workload
        self.setEnabled(setup is not None)
        if setup is None:
            return
        self._read = chosen.read_context_tokens or 0
        self._present_contexts(setup, chosen)
        self.sessions.offer(sampled(max(8, 2 * room, sessions)).tolist())
        self.sessions.present(sessions)
        self.batch.present(setup.workload.batch, max(room, 1))
        self.maximise.setEnabled(setup.workload.batch is not None)

    def _present_contexts(self, setup: Setup, chosen: Any) -> None:
        work = setup.workload
        limit = setup.model.max_context_tokens or MOST_TOKENS
        self.reserved_slider.set_high(limit)
        self.read_slider.set_high(work.reserved_context_tokens)
        for field, slider, value, default in (
            (
                self.reserved,
                self.reserved_slider,
                chosen.reserved_context_tokens,
                work.reserved_context_tokens,
            ),
            (self.read, self.read_slider, chosen.read_context_tokens, work.read_context_tokens),
        ):
            field.present(value, default)
            slider.present(value, default)
        follows = chosen.read_context_fraction is not None
        self.follow.setChecked(follows)
        self.share.setEnabled(follows)
        self.share.present(chosen.read_context_fraction, FOLLOWED_SHARE)


class Motion(QWidget):
    """Run or pause, one step, or a still picture.

    Where the desktop has animations switched off, the picture is still to begin with.
    """

    changed = Signal()
    stepped = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pause = QPushButton(tr("Pause"))
        self.pause.setCheckable(True)
        self.pause.setToolTip(tr("Hold the boards where they are"))
        self.step = QPushButton(tr("Step"))
        self.step.setAccessibleName(tr("Step one iteration"))
        self.step.setToolTip(tr("Go on by one iteration of the left board, then hold"))
        self.still = QCheckBox(tr("Still picture"))
        self.still.setToolTip(
            tr("No motion: the boards show all the cells that one iteration moves")
        )
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        self.still.setChecked(self.style().styleHint(hint) == 0)
        self.pause.toggled.connect(self._toggled)
        self.still.toggled.connect(self._toggled)
        self.step.clicked.connect(self._step)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(2 * UNIT)
        grid.setVerticalSpacing(UNIT)
        grid.addWidget(self.pause, 0, 0)
        grid.addWidget(self.step, 0, 1)
        grid.addWidget(self.still, 1, 0, 1, 2)

    @property
    def is_running(self) -> bool:
        return not (self.pause.isChecked() or self.still.isChecked())

    def present(self, *, runs: bool) -> None:
        """Offer to pause and to step where something runs."""
        for part in (self.pause, self.step):
            part.setEnabled(runs and not self.still.isChecked())

    def words(self, factor: float) -> str:
        """How slow the boards are, for people."""
        if self.still.isChecked():
            return tr("the cells of one iteration")
        if factor == 1:
            return tr("in real time")
        count = units.number(factor, 0, typed.separators())
        return tr("slow motion, {count} times slower").format(count=count)

    def _step(self) -> None:
        self.pause.setChecked(True)
        self.stepped.emit()

    def _toggled(self) -> None:
        self.pause.setText(tr("Run") if self.pause.isChecked() else tr("Pause"))
        self.changed.emit()


def _share(text: str) -> float:
    share = typed.number(text)
    if not 0 <= share <= 1:
        raise ValueError(tr("write a share from 0 to 1"))
    return share
