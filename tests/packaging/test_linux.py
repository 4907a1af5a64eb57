"""What `make run` does about system libraries on Linux."""

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="about Linux alone")

FOLDER = Path(__file__).parents[2] / "packaging" / "linux"


@pytest.fixture
def libraries():
    spec = spec_from_file_location("linux_libraries", FOLDER / "libraries.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def lacking(libraries, monkeypatch):
    """A system without the X cursor library, whose apt-get does nothing."""
    state = {"missing": ["libxcb-cursor.so.0"], "installed_with": None}
    monkeypatch.setattr(libraries, "missing", lambda: state["missing"])
    monkeypatch.setattr(libraries.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(libraries, "install", lambda prefix: state.update(installed_with=prefix))
    return state


def test_libraries_that_qt_needs_are_all_here():
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name}
    done = subprocess.run([sys.executable, FOLDER / "libraries.py"], env=environment, check=False)
    assert done.returncode == 0


def test_unresolved_libraries_are_read_from_the_loader(libraries):
    output = "\tlibxcb-cursor.so.0 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f)\n/q.so:\n"
    assert libraries.unresolved(output) == {"libxcb-cursor.so.0"}


def test_the_x_plugin_is_asked_about_only_where_there_is_an_x_server(libraries, monkeypatch):
    monkeypatch.setattr(libraries.shutil, "which", lambda name: None)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    assert "libqxcb.so" not in libraries.plugins()
    monkeypatch.setenv("DISPLAY", ":0")
    assert "libqxcb.so" in libraries.plugins()


def test_without_privilege_one_line_says_what_to_do(libraries, lacking, monkeypatch, capsys):
    monkeypatch.setattr(libraries, "privilege", lambda: None)
    assert libraries.main() == 1
    assert lacking["installed_with"] is None
    said = capsys.readouterr().out.splitlines()
    assert "libxcb-cursor.so.0" in said[0]
    (line,) = [line for line in said if line.startswith("sudo apt-get update && sudo apt-get ")]
    assert set(libraries.PACKAGES) < set(line.split())


def test_with_privilege_the_packages_are_installed(libraries, lacking, monkeypatch):
    monkeypatch.setattr(libraries, "privilege", lambda: [])
    monkeypatch.setattr(libraries, "install", lambda prefix: lacking.update(missing=[]))
    assert libraries.main() == 0


def test_a_failed_installation_is_not_taken_for_a_success(libraries, lacking, monkeypatch, capsys):
    monkeypatch.setattr(libraries, "privilege", lambda: [])
    assert libraries.main() == 1
    assert lacking["installed_with"] == []
    assert "Still missing: libxcb-cursor.so.0" in capsys.readouterr().out
