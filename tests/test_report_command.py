"""`ourmodels report` without a display, and what comes back from its PDF."""

import json
import os
import subprocess
import sys

import pytest

from ourmodels_gui import paths, scenario
from ourmodels_gui.report.pdf_file import scenarios

EXAMPLES = paths.resources() / "examples"
ONE = EXAMPLES / "dgx-spark-qwen3.6-35b-a3b.ourmodels.json"
TWO = EXAMPLES / "apple-m5-max-qwen3.6-35b-a3b.ourmodels.json"


def without_display(*arguments):
    blind = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return subprocess.run(
        [sys.executable, "-m", "ourmodels_gui", *map(str, arguments)],
        env={name: value for name, value in os.environ.items() if name not in blind},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_pdf_is_written_without_a_display_and_gives_its_scenarios_back(tmp_path):
    out = tmp_path / "out.pdf"
    done = without_display("report", ONE, TWO, "-o", out)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert scenarios(out) == (scenario.read_file(ONE), scenario.read_file(TWO))
    again = tmp_path / "again.pdf"
    assert without_display("report", ONE, TWO, "-o", again).returncode == 0
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize("suffix, start", [("md", b"# "), ("html", b"<!DOCTYPE"), ("CSV", b"\xef")])
def test_the_suffix_decides_the_format(command, tmp_path, suffix, start):
    out = tmp_path / f"out.{suffix}"
    assert command("report", ONE, "-o", out) == (0, "", [])
    assert out.read_bytes().startswith(start)


def test_evaluate_takes_a_report(command, tmp_path, qapp):
    out = tmp_path / "out.pdf"
    assert command("report", ONE, TWO, "-o", out)[0] == 0
    wanted = [command("evaluate", file)[1] for file in (ONE, TWO)]
    status, first, said = command("evaluate", out)
    assert (status, first) == (0, wanted[0])
    assert len(said) == 1 and "2 scenarios" in said[0] and "--scenario" in said[0]
    assert command("evaluate", out, "--scenario", "2") == (0, wanted[1], [])
    status, _, said = command("evaluate", out, "--scenario", "3")
    assert status == 2 and "1 to 2" in said[0]


def test_a_report_of_a_report_is_the_same_report(command, tmp_path, qapp):
    first, second = tmp_path / "first.pdf", tmp_path / "second.pdf"
    assert command("report", ONE, TWO, "-o", first)[0] == 0
    assert command("report", first, "-o", second)[0] == 0
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([ONE, "-o", "out.docx"], "must end in .pdf, .md, .html or .csv"),
        ([ONE] * 7 + ["-o", "out.md"], "1 to 6"),
        ([ONE, "-o", "out.md", "--sections", "answer,nonsense"], "no section nonsense"),
        ([ONE, "-o", "out.md", "--logo", ONE], "neither a PNG nor a JPEG"),
        ([ONE], "required: -o/--output"),
        (["-o", "out.md"], "required: FILE"),
    ],
)
def test_bad_input_is_one_line_and_status_2_and_nothing_is_written(
    command, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    status, out, err = command("report", *arguments)
    assert status == 2 and out == "" and len(err) == 1 and words in err[0]
    assert [path for path in tmp_path.iterdir() if path.is_file()] == []


def test_a_machine_that_was_deleted_is_named_with_its_file(command, tmp_path):
    document = json.loads(ONE.read_bytes()) | {"hardware": "my-old-machine"}
    path = tmp_path / "gone.json"
    path.write_text(json.dumps(document))
    status, _, err = command("report", ONE, path, "-o", tmp_path / "out.pdf")
    assert status == 2 and len(err) == 1
    assert f"{path}: hardware: " in err[0] and "my-old-machine" in err[0]
    assert not (tmp_path / "out.pdf").exists()


def test_files_that_cannot_be_read_have_status_3(command, tmp_path):
    for path in (tmp_path / "missing.json", tmp_path, "a\0b"):
        status, _, err = command("report", path, "-o", tmp_path / "out.md")
        assert status == 3 and len(err) == 1, path


def test_a_folder_that_cannot_be_written_leaves_no_half_file(command, tmp_path):
    for place in (tmp_path / "no" / "out.md", "a\0b.md", ONE / "out.md"):
        status, _, err = command("report", ONE, "-o", place)
        assert status == 3 and len(err) == 1 and "cannot be written" in err[0]
    taken = tmp_path / "folder.md"
    taken.mkdir()
    assert command("report", ONE, "-o", taken)[0] == 3
    assert [path.name for path in tmp_path.iterdir()] == ["folder.md"]


def test_a_full_disk_leaves_the_old_file(command, tmp_path, monkeypatch):
    out = tmp_path / "out.md"
    out.write_text("old")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    status, _, err = command("report", ONE, "-o", out)
    assert status == 3 and "No space left on device" in err[0]
    assert out.read_text() == "old" and [path.name for path in tmp_path.iterdir()] == ["out.md"]


def test_words_of_the_user_are_in_it(command, tmp_path):
    out = tmp_path / "out.md"
    words = ("--title", "Our plan", "--author", "Ann", "--date", "May", "--note", "As agreed.")
    assert command("report", ONE, "-o", out, *words, "--sections", "answer")[0] == 0
    said = out.read_text(encoding="utf-8")
    assert said.startswith("# Our plan\n") and "Ann · May · " in said and "As agreed." in said
    assert "## Glossary" not in said
