"""Cache formats side by side: what each means for the scenario, and a button that chooses it."""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

from msgspec import structs
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from ...engine.capacity import capacity
from ...engine.decode import decode
from ...engine.placement import in_use
from ...engine.setup import Setup
from ...language import tr
from ...library.encodings import CACHE_FORMATS
from ...problem import BadInput
from ...scenario import Scenario
from ...units import number, rate, size
from .. import typed
from ..theme import UNIT, px, sized


class FormatFigures(NamedTuple):
    """What one cache format means: bytes of a session, sessions that fit, and what they get."""

    name: str
    session_bytes: float
    sessions: int | None
    best_batch: int | None
    tokens_per_s: float | None


def format_figures(
    scenario: Scenario, resolve: Callable[[Scenario], Setup]
) -> tuple[FormatFigures, ...]:
    """The scenario in each cache format, prefill left out; empty where it has no answer.

    Formats that store as many bytes give the same setup, which is served once.
    """
    found: list[FormatFigures] = []
    known: list[tuple[Setup, FormatFigures]] = []
    for name in CACHE_FORMATS:
        work = structs.replace(scenario.workload, cache_format=name)
        try:
            setup = resolve(structs.replace(scenario, workload=work, prefill=None))
        except BadInput:
            return ()
        setup = structs.replace(setup, assumptions=())
        same = next((figures for other, figures in known if other == setup), None)
        if same is None:
            same = FormatFigures(name, capacity(setup).session_bytes, *_served(setup))
            known.append((setup, same))
        found.append(same._replace(name=name))
    return tuple(found)


def _served(setup: Setup) -> tuple[int | None, int | None, float | None]:
    """Sessions that fit, the best batch, and what all of it get together."""
    if setup.composition is None:
        alone = decode(setup)
        return alone.memory_batch, alone.best_batch, alone.aggregate_tokens_per_s
    way, figures = in_use(setup)
    fits = way.gate().margin_bytes >= 0
    return (
        figures.memory_batch if fits else None,
        figures.best_batch,
        figures.aggregate_tokens_per_s,
    )


LEAST_PX = 82
"""The width of a button with every digit."""


def columns_in(width: int, gap: int) -> int:
    """How many of the buttons stand side by side, so that the last line is no odd rest."""
    count = len(CACHE_FORMATS)
    fitting = max((width + gap) // (px(LEAST_PX) + gap), 1)
    return ceil(count / ceil(count / fitting))


class FormatButton(QToolButton):
    """One cache format with what it gives; checked where the scenario uses it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.setCheckable(True)
        self.setFont(sized("caption"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumHeight(4 * self.fontMetrics().lineSpacing() + 3 * UNIT)

    def present(self, found: FormatFigures | None, *, chosen: bool) -> None:
        write = typed.separators()
        self.setChecked(chosen)
        mark = "✓ " if chosen else ""
        if found is None:
            self.setText(f"{mark}{self.name}\n\n\n")
            return
        held = size(found.session_bytes, write)
        fit = (
            tr("no room")
            if found.sessions is None
            else tr("{count} fit").format(count=number(found.sessions, 0, write))
        )
        speed = "-" if found.tokens_per_s is None else f"{rate(found.tokens_per_s, write)} tok/s"
        self.setText(f"{mark}{self.name}\n{held}\n{fit}\n{speed}")
        serving = ""
        if found.best_batch is not None:
            serving = tr(", the best batch is {count}").format(
                count=number(found.best_batch, 0, write)
            )
        spoken = tr("{name}: {held} for each session, {fit}, {speed}{serving}").format(
            name=self.name, held=held, fit=fit, speed=speed, serving=serving
        )
        self.setAccessibleName(spoken)
        self.setToolTip(spoken)
