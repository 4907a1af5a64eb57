"""Figures that are rounded to read and exact to copy."""

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication

from ourmodels_gui.gui.tables import Cell, FigureTable, as_text

ROWS = ([Cell("1", 1), Cell("49.3", 49.28125)], [Cell("26", 26), Cell("1,320", 1320.5)])


@pytest.fixture
def table(qtbot):
    made = FigureTable("Ceilings", ("sessions", "tok/s"), ("100,000", "10,000"))
    qtbot.addWidget(made)
    made.present(ROWS, {1})
    return made


def test_all_rows_are_copied_with_exact_figures(table, qtbot):
    table.show()
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "sessions\ttok/s\n1\t49.28125\n26\t1320.5\n"


def test_only_the_selected_rows_are_copied(table):
    chosen = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    table.selectionModel().select(table.figures.index(1, 0), chosen)
    assert table.text("CSV") == "sessions,tok/s\n26,1320.5\n"


def test_a_markdown_cell_keeps_its_bar():
    assert as_text(["a|b"], [["1"]], "Markdown") == "| a\\|b |\n| ---: |\n| 1 |\n"


def test_hovering_shows_every_digit(table):
    index = table.figures.index(0, 1)
    assert index.data() == "49.3"
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "49.28125"


def test_the_marked_row_is_bold(table):
    assert table.figures.index(1, 0).data(Qt.ItemDataRole.FontRole).bold()
    assert table.figures.index(0, 0).data(Qt.ItemDataRole.FontRole) is None


def test_selection_and_column_widths_survive_new_figures(table):
    table.selectRow(1)
    widths = [table.columnWidth(column) for column in range(2)]
    table.present([[Cell("1", 1), Cell("123,456,789.0", 5)], [Cell("27", 27), Cell("9", 9)]], {1})
    assert [index.row() for index in table.selectionModel().selectedRows()] == [1]
    assert [table.columnWidth(column) for column in range(2)] == widths


def test_only_the_rows_that_changed_are_painted_anew(table):
    changed = []
    table.figures.dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    table.figures.modelReset.connect(lambda: changed.append("reset"))
    table.present([list(row) for row in ROWS], {1})
    assert changed == []
    table.present([ROWS[0], [Cell("26", 26), Cell("1,321", 1321.0)]], {1})
    assert changed == [(1, 1)]
    table.present([ROWS[0], [Cell("26", 26), Cell("1,321", 1321.0)]], {0})
    assert changed == [(1, 1), (0, 0), (1, 1)]
