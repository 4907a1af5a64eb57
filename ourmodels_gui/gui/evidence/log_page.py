"""The user's own measurements: those of the scenario, or all; to use, to export, to delete."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ... import paths
from ...files import write_whole
from ...language import english, tr
from ...library.load import Library
from ...measured.check import check
from ...measured.log import Entry, subject_of
from ...measured.points import Form, exported
from ...measured.runs import MeasuredRun
from ...measured.told import conditions_words
from ...problem import BadInput
from ...scenario import Scenario
from ...units import plain, rate
from .. import typed
from ..captions import message, say
from ..consent import may_lose
from ..saving import ask_where
from ..tables import Cell, FigureTable
from ..theme import UNIT
from ..tool_row import ToolRow
from .measurements import Measurements

SUFFIXES: dict[str, Form] = {".csv": "CSV", ".json": "JSON", ".md": "Markdown"}


class LogPage(QWidget):
    """use: the user wants the conditions of this run for the scenario."""

    use = Signal(object)

    def __init__(self, measurements: Measurements, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measurements = measurements
        self._scenario: Scenario | None = None
        self._shown: tuple[Entry, ...] = ()
        self.all = QCheckBox(tr("Of every machine and model"))
        self.all.toggled.connect(lambda _on: self.refresh())
        self.status = message()
        self.table = FigureTable(
            tr("Logged measurements"),
            (
                tr("logged"),
                tr("tok/s"),
                tr("of ceiling"),
                tr("what"),
            ),
            ("2026-12-31", "99.9k", "99.9 %", ""),
            left=(0, 3),
            quiet=(3,),
        )
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._enable())
        self.use_button = self._button(tr("Use these conditions"), self._use)
        self.export_button = self._button(tr("Export\u2026"), self._export)
        self.delete_button = self._button(tr("Delete"), self._delete)
        foot = ToolRow((self.use_button, self.export_button, self.delete_button))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, UNIT, 0, 0)
        layout.addWidget(self.all)
        layout.addWidget(self.status)
        layout.addWidget(self.table, 1)
        layout.addWidget(foot)

    def present(self, scenario: Scenario) -> None:
        """Show the measurements of a scenario, or all where the user asked for them."""
        self._scenario = scenario
        self.refresh()

    def show_also(self, run: MeasuredRun) -> None:
        """Make sure that a run that was just logged is in sight."""
        if all(subject_of(entry.run) != subject_of(run) for entry in self._shown):
            self.all.setChecked(True)

    def refresh(self) -> None:
        if self._scenario is None:
            return
        own = self._measurements.entries
        self._shown = own if self.all.isChecked() else self._measurements.of(self._scenario)
        library = self._measurements.library()
        self.table.present([_row(entry, library, self._scenario) for entry in self._shown])
        words = ""
        if not self._shown:
            words = tr("Nothing is logged for this machine, model and weight format yet.")
            if self.all.isChecked():
                words = tr("Nothing is logged yet.")
        say(self.status, words)
        self._enable()

    def export_to(self, path: Path) -> str:
        """Write what is shown, in the form of the file's suffix; what went wrong, "" for nothing.

        Another suffix than .csv, .json and .md becomes .csv.
        """
        form = SUFFIXES.get(path.suffix.lower())
        target = path if form else path.with_name(f"{path.name}.csv")
        with english():
            text = exported(self._shown, form or "CSV", self._measurements.library())
        try:
            write_whole(target, text.encode())
        except OSError as bad:
            reason = bad.strerror or str(bad)
            return tr("{path} cannot be written: {reason}.").format(path=path, reason=reason)
        return ""

    def _chosen(self) -> tuple[Entry, ...]:
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return tuple(self._shown[row] for row in rows if row < len(self._shown))

    def _own_chosen(self) -> frozenset[str]:
        own = {entry.run.id for entry in self._measurements.entries}
        return frozenset(entry.run.id for entry in self._chosen()) & own

    def _enable(self) -> None:
        self.use_button.setEnabled(len(self._chosen()) == 1)
        self.export_button.setEnabled(bool(self._shown))
        self.delete_button.setEnabled(bool(self._own_chosen()))

    def _use(self) -> None:
        for entry in self._chosen()[:1]:
            self.use.emit(entry.run)

    def _export(self) -> None:
        suggestion = paths.home() / "measurements.csv"
        path = ask_where(self, tr("Export the measurements"), suggestion, SUFFIXES)
        if path is not None and (wrong := self.export_to(path)):
            say(self.status, wrong)

    def _delete(self) -> None:
        ids = self._own_chosen()
        words = tr("Delete {count} of the logged measurements?").format(count=len(ids))
        if not may_lose(self, tr("Delete measurements"), words):
            return
        try:
            self._measurements.remove(ids)
        except BadInput as bad:
            say(self.status, str(bad.problem))

    def _button(self, words: str, does: object) -> QPushButton:
        button = QPushButton(words)
        button.clicked.connect(lambda _checked=False: does())  # type: ignore[operator]
        return button


def _row(entry: Entry, library: Library, scenario: Scenario) -> tuple[Cell, ...]:
    run, write = entry.run, typed.separators()
    limit = check(run, library, scenario=scenario).ceiling
    share = f"{plain(round(100 * limit.ratio, 1), write)} %" if limit else ""
    words = f"{tr(run.phase)}: {conditions_words(run, write)}"
    if named := _names(run):
        words += f"; {named}"
    if run.note:
        words += f"; {run.note}"
    return (
        Cell(entry.logged),
        Cell(rate(run.tokens_per_s, write), run.tokens_per_s),
        Cell(share, limit.ratio if limit else None),
        Cell(words, note=words),
    )


def _names(run: MeasuredRun) -> str:
    parts = (run.machine or run.said.machine, run.model or run.said.model, run.weights)
    return ", ".join(filter(None, parts))
