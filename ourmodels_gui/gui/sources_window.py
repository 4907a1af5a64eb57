"""Where the figures come from: of the chosen machine, of the chosen model, and the audit of all."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QHideEvent,
    QKeySequence,
    QShortcut,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from ..composed import ComposedHardware, Hardware
from ..evaluation import Evaluation
from ..language import tr
from ..library.audit_page import audit_page
from ..library.load import Library
from ..library.lookup import hardware_in_use
from ..library.provenance import Told, as_text, details, of_machine, of_model
from ..library.provenance_composed import of_composition
from ..scenario import ModelRef
from . import typed
from .asked.assembly import Assembly
from .asked.rows import Index
from .basis_mark import basis_icon
from .elided import ElidedLabel
from .tables import VALUE_ROLE, Cell, FigureTable
from .theme import CARD_PADDING, GROUP_GAP, UNIT, fixed_font, open_at, sized

BASIS_COLUMN = 2
PAGES = ("machine", "model", "audit")


class BasisDelegate(QStyledItemDelegate):
    """Puts the sign of a basis before its word."""

    def __init__(self, table: QWidget) -> None:
        super().__init__(table)
        self._table = table

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if option.text:
            selected = option.state & QStyle.StateFlag.State_Selected
            # Its colours would not stand out from the selection; its room is kept.
            basis = index.data(VALUE_ROLE)
            option.icon = basis_icon("" if selected else basis, self._table)
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration


class SourcePage(QWidget):
    """One row for each figure; below it, the chosen one in full, the conflicts and the notes."""

    def __init__(self, name: str, widest: str, parent: QWidget | None = None) -> None:
        """widest: a value that must fit."""
        super().__init__(parent)
        self._told: Told | None = None
        self.title = ElidedLabel(self)
        self.title.setFont(sized("heading"))
        self.table = FigureTable(
            tr("Figures and sources: {name}").format(name=name),
            (
                tr("figure"),
                tr("value"),
                tr("rests on"),
                tr("source"),
                tr("read"),
            ),
            ("rate FP8, FP16 accumulation m", widest, "unverified mm", "", ""),
            left=(0, 2, 3, 4),
            stretched=3,
        )
        self.table.setColumnWidth(4, self.table.fontMetrics().horizontalAdvance("2026-12-30") + 16)
        self.table.setItemDelegateForColumn(BASIS_COLUMN, BasisDelegate(self.table))
        self.table.selectionModel().currentRowChanged.connect(self._say_details)
        self.text = QPlainTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.text.setAccessibleName(tr("Source in full, conflicts and notes"))
        self.text.setFont(fixed_font())
        copy = QPushButton(tr("Copy all"), self)
        copy.setAccessibleName(tr("Copy every figure with its source"))
        copy.setAutoDefault(False)
        copy.clicked.connect(self.copy)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(copy)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.table)
        split.addWidget(self.text)
        split.setSizes([300, 200])
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(CARD_PADDING, CARD_PADDING, CARD_PADDING, CARD_PADDING)
        layout.setSpacing(2 * UNIT)
        layout.addLayout(head)
        layout.addWidget(split, 1)

    def present(self, told: Told) -> None:
        """Show an entry's figures; the same as before keeps the chosen row."""
        if told == self._told:
            return
        self._told = told
        self.title.say(told.title)
        self.table.clearSelection()
        self.table.setCurrentIndex(QModelIndex())
        self.table.present(
            [
                (
                    Cell(row.name),
                    Cell(f"{row.value} {row.unit}".strip()),
                    Cell(tr(row.basis), row.basis, tr(row.basis)),
                    Cell(row.source, note=row.place),
                    Cell(row.read),
                )
                for row in told.rows
            ]
        )
        self.table.scrollToTop()
        self._say_details(QModelIndex())

    def copy(self) -> None:
        """Every figure with its evidence, as text."""
        if self._told is not None:
            QGuiApplication.clipboard().setText(as_text(self._told))

    def _say_details(self, index: QModelIndex) -> None:
        if self._told is None:
            return
        lines = []
        if index.isValid():
            lines += [*details(self._told.rows[index.row()]), ""]
        elif self._told.rows:
            lines += [tr("Choose a figure to see its source in full."), ""]
        for title, sentences in (
            (tr("Known conflicts"), self._told.conflicts),
            (tr("Notes"), self._told.notes),
        ):
            if sentences:
                lines += [title, *(f"\u2022 {sentence}" for sentence in sentences), ""]
        self.text.setPlainText("\n".join(lines).rstrip())


class SourcesWindow(QDialog):
    """Stays open beside the window and follows what is chosen there."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Sources"))
        self._library: Library | None = None
        self.machine = SourcePage(tr("machine"), "1463.6 TFLOP/s")
        self.model = SourcePage(tr("model"), "30,532,122,624 parameters")
        self.audit = QTextBrowser()
        self.audit.setOpenLinks(False)
        self.audit.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.audit.setAccessibleName(tr("How this catalog was audited"))
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.machine, tr("Machine"))
        self.tabs.addTab(self.model, tr("Model"))
        self.tabs.addTab(self.audit, tr("How this catalog was audited"))
        self.tabs.currentChanged.connect(self._show_audit)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tabs)
        close = QShortcut(QKeySequence.StandardKey.Close, self)
        close.activated.connect(self.close)
        open_at(self, 960, 640)

    def open_page(self, page: str) -> None:
        """Bring one of `PAGES` to the front."""
        self.tabs.setCurrentIndex(PAGES.index(page))
        self.show()
        self.raise_()
        self.activateWindow()
        shown = (self.machine.table, self.model.table, self.audit)[PAGES.index(page)]
        shown.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._library = None  # it may be replaced meanwhile, and is given again
        self.audit.clear()

    def present(self, evaluation: Evaluation, library: Library) -> None:
        """Show where the figures of a scenario's machine and model come from."""
        hardware, model = evaluation.scenario.hardware, evaluation.scenario.model
        known = library.models.get(model.id) if isinstance(model, ModelRef) else None
        self.machine.present(self._of_hardware(hardware, library))
        self.model.present(
            of_model(known, library.sources, typed.separators())
            if known
            else self._without_sources()
        )
        if library is not self._library:
            self._library = library
            self.audit.clear()
            self._show_audit()

    def _of_hardware(self, hardware: Hardware, library: Library) -> Told:
        chosen = hardware if isinstance(hardware, str) else ""
        if chosen in library.machines:
            return of_machine(library.machines[chosen], library.sources, typed.separators())
        written = hardware_in_use(hardware, library)
        if not isinstance(written, ComposedHardware):
            return self._without_sources()
        ready = library.compositions.get(chosen)
        title = Assembly(hardware, library).title
        record = ready.record if ready else None
        return of_composition(title, written, library, record, typed.separators())

    def _show_audit(self) -> None:
        """The page is long; it is written when it is first looked at."""
        wanted = self.tabs.currentWidget() is self.audit
        if wanted and self._library is not None and self.audit.document().isEmpty():
            self.audit.setMarkdown("\n".join(audit_page(self._library)))
            _space_out(self.audit.document())

    def _without_sources(self) -> Told:
        return Told(
            tr("Not of the catalog"),
            (),
            notes=(tr("It is written out in the scenario, or unknown here: it has no sources."),),
        )


def _space_out(document: QTextDocument) -> None:
    """Headings in the window's sizes, and room between paragraphs."""
    document.setDocumentMargin(CARD_PADDING)
    cursor = QTextCursor(document)
    block = document.begin()
    while block.isValid():
        cursor.setPosition(block.position())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        level = block.blockFormat().headingLevel()
        if level:
            heading = QTextCharFormat()
            size = sized("heading").pixelSize() + (5 if level == 1 else 0)
            heading.setProperty(QTextFormat.Property.FontPixelSize, size)
            heading.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
            cursor.mergeCharFormat(heading)
        if cursor.currentTable() is None:
            room = block.blockFormat()
            room.setTopMargin(GROUP_GAP if level else UNIT)
            room.setBottomMargin(2 * UNIT)
            cursor.setBlockFormat(room)
        block = block.next()
