"""Decode: what limits serving, over every number of sessions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs
from PySide6.QtWidgets import QCheckBox, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ...summary import Row
from ...summary.spans import batch_span
from ..tables import FigureTable
from ..tables import Row as Cells
from ..telling import told, told_of
from ..theme import UNIT
from ..tool_row import ToolRow
from .batches import batch_rows, sampled
from .concurrency import Concurrency
from .plot_tab import PlotTab
from .ways import Way, way_rows, ways
from .ways_table import WaysTable

if TYPE_CHECKING:
    from .decode_plot import DecodePlot


class DecodeTab(PlotTab):
    """The ceilings over the batch, with a number of sessions that may be forced."""

    groups = ("memory", "placement", "decode", "forced", "speculation")

    def __init__(self, parent: QWidget | None = None) -> None:
        batches = FigureTable(
            tr("Ceilings at some numbers of sessions"),
            (
                tr("sessions"),
                tr("all, tok/s"),
                tr("each, tok/s"),
                tr("limit"),
            ),
            ("100,000", "10,000", "10,000", ""),
            left=(3,),
        )
        super().__init__(tr("Decode figures"), batches, parent)
        self.plot: DecodePlot | None = None
        self._title = ""
        self.concurrency = Concurrency()
        self.concurrency.edited.connect(self.edited)
        self.keep = QCheckBox(tr("Pin"))
        self.keep.setAccessibleName(tr("Pin this curve"))
        self._offer = tr("Keep the curve as it is now behind the ones to come")
        self.keep.setToolTip(self._offer)
        self.keep.toggled.connect(self._pin)
        self.column.addWidget(ToolRow((self.concurrency,), (self.keep,), 2 * UNIT))
        self._offered: list[Way] = []
        self.ways = WaysTable()
        self.ways.chosen.connect(self._choose_way)
        self.page.addWidget(self.ways)

    def draw(self, evaluation: Evaluation) -> None:
        """Show the evaluation in the plot, its controls and the ways."""
        if self.plot is None:
            from .decode_plot import DecodePlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = DecodePlot()
            self.column.insertWidget(0, self.plot, 1)
        self.plot.set_measured(self.measured(evaluation))
        self.plot.present(evaluation)
        decode = evaluation.result.decode if evaluation.result else None
        self.keep.setEnabled(self.keep.isChecked() or bool(decode and decode.memory_batch))
        self._title = tr("Pinned: {title}").format(title=told(evaluation).title)
        result = evaluation.result
        batches = sampled(batch_span(result)).tolist() if result else [1]
        self.concurrency.present(decode, batches)
        self._offered = ways(evaluation)
        self.ways.present(*way_rows(evaluation, self._offered))

    def rows(self, evaluation: Evaluation) -> tuple[Sequence[Cells], set[int]]:
        """The ceilings at some numbers of sessions."""
        return batch_rows(evaluation)

    def row_working(self, evaluation: Evaluation, value: float) -> Row | None:
        """How fast all the sessions of a row are together."""
        assert evaluation.setup is not None
        work = structs.replace(evaluation.setup.workload, batch=int(value))
        return told_of(evaluation, structs.replace(evaluation.setup, workload=work)).row("forced")

    def _choose_way(self, row: int) -> None:
        self.edited.emit(self._offered[row].changes)

    def _pin(self, wanted: bool) -> None:
        if self.plot is not None:
            self.plot.pin(tr("pinned") if wanted else None)
            self.keep.setToolTip(self._title if wanted else self._offer)
