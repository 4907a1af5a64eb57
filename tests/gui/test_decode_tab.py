"""The decode tab: drawn when seen, read by key, edited by slider and field."""

import msgspec
import numpy as np
import pytest
from gui_cases import dense, evaluated, mixture
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QTabBar, QTabWidget, QWidget

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.setup import Composition, Device, Machine
from ourmodels_gui.evaluation import Evaluation
from ourmodels_gui.gui.tabs.batches import batch_rows, batch_span, sampled
from ourmodels_gui.gui.tabs.decode_tab import DecodeTab
from ourmodels_gui.gui.tabs.derivation import WorkingWindow
from ourmodels_gui.measured.points import Point

SMALL = Machine(16e9, 400e9)


CARD = Device("card", Machine(24e9, 936e9), 1e9)
RAM = Device("ram", Machine(64e9, 80e9), 4e9)


def pooled(model, **workload):
    """The same model on a card and the memory of its host."""
    made = evaluated(model, overhead_bytes=5e9, **workload)
    setup = msgspec.structs.replace(
        made.setup,
        machine=placement.together((CARD, RAM)),
        composition=Composition((CARD,), host=RAM, pools="sequential"),
    )
    return Evaluation(made.scenario, setup, evaluate(setup))


@pytest.fixture
def tab(qtbot):
    made = DecodeTab()
    qtbot.addWidget(made)
    made.resize(900, 500)
    return made


@pytest.fixture
def seen(tab, qtbot):
    with qtbot.waitExposed(tab):
        tab.show()
    return tab


def test_a_hidden_tab_draws_nothing_until_it_is_raised(tab, qtbot):
    tab.present(evaluated(dense()))
    assert tab.plot is None
    with qtbot.waitExposed(tab):
        tab.show()
    assert tab.plot is not None
    assert tab.figures.table.figures.rowCount() > 0


def test_a_page_is_filled_when_it_is_turned_to(seen):
    seen.present(evaluated(dense()))
    pages = (seen.figures.table, seen.table, seen.assumptions)
    assert [page.figures.rowCount() > 0 for page in pages] == [True, False, False]
    seen.pages.setCurrentWidget(seen.table)
    assert [page.figures.rowCount() > 0 for page in pages] == [True, True, False]
    seen.present(evaluated(dense(), machine=SMALL))
    assert seen.table.figures.rowCount() == 0, "and again with each evaluation"
    seen.pages.setCurrentWidget(seen.assumptions)
    assert seen.assumptions.figures.rowCount() == len(seen._drawn.result.assumptions)


def test_the_curve_holds_the_engine_figures(seen):
    evaluation = evaluated(mixture())
    seen.present(evaluation)
    decode = evaluation.result.decode
    shown = seen.plot.reading_at(decode.best_batch)
    assert shown.dots[0][0] == pytest.approx(decode.aggregate_tokens_per_s, rel=1e-12)
    assert shown.dots[1][0] == pytest.approx(decode.per_session_tokens_per_s, rel=1e-12)


@pytest.mark.parametrize(("batch", "limit"), [(1, "bandwidth"), (3, "below the floor")])
def test_the_reading_names_the_limit(seen, batch, limit):
    seen.present(evaluated(dense()))
    assert dict(seen.plot.reading_at(batch).rows)["limit"] == limit


def test_two_pools_are_drawn_as_far_as_they_hold_sessions(seen):
    evaluation = pooled(mixture(), floor_tokens_per_s=0.0)
    seen.present(evaluation)
    decode = evaluation.result.decode
    shown = seen.plot.reading_at(decode.best_batch)
    assert shown.dots[0][0] == pytest.approx(decode.aggregate_tokens_per_s, rel=1e-12)
    beyond = seen.plot.reading_at(decode.memory_batch + 1)
    assert beyond.rows == (("limit", "does not fit"),)
    rows, best = batch_rows(evaluation)
    by_batch = {row[0].value: row for row in rows}
    assert rows[next(iter(best))][0].value == decode.best_batch
    assert by_batch[decode.best_batch][1].value == decode.aggregate_tokens_per_s
    last = by_batch[max(by_batch)]
    assert (last[1].text, last[3].text) == ("-", "does not fit")


def test_beyond_the_memory_the_reading_says_so(seen):
    evaluation = evaluated(dense())
    seen.present(evaluation)
    beyond = evaluation.result.decode.memory_batch + 1
    assert dict(seen.plot.reading_at(beyond).rows)["limit"] == "does not fit"


def test_the_cursor_walks_whole_batches(seen, qtbot):
    seen.present(evaluated(dense()))
    qtbot.keyClick(seen.plot, Qt.Key.Key_Home)
    qtbot.keyClick(seen.plot, Qt.Key.Key_Right)
    assert seen.plot.reading.x == 2
    assert seen.plot.accessibleDescription().startswith("2 sessions, all ")


def test_limits_at_the_same_batch_share_one_name(seen):
    evaluation = evaluated(mixture())
    seen.present(evaluation)
    names = {gate.name_text for gate in seen.plot.gates if gate.name_text}
    memory = evaluation.result.decode.memory_batch
    assert f"best = memory limit {memory}" in names


def test_an_empty_plot_says_why(seen):
    seen.pages.setCurrentWidget(seen.table)
    seen.present(evaluated(dense(), machine=SMALL))
    assert seen.plot.accessibleDescription().startswith(
        "The model does not fit: 8.0 GB are missing"
    )
    assert seen.table.figures.rowCount() == 0
    seen.present(evaluated(dense()))
    assert seen.plot.accessibleDescription() == ""
    assert seen.table.figures.rowCount() > 0


def test_the_slider_forces_the_number_of_sessions(seen, qtbot):
    seen.present(evaluated(dense()))
    with qtbot.waitSignal(seen.edited) as edit:
        qtbot.keyClick(seen.concurrency.slider, Qt.Key.Key_Right)
    assert edit.args == [{"workload.batch": 3}]


def test_a_typed_number_forces_it_too(seen, qtbot):
    seen.present(evaluated(dense()))
    with qtbot.waitSignal(seen.edited) as edit:
        qtbot.keyClicks(seen.concurrency.field, "40")
        qtbot.keyClick(seen.concurrency.field, Qt.Key.Key_Return)
    assert edit.args == [{"workload.batch": 40}]


def test_presenting_is_no_edit(seen, qtbot):
    with qtbot.assertNotEmitted(seen.edited):
        seen.present(evaluated(dense(), batch=3))
        seen.present(evaluated(dense()))


def test_a_forced_number_can_be_given_back(seen, qtbot):
    seen.present(evaluated(dense()))
    assert not seen.concurrency.best.isEnabled()
    seen.present(evaluated(dense(), batch=3))
    with qtbot.waitSignal(seen.edited) as edit:
        seen.concurrency.best.click()
    assert edit.args == [{"workload.batch": None}]


def pinned(tab):
    return tab.plot.ghosts[0].getData()[1]


def test_a_pinned_curve_stays_while_the_scenario_moves(seen):
    seen.present(evaluated(dense()))
    seen.keep.click()
    before = pinned(seen).copy()
    seen.present(evaluated(dense(), read_context_tokens=1000))
    assert np.array_equal(pinned(seen), before)
    seen.present(evaluated(dense(), machine=SMALL))
    seen.present(evaluated(dense(), read_context_tokens=1000))
    assert np.array_equal(pinned(seen), before)
    seen.keep.click()
    assert pinned(seen) is None


def test_the_memory_power_is_told_in_words_where_it_would_flatten_the_rest(seen):
    seen.present(evaluated(mixture(), machine=Machine(2e12, 1792e9)))
    assert [note.said[:14] for note in seen.plot.notes if note.said] == ["↑ memory power"]
    assert "memory power" not in " ".join(level.name_text for level in seen.plot.levels)
    seen.present(evaluated(dense()))
    assert [note.said for note in seen.plot.notes if note.said] == []
    assert "memory power" in " ".join(level.name_text for level in seen.plot.levels)


def test_items_of_the_plot_are_made_once(seen):
    seen.present(evaluated(dense()))
    made = len(seen.plot.scene().items())
    for batch in (1, 5, 40, 200):
        seen.present(evaluated(dense(), batch=batch))
    assert len(seen.plot.scene().items()) == made


def test_every_control_has_a_name(seen):
    seen.present(evaluated(dense()))
    for child in seen.findChildren(QWidget):
        if child.isVisibleTo(seen) and child.focusPolicy() != Qt.FocusPolicy.NoFocus:
            named = child.accessibleName() or getattr(child, "text", str)()
            assert named or isinstance(child, QTabBar | QTabWidget), child


def test_the_compute_side_is_a_region_where_it_takes_longer(seen):
    slow = Machine(34e9, 1792e9, {"fp4": 1e12, "bf16": 1e12})
    seen.present(evaluated(mixture(), machine=slow))
    assert any(region.name_text == "compute takes longer" for region in seen.plot.regions)
    seen.present(evaluated(mixture(), machine=Machine(34e9, 1792e9)))
    assert not any(region.name_text == "compute takes longer" for region in seen.plot.regions)


def test_the_table_lists_doubled_batches_and_the_limits():
    evaluation = evaluated(dense(), floor_tokens_per_s=10.0)
    rows, marked = batch_rows(evaluation)
    decode = evaluation.result.decode
    batches = [row[0].value for row in rows]
    assert batches == sorted(set(batches))
    assert {1, 2, 4, decode.best_batch, decode.memory_batch} <= set(batches)
    assert [batches[row] for row in marked] == [decode.best_batch]


def test_the_span_goes_past_the_limits_and_is_a_power_of_two():
    span = batch_span(evaluated(mixture(), batch=64).result)
    assert span >= 64
    assert span & (span - 1) == 0


@pytest.mark.parametrize("high", [4, 1000, 10**7])
def test_sampled_batches_are_whole_and_reach_the_end(high):
    batches = sampled(high)
    assert batches[0] == 1
    assert batches[-1] == high
    assert (np.diff(batches) > 0).all()


def test_the_working_of_the_chosen_figure_can_be_copied(seen):
    seen.present(evaluated(dense()))
    table = seen.figures.table
    labels = [row[0].value for row in table.figures.rows]
    table.selectRow(labels.index("aggregate_tokens_per_s"))
    copy = next(
        button
        for button in seen.figures.findChildren(QPushButton)
        if button.accessibleName() == "Copy the working"
    )
    copy.click()
    copied = QGuiApplication.clipboard().text()
    assert "T(b) = b R / (W_batch(b) + b K_read)" in copied
    assert "R = 800 GB/s" in copied


def test_the_working_follows_a_new_result(seen):
    seen.present(evaluated(dense()))
    table = seen.figures.table
    labels = [row[0].value for row in table.figures.rows]
    table.selectRow(labels.index("memory_batch"))
    before = seen.figures.shown()
    seen.present(evaluated(dense(), reserved_context_tokens=50_000))
    assert seen.figures.shown() != before


def test_measurements_stand_on_both_ceilings_and_in_the_reading(seen):
    here = Point("decode", 4, 1, 60.0, same=True)
    elsewhere = Point("serving", 2, 1, 30.0, same=False)
    seen.measured = lambda _evaluation: (here, elsewhere, Point("prefill", 1, 512, 9.0, same=True))
    seen.present(evaluated(dense()))
    drawn = seen.plot.measured
    places = [(10.0**x, 10.0**y) for x, y in zip(*drawn._same.getData(), strict=True)]
    assert places == [pytest.approx((4, 60.0)), pytest.approx((4, 15.0))]
    assert len(drawn._other.getData()[0]) == 2
    assert ("measured", "60.0 tok/s") in seen.plot.reading_at(4.0).rows
    assert ("at another context", "30.0 tok/s") in seen.plot.reading_at(2.0).rows
    seen.measured = lambda _evaluation: ()
    seen.present(evaluated(dense()))
    assert len(drawn._same.getData()[0]) == 0
    assert [note.said for note in seen.plot.notes if note.said] == []


def test_a_row_of_the_table_opens_its_working(seen, qtbot):
    seen.pages.setCurrentWidget(seen.table)
    seen.present(evaluated(dense(), floor_tokens_per_s=10.0))
    seen.table.setFocus()
    row = [cells[0].value for cells in seen.table.figures.rows].index(4)
    seen.table.activated.emit(seen.table.figures.index(row, 1))
    text = seen.table.findChild(WorkingWindow).text.toPlainText()
    rate = exact_rate(seen.table.figures.rows[row][1].value)
    assert "T(b) = b R / (W_batch(b) + b K_read)" in text
    assert f"= {rate} tok/s" in text
    seen.table.findChild(WorkingWindow).close()


def exact_rate(value):
    return f"{value:.6g}"
