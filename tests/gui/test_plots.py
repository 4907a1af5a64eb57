"""Axes that count in logarithms, and the plot that names what it shows."""

import doctest

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from ourmodels_gui.gui.plots import axes as plots
from ourmodels_gui.gui.plots.axes import LogAxis, Reading, one_two_five, powers_of_two, rate_tick
from ourmodels_gui.gui.plots.log_plot import LogPlot
from ourmodels_gui.gui.qt_theme import qt_palette
from ourmodels_gui.gui.theme import DARK, LIGHT
from ourmodels_gui.units import number


def test_examples_in_the_docstrings_hold():
    assert doctest.testmod(plots).failed == 0


@pytest.mark.parametrize("size_px", [60, 150, 400, 2000])
@pytest.mark.parametrize("high", [4, 64, 5000, 10_000_000])
def test_ticks_keep_their_distance(size_px, high):
    ticks = powers_of_two(1, high, size_px)
    assert ticks[0] == 1
    assert all(np.log2(tick) % 1 == 0 and tick <= high for tick in ticks)
    assert len(ticks) * plots.TICK_GAP_PX <= size_px + 2 * plots.TICK_GAP_PX


def test_rate_ticks_stay_inside_the_stretch():
    ticks = one_two_five(3.0, 700.0, 400)
    assert ticks == [5, 10, 20, 50, 100, 200, 500]


def test_what_is_not_positive_becomes_a_gap():
    drawn = plots.log([100.0, 0.0, np.nan])
    assert drawn[0] == 2
    assert np.isnan(drawn[1:]).all()


@pytest.fixture
def plot(qtbot):
    made = LogPlot(
        "Rates",
        x=LogAxis("bottom", "sessions", powers_of_two, number),
        y=LogAxis("left", "tok/s", one_two_five, rate_tick),
    )
    qtbot.addWidget(made)
    made.resize(640, 360)
    made.line = made.curve("aggregate")
    made.line.show_values(np.array([1, 64]), np.array([50.0, 800.0]), "all")
    made.set_span(1, 64, 50, 800)
    made.read = lambda x: Reading(
        round(x), f"{round(x)} sessions", (("all", "7 tok/s"),), ((70.0, "aggregate"),)
    )
    made.step = lambda x, direction: x + direction
    with qtbot.waitExposed(made):
        made.show()
    return made


def press(plot, key):
    pressed = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(plot, pressed)


def test_keys_walk_the_cursor_within_the_stretch(plot):
    press(plot, Qt.Key.Key_Right)
    assert plot.reading.x == 1
    press(plot, Qt.Key.Key_Right)
    assert plot.reading.x == 2
    press(plot, Qt.Key.Key_End)
    press(plot, Qt.Key.Key_Right)
    assert plot.reading.x == 64
    press(plot, Qt.Key.Key_PageDown)
    assert plot.reading.x == 32
    press(plot, Qt.Key.Key_Escape)
    assert plot.reading is None


def test_the_reading_is_spoken(plot):
    plot.point_at(8)
    assert plot.accessibleName() == "Rates"
    assert plot.accessibleDescription() == "8 sessions, all 7 tok/s"


def test_the_pointer_reads_what_is_under_it(plot):
    at = plot.box.mapViewToScene(QPointF(np.log10(16), 2.5))
    plot.scene().sigMouseMoved.emit(at)
    assert plot.reading.x == 16
    plot.scene().sigMouseMoved.emit(QPointF(-50, -50))
    assert plot.reading is None


def test_words_replace_the_curves(plot):
    plot.say("Nothing fits.")
    assert plot.line.getData()[0] is None or len(plot.line.getData()[0]) == 0
    assert plot.accessibleDescription() == "Nothing fits."
    plot.point_at(8)
    assert plot.reading is None


def wheel(plot):
    turn = QWheelEvent(
        QPointF(300, 150),
        QPointF(300, 150),
        QPointF(0, 120).toPoint(),
        QPointF(0, 120).toPoint(),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(plot.viewport(), turn)


def test_the_wheel_zooms_only_with_the_focus(plot, qtbot):
    plot.clearFocus()
    before = plot.box.viewRange()
    wheel(plot)
    assert plot.box.viewRange() == before
    plot.activateWindow()
    plot.setFocus()
    qtbot.waitUntil(plot.hasFocus)
    wheel(plot)
    (left, right), height = plot.box.viewRange()
    assert right - left < before[0][1] - before[0][0]
    assert height == before[1]


def test_a_zoom_never_leaves_the_stretch(plot):
    plot.box.setXRange(-5, 9, padding=0)
    low, high = plot.box.viewRange()[0]
    assert low >= -0.1
    assert high <= np.log10(64) + 0.1


def test_names_of_gates_that_are_near_stand_in_rows(plot):
    first, second = plot.gate("serves"), plot.gate("muted")
    first.show_at(20, "best 20")
    second.show_at(21, "memory limit 21")
    plot.place_labels()
    assert first.label.pos().y() != second.label.pos().y()


def test_colours_follow_the_palette(plot, qapp):
    before = qapp.palette()
    try:
        for palette in (DARK, LIGHT):
            plot.setPalette(qt_palette(palette))
            assert plot.line.opts["pen"].color().name().lower() == palette.aggregate.lower()
            assert plot.backgroundBrush().color().name().lower() == palette.base.lower()
    finally:
        qapp.setPalette(before)


def test_a_name_that_would_cover_another_goes_to_the_other_side(plot, qapp):
    other = plot.curve("session")
    other.show_values(np.array([1, 64]), np.array([50.0, 801.0]), "each")
    plot.place_labels()
    assert plot.line.label.isVisible()
    assert other.label.isVisible()
    assert plot.line.label.anchor.y() != other.label.anchor.y()
    third = plot.curve("power")
    third.show_values(np.array([1, 64]), np.array([50.0, 802.0]), "some")
    plot.place_labels()
    assert not third.label.isVisible()


def test_gates_close_together_are_both_named(plot, qtbot):
    first, second = plot.gate("text"), plot.gate("muted")
    first.show_at(1000, "memory limit 1,000")
    second.show_at(1400, "rate limit 1,400")
    plot.set_span(1, 2048, 1, 100)
    with qtbot.waitExposed(plot):
        plot.show()
    qtbot.waitUntil(lambda: not plot._placing.isActive())
    assert first.label.isVisible()
    assert second.label.isVisible()


def test_a_level_at_a_round_value_is_not_under_its_grid_line(plot, qtbot):
    level = plot.level("below")
    level.show_at(20.0, "floor")
    plot.set_span(1, 100, 5, 200)
    with qtbot.waitExposed(plot):
        plot.show()
    qtbot.wait(50)
    image = plot.grab().toImage()
    y = plot.mapFromScene(plot.box.mapViewToScene(QPointF(1.0, level.value()))).y()
    seen = {
        image.pixelColor(x, row).name()
        for row in (y - 1, y, y + 1)
        for x in range(plot.width() // 2, plot.width() - 40)
    }
    assert LIGHT.below.lower() in seen


def test_a_closed_plot_is_left_in_peace_by_what_was_still_to_come(plot, qtbot):
    plot.curve("accent").show_values(np.array([1.0, 10.0]), np.array([1.0, 10.0]), "one")
    with qtbot.waitExposed(plot):
        plot.show()
    plot.setFocus()
    with qtbot.captureExceptions() as caught:
        plot.box.setXRange(0.2, 0.4)
        plot.close()
        QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
        qtbot.wait(20)
    assert caught == []
