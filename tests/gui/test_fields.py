"""Fields: typed text is the user's, values are the scenario's, and neither disturbs the other."""

import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from ourmodels_gui.gui import typed
from ourmodels_gui.gui.fields import ChoiceField, NumberField
from ourmodels_gui.gui.form import Group
from ourmodels_gui.gui.log_slider import LogSlider


@pytest.fixture
def page(qtbot):
    made = QWidget()
    qtbot.addWidget(made)
    made.other = NumberField(typed.number, typed.show, parent=made)
    made.number = NumberField(typed.whole, typed.show, "tokens", made)
    made.choice = ChoiceField(made)
    made.choice.offer((("a", "first"), ("b", "second"), ("c", "third")))
    made.choice.present(None, "a")
    made.slider = LogSlider(256, 1_048_576, made)
    layout = QVBoxLayout(made)
    for field in (made.other, made.number, made.choice, made.slider):
        layout.addWidget(field)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    return made


def focus(qtbot, widget):
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)


def turn_wheel(widget):
    middle = QPointF(widget.rect().center())
    event = QWheelEvent(
        middle,
        QPointF(widget.mapToGlobal(middle)),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


@pytest.mark.parametrize(
    ("text", "value"), [("100k", 100_000), ("128Ki", 131_072), ("4,096", 4096), ("", None)]
)
def test_what_is_typed_is_committed_as_a_number(page, qtbot, text, value):
    page.number.present(5)
    focus(qtbot, page.number)
    page.number.selectAll()
    with qtbot.waitSignal(page.number.committed) as seen:
        QTest.keyClick(page.number, Qt.Key.Key_Delete)
        QTest.keyClicks(page.number, text)
        QTest.keyClick(page.number, Qt.Key.Key_Return)
    assert seen.args == [value]


def test_leaving_the_field_commits_once(page, qtbot):
    focus(qtbot, page.number)
    spy = QSignalSpy(page.number.committed)
    QTest.keyClicks(page.number, "7")
    QTest.keyClick(page.number, Qt.Key.Key_Return)
    focus(qtbot, page.other)
    assert spy.count() == 1


def test_showing_a_value_commits_nothing(page):
    spies = [
        QSignalSpy(field.committed) for field in (page.number, page.choice, page.slider, page.other)
    ]
    page.number.present(9)
    page.choice.present("c", "a")
    page.slider.present(4096)
    assert [spy.count() for spy in spies] == [0, 0, 0, 0]
    assert page.number.text() == "9"
    assert page.choice.currentText() == "third"


def test_half_typed_text_survives_every_refresh(page, qtbot):
    page.number.present(5)
    focus(qtbot, page.number)
    page.number.selectAll()
    QTest.keyClicks(page.number, "12k")
    page.number.present(5)
    page.number.present(6)
    assert page.number.text() == "12k"


def test_a_default_stands_in_an_empty_field_until_a_value_comes(page):
    page.number.present(None, 32_000)
    assert (page.number.text(), page.number.placeholderText()) == ("", typed.show(32_000))
    page.number.present(64_000, 32_000)
    assert page.number.text() == typed.show(64_000)


def test_a_default_and_a_slider_follow_the_signs_of_the_system(page):
    def shown():
        page.number.present(None, 32_000)
        page.slider.present(None, 32_000)
        return page.number.placeholderText(), page.slider.accessibleDescription()

    assert shown() == ("32,000", "32,000")
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German))
    try:
        assert shown() == ("32.000", "32.000")
    finally:
        QLocale.setDefault(before)


def test_text_that_is_no_number_stays_and_is_explained(page, qtbot):
    focus(qtbot, page.number)
    QTest.keyClicks(page.number, "many")
    spy = QSignalSpy(page.number.committed)
    with qtbot.waitSignal(page.number.refused) as seen:
        QTest.keyClick(page.number, Qt.Key.Key_Return)
    assert "many" in seen.args[0]
    assert page.number.text() == "many"
    assert spy.count() == 0


def test_escape_takes_half_typed_text_back(page, qtbot):
    page.number.present(5)
    focus(qtbot, page.number)
    QTest.keyClicks(page.number, "99")
    QTest.keyClick(page.number, Qt.Key.Key_Escape)
    spy = QSignalSpy(page.number.committed)
    QTest.keyClick(page.number, Qt.Key.Key_Return)
    assert page.number.text() == "5"
    assert spy.count() == 0


def test_the_default_is_committed_as_none(page):
    spy = QSignalSpy(page.choice.committed)
    page.choice.setFocus()
    QTest.keyClick(page.choice, Qt.Key.Key_Down)
    QTest.keyClick(page.choice, Qt.Key.Key_Up)
    assert [spy.at(0)[0], spy.at(1)[0]] == ["b", None]


def test_a_choice_keeps_its_value_when_other_choices_are_offered(page):
    page.choice.present("b", "a")
    page.choice.offer((("a", "first"), ("x", "new"), ("b", "second")))
    assert page.choice.value() == "b"


@pytest.mark.parametrize("name", ["choice", "slider"])
def test_the_wheel_changes_only_what_has_the_focus(page, qtbot, name):
    field = getattr(page, name)
    page.slider.present(4096)
    focus(qtbot, page.other)
    spy = QSignalSpy(field.committed)
    turn_wheel(field)
    assert spy.count() == 0
    assert not field.hasFocus()
    focus(qtbot, field)
    turn_wheel(field)
    assert spy.count() == 1


def test_the_slider_steps_through_numbers_of_two_digits(page, qtbot):
    page.slider.present(32_000)
    focus(qtbot, page.slider)
    with qtbot.waitSignal(page.slider.committed) as seen:
        QTest.keyClick(page.slider, Qt.Key.Key_Right)
    (value,) = seen.args
    assert value > 32_000
    assert value % 1000 == 0


def test_the_ends_of_the_slider_are_the_ends_of_its_range(page, qtbot):
    focus(qtbot, page.slider)
    page.slider.present(1000)
    spy = QSignalSpy(page.slider.committed)
    QTest.keyClick(page.slider, Qt.Key.Key_End)
    QTest.keyClick(page.slider, Qt.Key.Key_Home)
    assert [spy.at(0)[0], spy.at(1)[0]] == [1_048_576, 256]


def test_a_press_beside_the_handle_brings_it_there(page, qtbot):
    page.slider.present(256)
    with qtbot.waitSignal(page.slider.committed) as seen:
        QTest.mousePress(
            page.slider,
            Qt.MouseButton.LeftButton,
            pos=QPoint(page.slider.width() // 2, page.slider.height() // 2),
        )
    assert 12_000 < seen.args[0] < 22_000
    held = page.slider.value()
    page.slider.present(256)
    assert page.slider.value() == held
    QTest.mouseRelease(page.slider, Qt.MouseButton.LeftButton)


def test_a_hint_comes_back_whole_once_the_fault_is_gone(page):
    group = Group(foldable=False)
    page.layout().addWidget(group)
    field = group.choice("key", "Label", "What it is for.")
    field.offer((("a", "words that no list has room for " * 9), ("b", "short")))
    group.present({"key": "a"}, {})
    assert field.toolTip().startswith("words that")
    group.refuse("key", "It cannot be.")
    assert "It cannot be.\n\nWhat it is for." in field.toolTip()
    group.set_tip("key", "What else it is for.")
    assert "It cannot be.\n\nWhat else it is for." in field.toolTip()
    group.present({"key": "b"}, {})
    assert field.toolTip() == field.accessibleDescription() == "What else it is for."
