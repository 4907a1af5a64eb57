"""Freed memory does not stay with the window."""

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path
from threading import current_thread, main_thread

import pytest
from PySide6.QtCore import QEventLoop, QObject, QTimer

from ourmodels_gui.gui import freed_memory
from ourmodels_gui.gui.background import Worker
from ourmodels_gui.gui.freed_memory import FreedMemory, collect_due, collect_in_this_thread_only

PARTS = 1000
PIECE_BYTES = 100_000  # below what glibc maps on its own, so that it lies in the heap


def held_bytes():
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def rest(ms):
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def fill_and_free():
    """60 MB in pieces, of which the last stays: what lies below it is free and not given back."""
    pieces = [b"x" * PIECE_BYTES for _ in range(600)]
    last = pieces[-1]
    del pieces
    return last


@pytest.mark.skipif(freed_memory._of_glibc("malloc_trim") is None, reason="another C library")
@pytest.mark.skipif(not os.environ.get("ALONE"), reason="run by test_alone, in its own process")
def test_a_window_at_rest_gives_back_what_was_freed(qapp, monkeypatch):
    monkeypatch.setattr(freed_memory, "OFTEN_S", 0.0)
    rest(50)
    before = held_bytes()
    kept = fill_and_free()
    assert held_bytes() - before > 40e6, "without the window's doing it stays"
    owner = QObject()
    FreedMemory(owner)
    rest(50)
    assert held_bytes() - before < 20e6 and len(kept) == PIECE_BYTES
    owner.deleteLater()


def test_it_is_not_given_back_all_the_time(qapp):
    owner, times = QObject(), []
    freed = FreedMemory(owner)
    freed._trim = times.append
    for _ in range(5):
        rest(10)
    assert times == []
    freed._given_at -= 10.0
    for _ in range(5):
        rest(10)
    assert times == ([0] if sys.platform == "linux" else [])
    owner.deleteLater()


class Part(QObject):
    """One of a cycle."""

    def __init__(self):
        super().__init__()
        self.itself = self


def collecting_threads(qtbot):
    """Whether the window's thread collected, by each cycle let go before a worker works."""
    seen, worker = [], Worker()
    for _ in range(PARTS):
        weakref.finalize(Part(), lambda: seen.append(current_thread() is main_thread()))
    with qtbot.waitSignal(worker.done):
        worker.ask(lambda _request: [[] for _ in range(200_000)])
    worker.close()
    return seen


def test_a_worker_collects_nothing_of_the_window(qtbot):
    owner = QObject()
    gc.collect()
    gc.enable()
    try:
        assert False in collecting_threads(qtbot), "it does where Python collects by itself"
    finally:
        collect_in_this_thread_only()
    gc.collect()
    FreedMemory(owner)
    assert False not in (seen := collecting_threads(qtbot))
    rest(10)
    assert seen == [True] * PARTS
    owner.deleteLater()


def test_a_generation_is_collected_when_it_is_due(monkeypatch):
    done = []
    monkeypatch.setattr(gc, "collect", done.append)
    for limits, counts in (
        ((700, 10, 10), (700, 10, 10)),
        ((700, 10, 10), (701, 10, 10)),
        ((700, 10, 10), (0, 11, 3)),
        ((700, 10, 10), (900, 2, 11)),
        ((700, 10, 0), (900, 11, 11)),  # 0 is never
    ):
        monkeypatch.setattr(gc, "get_threshold", lambda limits=limits: limits)
        monkeypatch.setattr(gc, "get_count", lambda counts=counts: counts)
        collect_due()
    assert done == [0, 1, 2, 1]


THREADS = """
from threading import Barrier, Thread
from ourmodels_gui.gui import freed_memory

if ONE:
    freed_memory.use_one_heap()
together = Barrier(4)

def work():
    together.wait()
    kept = [bytes(1000) for _ in range(100)]
    together.wait()

threads = [Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
freed_memory._of_glibc("malloc_stats")()
"""


@pytest.mark.skipif(freed_memory._of_glibc("malloc_stats") is None, reason="another C library")
def test_threads_take_their_memory_from_one_heap():
    """What is free at the end of a thread's own heap is never given back."""
    assert _heaps(one=False) > 1, "without the window's doing each has its own"
    assert _heaps(one=True) == 1


def _heaps(one):
    done = subprocess.run(
        [sys.executable, "-c", THREADS.replace("ONE", str(one))],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr.count("Arena ")
