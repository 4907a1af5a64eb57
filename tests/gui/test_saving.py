"""Where a file goes: its ending is that of its kind, and nothing is replaced unasked."""

import doctest
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from ourmodels_gui.gui import saving
from ourmodels_gui.gui.saving import ask_where

KINDS = {".pdf": "PDF document", ".html": "Web page"}


def test_the_examples_of_the_docstrings_come_out():
    assert doctest.testmod(saving).failed == 0


@pytest.fixture
def asked(monkeypatch):
    """Answers of the system's dialog in turn; what was asked of it; questions about replacing."""

    class Asked:
        answer = ("", "")
        suggestion, kinds = "", ""
        replaced = QMessageBox.StandardButton.Cancel
        questions = 0

    def name(_parent, _title, suggestion, kinds):
        Asked.suggestion, Asked.kinds = suggestion, kinds
        return Asked.answer

    def question(*_):
        Asked.questions += 1
        return Asked.replaced

    monkeypatch.setattr(QFileDialog, "getSaveFileName", name)
    monkeypatch.setattr(QMessageBox, "warning", question)
    return Asked


def ask(folder):
    return ask_where(None, "Save", folder / "a.pdf", KINDS)


def test_the_first_kind_is_suggested(asked, tmp_path):
    assert ask(tmp_path) is None
    assert asked.suggestion == str(tmp_path / "a.pdf")
    assert asked.kinds == "PDF document (*.pdf);;Web page (*.html)"


@pytest.mark.parametrize(
    ("typed", "chosen", "written"),
    [
        ("a", "PDF document (*.pdf)", "a.pdf"),
        ("a", "Web page (*.html)", "a.html"),
        ("a", "", "a.pdf"),
        ("a.pdf", "Web page (*.html)", "a.html"),
        ("a.html", "PDF document (*.pdf)", "a.html"),
        ("a.HTML", "PDF document (*.pdf)", "a.HTML"),
        ("version 1.2", "PDF document (*.pdf)", "version 1.2.pdf"),
    ],
)
def test_the_ending_is_that_of_the_kind(asked, tmp_path, typed, chosen, written):
    asked.answer = (str(tmp_path / typed), chosen)
    assert ask(tmp_path) == tmp_path / written


def test_a_file_that_the_dialog_did_not_ask_about_is_replaced_only_when_told_so(asked, tmp_path):
    there: Path = tmp_path / "a.html"
    there.write_text("kept")
    asked.answer = (str(tmp_path / "a"), "Web page (*.html)")
    assert ask(tmp_path) is None and asked.questions == 1
    asked.replaced = QMessageBox.StandardButton.Save
    assert ask(tmp_path) == there and asked.questions == 2
    asked.answer = (str(there), "Web page (*.html)")  # the dialog itself has asked
    assert ask(tmp_path) == there and asked.questions == 2
