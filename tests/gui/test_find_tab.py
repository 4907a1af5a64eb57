"""Reverse search in the window: the form, its file, the lists, bad input."""

import csv
import io

import msgspec
import pytest
from gui_cases import part_of
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.ranking import find_tab
from ourmodels_gui.gui.ranking.find_tab import FindTab
from ourmodels_gui.gui.ranking.tray import Tray
from ourmodels_gui.ranking import requirements as files
from ourmodels_gui.ranking.requirements import Requirements
from ourmodels_gui.ranking.search import CERTAIN, search
from ourmodels_gui.scenario import ModelRef, PrefillChoice, Scenario, WorkloadChoice, edited

TIMES = "\u00d7"
SCENARIO = Scenario(
    "geforce-rtx-4090",
    ModelRef("gpt-oss-20b"),
    workload=WorkloadChoice(reserved_context_tokens=16_000, floor_tokens_per_s=15.0),
    prefill=PrefillChoice(),
)


class Bench:
    def __init__(self, qtbot, folder, library):
        self.library = library
        self.preferences = Preferences(folder)
        self.tray = Tray()
        self.tab = FindTab(lambda: self.library, self.preferences, self.tray)
        self.preferences.setParent(self.tab)
        self.tray.setParent(self.tab)
        qtbot.addWidget(self.tab)
        self.edits = []
        self.tab.edited.connect(self.edits.append)
        self.tab.resize(900, 520)
        self.tab.show()
        self._qtbot = qtbot

    def present(self, scenario=SCENARIO):
        self.tab.present(run(scenario, self.library))
        return self.settle()

    def settle(self):
        tab = self.tab
        self._qtbot.waitUntil(
            lambda: not tab._timer.isActive() and not tab._searching.is_busy, timeout=20_000
        )
        return self

    def type(self, key, text):
        field = self.tab.form.group.field(key)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        return self.settle()

    def column(self, title):
        model = self.tab.list.cells
        (place,) = [at for at, one in enumerate(model.columns) if one.title.startswith(title)]
        return [row[place].text for row in model.rows]


@pytest.fixture
def bench(qtbot, tmp_path, library):
    machines = dict(list(library.machines.items())[::6])
    for kept in ("geforce-rtx-4090", "geforce-rtx-5090", "geforce-rtx-3090"):
        machines[kept] = library.machines[kept]
    return Bench(qtbot, tmp_path, part_of(library, machines))


def test_the_first_needs_are_those_of_the_workload(bench):
    bench.present()
    needs = bench.tab.form.needs()
    assert needs == Requirements(
        ModelRef("gpt-oss-20b"), context_tokens=16_000, users=1, tokens_per_s_each=15.0
    )
    assert bench.tab.form.group.field("context_tokens").text() == "16,000"


def test_the_lists_are_those_of_the_search(bench):
    bench.present()
    bench.type("users", "4").type("budget", "2000").type("first_token_s", "3")
    needs = bench.tab.form.needs()
    assert (needs.users, needs.budget, needs.first_token_s) == (4, 2000.0, 3.0)
    found = search(bench.library, needs, bench.preferences.settings)
    names = [one.machine.name for one in (*found.meets, *found.unknown, *found.misses)]
    assert bench.column("Machine") == names and found.meets and found.misses
    standings = bench.column("Needs")
    assert standings[: len(found.meets)] == ["✓ meets"] * len(found.meets)
    assert (
        standings[-1] == "✗ misses"
        and found.misses[-1].lacks[0].said() in bench.column("Limit")[-1]
    )
    headroom = found.meets[0].checks[0].headroom
    assert bench.column("Memory")[0] == f"{headroom:,.2f}" + TIMES
    assert CERTAIN in bench.tab.words.text()


def test_needs_are_saved_and_opened_as_a_file(bench, tmp_path, monkeypatch):
    bench.present()
    bench.type("budget", "1500")
    path = tmp_path / "needs.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    bench.tab.ask_and_save()
    saved = files.read_file(path)
    assert saved == bench.tab.form.needs() and saved.budget == 1500.0
    other = Requirements(
        ModelRef("qwen3-8b", "q4_k_m"), context_tokens=8000, users=3, watts=450.0, name="three"
    )
    files.write_file(path, other)
    bench.tab.ask_and_open()
    bench.settle()
    assert bench.tab.form.needs() == other
    assert bench.tab.form.group.field("model").value() == "qwen3-8b"
    assert bench.tab.form.group.field("watts").text() == "450"
    assert set(bench.column("Weights")) == {"q4_k_m"}


def test_a_file_that_is_none_is_a_sentence_and_the_needs_stay(bench, tmp_path):
    bench.present()
    needs = bench.tab.form.needs()
    path = tmp_path / "needs.json"
    path.write_text('{"format": "ourmodels-requirements", "version": 1, "users": "ten"}')
    bench.tab.open_file(path)
    said = bench.tab.note.accessibleName()
    assert "model: is missing" in said and str(path) in said
    bench.tab.open_file(tmp_path / "gone.json")
    assert "cannot be read" in bench.tab.note.accessibleName()
    assert bench.tab.form.needs() == needs and bench.tab.list.cells.rows


@pytest.mark.parametrize(
    ("key", "text"), [("budget", "0"), ("budget", "cheap"), ("users", "0"), ("watts", "-3")]
)
def test_a_need_that_cannot_be_is_told_at_its_field(bench, key, text):
    bench.present()
    bench.type(key, text)
    assert len(bench.tab.form.group.told(key)) > 8
    bench.type(key, "5")
    assert bench.tab.form.group.told(key) == ""
    assert bench.tab.list.cells.rows


def test_a_context_beyond_the_model_is_told_at_its_field(bench):
    bench.present()
    bench.type("context_tokens", "10M")
    assert "ends at" in bench.tab.form.group.told("context_tokens")
    assert not bench.tab.list.cells.rows and "ends at" in bench.tab.words.text()
    bench.type("context_tokens", "16k")
    assert bench.tab.list.cells.rows and not bench.tab.form.group.told("context_tokens")


def test_needs_that_no_machine_meets_name_the_nearest(bench):
    bench.present()
    bench.type("tokens_per_s_each", "9e8")
    assert "No machine meets these needs. The nearest is" in bench.tab.words.text()
    assert set(bench.column("Needs")) == {"✗ misses"}


def test_the_model_of_the_scenario_is_followed(bench):
    bench.present()
    bench.present(msgspec.structs.replace(SCENARIO, model=ModelRef("qwen3-8b")))
    assert bench.tab.form.needs().model == ModelRef("qwen3-8b")
    found = bench.tab.found
    bench.present(
        msgspec.structs.replace(
            SCENARIO, model=ModelRef("qwen3-8b"), workload=WorkloadChoice(floor_tokens_per_s=99.0)
        )
    )
    assert bench.tab.found is found  # a slider at the left is no need


def test_the_context_taken_over_is_within_the_models_limit(bench):
    limit = bench.library.models["qwen3-32b"].record.context_tokens
    unset = msgspec.structs.replace(
        SCENARIO, workload=WorkloadChoice(), model=ModelRef("qwen3-32b")
    )
    bench.present(unset)
    field = bench.tab.form.group.field("context_tokens")
    assert field.text() == f"{limit:,}" and bench.tab.found is not None
    bench.present(msgspec.structs.replace(unset, model=ModelRef("gpt-oss-20b")))
    assert field.text() == "100,000"  # it was not typed, so it follows
    bench.type("context_tokens", "16000")
    bench.present(unset)
    assert field.text() == "16,000"


def test_a_box_says_what_is_marked_and_a_click_on_it_marks(bench):
    bench.present()
    view = bench.tab.list
    assert bench.tab.found.meets
    first = view.cells.index(0, 0)
    role = Qt.ItemDataRole.CheckStateRole
    assert view.cells.data(first, role) == Qt.CheckState.Unchecked
    view.clicked.emit(first)
    assert view.cells.data(first, role) == Qt.CheckState.Checked
    assert bench.tray.marks[0].hardware == bench.tab.found.meets[0].scenario.hardware
    view.clicked.emit(view.cells.index(0, 1))
    assert len(bench.tray.marks) == 1
    view.clicked.emit(first)
    assert bench.tray.marks == ()


def test_a_machine_is_opened_marked_and_exported_by_keyboard(bench):
    bench.present()
    view = bench.tab.list
    view.setFocus()
    view.setCurrentIndex(view.cells.index(0, 0))
    QTest.keyClick(view, Qt.Key.Key_Down)
    one = bench.tab.found.meets[1]
    assert one.machine.name in bench.tab.note.accessibleName()
    QTest.keyClick(view, Qt.Key.Key_Return)
    opened = {"hardware": one.machine.id, "model.id": "gpt-oss-20b", "model.weights": one.weights}
    asked = {
        "workload.reserved_context_tokens": 16_000,
        "workload.read_context_tokens": 16_000,
        "workload.read_context_fraction": None,
        "workload.floor_tokens_per_s": 15.0,
    }
    assert bench.edits == [opened | asked]
    after = run(edited(SCENARIO, bench.edits[0]), bench.library)
    assert after.result.decode.single_session_tokens_per_s >= 15.0
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert [mark.hardware for mark in bench.tray.marks] == [one.machine.id]
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [line["machine"] for line in lines] == bench.column("Machine")
    assert float(lines[0]["memory_headroom"]) == bench.tab.found.meets[0].checks[0].headroom


def test_a_fault_in_the_search_is_told_and_the_next_search_works(bench, qtbot, monkeypatch):
    bench.present()
    with monkeypatch.context() as broken, qtbot.captureExceptions() as faults:
        broken.setattr(find_tab, "search", lambda *_: 1 // 0)
        bench.preferences.set_price("geforce-rtx-4090", 9.0)
        bench.settle()
    assert faults[0][0] is ZeroDivisionError
    assert "The search failed" in bench.tab.words.text() and not bench.tab.count.text()
    bench.preferences.set_price("geforce-rtx-4090", 10.0)
    assert bench.settle().tab.list.cells.rows


def test_nothing_is_searched_while_the_tab_is_hidden(bench, monkeypatch):
    bench.tab.hide()
    asked = []
    monkeypatch.setattr(bench.tab._searching, "ask", asked.append)
    bench.tab.present(run(SCENARIO, bench.library))
    bench.preferences.set_price("geforce-rtx-4090", 9.0)
    QTest.qWait(20)
    assert asked == []
    bench.tab.show()
    QTest.qWait(20)
    assert len(asked) == 1
