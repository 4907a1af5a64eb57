"""Measurements in the window: published ones with their ceilings, and the user's own log."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QObject, Signal

from ...evaluation import Evaluation
from ...library.load import Library
from ...measured import log, runs
from ...measured.log import Entry, Log
from ...measured.points import Point, point
from ...measured.proof import Held, held
from ...measured.runs import MeasuredRun, MeasuredSet
from ...scenario import Scenario
from ..background import Request, Worker

EXAMPLES = "comparisons.json"
"""Runs that belong to shipped example scenarios, in the form of the log."""


class Published(NamedTuple):
    """The published runs and the ceilings of those that have one."""

    measured: MeasuredSet
    ceilings: Held


class Measurements(QObject):
    """Reads the published runs once, beside the window, and keeps the log.

    changed: the log is another, or the published runs have arrived. told: a sentence for the user.
    Parameters: library, asked for each time since it may be replaced; catalog and user, folders.
    """

    changed = Signal()
    told = Signal(str)

    def __init__(
        self, library: Callable[[], Library], catalog: Path, user: Path, parent: QObject | None
    ) -> None:
        super().__init__(parent)
        self.library = library
        self._catalog, self._user = catalog, user
        self._published: Published | None = None
        self._log: Log | None = None
        self._shipped: tuple[Entry, ...] | None = None
        self._worker = Worker(self)
        self._worker.done.connect(self._arrived)
        self._worker.failed.connect(lambda bad: self.told.emit(str(bad)))

    def published(self) -> Published | None:
        """The published runs; None until they are read, and `changed` then says so."""
        if self._published is None and not self._worker.is_busy:
            catalog, library = self._catalog, self.library()

            def read(_request: Request) -> Published:
                measured = known(runs.load(catalog), library)
                return Published(measured, held(measured, library))

            self._worker.ask(read)
        return self._published

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The user's own, oldest first."""
        if self._log is None:
            self._log = log.load(self._user)
            if self._log.notice:
                self.told.emit(self._log.notice)
        return self._log.entries

    def add(self, *measured: MeasuredRun) -> None:
        """Log runs. Raises BadInput when they cannot be written."""
        self._log = log.add(self._user, measured, date.today().isoformat())
        self.changed.emit()

    def remove(self, ids: frozenset[str]) -> None:
        """Delete runs of the log. Raises BadInput when it cannot be written."""
        self._log = log.remove(self._user, ids)
        self.changed.emit()

    def of(self, scenario: Scenario) -> tuple[Entry, ...]:
        """The measurements of a scenario's machine, model and weights: the user's, and those of a
        shipped example."""
        about = log.subject(scenario, self.library())
        return tuple(
            entry
            for entry in (*self._examples(), *self.entries)
            if log.subject_of(entry.run) == about
        )

    def points(self, evaluation: Evaluation) -> tuple[Point, ...]:
        """The same as points for the plots."""
        setup = evaluation.setup
        if setup is None:
            return ()
        read = setup.workload.read_context_tokens
        cached = setup.prompt.cached_prefix_tokens if setup.prompt else 0
        return tuple(
            point(entry.run, cached if entry.run.phase == "prefill" else read)
            for entry in self.of(evaluation.scenario)
        )

    def _examples(self) -> tuple[Entry, ...]:
        if self._shipped is None:
            self._shipped, _ = log.read((self._catalog / "measured" / EXAMPLES).read_bytes())
        return self._shipped

    def _arrived(self, published: Published) -> None:
        self._published = published
        self.changed.emit()


def known(measured: MeasuredSet, library: Library) -> MeasuredSet:
    """The runs without those of a machine or model whose file could not be read."""
    kept = {
        id_: run
        for id_, run in measured.runs.items()
        if (not run.machine or run.machine in library.machines)
        and (not run.model or run.model in library.models)
    }
    return msgspec.structs.replace(measured, runs=kept)
