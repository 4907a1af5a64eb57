"""Nothing made by a test outlives it; a library and a window to test with."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QMenu

from ourmodels_gui import paths
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.first import first_scenario
from ourmodels_gui.gui.theme import Theme
from ourmodels_gui.library.load import Library, load


@pytest.fixture(autouse=True)
def no_widget_is_left(qapp: QApplication) -> Iterator[None]:
    yield
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
