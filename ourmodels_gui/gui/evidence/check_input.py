"""Where a measurement comes in: pasted, opened or typed, and completed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import ref

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ... import paths
from ...engine.setup import Setup
from ...evaluation import Evaluation
from ...language import tr
from ...library.load import Library
from ...library.lookup import hardware_in_use
from ...measured import paste
from ...measured.check import Check, check
from ...measured.composition import taken_over
from ...measured.log import subject
from ...measured.paste import Reading
from ...measured.runs import MeasuredRun, Said
from ...scenario import Scenario
from .. import typed
from ..background import Worker
from ..captions import message, say
from ..fields import ChoiceField
from ..folding import Scrolled
from ..theme import GROUP_GAP, UNIT, px
from ..tool_row import ToolRow
from .check_form import TYPED, CheckForm, answers_of, fault_of
from .paste_box import PasteBox

MOST_LISTED = 200
FORM_PX = 120
"""The height of the first fields."""
BOX_PX = 300
"""The width in which a pasted line can be told."""


class CheckInput(QWidget):
    """checked: the check after every change, or None, and the reading of what was pasted.

    log: the user wants these runs logged. use: or their conditions for the scenario.
    """

    checked = Signal(object, object)
    log = Signal(object)
    use = Signal(object)

    def __init__(self, library: Callable[[], Library], parent: QWidget | None = None) -> None:
        """library: the one in use."""
        super().__init__(parent)
        self._library = library
        self._offered: Callable[[], Library | None] = lambda: None
        self._scenario: Scenario | None = None
        self._setup: Setup | None = None
        self._reading: Reading | None = None
        self._run: MeasuredRun = TYPED
        self._changes: dict[str, Any] = {}
        self._check: Check | None = None
        self._worker = Worker(self)
        self._worker.done.connect(self._read)
        self._worker.failed.connect(self._unreadable)
        self.box = PasteBox()
        self.box.setFixedHeight(px(76))
        self.box.setMinimumWidth(px(BOX_PX))
        self.box.given.connect(self._given)
        self.status = message()
        self.which = ChoiceField()
        self.which.setAccessibleName(tr("Which of the measurements that were read"))
        self.which.committed.connect(self._choose)
        self.which.hide()
        self.form = CheckForm()
        self.form.edited.connect(self._edited)
        self.open_button = self._button(tr("Open\u2026"), self._open)
        self.clear_button = self._button(tr("Clear"), self.clear)
        self.fill_button = self._button(tr("From the scenario"), self._fill)
        self.fill_button.setToolTip(
            tr("Machine, model, weights, sessions and contexts of the scenario, if missing.")
        )
        self.log_button = self._button(tr("Log it"), self._log)
        self.use_button = self._button(tr("Use these conditions"), self._use)
        self.use_button.setToolTip(
            tr("Give the scenario the conditions of this measurement; undo takes it back.")
        )
        self._build()
        self._show()

    def _build(self) -> None:
        inside = QWidget()
        page = QVBoxLayout(inside)
        page.setContentsMargins(0, 0, GROUP_GAP, 0)
        page.addWidget(self.form)
        page.addStretch(1)
        scroll = Scrolled(inside, sideways=False)
        scroll.setMinimumHeight(px(FORM_PX))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, UNIT, 0)
        layout.setSpacing(UNIT + 2)
        layout.addWidget(self.box)
        layout.addWidget(ToolRow((self.open_button, self.clear_button, self.fill_button)))
        layout.addWidget(self.status)
        layout.addWidget(self.which)
        layout.addWidget(scroll, 1)
        layout.addWidget(ToolRow((self.use_button, self.log_button)))

    def present(self, evaluation: Evaluation) -> None:
        """The scenario to take missing parts from; what can be named is the library in use."""
        library = self._library()
        self._scenario, self._setup = evaluation.scenario, evaluation.setup
        if self._offered() is not library:
            self._offered = ref(library)
            self.form.offer(library)
        self._show()

    def clear(self) -> None:
        """Nothing is measured."""
        self._worker.cancel()
        self.box.clear()

    def _given(self, what: str | Path) -> None:
        """Read beside the window; a newer text stops the reading of an older one."""
        if not what:
            self._worker.cancel()
            self._take(None)
            return
        say(self.status, tr("Reading\u2026"))
        self._worker.ask(lambda request: _reading(what, request.stop))

    def _read(self, reading: Reading) -> None:
        self._take(reading)

    def _unreadable(self, error: Exception) -> None:
        self._take(None)
        reason = getattr(error, "strerror", None) or str(error)
        say(self.status, tr("It cannot be read: {reason}.").format(reason=reason))

    def _take(self, reading: Reading | None) -> None:
        self._reading, self._changes = reading, {}
        runs = reading.runs if reading else ()
        self._run = runs[0] if runs else TYPED
        self.which.offer([(run.id, _title(run)) for run in runs[:MOST_LISTED]])
        self.which.present(self._run.id)
        self.which.setVisible(len(runs) > 1)
        words = ""
        if reading is not None:
            local = self.locale()
            words = tr("{runs} measurements read").format(runs=local.toString(len(runs)))
            if len(runs) == 1:
                words = tr("1 measurement read")
            missed = len(reading.unread) + reading.more_unread
            if missed:
                words += tr(", {missed} things not understood").format(
                    missed=local.toString(missed)
                )
            if len(runs) > MOST_LISTED:
                words += tr("; the first {most} are listed").format(most=MOST_LISTED)
        say(self.status, words)
        self._show()

    def _choose(self, id_: str) -> None:
        assert self._reading is not None
        self._run = next(run for run in self._reading.runs if run.id == id_)
        self._show()

    def _edited(self, changes: dict[str, Any]) -> None:
        key, wrong = fault_of(changes)
        if key:
            self.form.keep_text(key, self._changes.get(key))
            self.form.refuse(key, wrong, until_retyped=True)
            return
        self._changes |= changes
        if "model" in changes:
            self._changes.pop("weights", None)
        self._show()

    def _fill(self) -> None:
        """Machine, model, weights and lengths from the scenario, where they are missing."""
        if self._scenario is None:
            return
        library = self._library()
        scenario, run = self._scenario, self._check.run if self._check else self._run
        said = run.said
        machine, model, weights = subject(scenario, library)
        wanted: dict[str, Any] = {}
        if machine in library.machines:
            wanted["machine"] = machine
        taken = taken_over(run, hardware_in_use(scenario.hardware, library))
        if model in library.models:
            wanted |= {"model": model, "weights": weights}
        by_id = "machine" in wanted or "machine" in taken or bool(run.machine)
        named = Said("" if by_id else machine, "" if "model" in wanted else model, "")
        if not (said.model or said.machine) and named != Said("", "", ""):
            self._run = msgspec.structs.replace(self._run, said=named)
        setup = self._setup
        if setup is not None and not (said.model or said.machine):
            if run.phase != "prefill":
                wanted["batch"] = setup.workload.batch
                wanted["depth_tokens"] = int(setup.workload.read_context_tokens)
            elif setup.prompt is not None:
                wanted["prompt_tokens"] = setup.prompt.prompt_tokens
                wanted["depth_tokens"] = setup.prompt.cached_prefix_tokens
        self._changes |= {
            key: value
            for key, value in wanted.items()
            if value is not None and not getattr(run, key)
        } | taken
        self._show()

    def _show(self) -> None:
        rated = self._run is not TYPED and self._run.source != "typed"
        rated = rated or self._changes.get("tokens_per_s") is not None
        if self._scenario is not None:
            library = self._library()
            self._check = check(self._run, library, answers_of(self._changes), self._scenario)
            self.form.present_check(self._check, library, rated=rated)
        ready = rated and self._check is not None
        here = ready and self._check is not None and not self._check.missing
        self.log_button.setEnabled(here)
        self.use_button.setEnabled(here and self._check is not None and not self._check.refused)
        self.checked.emit(self._check if ready else None, self._reading)

    def _log(self) -> None:
        if self._check is not None:
            self.log.emit(self._check.run)

    def _use(self) -> None:
        if self._check is not None:
            self.use.emit(self._check.run)

    def _open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Open the output of a benchmark"), str(paths.home())
        )
        if name:
            self.box.show_file(Path(name))

    def _button(self, words: str, does: Any) -> QPushButton:
        button = QPushButton(words)
        button.clicked.connect(lambda _checked=False: does())
        return button


def _reading(what: str | Path, stop: Callable[[], bool]) -> Reading:
    return paste.read_file(what, stop) if isinstance(what, Path) else paste.read(what, stop)


def _title(run: MeasuredRun) -> str:
    tokens = run.prompt_tokens if run.phase == "prefill" else run.generated_tokens
    length = f" {typed.show(tokens)}" if tokens else ""
    depth = f" @ {typed.show(run.depth_tokens)}" if run.depth_tokens else ""
    sessions = f" x {run.batch}" if run.batch and run.batch > 1 else ""
    model = f"  {run.said.model}" if run.said.model else ""
    return f"{tr(run.phase)}{length}{depth}{sessions}: {typed.show(run.tokens_per_s)} tok/s{model}"
