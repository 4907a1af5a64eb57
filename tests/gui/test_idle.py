"""A window that nobody uses does nothing: no timer fires, nothing is painted."""

from collections import Counter

import pytest
from monkey import close_all
from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QLineEdit

from ourmodels_gui import app, paths
from ourmodels_gui.gui.background import Worker
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.qt_theme import Theme
from ourmodels_gui.gui.tabs.traffic_tab import TrafficTab

WORK = (QEvent.Type.Timer, QEvent.Type.Paint, QEvent.Type.UpdateRequest, QEvent.Type.MetaCall)

QUIET_MS = 550
"""Longer than any timer of the program, or a cursor, would wait."""


class Watch(QObject):
    """Counts what the event loop does for `ms`, but for the end of that time."""

    def during(self, ms):
        self.seen, loop, end = Counter(), QEventLoop(), QTimer(singleShot=True, interval=ms)
        self._end = end
        end.timeout.connect(loop.quit)
        QApplication.instance().installEventFilter(self)
        end.start()
        loop.exec()
        QApplication.instance().removeEventFilter(self)
        return dict(self.seen)

    def eventFilter(self, watched, event):
        if event.type() in WORK and watched is not self._end:
            self.seen[f"{event.type().name} {type(watched).__name__}"] += 1
        return False


@pytest.fixture
def window(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    made = app.build(Theme(qapp), Preferences(tmp_path))
    made.show()
    made.machines.view.setFocus()
    qtbot.waitUntil(lambda: made.answers.is_drawn and made.shown_tab.is_drawn)
    yield made
    close_all(made)
    made.close()
    made.deleteLater()


def test_a_window_is_dressed_once_when_it_is_whole(qapp, tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    theme = Theme(qapp)
    dressed, sheets = qapp.styleSheet(), []
    made_with = app.MainWindow

    class Window(made_with):
        def __init__(self, *given, **named):
            sheets.append(qapp.styleSheet())
            super().__init__(*given, **named)
            sheets.append(qapp.styleSheet())

    monkeypatch.setattr(app, "MainWindow", Window)
    made = app.build(theme, Preferences(tmp_path))
    assert sheets == ["", ""] and qapp.styleSheet() == dressed != ""
    made.document._saved = made._store.scenario
    made.close()
    made.deleteLater()


def settled(window, qtbot, place):
    """Show a tab and wait until nothing happens any more; fails where that never comes."""
    window.show_tab(place)
    qtbot.waitUntil(lambda: window.shown_tab.is_drawn)
    traffic = window.findChild(TrafficTab)
    if traffic is not None:
        traffic.motion.pause.setChecked(True)
    watch, workers = Watch(), window.findChildren(Worker)
    qtbot.waitUntil(
        lambda: watch.during(QUIET_MS) == {} and not any(worker.is_busy for worker in workers),
        timeout=20_000,
    )
    return watch


def test_no_timer_fires_and_nothing_is_painted_on_any_tab(window, qtbot):
    for place in range(window._tab_widget.count()):
        settled(window, qtbot, place)


def test_a_field_in_use_only_blinks(window, qtbot):
    watch = settled(window, qtbot, 0)
    field = next(one for one in window.form.findChildren(QLineEdit) if one.isVisible())
    field.setFocus()
    qtbot.wait(100)
    seen = watch.during(2000)
    blinks = 2000 / (QApplication.cursorFlashTime() / 2)
    assert 0 < sum(n for what, n in seen.items() if what.startswith("Timer")) <= blinks + 1
    painted = {what.partition(" ")[2] for what in seen if what.startswith("Paint")}
    around, part = set(), field
    while part is not None:
        around.add(type(part).__name__)
        part = part.parent()
    assert {type(field).__name__} <= painted <= around, "the field, and what shows through"
