"""A ceiling against price or power: what nothing beats is drawn as a line, and named."""

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from ...language import tr
from ...ranking.columns import BY_ID
from ...ranking.table import Table
from ...ranking.value import ValuePlot as Values
from .. import typed
from ..plots.axes import LogAxis, Reading, log, one_two_five, rate_tick
from ..plots.log_plot import LogPlot

NAMED = 24
"""Most names; the front rarely has more steps."""
NEAR_PX = 24.0


class ValuePlot(LogPlot):
    """Left and right go from point to point, Enter or a click opens one. opened: a row."""

    opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Value: a ceiling against price or power"),
            x=LogAxis("bottom", tr("price"), one_two_five, rate_tick),
            y=LogAxis("left", tr("tokens per second"), one_two_five, rate_tick),
            parent=parent,
        )
        self._table: Table | None = None
        self._values: Values | None = None
        self._columns = ("price", "aggregate_tokens_per_s")
        self._at: int | None = None
        self._front = self.curve("serves", width=1.0)
        self._beaten = self.points("muted", filled=False)
        self._best = self.points("serves", filled=True)
        self._here = self.points("accent", filled=False)
        self._here.setSize(15)
        for points in (self._beaten, self._best, self._here):
            points.setZValue(25)  # above the names: a name may cover a line, never a machine
        self._names = [self.note("text") for _ in range(NAMED)]
        self.read = self._read
        self.scene().sigMouseClicked.connect(self._clicked)

    def present(self, table: Table, values: Values, x: str, y: str, here: int | None) -> None:
        """Draw the points of two columns; here: the row that the scenario stands at."""
        self._table, self._values, self._columns = table, values, (x, y)
        self._at = None
        self.say("")
        across, up = self._axes
        across._counts = f"{tr(BY_ID[x].title)}, {tr(table.unit(x))}"
        up._counts = f"{tr(BY_ID[y].title)}, {tr(table.unit(y))}"
        self.restyle()
        on = np.flatnonzero(values.front)
        on = on[np.argsort(values.x[on], kind="stable")]
        self._front.show_values(*_steps(values.x[on], values.y[on]))
        beaten = ~values.front
        self._beaten.show_values(
            list(zip(values.x[beaten].tolist(), values.y[beaten].tolist(), strict=True))
        )
        self._best.show_values(list(zip(values.x[on].tolist(), values.y[on].tolist(), strict=True)))
        place = np.flatnonzero(values.rows == here) if here is not None else np.empty(0, np.intp)
        self._here.show_values(
            [(float(values.x[at]), float(values.y[at])) for at in place.tolist()]
        )
        named = [*place.tolist(), *(at for at in on.tolist()[::-1] if at not in place)]
        for note in self._names:
            note.show_at(None, None, "")
        for note, at in zip(self._names, named, strict=False):
            name = table.machine_of(int(values.rows[at])).name
            note.show_at(float(values.x[at]), float(values.y[at]), name)
        self.set_span(
            float(values.x.min()) / 1.15,
            float(values.x.max()) * 1.15,
            float(values.y.min()) / 1.3,
            float(values.y.max()) * 1.3,
        )

    def clear_values(self) -> None:
        """Show nothing."""
        self._table = self._values = self._at = None
        for points in (self._beaten, self._best, self._here):
            points.show_values(())

    @property
    def row(self) -> int | None:
        """The row of the point in use."""
        if self._values is None or self._at is None:
            return None
        return int(self._values.rows[self._at])

    def _read(self, _x: float) -> Reading | None:
        if self._values is None or self._table is None or self._at is None:
            return None
        table, row = self._table, int(self._values.rows[self._at])
        rows = tuple(
            (
                tr(BY_ID[column].title),
                f"{table.cell(column, row, typed.separators())} {tr(table.unit(column))}",
            )
            for column in (*self._columns, "best_batch")
        )
        beaten = () if self._values.front[self._at] else (("", self._beaten_by(self._at)),)
        dots = ((float(self._values.y[self._at]), "serves"),)
        x = float(self._values.x[self._at])
        return Reading(x, table.machine_of(row).name, (*rows, *beaten), dots)

    def _beaten_by(self, at: int) -> str:
        """Who gives at least as much for no more."""
        assert self._values is not None and self._table is not None
        values = self._values
        better = values.front & (values.x <= values.x[at]) & (values.y >= values.y[at])
        best = np.flatnonzero(better)
        name = self._table.machine_of(int(values.rows[best[np.argmax(values.y[best])]])).name
        return (
            tr("{name} gives more for no more").format(name=name)
            if values.x[at] >= values.x[best].min()
            else name
        )

    def _go_to(self, at: int | None) -> None:
        self._at = at
        if at is None or self._values is None:
            self._cursor.hide()
        else:
            self.point_at(float(self._values.x[at]))

    def _nearest(self, at: QPointF) -> int | None:
        """The point within a finger's width of a place of the scene."""
        if self._values is None or not self._values.rows.size:
            return None
        px, py = self.box.viewPixelSize()
        place = self.box.mapSceneToView(at)
        across = (log(self._values.x) - place.x()) / max(px, 1e-12)
        up = (log(self._values.y) - place.y()) / max(py, 1e-12)
        away = np.hypot(across, up)
        best = int(np.argmin(away))
        return best if away[best] <= NEAR_PX else None

    def _pointed(self, at: QPointF) -> None:
        if not self._silent:
            self._go_to(self._nearest(at))

    def _clicked(self, event: object) -> None:
        if self._silent:
            return
        self._go_to(self._nearest(event.scenePos()))  # type: ignore[attr-defined]
        if self.row is not None:
            self.opened.emit(self.row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        if self._values is None or self._silent:
            event.ignore()
            return
        points = np.lexsort((self._values.y, self._values.x)).tolist()
        place = points.index(self._at) if self._at in points else -1
        if event.key() in (keys.Key_Return, keys.Key_Enter):
            if self.row is not None:
                self.opened.emit(self.row)
        elif event.key() in (keys.Key_Left, keys.Key_Right):
            step = -1 if event.key() == keys.Key_Left else 1
            self._go_to(points[min(max(place + step, 0), len(points) - 1)])
        elif event.key() in (keys.Key_Home, keys.Key_End):
            self._go_to(points[0 if event.key() == keys.Key_Home else -1])
        else:
            super().keyPressEvent(event)


def _steps(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The front as stairs: level until something dearer gives more.

    >>> [part.tolist() for part in _steps(np.array([1.0, 4.0]), np.array([5.0, 9.0]))]
    [[1.0, 4.0, 4.0], [5.0, 5.0, 9.0]]
    """
    if not x.size:
        return x, y
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
