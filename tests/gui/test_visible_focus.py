"""Where the keyboard is can be seen: at every control of every tab and dialog, in both themes."""

import os

import numpy as np
import pytest
from gui_cases import dialogs, whole_window
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from ourmodels_gui import app as program
from ourmodels_gui.gui.focus_ring import AROUND_PX, FocusRing

pytestmark = pytest.mark.skipif(
    not os.environ.get("ALONE"), reason="run by test_alone, in its own process"
)
LEAST_CONTRAST = 3.0
LEAST_SHARE = 0.5
"""Of the pixels around a control, how many have to look otherwise when the keyboard is there."""


def controls(top):
    """What Tab reaches in a window, as it is now."""
    return [
        widget
        for widget in top.findChildren(QWidget)
        if widget.window() is top
        and widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
    ]


def extent(control):
    """The part of a control that is to be marked, in its window."""
    place = control.rect()
    if isinstance(control, QTabBar):
        place = control.tabRect(control.currentIndex())
    elif isinstance(control, QCheckBox | QRadioButton):
        place.setWidth(min(place.width(), control.sizeHint().width()))
    return QRect(control.mapTo(control.window(), place.topLeft()), place.size())


def brightness(window, place):
    """The relative luminance of each pixel."""
    picture = window.grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)
    row = picture.bytesPerLine() // 4
    bytes_ = np.frombuffer(picture.constBits(), np.uint8).reshape(picture.height(), row, 4)
    part = bytes_[:, : picture.width(), 2::-1] / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722]) + 0.05


def changed(control):
    """How many pixels of a control look otherwise with the keyboard there."""
    window, around = control.window(), AROUND_PX
    place = extent(control).adjusted(-around, -around, around, around) & window.rect()
    with_it = brightness(window, place)
    control.clearFocus()
    QApplication.processEvents()
    without = brightness(window, place)
    ratio = np.maximum(with_it, without) / np.minimum(with_it, without)
    return int((ratio >= LEAST_CONTRAST).sum())


def into_sight(control):
    above = control
    while (above := above.parentWidget()) is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(control)


def unseen(top, known=()):
    """The controls of a window whose focus is not seen, but for those that are known."""
    top.activateWindow()
    QTest.keyClick(QApplication.focusWidget() or top, Qt.Key.Key_Tab)
    faults = []
    for control in controls(top):
        if control in known:
            continue
        into_sight(control)
        control.setFocus()
        QApplication.processEvents()
        assert QApplication.focusWidget() is control
        size = extent(control).size()
        need = LEAST_SHARE * 2 * (size.width() + size.height())
        if (found := changed(control)) < need:
            faults.append((type(control).__name__, control.accessibleName(), found, need))
    return faults


@pytest.fixture(params=["light", "dark"])
def window(request, qtbot, theme, tmp_path, monkeypatch):
    made = whole_window(qtbot, theme, tmp_path, monkeypatch)
    theme.choose(request.param)
    yield made
    theme.choose("light")


def test_at_every_control_of_every_tab(window, qtbot):
    window._edit({"speculation.draft_tokens": 4, "prefill.prompt_tokens": 8192})
    window.menus.mark.emit()
    window._edit({"hardware": "geforce-rtx-3090-x2-ddr4-64gb"})
    window.menus.mark.emit()
    for group in window.form.groups:
        group.open_up()
    known = []
    for index in range(window._tab_widget.count()):
        window.show_tab(index)
        qtbot.waitUntil(lambda: window.shown_tab.is_drawn)
        qtbot.wait(100)
        assert unseen(window, known) == [], window._tab_widget.tabText(index)
        known = controls(window)
    assert len(known) > 40


def test_in_the_other_looks_of_the_ranking(window, qtbot):
    window.show_tab(program.RANK)
    qtbot.waitUntil(lambda: window.shown_tab.is_drawn)
    tab, known = window.shown_tab._view, controls(window)
    for changes in ({"look": "map"}, {"look": "value"}):
        tab._choose(changes)
        qtbot.waitUntil(lambda: not tab.ranked.is_preparing, timeout=20_000)
        qtbot.wait(100)
        assert unseen(window, known) == [], changes


def test_in_every_dialog(window, qtbot, monkeypatch, tmp_path):
    imports = window.findChild(program.Imports)
    window.show_tab(program.RANK)
    qtbot.waitUntil(lambda: window.shown_tab.is_drawn)
    for open_it in (
        *dialogs(window, monkeypatch, tmp_path),
        window.shown_tab._view.bar.filter.click,
        window.shown_tab._view.open_prices,
    ):
        open_it()
        qtbot.waitUntil(lambda: not imports._worker.is_busy, timeout=20_000)
        qtbot.wait(100)
        tops = [top for top in QApplication.topLevelWidgets() if top.isVisible()]
        assert len(tops) > 1
        for top in tops:
            if top is not window:
                assert unseen(top) == [], top
                top.close()
        if imports.dialog is not None:
            imports.dialog.done(0)


# The ring


@pytest.fixture
def page(qtbot, theme):
    made = QWidget()
    made.first, made.second, made.third = QPushButton("one"), QPushButton("two"), QLineEdit()
    layout = QVBoxLayout(made)
    for control in (made.first, made.second, made.third):
        layout.addWidget(control)
    qtbot.addWidget(made)
    shown(qtbot, made)
    return made


def shown(qtbot, page):
    with qtbot.waitExposed(page):
        page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)


def ring(window):
    """Where the ring of a window is, None where there is none."""
    rings = [found for found in window.findChildren(FocusRing) if found.isVisible()]
    return rings[0].geometry() if rings else None


def around(control):
    far = AROUND_PX
    return extent(control).adjusted(-far, -far, far, far)


def test_the_mouse_brings_none_and_the_next_key_brings_it(page):
    QTest.mouseClick(page.second, Qt.MouseButton.LeftButton)
    assert page.second.hasFocus() and ring(page) is None
    QTest.keyClick(page.second, Qt.Key.Key_Tab)
    assert ring(page) == around(page.third)
    QTest.mouseClick(page.first, Qt.MouseButton.LeftButton)
    assert ring(page) is None


def test_where_a_shortcut_leads_is_seen(page):
    QTest.mouseClick(page.first, Qt.MouseButton.LeftButton)
    QTest.keyClick(page.first, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    page.second.setFocus()  # as a command does
    assert ring(page) == around(page.second)


def test_it_follows_its_control(page, qtbot):
    QTest.keyClick(page.first, Qt.Key.Key_Tab)
    page.resize(page.width() + 80, page.height() + 60)
    qtbot.waitUntil(lambda: ring(page) == around(page.second))
    page.layout().setContentsMargins(40, 40, 40, 40)
    qtbot.waitUntil(lambda: ring(page) == around(page.second))
    page.second.hide()
    assert ring(page) != around(page.second)
    page.second.setFocus()
    page.second.deleteLater()
    qtbot.wait(20)
    page.resize(page.width() + 10, page.height())
    QTest.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Tab)
    assert ring(page) in (around(page.first), around(page.third))


def test_it_stays_within_what_scrolls(qtbot, theme):
    long = QWidget()
    layout = QVBoxLayout(long)
    for row in range(30):
        layout.addWidget(QPushButton(str(row)))
    area = QScrollArea()
    area.setWidget(long)
    qtbot.addWidget(area)
    area.resize(200, 200)
    shown(qtbot, area)
    QTest.keyClick(QApplication.focusWidget() or area, Qt.Key.Key_Tab)
    QTest.keyClick(QApplication.focusWidget() or area, Qt.Key.Key_Tab)
    control = QApplication.focusWidget()
    assert isinstance(control, QPushButton) and ring(area) == around(control)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    assert ring(area) is None
    area.verticalScrollBar().setValue(0)
    assert ring(area) == around(control)


def test_the_rows_of_an_open_list_mark_themselves(qtbot, theme):
    box = QComboBox()
    box.addItems(["one", "two"])
    page = QWidget()
    QVBoxLayout(page).addWidget(box)
    qtbot.addWidget(page)
    shown(qtbot, page)
    QTest.keyClick(page, Qt.Key.Key_Tab)
    box.showPopup()
    assert ring(box.view().window()) is None
    box.hidePopup()


def test_it_lets_the_mouse_through(page):
    QTest.keyClick(page.first, Qt.Key.Key_Tab)
    edge = around(page.second).topLeft() + QPoint(1, 5)
    assert not isinstance(page.childAt(edge), FocusRing)


def test_a_list_that_is_a_page_of_its_own_has_one(qtbot, theme):
    page, rows = QWidget(), QListWidget()
    rows.addItems(["one", "two"])
    QVBoxLayout(page).addWidget(rows)
    qtbot.addWidget(page)
    shown(qtbot, page)
    QTest.keyClick(rows, Qt.Key.Key_Down)
    rows.clearFocus()
    rows.setFocus()
    assert ring(page) == around(rows)
