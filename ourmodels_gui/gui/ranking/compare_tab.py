"""Compare: what is marked side by side, as curves, figures, and crossings in words."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QLabel,
    QMenu,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ...evaluation import Evaluation
from ...language import tr
from ...library.load import Library
from ...problem import BadInput
from ...ranking.comparison import LEAST, MOST, Comparison, Side, compare, comparison_sheet
from ...ranking.sheet import Sheet
from ...scenario import Scenario
from .. import typed
from ..export import ExportButton
from ..fields import ChoiceField
from ..folding import FoldingSplit
from ..preferences import Preferences
from ..theme import UNIT, px
from ..tool_row import ToolRow, give_way, labelled
from .cell_table import CellTable
from .compared import compared_cells, sides_of
from .rank_bar import tool
from .tray import Mark, Tray, mark_of, whole_name

if TYPE_CHECKING:
    from .compare_plot import ComparePlot

PLOT_PX, LEAST_PLOT_PX, TABLE_PX = 350, 320, 510
FIGURE_PX, SIDE_PX = 150, 102
"""The widest columns: six sides stand beside their figures at 1280 x 800."""
HEIGHTS_PX = 150, 200
"""Of the curves and the table where they stand one under the other."""
SAID_PX, SENTENCE_PX = 120, 250
"""The most height of what is said below the curves, and its width beside them."""
UNBOUNDED = 16_777_215  # Qt's own


class CompareTab(QWidget):
    """The marks with the workload of the scenario; drawn only while in sight."""

    edited = Signal(dict)
    report_asked = Signal()

    def __init__(
        self,
        library: Callable[[], Library],
        preferences: Preferences,
        tray: Tray,
        *,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._library, self._preferences, self._tray = library, preferences, tray
        self._evaluation: Evaluation | None = None
        self._is_stale = False
        self._baseline: Mark | None = None
        self._shown: tuple[Mark, ...] = ()
        self.comparison: Comparison | None = None
        self._sides: list[Side] = []
        self._compared: tuple[Scenario, ...] = ()
        self.plot: ComparePlot | None = None
        self.table = CellTable(tr("Comparison"), head_lines=3, most_px=(FIGURE_PX, SIDE_PX))
        self.table.copied.connect(lambda: self.export.copy("CSV"))
        self.said = QLabel()
        self.said.setWordWrap(True)
        self.said.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.said.setAccessibleName(tr("Who overtakes whom"))
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.words.setAccessibleName(tr("What to mark"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2 * UNIT, 0, UNIT)
        layout.setSpacing(UNIT + 2)
        layout.addWidget(self._build_head())
        layout.addWidget(self.words)
        layout.addWidget(self._build_body(), 1)
        preferences.prices_changed.connect(self._refresh)
        tray.changed.connect(self._refresh)

    def _build_head(self) -> ToolRow:
        self.add = tool(tr("Mark this pair"), tr("Mark the machine and model in sight (Ctrl+T)"))
        self.add.clicked.connect(self._add)
        self.marks = tool(tr("Marked"), tr("What is marked; choose one to drop it"))
        self.marks_menu = QMenu(self)
        self.marks.setMenu(self.marks_menu)
        self.marks.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.marks_menu.aboutToShow.connect(self._fill_marks)
        self.baseline = ChoiceField()
        self.baseline.setAccessibleName(tr("Ratios to"))
        self.baseline.setToolTip(tr("Which side the ratios refer to"))
        give_way(self.baseline, 170)
        self.baseline.committed.connect(lambda _value: self._choose_baseline())
        self.rates = ChoiceField()
        self.rates.setAccessibleName(tr("Rate drawn"))
        self.rates.setToolTip(tr("What the curves show"))
        self.rates.offer([(False, tr("all sessions")), (True, tr("each session"))])
        self.rates.present(False)
        give_way(self.rates, 120)
        self.rates.committed.connect(lambda _value: self._refresh())
        self.differences = QCheckBox(tr("Differences only"))
        self.differences.toggled.connect(lambda _on: self._refresh())
        self.export = ExportButton(
            self.sheet, self.picture, tr("Comparison"), report=lambda: self.subject() or None
        )
        self.export.report_asked.connect(self.report_asked)
        chosen = (labelled(tr("Draw"), self.rates), labelled(tr("Ratios to"), self.baseline))
        return ToolRow((self.add, self.marks, *chosen, self.differences), (self.export,), 2 * UNIT)

    def _build_body(self) -> QWidget:
        left = QWidget()
        self._left = QBoxLayout(QBoxLayout.Direction.TopToBottom, left)
        self._left.setContentsMargins(0, 0, UNIT, 0)
        self._left.setSpacing(UNIT)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setWidget(self.said)
        scroll.setMinimumHeight(px(56))
        scroll.setMaximumHeight(px(SAID_PX))
        self._left.addWidget(scroll)
        self._body = FoldingSplit(left, self.table, (PLOT_PX, TABLE_PX), (2, 3), HEIGHTS_PX)

        def turn(folded: bool) -> None:
            way = QBoxLayout.Direction
            self._left.setDirection(way.LeftToRight if folded else way.TopToBottom)
            scroll.setMaximumHeight(UNBOUNDED if folded else px(SAID_PX))
            scroll.setMinimumWidth(px(SENTENCE_PX if folded else 0))
            scroll.setMaximumWidth(px(SENTENCE_PX) if folded else UNBOUNDED)

        self._body.folded.connect(turn)
        return self._body

    # Showing

    def subject(self) -> tuple[Scenario, ...]:
        """The sides, for a report that compares them; none where nothing is compared."""
        return () if self.comparison is None else self._compared

    def present(self, evaluation: Evaluation) -> None:
        """Keep the evaluation; its workload is what the sides are compared at."""
        self._evaluation = evaluation
        self._refresh()

    def _refresh(self) -> None:
        self._is_stale = not self.isVisible()
        if self._is_stale or self._evaluation is None:
            return
        marks = self._tray.marks
        count = len(marks)
        self.marks.setText(tr("Marked {count}").format(count=count))
        self.marks.setEnabled(bool(marks))
        sides, self._shown, told = sides_of(
            marks, self._evaluation.scenario, self._library(), self._preferences.settings
        )
        if len(marks) > MOST:
            told.insert(
                0,
                tr(
                    "{count} are marked and a comparison takes {least} to {most}: the first ones "
                    "are shown. Drop some under Marked."
                ).format(count=count, least=LEAST, most=MOST),
            )
        if len(sides) < LEAST:
            self._nothing(count, told)
            return
        places = [place for place, mark in enumerate(self._shown) if mark == self._baseline]
        try:
            self.comparison = compare(sides, places[0] if places else 0, typed.separators())
        except BadInput as bad:
            self._nothing(count, [*told, bad.problem.message])
            return
        self._compared = tuple(side.evaluation.scenario for side in sides)
        self._sides = sides
        self._body.show()
        self._show(sides, self.comparison)
        self._say(" ".join(told))

    def _nothing(self, count: int, told: list[str]) -> None:
        self.comparison = None
        self._shown = ()
        self.baseline.setEnabled(False)
        self._body.hide()
        how = tr(
            "Mark {least} to {most} pairs to compare them: Space on a row under Rank or Find, or "
            "Ctrl+T for the machine and model in sight."
        ).format(least=LEAST, most=MOST)
        one = (
            tr("One is marked: {name}. ").format(
                name=whole_name(self._tray.marks[0], self._library())
            )
            if count == 1
            else ""
        )
        self._say(" ".join((*told, one + how)))

    def _say(self, words: str) -> None:
        self.words.setText(words)
        self.words.setVisible(bool(words))

    def _show(self, sides: list[Side], comparison: Comparison) -> None:
        if self.plot is None:
            from .compare_plot import ComparePlot  # noqa: PLC0415 - pyqtgraph is slow to import

            self.plot = ComparePlot()
            self._left.insertWidget(0, self.plot, 1)
        self.plot.present(sides, each=bool(self.rates.value()))
        self.baseline.setEnabled(True)
        self.baseline.offer(list(enumerate(comparison.names)))
        self.baseline.present(comparison.baseline)
        shown = comparison.differences if self.differences.isChecked() else comparison.rows
        self.table.present(*compared_cells(comparison, shown, self._preferences.settings.currency))
        self._body.need(px(LEAST_PLOT_PX) + self.table.whole_px)
        self.said.setText("\n".join(comparison.crossings))

    # What is chosen

    def _choose_baseline(self) -> None:
        place = self.baseline.value()
        if isinstance(place, int) and place < len(self._shown):
            self._baseline = self._shown[place]
            self._refresh()

    def _add(self) -> None:
        if self._evaluation is not None:
            self._tray.add(mark_of(self._evaluation.scenario))

    def _fill_marks(self) -> None:
        self.marks_menu.clear()
        library = self._library()
        for mark in self._tray.marks:
            words = tr("Drop {name}").format(name=whole_name(mark, library))
            action = self.marks_menu.addAction(words.replace("&", "&&"))
            action.triggered.connect(lambda _=False, mark=mark: self._tray.drop(mark))
        self.marks_menu.addSeparator()
        self.marks_menu.addAction(tr("Drop all")).triggered.connect(self._tray.clear)

    # What leaves the window

    def sheet(self) -> Sheet | None:
        """The comparison as it stands, as it is written everywhere."""
        if self.comparison is None:
            return None
        written = compare(self._sides, self.comparison.baseline)
        return comparison_sheet(written, self.differences.isChecked())

    def picture(self) -> QWidget | None:
        return self.plot if self.comparison is not None else None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._refresh()
