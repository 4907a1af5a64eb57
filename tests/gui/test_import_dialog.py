"""The review of a model's own files: read beside the window, asked, answered, kept."""

import threading

import pytest
from gguf_files import TYPES, llama_keys, llama_tensors, write_gguf
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QMessageBox,
    QPushButton,
    QRadioButton,
)
from safetensors_files import llama_config, write_config

from ourmodels_gui.gui.background import Worker
from ourmodels_gui.gui.importing import import_dialog
from ourmodels_gui.gui.importing.import_dialog import ImportDialog
from ourmodels_gui.gui.importing.import_reading import Beside, read
from ourmodels_gui.library.importers.importing import import_model, session_bytes
from ourmodels_gui.library.importers.profile_text import resident_bytes
from ourmodels_gui.problem import BadInput


@pytest.fixture
def worker(qtbot):
    made = Worker()
    yield made
    made.close()


@pytest.fixture
def saved():
    return []


@pytest.fixture
def dialog(qtbot, worker, library, scenario, saved):
    made = ImportDialog(worker, Beside(library, scenario), "Tested machine", saved.append)
    qtbot.addWidget(made, before_close_func=lambda it: it.done(0))
    made.show()
    return made


@pytest.fixture
def plain(tmp_path):
    return write_gguf(tmp_path / "plain.gguf", llama_keys(), llama_tensors())


@pytest.fixture
def windowed(tmp_path):
    keys = llama_keys(layers=4) | {".attention.sliding_window": 512}
    return write_gguf(tmp_path / "windowed.gguf", keys, llama_tensors(layers=4))


@pytest.fixture
def experts(tmp_path):
    folder = tmp_path / "experts"
    folder.mkdir()
    write_config(folder, **llama_config(num_experts=4, moe_intermediate_size=64))
    return folder


def shown(qtbot, dialog, path):
    """Read a path and wait for its review."""
    dialog.read(path)
    settle(qtbot, dialog)
    return dialog.reviewed


def settle(qtbot, dialog):
    qtbot.waitUntil(lambda: not dialog._worker.is_busy, timeout=20_000)


def answer_with(monkeypatch, button):
    asked = []
    monkeypatch.setattr(QMessageBox, "question", lambda *words: asked.append(words[2]) or button)
    return asked


def test_a_file_is_read_and_every_part_of_its_review_shown(qtbot, dialog, plain):
    reviewed = shown(qtbot, dialog, plain)
    page, record = dialog.page, reviewed.imported.record
    assert dialog.fields.name.text() == record.name == "Tested 1B"
    assert {line.name: line.value for line in page.read.lines}["context limit"] == "4,096"
    assert "tied" in [line.name for line in page.inferred.lines]
    rows = page.tensors.figures.rows
    assert rows[-1][2].value == sum(row[2].value for row in rows[:-1])
    assert rows[-1][2].value == resident_bytes(record)
    assert page.totals.figures[0].text() == "2.5 MB"
    assert page.questions.boxes == {}


def test_what_one_session_costs_is_the_windows_own_answer(library, scenario, plain):
    effect = read(plain, Beside(library, scenario), lambda: False).effect
    machine = library.machines[scenario.hardware].record
    swept = effect.resident_bytes + effect.bytes_per_token * 4096
    assert effect.tokens_per_s == pytest.approx(
        machine.memory.bandwidth.value * 1e9 / swept, rel=0.01
    )


def test_each_choice_tells_what_it_would_change(qtbot, dialog, windowed):
    reviewed = shown(qtbot, dialog, windowed)
    box = dialog.page.questions.boxes["window"]
    assert box.choices[""].isChecked(), "nothing is answered unasked"
    effects = reviewed.effects["window"]
    for choice in ("none", "all", "every_2"):
        record = import_model(windowed, answers={"window": choice}).record
        assert effects[choice].session_bytes == session_bytes(record)
    assert effects[""].session_bytes is None and effects[""].why == "cache layout unknown"
    assert effects["all"].session_bytes < effects["every_2"].session_bytes
    assert effects["all"].tokens_per_s > effects["none"].tokens_per_s
    assert "per token" in box.choices["all"].accessibleName()


def test_an_answer_changes_the_totals_and_stays_to_be_changed(qtbot, dialog, windowed):
    shown(qtbot, dialog, windowed)
    before = dialog.page.totals.figures[2].text()
    box = dialog.page.questions.boxes["window"]
    for choice in ("every_2", "none"):
        box.choices[choice].click()
        settle(qtbot, dialog)
        assert dialog.page.questions.boxes["window"] is box, "the question stays where it is"
        assert box.choices[choice].isChecked()
        assert dialog.page.totals.figures[2].text() != before
        before = dialog.page.totals.figures[2].text()
    box.choices[""].click()
    settle(qtbot, dialog)
    assert dialog.reviewed.imported.record.layers is None


def test_choices_are_walked_through_with_the_arrow_keys(qtbot, dialog, windowed):
    shown(qtbot, dialog, windowed)
    box = dialog.page.questions.boxes["window"]
    box.choices[""].setFocus()
    QTest.keyClick(box.choices[""], Qt.Key.Key_Down)
    settle(qtbot, dialog)
    assert dialog.reviewed.answers == {"window": "none"}
    assert box.choices["none"].hasFocus()


def test_a_blocking_question_keeps_the_model_from_being_saved(qtbot, dialog, experts, saved):
    shown(qtbot, dialog, experts)
    assert not dialog.save_button.isEnabled() and "answer first" in dialog.reason.text()
    dialog.accept()
    assert saved == []
    number = dialog.page.questions.boxes["per_token"].number
    number.setFocus()
    QTest.keyClicks(number, "2")
    QTest.keyClick(number, Qt.Key.Key_Return)
    settle(qtbot, dialog)
    assert dialog.isVisible(), "Enter in a field saves nothing"
    dialog.save_button.click()
    assert saved[0].experts[0].per_token == 2


def test_a_number_still_being_typed_counts_before_anything_is_saved(qtbot, dialog, experts, saved):
    shown(qtbot, dialog, experts)
    number = dialog.page.questions.boxes["per_token"].number
    number.setFocus()
    QTest.keyClicks(number, "2")
    dialog.accept()
    settle(qtbot, dialog)
    assert saved == [] and dialog.reviewed.answers == {"per_token": "2"}
    QTest.keyClicks(number, "0")
    dialog.accept()
    settle(qtbot, dialog)
    assert saved == [], "20 of 4 experts cannot be; it was looked at before it could be saved"


@pytest.mark.parametrize("text", ["0", "two"])
def test_a_number_that_cannot_be_is_refused_at_its_question(qtbot, dialog, experts, text):
    shown(qtbot, dialog, experts)
    box = dialog.page.questions.boxes["per_token"]
    box.number.setFocus()
    QTest.keyClicks(box.number, text)
    QTest.keyClick(box.number, Qt.Key.Key_Return)
    assert box.trouble.isVisible() and box.number.text() == text
    assert dialog.reviewed.answers == {}


def test_name_and_notes_are_saved_with_the_model(qtbot, dialog, plain, saved):
    shown(qtbot, dialog, plain)
    dialog.fields.name.selectAll()
    QTest.keyClicks(dialog.fields.name, "Fine tune")
    dialog.fields.notes.setPlainText("from last week")
    QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert (saved[0].name, saved[0].notes) == ("Fine tune", ("from last week",))
    assert not dialog.isVisible()


def test_a_model_that_cannot_be_written_stays_in_the_dialog(qtbot, dialog, windowed):
    def refuse(_record):
        raise BadInput("", "the disk is full")

    dialog._save = refuse
    shown(qtbot, dialog, windowed)
    dialog.page.questions.boxes["window"].choices["all"].click()
    settle(qtbot, dialog)
    dialog.fields.name.setText("Kept")
    dialog.save_button.click()
    assert dialog.isVisible() and dialog.trouble.text() == "the disk is full"
    assert dialog.fields.name.text() == "Kept" and dialog.reviewed.answers == {"window": "all"}


def test_an_encoder_says_so_and_shows_its_bytes(qtbot, dialog, tmp_path):
    keys = llama_keys() | {".attention.causal": False}
    shown(qtbot, dialog, write_gguf(tmp_path / "m.gguf", keys, llama_tensors()))
    assert "is not a decoder" in dialog.reason.text()
    assert dialog.page.totals.figures[0].text() == "2.5 MB"
    assert not dialog.save_button.isEnabled()


def test_an_unknown_layout_is_said_and_can_be_kept_for_its_bytes(qtbot, dialog, windowed, saved):
    shown(qtbot, dialog, windowed)
    assert "cache layout is unknown" in dialog.reason.text()
    dialog.save_button.click()
    assert saved[0].layers is None


def test_contradictions_and_the_catalogs_figures_stand_in_the_review(qtbot, dialog, tmp_path):
    keys = llama_keys() | {"general.name": "Llama-3.1-8B-Instruct 8k"}
    shown(qtbot, dialog, write_gguf(tmp_path / "m.gguf", keys, llama_tensors()))
    assert "the name says 8k" in dialog.page.contradictions.lines[0].name
    keys["general.name"] = "Qwen3-8B"
    shown(qtbot, dialog, write_gguf(tmp_path / "n.gguf", keys, llama_tensors()))
    differences = {line.name: line.value for line in dialog.page.differences.lines}
    assert differences["layers"] == "2 here, 36 there"
    assert "Qwen3-8B" in dialog.page.differences.head.text()


def test_damage_is_one_message_and_what_was_shown_stays(qtbot, dialog, plain, tmp_path):
    reviewed = shown(qtbot, dialog, plain)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(plain.read_bytes()[:100])
    dialog.read(broken)
    settle(qtbot, dialog)
    assert str(broken) in dialog.trouble.text() and "\n" not in dialog.trouble.text()
    assert dialog.reviewed is reviewed and dialog.fields.name.text() == "Tested 1B"


def test_a_path_that_is_not_there_and_a_web_address_are_told(qtbot, dialog, tmp_path):
    dialog.read(tmp_path / "no.gguf")
    settle(qtbot, dialog)
    assert "cannot be read" in dialog.trouble.text()
    dialog.path.setText("https://example.org/model.gguf")
    QTest.keyClick(dialog.path, Qt.Key.Key_Return)
    assert "works offline" in dialog.trouble.text()
    assert dialog.reviewed is None


def test_a_typed_path_is_read_on_enter(qtbot, dialog, plain):
    dialog.path.setText(f' "{plain.as_uri()}" ')
    QTest.keyClick(dialog.path, Qt.Key.Key_Return)
    settle(qtbot, dialog)
    assert dialog.reviewed.imported.record.name == "Tested 1B"


def test_a_dropped_file_is_read(qtbot, dialog, plain):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(plain))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    enter = QDragEnterEvent(dialog.rect().center(), copy, data, left, none)
    QApplication.sendEvent(dialog, enter)
    assert enter.isAccepted()
    middle = QPointF(dialog.rect().center())
    QApplication.sendEvent(dialog, QDropEvent(middle, copy, data, left, none))
    settle(qtbot, dialog)
    assert dialog.reviewed is not None


class Slow:
    """Reading that waits until it is let go, and tells whether it was asked to stop."""

    def __init__(self, monkeypatch):
        self.begun, self.go, self.stopped = threading.Event(), threading.Event(), []
        monkeypatch.setattr(import_dialog, "read", self)

    def __call__(self, path, beside, stop):
        if path.name != "slow.gguf":
            return read(path, beside, stop)
        self.begun.set()
        assert self.go.wait(20)
        self.stopped.append(stop())
        return read(path.with_name("plain.gguf"), beside, stop)


def test_the_latest_of_two_requests_wins(qtbot, dialog, monkeypatch, plain, windowed):
    slow = Slow(monkeypatch)
    dialog.read(plain.with_name("slow.gguf"))
    assert slow.begun.wait(20)
    dialog.read(windowed)
    slow.go.set()
    settle(qtbot, dialog)
    assert slow.stopped == [True]
    assert "window" in dialog.page.questions.boxes


def test_reading_is_stopped_and_the_window_lives_on(qtbot, dialog, monkeypatch, plain):
    slow = Slow(monkeypatch)
    dialog.read(plain.with_name("slow.gguf"))
    assert slow.begun.wait(20) and dialog.busy.isVisible()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible() and not dialog.busy.isVisible()
    slow.go.set()
    dialog._worker.close()
    assert dialog.reviewed is None and not dialog.trouble.isVisible()


def test_answers_are_not_lost_unasked(qtbot, dialog, windowed, monkeypatch):
    shown(qtbot, dialog, windowed)
    dialog.page.questions.boxes["window"].choices["all"].click()
    settle(qtbot, dialog)
    asked = answer_with(monkeypatch, QMessageBox.StandardButton.Cancel)
    dialog.reject()
    assert len(asked) == 1 and dialog.isVisible()
    answer_with(monkeypatch, QMessageBox.StandardButton.Discard)
    dialog.reject()
    assert not dialog.isVisible()


def test_a_review_without_changes_closes_unasked(qtbot, dialog, plain, monkeypatch):
    shown(qtbot, dialog, plain)
    asked = answer_with(monkeypatch, QMessageBox.StandardButton.Cancel)
    dialog.close_button.click()
    assert asked == [] and not dialog.isVisible()


def test_everything_that_takes_the_focus_has_a_name(qtbot, dialog, windowed):
    shown(qtbot, dialog, windowed)
    first = widget = dialog.path
    seen = 0
    while True:
        widget = widget.nextInFocusChain()
        if widget is first:
            break
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            words = widget.text() if isinstance(widget, QAbstractButton) else ""
            assert widget.accessibleName() or words, widget
            seen += isinstance(widget, QRadioButton)
    assert seen == len(dialog.page.questions.boxes["window"].choices)


def test_words_of_a_file_never_widen_the_dialog(qtbot, dialog, tmp_path):
    shown(qtbot, dialog, write_gguf(tmp_path / "a.gguf", llama_keys(), llama_tensors()))
    width = dialog.minimumSizeHint().width()
    keys = llama_keys() | {"general.name": "N" * 4000, "general.basename": "B" * 4000}
    path = write_gguf(tmp_path / "b.gguf", keys, llama_tensors(kind=TYPES.BF16), arch="a" * 900)
    shown(qtbot, dialog, path)
    assert dialog.minimumSizeHint().width() == width <= 1000


def test_a_chosen_file_or_folder_is_read(qtbot, dialog, monkeypatch, plain, experts):
    asked = []

    def choose(_parent, _title, folder, _kinds):
        asked.append(folder)
        return str(plain), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(experts))
    file_button, folder_button = dialog.given.findChildren(QPushButton)
    file_button.click()
    settle(qtbot, dialog)
    assert dialog.reviewed.imported.record.name == "Tested 1B"
    file_button.click()
    assert asked[1] == str(plain.parent), "the next choice begins beside the last"
    folder_button.click()
    settle(qtbot, dialog)
    assert dialog.path.text() == str(experts) and "per_token" in dialog.page.questions.boxes
