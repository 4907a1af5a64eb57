"""The command that opens the window, run as people run it and closed after a moment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ourmodels_gui import paths, scenario

EXAMPLE = paths.resources() / "examples" / "toy-machine.ourmodels.json"
DRIVER = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from ourmodels_gui import app, cli

def leave():
    for widget in QApplication.allWidgets():
        if widget.isVisible():
            title = widget.windowTitle() if widget.isWindow() else ""
            print(type(widget).__name__, widget.height(), title, sep="\\t")
    QApplication.exit(0)

def run_for_a_moment(application):
    QTimer.singleShot(3000, leave)
    return QApplication.exec()

app.Application.exec = run_for_a_moment
sys.exit(cli.main(sys.argv[1:]))
"""


def start(home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", DRIVER, *map(str, arguments)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "OURMODELS_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What went to standard error, but for the one line that this platform always prints."""
    lines = done.stderr.splitlines()
    return [line for line in lines if "propagateSizeHints" not in line]


def seen(done: subprocess.CompletedProcess[str]) -> dict[str, tuple[int, str]]:
    """Height and window title by kind of visible widget."""
    rows = (line.split("\t") for line in done.stdout.splitlines())
    return {kind: (int(height), title) for kind, height, title in rows}


@pytest.mark.parametrize("arguments", [[], ["gui"]], ids=["no-command", "gui"])
def test_the_window_opens_on_an_answer(tmp_path, arguments):
    done = start(tmp_path, *arguments)
    assert said(done) == []
    assert done.returncode == 0
    widgets = seen(done)
    assert "MainWindow" in widgets
    assert widgets["AnswerPanel"][0] > 100


def test_the_window_opens_on_a_scenario_file(tmp_path):
    done = start(tmp_path, "gui", EXAMPLE)
    assert said(done) == []
    assert done.returncode == 0
    title = seen(done)["MainWindow"][1]
    assert EXAMPLE.name.removesuffix(scenario.SUFFIX) in title


def test_the_start_reads_no_source():
    """PySide6 would read and keep every module's, in search of a feature that is not used."""
    done = subprocess.run(
        [sys.executable, "-c", "import ourmodels_gui.app, linecache; print(*linecache.cache)"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
    )
    read = {Path(name) for name in done.stdout.split() if "ourmodels_gui" in name}
    assert len(read) < 5, "but for what was being imported when that was switched off"
