"""An error in a method that Qt calls is told, whatever raised it, and the program goes on."""

import importlib
import pkgutil
import subprocess
import sys
from types import FunctionType

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QAbstractListModel, QEvent, Qt
from PySide6.QtWidgets import QListView, QWidget
from shiboken6 import Shiboken

from ourmodels_gui import gui
from ourmodels_gui.gui.overrides import GUARDED, QT

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


def kinds_of(kind):
    for below in kind.__subclasses__():
        yield below
        yield from kinds_of(below)


@pytest.mark.skipif(not OLD, reason="Python makes the object itself")
def test_every_override_of_the_program_and_of_pyqtgraph_is_guarded():
    for module in pkgutil.walk_packages(gui.__path__, gui.__name__ + "."):
        importlib.import_module(module.name)
    made = {kind for kind in kinds_of(Shiboken.Object) if not kind.__module__.startswith(QT)}
    open_ = []
    for kind in made:
        of_qt = [base for base in kind.__mro__ if base.__module__.startswith(QT)]
        names = {name for base in of_qt for name in vars(base) if not name.startswith("__")}
        open_ += [
            f"{kind.__module__}.{kind.__qualname__}.{name}"
            for name in names
            if isinstance(method := getattr(kind, name), FunctionType)
            and not hasattr(method, GUARDED)
        ]
    assert len(made) > 250
    assert open_ == []


@pytest.mark.skipif(not OLD, reason="Python makes the object itself")
def test_nothing_else_is_guarded():
    assert not hasattr(Mixed.event, GUARDED), "the class that is mixed in is as it was"
    assert not hasattr(pg.AxisItem.setGrid, GUARDED), "Qt does not call it"
    assert not hasattr(Widget.__init__, GUARDED)

    class Behind(QWidget, Mixed):
        pass

    class Front(Widget):
        def event(self, event):
            return super().event(event)

    assert "event" not in vars(Behind)
    assert not hasattr(Front.event.__wrapped__, GUARDED), "twice"


FALLS = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
{guarded}

class Widget(QWidget):
    def resizeEvent(self, event):
        1 // 0

application = QApplication([])
widget = Widget()
QTimer.singleShot(0, lambda: widget.resize(50, 50) or widget.show())
QTimer.singleShot(0, application.quit)
print("starts", flush=True)
application.exec()
print("goes on")
"""


@pytest.mark.parametrize("guarded", [True, False])
def test_without_it_the_program_would_end(guarded):
    """If the second no longer ends, the module has done its work and can go."""
    code = FALLS.format(guarded="import ourmodels_gui.gui" if guarded else "")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    goes_on = guarded or not OLD
    assert done.stdout.split("\n")[:-1] == ["starts", "goes on"][: 2 if goes_on else 1]
    assert ("ZeroDivisionError" in done.stderr) == goes_on
    assert (done.returncode == 0) == goes_on
