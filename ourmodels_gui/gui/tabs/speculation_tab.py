"""Speculation: whether a draft pays, over every number of sessions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from ...engine.speculation import acceptance_for
from ...evaluation import Evaluation
from ...language import tr
from .. import typed
from ..fields import NumberField
from ..tables import FigureTable, Row
from ..theme import UNIT, px, sized
from ..tool_row import ToolRow, labelled
from .drafting import comparison_rows, drafting_words
from .plot_tab import PlotTab

if TYPE_CHECKING:
    from .speculation_plot import SpeculationPlot

TOKENS, ALPHA, RHO = (
    f"speculation.{key}" for key in ("draft_tokens", "acceptance", "emitted_tokens")
)
USUAL_TOKENS, USUAL_ACCEPTANCE = 4, 0.7
FIELD_PX = 56


class SpeculationControls(QWidget):
    """Drafted tokens and their acceptance; what is drafted with is chosen at the left."""

    edited = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._on = False
        self.tokens = NumberField(_whole, typed.show)
        self.acceptance = NumberField(_acceptance, typed.show)
        self.off = QPushButton(tr("Without"))
        self.off.setToolTip(tr("Decode without speculation"))
        self.off.setAccessibleName(tr("Decode without speculation"))
        self.off.clicked.connect(lambda: self.edited.emit({"speculation": None}))
        self.on = QPushButton(tr("Compare with a draft"))
        self.on.clicked.connect(lambda: self.edited.emit(start()))
        pieces = []
        for words, tip, field, keys in (
            (
                tr("Drafted"),
                tr("Tokens that the draft proposes for each iteration, gamma."),
                self.tokens,
                (TOKENS,),
            ),
            (
                tr("Acceptance"),
                tr("Share of drafted tokens accepted after all earlier ones, alpha: 0 to 1."),
                self.acceptance,
                (ALPHA, RHO),
            ),
        ):
            pieces.append(labelled(words, field, 2 * UNIT))
            field.setToolTip(tip)
            field.setAccessibleName(words)
            field.setFixedWidth(px(FIELD_PX))
            field.committed.connect(lambda value, keys=keys: self._commit(keys, value))
            field.refused.connect(field.setToolTip)
        both = QVBoxLayout(self)
        both.setContentsMargins(0, 0, 0, 0)
        both.setSpacing(UNIT)
        both.addWidget(ToolRow(pieces, gap_px=2 * UNIT))
        for button in (self.off, self.on):
            both.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def present(self, evaluation: Evaluation) -> None:
        """Show what is chosen; an acceptance that follows from emitted tokens is muted."""
        chosen = evaluation.scenario.speculation
        self._on = chosen is not None and bool(chosen.draft_tokens)
        setup = evaluation.setup
        follows = None
        if setup is not None and setup.speculation is not None:
            made = setup.speculation
            follows = round(acceptance_for(made.emitted_tokens, made.draft_tokens), 4)
        self.tokens.present(chosen.draft_tokens if chosen else None, USUAL_TOKENS)
        self.acceptance.present(
            chosen.acceptance if chosen else None, USUAL_ACCEPTANCE if follows is None else follows
        )
        self.off.setVisible(self._on)
        self.on.setVisible(not self._on)
        self.setEnabled(setup is not None)

    def _commit(self, keys: tuple[str, ...], value: float | None) -> None:
        if value is None:
            # An empty field asks for what stands in it in muted text.
            value = USUAL_TOKENS if keys[0] == TOKENS else USUAL_ACCEPTANCE
        changes = {} if self._on else start()
        self.edited.emit(changes | dict.fromkeys(keys[1:]) | {keys[0]: value})


def start() -> dict[str, float]:
    """The edit that turns speculation on."""
    return {TOKENS: USUAL_TOKENS, ALPHA: USUAL_ACCEPTANCE}


class SpeculationTab(PlotTab):
    """With and without a draft, the break-even, and the batches at which it loses."""

    groups = ("speculation",)

    def __init__(self, parent: QWidget | None = None) -> None:
        table = FigureTable(
            tr("Decode with and without speculation"),
            (
                tr("sessions"),
                tr("with, tok/s"),
                tr("without"),
                tr("gain"),
                tr("break-even alpha"),
            ),
            ("100,000", "10,000", "10,000", "-100 %", "none is enough"),
        )
        super().__init__(tr("Speculation figures"), table, parent)
        self.plot: SpeculationPlot | None = None
        self.controls = SpeculationControls()
        self.controls.edited.connect(self.edited)
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setFont(sized("caption"))
        self.said.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.column.addWidget(self.controls)
        self.column.addWidget(self.said)

    def draw(self, evaluation: Evaluation) -> None:
        """Show the evaluation in the plots and the controls."""
        if self.plot is None:
            from .speculation_plot import SpeculationPlot  # noqa: PLC0415 - imports pyqtgraph

            self.plot = SpeculationPlot()
            self.column.insertWidget(0, self.plot, 1)
        self.plot.present(evaluation)
        self.controls.present(evaluation)
        self.said.setText(drafting_words(evaluation.setup))

    def rows(self, evaluation: Evaluation) -> tuple[Sequence[Row], set[int]]:
        """The ceilings with and without a draft at some numbers of sessions."""
        return comparison_rows(evaluation)


def _whole(text: str) -> int:
    count = typed.whole(text)
    if count < 0:
        raise ValueError(tr("write a number of drafted tokens from 0 on"))
    return count


def _acceptance(text: str) -> float:
    share = typed.number(text)
    if not 0 <= share <= 1:
        raise ValueError(tr("write an acceptance from 0 to 1"))
    return share
