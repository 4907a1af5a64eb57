"""Find a machine: what is needed at the left, which machines can meet it at the right."""

from collections.abc import Callable
from pathlib import Path
from weakref import ref

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from ... import paths
from ...evaluation import Evaluation
from ...language import tr
from ...library.load import Library
from ...problem import BadInput
from ...ranking import requirements as files
from ...ranking.requirements import Requirements
from ...ranking.search import Candidate, Found, search
from ...ranking.sheet import Sheet
from .. import typed
from ..background import Request, Worker
from ..elided import ElidedLabel
from ..export import ExportButton
from ..folding import FoldingSplit
from ..plots.pictures import write_or_tell
from ..preferences import Preferences
from ..saving import ask_where
from ..theme import UNIT, sized
from ..tool_row import ToolRow
from .cell_table import CellTable
from .find_form import FindForm
from .found_rows import found_cells, found_sheet, standings
from .rank_bar import tool
from .tray import Tray, mark_of, opening

FORM_PX, LIST_PX = 300, 560
REST_MS = 60
"""A search starts when needs rest: what asked for it is painted before, and the last one counts."""


class FindTab(QWidget):
    """Searches when a need changes, and only while the tab is in sight."""

    edited = Signal(dict)
    report_asked = Signal()

    def __init__(
        self,
        library: Callable[[], Library],
        preferences: Preferences,
        tray: Tray,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._preferences, self._tray = library, preferences, tray
        self._evaluation: Evaluation | None = None
        self._is_stale = True
        self._offered: Callable[[], Library | None] = lambda: None
        self._file: Path | None = None
        self.found: Found | None = None
        self._rows: list[tuple[str, Candidate]] = []
        self.form = FindForm()
        self.form.changed.connect(self._changed)
        self.list = CellTable(
            tr("Machines that meet the needs, then the nearest misses"), ticked=self._is_marked
        )
        self.list.opened.connect(self._open)
        self.list.marked.connect(self._mark)
        tray.changed.connect(self.list.show_ticks)
        self.list.copied.connect(lambda: self.export.copy("CSV"))
        self.list.selectionModel().currentChanged.connect(lambda *_: self._tell())
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.words.setAccessibleName(tr("What the lists are worth"))
        self.count = QLabel()
        self.count.setWordWrap(True)
        self.count.setFont(sized("text", bold=True))
        self.note = ElidedLabel(lines=2)
        self.note.setFont(sized("caption"))
        self._build()
        self._searching = Worker(self)
        self._searching.done.connect(self._show)
        self._searching.failed.connect(self._failed)
        self._timer = QTimer(self, singleShot=True, interval=REST_MS)
        self._timer.timeout.connect(self._search)
        preferences.prices_changed.connect(self._changed)

    def _build(self) -> None:
        self.take = tool(
            tr("From the workload"), tr("Take contexts, floor and prompt of the scenario")
        )
        self.take.clicked.connect(self._take)
        self.open = tool(tr("Open…"), tr("Open a requirements file"))
        self.open.clicked.connect(self.ask_and_open)
        self.save = tool(tr("Save…"), tr("Save the needs as a file"))
        self.save.clicked.connect(self.ask_and_save)
        self.export = ExportButton(self.sheet, lambda: None, tr("Machines"), report=self.subject)
        self.export.report_asked.connect(self.report_asked)
        left, right = QWidget(), QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, UNIT, 0)
        column.addWidget(self.form, 1)
        column.addWidget(ToolRow((self.take, self.open, self.save)))
        column = QVBoxLayout(right)
        column.setContentsMargins(UNIT, 0, 0, 0)
        column.setSpacing(UNIT)
        head = QHBoxLayout()
        head.addWidget(self.count, 1)
        head.addWidget(self.export, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        column.addWidget(self.note)
        self.words.setFont(sized("caption"))
        column.addWidget(self.words)
        split = FoldingSplit(left, right, (FORM_PX, LIST_PX), (0, 1))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * UNIT, 0, UNIT)
        layout.addWidget(split)

    # Searching

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation; a new model, or a new library, is searched for when in sight."""
        first = self._evaluation is None
        self._evaluation = evaluation
        followed = self.form.follow(evaluation.scenario, self._context())
        if first:
            self._take()
        elif followed or self._offered() is not self._library():
            self._changed()

    def _take(self) -> None:
        if self._evaluation is not None:
            self.form.take(self._evaluation.scenario, self._context())

    def _context(self) -> int | None:
        """What a session reserves, within the model's limit."""
        setup = self._evaluation.setup if self._evaluation else None
        return None if setup is None else setup.workload.reserved_context_tokens

    def _changed(self) -> None:
        self._is_stale = True
        if self.isVisible():
            self.count.setText(tr("Searching …"))
            self._timer.start(REST_MS)

    def _search(self) -> None:
        self._is_stale = False
        library, settings = self._library(), self._preferences.settings
        if self._offered() is not library:
            self._offered = ref(library)
            self.form.offer(library)
        self.form.show_values(settings)
        needs = self.form.needs()
        if needs is None:
            self._searching.cancel()
            self._nothing(tr("These needs contradict each other; see the field at the left."))
            return
        self.count.setText(tr("Searching …"))
        if self.found is None:
            self.words.setText("")

        def searched(_request: Request) -> Found:
            return search(library, needs, settings)

        self._searching.ask(searched)

    def _failed(self, error: Exception) -> None:
        if isinstance(error, BadInput):
            key, message = error.problem.key, error.problem.message
            self._nothing(message)
            self.form.refuse(key.partition(".")[0], message)
        else:
            self._nothing(tr("The search failed: {reason}").format(reason=error))

    def _nothing(self, words: str) -> None:
        self.found, self._rows = None, []
        self.list.present((), [])
        self.count.setText("")
        self.note.say("")
        self.words.setText(words)

    # Showing

    def _show(self, found: Found) -> None:
        self.found = found
        self._rows = standings(found)
        self.list.present(*found_cells(self._rows, self._preferences.settings.currency))
        self.count.setText(
            tr("{meets} meet them, {unknown} might, {misses} nearest misses").format(
                meets=len(found.meets), unknown=len(found.unknown), misses=len(found.misses)
            )
        )
        self.words.setText(" ".join(found.said))
        self._tell()

    def _say(self, why: str) -> None:
        self.note.setForegroundRole(QPalette.ColorRole.BrightText)
        self.note.say(why)

    def _tell(self) -> None:
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        row = self.list.currentIndex().row()
        if 0 <= row < len(self._rows):
            one = self._rows[row][1]
            said = "; ".join(check.said(typed.separators()) for check in one.checks)
            self.note.say(f"{one.machine.name}: {said}")
        else:
            self.note.say(tr("Figures are headroom: 1.5× is half as much again as needed."))  # noqa: RUF001

    def subject(self) -> Requirements | None:
        """The needs, for a report on the machines that meet them."""
        return None if self.found is None else self.form.needs()

    def sheet(self) -> Sheet | None:
        """Every machine of the lists, with headroom and what is missing."""
        if self.found is None:
            return None
        return found_sheet(self._rows, self._preferences.settings.currency)

    # What is done with a machine

    def _is_marked(self, row: int) -> bool:
        """Whether the machine of a row is marked for comparison."""
        return self._tray.holds(mark_of(self._rows[row][1].scenario))

    def _open(self, row: int) -> None:
        """Go to the machine, at the contexts and the rate that it was found for."""
        needs = self.form.needs()
        if self._evaluation is None or needs is None:
            return
        work = needs.workload
        self.edited.emit(
            opening(self._rows[row][1].scenario, self._evaluation.scenario)
            | {
                "workload.reserved_context_tokens": work.reserved_context_tokens,
                "workload.read_context_tokens": work.read_context_tokens,
                "workload.read_context_fraction": None,
                "workload.floor_tokens_per_s": needs.tokens_per_s_each or 0.0,
            }
        )

    def _mark(self, row: int) -> None:
        self._tray.toggle(mark_of(self._rows[row][1].scenario))

    # Files

    def ask_and_open(self) -> None:
        """Ask for a requirements file and show it."""
        name, _ = QFileDialog.getOpenFileName(
            self,
            tr("Open requirements"),
            str(self._file or paths.home()),
            tr("Requirements (*.json);;All files (*)"),
        )
        if name:
            self.open_file(Path(name))

    def open_file(self, path: Path) -> None:
        """Show a requirements file, or say what is wrong with it."""
        try:
            needs: Requirements = files.read_file(path)
        except BadInput as bad:
            self._say(str(bad))
            return
        except OSError as error:
            reason = error.strerror or str(error)
            self._say(tr("{path} cannot be read: {reason}.").format(path=path, reason=reason))
            return
        self._file = path
        self.form.open(needs)

    def ask_and_save(self) -> None:
        """Ask for a file and write the needs."""
        needs = self.form.needs()
        if needs is None:
            return
        suggestion = self._file or paths.home() / "requirements.json"
        kinds = {".json": tr("Requirements")}
        path = ask_where(self, tr("Save requirements"), suggestion, kinds)
        if path is not None and write_or_tell(path, files.write(needs), self):
            self._file = path

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._timer.start(0)
