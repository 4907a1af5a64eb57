"""The headless commands neither load Qt nor need a display."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ourmodels_gui import paths

EXAMPLES = sorted(paths.resources().glob("examples/*.ourmodels.json"))
WINDOW_ONLY = {"PySide6", "shiboken6", "pyqtgraph"}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The program without any display; standard error tells every module it imported."""
    blind = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "ourmodels_gui", *map(str, arguments)],
        env={name: value for name, value in os.environ.items() if name not in blind},
        capture_output=True,
        text=True,
        check=False,
    )


def imported(standard_error: str) -> set[str]:
    lines = re.findall(r"^import time: +\d+ \| +\d+ \| +([\w.]+)$", standard_error, re.MULTILINE)
    return {name.partition(".")[0] for name in lines}


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("options", [[], ["--text"]], ids=["json", "text"])
def test_evaluate_loads_no_window(options):
    done = run("evaluate", EXAMPLES[0], *options)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()
    loaded = imported(done.stderr)
    assert "msgspec" in loaded, "the list of imports was not read"
    assert loaded.isdisjoint(WINDOW_ONLY)


def test_help_loads_no_window():
    done = run("--help")
    assert done.returncode == 0
    assert imported(done.stderr).isdisjoint(WINDOW_ONLY)
