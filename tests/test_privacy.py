"""The program asks for no network, and reads nothing but its own files and what the user opened."""

import json
import os
import platform
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from ourmodels_gui import paths

ROOT = Path(__file__).parents[1]
EXAMPLE = paths.resources() / "examples" / "toy-machine.ourmodels.json"
ON_LINUX = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")

COMMAND = "import sys; from ourmodels_gui.cli import main; status = main(sys.argv[1:])\n"
END = "sys.exit(status)\n"
WINDOW = """
import sys
from pathlib import Path
from ourmodels_gui import app
from ourmodels_gui.gui.smoke import Smoke
status = app.main(Path(sys.argv[1]), started=Smoke)
"""
PYTHON_SOCKET = "import socket; socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()\n"
PYTHON_LOOK_UP = "import socket; socket.gethostbyname('localhost')\n"
C_SOCKET = "import ctypes; ctypes.CDLL(None).socket(2, 1, 0)\n"
LOCAL_SOCKET = "import socket; socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).close()\n"

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "vocab_size": 100,
    "max_position_embeddings": 2048,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}


@pytest.fixture
def model(tmp_path):
    """A folder with the config of a small model."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return folder


class Seen:
    """What a watched run did."""

    def __init__(self, done, told):
        self.status, self.said = done.returncode, done.stdout + done.stderr
        self.told = json.loads(told.read_text(encoding="utf-8")) if told.exists() else None


@pytest.fixture
def watch(tmp_path):
    """Runs code with its own home, in which other people's files lie too."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    for private in (".ssh/id_ed25519", "letter.txt", ".bash_history"):
        (home / private).write_text("nobody's business", encoding="utf-8")
    environment = {
        **os.environ,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "OURMODELS_HOME": str(home / "ourmodels"),
        "QT_QPA_PLATFORM": "offscreen",
    }

    def run(code, *arguments):
        told = tmp_path / "seen.json"
        command = [sys.executable, ROOT / "tests" / "watched.py", told, code, *arguments]
        done = subprocess.run(
            [str(part) for part in command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return Seen(done, told)

    run.home = home
    return run


def actions(tmp_path, model):
    """What people do with the program: code, arguments, and what they opened or asked for."""
    outputs = [tmp_path / f"report{suffix}" for suffix in (".pdf", ".md", ".html", ".csv")]
    return {
        "evaluate": (COMMAND + END, ("evaluate", EXAMPLE, "--text"), [EXAMPLE]),
        "rank": (COMMAND + END, ("rank", "--model", "gpt-oss-120b", "--csv"), []),
        "import": (COMMAND + END, ("import", model, "--save"), [model]),
        **{
            path.suffix: (COMMAND + END, ("report", EXAMPLE, "-o", path), [EXAMPLE, path])
            for path in outputs
        },
        "window": (WINDOW + END, (EXAMPLE,), [EXAMPLE]),
    }


def own_places(home):
    """Folders of the program, of Python and Qt, and of the system's fonts."""
    python = {*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix}
    return [
        *map(Path, python),
        *(ROOT / name for name in ("ourmodels_gui", "catalog", "resources")),
        home / "ourmodels",
        *map(Path, ("/usr/share/fonts", "/usr/local/share/fonts", "/etc/fonts")),
    ]


def outside(seen, home, opened):
    """Files that were opened, and folders that were listed, for no reason of the program."""
    places = [place.resolve() for place in (*own_places(home), *opened)]
    written_into = {path.parent.resolve() for path in opened}
    searched_for_modules = {ROOT, *(Path(name).resolve() for name in sys.path if name)}

    def has_reason(path):
        # A file is written under another name first, and its folder brought onto the disk.
        beside = path in written_into or (path.suffix == ".part" and path.parent in written_into)
        return beside or any(path.is_relative_to(place) for place in places)

    files = [name for name in seen.told["files"] if not has_reason(Path(name).resolve())]
    folders = [
        name
        for name in seen.told["folders"]
        if Path(name).resolve() not in searched_for_modules and not has_reason(Path(name).resolve())
    ]
    return files + folders


KINDS = ["evaluate", "rank", "import", ".pdf", ".md", ".html", ".csv", "window"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_asks_for_the_network_or_reads_what_is_not_the_programs(
    kind, watch, tmp_path, model
):
    code, arguments, opened = actions(tmp_path, model)[kind]
    seen = watch(code, *arguments)
    assert seen.status == 0, seen.said
    assert seen.told["sockets"] == []
    assert seen.told["kernel"] or not ON_LINUX
    assert any(name.endswith("catalog/sources.json") for name in seen.told["files"])
    assert outside(seen, watch.home, opened) == []


@pytest.mark.parametrize("planted", [PYTHON_SOCKET, PYTHON_LOOK_UP], ids=["socket", "look-up"])
def test_a_planted_socket_is_seen(planted, watch, tmp_path, model):
    _, arguments, _ = actions(tmp_path, model)["evaluate"]
    seen = watch(COMMAND + planted + END, *arguments)
    assert seen.status == -signal.SIGSYS if seen.told is None else seen.told["sockets"]


@pytest.mark.skipif(not ON_LINUX, reason="the rule is one of Linux")
def test_a_socket_planted_below_python_ends_the_window(watch):
    assert watch(C_SOCKET + WINDOW + END, EXAMPLE).status == -signal.SIGSYS


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such sockets")
def test_a_local_socket_is_no_network(watch):
    seen = watch(LOCAL_SOCKET)
    assert (seen.status, seen.told["sockets"]) == (0, [])


def test_a_planted_look_at_private_files_is_seen(watch, tmp_path, model):
    code, arguments, opened = actions(tmp_path, model)["evaluate"]
    letter, keys = watch.home / "letter.txt", watch.home / ".ssh"
    planted = f"import os; open({str(letter)!r}).close(); os.listdir({str(keys)!r})\n"
    seen = watch(planted + code, *arguments)
    assert outside(seen, watch.home, opened) == [str(letter), str(keys)]
