"""Work for a thread pool leaves nothing behind."""

import gc
import weakref

from PySide6.QtCore import QThreadPool

from ourmodels_gui.gui.task import Task


def test_a_task_runs_and_its_python_half_goes_with_it(qapp):
    done, pool = [], QThreadPool()
    tasks = [Task(lambda place=place: done.append(place)) for place in range(20)]
    halves = [weakref.ref(task) for task in tasks]
    for task in tasks:
        pool.start(task)
    del task, tasks
    assert pool.waitForDone(10_000)
    gc.collect()
    assert sorted(done) == list(range(20))
    assert [half() for half in halves if half() is not None] == []
