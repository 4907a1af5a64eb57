"""The window: what is asked at the left, what is answered at the right."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QByteArray, QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMainWindow,
    QMessageBox,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QTabWidget,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from .. import __version__
from ..evaluation import Evaluation
from ..problem import BadInput
from .document import Document
from .elided import ElidedLabel
from .guide import explained, guide_tab
from .lazy_view import LazyView
from .machine_picker import MachinePicker
from .menus import Menus, words_of
from .model_picker import ModelPicker
from .problem_bar import ProblemBar, ProblemList
from .recompute import Recompute
from .settings import Settings
from .store import Store
from .theme import CARD_PADDING, HANDLE_PX, UNIT, Choice, Theme, sized
from .workload_form import WorkloadForm

LEFT_PX = 352
LEAST_LEFT_PX = 336


class Panels(NamedTuple):
    """The views at the right, made after the first paint: the answers at once, a tab when seen."""

    answers: Callable[[], QWidget]
    tabs: Sequence[tuple[str, Callable[[], QWidget]]]


class MainWindow(QMainWindow):
    """Hands edits to the store and evaluations to the views; nothing else passes between them.

    machine_asked: "add", "edit", "duplicate" or "delete" on the user's own machines.
    """

    machine_asked = Signal(str)

    def __init__(
        self,
        store: Store,
        recompute: Recompute,
        theme: Theme,
        panels: Panels,
        *,
        settings: Settings,
        examples: Path,
    ) -> None:
        super().__init__()
        self._store = store
        self._recompute = recompute
        self._theme = theme
        self.settings = settings
        self._library = store.library
        self.document = Document(store, self)
        self.setAcceptDrops(True)
        self.setMinimumSize(900, 560)

        self.machines = MachinePicker(store.library)
        self.models = ModelPicker(store.library)
        self.form = WorkloadForm(store.library)
        self._left = QSplitter(Qt.Orientation.Vertical)
        for part, stretch in ((self.machines, 3), (self.models, 4), (self.form, 6)):
            self._left.addWidget(part)
            self._left.setStretchFactor(self._left.count() - 1, stretch)
            self._left.setCollapsible(self._left.count() - 1, False)
        self.answers = LazyView(panels.answers)
        self.answers.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._columns = QSplitter(Qt.Orientation.Horizontal)
        self._columns.addWidget(self._left)
        self._columns.addWidget(self._build_right(panels))
        self._columns.setStretchFactor(1, 1)
        self._columns.setChildrenCollapsible(False)
        for splitter in (self._columns, self._left):
            splitter.setHandleWidth(HANDLE_PX)
        self._left.setMinimumWidth(LEAST_LEFT_PX)
        self._columns.setSizes([LEFT_PX, 1280 - LEFT_PX])
        self._left.setSizes([190, 236, 300])
        self.setCentralWidget(self._columns)
        self._build_status()
        self._build_menus(examples)

        parts: tuple[Any, ...] = (self.machines, self.models, self.form, self.answers)
        for view in (*parts, *self._tabs):
            view.edited.connect(self._edit)
        self.machines.add.connect(lambda: self.machine_asked.emit("add"))
        store.changed.connect(self._store_changed)
        recompute.evaluated.connect(self._present)
        self.document.changed.connect(self._show_title)
        self.document.told.connect(self.bar.say)
        self._restore()
        self.machines.view.setFocus()
        self._store_changed()
        self._first_answer = QTimer(self, singleShot=True, interval=0)
        self._first_answer.timeout.connect(recompute.now)
        self._is_painted = False

    def _build_right(self, panels: Panels) -> QWidget:
        right = QWidget()
        self.title = ElidedLabel(right)
        self.title.setFont(sized("heading"))
        self.bar = ProblemBar(right)
        self._tab_widget = QTabWidget(right)
        self._tab_widget.setDocumentMode(True)
        # Only the row of tabs takes the focus; as a proxy it would do so twice on the way round.
        self._tab_widget.setFocusProxy(None)  # type: ignore[arg-type]
        self._tab_widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._tabs = [LazyView(make) for _, make in panels.tabs]
        for tab, (title, _) in zip(self._tabs, panels.tabs, strict=True):
            self._tab_widget.addTab(tab, title)
            guide_tab(self._tab_widget, tab, self.settings.known)
        self.answers.made.connect(self._order_tabs)
        layout = QVBoxLayout(right)
        layout.setContentsMargins(CARD_PADDING, 2 * UNIT, CARD_PADDING, 0)
        layout.setSpacing(2 * UNIT)
        layout.addWidget(self.title)
        layout.addWidget(self.bar)
        layout.addWidget(self.answers)
        layout.addWidget(self._tab_widget, 1)
        self.problems = ProblemList(right)
        layout.addWidget(self.problems)
        return right

    def _order_tabs(self) -> None:
        """The Tab key reaches the answers before the row of tabs, though they were made later."""
        last = self.answers.findChildren(QPushButton)[-1:]
        for button in last:
            QWidget.setTabOrder(button, self._tab_widget.tabBar())

    def _build_status(self) -> None:
        self._catalog = QLabel(self)
        self._catalog.setFont(sized("caption"))
        self._show_problems = QToolButton(self, autoRaise=True)
        self._show_problems.setFont(sized("caption"))
        self._show_problems.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._show_problems.clicked.connect(
            lambda: self.problems.setVisible(self.problems.isHidden())
        )
        self.statusBar().addWidget(self._catalog)
        self.statusBar().addWidget(self._show_problems)
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().setContentsMargins(CARD_PADDING - 2, 0, CARD_PADDING, 0)

    def _build_menus(self, examples: Path) -> None:
        self.menus = Menus(self, examples)
        menus, document = self.menus, self.document
        menus.new.connect(document.new)
        menus.open.connect(document.ask_and_open)
        menus.opened.connect(self.open)
        menus.example.connect(lambda path: document.open(path, as_example=True))
        menus.save.connect(document.save)
        menus.save_as.connect(document.save_as)
        menus.undo.connect(self._store.undo)
        menus.redo.connect(self._store.redo)
        menus.search.connect(self.focus_search)
        menus.theme.connect(self._choose_theme)
        menus.explain.connect(self._explain)
        menus.about.connect(self._about)
        for signal, what in (
            (menus.add_machine, "add"),
            (menus.edit_machine, "edit"),
            (menus.duplicate_machine, "duplicate"),
            (menus.delete_machine, "delete"),
        ):
            signal.connect(lambda what=what: self.machine_asked.emit(what))

    def open(self, path: Path) -> None:
        """Open a scenario file."""
        self.document.open(path)

    def focus_search(self) -> None:
        """Go to the search for machines, or from there to the one for models."""
        (self.models if self.machines.searching() else self.machines).focus_search()

    def _edit(self, changes: dict[str, Any]) -> None:
        try:
            self._store.edit(changes)
        except BadInput as bad:
            if not self.form.refuse(bad.problem, changes):
                self.bar.say(str(bad.problem))

    def _store_changed(self) -> None:
        if self._store.library is not self._library:
            self._library = self._store.library
            for view in (self.machines, self.models, self.form):
                view.offer(self._library)
        self._show_library()
        self._show_title()
        undo, redo = self._store.undo_keys(), self._store.redo_keys()
        self.menus.show_undo(
            *(", ".join(words_of(key) for key in keys[:2]) for keys in (undo, redo))
        )
        hardware = self._store.scenario.hardware
        entry = self._library.machines.get(hardware) if isinstance(hardware, str) else None
        name = entry.name if entry else ""
        self.menus.show_machine(name, yours=entry is not None and entry.yours)

    def _present(self, evaluation: Evaluation) -> None:
        self.machines.present(evaluation)
        self.models.present(evaluation)
        self.form.present(evaluation)
        self.bar.present(evaluation)
        self.title.say(f"{self.machines.chosen_name}  \u00b7  {self.models.chosen_name}")
        self.answers.present(evaluation)
        for tab in self._tabs:
            tab.present(evaluation)

    def _show_library(self) -> None:
        library = self._library
        local = self.locale()
        self._catalog.setText(
            self.tr("catalog {version}, {machines} machines, {models} models").format(
                version=library.version or self.tr("without a version"),
                machines=local.toString(len(library.machines)),
                models=local.toString(len(library.models)),
            )
        )
        count = len(library.problems)
        words = (
            self.tr("1 file has a problem")
            if count == 1
            else self.tr("{count} files have problems")
        )
        self._show_problems.setText(f"\u26a0 {words.format(count=count)}: {self.tr('show')}")
        self._show_problems.setVisible(count > 0)
        self.problems.offer(library.problems)

    def _show_title(self) -> None:
        self.setWindowTitle(f"{self.document.title}[*] \u2013 Our Models")
        self.setWindowModified(self.document.is_modified)
        if self.document.path is not None:
            self.settings.remember(self.document.path)
        self.menus.show_recent(self.settings.recent)

    def _choose_theme(self, choice: Choice) -> None:
        self.settings.theme = choice
        self._theme.choose(choice)

    def _explain(self) -> None:
        """Show what the focused control is for, beside it."""
        widget = QApplication.focusWidget()
        if widget is None:
            return
        QToolTip.showText(widget.mapToGlobal(QPoint(0, widget.height())), explained(widget), widget)

    def _about(self) -> None:
        QMessageBox.about(
            self,
            self.tr("About Our Models"),
            self.tr(
                "<b>Our Models Desktop {version}</b><p>Ceilings on how fast a machine can serve an "
                "open language model, from its memory, bandwidth and compute. It works offline and "
                "sends nothing anywhere.</p>"
            ).format(version=__version__),
        )

    def _restore(self) -> None:
        self.resize(1280, 800)
        if self.settings.geometry:
            self.restoreGeometry(QByteArray(self.settings.geometry))
        if self.settings.columns:
            self._columns.restoreState(QByteArray(self.settings.columns))
        if self.settings.left:
            self._left.restoreState(QByteArray(self.settings.left))
        self._theme.choose(self.settings.theme)
        self.menus.show_theme(self.settings.theme)

    def _remember(self) -> None:
        self.settings.geometry = bytes(self.saveGeometry().data())
        self.settings.columns = bytes(self._columns.saveState().data())
        self.settings.left = bytes(self._left.saveState().data())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            self._first_answer.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        focused = QApplication.focusWidget()
        if focused is not None:
            focused.clearFocus()  # a number still being typed counts
        if not self.document.may_leave():
            event.ignore()
            return
        self._remember()
        event.accept()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        urls = event.mimeData().urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.open(Path(event.mimeData().urls()[0].toLocalFile()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LocaleChange:
            self._recompute.now()
