"""Prefill: how fast prompts are processed, over every prompt length."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from ..evaluation import Evaluation
from ..units import compute
from . import typed
from .bracket import usual_bracket
from .fields import ChoiceField
from .lengths import length_rows
from .plot_tab import PlotTab
from .tables import FigureTable
from .theme import UNIT

if TYPE_CHECKING:
    from .prefill_plot import PrefillPlot


NO_BAND = ""


class PrefillTab(PlotTab):
    """The ceilings and the wait over the prompt length."""

    groups = ("Prefill",)

    def __init__(self, parent: QWidget | None = None) -> None:
        lengths = FigureTable(
            self.tr("Ceilings at some prompt lengths"),
            (
                self.tr("prompt"),
                self.tr("first token"),
                self.tr("both, tok/s"),
                self.tr("memory"),
                self.tr("compute"),
            ),
            ("1,048,576", "10.0 to 10.0 s", "10.0k to 10.0k", "100.0k", "10.0k to 10.0k"),
            scrolls=True,
        )
        super().__init__(self.tr("Prefill figures"), lengths, parent)
        self.plot: PrefillPlot | None = None
        self._shown: Evaluation | None = None
        self._asked: str | None = None
        self.bracket = ChoiceField()
        self.bracket.setAccessibleName(self.tr("Band to another mode of the linear layers"))
        self.bracket.setToolTip(
            self.tr(
                "It is seldom obvious how much of the arithmetic runs in the fast mode. The band "
                "lies between the mode of the scenario and this one; attention keeps its own."
            )
        )
        self.bracket.committed.connect(self._choose)
        label = QLabel(self.tr("Band to"))
        label.setBuddy(self.bracket)
        row = QHBoxLayout()
        row.setSpacing(2 * UNIT)
        row.addWidget(label)
        row.addWidget(self.bracket)
        row.addStretch()
        self.column.addLayout(row)

    def draw(self, evaluation: Evaluation) -> None:
        """Show the evaluation in the plots and the table."""
        if self.plot is None:
            from .prefill_plot import PrefillPlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = PrefillPlot()
            self.column.insertWidget(0, self.plot, 1)
        self._shown = evaluation
        self._show()

    def _show(self) -> None:
        assert self.plot is not None
        assert self._shown is not None
        other = self._offer(self._shown)
        self.plot.set_measured(self.measured(self._shown))
        self.plot.present(self._shown, other)
        self.table.present(*length_rows(self._shown, other))

    def _offer(self, evaluation: Evaluation) -> str | None:
        """Offer the machine's other modes; returns the one to draw a band to, None for none."""
        setup = evaluation.setup
        rates = setup.machine.compute_flop_per_s if setup else {}
        usual = (usual_bracket(setup) if setup else None) or NO_BAND
        used = setup.linear_mode if setup else {}
        choices = [(NO_BAND, self.tr("no other mode"))]
        write = typed.separators()
        choices += [
            (mode, f"{mode}  {compute(rate, write)}")
            for mode, rate in rates.items()
            if mode not in used
        ]
        self.bracket.offer(choices)
        self.bracket.present(self._asked, usual)
        self.bracket.setEnabled(len(choices) > 1)
        chosen = self._asked if self._asked in dict(choices) else usual
        return chosen or None

    def _choose(self, mode: str | None) -> None:
        self._asked = mode
        if self._shown is not None:
            self._show()
