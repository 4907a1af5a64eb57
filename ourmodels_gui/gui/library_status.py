"""How much there is to choose from, and which files could not be read."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ..language import tr, trn
from ..library.load import Library
from ..problem import Problem
from .theme import CARD_PADDING, UNIT, px, sized


class ProblemList(QWidget):
    """The files that could not be read, each with its key and what to do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        heading = QLabel(tr("Files with problems"), self)
        heading.setFont(sized("heading"))
        self.list = QListWidget(self)
        self.list.setWordWrap(True)
        self.list.setAccessibleName(tr("Files with problems"))
        heading.setBuddy(self.list)
        close = QToolButton(self, autoRaise=True)
        close.setText(tr("Close"))
        close.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.addWidget(heading)
        head.addStretch(1)
        head.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING, UNIT, CARD_PADDING, UNIT)
        layout.addLayout(head)
        layout.addWidget(self.list)
        self.setMaximumHeight(px(180))
        self.hide()

    def offer(self, problems: Sequence[Problem]) -> None:
        """Replace the list; it closes when nothing is left."""
        self.list.clear()
        self.list.addItems([str(problem) for problem in problems])
        if not problems:
            self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            return
        super().keyPressEvent(event)


class LibraryStatus(QWidget):
    """The catalog's version and counts; buttons show its audit and the files with problems."""

    audit = Signal()

    def __init__(self, problems: ProblemList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._problems = problems
        self._catalog = QLabel(self)
        self._catalog.setFont(sized("caption"))
        self.show_audit = self._button()
        self.show_audit.setText(tr("How it was audited"))
        self.show_audit.clicked.connect(self.audit)
        self.show_problems = self._button()
        self.show_problems.clicked.connect(lambda: problems.setVisible(problems.isHidden()))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING - 2, 0, CARD_PADDING, 0)
        layout.setSpacing(2 * UNIT)
        layout.addWidget(self._catalog)
        layout.addWidget(self.show_audit)
        layout.addWidget(self.show_problems)

    def _button(self) -> QToolButton:
        button = QToolButton(self, autoRaise=True)
        button.setFont(sized("caption"))
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def offer(self, library: Library) -> None:
        """Count what a library holds and what it could not read."""
        local = self.locale()
        own = sum(entry.yours for entry in library.machines.values())
        own += sum(entry.yours for entry in library.models.values())
        own += sum(entry.yours for entry in library.compositions.values())
        yours = tr(", {own} of them yours").format(own=local.toString(own))
        self._catalog.setText(
            tr(
                "catalog {version}: {machines} machines, {compositions} compositions, "
                "{models} models"
            ).format(
                version=library.version or tr("without a version"),
                machines=local.toString(len(library.machines)),
                compositions=local.toString(len(library.compositions)),
                models=local.toString(len(library.models)),
            )
            + (yours if own else "")
        )
        count = len(library.problems)
        words = trn("1 file has a problem: show", "{count} files have problems: show", count)
        self.show_problems.setText(f"\u26a0 {words.format(count=local.toString(count))}")
        self.show_problems.setVisible(count > 0)
        self._problems.offer(library.problems)
