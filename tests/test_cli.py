import json
import os
import subprocess
import sys

import pytest

from ourmodels_gui import __version__, cli, paths, scenario

EXAMPLE = paths.resources() / "examples" / f"dgx-spark-qwen3.6-35b-a3b{scenario.SUFFIX}"


def bad_file(tmp_path, change):
    document = json.loads(EXAMPLE.read_bytes())
    change(document)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    return path


def test_evaluate_prints_json_and_nothing_else(command):
    status, out, err = command("evaluate", EXAMPLE)
    assert status == 0 and err == []
    assert json.loads(out)["decode"]["best_batch"] == 17


def test_evaluate_text_answers_in_words(command):
    status, out, err = command("evaluate", EXAMPLE, "--text")
    assert status == 0 and err == []
    assert "serves: 346 tok/s (estimate)" in out and "17 sessions at 20.3 tok/s each" in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_what_does_not_fit_is_a_result(command, tmp_path):
    path = bad_file(tmp_path, lambda document: document["hardware"].update(memory_gb=16))
    status, out, err = command("evaluate", path)
    assert status == 0 and err == []
    assert json.loads(out)["decode"]["verdict"] == "model does not fit"


@pytest.mark.parametrize(
    "change, key",
    [
        (lambda document: document.update(surprise=1), "surprise"),
        (lambda document: document.update(hardware="no-such-machine"), "hardware"),
        (lambda document: document["workload"].update(rates="measured"), "workload.rates"),
        (lambda document: document["model"].update(adapter=None), "model.adapter"),
        (lambda document: document["hardware"].update(memory_gb=-1), "hardware.memory_gb"),
    ],
)
def test_bad_input_is_one_line_with_file_and_key_and_status_2(command, tmp_path, change, key):
    path = bad_file(tmp_path, change)
    status, out, err = command("evaluate", path)
    assert status == 2 and out == ""
    assert len(err) == 1 and err[0].startswith(f"ourmodels: {path}: {key}: ")


def test_a_file_that_is_not_text_is_bad_input(command, tmp_path):
    path = tmp_path / "noise.json"
    path.write_bytes(bytes(range(256)))
    status, out, err = command("evaluate", path)
    assert status == 2 and out == "" and "UTF-8" in err[0]


def test_a_file_that_cannot_be_read_has_status_3(command, tmp_path):
    for path in (tmp_path / "missing.json", tmp_path):
        status, out, err = command("evaluate", path)
        assert status == 3 and out == ""
        assert len(err) == 1 and str(path) in err[0]


def test_a_name_that_no_file_can_have_has_status_3(command):
    status, _, err = command("evaluate", "a\0b")
    assert status == 3 and len(err) == 1


@pytest.mark.parametrize(
    "arguments", [["bogus"], ["evaluate"], ["evaluate", "a", "b"], ["evaluate", "a", "--csv"]]
)
def test_a_bad_command_line_is_one_line_and_status_2(command, arguments):
    status, out, err = command(*arguments)
    assert status == 2 and out == "" and len(err) == 1 and "--help" in err[0]


def test_version_and_help_succeed(command):
    assert command("--version") == (0, f"ourmodels {__version__}\n", [])
    status, out, _ = command("--help")
    assert status == 0 and "evaluate" in out and "gui" in out


def test_no_command_opens_the_window(monkeypatch):
    opened = []

    class App:
        @staticmethod
        def main(path=None):
            opened.append(path)
            return 0

    monkeypatch.setitem(sys.modules, "ourmodels_gui.app", App)
    monkeypatch.setattr("ourmodels_gui.app", App, raising=False)
    assert cli.main([]) == 0 and cli.main(["gui", "a.json"]) == 0
    assert [path and str(path) for path in opened] == [None, "a.json"]


def test_output_is_utf_8_whatever_the_terminal_says(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ourmodels_gui", "evaluate", str(EXAMPLE), "--text"],
        env=os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0 and done.stderr == b""
    assert "·" in done.stdout.decode("utf-8")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_output_that_cannot_be_written_has_status_3():
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "ourmodels_gui", "evaluate", str(EXAMPLE)],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr.decode().count("\n") == 1


class Lacking:
    """A loader for which one library of the system is missing."""

    def __init__(self, words):
        self.words = words

    def find_spec(self, name, path=None, target=None):
        if name in WITH_QT:
            raise ImportError(self.words)


WITH_QT = ("ourmodels_gui.app", "ourmodels_gui.gui.report.pdf")


@pytest.mark.parametrize(
    "arguments", [["gui"], ["report", EXAMPLE, "-o", "x.pdf"]], ids=["gui", "report"]
)
def test_a_missing_system_library_is_one_line_with_what_installs_it(
    command, monkeypatch, arguments
):
    words = "libEGL.so.1: cannot open shared object file: No such file or directory"
    for name in WITH_QT:
        monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.delattr(name, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Lacking(words), *sys.meta_path])
    status, out, err = command(*arguments)
    assert (status, out, len(err)) == (3, "", 1)
    assert "libEGL.so.1" in err[0] and "apt-get install -y" in err[0] and "libegl1" in err[0]


def test_another_fault_of_an_import_is_not_taken_for_a_missing_library(command, monkeypatch):
    monkeypatch.delitem(sys.modules, "ourmodels_gui.app", raising=False)
    monkeypatch.delattr("ourmodels_gui.app", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Lacking("no module of that name"), *sys.meta_path])
    with pytest.raises(ImportError, match="no module"):
        command("gui")
