"""Systems that are not as expected: folders that take nothing, odd locales and screens."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ourmodels_gui import paths, settings
from ourmodels_gui.settings import Settings

ROOT = Path(__file__).parents[1]
EXAMPLE = paths.resources() / "examples" / "toy-machine.ourmodels.json"
WINDOW = """
import sys
from pathlib import Path
{before}
from ourmodels_gui import app
from ourmodels_gui.gui.smoke import Smoke

def started(window):
    {started}
    Smoke(window)

status = app.main(started=started)
sys.exit(status)
"""
EDIT = "window._store.edit({'workload.floor_tokens_per_s': 7.0}); window.document.may_leave = bool"
NO_ROOM = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
"""
COMMAS = """
    from PySide6.QtCore import QLocale
    assert QLocale().toString(1.5) == "1,5"
"""
GERMAN_NUMBERS = {
    "OURMODELS_LANGUAGE": "",
    "LC_ALL": "",
    "LC_CTYPE": "C.UTF-8",
    "LC_NUMERIC": "de_DE.UTF-8",
}
FITS = """
    from PySide6.QtCore import QTimer
    def look():
        room, size = window.screen().availableSize(), window.size()
        if size.boundedTo(room) != size:
            print(f"the window has {size}, the screen {room}", file=sys.stderr)
    QTimer.singleShot(200, look)
"""


@pytest.fixture
def start(tmp_path):
    """Opens the window, tries every tab, closes; whatever was said on the way is a finding."""

    def run(*arguments, before="", started="pass", **environment):
        code = WINDOW.format(before=before, started=started)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, *arguments],
            env={
                **os.environ,
                "QT_QPA_PLATFORM": "offscreen",
                "OURMODELS_HOME": str(tmp_path / "home"),
                **environment,
            },
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        lines = done.stderr.splitlines()
        return done.returncode, [line for line in lines if "propagateSizeHints" not in line]

    return run


def test_a_user_folder_that_cannot_be_made_stops_nothing(start, tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert start(started=EDIT, OURMODELS_HOME=str(tmp_path / "file" / "home")) == (0, [])


@pytest.mark.skipif(sys.platform != "linux", reason="about Linux alone")
def test_a_read_only_file_system_stops_nothing(start):
    assert start(started=EDIT, OURMODELS_HOME="/proc/ourmodels") == (0, [])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_full_disk_stops_nothing_and_leaves_the_settings_as_they_were(start, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    kept = settings.write(Settings(theme="dark"))
    (home / settings.FILE).write_bytes(kept)
    assert start(before=NO_ROOM, started=EDIT) == (0, [])
    assert (home / settings.FILE).read_bytes() == kept


@pytest.mark.parametrize("locale", ["de_DE.UTF-8", "tr_TR.UTF-8"])
def test_no_locale_changes_what_is_printed_for_programs(locale):
    command = [sys.executable, "-m", "ourmodels_gui", "evaluate", str(EXAMPLE)]
    printed = {
        subprocess.run(
            command, env={**os.environ, "LC_ALL": name}, cwd=ROOT, capture_output=True, check=True
        ).stdout
        for name in ("C.UTF-8", locale)
    }
    assert len(printed) == 1
    assert json.loads(printed.pop())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems ask their settings")
def test_the_window_works_with_decimal_commas(start):
    assert start(started=COMMAS.strip(), **GERMAN_NUMBERS) == (0, [])


ODD_NAMES = [
    'it\'s "my" folder & more',
    "Ordner für 東京 \N{GRINNING FACE}",
    " trailing.. %20 $HOME ; *",
    pytest.param(
        "not-utf8-\udcff",
        marks=pytest.mark.skipif(sys.platform != "linux", reason="names are text elsewhere"),
    ),
]
SAVED = """
    path = Path(sys.argv[1])
    assert window.document.open(path), window.bar.said
    window._store.edit({'workload.floor_tokens_per_s': 7.0})
    assert window.document.save(), window.bar.said
    assert window.document.path == path
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows allows few of these names")
@pytest.mark.parametrize("name", ODD_NAMES, ids=["quotes", "unicode", "signs", "no-text"])
def test_folders_may_have_any_name(start, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    path = folder / f"{name}.ourmodels.json"
    path.write_bytes(EXAMPLE.read_bytes())
    arguments = {"OURMODELS_HOME": str(folder / "home")}
    assert start(path, started=SAVED.strip(), **arguments) == (0, [])
    assert json.loads(path.read_bytes())["workload"]["floor_tokens_per_s"] == 7


DIALOG = """
    from PySide6.QtWidgets import QFileDialog
    dialog = QFileDialog(window)
    dialog.show()
    dialog.close()
    dialog.deleteLater()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have dialogs of their own")
def test_a_home_holds_nothing_of_the_program_but_its_folder(start, tmp_path):
    login = tmp_path / "login"
    login.mkdir()
    environment = {"HOME": str(login), "OURMODELS_HOME": "", "XDG_CONFIG_HOME": ""}
    assert start(started=DIALOG.strip(), **environment) == (0, [])
    left = {path.relative_to(login).as_posix() for path in login.rglob("*") if path.is_file()}
    own = ".local/share/ourmodels/"
    assert f"{own}QtProject.conf" in left
    # fontconfig keeps a cache for every program of the user
    assert {name for name in left if not name.startswith((own, ".cache/fontconfig"))} == set()


@pytest.mark.parametrize("width, height", [(1024, 700), (7680, 4320)])
def test_the_window_is_no_larger_than_the_screen(start, tmp_path, width, height):
    screens = {"screens": [{"name": "one", "x": 0, "y": 0, "width": width, "height": height}]}
    file = tmp_path / "screens.json"
    file.write_text(json.dumps(screens), encoding="utf-8")
    platform = f"offscreen:configfile={file}"
    assert start(started=FITS.strip(), QT_QPA_PLATFORM=platform) == (0, [])


def test_the_window_works_on_a_screen_smaller_than_it_and_on_a_fine_one(start, tmp_path):
    screens = {"screens": [{"name": "one", "x": 0, "y": 0, "width": 640, "height": 480}]}
    file = tmp_path / "screens.json"
    file.write_text(json.dumps(screens), encoding="utf-8")
    assert start(QT_QPA_PLATFORM=f"offscreen:configfile={file}") == (0, [])
    assert start(QT_SCALE_FACTOR="3") == (0, [])
