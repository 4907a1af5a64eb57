"""The whole window: flows by keyboard, files, undo, the user's own machines, what is remembered."""

import shutil
import subprocess
import sys

import msgspec
import pytest
from gui_cases import View, bare_window, forget_changes, settle
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QScrollBar,
)

from ourmodels_gui import paths, settings
from ourmodels_gui import scenario as files
from ourmodels_gui.composed import HardwareRef
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.main_window import Panels
from ourmodels_gui.gui.own.own_machines import OwnMachines
from ourmodels_gui.gui.report.dialog import ReportDialog
from ourmodels_gui.gui.report.pdf import to_pdf
from ourmodels_gui.library.load import load
from ourmodels_gui.problem import Problem
from ourmodels_gui.report.build import build
from ourmodels_gui.report.known import Known
from ourmodels_gui.scenario import SUFFIX, ModelRef, Scenario

FLOOR = "workload.floor_tokens_per_s"
EXAMPLES = paths.resources() / "examples"
CONTROLS = (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit)


class Made:
    """Makes views and keeps them."""

    def __init__(self):
        self.views = []

    def __call__(self):
        self.views.append(View())
        return self.views[-1]


@pytest.fixture
def views():
    return {"answers": Made(), "Decode": Made(), "Prefill": Made()}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def window(qtbot, scenario, library, theme, views, folder):  # noqa: PLR0917
    panels = Panels(views["answers"], tuple((t, views[t]) for t in ("Decode", "Prefill")))
    made = bare_window(scenario, library, theme, folder, panels=panels, examples=EXAMPLES)
    made.own = OwnMachines(made.store, made, folder, lambda: load(paths.catalog(), folder))
    qtbot.addWidget(
        made, before_close_func=lambda it: made.store.open(scenario) or forget_changes(it)
    )
    with qtbot.waitSignal(made._recompute.evaluated):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(lambda: bool(views["Decode"].views))
    return made


def answer(monkeypatch, button):
    asked = []

    def ask(*arguments):
        asked.append(arguments[2])
        return button

    monkeypatch.setattr(QMessageBox, "question", ask)
    monkeypatch.setattr(QMessageBox, "warning", ask)
    return asked


def keys(window, sequence):
    QTest.keySequence(QApplication.focusWidget() or window, sequence)


def last(made):
    return made.views[-1].given[-1]


def test_the_first_run_opens_on_an_answer(window, views):
    evaluation = last(views["answers"])
    assert evaluation.problem is None
    assert evaluation.result.decode.verdict == "serves"
    assert window.title.accessibleName().count("\u00b7") == 1


def test_an_edit_reaches_every_view_that_is_seen(window, views, qtbot):
    views["answers"].views[0].edited.emit({FLOOR: 33})
    settle(window, qtbot)
    for name in ("answers", "Decode"):
        assert last(views[name]).scenario.workload.floor_tokens_per_s == 33
    assert window.form.workload.field(FLOOR).text() == "33"


def test_a_tab_is_made_when_it_is_raised_and_then_shown_the_last_answer(window, views, qtbot):
    assert views["Prefill"].views == []
    window.store.edit({FLOOR: 7})
    settle(window, qtbot)
    window._tab_widget.setCurrentIndex(1)
    qtbot.waitUntil(lambda: bool(views["Prefill"].views))
    assert last(views["Prefill"]).scenario.workload.floor_tokens_per_s == 7


def test_a_hidden_tab_is_not_drawn_until_it_is_raised_again(window, views, qtbot):
    window._tab_widget.setCurrentIndex(1)
    qtbot.waitUntil(lambda: bool(views["Prefill"].views))
    given = len(views["Decode"].views[0].given)
    for floor in (5, 6, 7):
        window.store.edit({FLOOR: floor})
        settle(window, qtbot)
    assert len(views["Decode"].views[0].given) == given
    window._tab_widget.setCurrentIndex(0)
    qtbot.waitUntil(lambda: len(views["Decode"].views[0].given) == given + 1)
    assert last(views["Decode"]).scenario.workload.floor_tokens_per_s == 7


def test_undo_is_a_key_even_in_a_field_and_says_what_it_takes_back(window, qtbot):
    field = window.form.workload.field(FLOOR)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "12")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.menus.undo_action.text() == "Undo: floor"
    keys(window, "Ctrl+Z")
    assert window.store.scenario.workload.floor_tokens_per_s is None
    settle(window, qtbot)
    assert field.text() == ""
    assert not window.menus.undo_action.isEnabled()
    keys(window, "Ctrl+Shift+Z")
    assert window.store.scenario.workload.floor_tokens_per_s == 12


@pytest.mark.parametrize("key", ["Ctrl+K", "/"])
def test_one_key_searches_machines_and_once_more_models(window, qtbot, key):
    window.form.workload.slider("workload.reserved_context_tokens").setFocus()
    keys(window, key)
    qtbot.waitUntil(window.machines.search.hasFocus)
    keys(window, "Ctrl+K")
    qtbot.waitUntil(window.models.search.hasFocus)


def test_a_machine_and_a_model_are_chosen_by_keyboard_alone(window, qtbot, library):
    keys(window, "Ctrl+K")
    QTest.keyClicks(QApplication.focusWidget(), "rtx 3090")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    keys(window, "Ctrl+K")
    QTest.keyClicks(QApplication.focusWidget(), "gpt-oss 20b")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    scenario = window.store.scenario
    assert "3090" in library.machines[scenario.hardware].name
    assert "gpt-oss-20b" in library.models[scenario.model.id].name.lower()
    settle(window, qtbot)
    assert "3090" in window.title.accessibleName()


def test_a_refused_value_is_told_at_its_field_and_changes_nothing(window, qtbot, scenario):
    field = window.form.workload.field(FLOOR)
    field.setFocus()
    QTest.keyClicks(field, "-3")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(window, qtbot)
    assert window.store.scenario == scenario
    assert window.form.workload.told(FLOOR)
    assert window.bar.isHidden()
    assert field.text() == "-3"


def test_an_id_that_no_longer_exists_opens_and_lets_the_user_choose(
    window, qtbot, tmp_path, scenario
):
    path = tmp_path / f"old{SUFFIX}"
    files.write_file(path, msgspec.structs.replace(scenario, hardware="gone-by-now"))
    window.open(path)
    settle(window, qtbot)
    assert window.bar.isVisible()
    assert "gone-by-now" in window.bar.said
    assert window.machines.note.isVisible()
    window.machines.search.setText("rtx 3090")
    QTest.keyClick(window.machines.search, Qt.Key.Key_Return)
    settle(window, qtbot)
    assert window.bar.isHidden()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"format": "other"}', b"[1]"])
def test_a_file_that_is_no_scenario_is_told_and_changes_nothing(
    window, tmp_path, scenario, content
):
    path = tmp_path / f"bad{SUFFIX}"
    path.write_bytes(content)
    window.open(path)
    assert window.bar.isVisible()
    assert path.name in window.bar.said
    assert window.store.scenario == scenario
    assert path.read_bytes() == content


def test_a_file_that_is_not_there_is_told(window, tmp_path, scenario):
    window.open(tmp_path / "nowhere.json")
    assert "nowhere.json" in window.bar.said
    assert window.store.scenario == scenario


def test_saving_and_opening_gives_the_same_scenario(window, tmp_path, monkeypatch, qtbot):
    path = tmp_path / "mine"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window.store.edit({FLOOR: 9})
    assert window.isWindowModified()
    keys(window, "Ctrl+S")
    assert not window.isWindowModified()
    assert window.windowTitle().startswith("mine")
    saved = files.read_file(f"{path}{SUFFIX}")
    assert saved.workload.floor_tokens_per_s == 9
    assert saved.catalog_version == window.store.library.version
    window.store.edit({FLOOR: 10})
    keys(window, "Ctrl+S")
    assert files.read_file(f"{path}{SUFFIX}").workload.floor_tokens_per_s == 10
    assert window.preferences.settings.recent == (f"{path}{SUFFIX}",)


def test_a_file_that_changed_meanwhile_is_not_lost_silently(
    window, tmp_path, monkeypatch, scenario
):
    path = tmp_path / f"shared{SUFFIX}"
    files.write_file(path, scenario)
    window.open(path)
    other = msgspec.structs.replace(scenario, name="from another window")
    files.write_file(path, other)
    window.store.edit({FLOOR: 9})
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    assert window.document.save() is False
    assert len(asked) == 1
    assert files.read_file(path) == other


def test_a_place_that_cannot_be_written_is_told(window, tmp_path, monkeypatch):
    path = tmp_path / "no" / "such" / f"folder{SUFFIX}"
    path.parent.parent.write_text("a file, not a folder")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    assert window.document.save_as() is False
    assert "Nothing was saved" in window.bar.said


def test_a_read_only_file_is_not_written_over(window, tmp_path, scenario):
    path = tmp_path / f"kept{SUFFIX}"
    files.write_file(path, scenario)
    path.chmod(0o444)
    window.open(path)
    window.store.edit({FLOOR: 9})
    assert window.document.save() is False
    assert f"{path} cannot be written: the file is read-only. Nothing was saved." in (
        window.bar.said
    )
    assert window.document.is_modified
    assert files.read_file(path) == scenario


def test_a_file_of_a_later_version_is_refused_in_words(window, tmp_path, scenario):
    path = tmp_path / f"later{SUFFIX}"
    later = files.write(scenario).replace(b'"version": 1', b'"version": 2')
    path.write_bytes(later)
    before = window.store.scenario
    window.open(path)
    assert window.store.scenario == before and window.document.path is None
    said = window.bar.said
    assert str(path) in said and "version" in said
    assert path.read_bytes() == later


@pytest.mark.parametrize("button", ["Cancel", "Discard"])
def test_closing_over_changes_asks_first(window, monkeypatch, button):
    window.store.edit({FLOOR: 9})
    asked = answer(monkeypatch, getattr(QMessageBox.StandardButton, button))
    window.close()
    assert len(asked) == 1
    assert window.isVisible() is (button == "Cancel")


def test_a_number_still_being_typed_counts_when_the_window_closes(window, monkeypatch, qtbot):
    field = window.form.workload.field(FLOOR)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "44")
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    window.close()
    assert len(asked) == 1
    assert window.store.scenario.workload.floor_tokens_per_s == 44


def test_closing_without_changes_asks_nothing(window, monkeypatch):
    asked = answer(monkeypatch, QMessageBox.StandardButton.Cancel)
    window.close()
    assert asked == []
    assert not window.isVisible()


def test_a_dropped_file_opens(window, tmp_path, scenario):
    path = tmp_path / f"dropped{SUFFIX}"
    files.write_file(path, msgspec.structs.replace(scenario, name="Dropped"))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    enter = QDragEnterEvent(window.rect().center(), copy, data, left, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    middle = QPointF(window.rect().center())
    QApplication.sendEvent(window, QDropEvent(middle, copy, data, left, none))
    assert window.store.scenario.name == "Dropped"


def test_a_dropped_report_opens_its_scenario_as_a_new_one(window, tmp_path, library):
    chosen = Scenario("geforce-rtx-4090", ModelRef("gpt-oss-20b"))
    other = msgspec.structs.replace(chosen, hardware="geforce-rtx-5090")
    path = tmp_path / "report.pdf"
    report = build([run(chosen, library), run(other, library)], Known(library))
    path.write_bytes(to_pdf(report))
    window.open(path)
    assert window.store.scenario == chosen
    assert window.document.path is None, "saving must not write over the report"
    assert "2 scenarios; this is the first" in window.bar.said


def test_a_pdf_without_a_scenario_is_one_sentence(window, tmp_path):
    before = window.store.scenario
    path = tmp_path / "other.pdf"
    path.write_bytes(b"%PDF-1.4 nothing")
    window.open(path)
    assert window.store.scenario == before
    assert str(path) in window.bar.said and "damaged" in window.bar._notice


def test_the_report_of_what_is_in_sight_opens_over_the_window(window, qtbot):
    window.menus.report.emit()
    dialog = window.findChild(ReportDialog)
    assert dialog.isVisible() and dialog.isModal()
    dialog.reject()


def test_every_example_opens_and_is_saved_under_another_name(window, qtbot):
    menu = window.menus._examples_menu
    menu.aboutToShow.emit()
    assert len(menu.actions()) == len(list(EXAMPLES.glob(f"*{SUFFIX}"))) > 0
    titles = []
    for action in menu.actions():
        action.trigger()
        settle(window, qtbot)
        assert window.bar.isHidden(), action.text()
        assert window.document.path is None
        titles.append(window.title.accessibleName())
    assert len(set(titles)) > 1


def test_files_with_problems_are_counted_and_listed(window, library, qtbot):
    problems = (Problem("a.json", "memory", "is missing"), Problem("b.json", "", "is not JSON"))
    window.store.set_library(msgspec.structs.replace(library, problems=problems))
    assert "2 files have problems" in window.status.show_problems.text()
    window.status.show_problems.click()
    assert window.problems.isVisible()
    texts = [window.problems.list.item(n).text() for n in range(2)]
    assert texts == ["a.json: memory: is missing", "b.json: is not JSON"]


def test_a_notice_can_be_dismissed(window, tmp_path):
    window.open(tmp_path / "nowhere.json")
    window.bar._close.click()
    assert window.bar.isHidden()


def test_a_notice_does_not_hide_the_problem(window, tmp_path, qtbot, scenario):
    path = tmp_path / f"old{SUFFIX}"
    old = msgspec.structs.replace(scenario, hardware="gone-by-now", catalog_version="1999.1")
    files.write_file(path, old)
    window.open(path)
    settle(window, qtbot)
    assert "1999.1" in window.bar.said
    assert "gone-by-now" in window.bar.said


def test_the_theme_changes_at_once_and_is_remembered(window, qtbot):
    light = window.palette().window().color()
    window.menus.chosen.emit("theme", "dark")
    qtbot.waitUntil(lambda: window.palette().window().color() != light)
    assert window.preferences.settings.theme == "dark"
    window.menus.chosen.emit("theme", "light")
    qtbot.waitUntil(lambda: window.palette().window().color() == light)


def test_numbers_language_and_text_size_hold_from_the_next_start(window, folder):
    for name, value in (("numbers", "1.234,5"), ("language", "de"), ("text_percent", 130)):
        window.menus.chosen.emit(name, value)
        assert "next start" in window.bar.said
    window.preferences.end()
    kept, notice = settings.load(folder)
    assert (kept.numbers, kept.language, kept.text_percent, notice) == ("1.234,5", "de", 130, "")


def test_sizes_are_remembered_on_closing(window, folder):
    window._columns.setSizes([400, 880])
    window.close()
    again, _ = settings.load(folder)
    assert again == window.preferences.settings
    assert again.layout.columns


def add_machine(window, name):
    editor = window.own.editor
    group = editor.groups[0]
    for key, text in (("name", name), ("capacity", "24"), ("memory.bandwidth", "1008")):
        group.field(key).setFocus()
        group.field(key).selectAll()
        QTest.keyClicks(group.field(key), text)
    editor.accept()


def test_a_machine_of_ones_own_is_added_chosen_changed_and_deleted(
    window, qtbot, folder, monkeypatch
):
    keys(window, "Ctrl+M")
    add_machine(window, "My card")
    machine_id = window.store.scenario.hardware
    assert window.store.library.machines[machine_id].yours
    assert [path.stem for path in (folder / "hardware").glob("*.json")] == [machine_id]
    settle(window, qtbot)
    assert "My card" in window.title.accessibleName()
    assert window.menus.edit_action.isEnabled()

    window.menus.machine.emit("edit")
    add_machine(window, "My better card")
    assert window.store.library.machines[machine_id].name == "My better card"

    answer(monkeypatch, QMessageBox.StandardButton.Discard)
    window.menus.machine.emit("delete")
    assert list((folder / "hardware").glob("*.json")) == []
    settle(window, qtbot)
    assert machine_id in window.bar.said


def test_a_shipped_machine_is_duplicated_not_changed(window, folder):
    shipped = window.store.scenario.hardware
    assert not window.menus.edit_action.isEnabled()
    window.menus.machine.emit("duplicate")
    window.own.editor.accept()
    own = window.store.scenario.hardware
    machines = window.store.library.machines
    assert own != shipped
    assert machines[own].yours
    assert machines[own].machine == machines[shipped].machine
    assert not machines[shipped].yours


def test_a_machine_changed_elsewhere_is_not_overwritten(window, folder):
    window.menus.machine.emit("duplicate")
    window.own.editor.accept()
    (path,) = (folder / "hardware").glob("*.json")
    path.write_bytes(path.read_bytes() + b"\n")
    theirs = path.read_bytes()
    window.menus.machine.emit("edit")
    add_machine(window, "Mine now")
    assert window.own.editor.isVisible()
    assert path.read_bytes() == theirs
    window.own.editor.done(0)


def test_ones_own_machine_travels_with_the_file(window, folder, tmp_path, monkeypatch, qtbot):
    window.menus.machine.emit("duplicate")
    window.own.editor.accept()
    path = tmp_path / f"travels{SUFFIX}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window.document.save_as()
    assert isinstance(files.read_file(path).hardware, HardwareRef)
    shutil.rmtree(folder)
    window.store.set_library(load(paths.catalog(), folder))
    window.open(path)
    settle(window, qtbot)
    assert window.bar.isHidden()
    assert "copy" in window.title.accessibleName()


def test_every_control_has_a_name_for_those_who_do_not_see_it(window):
    for group in window.form.groups:
        group.open_up()
    nameless = [
        widget
        for kind in CONTROLS
        for widget in window.findChildren(kind)
        if not isinstance(widget, QScrollBar)
        and not isinstance(widget.parent(), QComboBox | QLineEdit)
        and widget.objectName() not in ("qt_toolbar_ext_button", "qt_menubar_ext_button")
        and not (widget.accessibleName() or getattr(widget, "text", str)())
    ]
    assert [(type(one).__name__, one.objectName()) for one in nameless] == []


def test_the_focused_control_is_explained_by_a_key(window, monkeypatch):
    said = []
    monkeypatch.setattr(
        "ourmodels_gui.gui.main_window.QToolTip.showText", lambda *given: said.append(given[1])
    )
    window.form.workload.field(FLOOR).setFocus()
    keys(window, "F1")
    assert said == [window.form.workload.field(FLOOR).toolTip()]


def test_starting_loads_neither_numpy_nor_pyqtgraph_nor_what_reads_model_files():
    late = ("numpy", "pyqtgraph", "ourmodels_gui.library.importers")
    code = (
        "import sys; from ourmodels_gui import app; "
        f"print([name for name in {late} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
