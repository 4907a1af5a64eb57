"""What is done twice takes no more memory than what is done once."""

import gc
import os
import tracemalloc
from collections import Counter
from weakref import ref

import pytest
from monkey import close_all
from PySide6.QtWidgets import QApplication, QGraphicsView

from ourmodels_gui import app, paths
from ourmodels_gui.gui.background import Worker
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.qt_theme import Theme
from ourmodels_gui.gui.ranking import rank_tab
from ourmodels_gui.gui.ranking.rank_tab import RankTab
from ourmodels_gui.library.load import Library, load
from ourmodels_gui.ranking.table import Table

MACHINES = ("geforce-rtx-4090", "geforce-rtx-3090", "geforce-rtx-5090")


@pytest.fixture
def window(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    made = app.build(Theme(qapp), Preferences(tmp_path))
    made.show()
    qtbot.waitUntil(lambda: made.answers.is_drawn and made.shown_tab.is_drawn)
    yield made
    close_all(made)
    made.document.may_leave = lambda: True
    made.close()
    made.deleteLater()


def rest(window, qtbot):
    workers = window.findChildren(Worker)
    qtbot.waitUntil(lambda: not any(worker.is_busy for worker in workers), timeout=30_000)
    qtbot.wait(20)


def open_and_close(window, qtbot):
    """Every window beside the window."""
    for what in ("probe", "add", "duplicate"):
        window.machine_asked.emit(what)
    window.sources_asked.emit("machine")
    window.sources_asked.emit("audit")
    window.menus.about.emit()
    window.model_asked.emit("import")
    window.menus.report.emit()
    rest(window, qtbot)
    close_all(window)


def use(window, qtbot, tmp_path):
    """A little of everything."""
    open_and_close(window, qtbot)
    for place in range(window._tab_widget.count()):
        window.show_tab(place)
        for machine in MACHINES:
            window._edit({"hardware": machine})
            window._edit({"workload.reserved_context_tokens": 9000 + 1000 * len(machine)})
            rest(window, qtbot)
    window.show_tab(5)
    ranking = window.findChild(RankTab)
    for scope in ("models", "pairs", "machines"):
        ranking._choose({"scope": scope})
        rest(window, qtbot)
    window._store.set_library(load(paths.catalog(), tmp_path))
    for place in range(window._tab_widget.count()):
        window.show_tab(place)
        rest(window, qtbot)
    window.menus.new.emit()
    window.show_tab(0)
    rest(window, qtbot)
    close_all(window)


def held():
    """Live objects by kind, live widgets, bytes of Python's own."""
    gc.collect()
    kinds = Counter(type(one).__qualname__ for one in gc.get_objects())
    return kinds, len(QApplication.allWidgets()), tracemalloc.get_traced_memory()[0]


@pytest.mark.skipif(not os.environ.get("ALONE"), reason="run by test_alone, in its own process")
def test_what_was_used_is_let_go(window, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(window.document, "may_leave", lambda: True)
    use(window, qtbot, tmp_path)  # imports, and what is made when first asked for
    tracemalloc.start()
    use(window, qtbot, tmp_path)
    kinds, widgets, size = held()
    use(window, qtbot, tmp_path)
    kinds_then, widgets_then, size_then = held()
    tracemalloc.stop()
    more = {kind: n - kinds[kind] for kind, n in kinds_then.items() if n - kinds[kind] > 200}
    assert more == {}
    assert kinds_then[Library.__qualname__] == 1
    assert kinds_then[Table.__qualname__] <= 2
    assert widgets_then == widgets
    assert size_then < 1.02 * size + 300_000


def test_nothing_out_of_sight_keeps_a_library_that_was_replaced(
    window, qtbot, tmp_path, monkeypatch
):
    monkeypatch.setattr(rank_tab, "KEPT_MS", 0)
    open_and_close(window, qtbot)
    for place in (*range(window._tab_widget.count()), 0):
        window.show_tab(place)
        rest(window, qtbot)
    replaced = ref(window._store.library)
    window._store.set_library(load(paths.catalog(), tmp_path))
    rest(window, qtbot)
    gc.collect()
    assert replaced() is None


def test_no_plot_keeps_a_picture_of_its_background(window, qtbot):
    for place in range(window._tab_widget.count()):
        window.show_tab(place)
        qtbot.waitUntil(lambda: window.shown_tab.is_drawn)
        rest(window, qtbot)
    views = window.findChildren(QGraphicsView)
    assert len(views) >= 3
    assert {view.cacheMode() for view in views} == {QGraphicsView.CacheModeFlag.CacheNone}
