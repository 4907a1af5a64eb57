"""The one current scenario and the library, each replaced whole; earlier scenarios are undo."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from ..library.load import Library
from ..scenario import Scenario, edited

MERGE_S = 0.8
MOST_STEPS = 1000
"""The oldest edit beyond these cannot be taken back."""


class _Step(NamedTuple):
    """A scenario to return to, and the keys that differ from it."""

    scenario: Scenario
    keys: tuple[str, ...]


class Store(QObject):
    """Holds what was chosen and what can be chosen; says so when either is replaced."""

    changed = Signal()

    def __init__(
        self,
        scenario: Scenario,
        library: Library,
        *,
        clock: Callable[[], float] = time.monotonic,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.scenario = scenario
        self.library = library
        self._clock = clock
        self._undo: deque[_Step] = deque(maxlen=MOST_STEPS)
        self._redo: deque[_Step] = deque(maxlen=MOST_STEPS)
        self._edited_at = -MERGE_S

    def edit(self, changes: dict[str, Any]) -> None:
        """Replace the scenario by one with `changes`, by path of the scenario file; None removes.

        An edit that changes nothing is none: no undo step, no signal. Numbers of the same keys in
        quick succession, such as a dragged slider's, are one undo step.
        Raises BadInput, and changes nothing, when the values cannot stand in a scenario.
        """
        after = edited(self.scenario, changes)
        if after == self.scenario:
            return
        now = self._clock()
        keys = tuple(sorted(changes))
        merges = (
            self._undo
            and self._undo[-1].keys == keys
            and now - self._edited_at < MERGE_S
            and all(isinstance(value, int | float) for value in changes.values())
        )
        if not merges:
            self._undo.append(_Step(self.scenario, keys))
        self._edited_at = now
        self._redo.clear()
        self.scenario = after
        self.changed.emit()

    def open(self, scenario: Scenario) -> None:
        """Start from another scenario; earlier ones are forgotten."""
        self._undo.clear()
        self._redo.clear()
        self.scenario = scenario
        self.changed.emit()

    def set_library(self, library: Library) -> None:
        self.library = library
        self.changed.emit()

    def undo(self) -> None:
        self._step(self._undo, self._redo)

    def redo(self) -> None:
        self._step(self._redo, self._undo)

    def undo_keys(self) -> tuple[str, ...]:
        """Keys that `undo` would take back; empty when there is nothing to take back."""
        return self._undo[-1].keys if self._undo else ()

    def redo_keys(self) -> tuple[str, ...]:
        return self._redo[-1].keys if self._redo else ()

    def _step(self, source: deque[_Step], target: deque[_Step]) -> None:
        if not source:
            return
        step = source.pop()
        target.append(_Step(self.scenario, step.keys))
        self.scenario = step.scenario
        self._edited_at = -MERGE_S
        self.changed.emit()
