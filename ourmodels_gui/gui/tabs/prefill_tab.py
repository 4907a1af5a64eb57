"""Prefill: how fast prompts are processed, over every prompt length."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs
from PySide6.QtWidgets import QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...summary import Row
from ...units import compute
from .. import typed
from ..fields import ChoiceField
from ..tables import FigureTable
from ..tables import Row as Cells
from ..telling import told_of
from ..theme import UNIT
from ..tool_row import ToolRow, give_way, labelled
from .bracket import usual_bracket
from .lengths import length_rows
from .plot_tab import PlotTab

if TYPE_CHECKING:
    from .prefill_plot import PrefillPlot


NO_BAND = ""
BRACKET_PX = 124


class PrefillTab(PlotTab):
    """The ceilings and the wait over the prompt length."""

    groups = ("prefill",)

    def __init__(self, parent: QWidget | None = None) -> None:
        lengths = FigureTable(
            tr("Ceilings at some prompt lengths"),
            (
                tr("prompt"),
                tr("first token"),
                tr("both, tok/s"),
                tr("memory"),
                tr("compute"),
            ),
            ("1,048,576", "10.0 to 10.0 s", "10.0k to 10.0k", "100.0k", "10.0k to 10.0k"),
        )
        super().__init__(tr("Prefill figures"), lengths, parent)
        self.plot: PrefillPlot | None = None
        self._asked: str | None = None
        self._band_to: str | None = None
        self.bracket = ChoiceField()
        self.bracket.setAccessibleName(tr("Band to another mode of the linear layers"))
        self.bracket.setToolTip(
            tr(
                "It is seldom obvious how much of the arithmetic runs in the fast mode. The band "
                "lies between the mode of the scenario and this one; attention keeps its own."
            )
        )
        give_way(self.bracket, BRACKET_PX)
        self.bracket.committed.connect(self._choose)
        self.column.addWidget(ToolRow((labelled(tr("Band to"), self.bracket, 2 * UNIT),)))

    def draw(self, evaluation: Evaluation) -> None:
        """Show the evaluation in the plots."""
        if self.plot is None:
            from .prefill_plot import PrefillPlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = PrefillPlot()
            self.column.insertWidget(0, self.plot, 1)
        self._band_to = self._offer(evaluation)
        self.plot.set_measured(self.measured(evaluation))
        self.plot.present(evaluation, self._band_to)

    def rows(self, evaluation: Evaluation) -> tuple[Sequence[Cells], set[int]]:
        """The ceilings at some lengths of a prompt."""
        return length_rows(evaluation, self._band_to)

    def row_working(self, evaluation: Evaluation, value: float) -> Row | None:
        """How long the prompts of a row take, as many at once as the scenario's."""
        setup, result = evaluation.setup, evaluation.result
        assert setup is not None and setup.prompt is not None and result is not None
        length, prefill = int(value), result.prefill
        prompt = structs.replace(
            setup.prompt,
            prompt_tokens=length,
            cached_prefix_tokens=0,
            ttft_budget_s=None,
            batch=(prefill and prefill.batch) or 1,
        )
        reserved = max(setup.workload.reserved_context_tokens, length)
        work = structs.replace(setup.workload, reserved_context_tokens=reserved)
        setup = structs.replace(setup, prompt=prompt, workload=work)
        return told_of(evaluation, setup).row("time_s")

    def _offer(self, evaluation: Evaluation) -> str | None:
        """Offer the machine's other modes; returns the one to draw a band to, None for none."""
        setup = evaluation.setup
        rates = setup.machine.compute_flop_per_s if setup else {}
        usual = (usual_bracket(setup) if setup else None) or NO_BAND
        used = setup.linear_mode if setup else {}
        choices = [(NO_BAND, tr("no other mode"))]
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
        self.redraw()
