"""The head of the ranking: titles with the arrow, and a field below each to narrow its column."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit

from ...language import tr
from ...ranking.columns import BY_ID
from ...ranking.order import Range
from ..theme import UNIT, colours, px, sized
from .ranges import HINT, parse_range
from .rank_model import title

FIELD_PX = 24
WAIT_MS = 150


class RankHeader(QHeaderView):
    """narrowed: the ranges as typed, by column, after they changed. refused: (column, why) of one
    that cannot be read. left: the keyboard goes back to the rows. menu_asked: which columns?"""

    narrowed = Signal(object)
    refused = Signal(str, str)
    left = Signal()

    def __init__(self, view: QAbstractItemView) -> None:
        self.fields: dict[str, QLineEdit] = {}  # before Qt's own part, which asks for its places
        self._columns: tuple[str, ...] = ()
        super().__init__(Qt.Orientation.Horizontal, view)
        self.setFont(sized("caption"))
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setStretchLastSection(False)
        self._typing = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._typing.timeout.connect(self._tell)
        self.sectionResized.connect(lambda *_: self.place())
        view.horizontalScrollBar().valueChanged.connect(lambda _: self.place())

    def offer(self, columns: Sequence[str], texts: Mapping[str, str]) -> None:
        """A field for each column of figures, with what was typed in it before."""
        if tuple(columns) != self._columns:
            self._columns = tuple(columns)
            for column in BY_ID:
                if column in columns and column not in self.fields:
                    self._add(column)
        for column, field in self.fields.items():
            field.setVisible(column in self._columns)
            if not field.hasFocus() and field.text() != texts.get(column, ""):
                field.setText(texts.get(column, ""))
                self._judge(field, column)
        self.place()

    def _add(self, column: str) -> None:
        field = QLineEdit(self)
        field.setFont(sized("caption"))
        field.setPlaceholderText("≤" if BY_ID[column].better == "less" else "≥")
        field.setAccessibleName(tr("Range of {column}").format(column=title(column)))
        field.setAccessibleDescription(tr(HINT))
        field.setToolTip(tr(HINT))
        field.textEdited.connect(lambda _text, column=column: self._edited(column))
        field.editingFinished.connect(self._finish)
        field.installEventFilter(self)
        self.fields[column] = field

    def focus_field(self, column: str) -> bool:
        """Go to the field of a column, or to the first; False where there is none."""
        field = self.fields.get(column) if column in self._columns else None
        field = field or next(
            (self.fields[each] for each in self._columns if each in self.fields), None
        )
        if field is None:
            return False
        field.setFocus()
        field.selectAll()
        return True

    def ranges(self) -> dict[str, Range]:
        """What the fields narrow to; one that cannot be read narrows nothing."""
        found = {}
        for column in self._columns:
            if column in self.fields:
                try:
                    asked = parse_range(self.fields[column].text(), BY_ID[column].better)
                except ValueError:
                    continue
                if asked is not None:
                    found[column] = asked
        return found

    def texts(self) -> dict[str, str]:
        """What stands in the fields, by column."""
        return {
            column: field.text().strip()
            for column, field in self.fields.items()
            if field.text().strip()
        }

    def clear(self) -> None:
        """Empty every field."""
        for column, field in self.fields.items():
            field.clear()
            self._judge(field, column)

    def _edited(self, column: str) -> None:
        self._judge(self.fields[column], column)
        self._typing.start()

    def _judge(self, field: QLineEdit, column: str) -> None:
        """Colour what cannot be read; while it is typed nothing more is said."""
        try:
            parse_range(field.text(), BY_ID[column].better)
        except ValueError as error:
            field.setStyleSheet(f"color: {colours(self).unfit}")
            field.setToolTip(f"{error}\n\n{tr(HINT)}")
        else:
            field.setStyleSheet("")
            field.setToolTip(tr(HINT))

    def _finish(self) -> None:
        if self._typing.isActive():
            self._typing.stop()
            self._tell()

    def _tell(self) -> None:
        self.narrowed.emit(self.texts())
        for column in self._columns:
            field = self.fields.get(column)
            if field is None:
                continue
            try:
                parse_range(field.text(), BY_ID[column].better)
            except ValueError as error:
                self.refused.emit(column, str(error))
                return

    # Place

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), self._title_px() + px(FIELD_PX) + UNIT)

    def _title_px(self) -> int:
        return 2 * self.fontMetrics().height() + 2 * UNIT

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        top = QRect(rect.x(), rect.y(), rect.width(), self._title_px())
        painter.fillRect(rect, self.palette().window())
        super().paintSection(painter, top, logical)

    def updateGeometries(self) -> None:
        super().updateGeometries()
        self.place()

    def place(self) -> None:
        """Put every field under its title."""
        for column, field in self.fields.items():
            if column not in self._columns:
                continue
            section = self._columns.index(column)
            if section < self.count():
                x = self.sectionViewportPosition(section)
                field.setGeometry(
                    x + 2, self._title_px() + 1, self.sectionSize(section) - 4, px(FIELD_PX)
                )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            keys = Qt.Key
            if event.key() == keys.Key_Escape and isinstance(watched, QLineEdit) and watched.text():
                watched.clear()
                self._typing.start(0)
                return True
            if event.key() in (keys.Key_Down, keys.Key_Return, keys.Key_Enter, keys.Key_Escape):
                self._finish()
                self.left.emit()
                return True
        return super().eventFilter(watched, event)
