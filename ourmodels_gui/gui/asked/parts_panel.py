"""The parts of a composition, in the machine's panel: each with its number, and how they work
together."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ...composed import MOST_KINDS
from ...language import tr
from ...library.load import Library
from ...problem import Problem
from ..captions import message, say
from ..form import align
from ..theme import UNIT, px
from .assembly import HOST, Assembly, One
from .host_fields import HostFields
from .machine_named import Named
from .part_row import PartRow
from .together_group import PlacementGroup, TogetherGroup

LEAST_PX = 132


class PartsPanel(QScrollArea):
    """edited: changes of the scenario. chosen: the place of the part that the list is for. resized:
    it needs another height."""

    edited = Signal(dict)
    chosen = Signal(int)
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._parts: Assembly | None = None
        inside = QWidget()
        self.rows = [PartRow(inside) for _ in range(MOST_KINDS)]
        self.host = PartRow(inside, has_count=False)
        self.host_fields = HostFields(inside)
        self.error = message(inside, error=True)
        self.together = TogetherGroup(inside)
        self.placement = PlacementGroup(inside)
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(0, 0, 0, UNIT)
        layout.setSpacing(UNIT // 2)
        for place, row in (*enumerate(self.rows), (HOST, self.host)):
            row.name.clicked.connect(lambda _=False, place=place: self.chosen.emit(place))
            row.removed.connect(lambda place=place: self._remove(place))
            row.refused.connect(self._refuse)
            row.counted.connect(lambda count, place=place: self._edit(place, count))
            layout.addWidget(row)
        layout.addWidget(self.host_fields)
        layout.addWidget(self.error)
        for group in (self.together, self.placement):
            layout.addWidget(group)
            group.edited.connect(self.edited)
        layout.addStretch(1)
        self.host_fields.refused.connect(self._refuse)
        self.host_fields.changed.connect(self._type_host)
        self.setWidget(inside)
        inside.installEventFilter(self)

    def field_left(self, label_px: int) -> None:
        """Leave so much room for labels, as the other forms of the column do."""
        align((self.together, self.placement), label_px)
        self.host_fields.field_left(label_px)

    def in_order(self) -> list[QWidget]:
        """Every control in the order of the Tab key."""
        controls: list[QWidget] = []
        widget: QWidget | None = self.rows[0].count
        while widget is not None and self.isAncestorOf(widget):
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                controls.append(widget)
            widget = widget.nextInFocusChain()
        return controls

    def offer(self, library: Library) -> None:
        self.together.offer(library)

    def present(self, parts: Assembly, name: Callable[[One], Named], place: int) -> None:
        """Show the parts; place is the one that the list is for, behind the last a new one."""
        self._parts = parts
        self.take_back()
        for index, row in enumerate(self.rows):
            part = parts.part(index)
            row.setVisible(part is not None or index == place)
            if row.isHidden():
                continue
            if part is None:
                row.say(tr("Choose one in the list below"), "", 1, can_go=True)
            else:
                told = name(part)
                count = parts.devices[index].count or 1
                row.say(told.name, told.short, count, can_go=len(parts.devices) > 1)
            row.count.setEnabled(part is not None)
        for widget in (self.host, self.host_fields):
            widget.setVisible(parts.host is not None)
        if parts.host is not None:
            self.host.say(name(parts.host).name, tr("system memory"), 1, can_go=True)
            self.host_fields.present(parts.host, parts)
        for index, row in (*enumerate(self.rows), (HOST, self.host)):
            row.name.setChecked(index == place)
        self.together.present_parts(parts)
        self.placement.present_parts(parts)

    def take_back(self) -> None:
        """What was wrong with the parts before is no more."""
        say(self.error, "")

    def refuse(self, problem: Problem, until_retyped: bool) -> bool:
        """Show in its place why a value was refused; False if it is none of the parts'.

        until_retyped: the value is in its field only.
        """
        if not problem.key.startswith("hardware.") or self._parts is None:
            return False
        for group in (self.together, self.placement):
            if group.refuse(problem.key, problem.message, until_retyped=until_retyped):
                return True
        self._refuse(problem.message)
        return True

    def _refuse(self, text: str) -> None:
        say(self.error, text)

    def _edit(self, place: int, count: int | None) -> None:
        assert self._parts is not None
        self.edited.emit(self._parts.count(place, count))

    def _remove(self, place: int) -> None:
        assert self._parts is not None
        if self._parts.part(place) is None:
            self.chosen.emit(0)
            return
        self.edited.emit(self._parts.remove(place))

    def _type_host(self, key: str, value: float | None) -> None:
        assert self._parts is not None
        self.edited.emit(self._parts.type_host(key, value))

    def sizeHint(self) -> QSize:
        inside = self.widget()
        assert inside is not None
        return QSize(200, inside.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(200, min(self.sizeHint().height(), px(LEAST_PX)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self.resized.emit()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            # The page lies on the window's colour, not on a field's.
            self.viewport().setAutoFillBackground(False)
