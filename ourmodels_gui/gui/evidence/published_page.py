"""What published runs reached, beside the ceilings of the scenario and never inside them."""

from collections.abc import Callable
from weakref import ref

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...library.load import Library
from ...measured.evidence import Nearest, evidence, nearest_runs, stands_in_library
from ...measured.runs import Phase
from ...measured.told import BESIDE, WHY_SMALL, conditions_words, evidence_words, source_words
from ...scenario import Scenario
from ...units import exact, plain, rate
from .. import typed
from ..captions import message, say
from ..tables import Cell, FigureTable
from ..theme import UNIT, px
from .measurements import Published
from .quartile_strip import QuartileStrip

PHASES: tuple[Phase, ...] = ("decode", "serving", "prefill")
EACH = 5
TABLE_PX = 90
"""The least height of the runs."""


class PublishedPage(QWidget):
    """Quartiles for each phase and the nearest runs with their conditions and source.

    use: the user wants the conditions of this run for the scenario.
    """

    use = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nearest: list[Nearest | None] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, UNIT, 0, 0)
        layout.setSpacing(2)
        self._shown: tuple[object, ...] = ()
        self._library: Callable[[], Library | None] = lambda: None
        self._published: Published | None = None
        self.words: dict[Phase, QLabel] = {}
        self.strips: dict[Phase, QuartileStrip] = {}
        for phase in PHASES:
            label = QLabel()
            label.setWordWrap(True)
            strip = QuartileStrip()
            strip.setAccessibleName(tr("Published runs, {phase}").format(phase=tr(phase)))
            self.words[phase], self.strips[phase] = label, strip
            layout.addWidget(label)
            layout.addWidget(strip)
        self._note = message()
        layout.addWidget(self._note)
        self.table = FigureTable(
            tr("Nearest published runs"),
            (tr("tok/s"), tr("of ceiling"), tr("run and conditions")),
            ("99.9k", "99.9 %", ""),
            left=(2,),
        )
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._chosen())
        self.table.setMinimumHeight(px(TABLE_PX))
        layout.addWidget(self.table, 1)
        self.source = message()
        self.button = QPushButton(tr("Use these conditions"))
        self.button.setEnabled(False)
        self.button.clicked.connect(self._use)
        foot = QHBoxLayout()
        foot.addWidget(self.source, 1)
        foot.addWidget(self.button)
        layout.addLayout(foot)

    def present(
        self,
        evaluation: Evaluation,
        library: Library,
        published: Published | None,
        checked: dict[Phase, float],
    ) -> None:
        """Show the evidence for a scenario; checked: the ratio of a checked run, by phase."""
        if published is None:
            say(self._note, tr("Reading the published runs\u2026"))
            return
        scenario, work = evaluation.scenario, evaluation.scenario.workload
        near = (scenario.hardware, scenario.model, work.batch, work.read_context_tokens)
        shown = (*near, checked, typed.separators())
        if shown == self._shown and self._library() is library and published is self._published:
            return
        self._shown, self._library, self._published = shown, ref(library), published
        for phase in PHASES:
            found = evidence(scenario.hardware, phase, *published, library)
            words = evidence_words(found, phase, typed.separators())
            if not stands_in_library(scenario.hardware, library):
                words = tr("{phase}: the machine stands in the scenario alone").format(
                    phase=tr(phase)
                )
            self.words[phase].setText(words)
            self.strips[phase].present(found, checked.get(phase))
        say(self._note, f"{tr(BESIDE)} {tr(WHY_SMALL)}")
        self._list(scenario, library, published)

    def _list(self, scenario: Scenario, library: Library, published: Published) -> None:
        rows: list[tuple[Cell, ...]] = []
        self._nearest, heads = [], set()
        for phase in PHASES:
            near = nearest_runs(scenario, phase, *published, library, count=EACH)
            if not near:
                continue
            heads.add(len(rows))
            rows.append((Cell(""), Cell(""), Cell(tr(phase))))
            self._nearest.append(None)
            for one in near:
                rows.append(_row(one, library, source_words(one.run, published.measured)))
                self._nearest.append(one)
        self.table.present(rows, heads)
        self._chosen()

    def _at(self) -> Nearest | None:
        row = self.table.currentIndex().row()
        return self._nearest[row] if 0 <= row < len(self._nearest) else None

    def _chosen(self) -> None:
        chosen = self._at()
        self.button.setEnabled(chosen is not None)
        words = tr("Choose a run to see its source.") if self._nearest else ""
        if chosen is not None and self._published is not None:
            words = source_words(chosen.run, self._published.measured)
            if chosen.run.note:
                words = f"{chosen.run.note}. {words}"
        say(self.source, words)

    def _use(self) -> None:
        if (chosen := self._at()) is not None:
            self.use.emit(chosen.run)


def _row(one: Nearest, library: Library, source: str) -> tuple[Cell, ...]:
    run, write = one.run, typed.separators()
    machine = library.machines[run.machine].name
    model = library.models[run.model].name
    words = tr("{model} {weights} on {machine}: {conditions}")
    if "machine" in one.same:
        words = tr("{model} {weights}: {conditions}")
    words = words.format(
        model=model, weights=run.weights, machine=machine, conditions=conditions_words(run, write)
    )
    percent = f"{plain(round(100 * one.ceiling.ratio, 1), write)} %"
    same = tr("the same: {what}").format(what=", ".join(map(tr, one.same)))
    note = f"{machine}, {model}, {run.weights}\n{conditions_words(run, write)}\n{source}"
    return (
        Cell(rate(run.tokens_per_s, write), run.tokens_per_s),
        Cell(percent, one.ceiling.ratio, exact(one.ceiling.ratio)),
        Cell(words, f"{machine}, {words}", f"{note}\n{same}"),
    )
