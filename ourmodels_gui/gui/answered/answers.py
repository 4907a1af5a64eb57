"""The four questions and their answers, always in sight: four cards, the memory, the cautions."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from ...evaluation import Evaluation
from ...language import tr
from ..elided import ElidedLabel
from ..telling import told
from ..theme import UNIT, colours, sized
from ..tool_row import in_columns
from .cards import Card, Offer
from .memory_bar import MemoryBar
from .pool_bars import PoolBars
from .questions import card_texts

COLUMNS = (4, 2, 1)


class AnswerPanel(QWidget):
    """Four cards in a fixed order, the bar of the memory or of each, and one line of cautions.

    lighter: the offer of a format that fits, for an evaluation in which the model does not.
    """

    edited = Signal(dict)
    ranking_asked = Signal()

    def __init__(
        self,
        lighter: Callable[[Evaluation], Offer | None] = lambda _: None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._lighter = lighter
        self.cards = (
            Card(tr("Fits"), tr("Can the model be held in memory at all?")),
            Card(tr("One session"), tr("How fast is one conversation alone?")),
            Card(
                tr("Serving"),
                tr("How many tokens per second in all, while each session stays useful?"),
            ),
            Card(tr("First token"), tr("How long is the wait for the first token?")),
        )
        self.memory = MemoryBar()
        self.pools = PoolBars()
        self._cautions = ElidedLabel()
        self._cautions.setFont(sized("caption"))
        self._folded: tuple[object, ...] = ()
        self._grid = grid = QGridLayout()
        grid.setSpacing(2 * UNIT)
        for place, card in enumerate(self.cards):
            grid.addWidget(card, 0, place)
            card.edited.connect(self.edited)
            card.ranking_asked.connect(self.ranking_asked)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * UNIT)
        layout.addLayout(grid)
        layout.addWidget(self.memory)
        layout.addWidget(self.pools)
        layout.addWidget(self._cautions)
        self._restyle()

    def present(self, evaluation: Evaluation) -> None:
        """Answer from the result, or say in every card why there is none."""
        summary = told(evaluation)
        said = card_texts(evaluation, summary, self._lighter(evaluation))
        for card, text in zip(self.cards, said, strict=True):
            card.present(text)
        self._fold()
        self.memory.present(evaluation)
        self.pools.present(evaluation)
        self.memory.setHidden(bool(self.pools.pools))
        self.pools.setVisible(bool(self.pools.pools))
        found = summary.cautions
        line = ""
        if found:
            words = tr("Caution: {first}")
            if len(found) > 1:
                words = tr("Caution: {first} (and {count} more)")
            line = words.format(first=found[0], count=len(found) - 1)
        self._cautions.say(line, "\n".join(found))

    def _fold(self) -> None:
        """As many cards in a row as have room; all alike, so that their figures stand in lines."""
        gap, least = self._grid.spacing(), self._least_px()
        count = next(n for n in COLUMNS if n == 1 or n * (least + gap) - gap <= self.width())
        each = (self.width() - (count - 1) * gap) // count
        crowded = any(card.is_crowded(each) for card in self.cards)
        folded = (count, each, crowded, *((card.lines(each), card.offers) for card in self.cards))
        if folded == self._folded:
            return
        self._folded = folded
        in_columns(self._grid, self.cards, count)
        for card in self.cards:
            card.setMinimumHeight(0)
            card.fold(crowded, each)
        tallest = max(card.tallest_px for card in self.cards)
        for card in self.cards:
            card.setMinimumHeight(tallest)

    def _least_px(self) -> int:
        return max(card.least_px for card in self.cards)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least_px(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def _restyle(self) -> None:
        self._cautions.setStyleSheet(f"color: {colours(self).below};")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._restyle()
