"""The cache: what each group of layers reserves and reads, and what other formats would change."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import structs
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ..engine.capacity import longest_context
from ..engine.costs import layer_alloc_bytes, layer_read_bytes
from ..engine.setup import Setup, TypedCache
from ..evaluation import Evaluation
from ..library.encodings import CACHE_FORMATS
from ..scenario import Scenario
from ..summary.figures import figures
from ..units import number, plain, rate, size, tokens
from . import typed
from .elided import ElidedLabel
from .tables import Cell, FigureTable, Row
from .telling import told
from .theme import UNIT, colours, sized
from .working import Working

FORMAT, RESERVED = "workload.cache_format", "workload.reserved_context_tokens"
KINDS = {
    "full": "full attention",
    "window": "sliding window",
    "latent": "latent",
    "sparse": "sparse",
    "state": "recurrent state",
}


class FormatFigures(NamedTuple):
    """What one cache format means: bytes of a session, sessions that fit, and what they get."""

    name: str
    session_bytes: float
    sessions: int | None
    best_batch: int | None
    tokens_per_s: float | None


def format_figures(
    scenario: Scenario, evaluate: Callable[[Scenario], Evaluation]
) -> tuple[FormatFigures, ...]:
    """The scenario in each cache format, prefill left out."""
    found = []
    for name in CACHE_FORMATS:
        work = structs.replace(scenario.workload, cache_format=name)
        tried = evaluate(structs.replace(scenario, workload=work, prefill=None))
        if tried.setup is None or tried.result is None:
            return ()
        known = figures(tried.setup, tried.result, typed.separators())
        decode = tried.result.decode
        found.append(
            FormatFigures(
                name,
                known.gate.session_bytes,
                decode.memory_batch,
                decode.best_batch,
                decode.aggregate_tokens_per_s,
            )
        )
    return tuple(found)


def layer_rows(setup: Setup) -> tuple[list[Row], set[int]]:
    """A row for each group of layers, and their sum, which is marked."""
    cache, work, write = setup.model.cache, setup.workload, typed.separators()
    if isinstance(cache, TypedCache):
        alloc, read = cache.alloc_bytes_per_session, cache.read_bytes_per_token
        return [
            (
                Cell("as typed"),
                Cell(""),
                Cell(""),
                *(Cell(size(b, write), b) for b in (alloc, read)),
            )
        ], {0}
    rows: list[Row] = []
    sums = [0.0, 0.0]
    for layer in cache:
        alloc = float(layer_alloc_bytes(layer, work.reserved_context_tokens, work.cache_policy))
        read = float(layer_read_bytes(layer, work.read_context_tokens))
        sums = [sums[0] + alloc, sums[1] + read]
        kind = KINDS[layer.kind]
        if layer.kind == "window":
            kind += f" of {tokens(layer.window_tokens, write)}"
        elif layer.kind == "sparse":
            kind += f", {tokens(layer.selected_tokens, write)} read"
        each = layer.bytes_per_token + layer.index_bytes_per_token
        per_token = Cell(f"{plain(each, write)} B", each)
        if layer.kind == "state":
            per_token = Cell("constant", 0.0, f"{size(layer.state_bytes, write)} for each layer")
        rows.append(
            (
                Cell(kind, layer.kind),
                Cell(number(layer.count, 0, write), layer.count),
                per_token,
                Cell(size(alloc, write), alloc),
                Cell(size(read, write), read),
            )
        )
    count = sum(layer.count for layer in cache)
    total = (Cell(size(value, write), value) for value in sums)
    rows.append((Cell("a session"), Cell(number(count, 0, write), count), Cell(""), *total))
    return rows, {len(rows) - 1}


class FormatButton(QToolButton):
    """One cache format with what it gives; checked where the scenario uses it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.setCheckable(True)
        self.setFont(sized("caption"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumHeight(4 * self.fontMetrics().lineSpacing() + 3 * UNIT)
        self.setMinimumWidth(64)

    def present(self, found: FormatFigures | None, *, chosen: bool) -> None:
        write = typed.separators()
        self.setChecked(chosen)
        mark = "✓ " if chosen else ""
        if found is None:
            self.setText(f"{mark}{self.name}\n\n\n")
            return
        held = size(found.session_bytes, write)
        fit = "no model" if found.sessions is None else f"{number(found.sessions, 0, write)} fit"
        speed = "-" if found.tokens_per_s is None else f"{rate(found.tokens_per_s, write)} tok/s"
        self.setText(f"{mark}{self.name}\n{held}\n{fit}\n{speed}")
        serving = ""
        if found.best_batch is not None:
            serving = self.tr(", the best batch is {count}").format(
                count=number(found.best_batch, 0, write)
            )
        spoken = self.tr("{name}: {held} for each session, {fit}, {speed}{serving}").format(
            name=self.name, held=held, fit=fit, speed=speed, serving=serving
        )
        self.setAccessibleName(spoken)
        self.setToolTip(spoken)


class CacheTab(QWidget):
    """The formats side by side, the layers below, and how far the context can grow.

    evaluate: gives the evaluation of a scenario that is not the one in use.
    """

    edited = Signal(dict)

    def __init__(
        self, evaluate: Callable[[Scenario], Evaluation], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._evaluate = evaluate
        self._waiting: Evaluation | None = None
        self._longest = 0
        self.formats = [FormatButton(name) for name in CACHE_FORMATS]
        group = QButtonGroup(self)
        strip = QHBoxLayout()
        strip.setSpacing(UNIT)
        for button in self.formats:
            group.addButton(button)
            button.clicked.connect(lambda _=False, name=button.name: self._choose(name))
            strip.addWidget(button)
        self.hint = ElidedLabel()
        self.hint.setFont(sized("caption"))
        self.hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.layers = FigureTable(
            self.tr("Cache of each group of layers"),
            (
                self.tr("layers"),
                self.tr("count"),
                self.tr("per token"),
                self.tr("reserved"),
                self.tr("read"),
            ),
            ("", "count ", "10,000 B", "100.0 MB", "100.0 MB"),
            left=(0,),
            stretched=0,
        )
        self.growth = QLabel()
        self.growth.setWordWrap(True)
        self.reserve = QPushButton()
        self.reserve.setToolTip(self.tr("Reserve the longest context with which one session fits"))
        self.reserve.clicked.connect(lambda: self.edited.emit({RESERVED: self._longest}))
        grow = QHBoxLayout()
        grow.addWidget(self.growth, 1)
        grow.addWidget(self.reserve, 0, Qt.AlignmentFlag.AlignTop)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, UNIT, 0)
        column.setSpacing(2 * UNIT)
        column.addWidget(self.layers, 1)
        column.addLayout(grow)
        self.figures = Working(self.tr("Cache figures"))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        split.addWidget(self.figures)
        split.setSizes([520, 400])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * UNIT, 0, UNIT)
        layout.setSpacing(UNIT)
        layout.addLayout(strip)
        layout.addWidget(self.hint)
        layout.addWidget(split, 1)
        self._restyle()

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation, and draw it if the tab is in sight."""
        self._waiting = evaluation
        if self.isVisible():
            self._draw()

    def _draw(self) -> None:
        if self._waiting is None:
            return
        evaluation, self._waiting = self._waiting, None
        setup = evaluation.setup
        self._draw_formats(evaluation)
        self.layers.present(*(([], set()) if setup is None else layer_rows(setup)))
        self._draw_growth(setup)
        groups = [group for group in told(evaluation).groups if group.title in ("Cache", "Memory")]
        self.figures.present(groups)

    def _draw_formats(self, evaluation: Evaluation) -> None:
        scenario, setup = evaluation.scenario, evaluation.setup
        found: Sequence[FormatFigures] = ()
        if setup is not None:
            found = format_figures(scenario, self._evaluate)
        used = scenario.workload.cache_format or "fp16"
        same = len({figures.session_bytes for figures in found}) == 1
        by_name = {figures.name: figures for figures in found}
        for button in self.formats:
            button.present(by_name.get(button.name), chosen=button.name == used)
            button.setEnabled(bool(found) and not same)
        words = self.tr(
            "Cache formats: memory for each session, sessions that fit, the ceiling of all together"
        )
        if same:
            words = self.tr("This model's cache is given in bytes, so its format changes nothing.")
        self.hint.say(words)

    def _draw_growth(self, setup: Setup | None) -> None:
        write = typed.separators()
        longest = None if setup is None else longest_context(setup)
        limit = None if setup is None else setup.model.max_context_tokens
        self._longest = min(longest or 0, limit or longest or 0)
        words = ""
        if setup is not None and longest is None:
            words = self.tr(
                "The context can grow as far as the model goes: one session still fits."
            )
        elif longest == 0:
            words = self.tr("Not even one token of context fits beside the model.")
        elif longest is not None:
            words = self.tr("One session fits up to a context of {count} tokens.").format(
                count=number(longest, 0, write)
            )
            if limit is not None and limit <= longest:
                words += " " + self.tr("The model's own limit comes first, at {limit}.").format(
                    limit=number(limit, 0, write)
                )
        self.growth.setText(words)
        self.reserve.setText(
            self.tr("Reserve {count}").format(count=number(self._longest, 0, write))
        )
        reserved = 0 if setup is None else setup.workload.reserved_context_tokens
        self.reserve.setVisible(bool(self._longest) and self._longest != reserved)

    def _choose(self, name: str) -> None:
        self.edited.emit({FORMAT: name})

    def _restyle(self) -> None:
        palette = colours(self)
        self.setStyleSheet(
            f"FormatButton {{ background: {palette.base}; border: 1px solid {palette.line};"
            f" border-radius: 6px; padding: 4px; color: {palette.text}; }}"
            f"FormatButton:checked {{ border: 2px solid {palette.accent}; }}"
            f"FormatButton:hover, FormatButton:focus {{ border-color: {palette.accent}; }}"
            f"FormatButton:disabled {{ color: {palette.muted}; }}"
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._restyle()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw()
