"""A short stretch of random use; `tests/gui/monkey.py SEED ACTIONS` is the long one."""

import pytest
from monkey import Monkey, close_all
from PySide6.QtWidgets import QApplication

from ourmodels_gui import app, paths
from ourmodels_gui.gui.preferences import Preferences
from ourmodels_gui.gui.qt_theme import Theme

ACTIONS = 120


@pytest.fixture
def window(qapp, tmp_path, monkeypatch):
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path / "home"))
    theme = Theme(qapp)
    made = app.build(theme, Preferences(tmp_path))
    made.show()
    yield made
    theme.choose("light")
    close_all(made)
    made.document.may_leave = lambda: True
    made.close()
    made.deleteLater()


@pytest.mark.parametrize("seed", [3, 17])
def test_random_use_ends_without_a_fault_or_a_warning_of_qt(window, seed, tmp_path):
    (tmp_path / "files").mkdir()
    with Monkey(window, seed, tmp_path / "files").at_work() as monkey:
        monkey.act(ACTIONS)
        close_all(window)
    assert monkey.faults == []
    assert sum(monkey.done.values()) == ACTIONS
    assert len(monkey.done) == 8
    others = [w for w in QApplication.topLevelWidgets() if w is not window and w.isVisible()]
    assert others == []


def test_a_planted_fault_is_found(window, tmp_path):
    (tmp_path / "files").mkdir()
    window.menus.undo.connect(lambda: 1 / 0)
    with Monkey(window, 1, tmp_path / "files").at_work() as monkey:
        window.menus.undo.emit()
        monkey.act(1)
    assert "ZeroDivisionError" in monkey.faults[0]
