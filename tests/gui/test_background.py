"""One worker, the latest request wins, and nothing is left running."""

import threading

import pytest

from ourmodels_gui.gui.background import Worker


@pytest.fixture
def worker(qapp):
    made = Worker()
    yield made
    made.close()


def test_the_answer_arrives(worker, qtbot):
    with qtbot.waitSignal(worker.done) as caught:
        worker.ask(lambda _request: 42)
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


def test_a_fault_is_told_and_the_worker_goes_on(worker, qtbot):
    with qtbot.waitSignal(worker.failed) as caught:
        worker.ask(lambda _request: 1 // 0)
    assert isinstance(caught.args[0], ZeroDivisionError)
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
    assert answers == []
