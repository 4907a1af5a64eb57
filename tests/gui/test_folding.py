"""Rows of tools: as many lines as their controls need, whatever they come to say."""

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from ourmodels_gui.gui.fields import ChoiceField
from ourmodels_gui.gui.theme import px
from ourmodels_gui.gui.tool_row import ToolRow, give_way, labelled


def shown(qtbot, *widgets, width=400):
    page = QWidget()
    column = QVBoxLayout(page)
    for widget in widgets:
        column.addWidget(widget)
    column.addStretch(1)
    qtbot.addWidget(page)
    page.resize(width, 300)
    page.show()
    return page


def lines(*controls):
    return len({control.y() for control in controls})


def test_controls_stand_in_one_line_as_long_as_they_have_room(qtbot):
    buttons = [QPushButton(words) for words in ("one", "two", "three")]
    row = ToolRow(buttons[:2], buttons[2:])
    page = shown(qtbot, row, width=600)
    assert lines(*buttons) == 1
    assert buttons[2].geometry().right() == row.width() - 1  # the last stands at the right end
    page.resize(buttons[0].minimumSizeHint().width() + 30, 300)
    assert lines(*buttons) == 3
    assert all(row.rect().contains(button.geometry()) for button in buttons)


def test_a_row_folds_when_a_control_comes_to_say_more(qtbot):
    field = ChoiceField()
    field.offer([(1, "short"), (2, "as long as a combination of machines")])
    give_way(field, 60)
    button = QPushButton("beside")
    row = ToolRow((labelled("Which", field),), (button,))
    page = shown(qtbot, row, width=240)
    assert abs(field.geometry().center().y() - button.geometry().center().y()) <= 1
    before = row.height()
    field.present(2)
    qtbot.waitUntil(lambda: button.y() > field.geometry().bottom())
    assert row.height() > before
    field.present(1)
    qtbot.waitUntil(lambda: row.height() == before)
    assert page.height() == 300


def test_what_can_grow_takes_the_rest_and_a_hidden_control_none(qtbot):
    field, button = ChoiceField(), QPushButton("beside")
    field.offer([(1, "short")])
    give_way(field, 150)
    row = ToolRow((field,), (button,))
    page = shown(qtbot, row, width=500)
    assert field.width() == px(150) < page.width() // 2
    button.hide()
    qtbot.waitUntil(lambda: row.height() == field.height())
