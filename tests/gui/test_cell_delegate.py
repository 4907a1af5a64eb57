"""Cells are painted as Qt would paint them."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate

from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.cell_delegate import Shown
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.ranking.cell_table import CellTable, Column
from ourmodels_gui.gui.ranking.rank_tab import RankTab
from ourmodels_gui.gui.ranking.tray import Tray
from ourmodels_gui.gui.tables import Cell, FigureTable

COLUMNS = (Column("Machine"), Column("Rate", right=True), Column("What binds"))
ROWS = [
    [Shown("GeForce RTX 4090"), Shown("1,234"), Shown("memory binds", "muted")],
    [Shown("A name that is far too long for its column", bold=True), Shown("5×"), Shown("")],  # noqa: RUF001
    [Shown("日本 Ünïcode ✓", "serves"), Shown("?", "below"), Shown("W" * 60, "unfit")],
    [Shown("iiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"), Shown("12345678901234567"), Shown("last")],
] * 3


def pixels(view):
    image = view.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.array(image.constBits(), dtype=np.int16).reshape(image.height(), image.width(), 4)


def alike(view, qtbot):
    """Whether the table looks as with Qt's own delegate, but for shades in the corners of a box."""
    qtbot.wait(20)
    ours, own = pixels(view), view.itemDelegate()
    view.setItemDelegate(QStyledItemDelegate(view))
    qtbot.wait(20)
    theirs = pixels(view)
    view.setItemDelegate(own)
    assert len(np.unique(ours)) > 8, "something is painted"
    other = np.abs(ours - theirs).max(axis=2)
    return other.max() < 64 and (other > 16).mean() < 1e-4


@pytest.fixture(params=["light", "dark"])
def colours(request, theme):
    theme.choose(request.param)
    yield request.param
    theme.choose("light")


def test_a_table_of_cells_looks_as_qt_paints_it(qtbot, colours):
    view = CellTable("Cells")
    qtbot.addWidget(view)
    view.resize(420, 260)
    view.present(COLUMNS, ROWS)
    view.show()
    assert alike(view, qtbot)
    view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
    view.selectRow(1)
    view.setFocus()
    assert alike(view, qtbot)


def test_a_table_of_figures_looks_as_qt_paints_it(qtbot, colours):
    view = FigureTable("Figures", ("figure", "value", "kind"), ("", "1,000", ""), quiet=(2,))
    qtbot.addWidget(view)
    view.figures.left = {0, 2}
    view.resize(420, 260)
    view.present(
        [
            [Cell(f"Figure {n} that is longer than its column"), Cell("1,234 GB"), Cell("estimate")]
            for n in range(5)
        ],
        {1},
    )
    view.show()
    assert alike(view, qtbot)
    view.selectRow(1)
    view.setFocus()
    assert alike(view, qtbot)


def test_the_ranking_looks_as_qt_paints_it(qtbot, colours, library, scenario, tmp_path):
    preferences, tray = Preferences(tmp_path), Tray()
    tab = RankTab(lambda: library, preferences, tray)
    preferences.setParent(tab)
    tray.setParent(tab)
    qtbot.addWidget(tab)
    tab.resize(900, 500)
    tab.show()
    tab.present(run(scenario, library))
    qtbot.waitUntil(lambda: tab.ranked.is_whole, timeout=20_000)
    assert alike(tab.table, qtbot)
    tab._mark(tab.table.rows.row_at(1))
    tab.table.selectRow(2)
    tab.table.setFocus(Qt.FocusReason.OtherFocusReason)
    assert tab.table.rows.is_ticked(1)
    assert alike(tab.table, qtbot)
