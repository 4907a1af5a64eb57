"""Decode: what limits serving, over every number of sessions."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from ..evaluation import Evaluation
from ..summary import summarise
from . import typed
from .batches import batch_rows, batch_span, sampled
from .concurrency import Concurrency
from .tables import FigureTable
from .theme import UNIT
from .working import Assumptions, Working

if TYPE_CHECKING:
    from .decode_plot import DecodePlot


class DecodeTab(QWidget):
    """The plot with the concurrency below it, and beside it the figures, batches, assumptions.

    The plot is made when the tab is first shown: its import is the slowest part of the start.
    """

    edited = Signal(dict)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._evaluation: Evaluation | None = None
        self._stale = False
        self.plot: DecodePlot | None = None
        self.concurrency = Concurrency()
        self.concurrency.edited.connect(self.edited)
        self.keep = QCheckBox(self.tr("Pin this curve"))
        self.keep.setToolTip(self.tr("Keep the curve as it is now behind the ones to come"))
        self.keep.toggled.connect(self._pin)
        self.figures = Working(self.tr("Decode figures"))
        self.batches = FigureTable(
            self.tr("Ceilings at some numbers of sessions"),
            (
                self.tr("sessions"),
                self.tr("all, tok/s"),
                self.tr("each, tok/s"),
                self.tr("limit"),
            ),
            ("100,000", "10,000", "10,000", "does not fit"),
            left=(3,),
        )
        self.assumptions = Assumptions()
        below = QHBoxLayout()
        below.addWidget(self.concurrency, 1)
        below.addWidget(self.keep)
        self._left = QVBoxLayout()
        self._left.setContentsMargins(0, 0, UNIT, 0)
        self._left.setSpacing(UNIT)
        self._left.addLayout(below)
        left = QWidget()
        left.setLayout(self._left)
        pages = QTabWidget()
        pages.setDocumentMode(True)
        pages.setMinimumWidth(260)
        pages.tabBar().setUsesScrollButtons(False)
        pages.addTab(self.figures, self.tr("Figures"))
        pages.addTab(self.batches, self.tr("Table"))
        pages.addTab(self.assumptions, self.tr("Assumptions"))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setObjectName("decode")
        split.addWidget(left)
        split.addWidget(pages)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([530, 400])
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, UNIT, 0, 0)
        layout.addWidget(split)

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation, and draw it if the tab is in sight."""
        self._evaluation = evaluation
        self._stale = True
        if self.isVisible():
            self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._draw()

    def _draw(self) -> None:
        if self._evaluation is None:
            return
        if self.plot is None:
            from .decode_plot import DecodePlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = DecodePlot()
            self._left.insertWidget(0, self.plot, 1)
        self._stale = False
        evaluation = self._evaluation
        self.plot.present(evaluation)
        result = evaluation.result
        self.keep.setEnabled(self.keep.isChecked() or bool(result and result.decode.memory_batch))
        decode = result.decode if result else None
        self.concurrency.present(decode, sampled(batch_span(decode)).tolist() if decode else (1,))
        self.batches.present(*batch_rows(evaluation))
        told = summarise(evaluation, typed.separators())
        self.figures.present([group for group in told.groups if group.title != "Prefill"])
        self.assumptions.present_assumptions(result.assumptions if result else ())

    def _pin(self, wanted: bool) -> None:
        if self.plot is not None:
            name = self.tr("pinned") if wanted else None
            self.plot.pin(name)
