"""A table in which new figures paint only the cells that look otherwise than before."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QTableView, QWidget

from .cell_delegate import CellDelegate, Cells, Index


class CellView(QTableView):
    """`paint_cells` is called once, by the view that owns the cells."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._painter: CellDelegate | None = None

    def paint_cells(self, cells: Cells, ticked: Callable[[int], bool] | None = None) -> None:
        """Paint with these; ticked: whether the box of a row is, None without boxes."""
        self._painter = CellDelegate(cells, self, ticked)
        self.setItemDelegate(self._painter)

    def reset(self) -> None:
        """There may be fewer columns than were painted."""
        super().reset()
        if self._painter is not None:
            self._painter.forget()

    def dataChanged(self, first: Index, last: Index, roles: Sequence[int] = ()) -> None:
        """Paint what changed of what is in sight; an editor or a screen reader is told as ever."""
        if self._painter is None or first == last or QAccessible.isActive():
            super().dataChanged(first, last, list(roles))
            return
        for row, columns in self._painter.changed(*self._in_sight()).items():
            left = min(map(self.columnViewportPosition, columns))
            right = max(self.columnViewportPosition(at) + self.columnWidth(at) for at in columns)
            place = QRect(left, self.rowViewportPosition(row), right - left, self.rowHeight(row))
            self.viewport().update(place)

    def _in_sight(self) -> tuple[int, int]:
        """The first row in sight, and the one after the last."""
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        count = self.model().rowCount()
        return max(first, 0), count if last < 0 else last + 1
