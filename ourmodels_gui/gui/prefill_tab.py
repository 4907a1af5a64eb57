"""Prefill: how fast prompts are processed, over every prompt length."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from ..evaluation import Evaluation
from .lengths import length_rows
from .plot_tab import PlotTab
from .tables import FigureTable

if TYPE_CHECKING:
    from .prefill_plot import PrefillPlot


class PrefillTab(PlotTab):
    """The ceilings and the wait over the prompt length."""

    groups = ("Prefill",)

    def __init__(self, parent: QWidget | None = None) -> None:
        lengths = FigureTable(
            self.tr("Ceilings at some prompt lengths"),
            (
                self.tr("prompt"),
                self.tr("memory, tok/s"),
                self.tr("compute, tok/s"),
                self.tr("both, tok/s"),
                self.tr("first token"),
            ),
            ("262,144", "100.0k", "100.0k", "100.0k", ""),
        )
        super().__init__(self.tr("Prefill figures"), lengths, parent)
        self.plot: PrefillPlot | None = None

    def draw(self, evaluation: Evaluation) -> None:
        """Show the evaluation in the plots and the table."""
        if self.plot is None:
            from .prefill_plot import PrefillPlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = PrefillPlot()
            self.column.insertWidget(0, self.plot, 1)
        self.plot.set_measured(self.measured(evaluation))
        self.plot.present(evaluation)
        self.table.present(*length_rows(evaluation))
