"""What is done again and again leaves nothing behind: no widget, no object, no block of memory."""

import gc
import os
import sys
from collections import Counter

import pytest
from gguf_files import llama_keys, llama_tensors, write_gguf
from monkey import close_all
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication, QLabel

from ourmodels_gui import app, paths
from ourmodels_gui.gui.background import Worker
from ourmodels_gui.gui.importing.imports import Imports
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.qt_theme import Theme
from ourmodels_gui.gui.ranking.rank_tab import RankTab
from ourmodels_gui.library.load import load

RANK = 5
TIMES = 3
MOST_BLOCKS = 150
"""Pieces of Python's memory that may stay each time: numbers and texts in caches with an end."""
SOON_MS = 1000
KEPT_ELSEWHERE = {"QCommonStyle", "Record", "_Context"}
"""By the binding, the Python half of the style of each change of theme, a few bytes; by pytest-qt,
what Qt said."""


@pytest.fixture
def window(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    made = app.build(Theme(qapp), Preferences(tmp_path))
    made.document.may_leave = lambda: True
    made.resize(1280, 800)
    made.show()
    qtbot.waitUntil(lambda: made.answers.is_drawn and made.shown_tab.is_drawn)
    yield made
    made._theme.choose("system")
    close_all(made)
    made.close()
    made.deleteLater()


class User:
    """Does one thing, the whole of it, and waits for what follows."""

    def __init__(self, window, qtbot, folder):
        self.window, self._qtbot, self._folder = window, qtbot, folder
        self.kept = []
        self._model = write_gguf(folder / "model.gguf", llama_keys(), llama_tensors())

    def does(self, what, *how):
        getattr(self, what)(*how)
        self.settle()

    def settle(self):
        self._waits()
        for widget in QApplication.topLevelWidgets():
            if widget is not self.window:
                widget.close()
        for _ in range(2):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QCoreApplication.processEvents()

    def asks_for_machine(self, what):
        self.window.machine_asked.emit(what)

    def asks_for_sources(self, what):
        self.window.sources_asked.emit(what)

    def asks_for_menu(self, what):
        getattr(self.window.menus, what).emit()

    def imports(self):
        self.window.model_given.emit(self._model)
        self._qtbot.waitUntil(
            lambda: self.window.findChild(Imports).dialog.reviewed is not None, timeout=20_000
        )

    def edits_and_undoes(self):
        for _ in range(3):
            self.window._edit({"workload.overhead_gb": 1.5, "hardware": "geforce-rtx-3090"})
            self._waits()
            self.window.menus.undo.emit()
            self._waits()

    def changes_the_theme(self):
        for theme in ("dark", "light"):
            self.window._theme.choose(theme)
            self._waits()

    def goes_through_the_tabs(self):
        for place in range(self.window._tab_widget.count()):
            self.window.show_tab(place)
            self._waits()

    def ranks(self):
        self.window.show_tab(RANK)
        self._waits()
        tab = self.window.findChild(RankTab)
        for changes in (
            {"look": "value", "scope": "machines"},
            {"look": "table", "scope": "models"},
            {"weights": "best"},
            {"weights": None, "sort": "price"},
            {"scope": "machines", "sort": "aggregate_tokens_per_s"},
        ):
            tab._choose(changes)
            self._waits()
        tab.hide()
        tab._let_go()
        tab.show()

    def reads_the_library_again(self):
        self.window._store.set_library(load(paths.catalog(), self._folder))
        self.goes_through_the_tabs()

    def forgets_a_label(self):
        self.kept.append(QLabel())

    def _waits(self):
        QCoreApplication.processEvents()
        self._qtbot.waitUntil(lambda: not self._is_at_work(), timeout=30_000)
        QCoreApplication.processEvents()

    def _is_at_work(self):
        """Whether a thread works, or soon will: some edits are answered after a rest."""
        timers = self.window.findChildren(QTimer)
        soon = (one for one in timers if one.isActive() and one.isSingleShot())
        workers = self.window.findChildren(Worker)
        return any(one.is_busy for one in workers) or any(one.interval() < SOON_MS for one in soon)


ACTS = (
    *(("asks_for_machine", what) for what in ("probe", "add", "duplicate")),
    *(("asks_for_sources", what) for what in ("machine", "model", "audit")),
    *(("asks_for_menu", what) for what in ("about", "report", "filter", "mark", "new", "explain")),
    ("imports",),
    ("edits_and_undoes",),
    ("changes_the_theme",),
    ("goes_through_the_tabs",),
    ("ranks",),
    ("reads_the_library_again",),
)


def held():
    """Live objects by kind, live widgets by kind, pieces of Python's memory."""
    gc.collect()
    kinds = Counter(type(one).__qualname__ for one in gc.get_objects())
    widgets = Counter(type(one).__name__ for one in QApplication.allWidgets())
    return kinds, widgets, sys.getallocatedblocks()


def left_by(user, acts):
    """What acts leave behind, by act: kinds of objects, widgets, pieces of memory."""
    left = {}
    for act in acts:
        user.does(*act)
        kinds, widgets, blocks = held()
        for _ in range(TIMES):
            user.does(*act)
        kinds_then, widgets_then, blocks_then = held()
        more = {kind: n for kind, n in (kinds_then - kinds).items() if n >= TIMES}
        more = {kind: n for kind, n in more.items() if kind not in KEPT_ELSEWHERE}
        if more or widgets_then != widgets or blocks_then - blocks > TIMES * MOST_BLOCKS:
            left[act] = more, widgets_then - widgets, blocks_then - blocks
    return left


@pytest.mark.skipif(not os.environ.get("ALONE"), reason="run by test_alone, in its own process")
def test_nothing_that_is_done_again_leaves_anything(window, qtbot, tmp_path):
    user = User(window, qtbot, tmp_path)
    for act in ACTS:  # imports, and what is made when first asked for
        user.does(*act)
    assert left_by(user, ACTS) == {}
    (planted,) = left_by(user, [("forgets_a_label",)]).values()
    assert planted[:2] == ({"QLabel": TIMES}, {"QLabel": TIMES})
