"""An error in a method that Qt calls is told, whatever raised it, and the program goes on."""

import subprocess
import sys

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QAbstractListModel, QEvent, Qt
from PySide6.QtWidgets import QListView, QWidget

from ourmodels_gui.gui.overrides import GUARDED, guard_overrides

OLD = sys.version_info < (3, 12)
RAISED = {
    "by C, with words": (lambda: int("x"), ValueError),
    "by C": (lambda: 1 // 0, ZeroDivisionError),
    "by a list": ([].pop, IndexError),
    "by a dict": (lambda: {}["a"], KeyError),
    "by Python": (lambda: (_ for _ in ()).throw(OSError("gone")), OSError),
}


@pytest.fixture(params=RAISED)
def raised(request):
    return RAISED[request.param]


class Mixed:
    """Brings an override into a class of Qt's."""

    does = None

    def event(self, event):
        if event.type() == QEvent.Type.User:
            self.does()
        return super().event(event)


class Widget(Mixed, QWidget):
    pass


def test_of_a_widget_also_where_it_is_mixed_in(raised, qtbot, qapp):
    does, kind = raised
    widget = Widget()
    qtbot.addWidget(widget)
    widget.does = does
    with qtbot.captureExceptions() as caught:
        qapp.postEvent(widget, QEvent(QEvent.Type.User))
        qapp.processEvents()
    assert [each[0] for each in caught] == [kind]


class Model(QAbstractListModel):
    does = None

    def rowCount(self, _parent=None):
        return 1

    def data(self, _index, role=Qt.ItemDataRole.DisplayRole):
        return self.does() if role == Qt.ItemDataRole.DisplayRole else None


def test_of_a_model_and_one_below_another_class(raised, qtbot):
    does, kind = raised

    class Below(Model):
        pass

    for made in (Model, Below):
        view = QListView()
        qtbot.addWidget(view)
        model = made(view)
        model.does = does
        view.setModel(model)
        with pytest.raises(kind):  # raised again where Python called Qt
            view.sizeHintForColumn(0)


@pytest.mark.skipif(not OLD, reason="Python makes the object itself")
def test_what_is_guarded():
    assert hasattr(Widget.event, GUARDED), "an override that is mixed in"
    assert hasattr(Model.data, GUARDED)
    assert not hasattr(Mixed.event, GUARDED), "the mixed in class is as it was"
    assert hasattr(pg.AxisItem.paint, GUARDED), "pyqtgraph's"
    assert not hasattr(pg.AxisItem.setGrid, GUARDED), "Qt does not call it"
    assert not hasattr(Widget.__init__, GUARDED)


def test_nothing_is_guarded_twice_and_what_is_mixed_in_behind_stays_behind():
    guard_overrides()

    class Behind(QWidget, Mixed):
        pass

    class Front(Widget):
        def event(self, event):
            return super().event(event)

    assert "event" not in vars(Behind)
    assert not hasattr(Front.event.__wrapped__, GUARDED)


FALLS = """
import sys
from PySide6.QtWidgets import QApplication, QWidget
{guarded}

class Widget(QWidget):
    def resizeEvent(self, event):
        1 // 0

application = QApplication([])
widget = Widget()
widget.resize(50, 50)
widget.show()
application.processEvents()
print("goes on")
"""


@pytest.mark.parametrize("guarded", [True, False])
def test_without_it_the_program_would_end(guarded):
    """If the second no longer falls, the module has done its work and can go."""
    code = FALLS.format(guarded="import ourmodels_gui.gui" if guarded else "")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ("ZeroDivisionError" in done.stderr) == (guarded or not OLD), done.stderr
