"""What is open and unsaved survives a crash; nothing is left behind by an orderly end."""

import os
import signal
import subprocess
import sys

import msgspec
import pytest
from PySide6.QtWidgets import QWidget

from ourmodels_gui import scenario as files
from ourmodels_gui.gui.autosave import FOLDER, Autosave
from ourmodels_gui.gui.document import Document
from ourmodels_gui.gui.store import Store
from ourmodels_gui.scenario import SUFFIX

FLOOR = "workload.floor_tokens_per_s"
KILLED = """
import os, signal, sys
from PySide6.QtCore import QTimer
from ourmodels_gui import app, cli
from ourmodels_gui.gui import autosave
from ourmodels_gui.gui.main_window import MainWindow

made = MainWindow.__init__

def make(window, *arguments, **options):
    made(window, *arguments, **options)
    QTimer.singleShot(0, window, lambda: window.form.edited.emit({FLOOR: 37}))

def keep(self):
    kept(self)
    self.wait()
    if list(self._folder.glob("*.json")):
        os.kill(os.getpid(), signal.SIGKILL)

MainWindow.__init__ = make
kept = autosave.Autosave.keep
autosave.Autosave.keep = keep
sys.exit(cli.main([]))
""".replace("FLOOR", repr(FLOOR))
RESTARTED = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from ourmodels_gui import app, cli

def leave():
    window = QApplication.instance().window
    print(window._store.scenario.workload.floor_tokens_per_s, window.document.is_modified)
    print(window.bar.said)
    QApplication.exit(0)

def run_for_a_moment(application):
    QTimer.singleShot(500, leave)
    return QApplication.exec()

app.Application.exec = run_for_a_moment
sys.exit(cli.main([]))
"""


class Run:
    """A store with its document and autosave, as one window has them."""

    def __init__(self, scenario, library, folder):
        self.window = QWidget()
        self.store = Store(scenario, library)
        self.document = Document(self.store, self.window)
        self.told = []
        self.document.told.connect(self.told.append)
        self.autosave = Autosave(self.document, folder, self.window)

    def keep(self):
        self.autosave.keep()
        self.autosave.wait()

    def crash(self):
        """Let go of the lock without an orderly end, as a killed process does."""
        self.autosave._timer.stop()
        self.autosave._lock.unlock()


@pytest.fixture
def start(qtbot, scenario, library, tmp_path):
    def run():
        made = Run(scenario, library, tmp_path)
        qtbot.addWidget(made.window)
        return made

    return run


def copies(folder):
    return sorted((folder / FOLDER).glob("*.json"))


def test_an_edit_is_kept_a_moment_later(start, tmp_path, qtbot):
    run = start()
    run.store.edit({FLOOR: 33})
    assert copies(tmp_path) == []
    qtbot.waitUntil(lambda: len(copies(tmp_path)) == 1)
    run.autosave.end()


def test_what_a_crash_left_is_restored_as_unsaved(start, tmp_path):
    first = start()
    first.store.edit({FLOOR: 33})
    first.keep()
    first.crash()
    second = start()
    assert second.autosave.restore()
    assert second.store.scenario.workload.floor_tokens_per_s == 33
    assert second.document.is_modified
    assert "Restored" in second.told[-1]
    second.autosave.end()
    assert copies(tmp_path) == []


def test_the_copy_of_a_window_that_is_open_is_left_alone(start, tmp_path):
    first = start()
    first.store.edit({FLOOR: 33})
    first.keep()
    second = start()
    assert not second.autosave.restore()
    assert len(copies(tmp_path)) == 1
    first.autosave.end()


def test_the_restored_scenario_knows_its_file(start, tmp_path, scenario):
    path = tmp_path / f"mine{SUFFIX}"
    files.write_file(path, scenario)
    first = start()
    first.document.open(path)
    first.store.edit({FLOOR: 33})
    first.keep()
    first.crash()
    second = start()
    assert second.autosave.restore()
    assert second.document.path == path
    assert second.document.save()
    assert files.read_file(path).workload.floor_tokens_per_s == 33
    second.keep()
    assert copies(tmp_path) == []
    second.autosave.end()


def test_a_file_changed_after_the_crash_is_not_written_over_unasked(
    start, tmp_path, scenario, monkeypatch
):
    path = tmp_path / f"mine{SUFFIX}"
    files.write_file(path, scenario)
    first = start()
    first.document.open(path)
    first.store.edit({FLOOR: 33})
    first.keep()
    first.crash()
    theirs = msgspec.structs.replace(scenario, name="Theirs")
    files.write_file(path, theirs)
    second = start()
    second.autosave.restore()
    monkeypatch.setattr(Document, "_may_overwrite", lambda *_: False)
    assert not second.document.save()
    assert files.read_file(path).name == "Theirs"
    second.autosave.end()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[]", b'{"scenario": 3}', b'{"scenario": {}, "x": 1}']
)
def test_a_damaged_copy_is_set_aside_and_the_start_goes_on(start, tmp_path, content):
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "1-0.json").write_bytes(content)
    run = start()
    assert not run.autosave.restore()
    assert copies(tmp_path) == []
    assert (tmp_path / FOLDER / "1-0.unread").read_bytes() == content
    run.autosave.end()


def test_a_slow_disk_does_not_stop_the_window(start, tmp_path, qtbot, slow_disk):
    run = start()
    run.store.edit({FLOOR: 33})
    qtbot.waitUntil(slow_disk.is_writing)
    run.store.edit({FLOOR: 34})
    run.autosave.keep()
    assert copies(tmp_path) == []
    slow_disk.go_on()
    qtbot.waitUntil(lambda: b"34" in b"".join(path.read_bytes() for path in copies(tmp_path)))
    run.autosave.end()
    assert copies(tmp_path) == []
    assert not slow_disk.stopped_the_window


def test_what_is_saved_while_its_copy_is_written_leaves_no_copy(start, tmp_path, qtbot, slow_disk):
    run = start()
    before = run.store.scenario
    run.store.edit({FLOOR: 33})
    qtbot.waitUntil(slow_disk.is_writing)
    run.store.open(before)
    run.autosave.keep()
    slow_disk.go_on()
    run.autosave.wait()
    assert copies(tmp_path) == []
    run.autosave.end()


def test_nothing_is_kept_of_what_is_saved(start, tmp_path):
    run = start()
    run.keep()
    assert copies(tmp_path) == []
    run.autosave.end()


def test_a_killed_program_restores_at_its_next_start(tmp_path):
    home = tmp_path / "home"
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "OURMODELS_HOME": str(home)}
    killed = subprocess.run(
        [sys.executable, "-c", KILLED],
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert len(copies(home)) == 1
    again = subprocess.run(
        [sys.executable, "-c", RESTARTED],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith("37.0 True")
    assert "Restored" in again.stdout
