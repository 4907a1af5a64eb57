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
    for window in QApplication.topLevelWidgets():
        if window.isVisible():
            print(window.windowTitle())
    QApplication.exit(0)

def run_for_a_moment(application):
    QTimer.singleShot(1500, leave)
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


@pytest.mark.parametrize("arguments", [[], ["gui"]], ids=["no-command", "gui"])
def test_the_window_opens_without_a_file(tmp_path, arguments):
    done = start(tmp_path, *arguments)
    assert said(done) == []
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1


def test_the_window_opens_on_a_scenario_file(tmp_path):
    done = start(tmp_path, "gui", EXAMPLE)
    assert said(done) == []
    assert done.returncode == 0
    name = scenario.read_file(EXAMPLE).name
    assert name is not None
    assert EXAMPLE.name.removesuffix(scenario.SUFFIX) in done.stdout or name in done.stdout
