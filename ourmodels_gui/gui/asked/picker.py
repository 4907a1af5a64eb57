"""A searchable list of things to choose from, one painted row for each."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ...language import tr
from ..basis_mark import MARK_PX, basis_icon, basis_words
from ..captions import message, say
from ..elided import ElidedLabel
from ..theme import CARD_PADDING, UNIT, px, sized
from .facets import FacetPopup, FilterBar
from .rows import RowDelegate, RowList, RowModel
from .search import Chosen, Facet, Row, counts

HEADING_PX = 72


class Picker(QWidget):
    """A heading, what is chosen, a search field, filters and the list.

    Typing in the field filters; arrows move in the list, Enter or a click chooses. `sources` asks
    for the evidence of what is chosen.
    """

    picked = Signal(str)
    sources = Signal()
    NOTHING = ""
    SOURCES_KEY = "Ctrl+I"
    OWN = "standing"
    """The facet that tells the user's own from the shipped."""

    def __init__(
        self,
        title: str,
        columns: Sequence[str],
        hint: str,
        parent: QWidget | None = None,
        *,
        facets: Sequence[Facet] = (),
    ) -> None:
        super().__init__(parent)
        self._title = title
        self._facets = facets
        self._popup: FacetPopup | None = None
        self._basis = ""
        self.chosen_name = ""
        self.model = RowModel(self)
        self._build_head(hint)
        self._build_choice()
        self._build_list(columns)
        self.empty = message(self)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.search.textEdited.connect(self._search)
        self.search.textChanged.connect(self._search)
        self.column = layout = QVBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING, 2 * UNIT, CARD_PADDING, UNIT)
        layout.setSpacing(UNIT)
        layout.addLayout(self.head)
        layout.addLayout(self._named)
        layout.addWidget(self.note)
        layout.addWidget(self.filters)
        layout.addWidget(self.view, 1)
        layout.addWidget(self.empty, 1)

    def _build_head(self, hint: str) -> None:
        heading = QLabel(self._title, self)
        heading.setFont(sized("heading"))
        heading.setMinimumWidth(px(HEADING_PX))
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(hint)
        self.search.setToolTip(hint)
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(tr("Search: {title}").format(title=self._title))
        self.search.installEventFilter(self)
        heading.setBuddy(self.search)
        self.filter = QToolButton(self, autoRaise=True)
        self.filter.setText(tr("Filter"))
        self.filter.setAccessibleName(tr("Filter: {title}").format(title=self._title))
        self.filter.setToolTip(tr("Narrow the list by maker, kind, size and more"))
        self.filter.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.filter.setVisible(bool(self._facets))
        self.filter.clicked.connect(self.open_filters)
        self.head = QHBoxLayout()
        self.head.setSpacing(UNIT)
        self.head.addWidget(heading)
        self.head.addWidget(self.search, 1)
        self.head.addWidget(self.filter)

    def _build_choice(self) -> None:
        self.chosen = ElidedLabel(self)
        self.chosen.setFont(sized("text", bold=True))
        self.evidence = QToolButton(self, autoRaise=True)
        self.evidence.setText(tr("Sources"))
        self.evidence.setFont(sized("caption"))
        self.evidence.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.evidence.setIconSize(QSize(px(MARK_PX), px(MARK_PX)))
        self.evidence.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.evidence.clicked.connect(self.sources)
        self._named = QHBoxLayout()
        self._named.setSpacing(UNIT)
        self._named.addWidget(self.chosen, 1)
        self._named.addWidget(self.evidence)
        self._show_basis()
        self.note = message(self)
        self.note.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.filters = FilterBar(self._title, self)
        self.filters.cleared.connect(self.clear_filters)

    def _build_list(self, columns: Sequence[str]) -> None:
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
        self.view.setAccessibleName(self._title)
        self.view.setMinimumHeight(px(72))
        self.view.clicked.connect(self._choose)
        self.view.installEventFilter(self)

    def offer_rows(self, rows: Sequence[Row]) -> None:
        """Replace what can be chosen."""
        self.model.offer(rows)
        self._mark()

    def show_chosen(
        self,
        row_id: str,
        name: str,
        words: str = "",
        *,
        note: str = "",
        missing: bool = False,
        basis: str = "",
    ) -> None:
        """Name the choice above the list and mark its row.

        words: what stands above the list, where that is more than the name. note: what is special
        about the choice. missing: it does not exist. basis: what its figures rest on.
        """
        self.evidence.setEnabled(not missing)
        if basis != self._basis:
            self._basis = basis
            self._show_basis()
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

    def open_filters(self) -> None:
        """Show the facets with their counts below their button."""
        if not self._facets:
            return
        popup = self._filters()
        popup.say_found(self._found())
        popup.open_at(self.filter.mapToGlobal(QPoint(0, self.filter.height())))

    def _filters(self) -> FacetPopup:
        if self._popup is None:
            self._popup = FacetPopup(self._title, self._facets, self._counts, self)
            self._popup.changed.connect(self._narrow)
        return self._popup

    def narrow_to(self, chosen: Chosen) -> None:
        """Switch on these values, and no other."""
        self._filters().choose(chosen)

    def narrow_to_own(self) -> None:
        """List what is the user's own alone."""
        self.narrow_to({self.OWN: frozenset({"yours"})})
        self.view.setFocus()

    def clear_filters(self) -> None:
        """Show every row that the search finds."""
        if self._popup is not None:
            self._popup.clear()
        self.search.setFocus()

    def _counts(self, chosen: Chosen) -> dict[str, dict[str, int]]:
        return counts(self.model.rows, self._facets, self.model.text, chosen)

    def _narrow(self, chosen: Chosen) -> None:
        self.model.narrow(chosen)
        number = sum(len(values) for values in chosen.values())
        words = tr("Filter")
        self.filter.setText(f"{words} {self.locale().toString(number)}" if number else words)
        self.view.scrollToTop()
        self._mark()
        if self._popup is not None:
            self._popup.say_found(self._found())

    def _found(self) -> str:
        local = self.locale()
        shown, total = self.model.rowCount(), self.model.total
        return tr("{shown} of {total}").format(
            shown=local.toString(shown), total=local.toString(total)
        )

    def _show_basis(self) -> None:
        words = tr("Every figure with its source ({key})").format(key=self.SOURCES_KEY)
        self.evidence.setIcon(basis_icon(self._basis, self))
        self.evidence.setToolTip("\n".join(filter(None, (words, basis_words(self._basis)))))
        self.evidence.setAccessibleName(
            ", ".join(
                filter(None, (tr("Sources: {title}").format(title=self._title), tr(self._basis)))
            )
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "evidence"):
            self._show_basis()

    def _search(self, text: str) -> None:
        self.model.search(self.looked_for(text))
        self._mark()

    def looked_for(self, text: str) -> str:
        """What of the typed words is looked for in the rows."""
        return text

    def _mark(self) -> None:
        """Put the list's own highlight on the chosen row, or on the first match while searching."""
        if self._delegate.chosen:
            index = self.model.index_of(self._delegate.chosen)
        else:
            index = QModelIndex()
        if not index.isValid() and self.search.text():
            index = self.model.index(0)
        self.view.setCurrentIndex(index)
        self.view.bring(index)
        found = self.model.rowCount()
        self.filters.say(self.model.chosen, self._found())
        self.view.setVisible(found > 0)
        if found:
            say(self.empty, "")
        elif self.model.total:
            text = self.search.text().strip()
            words = tr("Nothing matches \u201c{text}\u201d.").format(text=text)
            narrowed = tr("Nothing matches the filters.")
            say(self.empty, words if text else narrowed)
        else:
            say(self.empty, self.NOTHING)
        self.view.viewport().update()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            row: Row = index.data(RowModel.RowRole)
            self.search.setModified(False)
            self.picked.emit(row.id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # With nothing typed since the choice there is none of it to undo here, but the choice.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and not (self.search.text() and self.search.isModified())
            and (
                event.matches(QKeySequence.StandardKey.Undo)
                or event.matches(QKeySequence.StandardKey.Redo)
            )
        ):
            event.ignore()
            return True
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
