"""Nothing made by a test outlives it; a library and a window to test with."""

import gc
import os
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from ourmodels_gui import paths
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.first import first_scenario
from ourmodels_gui.gui.freed_memory import collect_due, collect_in_this_thread_only
from ourmodels_gui.gui.qt_theme import Theme
from ourmodels_gui.library.load import Library, load


@pytest.fixture(autouse=True)
def cycles_are_collected_as_in_the_program() -> Iterator[None]:
    collect_in_this_thread_only()
    yield
    collect_due()
    gc.enable()


@pytest.fixture(autouse=True)
def no_widget_is_left(qapp: QApplication) -> Iterator[None]:
    yield
    # A click whose first half disables or hides what was clicked has no second half.
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton):
        if QApplication.mouseButtons() & button:
            QTest.mouseRelease(QWidget(), button)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    # pyqtgraph never lets go of the context menus of a plot.
    left = [repr(widget) for widget in qapp.topLevelWidgets() if not isinstance(widget, QMenu)]
    for widget in qapp.topLevelWidgets():
        widget.close()
        widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert left == []


@pytest.fixture(scope="session")
def library() -> Library:
    return load(paths.catalog())


@pytest.fixture
def scenario(library):
    return first_scenario(library)


@pytest.fixture
def evaluation(scenario, library):
    return run(scenario, library)


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp)


class SlowDisk:
    """Holds every fsync until it may go on. One that the window's own thread waits for is let go
    after a while, and counts against the window."""

    def __init__(self) -> None:
        self.stopped_the_window = False
        self._window = threading.current_thread()
        self._reached, self._free = threading.Event(), threading.Event()

    def sync(self, handle: int) -> None:
        self._reached.set()
        if threading.current_thread() is self._window and not self._free.is_set():
            self.stopped_the_window = True
        else:
            self._free.wait(60)
        fsync(handle)

    def is_writing(self) -> bool:
        return self._reached.is_set()

    def go_on(self) -> None:
        self._free.set()


fsync = os.fsync


@pytest.fixture
def slow_disk(monkeypatch) -> Iterator[SlowDisk]:
    disk = SlowDisk()
    monkeypatch.setattr("ourmodels_gui.files.os.fsync", disk.sync)
    yield disk
    disk.go_on()
