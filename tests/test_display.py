"""Where there is a display the window opens on it; where there is none, one line says so."""

import os
import shutil
import subprocess
import sys

import pytest

from ourmodels_gui import app

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="about Linux alone")

CHOSEN = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
NOWHERE = [
    {},
    {"DISPLAY": ":65001"},
    {"WAYLAND_DISPLAY": "none-0", "XDG_RUNTIME_DIR": "/nowhere"},
]
SEEN = """
import sys
from PySide6.QtCore import QTimer
from ourmodels_gui import app, cli

def look(application):
    def leave():
        seen = application.window.isVisible() and application.platformName() == "xcb"
        application.exit(0 if seen else 5)
    QTimer.singleShot(100, leave)
    return run()

run = app.Application.exec
app.Application.exec = look
sys.exit(cli.main(["gui"]))
"""


@pytest.fixture
def start(tmp_path):
    """Runs Python with one kind of display alone, as after a login."""

    def run(*arguments, **environment):
        rest = {name: value for name, value in os.environ.items() if name not in CHOSEN}
        return subprocess.run(
            [sys.executable, "-W", "error", *arguments],
            env={**rest, "OURMODELS_HOME": str(tmp_path / "home"), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture
def x_display():
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield f":{server.stdout.readline().strip()}"
    server.terminate()
    server.wait()
    server.stdout.close()


@pytest.mark.parametrize("environment", NOWHERE, ids=["none", "dead-x", "dead-wayland"])
def test_a_display_that_does_not_answer_is_no_display(start, environment):
    assert start("-m", "ourmodels_gui.display", **environment).returncode == 1
    done = start("-m", "ourmodels_gui", **environment)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (3, "")
    assert "no display" in line and "evaluate FILE --text" in line


def test_the_window_opens_on_x(start, x_display):
    assert start("-m", "ourmodels_gui.display", DISPLAY=x_display).returncode == 0
    done = start("-c", SEEN, DISPLAY=x_display)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_plugin_that_cannot_be_loaded_is_told_before_qt_aborts(monkeypatch, tmp_path):
    app.load_platform(["no-such", "offscreen"])
    monkeypatch.setattr(app.QLibraryInfo, "path", lambda _: str(tmp_path))
    with pytest.raises(ImportError, match=r"libqxcb\.so: cannot open shared object file"):
        app.load_platform(["wayland", "xcb"])
