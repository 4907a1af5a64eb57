"""The cache: what each group of layers reserves and reads, and what other formats would change."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from ...engine import placement
from ...engine.capacity import capacity, longest_context
from ...engine.setup import Setup
from ...evaluation import Evaluation
from ...language import tr
from ...library.encodings import CACHE_FORMATS
from ...scenario import Scenario
from ...units import number
from .. import typed
from ..elided import ElidedLabel
from ..folding import FoldingSplit
from ..tables import FigureTable
from ..telling import told
from ..theme import UNIT, colours, sized
from ..tool_row import in_columns
from .cache_formats import FormatButton, FormatFigures, columns_in, format_figures
from .cache_layers import layer_rows
from .working import Working

FORMAT, RESERVED = "workload.cache_format", "workload.reserved_context_tokens"


class CacheTab(QWidget):
    """The formats side by side, the layers below, and how far the context can grow.

    resolve: gives the setup of a scenario that is not the one in use.
    """

    edited = Signal(dict)

    def __init__(self, resolve: Callable[[Scenario], Setup], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._resolve = resolve
        self._waiting: Evaluation | None = None
        self._longest = 0
        self.formats = [FormatButton(name) for name in CACHE_FORMATS]
        group = QButtonGroup(self)
        self._strip = strip = QGridLayout()
        strip.setSpacing(UNIT)
        for button in self.formats:
            group.addButton(button)
            button.clicked.connect(lambda _=False, name=button.name: self._choose(name))
        in_columns(strip, self.formats, len(self.formats))
        self.hint = ElidedLabel()
        self.hint.setFont(sized("caption"))
        self.hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.layers = FigureTable(
            tr("Cache of each group of layers"),
            (
                tr("layers"),
                tr("count"),
                tr("per token"),
                tr("reserved"),
                tr("read"),
            ),
            ("", "1,000", "10,000 B", "100.0 MB", "100.0 MB"),
            left=(0,),
            stretched=0,
        )
        self.growth = QLabel()
        self.growth.setWordWrap(True)
        self.reserve = QPushButton()
        self.reserve.setToolTip(tr("Reserve the longest context with which one session fits"))
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
        self.figures = Working(tr("Cache figures"))
        split = FoldingSplit(left, self.figures, (520, 400))
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        in_columns(self._strip, self.formats, columns_in(self.width(), self._strip.spacing()))

    def _draw(self) -> None:
        if self._waiting is None:
            return
        evaluation, self._waiting = self._waiting, None
        setup = evaluation.setup
        self._draw_formats(evaluation)
        self.layers.present(*(([], set()) if setup is None else layer_rows(setup)))
        self._draw_growth(setup)
        groups = [group for group in told(evaluation).groups if group.id in ("cache", "memory")]
        self.figures.present(groups)

    def _draw_formats(self, evaluation: Evaluation) -> None:
        scenario, setup = evaluation.scenario, evaluation.setup
        found: Sequence[FormatFigures] = ()
        if setup is not None:
            found = format_figures(scenario, self._resolve)
        used = scenario.workload.cache_format or "fp16"
        same = len({figures.session_bytes for figures in found}) == 1
        by_name = {figures.name: figures for figures in found}
        for button in self.formats:
            button.present(by_name.get(button.name), chosen=button.name == used)
            button.setEnabled(bool(found) and not same)
        words = tr(
            "Cache formats: memory for each session, sessions that fit, the ceiling of all together"
        )
        if same:
            words = tr("This model's cache is given in bytes, so its format changes nothing.")
        self.hint.say(words)

    def _draw_growth(self, setup: Setup | None) -> None:
        write = typed.separators()
        longest = None if setup is None else longest_context(setup)
        limit = None if setup is None else setup.model.max_context_tokens
        self._longest = min(longest or 0, limit or longest or 0)
        words = ""
        if setup is not None and not _is_one_gate(setup):
            self._longest = 0
            words = tr("How long the context can grow depends on what lies where.")
        elif setup is not None and longest is None:
            words = tr("The context can grow as far as the model goes: one session still fits.")
        elif longest == 0:
            words = tr("Not even one token of context fits beside the model.")
        elif longest is not None:
            words = tr("One session fits up to a context of {count} tokens.").format(
                count=number(longest, 0, write)
            )
            if limit is not None and limit <= longest:
                words += " " + tr("The model's own limit comes first, at {limit}.").format(
                    limit=number(limit, 0, write)
                )
        self.growth.setText(words)
        self.reserve.setText(tr("Reserve {count}").format(count=number(self._longest, 0, write)))
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


def _is_one_gate(setup: Setup) -> bool:
    """Whether sessions fit as long as all memory together has room for them."""
    if setup.composition is None:
        return True
    return placement.policy(setup).gate() == capacity(setup)
