"""Ways to a model's own files from the window, and what becomes of a model that is kept."""

import pytest
from gguf_files import llama_keys, llama_tensors, write_gguf
from gui_cases import bare_window, forget_changes
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from safetensors_files import llama_config, write_config, write_sparse
from safetensors_files import llama_tensors as hf_tensors

from ourmodels_gui import paths
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.importing.imports import Imports
from ourmodels_gui.gui.importing.model_paths import one_model, pasted_model
from ourmodels_gui.library.importers.profile_text import resident_bytes
from ourmodels_gui.library.load import load
from ourmodels_gui.problem import BadInput
from ourmodels_gui.scenario import ModelRef

KEYS = QKeySequence("Ctrl+V")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def window(qtbot, scenario, library, theme, folder):
    made = bare_window(scenario, library, theme, folder)
    made.imports = Imports(made.store, made, folder, lambda: load(paths.catalog(), folder))

    def clean(it):
        if it.imports.dialog is not None:
            it.imports.dialog.done(0)
        it.imports._worker.close()
        forget_changes(it)

    qtbot.addWidget(made, before_close_func=clean)
    made.show()
    return made


@pytest.fixture
def plain(tmp_path):
    return write_gguf(tmp_path / "plain.gguf", llama_keys(), llama_tensors())


def read_to_the_end(qtbot, window):
    qtbot.waitUntil(lambda: not window.imports._worker.is_busy, timeout=20_000)
    return window.imports.dialog


def drop(window, *files):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in files])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    enter = QDragEnterEvent(window.rect().center(), copy, data, left, none)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        middle = QPointF(window.rect().center())
        QApplication.sendEvent(window, QDropEvent(middle, copy, data, left, none))
    return enter.isAccepted()


def test_the_menu_opens_one_dialog_that_asks_for_files(window):
    window.menus.model.emit("import")
    dialog = window.imports.dialog
    assert dialog.isVisible() and dialog.reviewed is None
    window.menus.model.emit("import")
    assert window.imports.dialog is dialog


def test_a_kept_model_is_a_file_of_the_users_and_chosen_in_its_own_format(
    window, qtbot, plain, folder
):
    window.store.edit({"model.weights": "q4_k_m"})
    window.imports.open(plain)
    read_to_the_end(qtbot, window).save_button.click()
    assert window.imports.dialog is None
    chosen = window.store.scenario.model
    entry = window.store.library.models[chosen.id]
    assert (entry.yours, entry.name, chosen) == (True, "Tested 1B", ModelRef(chosen.id))
    assert (folder / "models" / f"{chosen.id}.json").is_file()
    used = run(window.store.scenario, window.store.library).setup.model
    assert used.resident_bytes == resident_bytes(entry.record)


def test_the_same_files_kept_twice_are_two_models(window, qtbot, plain):
    ids = []
    for _ in range(2):
        window.imports.open(plain)
        read_to_the_end(qtbot, window).save_button.click()
        ids.append(window.store.scenario.model.id)
    assert ids == ["tested-1b", "tested-1b-2"]


def test_a_model_that_cannot_be_written_is_told_in_the_dialog(window, qtbot, plain, folder):
    folder.mkdir(exist_ok=True)
    (folder / "models").write_text("a file where a folder is needed")
    before = window.store.scenario
    window.imports.open(plain)
    dialog = read_to_the_end(qtbot, window)
    dialog.save_button.click()
    assert dialog.isVisible() and "nothing could be saved" in dialog.trouble.text()
    assert window.store.scenario == before


def test_closing_while_a_file_is_read_keeps_nothing(window, plain):
    window.imports.open(plain)
    window.imports.dialog.done(0)
    assert window.imports.dialog is None and not window.imports._worker.is_busy


def test_model_files_and_folders_are_dropped_on_the_window(window, qtbot, plain, tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    config = write_config(model, **llama_config())
    write_sparse(model / "model.safetensors", hf_tensors())
    for given in (plain, model, config, model / "model.safetensors"):
        assert drop(window, given)
        dialog = read_to_the_end(qtbot, window)
        assert dialog.reviewed is not None and dialog.path.text() == str(given)
        dialog.done(0)


def test_a_model_that_the_system_hands_over_is_read(window, qtbot, plain):
    window.open(plain)
    assert read_to_the_end(qtbot, window).reviewed is not None


def test_what_is_no_model_is_opened_as_a_scenario_still(window, tmp_path):
    path = tmp_path / "notes.json"
    path.write_text("{}")
    assert drop(window, path)
    assert window.imports.dialog is None and window.bar.said


def test_parts_of_one_model_are_taken_together_and_two_models_are_not(tmp_path):
    def urls(*names):
        for name in names:
            (tmp_path / name).touch()
        return [QUrl.fromLocalFile(str(tmp_path / name)) for name in names]

    parts = urls("m-00002-of-00002.gguf", "m-00001-of-00002.gguf")
    assert one_model(parts) == tmp_path / "m-00001-of-00002.gguf"
    assert one_model(urls("a.gguf", "b.gguf")) is None
    shards = urls("config.json", "tokenizer.json", "x-2.safetensors", "x-1.safetensors")
    assert one_model(shards) == tmp_path / "x-1.safetensors"
    assert one_model(urls("notes.txt")) is None
    assert one_model([QUrl("https://example.org/a.gguf")]) is None


def copied(text):
    data = QMimeData()
    data.setText(text)
    return data


def test_a_copied_path_in_any_form_is_a_model(plain, tmp_path):
    for text in (str(plain), f'"{plain}"\n', plain.as_uri(), "plain.gguf"):
        assert pasted_model(copied(text)).name == "plain.gguf"
    for text in ("", "some words", "two\n/lines", "x" * 5000):
        assert pasted_model(copied(text)) is None
    with pytest.raises(BadInput, match="works offline"):
        pasted_model(copied("https://example.org/model.gguf"))
    assert pasted_model(None) is None  # nothing was ever copied


def test_ctrl_v_reads_a_copied_path_unless_a_field_has_the_focus(window, qtbot, plain):
    QGuiApplication.clipboard().setText(plain.as_uri())
    (action,) = [one for one in window.findChildren(QAction) if KEYS in one.shortcuts()]
    action.trigger()
    dialog = read_to_the_end(qtbot, window)
    assert dialog.reviewed is not None
    dialog.done(0)
    field = window.models.search
    QTest.keyClick(field, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert window.imports.dialog is None and field.text() == plain.as_uri()


def test_what_was_copied_and_is_no_path_is_told(window):
    for text, words in (("hello", "no path"), ("https://example.org/a", "works offline")):
        QGuiApplication.clipboard().setText(text)
        window.menus.model.emit("paste")
        assert words in window.bar.said
    assert window.imports.dialog is None
