"""Narrowing a picker's list: the values of every facet with their counts, to switch on and off."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from ...language import tr
from ...spoken import spoken
from ..elided import ElidedLabel
from ..theme import CARD_PADDING, UNIT, px, sized
from .search import Chosen, Facet

Counts = dict[str, dict[str, int]]
WIDTH_PX, HEIGHT_PX, ROW_PX = 276, 480, 24
PLACE = Qt.ItemDataRole.UserRole


class FacetPopup(QFrame):
    """One list of all values: arrows move, Space switches, Escape closes.

    changed: the values switched on, by facet. Counts are asked for anew after each change.
    """

    changed = Signal(object)

    def __init__(
        self,
        title: str,
        facets: Sequence[Facet],
        count: Callable[[Chosen], Counts],
        parent: QWidget,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._facets = facets
        self._count = count
        self.chosen: dict[str, frozenset[str]] = {}
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName(tr("Filters: {title}").format(title=title))
        self.tree.setHeaderHidden(True)
        self.tree.setColumnCount(2)
        self.tree.setRootIsDecorated(False)
        self.tree.setIndentation(0)
        self.tree.setUniformRowHeights(True)
        self.tree.setFrameShape(QFrame.Shape.NoFrame)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.itemChanged.connect(self._switched)
        self.found = QLabel(self)
        self.found.setFont(sized("caption"))
        self.found.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.reset = QToolButton(self, autoRaise=True)
        self.reset.setText(tr("Clear"))
        self.reset.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.reset.setAccessibleName(tr("Clear all filters"))
        self.reset.clicked.connect(self.clear)
        foot = QHBoxLayout()
        foot.setContentsMargins(UNIT, 0, UNIT, 0)
        foot.addWidget(self.found, 1)
        foot.addWidget(self.reset)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * UNIT, UNIT, 1, UNIT)
        layout.setSpacing(UNIT)
        layout.addWidget(self.tree, 1)
        layout.addLayout(foot)
        self.resize(px(WIDTH_PX), px(HEIGHT_PX))

    def open_at(self, corner: QPoint) -> None:
        """Show below a point of the screen, on it with all of its height."""
        self._fill()
        screen = self.screen().availableGeometry()
        height = min(px(HEIGHT_PX), screen.height() - 2 * CARD_PADDING)
        self.resize(px(WIDTH_PX), height)
        x = max(min(corner.x(), screen.right() - self.width()), screen.left())
        y = max(min(corner.y(), screen.bottom() - height), screen.top())
        self.move(x, y)
        self.show()
        self.tree.setFocus()

    def say_found(self, words: str) -> None:
        """How many rows are left, in words."""
        self.found.setText(words)

    def clear(self) -> None:
        """Switch everything off."""
        self.choose({})

    def choose(self, chosen: Chosen) -> None:
        """Switch on these values, and no other."""
        self.chosen = dict(chosen)
        self._fill()
        self.changed.emit(self.chosen)

    def _fill(self) -> None:
        """Write the values and their counts; what is there is kept, so nothing jumps."""
        counts = self._count(self.chosen)
        self.tree.blockSignals(True)
        known = {item.data(0, PLACE): item for item in self._items()}
        wanted = {
            (facet.key, value) for facet in self._facets for value in counts.get(facet.key, {})
        }
        if known.keys() != wanted:
            self.tree.clear()
            known = {}
            for facet in self._facets:
                if len(counts.get(facet.key, {})) > 1:
                    self._add_heading(tr(facet.title))
                    for value in counts[facet.key]:
                        known[facet.key, value] = self._add_value(facet, value)
            if known:
                self.tree.setCurrentItem(next(iter(known.values())))
        local = self.locale()
        for (key, value), item in known.items():
            count = counts[key][value]
            on = value in self.chosen.get(key, ())
            item.setCheckState(0, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            item.setText(1, local.toString(count))
            colour = QPalette.ColorRole.Text if count or on else QPalette.ColorRole.PlaceholderText
            item.setForeground(0, self.palette().brush(colour))
        self.tree.blockSignals(False)
        self.reset.setEnabled(any(self.chosen.values()))

    def _items(self) -> list[QTreeWidgetItem]:
        every = [self.tree.topLevelItem(n) for n in range(self.tree.topLevelItemCount())]
        return [item for item in every if item is not None and item.data(0, PLACE)]

    def _add_heading(self, title: str) -> None:
        item = QTreeWidgetItem([title])
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFont(0, sized("caption", bold=True))
        item.setSizeHint(0, QSize(0, px(ROW_PX)))
        item.setTextAlignment(0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
        self.tree.addTopLevelItem(item)
        item.setFirstColumnSpanned(True)

    def _add_value(self, facet: Facet, value: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem([spoken(facet.words.get(value, value)), ""])
        item.setFlags(
            Qt.ItemFlag.ItemIsEnabled
            | Qt.ItemFlag.ItemIsSelectable
            | Qt.ItemFlag.ItemIsUserCheckable
        )
        item.setData(0, PLACE, (facet.key, value))
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setForeground(1, self.palette().brush(QPalette.ColorRole.PlaceholderText))
        self.tree.addTopLevelItem(item)
        return item

    def _switched(self, item: QTreeWidgetItem) -> None:
        key, value = item.data(0, PLACE)
        values = self.chosen.get(key, frozenset())
        on = item.checkState(0) == Qt.CheckState.Checked
        self.chosen = {**self.chosen, key: values | {value} if on else values - {value}}
        self._fill()
        self.changed.emit(self.chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.hide()
            return
        super().keyPressEvent(event)


class FilterBar(QWidget):
    """Which values narrow the list, in one line, and a way to drop them; no room without any."""

    cleared = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = ElidedLabel(self)
        self.words.setFont(sized("caption"))
        self.words.setForegroundRole(QPalette.ColorRole.Link)
        self.clear = QToolButton(self, autoRaise=True)
        self.clear.setText(tr("Clear"))
        self.clear.setFont(sized("caption"))
        self.clear.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clear.setAccessibleName(tr("Clear the filters: {title}").format(title=title))
        self.clear.clicked.connect(self.cleared)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(UNIT)
        layout.addWidget(self.words, 1, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self.clear)
        self.hide()

    def say(self, chosen: Chosen, found: str) -> None:
        """Show the values by facet, and how many rows they leave."""
        parts = [", ".join(sorted(map(spoken, values))) for values in chosen.values() if values]
        self.words.say(" \u00b7 ".join((*parts, found)))
        self.setVisible(bool(parts))
