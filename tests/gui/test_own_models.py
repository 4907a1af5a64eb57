"""Models of the user's own: duplicated, edited, exported, deleted; shipped ones never change."""

import pytest
from gui_cases import bare_window, forget_changes
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from ourmodels_gui import paths
from ourmodels_gui.gui.asked.rows import RowModel
from ourmodels_gui.gui.own.own_models import OwnModels
from ourmodels_gui.library.load import load
from ourmodels_gui.library.models import ModelRecord
from ourmodels_gui.library.parse import parse


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def window(qtbot, scenario, library, theme, folder):
    made = bare_window(scenario, library, theme, folder)
    made.own = OwnModels(made.store, made, folder, lambda: load(paths.catalog(), folder))
    qtbot.addWidget(made, before_close_func=forget_changes)
    return made


def type_name(monkeypatch, name, agreed=True):
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: (name, agreed))


def answer_with(monkeypatch, button):
    monkeypatch.setattr(QMessageBox, "question", lambda *_: button)


def duplicate(window, monkeypatch, name="Mine"):
    type_name(monkeypatch, name)
    window.menus.model.emit("duplicate")
    return window.store.library.models[window.store.scenario.model.id]


def test_a_duplicate_is_a_file_of_the_users_and_chosen(window, monkeypatch, folder):
    before = window.store.scenario.model
    entry = duplicate(window, monkeypatch)
    assert (entry.name, entry.yours) == ("Mine", True)
    assert (folder / "models" / f"{entry.id}.json").is_file()
    assert entry.record.tensors == window.store.library.models[before.id].record.tensors
    assert window.store.scenario.model.weights == before.weights


def edit(window, name=None, notes=None):
    window.menus.model.emit("edit")
    fields = window.own.editor.fields
    if name is not None:
        fields.name.selectAll()
        QTest.keyClicks(fields.name, name)
    if notes is not None:
        fields.notes.setPlainText(notes)
    return window.own.editor


def test_an_edited_model_keeps_its_id(window, monkeypatch):
    entry = duplicate(window, monkeypatch)
    edit(window, "Better  name ", "one\n\n two ").accept()
    again = window.store.library.models[entry.id]
    assert again.name == "Better name"
    assert again.record.notes == ("one", "two")
    assert again.record.tensors == entry.record.tensors
    assert window.store.scenario.model.id == entry.id


def test_the_editor_starts_from_what_the_model_says(window, monkeypatch):
    entry = duplicate(window, monkeypatch)
    edit(window, notes="Mine to know").accept()
    editor = edit(window)
    assert editor.fields.name.text() == entry.name
    assert editor.fields.notes.toPlainText() == "Mine to know"
    editor.reject()


def test_without_a_name_nothing_is_saved_and_the_dialog_says_so(window, monkeypatch):
    entry = duplicate(window, monkeypatch)
    editor = edit(window, " ")
    editor.accept()
    assert editor.isVisible() and "a name is needed" in editor.trouble.text()
    assert window.store.library.models[entry.id] is entry
    answer_with(monkeypatch, QMessageBox.StandardButton.Discard)
    editor.reject()


def test_an_edit_is_not_lost_unasked(window, monkeypatch):
    duplicate(window, monkeypatch)
    editor = edit(window, "Other")
    answer_with(monkeypatch, QMessageBox.StandardButton.Cancel)
    editor.reject()
    assert editor.isVisible() and editor.fields.name.text() == "Other"
    answer_with(monkeypatch, QMessageBox.StandardButton.Discard)
    editor.reject()
    assert not editor.isVisible()


def test_a_name_that_nobody_agreed_to_changes_nothing(window, monkeypatch, folder):
    type_name(monkeypatch, "Mine", agreed=False)
    window.menus.model.emit("duplicate")
    assert not (folder / "models").exists()


def test_an_exported_model_reads_back_as_it_was(window, monkeypatch, tmp_path):
    entry = duplicate(window, monkeypatch)
    path = tmp_path / "out.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window.menus.model.emit("export")
    assert parse(path.read_bytes(), ModelRecord) == entry.record


def test_an_export_that_cannot_be_written_says_why(window, monkeypatch, tmp_path):
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "a.json"), "")
    )
    window.menus.model.emit("export")
    assert "Nothing was exported" in window.bar.said


def test_deleting_asks_and_removes_the_file(window, monkeypatch, folder):
    entry = duplicate(window, monkeypatch)
    button = QMessageBox.StandardButton
    for answer, left in ((button.Cancel, 1), (button.Discard, 0)):
        monkeypatch.setattr(QMessageBox, "question", lambda *_, answer=answer: answer)
        window.menus.model.emit("delete")
        assert len(list((folder / "models").glob("*.json"))) == left
    assert entry.id not in window.store.library.models


def test_shipped_models_can_be_neither_edited_nor_deleted(window, library):
    assert not window.menus.edit_model_action.isEnabled()
    assert not window.menus.delete_model_action.isEnabled()
    assert window.menus.export_model_action.isEnabled()
    window.menus.model.emit("edit")
    window.menus.model.emit("delete")
    assert window.store.library is library and window.own.editor is None


def test_a_file_changed_elsewhere_is_not_written_over(window, monkeypatch, folder):
    entry = duplicate(window, monkeypatch)
    path = folder / "models" / f"{entry.id}.json"
    path.write_bytes(path.read_bytes() + b"\n")
    theirs = path.read_bytes()
    editor = edit(window, "Other")
    editor.accept()
    assert editor.isVisible() and "changed elsewhere" in editor.trouble.text()
    assert editor.fields.name.text() == "Other"
    assert path.read_bytes() == theirs
    answer_with(monkeypatch, QMessageBox.StandardButton.Discard)
    editor.reject()


def test_only_ones_own_are_listed_on_asking(window, monkeypatch):
    entry = duplicate(window, monkeypatch)
    window.menus.own_models.emit()
    model = window.models.model
    assert [model.index(n).data(RowModel.RowRole).id for n in range(model.rowCount())] == [entry.id]
    window.models.clear_filters()
    assert model.rowCount() == len(window.store.library.models)
