"""Pickers: type to filter, arrows and Enter to choose, the choice always named and in sight."""

from itertools import pairwise

import msgspec
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget

from ourmodels_gui import paths
from ourmodels_gui.evaluation import Evaluation, run
from ourmodels_gui.gui.asked.machine_picker import MachinePicker
from ourmodels_gui.gui.asked.model_picker import ModelPicker
from ourmodels_gui.gui.asked.model_rows import billions
from ourmodels_gui.gui.asked.picker import Picker
from ourmodels_gui.gui.asked.rows import RowModel
from ourmodels_gui.gui.asked.search import Row, matching
from ourmodels_gui.gui.asked.weight_choices import COMMON, format_choices, weight_choices
from ourmodels_gui.gui.choice_list import HEADING
from ourmodels_gui.inline import InlineHardware
from ourmodels_gui.library.formats import WEIGHT_FORMATS
from ourmodels_gui.library.load import Library
from ourmodels_gui.library.profile import default_weights, weight_formats
from ourmodels_gui.scenario import SUFFIX, ModelRef, read_file


def rows(count):
    return [Row(f"id{n}", f"Card {n}", (f"{n} GiB",), f"card {n} {n}gb") for n in range(count)]


@pytest.fixture
def picker(qtbot):
    made = Picker("Things", ("999 GiB",), "search")
    qtbot.addWidget(made)
    made.resize(320, 220)
    made.offer_rows(rows(1000))
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    return made


@pytest.fixture
def machines(qtbot, library):
    made = MachinePicker(library)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def models(qtbot, library):
    made = ModelPicker(library)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


def names(picker):
    return [picker.model.index(n).data() for n in range(picker.model.rowCount())]


def focus_search(picker, qtbot):
    picker.focus_search()
    qtbot.waitUntil(picker.search.hasFocus)


def test_every_word_must_occur_in_any_order():
    kept = matching(
        [Row("a", "A", (), "qwen3 moe 30b"), Row("b", "B", (), "qwen3 dense")], "MOE qw"
    )
    assert [row.id for row in kept] == ["a"]


def test_matches_at_the_start_of_a_word_come_first():
    found = [Row(x, x, (), x) for x in ("hermax", "max")]
    assert [row.id for row in matching(found, "max")] == ["max", "hermax"]


def test_a_number_is_found_whole():
    found = [Row(x, x, (), x) for x in ("model 27b", "model 2.7b", "model 7b", "a7b")]
    assert [row.id for row in matching(found, "7b")] == ["model 7b", "a7b"]


def test_arrows_and_enter_in_the_search_field_choose(picker, qtbot):
    focus_search(picker, qtbot)
    QTest.keyClicks(picker.search, "card 99")
    QTest.keyClick(picker.search, Qt.Key.Key_Down)
    with qtbot.waitSignal(picker.picked) as seen:
        QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert seen.args == ["id990"]
    assert picker.search.hasFocus()


def test_moving_in_the_list_chooses_nothing_yet(picker, qtbot):
    focus_search(picker, qtbot)
    spy = QSignalSpy(picker.picked)
    QTest.keyClick(picker.search, Qt.Key.Key_Down)
    QTest.keyClick(picker.search, Qt.Key.Key_Down)
    assert spy.count() == 0


def test_a_click_on_a_row_chooses_it(picker, qtbot):
    place = picker.view.visualRect(picker.model.index(2)).center()
    with qtbot.waitSignal(picker.picked) as seen:
        QTest.mouseClick(picker.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert seen.args == ["id2"]


def test_the_chosen_row_is_in_sight_and_named(picker):
    picker.show_chosen("id700", "Card 700")
    place = picker.view.visualRect(picker.model.index_of("id700"))
    assert picker.view.viewport().rect().contains(place)
    assert picker.chosen.text() == "Card 700"


def test_a_long_name_does_not_widen_the_picker(picker):
    width = picker.minimumSizeHint().width()
    picker.show_chosen("id1", "A machine with a very long name " * 8)
    assert picker.minimumSizeHint().width() == width
    assert picker.chosen.accessibleName().endswith("name ")


def test_typing_on_the_list_goes_on_in_the_search_field(picker, qtbot):
    picker.view.setFocus()
    qtbot.waitUntil(picker.view.hasFocus)
    QTest.keyClicks(picker.view, "9")
    assert picker.search.text() == "9"
    assert picker.search.hasFocus()


def test_no_match_says_so_and_escape_shows_everything_again(picker, qtbot):
    focus_search(picker, qtbot)
    QTest.keyClicks(picker.search, "abacus")
    assert picker.view.isHidden()
    assert "abacus" in picker.empty.text()
    QTest.keyClick(picker.search, Qt.Key.Key_Escape)
    assert picker.model.rowCount() == 1000
    assert not picker.view.isHidden()
    assert picker.empty.isHidden()


def test_a_thousand_rows_need_no_more_widgets_than_ten(picker):
    many = len(picker.findChildren(QWidget))
    picker.offer_rows(rows(10))
    assert len(picker.findChildren(QWidget)) == many


def test_a_row_is_read_out_with_its_figures(picker):
    index = picker.model.index(7)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Card 7 · 7 GiB"


@pytest.mark.parametrize("words", ["5090", "geforce 5090 32gb", "rtx 5090 nvidia"])
def test_a_machine_is_found_by_number_memory_and_maker(machines, words):
    machines.search.setText(words)
    assert any("5090" in name for name in names(machines))
    assert all("5090" in name for name in names(machines))


def test_memory_as_it_is_sold_finds_machines_of_that_size(machines, library):
    machines.search.setText("24gb")
    found = [
        machines.model.index(n).data(RowModel.RowRole) for n in range(machines.model.rowCount())
    ]
    sizes = {library.machines[row.id].memory.value for row in found if row.id in library.machines}
    assert sizes == {24.0}
    together = [row.figures[0] for row in found if row.id in library.compositions]
    assert set(together) <= {"24 GiB"}


def test_every_machine_row_shows_memory_and_bandwidth(machines, library):
    for number in range(machines.model.rowCount()):
        row = machines.model.index(number).data(RowModel.RowRole)
        if row.id in library.compositions:  # all its memory, and no bandwidth that it has as one
            assert row.figures[0].endswith("iB")
            assert row.figures[1] == ""
            continue
        entry = library.machines[row.id]
        value, unit = row.figures[0].split()
        factor = {"GB": 1e9, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}[unit]
        assert float(value.replace(",", "")) * factor == pytest.approx(
            entry.machine.capacity_bytes,
            rel=4e-3,  # from 100 GiB on in whole ones
        )
        assert row.summary.endswith("GB/s")


def test_picking_a_machine_edits_the_hardware(machines, qtbot, library):
    machines.search.setText("rtx 3090")
    wanted = machines.model.index(0).data(RowModel.RowRole).id
    with qtbot.waitSignal(machines.edited) as seen:
        QTest.keyClick(machines.search, Qt.Key.Key_Return)
    assert seen.args == [{"hardware": wanted}]


def test_an_unknown_machine_is_named_and_asked_for_again(machines, scenario, library):
    gone = msgspec.structs.replace(scenario, hardware="gone-by-now")
    machines.present(run(gone, library))
    assert machines.chosen.text() == "gone-by-now"
    assert "Choose another" in machines.note.text()
    machines.present(run(scenario, library))
    assert machines.note.isHidden()


def test_a_machine_written_out_in_the_scenario_is_named(machines, scenario):
    toy = InlineHardware(name="Toy", memory_gb=128, bandwidth_gb_per_s=800)
    machines.present(Evaluation(msgspec.structs.replace(scenario, hardware=toy)))
    assert machines.chosen.accessibleName() == "Toy · 128 GB · 800 GB/s"
    assert "part of this scenario" in machines.note.text()


def test_the_users_own_machines_come_first(qtbot, library):
    ids = list(library.machines)
    own = msgspec.structs.replace(library.machines[ids[-1]], yours=True, name="zz mine")
    mine = msgspec.structs.replace(library, machines={**library.machines, own.id: own})
    picker = MachinePicker(mine)
    qtbot.addWidget(picker)
    first = picker.model.index(0).data(RowModel.RowRole)
    assert (first.name, first.yours) == ("zz mine", True)


def test_an_empty_catalog_says_what_to_do(qtbot):
    picker = MachinePicker(Library({}, {}))
    qtbot.addWidget(picker)
    assert "Add your own" in picker.empty.text()


@pytest.mark.parametrize(
    ("parameters", "words"), [(7.6e9, "7.6B"), (30.6e9, "31B"), (135e6, "135M"), (9.96e9, "10B")]
)
def test_sizes_are_said_as_people_say_them(parameters, words):
    assert billions(parameters) == words


def test_models_are_found_by_family_and_kind(models, library):
    models.search.setText("qwen moe")
    found = [
        models.model.index(n).data(RowModel.RowRole).id for n in range(models.model.rowCount())
    ]
    assert found
    assert all(library.models[model_id].record.experts for model_id in found)


def test_another_model_keeps_the_format_of_the_weights(models, qtbot, scenario, library):
    chosen = next(iter(library.models))
    with_format = msgspec.structs.replace(scenario, model=ModelRef(scenario.model.id, "nvfp4"))
    models.present(run(with_format, library))
    with qtbot.waitSignal(models.edited) as seen:
        models.picked.emit(chosen)
    assert seen.args == [{"model": {"id": chosen, "weights": "nvfp4"}}]


@pytest.mark.parametrize(
    ("typed", "weights", "words"),
    [
        ("qwen 4bit", "q4_k_m", "GGUF Q4_K_M"),
        ("4-bit qwen", "q4_k_m", "GGUF Q4_K_M"),
        ("qwen awq", "awq-g128", "AWQ int4, groups of 128"),
        ("qwen q8_0", "q8_0", "GGUF Q8_0"),
    ],
)
def test_a_format_among_the_words_is_chosen_with_the_model(models, qtbot, typed, weights, words):
    models.search.setText(typed)
    assert models.sought.text() == f"Chosen with the weights in {words}."
    rows = [models.model.index(n).data(RowModel.RowRole) for n in range(models.model.rowCount())]
    assert rows and all("qwen" in row.search for row in rows)
    with qtbot.waitSignal(models.edited) as seen:
        QTest.keyClick(models.search, Qt.Key.Key_Return)
    assert seen.args == [{"model": {"id": rows[0].id, "weights": weights}}]
    models.search.clear()
    assert models.sought.isHidden()


def test_words_that_rows_have_are_no_format(models):
    models.offer_rows([Row("own", "Own AWQ", ("7B", "dense"), "own awq"), *rows(3)])
    models.search.setText("awq")
    assert models.sought.isHidden() and models.model.rowCount() == 1


def test_formats_stand_under_headings_the_release_first(library):
    record = library.models["qwen3-32b"].record
    choices = weight_choices(record)
    heads = [place for place, (value, _) in enumerate(choices) if value is HEADING]
    assert [choices[place][1] for place in heads] == [
        "Released by the maker",
        "Common, smaller than the release",
        "All others, the largest first",
    ]
    groups = [
        [value for value, _ in choices[first + 1 : last]]
        for first, last in pairwise([*heads, len(choices)])
    ]
    assert groups[0] == ["bf16"] and "q4_k_m" in groups[1] and "gguf-mxfp4" in groups[2]
    sizes = {form.id: form.file_bytes for form in weight_formats(record)}
    assert sorted(sizes) == sorted(value for group in groups for value in group)
    for group in groups[1:]:
        assert [sizes[id_] for id_ in group] == sorted(map(sizes.get, group), reverse=True)
    assert all(sizes[id_] < sizes["bf16"] for id_ in groups[1])


def test_without_a_model_every_format_stands_once_the_common_ones_first():
    values = [value for value, _ in format_choices()]
    assert values[0] is HEADING and values.count(HEADING) == 2
    formats = [value for value in values if value is not HEADING]
    assert sorted(formats) == sorted(WEIGHT_FORMATS)
    assert formats[: len(COMMON)] == list(COMMON)


def test_what_a_maker_has_published_stands_with_the_release(library):
    entry = next(one for one in library.models.values() if "nvfp4" in one.record.published)
    choices = weight_choices(entry.record)
    heads = [place for place, (value, _) in enumerate(choices) if value is HEADING]
    released = [value for value, _ in choices[heads[0] + 1 : heads[1]]]
    assert released == [default_weights(entry.record), *entry.record.published]


def test_typing_finds_a_format_by_any_part_and_enter_chooses_it(models, qtbot, scenario, library):
    chosen = msgspec.structs.replace(scenario, model=ModelRef("qwen3-32b"))
    models.present(run(chosen, library))
    weights = models.findChild(QWidget, "weights")
    weights.setFocus()
    QTest.keyClick(weights, Qt.Key.Key_Q)
    QTest.keyClicks(weights.view(), "4k")
    assert weights.view().currentIndex().data().startswith("GGUF Q4_K_M")
    with qtbot.waitSignal(models.edited) as seen:
        QTest.keyClick(weights.view(), Qt.Key.Key_Return)
    assert seen.args == [{"model.weights": "q4_k_m"}]


def test_the_release_itself_is_the_default_format(models, scenario, library, qtbot):
    models.present(
        run(msgspec.structs.replace(scenario, model=ModelRef(scenario.model.id, "nvfp4")), library)
    )
    weights = models.findChild(QWidget, "weights")
    with qtbot.waitSignal(models.edited) as seen:
        weights.setFocus()
        QTest.keyClick(weights, Qt.Key.Key_Home)
    assert seen.args == [{"model.weights": None}]
    assert "GB" in weights.currentText()


def test_towers_are_offered_only_where_the_model_has_some(models, scenario, library):
    parts = {
        model_id: {group.part for group in entry.record.tensors}
        for model_id, entry in library.models.items()
    }
    seeing = next(model_id for model_id, found in parts.items() if "vision" in found)
    blind = next(model_id for model_id, found in parts.items() if found == {"text"})
    towers = models.findChild(QWidget, "towers")
    for model_id, shown in ((seeing, True), (blind, False)):
        models.present(Evaluation(msgspec.structs.replace(scenario, model=ModelRef(model_id))))
        assert towers.isVisible() is shown


def test_the_chosen_row_stays_in_sight_when_the_list_shrinks(picker, qtbot):
    picker.show_chosen("id8", "Card 8")
    picker.resize(320, 500)
    picker.resize(320, 180)
    place = picker.view.visualRect(picker.model.index_of("id8"))
    assert picker.view.viewport().rect().intersects(place)


def test_a_model_written_out_in_the_scenario_says_so_and_has_no_other_format(
    models, scenario, library
):
    example = next(iter(sorted((paths.resources() / "examples").glob(f"*{SUFFIX}"))))
    models.present(run(scenario, library))
    models.present(run(read_file(example), library))
    weights = models.findChild(QWidget, "weights")
    assert weights.currentText() == "as typed in the scenario"
    assert not weights.isEnabled()
    assert "part of this scenario" in models.note.text()


def test_the_figures_of_a_machine_have_room_in_their_columns(machines):
    """What is cut at the left reads as another, smaller figure."""
    metrics = QFontMetrics(machines.view.font())
    room = machines._delegate._widths
    for number in range(machines.model.rowCount()):
        row = machines.model.index(number).data(RowModel.RowRole)
        for figure, width in zip(row.figures, room, strict=True):
            assert metrics.horizontalAdvance(figure) <= width, row.name


def test_a_machine_is_found_by_the_name_of_the_product(machines):
    machines.search.setText("mac studio 128")
    assert names(machines)
    assert all("Apple" in name for name in names(machines))


def test_undo_in_a_search_is_left_to_the_window_unless_it_is_being_typed(picker, qtbot):
    focus_search(picker, qtbot)
    undo = (Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    asked = QKeyEvent(QEvent.Type.ShortcutOverride, *undo)
    QApplication.sendEvent(picker.search, asked)
    assert not asked.isAccepted()
    QTest.keyClicks(picker.search, "card")
    asked = QKeyEvent(QEvent.Type.ShortcutOverride, *undo)
    QApplication.sendEvent(picker.search, asked)
    assert asked.isAccepted()
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    asked = QKeyEvent(QEvent.Type.ShortcutOverride, *undo)
    QApplication.sendEvent(picker.search, asked)
    assert not asked.isAccepted()
