"""Every text of the window can be translated: with each of them in brackets, nothing is outside.

The brackets are a language of their own, spoken through the same functions as any other. What may
stand outside is no text of the program: what the catalog and the examples say, ids, units, files,
names of programs and licences, and the words of Qt, which brings its own translations.
"""

import gettext
import json
import re
from functools import partial

import pytest
from gguf_files import llama_keys, llama_tensors, write_gguf
from gui_cases import DESKTOP, whole_window
from PySide6.QtWidgets import QApplication, QMenu
from visible import drawn, plain, texts

from ourmodels_gui import app as program
from ourmodels_gui import language, paths
from ourmodels_gui.gui.faults import Faults
from ourmodels_gui.gui.menus import example_files
from ourmodels_gui.gui.own import this_machine
from ourmodels_gui.gui.own.model_editor import ModelEditor
from ourmodels_gui.gui.own.this_machine import ThisMachine
from ourmodels_gui.gui.versions import COMPONENTS, as_lines, versions
from ourmodels_gui.library.encodings import CACHE_FORMATS
from ourmodels_gui.library.formats import NATIVE, WEIGHT_FORMATS
from ourmodels_gui.library.hardware import MODES
from ourmodels_gui.measured import runs
from ourmodels_gui.scenario import ModelRef, read_file

OPEN, SHUT = "\u27e6", "\u27e7"
UNITS = {
    *("tok", "Mtok", "kB", "MB", "GB", "TB", "GiB", "bit", "Gbit", "GFLOP", "TFLOP", "TOP", "MT"),
    *("ms", "MHz", "SM", "kWh", "MWh", "USD"),
}
OF_QT = {
    *("Close", "Save", "Cancel", "OK", "Scroll Left", "Scroll Right"),
    *("Deutsch", "English", "Our Models", "hardware:", "llama", "gguf", "MoE", "Qt", "Python"),
}
"""Also what no language changes: a key of the scenario file, the family that a file names."""
WORDS_OF_THE_PROGRAM = {"basis", "kind", "status", "tensor_class", "part", "role", "scope", "phase"}
"""Fields of the catalog whose values are words that the program knows, so translates."""
TABLE = """  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
| model                  |     size |  params | backend | ngl |  test |            t/s |
| ---------------------- | -------: | ------: | ------- | --: | ----: | -------------: |
| llama 8B Q4_K - Medium | 4.58 GiB |  8.03 B | CUDA    |  99 | tg128 |  111.74 ± 0.31 |
| llama 8B Q4_K - Medium | 4.58 GiB |  8.03 B |
"""
OF_LICENCES = [(paths.resources() / "licences", "*.txt")] + [
    (paths.resources().parent, name) for name in ("NOTICE", "LICENSE")
]


class Bracketed(gettext.GNUTranslations):
    """Says every text that has a German one, in brackets: one without is seen by having none."""

    def gettext(self, message):
        return f"{OPEN}{message}{SHUT}" if message in self._catalog else message

    def ngettext(self, msgid1, msgid2, n):
        return f"{OPEN}{msgid1 if n == 1 else msgid2}{SHUT}"


def outside(text):
    """What stands outside of all brackets; an elided text may have lost the last of them."""
    while (shorter := re.sub(f"{OPEN}[^{OPEN}{SHUT}]*{SHUT}", " ", text)) != text:
        text = shorter
    return re.sub(f"{OPEN}.*\u2026$", " ", text, flags=re.DOTALL)


def said_by(value, key=""):
    """The strings in a file of the catalog that the program does not know."""
    match value:
        case dict():
            for inner, part in value.items():
                yield from said_by(part, inner)
        case list():
            for part in value:
                yield from said_by(part, key)
        case str() if key not in WORDS_OF_THE_PROGRAM and not re.fullmatch("[a-z]+|.{,3}", value):
            yield value


@pytest.fixture(scope="module")
def names(library):
    examples = paths.resources() / "examples"
    found = {*OF_QT, NATIVE, *WEIGHT_FORMATS, *CACHE_FORMATS, *MODES}
    found |= {*library.models, *library.machines, *(one.name for one in WEIGHT_FORMATS.values())}
    for folder in (paths.catalog(), examples):
        for path in folder.rglob("*.json"):
            found |= {*said_by(json.loads(path.read_bytes()))}
    published = runs.load(paths.catalog()).runs.values()
    found |= {words for run in published for words in (run.engine, run.note)} | {"llama.cpp"}
    found |= {DESKTOP.system, DESKTOP.cpu}
    named = [*library.machines.values(), *library.models.values(), *library.compositions.values()]
    found |= {name for one in named for name in (one.name, getattr(one, "vendor", ""))}
    found |= {title for title, _ in example_files(examples)}
    found |= {entry.record.family for entry in library.models.values()}
    licences = [file for folder, name in OF_LICENCES for file in folder.glob(name)]
    found |= {words for file in licences for words in (file.read_text().strip(), file.stem)}
    found |= {as_lines(versions(library.version)), *(said for _, said in versions("")), *COMPONENTS}
    return sorted(filter(None, found), key=len, reverse=True)


class Reader:
    """Reads all that is open; knows what of it is outside of brackets."""

    def __init__(self, names, qtbot):
        self._names = names
        self._qtbot = qtbot
        self.seen = set()

    def read(self):
        self._qtbot.wait(200)  # what is worked out beside the window comes to be shown
        for top in QApplication.topLevelWidgets():
            if top.isVisible():
                with drawn() as painted:
                    top.grab()
                self.seen |= {*map(plain, painted)}
            self.seen |= {*map(plain, texts(top))}

    def close_all_but(self, window):
        for top in QApplication.topLevelWidgets():
            if top is not window:
                top.close()

    def left(self):
        """Texts with words of the program outside of brackets."""
        return {text: words for text in self.seen if (words := self._words(outside(text)))}

    def _words(self, rest):
        if not re.search("[A-Za-z]{2}", rest):
            return []
        if rest.endswith("\u2026") and any(name.startswith(rest[:-1]) for name in self._names):
            return []  # a name that found too little room
        for name in self._names:
            rest = rest.replace(name, " ")
        rest = re.sub(r"https?://\S+|ValueError", " ", rest)
        words = re.findall(r"[A-Za-z_]{2,}", rest)
        return [word for word in words if word not in UNITS]


@pytest.fixture
def window(qtbot, theme, tmp_path, monkeypatch):
    with (paths.resources() / "locale/de/LC_MESSAGES/ourmodels.mo").open("rb") as file:
        language.speak(Bracketed(file))
    yield whole_window(qtbot, theme, tmp_path, monkeypatch)
    language.use("en")


@pytest.fixture
def reader(names, qtbot):
    return Reader(names, qtbot)


def assert_all_is_said(reader):
    left = reader.left()
    assert not left, "\n".join(f"{words} outside in {text!r}" for text, words in left.items())


def tabs(window, qtbot, *titles):
    """Raise each tab in turn, or those of some titles."""
    row = window._tab_widget
    for index in range(row.count()):
        if not titles or row.tabText(index).strip(OPEN + SHUT) in titles:
            row.setCurrentIndex(index)
            qtbot.waitUntil(lambda: window.shown_tab._view is not None)
            qtbot.waitUntil(lambda: window.shown_tab._waiting is None)
            qtbot.waitUntil(window.shown_tab._view.isVisible)
            yield window.shown_tab._view


def of_example(start):
    path = next((paths.resources() / "examples").glob(f"{start}*"))
    made = read_file(path)
    return {
        key: getattr(made, key)
        for key in ("hardware", "model", "workload", "prefill", "speculation")
    }


def test_all_but_known_words_is_outside():
    assert outside(f"{OPEN}one {OPEN}two{SHUT} three{SHUT} four") == "  four"
    assert outside(f"5 {OPEN}cut off\u2026") == "5  "


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {
            "workload.batch": 2,
            "speculation.draft_tokens": 4,
            "speculation.acceptance": 0.7,
            "prefill.prompt_tokens": 8192,
        },
        {"model.weights": "bf16", "workload.floor_tokens_per_s": 5000.0},
        {"hardware": "x-1"},
        "16-gb-card",
        "two-24-gb",
    ],
    ids=["first", "all groups", "too much", "unknown", "pools", "devices"],
)
def test_every_tab(window, qtbot, reader, changes):
    for group in window.form.groups:
        group.open_up()
    window._edit(of_example(changes) if isinstance(changes, str) else changes)
    for _ in tabs(window, qtbot):
        reader.read()
    assert_all_is_said(reader)


def test_menus_and_what_opens_from_them(window, reader, monkeypatch, tmp_path):
    for menu in window.findChildren(QMenu):
        menu.aboutToShow.emit()
    reader.read()
    monkeypatch.setattr(this_machine, "ThisMachine", partial(ThisMachine, probe_=lambda: DESKTOP))
    window.menus.about.emit()
    for page in ("machine", "model", "audit"):
        window.sources_asked.emit(page)
    window.machine_asked.emit("probe")
    window.menus.report.emit()
    reader.read()
    reader.close_all_but(window)
    window.machine_asked.emit("add")
    reader.read()
    reader.close_all_but(window)
    faults = Faults(window, lambda: None, "2026.11")
    faults.hook(ValueError, ValueError(f"{OPEN}what it says{SHUT}"), None)
    ModelEditor(window._library.models["qwen3-8b"].record, lambda record: None, window).show()
    reader.read()
    reader.close_all_but(window)
    assert_all_is_said(reader)


def test_the_review_of_a_models_files(window, qtbot, reader, tmp_path):
    keys = llama_keys(layers=4) | {".attention.sliding_window": 512}
    window.open(write_gguf(tmp_path / "windowed.gguf", keys, llama_tensors(layers=4), arch="llama"))
    imports = window.findChild(program.Imports)
    qtbot.waitUntil(lambda: not imports._worker.is_busy, timeout=20_000)
    reader.read()
    imports.dialog.done(0)
    assert_all_is_said(reader)


def test_the_looks_and_filters_of_the_ranking(window, qtbot, reader):
    (tab,) = tabs(window, qtbot, "Rank")
    for changes in ({"look": "map"}, {"look": "value"}, {"look": "table", "scope": "models"}):
        tab._choose(changes)
        qtbot.waitUntil(lambda: not tab.ranked.is_preparing, timeout=20_000)
        reader.read()
    tab.bar.filter.click()
    reader.read()
    reader.close_all_but(window)
    tab.open_prices()
    reader.read()
    reader.close_all_but(window)
    window.menus.filter.emit()
    reader.read()
    reader.close_all_but(window)
    assert_all_is_said(reader)


def test_a_search_that_finds_nothing_and_one_that_fails(window, qtbot, reader):
    (tab,) = tabs(window, qtbot, "Find")

    def need(key, value):
        tab.form.group.edited.emit({key: value})
        qtbot.waitUntil(
            lambda: not tab._timer.isActive() and not tab._searching.is_busy, timeout=20_000
        )
        reader.read()

    need("prompt_tokens", 8000)
    need("first_token_s", 2.0)
    need("budget", 1.0)
    need("tokens_per_s_each", 1e9)
    need("model", "x-1")
    assert_all_is_said(reader)


def test_a_comparison_of_two_marks(window, qtbot, reader):
    window.menus.mark.emit()
    window._edit({"hardware": "geforce-rtx-4090", "prefill.prompt_tokens": 8192})
    window.menus.mark.emit()
    for tab in tabs(window, qtbot, "Compare"):
        reader.read()
        window._edit({"model.weights": "bf16"})
        qtbot.wait(200)
        reader.read()
        assert len(tab.table.cells.rows) > 2
    assert_all_is_said(reader)


def test_evidence_that_is_pasted_typed_and_logged(window, qtbot, reader):
    window._edit({"hardware": "geforce-rtx-3090", "model": ModelRef("llama-3-8b", "q4_k_m")})
    (tab,) = tabs(window, qtbot, "Evidence")
    form = tab.input.form
    with qtbot.waitSignal(tab.input._worker.done):
        tab.input.box.setPlainText(TABLE)
    reader.read()
    form.edited.emit({"model": "llama-3-8b"})
    tab.input.log_button.click()
    reader.read()
    for rate in (900.0, -4.0):
        form.edited.emit({"tokens_per_s": rate})
        tab.input.fill_button.click()
        reader.read()
    tab.published.table.selectRow(1)
    reader.read()
    assert_all_is_said(reader)
