"""Choose a machine: name, memory and bandwidth in each row; or several, part by part."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from ...composed import MOST_KINDS, Hardware
from ...evaluation import Evaluation
from ...language import tr
from ...library.load import Library
from ...problem import Problem
from ..theme import px
from .assembly import HOST, Assembly, One
from .composition_rows import composition_row, memory_words, weakest_of
from .machine_named import Named, named
from .machine_rows import FACETS, KINDS, machine_row
from .parts_panel import PartsPanel
from .picker import Picker
from .search import natural

HEAD_PX, LIST_PX = 72, 98
WHOLE = -2
"""The place of the list while it is for a ready composition as a whole, beside those of parts."""
ONLY_MEMORIES = {"kind": frozenset({KINDS["cpu"]})}


class MachinePicker(Picker):
    """Emits the hardware of the scenario; `add` asks for a machine of the user's own,
    `keep` to save the parts as one. `resized` tells the height that they need, 0 without them.
    label_px: the room for labels in the other forms of the column.

    Of a composition, the list puts another machine in the place of the part that is marked; a ready
    one is replaced as a whole until a part of it is marked.
    """

    edited = Signal(dict)
    add = Signal()
    keep = Signal()
    resized = Signal(int)

    def __init__(self, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(
            tr("Machine"),
            ("99.6 GiB", "9,999"),
            tr("4090, 128GB unified"),
            parent,
            facets=FACETS,
        )
        self.NOTHING = tr("The catalog holds no machines. Add your own with +.")
        self._parts: Assembly | None = None
        self._panel: PartsPanel | None = None
        self._shown: Hardware | None = None
        self._place = 0
        self._height = 0
        self.label_px = 0
        self._build_menu()
        self.picked.connect(self._pick)
        self.offer(library)

    def _build_menu(self) -> None:
        self.menu = QMenu(self)
        self._second = self._action(lambda: self._count(2))
        self._memory = self._action(self._add_host, tr("Add system memory"))
        self._kind = self._action(self._add_kind, tr("Add another kind of card"))
        self._alone = self._action(self._leave_others, tr("The first machine alone"))
        self._keep = self._action(self.keep.emit, tr("Keep as a machine of your own\u2026"))
        self.menu.addSeparator()
        self._action(self.add.emit, tr("A machine of your own\u2026"))
        plus = QToolButton(self, autoRaise=True)
        plus.setText("+")
        plus.setAccessibleName(tr("Add to the machine, or to the list"))
        plus.setToolTip(
            tr("A second one, system memory, another kind of card, or a machine of your own")
        )
        plus.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        plus.clicked.connect(lambda: self.menu.popup(plus.mapToGlobal(QPoint(0, plus.height()))))
        self.head.addWidget(plus)
        self.setTabOrder(self.filter, plus)
        self.plus = plus

    def _action(self, does: object, words: str = "") -> QAction:
        action = self.menu.addAction(words)
        action.triggered.connect(does)
        return action

    def offer(self, library: Library) -> None:
        """Show the machines of a library, the user's own first, compositions last."""
        self._library = library
        self._memory.setEnabled(any(one.kind == "cpu" for one in library.machines.values()))
        machines = {entry.id: machine_row(entry) for entry in library.machines.values()}
        composed = [
            composition_row(entry, library, machines) for entry in library.compositions.values()
        ]
        self._rows = machines | {row.id: row for row in composed}
        self.offer_rows(
            sorted(
                self._rows.values(),
                key=lambda row: (not row.yours, row.id not in machines, natural(row.name)),
            )
        )
        self._parts = None
        if self._panel is not None:
            self._panel.offer(library)

    def present(self, evaluation: Evaluation) -> None:
        """Name and mark the machine of a scenario, and show the parts of a composition."""
        hardware = evaluation.scenario.hardware
        if self._parts is None or hardware != self._shown:
            self._shown = hardware
            self._parts = Assembly(hardware, self._library)
            if self._parts.is_composed and self._parts.id:
                self._place = WHOLE
            elif self._place == WHOLE or self._parts.part(self._place) is None:
                self._place = 0
            self._show(self._parts)
        elif self._panel is not None:
            self._panel.take_back()
        if evaluation.problem is not None:
            self.refuse(evaluation.problem, until_retyped=False)

    def refuse(self, problem: Problem, *, until_retyped: bool = True) -> bool:
        """Show at the parts why a value was refused; False if it is none of theirs."""
        panel = self._panel
        return panel is not None and panel.isVisible() and panel.refuse(problem, until_retyped)

    @property
    def is_composed(self) -> bool:
        """Whether parts are in sight."""
        return self._panel is not None and not self._panel.isHidden()

    def _show(self, parts: Assembly) -> None:
        adding = self._place == len(parts.devices)
        part = None if self._place == WHOLE else parts.part(self._place)
        told = self._tell(part or parts.devices[0].chosen)
        self._show_menu(parts, told.name)
        if parts.is_composed:
            title = parts.title
            memory = memory_words(parts.capacity_bytes)
            row = parts.id if self._place == WHOLE else told.row
            self.show_chosen(
                "" if adding else row,
                title,
                " \u00b7 ".join(filter(None, (title, memory))),
                basis=weakest_of(self._tell(one) for _, one in parts.counted),
            )
        else:
            self.show_chosen(
                "" if adding else told.row,
                told.name,
                told.words,
                note=told.note,
                basis=told.basis,
                missing=told.missing,
            )
        if parts.is_composed or adding:
            self._parts_panel().present(parts, self._tell, self._place)
        if self._panel is not None:
            self._panel.setVisible(parts.is_composed or adding)
            self._tell_height()

    def _tell_height(self) -> None:
        assert self._panel is not None
        height = 0
        if not self._panel.isHidden():
            height = px(HEAD_PX) + self._panel.sizeHint().height() + px(LIST_PX)
        if height != self._height:
            self._height = height
            self.resized.emit(height)

    def _parts_panel(self) -> PartsPanel:
        """Made with the first composition; the Tab key reaches it before the list."""
        if self._panel is None:
            panel = self._panel = PartsPanel(self)
            panel.offer(self._library)
            panel.field_left(self.label_px)
            panel.edited.connect(self.edited)
            panel.chosen.connect(self._choose_part)
            panel.resized.connect(self._tell_height)
            self.column.insertWidget(self.column.indexOf(self.note) + 1, panel)
            before: QWidget = self.evidence
            for widget in panel.in_order():
                self.setTabOrder(before, widget)
                before = widget
        return self._panel

    def _show_menu(self, parts: Assembly, name: str) -> None:
        composed = parts.is_composed
        self._second.setText(tr("2 x {name}").format(name=name))
        self._second.setVisible(not composed)
        self._memory.setVisible(parts.host is None)
        self._kind.setEnabled(len(parts.devices) < MOST_KINDS)
        self._alone.setVisible(composed)
        self._keep.setVisible(composed)

    def _tell(self, one: One) -> Named:
        return named(one, self._library, self._rows)

    def _pick(self, row_id: str) -> None:
        parts = self._parts
        in_part = parts is not None and (parts.is_composed or self._place) and self._place != WHOLE
        if parts is not None and in_part and row_id in self._library.machines:
            self.edited.emit(parts.put(self._place, row_id))
        else:
            self._place = WHOLE if row_id in self._library.compositions else 0
            if parts is not None and row_id == self._shown:
                self._show(parts)
            self.edited.emit({"hardware": row_id})

    def _choose_part(self, place: int) -> None:
        """Let the list be for another part: memories for the system's, and for a device all."""
        self._place = place
        narrowed = self.model.chosen == ONLY_MEMORIES
        if place == HOST and not self.model.chosen:
            self.narrow_to(ONLY_MEMORIES)
        elif place != HOST and narrowed:
            self.narrow_to({})
        if self._parts is not None:
            self._show(self._parts)

    def _count(self, count: int | None) -> None:
        if self._parts is not None:
            self.edited.emit(self._parts.count(0, count))

    def _add_host(self) -> None:
        if self._parts is not None:
            self.edited.emit(self._parts.add_host())
            self._choose_part(HOST)
            self.focus_search()

    def _add_kind(self) -> None:
        if self._parts is not None:
            self._choose_part(len(self._parts.devices))
            self.focus_search()

    def _leave_others(self) -> None:
        if self._parts is not None:
            self._place = 0
            self.edited.emit(self._parts.alone())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        adding = self._parts is not None and self._place == len(self._parts.devices)
        if event.key() == Qt.Key.Key_Escape and adding:
            self._choose_part(0)
            return
        super().keyPressEvent(event)
