"""The worker beside the window: the newest request wins, and a refusal is told."""

import threading

import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QWidget

from ourmodels_gui.gui.beside import Beside
from ourmodels_gui.problem import BadInput


@pytest.fixture
def beside(qapp):
    made = Beside()
    yield made
    made._pool.waitForDone()


def test_what_the_work_gives_is_told(qtbot, beside):
    with qtbot.waitSignal(beside.done) as told:
        beside.ask(lambda: 6 * 7)
        assert beside.is_busy
    assert told.args == [42] and not beside.is_busy


def test_a_refusal_is_told_with_its_problem(qtbot, beside):
    def refuse():
        raise BadInput("budget", "must be above 0")

    with qtbot.waitSignal(beside.refused) as told:
        beside.ask(refuse)
    assert told.args[0].key == "budget"


def test_the_newest_request_wins_and_those_between_are_never_done(qtbot, beside):
    go, done, told = threading.Event(), [], []
    beside.done.connect(told.append)

    def work(name):
        go.wait(5)
        done.append(name)
        return name

    for name in "abcd":
        beside.ask(lambda name=name: work(name))
    go.set()
    qtbot.waitUntil(lambda: not beside.is_busy)
    assert told == ["d"] and set(done) <= {"a", "d"}


def test_what_is_forgotten_is_not_told(qtbot, beside):
    told = []
    beside.done.connect(told.append)
    beside.ask(lambda: 1)
    beside.forget()
    beside._pool.waitForDone()
    qtbot.wait(20)
    assert told == [] and not beside.is_busy


def test_objects_made_afterwards_are_what_they_are(qtbot, beside):
    for count in range(200):
        beside.ask(lambda count=count: count)
        qtbot.waitUntil(lambda: not beside.is_busy)
        menu = QMenu()
        actions = [menu.addAction(str(place)) for place in range(5)]
        assert all(isinstance(action, QObject) for action in actions)
        menu.deleteLater()
    assert QWidget().isVisible() is False


def test_work_that_outlives_its_owner_is_dropped(qtbot, qapp):
    go, owner = threading.Event(), Beside()
    ended = []
    owner.ask(lambda: ended.append(go.wait(5)))
    pool = owner._pool
    pool.setParent(qapp)
    shiboken6.delete(owner)
    go.set()
    assert pool.waitForDone(5000) and ended == [True]
    shiboken6.delete(pool)
