"""A fault leaves the work safe and gives a report to copy."""

import sys
import threading

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ourmodels_gui import __version__
from ourmodels_gui.gui.faults import MOST_LETTERS, Faults


@pytest.fixture
def kept():
    return []


@pytest.fixture
def faults(qtbot, kept, monkeypatch):
    window = QWidget()
    made = Faults(window, lambda: kept.append("work"), "2026.11")
    monkeypatch.setattr(sys, "__excepthook__", lambda *fault: None)
    yield made
    window.deleteLater()


def fall(faults, error):
    try:
        raise error
    except type(error):
        faults.hook(*sys.exc_info())


def test_a_fault_keeps_the_work_and_shows_a_report(faults, kept, qtbot):
    fall(faults, ValueError("seven"))
    assert faults.dialog is None, "a dialog must not open inside a paint event"
    qtbot.waitUntil(lambda: faults.dialog is not None)
    assert kept == ["work"]
    assert not faults.dialog.isModal()
    faults.dialog.copy()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(f"Our Models: {__version__}\nCatalog: 2026.11")
    assert "ValueError: seven" in copied
    assert "in fall" in copied


def test_faults_gather_in_one_dialog_each_once(faults, kept, qtbot):
    for error in (ValueError("seven"), ValueError("seven"), KeyError("eight")):
        fall(faults, error)
    qtbot.waitUntil(lambda: len(kept) == 3)
    report = faults.dialog.report.toPlainText()
    assert (report.count("seven\n"), report.count("KeyError: 'eight'")) == (1, 1)


def test_a_fault_of_another_thread_is_shown_too(faults, kept, qtbot):
    thread = threading.Thread(target=fall, args=(faults, OSError("elsewhere")))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: faults.dialog is not None)
    assert "elsewhere" in faults.dialog.report.toPlainText()


def test_endless_faults_end_in_the_report(faults, kept, qtbot):
    for number in range(40):
        fall(faults, ValueError(f"{number} " + "x" * 10_000))
    qtbot.waitUntil(lambda: len(kept) == 40)
    assert len(faults.dialog.report.toPlainText()) < MOST_LETTERS + 20_000


def test_the_home_folder_is_not_named(faults, kept, qtbot, monkeypatch):
    monkeypatch.setenv("HOME", "/home-of-ann")
    fall(faults, OSError("/home-of-ann/plan.json"))
    qtbot.waitUntil(lambda: faults.dialog is not None)
    assert "~/plan.json" in faults.dialog.report.toPlainText()


def test_after_closing_the_next_fault_opens_another(faults, kept, qtbot):
    fall(faults, ValueError("first"))
    qtbot.waitUntil(lambda: faults.dialog is not None)
    faults.dialog.reject()
    assert faults.dialog is None
    fall(faults, ValueError("second"))
    qtbot.waitUntil(lambda: faults.dialog is not None)
    assert "first" not in faults.dialog.report.toPlainText()


def test_the_keyboard_interrupt_is_not_a_fault(faults, kept, qtbot):
    fall(faults, KeyboardInterrupt())
    qtbot.wait(20)
    assert (faults.dialog, kept) == (None, [])
