"""Figures that are rounded to read and exact to copy."""

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication

from ourmodels_gui.gui.cell_delegate import CellDelegate
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


def painted(table, qtbot, monkeypatch, rows, marked=frozenset({1})):
    """The texts that are painted when a table in sight is given these rows."""
    texts = []
    write = CellDelegate._write

    def watched(delegate, painter, room, text, face, **how):
        texts.append(text)
        write(delegate, painter, room, text, face, **how)

    qtbot.wait(20)
    with monkeypatch.context() as patched:
        patched.setattr(CellDelegate, "_write", watched)
        table.present(rows, marked)
        qtbot.wait(20)
    return texts


def test_only_what_looks_otherwise_is_painted_anew(table, qtbot, monkeypatch):
    with qtbot.waitExposed(table):
        table.show()
    resets = []
    table.figures.modelReset.connect(lambda: resets.append(True))
    assert painted(table, qtbot, monkeypatch, [list(row) for row in ROWS]) == []
    rows = [ROWS[0], [Cell("26", 26), Cell("1,321", 1321.0)]]
    assert painted(table, qtbot, monkeypatch, rows) == ["1,321"]
    rows = [ROWS[0], [Cell("27", 27), Cell("1,322", 1322.0)]]
    assert painted(table, qtbot, monkeypatch, rows) == ["27", "1,322"]
    moved = painted(table, qtbot, monkeypatch, rows, {0})
    assert sorted(moved) == ["1,322", "27", "49.3"], "and the first, which is in use, by Qt"
    assert not resets


def test_the_cell_in_use_is_painted_anew_as_well(table, qtbot):
    with qtbot.waitExposed(table):
        table.show()
    table.setCurrentIndex(table.figures.index(1, 1))
    table.setFocus()
    qtbot.wait(20)
    table.figures.rows[1] = [Cell("26", 26), Cell("1,321", 1321.0)]
    assert table.itemDelegate().changed(0, 2) == {1: [1]}
