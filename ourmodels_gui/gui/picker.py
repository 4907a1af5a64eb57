"""A searchable list of things to choose from, one painted row for each."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from .elided import ElidedLabel
from .form import LABEL_PX, message, say
from .rows import Row, RowDelegate, RowModel
from .theme import CARD_PADDING, UNIT, sized


class RowList(QListView):
    """Keeps the current row in sight when the list is made smaller."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.currentIndex().isValid():
            self.scrollTo(self.currentIndex())


class Picker(QWidget):
    """A heading, what is chosen, a search field and the list.

    Typing in the field filters; arrows move in the list, Enter or a click chooses.
    """

    picked = Signal(str)
    NOTHING = ""

    def __init__(
        self, title: str, columns: Sequence[str], hint: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        heading = QLabel(title, self)
        heading.setFont(sized("heading"))
        heading.setMinimumWidth(LABEL_PX)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(hint)
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(self.tr("Search: {title}").format(title=title))
        self.search.installEventFilter(self)
        heading.setBuddy(self.search)
        self.chosen = ElidedLabel(self)
        self.chosen.setFont(sized("text", bold=True))
        self.chosen_name = ""
        self.note = message(self)
        self.model = RowModel(self)
        self.view = RowList(self)
        self.view.setModel(self.model)
        self._delegate = RowDelegate(columns, self.view, self.searching)
        self.view.setItemDelegate(self._delegate)
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setAccessibleName(title)
        self.view.setMinimumHeight(3 * self.view.sizeHintForRow(0) if self.model.total else 72)
        self.view.clicked.connect(self._choose)
        self.view.installEventFilter(self)
        self.empty = message(self)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.search.textEdited.connect(self._search)
        self.search.textChanged.connect(self._search)

        self.head = QHBoxLayout()
        self.head.setSpacing(2 * UNIT)
        self.head.addWidget(heading)
        self.head.addWidget(self.search, 1)
        self.column = layout = QVBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING, 2 * UNIT, CARD_PADDING, UNIT)
        layout.setSpacing(UNIT)
        layout.addLayout(self.head)
        layout.addWidget(self.chosen)
        layout.addWidget(self.note)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.empty)

    def offer_rows(self, rows: Sequence[Row]) -> None:
        """Replace what can be chosen."""
        self.model.offer(rows)
        self._mark()

    def show_chosen(
        self, row_id: str, name: str, words: str = "", *, note: str = "", missing: bool = False
    ) -> None:
        """Name the choice above the list and mark its row.

        words: what stands above the list, where that is more than the name. note: what is special
        about the choice. missing: it does not exist.
        """
        self.chosen.say(words or name)
        self.chosen_name = name
        self.chosen.setForegroundRole(
            QPalette.ColorRole.BrightText if missing else QPalette.ColorRole.WindowText
        )
        say(self.note, note)
        if row_id != self._delegate.chosen:
            self._delegate.chosen = row_id
            self._mark()

    def searching(self) -> bool:
        return self.search.hasFocus()

    def focus_search(self) -> None:
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def _search(self, text: str) -> None:
        self.model.search(text)
        self._mark()

    def _mark(self) -> None:
        """Put the list's own highlight on the chosen row, or on the first match while searching."""
        if self._delegate.chosen:
            index = self.model.index_of(self._delegate.chosen)
        else:
            index = QModelIndex()
        if not index.isValid() and self.search.text():
            index = self.model.index(0)
        self.view.setCurrentIndex(index)
        if index.isValid():
            self.view.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        found = self.model.rowCount()
        self.view.setVisible(found > 0)
        if found:
            say(self.empty, "")
        elif self.model.total:
            text = self.search.text()
            say(self.empty, self.tr("Nothing matches \u201c{text}\u201d.").format(text=text))
        else:
            say(self.empty, self.NOTHING)
        self.view.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            row: Row = index.data(RowModel.RowRole)
            self.picked.emit(row.id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._choose(self.view.currentIndex())
                return True
            if key == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
            moves = (
                Qt.Key.Key_Down,
                Qt.Key.Key_Up,
                Qt.Key.Key_PageDown,
                Qt.Key.Key_PageUp,
            )
            if watched is self.search and key in moves:
                self.view.event(event)
                return True
            if watched is self.view and event.text().isprintable() and event.text().strip():
                # Typing on the list goes on in the search field.
                self.search.setFocus()
                self.search.event(event)
                return True
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.view.viewport().update()
        return super().eventFilter(watched, event)
