"""The head of a group of fields: its title, how many values differ, a way back to the defaults."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton

from ..language import tr
from .elided import ElidedLabel
from .theme import UNIT, sized
from .tool_row import ToolRow


class GroupHead(ToolRow):
    """folded: the user wants the group open or shut, whichever it is not.

    heading: the title where the group cannot be folded. reset: the button back to the defaults.
    said: what is wrong or odd at the fields; its room is kept, so that nothing moves when it comes.
    """

    folded = Signal()

    def __init__(self, *, foldable: bool, has_defaults: bool) -> None:
        self.heading, self.changed = QLabel(), QLabel()
        self._button, self.reset = QToolButton(autoRaise=True), QToolButton(autoRaise=True)
        self.said = ElidedLabel(lines=2)
        pieces = (self.heading, self._button, self.changed, self.said)
        super().__init__(pieces, (self.reset,), 2 * UNIT)
        self.said.setFont(sized("caption"))
        self.said.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._foldable, self._has_defaults = foldable, has_defaults
        self._title = ""
        self.heading.setFont(sized("heading"))
        self._button.setFont(sized("text", bold=True))
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._button.clicked.connect(self.folded)
        self.changed.setFont(sized("caption"))
        self.changed.setForegroundRole(QPalette.ColorRole.Link)
        self.reset.setText(tr("Reset"))
        self.reset.setFont(sized("caption"))
        self.reset.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.reset.setToolTip(tr("Use the defaults for every value of this group."))
        self.heading.setHidden(foldable)
        self._button.setVisible(foldable)
        self.changed.setVisible(foldable)

    def set_title(self, title: str) -> None:
        self._title = title
        self.heading.setText(title)
        self._button.setText(title)
        self.reset.setAccessibleName(tr("Reset {group}").format(group=title))

    def show_open(self, is_open: bool) -> None:
        """Point at the fields where they are open."""
        arrow = Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow
        self._button.setArrowType(arrow)
        self.said.setVisible(is_open)

    def tell(self, wrong: Sequence[str], odd: Sequence[str]) -> None:
        """Say what is wrong at the fields, and then what is odd; nothing where all is well."""
        role = QPalette.ColorRole
        self.said.setForegroundRole(role.BrightText if wrong else role.PlaceholderText)
        self.said.say(" ".join((*wrong, *odd)))

    def mark(self, count: int) -> None:
        """Say how many values differ from the defaults, and offer to reset them."""
        self.reset.setVisible(count > 0 and self._has_defaults)
        if self._foldable and self._has_defaults:
            words = tr("\u25cf {count} changed").format(count=count)
            self.changed.setText(words if count else "")
            self._button.setAccessibleName(
                tr("{title}, {count} changed").format(title=self._title, count=count)
            )
