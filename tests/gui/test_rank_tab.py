"""The ranking in the window: cells, order, filters, marks, prices, by keyboard; map and value."""

import csv
import gc
import io
import json
import math
import random

import msgspec
import numpy as np
import pytest
from gui_cases import part_of
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QLineEdit, QToolButton

from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.cell_delegate import CellDelegate
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.ranking import ranked
from ourmodels_gui.gui.ranking import ranked as ranked_module
from ourmodels_gui.gui.ranking.rank_choice import SHOWN, known
from ourmodels_gui.gui.ranking.rank_model import LATER, NO_PRICE
from ourmodels_gui.gui.ranking.rank_tab import RankTab
from ourmodels_gui.gui.ranking.tray import Tray
from ourmodels_gui.library.load import Library
from ourmodels_gui.ranking import field as field_module
from ourmodels_gui.ranking import table
from ourmodels_gui.ranking.columns import BY_ID
from ourmodels_gui.ranking.field import BEST, prepare
from ourmodels_gui.ranking.table import Table
from ourmodels_gui.scenario import ModelRef, PrefillChoice, Scenario, WorkloadChoice
from ourmodels_gui.settings import RankChoice
from ourmodels_gui.units import ENGLISH

SCENARIO = Scenario("geforce-rtx-4090", ModelRef("gpt-oss-20b"), prefill=PrefillChoice())
DECODE = {
    "memory_batch": "memory_batch",
    "usable_batch": "usable_batch",
    "best_batch": "best_batch",
    "aggregate_tokens_per_s": "aggregate_tokens_per_s",
    "per_session_tokens_per_s": "per_session_tokens_per_s",
    "single_session_tokens_per_s": "single_session_tokens_per_s",
}


@pytest.fixture(scope="module")
def small(library):
    """Some machines and models, so that every pair takes a moment."""
    machines = dict(list(library.machines.items())[::8])
    for kept in ("geforce-rtx-4090", "geforce-rtx-5090"):
        machines[kept] = library.machines[kept]
    models = dict(list(library.models.items())[::12])
    models |= {kept: library.models[kept] for kept in ("gpt-oss-20b", "qwen3-8b")}
    return part_of(library, machines, models)


class Bench:
    """A tab in a window, with everything that it is given."""

    def __init__(self, qtbot, folder, library):
        self.library = library
        self.preferences = Preferences(folder)
        self.tray = Tray()
        self.tab = RankTab(
            lambda: self.library,
            self.preferences,
            self.tray,
        )
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
        self.settle()
        return self

    def choose(self, **changes):
        self.tab._choose(changes)
        self.settle()
        return self

    def settle(self):
        ranked = self.tab.ranked
        self._qtbot.waitUntil(
            lambda: not ranked.is_preparing and (ranked.table is None or ranked.is_whole),
            timeout=20_000,
        )

    @property
    def rows(self):
        return self.tab.table.rows

    def cell(self, place, column):
        index = self.rows.index(place, self.rows.columns.index(column))
        return index.data()

    def column(self, column):
        return [self.cell(place, column) for place in range(self.rows.rowCount())]


@pytest.fixture
def bench(qtbot, tmp_path, small):
    return Bench(qtbot, tmp_path, small)


def test_the_columns_fill_the_width_and_none_is_cut(bench):
    bench.present()
    table = bench.tab.table
    least = [table.columnWidth(place) for place in range(len(bench.rows.columns))]
    bench.tab.resize(1900, 520)
    wide = [table.columnWidth(place) for place in range(len(bench.rows.columns))]
    assert sum(wide) == table.viewport().width()
    assert all(more > few for few, more in zip(least, wide, strict=True))


def key(widget, which, modifiers=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(widget, which, modifiers)


def same(text, column, expected):
    if expected is None:
        return text == "-"
    return text == BY_ID[column].text(float(expected), ENGLISH)


@pytest.mark.parametrize("scope", ["machines", "models", "pairs"])
def test_cells_are_those_of_the_pair_evaluated_on_its_own(bench, scope):
    bench.choose(
        scope=scope, columns=(*DECODE, "spare_gb", "prefill_tokens_per_s", "time_to_first_token_s")
    )
    bench.present()
    model, table = bench.rows, bench.tab.ranked.table
    draw = random.Random(7)
    places = draw.sample(range(model.rowCount()), min(60, model.rowCount()))
    places += [0, model.rowCount() - 1]
    for place in places:
        evaluation = table.evaluation(model.row_at(place))
        assert evaluation.scenario.workload == SCENARIO.workload
        if evaluation.result is None:
            assert bench.cell(place, "best_batch") == "-"
            continue
        decode, prefill = evaluation.result.decode, evaluation.result.prefill
        for column, name in DECODE.items():
            assert same(bench.cell(place, column), column, getattr(decode, name)), column
        assert same(bench.cell(place, "spare_gb"), "spare_gb", decode.spare_bytes / 1e9)
        assert same(
            bench.cell(place, "prefill_tokens_per_s"),
            "prefill_tokens_per_s",
            prefill.tokens_per_s,
        )
        wait = prefill.single_prompt.time_s if prefill.single_prompt else None
        assert same(bench.cell(place, "time_to_first_token_s"), "time_to_first_token_s", wait)


def test_filter_sort_mark_compare_export_by_keyboard(bench):
    bench.present()
    table = bench.tab.table
    table.setFocus()
    whole = bench.rows.rowCount()
    for _ in range(bench.rows.columns.index("price")):
        key(table, Qt.Key.Key_Right)
    assert table.column == "price"
    key(table, Qt.Key.Key_F)
    field = table.head.fields["price"]
    QTest.keyClicks(field, "..3000")
    key(field, Qt.Key.Key_Return)
    bench.settle()
    assert bench.preferences.settings.rank.ranges == {"price": "..3000"}
    assert 2 < bench.rows.rowCount() < whole
    assert all(float(text.replace(",", "")) <= 3000 for text in bench.column("price"))

    key(table, Qt.Key.Key_S)
    bench.settle()
    assert bench.rows.sorted_by == ("price", False)
    head = bench.rows.headerData(bench.rows.columns.index("price"), Qt.Orientation.Horizontal)
    assert "▲" in head
    serving = [place for place, text in enumerate(bench.column("verdict")) if "serves" in text]
    prices = [float(bench.cell(place, "price").replace(",", "")) for place in serving]
    assert prices == sorted(prices) and serving == list(range(len(serving)))
    key(table, Qt.Key.Key_S)
    bench.settle()
    assert bench.rows.sorted_by == ("price", True) and "serves" in bench.cell(0, "verdict")

    table.setCurrentIndex(bench.rows.index(0, 0))
    key(table, Qt.Key.Key_Space)
    key(table, Qt.Key.Key_Down)
    key(table, Qt.Key.Key_Space)
    marked = [mark.hardware for mark in bench.tray.marks]
    names = [bench.library.machines[machine].name for machine in marked]
    assert names == [bench.cell(0, "machine"), bench.cell(1, "machine")]
    checked = bench.rows.index(0, 0).data(Qt.ItemDataRole.CheckStateRole)
    assert checked == Qt.CheckState.Checked
    key(table, Qt.Key.Key_Space)
    assert len(bench.tray.marks) == 1

    table.clearSelection()
    key(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [line["machine"] for line in lines] == bench.column("machine")
    ranked = bench.tab.ranked
    assert [float(line["price"]) for line in lines] == (
        ranked.table.values("price")[ranked.order].tolist()
    )

    key(table, Qt.Key.Key_Return)
    assert bench.edits == [{"hardware": lines[1]["hardware"]}]


def test_an_export_has_the_selected_rows_in_every_form(bench):
    bench.present()
    table = bench.tab.table
    table.selectRow(0)
    table.setCurrentIndex(bench.rows.index(0, 0))
    key(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    bench.tab.export.copy("JSON")
    found = json.loads(QGuiApplication.clipboard().text())
    assert [row["machine"] for row in found] == bench.column("machine")[:2]
    bench.tab.export.copy("Markdown")
    assert QGuiApplication.clipboard().text().startswith("| Machine id |")


def test_rows_that_do_not_serve_come_last_either_way_with_the_reason(bench):
    bench.present()
    for descending in (True, False):
        bench.choose(sort="aggregate_tokens_per_s", descending=descending)
        verdicts = bench.column("verdict")
        serving = [text.startswith("✓") for text in verdicts]
        assert serving == sorted(serving, reverse=True) and not serving[-1]
        assert any("missing for" in text for text in verdicts)


def test_opening_a_pair_names_machine_model_and_format(bench):
    bench.choose(scope="pairs", weights=BEST).present()
    table = bench.tab.ranked.table
    row = bench.rows.row_at(5)
    bench.tab.table.doubleClicked.emit(bench.rows.index(5, 2))
    (edit,) = bench.edits
    assert edit == {
        "hardware": table.machine_of(row).id,
        "model.id": table.model_of(row).id,
        "model.weights": table.weights_of(row),
    }


def test_the_cursor_follows_its_pair_when_rows_move(bench):
    bench.present()
    bench.tab.table.setCurrentIndex(bench.rows.index(4, 0))
    name = bench.cell(4, "machine")
    bench.choose(sort="price", descending=False)
    place = bench.tab.table.currentIndex().row()
    assert bench.cell(place, "machine") == name
    bench.present(
        msgspec.structs.replace(SCENARIO, workload=WorkloadChoice(floor_tokens_per_s=50.0))
    )
    place = bench.tab.table.currentIndex().row()
    assert bench.cell(place, "machine") == name and name in bench.tab.note.accessibleName()


def test_choices_survive_a_restart(bench, qtbot, tmp_path, small):
    bench.present()
    bench.choose(
        columns=("price", "watts"),
        sort="watts",
        descending=False,
        text="rtx",
        ranges={"watts": "100-400"},
        facets={"verdict": ("serves",)},
    )
    bench.preferences.end()
    again = Bench(qtbot, tmp_path, small).present()
    assert again.rows.columns == ("machine", "verdict", "price", "watts")
    assert again.rows.sorted_by == ("watts", False)
    assert again.column("machine") == bench.column("machine") != []
    assert again.tab.table.head.fields["watts"].text() == "100-400"
    assert again.tab.bar.search.text() == "rtx"


def test_columns_of_another_version_are_left_out():
    choice = RankChoice(columns=("price", "gone"), sort="gone", ranges={"gone": "1"}, up="gone")
    assert known(choice) == RankChoice(columns=("price",))
    assert known(RankChoice(columns=("gone",))).columns == SHOWN


def test_a_price_is_typed_in_its_cell_and_kept(bench, qtbot, tmp_path):
    bench.present()
    table = bench.tab.table
    bare = bench.column("price").index(NO_PRICE)
    machine = bench.tab.ranked.table.machine_of(bench.rows.row_at(bare)).id
    table.setFocus()
    table.setCurrentIndex(bench.rows.index(bare, 0))
    key(table, Qt.Key.Key_F2)
    editor = table.viewport().findChild(QLineEdit)
    QTest.keyClicks(editor, "1,234.5")
    key(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(bench.preferences.settings.prices))
    bench.preferences.end()
    assert Preferences(tmp_path).settings.prices[machine].amount == 1234.5
    place = bench.rows.place_of(
        next(
            row
            for row, one in enumerate(bench.tab.ranked.table.field.machines)
            if one.id == machine
        )
    )
    assert bench.cell(place, "price") == "1,234"
    assert "your price" in bench.rows.index(place, bench.rows.columns.index("price")).data(
        Qt.ItemDataRole.ToolTipRole
    )


@pytest.mark.parametrize("text", ["0", "-5", "cheap"])
def test_a_price_that_is_none_is_refused_with_a_sentence(bench, text):
    bench.present()
    before = bench.column("price")
    index = bench.rows.index(0, bench.rows.columns.index("price"))
    assert not bench.rows.setData(index, text)
    assert bench.cell(0, "machine") in bench.tab.note.accessibleName()
    assert bench.column("price") == before and not bench.preferences.settings.prices


def test_own_prices_go_when_the_cell_is_emptied(bench):
    bench.present()
    bench.preferences.set_price("geforce-rtx-4090", 1.0)
    bench.settle()
    row = next(
        row
        for row, one in enumerate(bench.tab.ranked.table.field.machines)
        if one.id == "geforce-rtx-4090"
    )
    index = bench.rows.index(bench.rows.place_of(row), bench.rows.columns.index("price"))
    assert index.data() == "1"
    assert bench.rows.setData(index, "")
    assert not bench.preferences.settings.prices and index.data() != "1"


def test_a_currency_without_a_rate_takes_catalog_prices_away_and_says_how_to_get_them(bench):
    bench.present()
    bench.tab.open_prices()
    form = bench.tab._money.form
    form.field("currency").setText("eur")
    form.field("currency").setModified(True)
    form.field("currency").commit()
    bench.settle()
    assert bench.preferences.settings.currency == "EUR"
    assert set(bench.column("price")) == {NO_PRICE}
    rate = form.field("currency_per_usd")
    assert not rate.isHidden()
    rate.setText("0.5")
    rate.setModified(True)
    rate.commit()
    bench.settle()
    assert set(bench.column("price")) != {NO_PRICE}
    form.field("currency").setText("euro")
    form.field("currency").setModified(True)
    form.field("currency").commit()
    assert "three capital letters" in form.told("currency")
    bench.tab._money.hide()


def test_filters_that_leave_nothing_say_what_to_loosen_and_can_be_cleared(bench):
    bench.present()
    whole = bench.rows.rowCount()
    bench.tab.bar.search.setText("nothing has this name")
    bench.settle()
    assert bench.rows.rowCount() == 0
    assert "Without the search" in bench.tab.note.accessibleName()
    QTest.mouseClick(bench.tab.bar.clear, Qt.MouseButton.LeftButton)
    bench.settle()
    assert bench.rows.rowCount() == whole and bench.tab.bar.search.hasFocus()


def test_a_range_of_prices_says_how_many_it_leaves_out_for_want_of_one(bench):
    bench.present()
    table = bench.tab.ranked.table
    unpriced = int((table.serves & np.isnan(table.values("price"))).sum())
    assert unpriced > 1
    field = bench.tab.table.head.fields["price"]
    QTest.keyClicks(field, "90000")
    key(field, Qt.Key.Key_Return)
    bench.settle()
    said = f"{unpriced} that serve have no price and are left out; a ? behind the range keeps them."
    assert said in bench.tab.note.accessibleName()
    QTest.keyClicks(field, "?")
    key(field, Qt.Key.Key_Return)
    bench.settle()
    assert NO_PRICE in bench.column("price")
    assert "left out" not in bench.tab.note.accessibleName()


def test_a_range_that_cannot_be_read_narrows_nothing_and_says_why(bench):
    bench.present()
    whole = bench.rows.rowCount()
    field = bench.tab.table.head.fields["price"]
    for text, why in (("cheap", "is not a number"), ("50-20", "exchange the two")):
        field.clear()
        QTest.keyClicks(field, text)
        key(field, Qt.Key.Key_Return)
        bench.settle()
        assert bench.rows.rowCount() == whole
        assert why in bench.tab.note.accessibleName()


def test_facets_count_what_they_leave(bench):
    bench.present()
    bench.tab.bar.open_filters()
    popup = bench.tab.bar._popup
    counts = bench.tab._counts({})
    popup.choose({"verdict": frozenset({"model does not fit"})})
    bench.settle()
    assert bench.rows.rowCount() == counts["verdict"]["model does not fit"] > 0
    assert not any("serves" in text for text in bench.column("verdict"))
    popup.hide()


def test_nothing_is_ranked_while_the_tab_is_hidden(bench, monkeypatch):
    bench.present()
    bench.tab.hide()
    ranked = []
    monkeypatch.setattr(bench.tab.ranked, "present", lambda *given: ranked.append(given))
    bench.tab.present(run(SCENARIO, bench.library))
    bench.preferences.set_price("geforce-rtx-4090", 5.0)
    bench.tab._choose({"sort": "price"})
    assert ranked == []
    bench.tab.show()
    assert len(ranked) == 1


def tables():
    """The rankings that are kept, by their number of rows."""
    gc.collect()
    return sorted(len(one) for one in gc.get_objects() if isinstance(one, Table))


@pytest.mark.parametrize(
    ("scope", "look"), [("pairs", "table"), ("pairs", "map"), ("machines", "value")]
)
def test_a_ranking_is_let_go_some_time_after_the_tab_is_left(bench, qtbot, scope, look):
    bench.present().choose(scope=scope, look=look)
    shown = bench.tab.ranked.count
    assert tables() == [len(bench.tab.ranked.table)]
    bench.tab.hide()
    assert bench.tab._left.isActive()
    bench.tab.show()
    assert not bench.tab._left.isActive()
    bench.tab.hide()
    bench.tab._left.setInterval(0)
    qtbot.waitUntil(lambda: not bench.tab._left.isActive())
    assert tables() == [] and bench.tab.ranked._made is None
    bench.tab.show()
    bench.settle()
    assert (bench.tab.ranked.count, bench.tab.ranked.is_whole) == (shown, True)
    assert bench.tab.pages.currentWidget() is not bench.tab.pages.words


def test_no_look_keeps_a_ranking_that_is_no_longer_shown(bench):
    bench.present()
    looks = [("pairs", "map"), ("models", "table"), ("machines", "value"), ("pairs", "map")]
    for scope, look in (*looks, ("pairs", "table"), ("machines", "value"), ("machines", "table")):
        bench.choose(scope=scope, look=look)
        assert tables() == [len(bench.tab.ranked.table)], (scope, look)


def test_an_edit_ranks_once_and_resets_nothing(bench, monkeypatch):
    bench.present()
    ranked, resets = [], []
    monkeypatch.setattr(
        ranked_module, "rank", lambda *given: ranked.append(given) or table.rank(*given)
    )
    bench.rows.modelReset.connect(lambda: resets.append(True))
    work = WorkloadChoice(floor_tokens_per_s=20)
    bench.present(msgspec.structs.replace(SCENARIO, workload=work))
    assert len(ranked) == 1
    asked = msgspec.structs.replace(SCENARIO, workload=work, prefill=PrefillChoice(5000))
    bench.present(asked)
    bench.present(msgspec.structs.replace(asked, hardware="geforce-rtx-5090"))
    assert len(ranked) == 1, "no prompt and no machine changes what is decoded"
    assert not resets
    fresh = table.rank(bench.tab.ranked.table.field, work, asked.prefill)
    for column in BY_ID:
        np.testing.assert_array_equal(
            bench.tab.ranked.table.values(column), fresh.values(column), column
        )
    other = msgspec.structs.replace(asked, prefill=PrefillChoice(5000, linear_mode="fp8_fp32acc"))
    bench.present(other)
    assert len(ranked) == 2


def test_a_column_that_is_kept_does_not_count_as_quick(bench):
    bench.present()
    ranked = bench.tab.ranked
    took = {column: ranked._time_of(column) for column in bench.tab.choice.columns}
    bench.present(msgspec.structs.replace(SCENARIO, hardware="geforce-rtx-5090"))
    assert {column: ranked._time_of(column) for column in bench.tab.choice.columns} == took
    prompts = {ranked._time_of(column) for column in ranked_module.PROMPTS}
    assert len(prompts) == 1, "one work gives all of them"


def test_another_model_leaves_the_machines_as_they_were_prepared(bench, monkeypatch):
    bench.present()
    before = bench.tab.ranked.table.field
    prepared = []
    monkeypatch.setattr(field_module, "ranked_machine", lambda *given: prepared.append(given))
    bench.present(msgspec.structs.replace(SCENARIO, model=ModelRef("qwen3-8b")))
    after = bench.tab.ranked.table
    assert not prepared and after.field.machines is before.machines
    assert after.field.looked_up == before.looked_up
    monkeypatch.undo()
    fresh = prepare(bench.library, after.field.choice)
    assert [one.id for one in fresh.machines] == [one.id for one in before.machines]
    np.testing.assert_array_equal(
        table.rank(fresh, SCENARIO.workload, SCENARIO.prefill).values("aggregate_tokens_per_s"),
        after.values("aggregate_tokens_per_s"),
    )


def test_columns_that_are_gone_are_not_asked_for_again(bench, qtbot):
    bench.tab.resize(1600, 520)
    bench.present().choose(scope="pairs")
    qtbot.wait(50)
    bench.tab._choose({"scope": "machines"})
    bench.rows.repaint()  # before anything is painted
    qtbot.wait(50)
    columns = len(bench.rows.columns)
    assert {column for _, column in bench.tab.table._painter._painted} == set(range(columns))


def test_an_edit_paints_only_cells_in_sight_that_changed(bench, qtbot, monkeypatch):
    bench.present()
    qtbot.wait(50)
    view, painted = bench.tab.table, []
    write = CellDelegate._write
    monkeypatch.setattr(
        CellDelegate,
        "_write",
        lambda *given, **how: painted.append(given[3]) or write(*given, **how),
    )
    in_sight = view.rowAt(view.viewport().height() - 1) - view.rowAt(0) + 1
    before = bench.column("machine")
    work = WorkloadChoice(floor_tokens_per_s=5.5)
    bench.present(msgspec.structs.replace(SCENARIO, workload=work))
    qtbot.wait(50)
    assert painted, "the floor moves the best batch"
    after = bench.column("machine")
    stayed = {name for name, was in zip(after, before, strict=True) if name == was}
    stayed -= set(after) - set(after[:in_sight])
    assert stayed and not stayed & set(painted)
    painted.clear()
    bench.present(msgspec.structs.replace(SCENARIO, workload=work, hardware="geforce-rtx-5090"))
    qtbot.wait(50)
    assert set(painted) <= {
        bench.rows.shown(place, column).text
        for place in range(bench.rows.rowCount())
        for column in range(len(bench.rows.columns))
        if bench.rows.table.machine_of(bench.rows.row_at(place)).id
        in ("geforce-rtx-4090", "geforce-rtx-5090")
    }, "the rows in bold"


def test_a_model_that_the_library_does_not_have_is_a_sentence(bench):
    bench.present(msgspec.structs.replace(SCENARIO, model=ModelRef("gone")))
    assert bench.tab.pages.currentWidget() is bench.tab.pages.words
    assert "gone" in bench.tab.pages.words.text()
    bench.present()
    assert bench.tab.pages.currentWidget() is bench.tab.table


def test_models_are_ranked_for_a_composition(qtbot, tmp_path, library):
    few = {kept: library.models[kept] for kept in ("gpt-oss-20b", "qwen3-8b")}
    bench = Bench(qtbot, tmp_path, part_of(library, library.machines, few))
    pair = msgspec.structs.replace(SCENARIO, hardware="geforce-rtx-3090-x2")
    bench.choose(scope="models").present(pair)
    for place in range(2):
        assert bench.column("model")[place] in {"gpt-oss-20b", "Qwen3-8B"}
        pair = bench.tab.ranked.table.evaluation(bench.rows.row_at(place))
        rate = pair.result.decode.aggregate_tokens_per_s
        assert same(bench.cell(place, "aggregate_tokens_per_s"), "aggregate_tokens_per_s", rate)


def test_a_catalog_of_one_machine_is_ranked(qtbot, tmp_path, library):
    one = part_of(library, {"geforce-rtx-4090": library.machines["geforce-rtx-4090"]})
    one = msgspec.structs.replace(one, compositions={})
    bench = Bench(qtbot, tmp_path, one).present()
    assert bench.column("machine") == ["GeForce RTX 4090"]
    bench.choose(look="value")
    assert bench.tab.pages.currentWidget() is bench.tab.pages.plot


def test_an_empty_library_is_a_sentence(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, Library({}, {}, ()))
    for scope in ("machines", "models", "pairs"):
        bench.choose(scope=scope).present()
        assert len(bench.tab.pages.words.text()) > 20


def test_the_first_rows_of_a_long_list_stand_at_once(qtbot, tmp_path, small, monkeypatch):
    monkeypatch.setattr("ourmodels_gui.gui.ranking.ranked.SMALL", 10)
    monkeypatch.setattr("ourmodels_gui.gui.ranking.ranked.FIRST", 30)
    bench = Bench(qtbot, tmp_path, small).present()
    whole = bench.column("machine")
    bench.tab.present(
        run(msgspec.structs.replace(SCENARIO, workload=WorkloadChoice(batch=2)), small)
    )
    first = bench.column("machine")
    assert not bench.tab.ranked.is_whole
    assert first[:30] == whole[:30] and first[-1] == LATER
    bench.settle()
    assert bench.column("machine") == whole


def test_the_map_shows_every_pair_and_reads_by_keyboard(bench):
    bench.choose(look="map").present()
    heat = bench.tab.map
    assert bench.tab.pages.currentWidget() is heat and bench.tab.choice.scope == "pairs"
    table = bench.tab.ranked.table
    heat.setFocus()
    key(heat, Qt.Key.Key_Right)
    key(heat, Qt.Key.Key_Right)
    key(heat, Qt.Key.Key_Down)
    row = heat.row_of(1, 1)
    assert table.machine_of(row).name in heat.accessibleDescription()
    capacity = [
        one.machine.capacity_bytes * one.machine.bandwidth_bytes_per_s
        for one in table.field.machines
    ]
    assert capacity[row % len(capacity)] == sorted(capacity)[1]
    for _ in range(8):
        key(heat, Qt.Key.Key_Plus)
    heat.grab()
    key(heat, Qt.Key.Key_Return)
    assert bench.edits[-1]["hardware"] == table.machine_of(row).id
    key(heat, Qt.Key.Key_Space)
    assert len(bench.tray.marks) == 1


def test_the_map_is_darker_where_more_is_served(bench):
    bench.choose(look="map").present()
    heat, table = bench.tab.map, bench.tab.ranked.table
    image = heat._image
    lightness, rates = [], []
    for model in range(image.height()):
        for machine in range(image.width()):
            row = heat.row_of(model, machine)
            if table.serves[row]:
                lightness.append(image.pixelColor(machine, model).lightness())
                rates.append(table.values("aggregate_tokens_per_s")[row])
    by_rate = np.array(lightness)[np.argsort(rates)]
    assert len(set(lightness)) > 20 and (np.diff(by_rate) <= 0).all()


def test_the_plot_of_value_draws_the_front_and_counts_what_is_missing(bench):
    bench.choose(look="value").present()
    plot, table = bench.tab.pages.plot, bench.tab.ranked.table
    prices, rates = table.values("price"), table.values("aggregate_tokens_per_s")
    bare = int((table.serves & np.isnan(prices)).sum())
    assert f"Not drawn: {bare} that serve" in bench.tab.note.accessibleName()
    named = {note.said for note in plot._names if note.said}
    best = max(
        range(len(table)),
        key=lambda row: -math.inf if np.isnan(prices[row] * rates[row]) else rates[row],
    )
    assert table.machine_of(best).name in named
    plot.setFocus()
    key(plot, Qt.Key.Key_Home)
    cheapest = plot.row
    there = ~np.isnan(prices) & ~np.isnan(rates)
    assert prices[cheapest] == prices[there].min()
    key(plot, Qt.Key.Key_Right)
    assert plot.row != cheapest and plot.reading.title == table.machine_of(plot.row).name
    key(plot, Qt.Key.Key_Return)
    assert bench.edits == [{"hardware": table.machine_of(plot.row).id}]


def test_names_on_the_plot_of_value_do_not_overlap(bench):
    bench.choose(look="value").present()
    plot = bench.tab.pages.plot
    plot.grab()
    plot.place_labels()
    boxes = [note.mapRectToScene(note.boundingRect()) for note in plot._names if note.isVisible()]
    assert len(boxes) >= 2
    for place, box in enumerate(boxes):
        assert not any(box.intersects(other) for other in boxes[place + 1 :])


def test_a_plot_of_value_without_prices_says_how_to_get_them(bench):
    bench.preferences.edit(currency="CHF")
    bench.choose(look="value").present()
    assert "F2" in bench.tab.pages.words.text()
    bench.choose(across="watts")
    assert bench.tab.pages.currentWidget() is bench.tab.pages.plot


def test_every_control_has_a_name(bench):
    bench.present()
    for kind in (QLineEdit, QToolButton, QComboBox, QAbstractItemView):
        for widget in bench.tab.findChildren(kind):
            # Qt's own parts, such as the cross in a field and the list of a choice, take no focus.
            if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.parent() is not None:
                inside = isinstance(widget.parent(), QLineEdit | QComboBox)
                assert inside or widget.accessibleName() or widget.window() is not bench.tab


def test_a_fault_while_a_field_is_prepared_is_told_and_the_next_works(bench, qtbot, monkeypatch):
    bench.present()
    with monkeypatch.context() as broken, qtbot.captureExceptions() as faults:
        broken.setattr(ranked, "prepare", lambda *_: 1 // 0)
        bench.choose(scope="pairs")
    assert faults[0][0] is ZeroDivisionError
    assert bench.tab.pages.currentWidget() is bench.tab.pages.words
    assert "division" in bench.tab.pages.words.text() and not bench.tab.ranked.is_preparing
    bench.choose(weights=BEST)
    assert bench.rows.rowCount()
