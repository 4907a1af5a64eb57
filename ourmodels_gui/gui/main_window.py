"""The window: what is asked at the left, what is answered at the right."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from ..evaluation import Evaluation
from ..language import tr
from ..problem import BadInput
from ..scenario import ModelRef
from ..settings import Layout
from .asked.assembly import KEY, Assembly
from .asked.panel import Asked
from .columns import Columns
from .document import Document
from .elided import ElidedLabel
from .folding import Scrolled
from .guide import explained, guide_tab
from .importing.model_paths import is_model, one_model
from .lazy_view import LazyView
from .library_status import LibraryStatus, ProblemList
from .menus import Menus, words_of
from .preferences import Preferences
from .problem_bar import ProblemBar
from .qt_theme import Theme
from .recompute import Recompute
from .store import Store
from .theme import CARD_PADDING, UNIT, open_at, px, sized

LEAST_HEIGHT_PX = 320
TABS_PX = 230
"""The least height of the tabs; a window that has less for them scrolls them with the answers."""
LAYOUT_ROUNDS = 8
"""Each reaches the layouts a level or two up; one with nothing to do costs nothing."""


class Panels(NamedTuple):
    """The views at the right, made after the first paint: the answers at once, a tab when seen."""

    answers: Callable[[], QWidget]
    tabs: Sequence[tuple[str, Callable[[], QWidget]]]


class MainWindow(QMainWindow):
    """Hands edits to the store and evaluations to the views; nothing else passes between them.

    machine_asked: "probe", "add", "keep" the parts in use, "edit", "duplicate" or "delete".
    model_asked: "import", "paste", "edit", "duplicate", "export" or "delete".
    model_given: the path of a model's files, dropped on the window.
    sources_asked: where the figures of the "machine" or the "model" come from; "audit" of all.
    evaluated: an evaluation, once every view has it.
    """

    machine_asked = Signal(str)
    model_asked = Signal(str)
    model_given = Signal(object)
    sources_asked = Signal(str)
    evaluated = Signal(object)

    def __init__(
        self,
        store: Store,
        recompute: Recompute,
        theme: Theme,
        panels: Panels,
        *,
        preferences: Preferences,
        examples: Path,
    ) -> None:
        super().__init__()
        self._store = store
        self._recompute = recompute
        self._theme = theme
        self.preferences = preferences
        self._library = store.library
        self.document = Document(store, self)
        self.setAcceptDrops(True)
        self.setMinimumHeight(LEAST_HEIGHT_PX)

        self.asked = Asked(store.library)
        self.machines, self.models = self.asked.machines, self.asked.models
        self.form = self.asked.form
        self.answers = LazyView(panels.answers)
        self.answers.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        right = self._build_right(panels)
        self._columns = Columns(self.asked, right, self._tab_widget)
        self._tab_widget.currentChanged.connect(lambda _: self._columns.bring(self._tab_widget))
        self.setCentralWidget(self._columns)
        self.status = LibraryStatus(self.problems)
        self.status.audit.connect(lambda: self.sources_asked.emit("audit"))
        self.statusBar().addWidget(self.status)
        self.statusBar().setSizeGripEnabled(False)
        self._build_menus(examples)

        views: tuple[Any, ...] = (self.asked, self.answers, *self._tabs)
        for view in views:
            view.edited.connect(self._edit)
        self.asked.machine_asked.connect(self.machine_asked)
        self.asked.sources_asked.connect(self.sources_asked)
        store.changed.connect(self._store_changed)
        recompute.evaluated.connect(self._present)
        self.document.changed.connect(self._show_title)
        self.document.told.connect(self.bar.say)
        self._restore()
        self.machines.view.setFocus()
        self.status.offer(self._library)
        self._store_changed()
        self._show_title()
        self._first_answer = QTimer(self, singleShot=True, interval=0)
        self._first_answer.timeout.connect(recompute.now)
        self._is_painted = False

    def _build_right(self, panels: Panels) -> QWidget:
        right = QWidget()
        self.title = ElidedLabel(right)
        self.title.setFont(sized("heading"))
        self.bar = ProblemBar(self.title)
        self._tab_widget = QTabWidget(right)
        self._tab_widget.setDocumentMode(True)
        self._tab_widget.setMinimumHeight(px(TABS_PX))
        # Only the row of tabs takes the focus; as a proxy it would do so twice on the way round.
        self._tab_widget.setFocusProxy(None)  # type: ignore[arg-type]
        self._tab_widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._tabs = [LazyView(make) for _, make in panels.tabs]
        for tab, (title, _) in zip(self._tabs, panels.tabs, strict=True):
            self._tab_widget.addTab(Scrolled(tab), tr(title))
            guide_tab(self._tab_widget, tab, title, self.preferences)
        self.answers.made.connect(self._order_tabs)
        layout = QVBoxLayout(right)
        layout.setContentsMargins(CARD_PADDING, 2 * UNIT, CARD_PADDING, 0)
        layout.setSpacing(2 * UNIT)
        layout.addWidget(self.title)
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

    def _build_menus(self, examples: Path) -> None:
        self.menus = Menus(self, examples)
        menus, document = self.menus, self.document
        menus.new.connect(document.new)
        menus.open.connect(document.ask_and_open)
        menus.opened.connect(self.open)
        menus.example.connect(lambda path: document.open(path, as_example=True))
        menus.save.connect(document.save)
        menus.save_as.connect(document.save_as)
        menus.report.connect(self._report)
        menus.undo.connect(self._store.undo)
        menus.redo.connect(self._store.redo)
        menus.search.connect(self.asked.focus_search)
        menus.filter.connect(self.asked.open_filters)
        menus.sources.connect(self.sources_asked)
        menus.chosen.connect(self._choose_setting)
        menus.explain.connect(self._explain)
        menus.about.connect(self._about)
        menus.machine.connect(self.machine_asked)
        menus.model.connect(self.model_asked)
        menus.own_machines.connect(self.machines.narrow_to_own)
        menus.own_models.connect(self.models.narrow_to_own)

    def open(self, path: Path) -> None:
        """Open a scenario file, or review a model's own files."""
        if is_model(path):
            self.model_given.emit(path)
        else:
            self.document.open(path)

    @property
    def catalog_version(self) -> str:
        """The version of the figures in use."""
        return self._library.version

    @property
    def shown_tab(self) -> LazyView:
        """The tab in sight."""
        return self._tabs[self._tab_widget.currentIndex()]

    def show_tab(self, index: int) -> bool:
        """Bring a tab into sight; False when there is none at that place."""
        self._tab_widget.setCurrentIndex(index)
        return index < len(self._tabs)

    def _edit(self, changes: dict[str, Any]) -> None:
        try:
            if any(key.startswith(KEY) for key in changes):
                changes = Assembly(self._store.scenario.hardware, self._library).whole(changes)
            self._store.edit(changes)
        except BadInput as bad:
            if not self.asked.refuse(bad.problem, changes):
                self.bar.say(str(bad.problem))

    def _store_changed(self) -> None:
        if self._store.library is not self._library:
            self._library = self._store.library
            self.asked.offer(self._library)
            self.status.offer(self._library)
        undo, redo = self._store.undo_keys(), self._store.redo_keys()
        self.menus.show_undo(
            *(", ".join(words_of(key) for key in keys[:2]) for keys in (undo, redo))
        )
        hardware, model = self._store.scenario.hardware, self._store.scenario.model
        chosen = hardware if isinstance(hardware, str) else ""
        entry = self._library.machines.get(chosen) or self._library.compositions.get(chosen)
        known = self._library.models.get(model.id) if isinstance(model, ModelRef) else None
        self.menus.show_machine(entry.name if entry else "", yours=bool(entry and entry.yours))
        self.menus.show_model(known.name if known else "", yours=bool(known and known.yours))

    def _present(self, evaluation: Evaluation) -> None:
        self.asked.present(evaluation)
        self.bar.present(evaluation)
        self.title.say(self.asked.title)
        self.answers.present(evaluation)
        for tab in self._tabs:
            tab.present(evaluation)
        # What grew or got smaller is in its place before anything is painted.
        for _ in range(LAYOUT_ROUNDS):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        self.evaluated.emit(evaluation)

    def _show_title(self) -> None:
        self.setWindowTitle(f"{self.document.title}[*] \u2013 Our Models")
        self.setWindowModified(self.document.is_modified)
        if self.document.path is not None:
            self.preferences.remember(self.document.path)
        self.menus.show_recent(self.preferences.settings.recent)

    def _choose_setting(self, name: str, value: object) -> None:
        self.preferences.edit(**{name: value})
        if name == "theme":
            self._theme.choose(self.preferences.settings.theme)
        else:
            self.bar.say(tr("This holds from the next start on."))

    def _explain(self) -> None:
        """Show what the focused control is for, beside it."""
        widget = QApplication.focusWidget()
        if widget is None:
            return
        QToolTip.showText(widget.mapToGlobal(QPoint(0, widget.height())), explained(widget), widget)

    def _report(self) -> None:
        """Ask for the report of what is in sight."""
        from .report.dialog import open_report  # noqa: PLC0415 - the start needs none of it

        self.setFocus()  # a number still being typed counts
        subject = self.shown_tab.subject() or (self._store.scenario,)
        if why := open_report(subject, self._library, self.preferences, self):
            self.bar.say(tr("There is no report yet: {why}").format(why=why))

    def _about(self) -> None:
        from .about import About  # noqa: PLC0415 - the start needs none of it

        about = About(self.catalog_version, self)
        about.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        about.open()

    def _restore(self) -> None:
        open_at(self, 1280, 800)
        settings = self.preferences.settings
        for restore, state in (
            (self.restoreGeometry, settings.layout.geometry),
            (self._columns.restoreState, settings.layout.columns),
            (self.asked.restoreState, settings.layout.left),
        ):
            if state:
                restore(QByteArray.fromBase64(state.encode()))
        self._theme.choose(settings.theme)
        self.menus.show_settings(settings)

    def _remember(self) -> None:
        states = (self.saveGeometry(), self._columns.saveState(), self.asked.saveState())
        texts = (bytes(state.toBase64().data()).decode() for state in states)
        self.preferences.edit(layout=Layout(*texts))
        self.preferences.end()

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
        if one_model(event.mimeData().urls(), any_file=True) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        path = one_model(event.mimeData().urls(), any_file=True)
        if path is not None:
            self.open(path)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LocaleChange:
            self._recompute.now()
