"""Ceiling against reality: check a measurement, see what others reached, keep one's own."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...measured.check import Check, conditions
from ...measured.paste import Reading
from ...measured.runs import MeasuredRun, Phase
from ...problem import BadInput
from ..captions import say
from ..folding import FoldingSplit, Scrolled
from ..theme import UNIT
from .check_input import CheckInput
from .check_page import CheckPage
from .log_page import LogPage
from .measurements import Measurements
from .published_page import PublishedPage

INPUT_PX, PAGES_PX = 350, 510


class EvidenceTab(QWidget):
    """At the left a measurement, at the right its check, the published runs and the log.

    Nothing here changes a ceiling. "Use these conditions" edits the scenario, as one step.
    """

    edited = Signal(dict)

    def __init__(self, measurements: Measurements, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measurements = measurements
        self._evaluation: Evaluation | None = None
        self._stale = False
        self._ratios: dict[Phase, float] = {}
        self.input = CheckInput(measurements.library)
        self.check = CheckPage()
        self.published = PublishedPage()
        self.log = LogPage(measurements)
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.addTab(Scrolled(self.published, sideways=False), tr("Published runs"))
        self.pages.addTab(self.check, tr("Check"))
        self.pages.addTab(self.log, tr("Your measurements"))
        split = FoldingSplit(self.input, self.pages, (INPUT_PX, PAGES_PX), (0, 1))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, UNIT, 0, UNIT)
        layout.addWidget(split)
        self.input.checked.connect(self._checked)
        self.input.log.connect(self._log)
        for part in (self.input, self.published, self.log):
            part.use.connect(self._use)
        measurements.changed.connect(self._draw)
        self.check.present(None, None)

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation, and draw it if the tab is in sight."""
        self._evaluation, self._stale = evaluation, True
        if self.isVisible():
            self._draw()

    def _draw(self) -> None:
        if self._evaluation is None or not self.isVisible():
            return
        self._stale = False
        self.input.present(self._evaluation)
        self._show_published()
        self.log.present(self._evaluation.scenario)

    def _show_published(self) -> None:
        if self._evaluation is not None:
            self.published.present(
                self._evaluation,
                self._measurements.library(),
                self._measurements.published(),
                self._ratios,
            )

    def _checked(self, checked: Check | None, reading: Reading | None) -> None:
        before = self._ratios
        self._ratios = {}
        if checked is not None and checked.ceiling is not None:
            self._ratios = {checked.run.phase: checked.ceiling.ratio}
        self.check.present(checked, reading)
        if self._ratios != before:
            self._show_published()
            if self._ratios:
                self.pages.setCurrentWidget(self.check)
        elif reading is not None and reading.unread and not reading.runs:
            self.pages.setCurrentWidget(self.check)

    def _log(self, run: MeasuredRun) -> None:
        try:
            self._measurements.add(run)
        except BadInput as bad:
            say(self.input.status, str(bad.problem))
            return
        self.log.show_also(run)
        self.pages.setCurrentWidget(self.log)

    def _use(self, run: MeasuredRun) -> None:
        if self._evaluation is None:
            return
        try:
            self.edited.emit(
                conditions(run, self._measurements.library(), self._evaluation.scenario)
            )
        except KeyError:
            say(self.input.status, tr("Its machine or model is not in the library any more."))
        except BadInput as bad:
            say(self.input.status, str(bad.problem))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._draw()
