"""One way to work beside the window: the latest request wins, and nothing is left running."""

import gc
import subprocess
import sys
import threading
import time
import weakref

import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QWidget

from ourmodels_gui.gui.background import Worker
from ourmodels_gui.problem import BadInput


@pytest.fixture
def worker(qapp):
    made = Worker()
    yield made
    made.close()


def test_the_answer_arrives(worker, qtbot):
    with qtbot.waitSignal(worker.done) as caught:
        worker.ask(lambda _request: 42)
        assert worker.is_busy
    assert caught.args == [42]
    assert not worker.is_busy


def test_a_newer_request_stops_the_older_and_drops_its_answer(worker, qtbot):
    started, answers = threading.Event(), []
    worker.done.connect(answers.append)

    def slow(request):
        started.set()
        while not request.stop():
            pass
        return "old"

    worker.ask(slow)
    assert started.wait(5)
    with qtbot.waitSignal(worker.done):
        worker.ask(lambda _request: "new")
    assert answers == ["new"]


def test_what_was_asked_in_between_is_never_begun(worker, qtbot):
    go, begun, told = threading.Event(), [], []
    worker.done.connect(told.append)

    def work(name):
        begun.append(name)
        go.wait(5)
        return name

    for name in "abcd":
        worker.ask(lambda _request, name=name: work(name))
    go.set()
    qtbot.waitUntil(lambda: not worker.is_busy)
    assert told == ["d"] and set(begun) <= {"a", "d"}


@pytest.mark.parametrize("bad", [BadInput("key", "must be above 0"), OSError(5, "gone")])
def test_what_goes_wrong_is_told_and_the_worker_goes_on(worker, qtbot, bad):
    def work(_request):
        raise bad

    with qtbot.waitSignal(worker.failed) as caught:
        worker.ask(work)
    assert caught.args == [bad] and not worker.is_busy
    with qtbot.waitSignal(worker.done):
        worker.ask(lambda _request: 1)


@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyError])
def test_a_fault_of_the_program_is_told_and_raised_in_the_window_too(worker, qtbot, kind):
    def work(_request):
        raise kind("inside")

    with qtbot.captureExceptions() as faults, qtbot.waitSignal(worker.failed) as caught:
        worker.ask(work)
    assert isinstance(caught.args[0], kind) and not worker.is_busy
    assert [fault[0] for fault in faults] == [kind]
    names = []
    trace = faults[0][2]
    while trace is not None:
        names.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    assert names[-1] == "work", "the report says where it fell"
    with qtbot.waitSignal(worker.done):
        worker.ask(lambda _request: 1)


def test_what_is_told_on_the_way_comes_before_the_answer(worker, qtbot):
    heard = []
    worker.told.connect(heard.append)
    worker.done.connect(heard.append)

    def work(request):
        request.tell("half")
        return "all"

    with qtbot.waitSignal(worker.done):
        worker.ask(work)
    assert heard == ["half", "all"]


def test_what_is_cancelled_gives_no_answer(worker, qtbot):
    answers = []
    worker.done.connect(answers.append)
    worker.ask(lambda request: request.stop())
    worker.close()
    qtbot.wait(20)
    assert answers == [] and not worker.is_busy


def test_what_is_waited_for_is_done_and_told(worker, qtbot):
    answers = []
    worker.done.connect(answers.append)
    worker.ask(lambda _request: time.sleep(0.05) or 7)
    worker.wait()
    qtbot.waitUntil(lambda: not worker.is_busy)
    assert answers == [7]


def test_work_stops_when_its_owner_is_destroyed(qapp):
    started, ended, owner = threading.Event(), [], QObject()
    worker = Worker(owner)

    def work(request):
        started.set()
        while not request.stop():
            time.sleep(0.001)
        ended.append(threading.current_thread())
        request.tell("nobody hears it")

    worker.ask(work)
    assert started.wait(5)
    shiboken6.delete(owner)
    worker.wait()
    assert ended == [worker._thread]


def test_what_the_work_was_given_is_let_go(worker, qtbot):
    """Also where it ends before the one who asked has turned round."""

    class Given:
        pass

    def ask():
        given = Given()
        worker.ask(lambda _request: given)
        return weakref.ref(given)

    left = []
    for _ in range(30):
        left.append(ask())
        qtbot.waitUntil(lambda: not worker.is_busy)
    gc.collect()
    assert [one for one in left if one() is not None] == []


def test_a_worker_is_let_go(qtbot):
    worker = Worker()
    with qtbot.waitSignal(worker.done):
        worker.ask(lambda _request: 1)
    worker.close()
    gone = weakref.ref(worker)
    del worker
    gc.collect()
    assert gone() is None


def test_objects_made_afterwards_are_what_they_are(qtbot, worker):
    for count in range(200):
        worker.ask(lambda _request, count=count: count)
        qtbot.waitUntil(lambda: not worker.is_busy)
        menu = QMenu()
        actions = [menu.addAction(str(place)) for place in range(5)]
        assert all(isinstance(action, QObject) for action in actions)
        menu.deleteLater()
    assert QWidget().isVisible() is False


LEAVING = """
import time
from PySide6.QtCore import QCoreApplication, QTimer
from ourmodels_gui.gui.background import Worker

program = QCoreApplication([])
workers, ended = [Worker(), Worker(program)], []

def work(request):
    while not request.stop():
        time.sleep(0.001)
    ended.append(request)

for worker in workers:
    worker.ask(work)
QTimer.singleShot(50, program.quit)
program.exec()
print(len(ended), [worker.is_busy for worker in workers])
"""


DELETED = """
import time
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from ourmodels_gui.gui.background import Worker

program = QCoreApplication([])

def talks(request):
    while not request.stop():
        request.tell(None)

for turn in range(300):
    window = QObject()
    Worker(window).ask(talks)
    time.sleep(turn % 4 / 2000)
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
print("whole")
"""


def in_a_process(program):
    """What a program of its own prints; a crash or a word of complaint fails."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_the_program_leaves_with_no_thread_at_work():
    assert in_a_process(LEAVING) == ["2", "[False,", "False]"]


def test_what_deletes_a_worker_does_not_disturb_a_thread_that_is_talking():
    assert in_a_process(DELETED) == ["whole"]
