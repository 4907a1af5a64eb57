"""The traffic tab: counters that match the engine, motion only while somebody sees it."""

import msgspec
import pytest
from gui_cases import dense, evaluated, mixture
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget

from ourmodels_gui import paths
from ourmodels_gui import scenario as files
from ourmodels_gui.engine.setup import Draft, Machine, Speculation, TypedCache
from ourmodels_gui.engine.traffic import Accounting
from ourmodels_gui.evaluation import Evaluation, run
from ourmodels_gui.gui.tabs.traffic_tab import TrafficTab, slow_motion
from ourmodels_gui.gui.theme import colours
from ourmodels_gui.problem import Problem

SMALL = Machine(16e9, 400e9)


@pytest.fixture
def tab(qtbot):
    made = TrafficTab()
    qtbot.addWidget(made)
    made.resize(900, 480)
    with qtbot.waitExposed(made):
        made.show()
    made.motion.pause.setChecked(True)
    return made


def counted(side):
    return int(side.counter.text().split()[0].replace(",", ""))


@pytest.mark.parametrize(
    ("name", "rates", "sessions"),
    [("4k", ("4,444 tok/s", "717 tok/s"), 100), ("1k", ("17.8k tok/s", "2,867 tok/s"), 400)],
)
def test_the_toy_machine_of_the_formulation(tab, library, name, rates, sessions):
    path = paths.resources() / f"examples/toy-machine-reserving-{name}.ourmodels.json"
    evaluation = run(files.read_file(path), library)
    tab.present(evaluation)
    assert (tab.left.rate.text(), tab.right.rate.text()) == rates
    assert tab.controls.batch.placeholderText() == str(sessions)
    assert tab.left.lines[1].text() == f"memory-power bound, memory full: {rates[0]}"


@pytest.mark.parametrize("batch", [None, 1, 3])
def test_the_right_counter_runs_at_the_rate_of_the_engine(tab, batch):
    evaluation = evaluated(mixture(), batch=batch)
    tab.present(evaluation)
    decode = evaluation.result.decode
    rate = decode.forced.aggregate_tokens_per_s if batch else decode.aggregate_tokens_per_s
    assert batch or decode.best_batch == decode.memory_batch
    factor = tab._factor
    tab.advance(factor * 1000.0)  # a thousand seconds of the machine
    assert counted(tab.right) == pytest.approx(1000.0 * rate, rel=1e-3)
    assert counted(tab.left) > counted(tab.right)


def test_a_step_is_one_iteration_of_the_left_board(tab, qtbot):
    tab.present(evaluated(dense()))
    sessions = evaluated(dense()).result.decode.memory_batch
    for count in (1, 2, 3):
        qtbot.mouseClick(tab.motion.step, Qt.MouseButton.LeftButton)
        assert counted(tab.left) == count * sessions
    assert tab.right.board.lit > 0
    assert not tab.is_moving


def test_motion_runs_only_in_sight(tab, qtbot):
    tab.present(evaluated(dense()))
    tab.motion.pause.setChecked(False)
    assert tab.is_moving
    qtbot.waitUntil(lambda: tab.elapsed_s > 0)
    tab.hide()
    assert not tab.is_moving
    tab.show()
    assert tab.is_moving


def test_motion_stops_while_the_window_is_minimized(tab, qapp):
    tab.present(evaluated(dense()))
    tab.motion.pause.setChecked(False)
    tab.showMinimized()
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationInactive)
    assert not tab.is_moving
    tab.showNormal()
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert tab.is_moving


def test_a_hidden_tab_neither_draws_nor_moves(qtbot):
    hidden = TrafficTab()
    qtbot.addWidget(hidden)
    hidden.present(evaluated(dense()))
    assert hidden.left.board.drawn is None
    assert not hidden.is_moving


def test_a_still_picture_lights_every_charged_cell_and_never_moves(tab):
    tab.present(evaluated(dense()))
    tab.motion.pause.setChecked(False)
    tab.motion.still.setChecked(True)
    assert not tab.is_moving
    for side in (tab.left, tab.right):
        assert side.board.lit == side.board.charged_cells > 0
    assert tab.key.accessibleName().endswith("; the cells of one iteration")
    assert not tab.motion.step.isEnabled()


def test_what_does_not_fit_does_not_run(tab):
    tab.present(evaluated(dense(), batch=40))
    tab.motion.pause.setChecked(False)
    assert not tab.is_moving
    assert tab.left.counter.text() == ""
    assert tab.right.lines[0].text().startswith("✗ 40 sessions do not fit: ")
    tab.present(evaluated(dense(), machine=SMALL))
    assert tab.left.lines[0].text() == "✗ the model does not fit: 8.0 GB are missing"


def test_a_problem_is_told_on_the_boards(tab):
    bad = Evaluation(evaluated(dense()).scenario, problem=Problem("", "model.id", "no such model"))
    tab.present(bad)
    assert tab.left.board.accessibleDescription() == "no such model"
    assert not tab.controls.isEnabled()


def test_the_boards_draw_what_is_lit(tab):
    tab.present(evaluated(dense()))
    tab.motion.still.setChecked(True)
    cell = tab.right.board._rects[0].center().toPoint()
    lit = QColor(tab.right.board.grab().toImage().pixelColor(cell))
    assert lit == QColor(colours(tab).weights)
    tab.motion.still.setChecked(False)
    tab._show_at(0.0)
    unlit = QColor(tab.right.board.grab().toImage().pixelColor(cell))
    assert unlit != lit


@pytest.mark.parametrize("width", range(880, 887))
def test_both_boards_draw_their_cells_alike(tab, qtbot, width):
    tab.resize(width, 480)
    tab.present(evaluated(dense(), machine=Machine(9e9, 8e11)))
    qtbot.waitUntil(lambda: tab.width() == width)
    left, right = tab.left.board.drawn, tab.right.board.drawn
    assert left == right


@pytest.mark.parametrize(
    ("field", "text", "changes"),
    [
        ("batch", "40", {"workload.batch": 40}),
        ("reserved", "8k", {"workload.reserved_context_tokens": 8000}),
        (
            "read",
            "2000",
            {"workload.read_context_tokens": 2000, "workload.read_context_fraction": None},
        ),
    ],
)
def test_fields_edit_the_scenario(tab, qtbot, field, text, changes):
    tab.present(evaluated(dense()))
    with qtbot.waitSignal(tab.edited) as edit:
        qtbot.keyClicks(getattr(tab.controls, field), text)
        qtbot.keyClick(getattr(tab.controls, field), Qt.Key.Key_Return)
    assert edit.args == [changes]


@pytest.mark.parametrize("slider", ["sessions", "reserved_slider", "read_slider"])
def test_sliders_edit_by_key(tab, qtbot, slider):
    tab.present(evaluated(dense()))
    with qtbot.waitSignal(tab.edited):
        qtbot.keyClick(getattr(tab.controls, slider), Qt.Key.Key_Left)


def test_following_is_ninety_percent(tab, qtbot):
    tab.present(evaluated(dense()))
    with qtbot.waitSignal(tab.edited) as edit:
        tab.controls.follow.click()
    assert edit.args == [
        {"workload.read_context_tokens": None, "workload.read_context_fraction": 0.9}
    ]


def test_a_forced_number_can_be_maximised_again(tab, qtbot):
    tab.present(evaluated(dense(), batch=2))
    with qtbot.waitSignal(tab.edited) as edit:
        tab.controls.maximise.click()
    assert edit.args == [{"workload.batch": None}]


def test_presenting_is_no_edit(tab, qtbot):
    with qtbot.assertNotEmitted(tab.edited):
        tab.present(evaluated(dense(), batch=3))
        tab.present(evaluated(dense()))


def test_the_point_is_inside_where_the_floor_is_met(tab):
    tab.present(evaluated(dense(), batch=2))
    assert tab.feasible.is_inside
    tab.present(evaluated(dense(), batch=4, reserved_context_tokens=50_000))
    assert not tab.feasible.is_inside
    assert tab.feasible.sentence().startswith("too fast: ")
    tab.present(evaluated(dense(), batch=40, read_context_tokens=1))
    assert tab.feasible.sentence().startswith("too large")


def test_speculation_is_left_out_and_that_is_said(tab):
    plain = evaluated(dense())
    tab.present(plain)
    rate = tab.right.rate.text()
    drafted = Speculation(4, 2.8, Draft(1e9, 1e9, (), TypedCache(1e7, 1e7)))
    setup = msgspec.structs.replace(plain.setup, speculation=drafted)
    tab.present(Evaluation(plain.scenario, setup, plain.result))
    assert tab.right.rate.text() == rate
    assert "without speculation" in tab.key.accessibleName()


def test_slow_motion_is_a_round_number_and_never_fast_forward():
    slow = Accounting(1, 1.0, 0.0, 9.0, 1 / 9)
    assert slow_motion(slow, slow) == 1.0
    fast = Accounting(1, 1.0, 0.0, 1e-3, 1e3)
    assert slow_motion(fast, fast) in (500.0, 1000.0)


def test_every_control_has_a_name(tab):
    tab.present(evaluated(dense()))
    for child in tab.findChildren(QWidget):
        if child.isVisibleTo(tab) and child.focusPolicy() != Qt.FocusPolicy.NoFocus:
            named = child.accessibleName() or getattr(child, "text", str)()
            assert named or isinstance(child, QTabBar | QTabWidget), child
