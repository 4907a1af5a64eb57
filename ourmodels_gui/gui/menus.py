"""The menu bar: every command with its keys."""

from pathlib import Path

from PySide6.QtCore import QLocale, QObject, Signal, SignalInstance
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from ..language import ENGLISH, languages, tr
from ..problem import BadInput
from ..scenario import SUFFIX, read_file
from ..settings import NUMBERS, TEXT_SIZES, THEMES, Settings

Key = QKeySequence.StandardKey | str | None


class Menus(QObject):
    """Builds the menus of a window; each command is a signal, so the window decides what it does.

    opened: a recent file; example: a shipped one. chosen: a setting by name and value.
    machine, model: what is asked of the chosen one; "probe" for this computer, "add" for a new
    machine. own_machines, own_models: list them alone.
    """

    new = Signal()
    open = Signal()
    opened = Signal(object)
    example = Signal(object)
    save = Signal()
    save_as = Signal()
    report = Signal()
    undo = Signal()
    redo = Signal()
    search = Signal()
    filter = Signal()
    sources = Signal(str)
    chosen = Signal(str, object)
    machine = Signal(str)
    model = Signal(str)
    own_machines = Signal()
    own_models = Signal()
    mark = Signal()
    explain = Signal()
    about = Signal()

    def __init__(self, window: QMainWindow, examples: Path) -> None:
        super().__init__(window)
        self._window = window
        self._examples = examples
        self._recent: tuple[str, ...] = ()
        self._file_menu()
        edit = self._menu(tr("&Edit"))
        self.undo_action = self._add(edit, tr("Undo"), self.undo, QKeySequence.StandardKey.Undo)
        self.redo_action = self._add(edit, tr("Redo"), self.redo, "Ctrl+Shift+Z", "Ctrl+Y")
        edit.addSeparator()
        self._add(edit, tr("Search machines and models"), self.search, "Ctrl+K", "/")
        self._add(edit, tr("Filter machines or models"), self.filter, "Ctrl+Shift+F")
        self._add(edit, tr("Mark the pair for comparison"), self.mark, "Ctrl+T")
        view = self._menu(tr("&View"))
        self._ask(view, tr("Sources of the machine"), self.sources, "machine", "Ctrl+I")
        self._ask(view, tr("Sources of the model"), self.sources, "model", "Ctrl+Shift+I")
        self._ask(view, tr("How this catalog was audited"), self.sources, "audit")
        view.addSeparator()
        self._settings_menus(view)
        self._machines_menu()
        self._models_menu()
        help_menu = self._menu(tr("&Help"))
        self._add(help_menu, tr("Explain this field"), self.explain, "F1")
        self._add(help_menu, tr("About"), self.about)

    def show_undo(self, undo: str, redo: str) -> None:
        """Say what undo and redo would change; "" switches them off."""
        for action, words, what in (
            (self.undo_action, tr("Undo"), undo),
            (self.redo_action, tr("Redo"), redo),
        ):
            action.setEnabled(bool(what))
            action.setText(f"{words}: {what}" if what else words)

    def show_machine(self, name: str, *, yours: bool) -> None:
        """Name the chosen machine in the commands on it; only the user's own can be changed."""
        name_or = name or tr("the machine")
        for action, words, possible in (
            (self.edit_action, tr("Edit {name}\u2026"), yours),
            (self.duplicate_action, tr("Duplicate {name}\u2026"), bool(name)),
            (self.delete_action, tr("Delete {name}\u2026"), yours),
        ):
            action.setText(words.format(name=name_or).replace("&", "&&"))
            action.setEnabled(possible)

    def show_model(self, name: str, *, yours: bool) -> None:
        """Name the chosen model in the commands on it; only the user's own can be changed."""
        name_or = name or tr("the model")
        for action, words, possible in (
            (self.edit_model_action, tr("Edit {name}\u2026"), yours),
            (self.duplicate_model_action, tr("Duplicate {name}\u2026"), bool(name)),
            (self.export_model_action, tr("Export {name}\u2026"), bool(name)),
            (self.delete_model_action, tr("Delete {name}\u2026"), yours),
        ):
            action.setText(words.format(name=name_or).replace("&", "&&"))
            action.setEnabled(possible)

    def show_recent(self, paths: tuple[str, ...]) -> None:
        self._recent = paths

    def show_settings(self, settings: Settings) -> None:
        """Mark what is chosen."""
        for name, group in self._choices.items():
            for action in group.actions():
                action.setChecked(action.data() == getattr(settings, name))

    def _file_menu(self) -> None:
        key = QKeySequence.StandardKey
        menu = self._menu(tr("&File"))
        self._add(menu, tr("New"), self.new, key.New)
        self._add(menu, tr("Open\u2026"), self.open, key.Open)
        self._recent_menu = menu.addMenu(tr("Open recent"))
        self._recent_menu.aboutToShow.connect(self._fill_recent)
        self._examples_menu = menu.addMenu(tr("Examples"))
        self._examples_menu.aboutToShow.connect(self._fill_examples)
        menu.addSeparator()
        self._add(menu, tr("Save"), self.save, key.Save)
        self._add(menu, tr("Save as\u2026"), self.save_as, "Ctrl+Shift+S")
        self._add(menu, tr("Report\u2026"), self.report, key.Print)
        menu.addSeparator()
        quit_action = menu.addAction(tr("Quit"))
        quit_action.setShortcut("Ctrl+Q")
        quit_action.triggered.connect(self._window.close)

    def _machines_menu(self) -> None:
        menu = self._menu(tr("&Machines"))
        self._ask(menu, tr("This machine\u2026"), self.machine, "probe")
        self._ask(menu, tr("Add a machine\u2026"), self.machine, "add", "Ctrl+M")
        self.edit_action = self._ask(menu, "", self.machine, "edit")
        self.duplicate_action = self._ask(menu, "", self.machine, "duplicate", "Ctrl+D")
        self.delete_action = self._ask(menu, "", self.machine, "delete")
        menu.addSeparator()
        self._add(menu, tr("List only your own"), self.own_machines)

    def _models_menu(self) -> None:
        menu = self._menu(tr("M&odels"))
        self._ask(menu, tr("Import\u2026"), self.model, "import", "Ctrl+Shift+M")
        self._ask(menu, tr("Import what was copied"), self.model, "paste", "Ctrl+V")
        menu.addSeparator()
        self.edit_model_action = self._ask(menu, "", self.model, "edit")
        self.duplicate_model_action = self._ask(menu, "", self.model, "duplicate", "Ctrl+Shift+D")
        self.export_model_action = self._ask(menu, "", self.model, "export")
        self.delete_model_action = self._ask(menu, "", self.model, "delete")
        menu.addSeparator()
        self._add(menu, tr("List only your own"), self.own_models)

    def _settings_menus(self, view: QMenu) -> None:
        """One menu for each setting with few values."""
        system = tr("As the system")
        themes = {"system": system, "light": tr("Light"), "dark": tr("Dark")}
        own_names = {code: QLocale(code).nativeLanguageName() for code in languages()}
        own_names |= {ENGLISH: "English"}  # Qt calls it American
        numbers = {value: system if value == "system" else value for value in NUMBERS}
        sizes = {value: f"{value} %" for value in TEXT_SIZES}
        self._choices: dict[str, QActionGroup] = {}
        for name, title, words in (
            ("theme", tr("Theme"), {value: themes[value] for value in THEMES}),
            ("language", tr("Language"), {"": system} | own_names),
            ("numbers", tr("Numbers"), numbers),
            ("text_percent", tr("Text size"), sizes),
        ):
            menu, group = view.addMenu(title), QActionGroup(self)
            for value, text in words.items():
                action = menu.addAction(text)
                action.setCheckable(True)
                action.setData(value)
                group.addAction(action)
            group.triggered.connect(lambda action, name=name: self.chosen.emit(name, action.data()))
            self._choices[name] = group

    def _fill_recent(self) -> None:
        self._recent_menu.clear()
        for name in self._recent:
            action = self._recent_menu.addAction(Path(name).name.replace("&", "&&"))
            action.setToolTip(name)
            action.triggered.connect(lambda _=False, path=Path(name): self.opened.emit(path))
        if not self._recent:
            self._recent_menu.addAction(tr("No file yet")).setEnabled(False)

    def _fill_examples(self) -> None:
        self._examples_menu.clear()
        for title, path in example_files(self._examples):
            action = self._examples_menu.addAction(title.replace("&", "&&"))
            action.triggered.connect(lambda _=False, file=path: self.example.emit(file))
        if self._examples_menu.isEmpty():
            self._examples_menu.addAction(tr("No examples")).setEnabled(False)

    def _menu(self, title: str) -> QMenu:
        return self._window.menuBar().addMenu(title)

    def _add(self, menu: QMenu, words: str, does: SignalInstance, *keys: Key) -> QAction:
        action = menu.addAction(words)
        action.setShortcuts([QKeySequence(key) for key in keys if key is not None])
        action.triggered.connect(lambda _checked=False: does.emit())
        return action

    def _ask(self, menu: QMenu, words: str, asks: SignalInstance, what: str, *keys: Key) -> QAction:
        """A command that says what it asks for."""
        action = menu.addAction(words)
        action.setShortcuts([QKeySequence(key) for key in keys if key is not None])
        action.triggered.connect(lambda _checked=False: asks.emit(what))
        return action


def example_files(folder: Path) -> list[tuple[str, Path]]:
    """The shipped scenarios by title; one that cannot be read is left out."""
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            title = read_file(path).name or path.name.removesuffix(SUFFIX)
        except (BadInput, OSError):
            continue
        found.append((title, path))
    return found


def words_of(key: str) -> str:
    """A key of the scenario in words, or what it is a part of, for the name of an undo step.

    >>> words_of("workload.floor_tokens_per_s")
    'floor'
    """
    known = {
        "hardware": tr("machine"),
        "model": tr("model"),
        "model.weights": tr("weight format"),
        "model.include_towers": tr("vision and audio"),
        "workload.reserved_context_tokens": tr("reserved context"),
        "workload.read_context_tokens": tr("read context"),
        "workload.read_context_fraction": tr("share read"),
        "workload.floor_tokens_per_s": tr("floor"),
        "workload.overhead_gb": tr("overhead"),
        "workload.batch": tr("number of sessions"),
        "workload.cache_format": tr("cache format"),
        "workload.cache_read_format": tr("format the cache is read in"),
        "workload.cache_policy": tr("window layers"),
        "workload.routing": tr("experts read"),
        "workload.rates": tr("rates"),
        "workload.decode_ceiling": tr("decode ceiling"),
        "prefill.prompt_tokens": tr("prompt"),
        "prefill.ttft_budget_s": tr("time budget"),
        "prefill.batch": tr("number of prompts"),
        "prefill.cached_prefix_tokens": tr("cached prefix"),
        "prefill.answer_tokens": tr("answer"),
        "prefill.chunk_tokens": tr("chunk"),
        "prefill.cache_growth": tr("growth of the cache"),
        "prefill.linear_mode": tr("mode of the linear layers"),
        "prefill.attention_mode": tr("mode of attention"),
        "speculation.draft_tokens": tr("draft tokens"),
        "speculation.acceptance": tr("acceptance"),
        "speculation.emitted_tokens": tr("emitted tokens"),
        "speculation.draft": tr("draft"),
        "workload": tr("workload"),
        "prefill": tr("prompt"),
        "speculation": tr("speculation"),
    }
    while key and key not in known:
        key = key.rpartition(".")[0]
    return known.get(key, tr("scenario"))
