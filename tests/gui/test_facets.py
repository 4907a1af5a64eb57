"""The filter popup: values with counts, switched by keyboard, dropped with one press."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from ourmodels_gui.gui.asked.machine_picker import MachinePicker
from ourmodels_gui.gui.asked.rows import RowModel


@pytest.fixture
def picker(qtbot, library):
    made = MachinePicker(library)
    qtbot.addWidget(made)
    made.resize(380, 400)
    made.show()
    qtbot.waitExposed(made)
    made.open_filters()
    yield made
    made._popup.hide()
    made._popup.deleteLater()


def row_ids(picker):
    model = picker.model
    return [model.index(n).data(RowModel.RowRole).id for n in range(model.rowCount())]


def go_to(picker, value):
    item = picker._popup.tree.findItems(value, Qt.MatchFlag.MatchExactly)[0]
    picker._popup.tree.setCurrentItem(item)
    return item


def test_space_switches_a_value_and_the_list_follows(picker, library):
    item = go_to(picker, "Apple")
    QTest.keyClick(picker._popup.tree, Qt.Key.Key_Space)
    ids = row_ids(picker)
    makers = [row.facets["maker"] for row in picker.model.rows if row.id in ids]
    assert all("Apple" in names for names in makers)
    assert len(ids) == int(item.text(1))
    assert picker.filters.isVisible()
    assert "Apple" in picker.filters.words.accessibleName()
    assert picker.filter.text() == "Filter 1"


def test_arrows_pass_over_headings(picker):
    tree = picker._popup.tree
    seen = []
    for _ in range(30):
        seen.append(tree.currentItem().flags() & Qt.ItemFlag.ItemIsEnabled)
        QTest.keyClick(tree, Qt.Key.Key_Down)
    assert all(seen)


def test_counts_follow_the_search(picker):
    picker.search.setText("24gb")
    picker.open_filters()
    item = go_to(picker, "AMD")
    shown = int(item.text(1))
    QTest.keyClick(picker._popup.tree, Qt.Key.Key_Space)
    assert len(row_ids(picker)) == shown


def test_clear_shows_everything_again(picker, library):
    go_to(picker, "Apple")
    QTest.keyClick(picker._popup.tree, Qt.Key.Key_Space)
    picker.filters.clear.click()
    assert len(row_ids(picker)) == len(library.hardware_ids)
    assert not picker.filters.isVisible()
    assert picker.filter.text() == "Filter"


def test_escape_closes_and_keeps_what_was_chosen(picker, library):
    go_to(picker, "Apple")
    QTest.keyClick(picker._popup.tree, Qt.Key.Key_Space)
    QTest.keyClick(picker._popup.tree, Qt.Key.Key_Escape)
    assert not picker._popup.isVisible()
    assert 0 < len(row_ids(picker)) < len(library.machines)


def test_nothing_left_says_that_it_is_the_filters(picker):
    picker.narrow_to({"maker": frozenset({"Groq"}), "kind": frozenset({"unified memory"})})
    assert row_ids(picker) == []
    assert "filters" in picker.empty.text()


def test_the_popup_lies_on_the_screen(picker):
    screen = picker.screen().availableGeometry()
    assert screen.contains(picker._popup.geometry())


def test_a_new_library_keeps_the_filter(picker, library):
    go_to(picker, "Apple")
    QTest.keyClick(picker._popup.tree, Qt.Key.Key_Space)
    before = row_ids(picker)
    picker.offer(library)
    assert row_ids(picker) == before
