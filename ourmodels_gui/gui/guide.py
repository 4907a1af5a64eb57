"""One quiet line on what a tab shows; once it is known it can be put away."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTabBar, QTabWidget, QToolButton, QWidget

from ..language import mark, tr
from .lazy_view import LazyView
from .preferences import Preferences
from .theme import UNIT, sized

GUIDES = {
    mark("Decode"): mark(
        "Every number of sessions at once has two ceilings: more sessions make each "
        "one slower and, while memory of one speed holds them, all of them together "
        "faster. The best number gives the most together, each at the floor or above."
    ),
    mark("Prefill"): mark(
        "Before the first token the whole prompt goes through the model. Short "
        "prompts wait for the weights to be read, long ones for the arithmetic; the "
        "lower of the two lines is the ceiling."
    ),
    mark("Memory traffic"): mark(
        "One machine, charged in two ways. At the left an iteration moves the "
        "weights alone, at the right every session's context as well: the gap is the "
        "price of context."
    ),
    mark("Cache"): mark(
        "A session keeps all that it has read. The reserved length decides how many "
        "sessions fit, the length read how fast each one is; a smaller format helps "
        "both."
    ),
    mark("Speculation"): mark(
        "A draft proposes tokens that the model checks in one pass. It pays where "
        "enough of them are accepted for what the draft costs; at the shaded numbers "
        "of sessions it does not."
    ),
    mark("Evidence"): mark(
        "What real runs reached, held against the ceiling of their own conditions. "
        "Nothing here changes a ceiling; a run above one means that an input is "
        "wrong."
    ),
    mark("Rank"): mark(
        "One question to the whole catalog: which machine for this model, which "
        "model for this machine. Type below a title to narrow a column, click the "
        "title to sort; Space marks a row for comparison, Enter opens it."
    ),
    mark("Find"): mark(
        "Say what is needed, and see which machines can meet it, by price. One that "
        "fails is out for certain; one that passes has no ceiling in its way, which "
        "is not yet a promise."
    ),
    mark("Compare"): mark(
        "Two to six machines or models side by side, at the workload at the left: "
        "where their ceilings cross, what differs, and which is best in what."
    ),
}
"""What each tab shows, by its title in English."""


class Guide(QWidget):
    """The line with its button."""

    dismissed = Signal()

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = QLabel(words)
        self.words.setWordWrap(True)
        self.words.setFont(sized("caption"))
        self.words.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.close_button = QToolButton(autoRaise=True)
        self.close_button.setText("\u00d7")
        self.close_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.close_button.setAccessibleName(tr("Put this hint away"))
        self.close_button.setToolTip(tr("Put this hint away; F1 on the tab's name shows it again"))
        self.close_button.clicked.connect(self.dismissed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2 * UNIT, 0, 0)
        row.addWidget(self.words, 1)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)


def guide_tab(tabs: QTabWidget, tab: LazyView, title: str, preferences: Preferences) -> None:
    """Say above the last tab what it shows, unless it was put away.

    The words stay on the tab's name. title: as `GUIDES` has it.
    """
    words = tr(GUIDES.get(title, ""))
    tabs.setTabToolTip(tabs.count() - 1, words)
    if not words or title in preferences.settings.hints_put_away:
        return

    def put_away() -> None:
        kept = preferences.settings.hints_put_away
        preferences.edit(hints_put_away=(*kept, title))

    def make() -> Guide:
        guide = Guide(words)
        guide.dismissed.connect(guide.hide)
        guide.dismissed.connect(put_away)
        return guide

    tab.put_above(make)


def explained(widget: QWidget) -> str:
    """What a control is for, in words; of a row of tabs, what the chosen one shows."""
    words = ""
    if isinstance(widget, QTabBar):
        words = widget.tabToolTip(widget.currentIndex())
    return words or widget.toolTip() or widget.accessibleName()
