"""Nothing moves while somebody types: a message takes a room that is kept for it."""

import pytest
from gui_cases import settle, whole_window
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QTabBar, QWidget

from ourmodels_gui.gui.answered.cards import Card
from ourmodels_gui.gui.fields import NumberField

TEXTS = ("12x", "-3", "9999999999", "1e999", "0", "8k", "64", "")
"""What fails as it is typed, what no scenario holds, what the model or the machine cannot, what
is good, and the default."""


def places(window):
    """Where everything is that one can see: controls, words at them, cards, tabs."""
    found = {}
    for widget in window.findChildren(QWidget):
        is_fixed = widget.focusPolicy() & Qt.FocusPolicy.TabFocus or (
            isinstance(widget, Card | QTabBar) or (isinstance(widget, QLabel) and widget.buddy())
        )
        if is_fixed and widget.isVisible() and widget.window() is window:
            found[widget] = QRect(widget.mapTo(window, QPoint()), widget.size())
    return found


def moved(before, after):
    """What lies elsewhere, in words; a button that comes or goes is no move."""
    return [
        f"{type(widget).__name__} {widget.accessibleName()!r}: {was} -> {now}"
        for widget, was in before.items()
        if (now := after.get(widget)) is not None
        and max(abs(a - b) for a, b in zip(was.getCoords(), now.getCoords(), strict=True)) > 1
        and not (isinstance(widget, QAbstractButton) and was.topLeft() == now.topLeft())
    ]


@pytest.fixture
def window(qtbot, theme, tmp_path, monkeypatch):
    made = whole_window(qtbot, theme, tmp_path, monkeypatch)
    made.resize(1280, 1400)
    made._edit({"speculation.draft_tokens": 4, "prefill.prompt_tokens": 8192})
    for group in made.form.groups:
        group.open_up()
    qtbot.waitUntil(lambda: made.shown_tab.is_drawn)
    settle(made, qtbot)
    qtbot.wait(50)
    return made


class Paints(QObject):
    """The sizes at which a widget is painted."""

    def __init__(self, widget):
        super().__init__(widget)
        self.sizes = []
        widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.sizes.append(watched.size().toTuple())
        return False


def test_a_plot_is_painted_at_one_size_whatever_stands_around_it_then(window, qtbot):
    """Compositions with one and two memories, and with one to four ways of using them."""
    window.resize(1920, 1080)
    ready = [
        f"geforce-rtx-3090-{rest}"
        for rest in ("ddr4-64gb", "x2-ddr4-64gb", "x2-nvlink", "x2-threadripper-256gb", "x2")
    ]
    window._edit({"hardware": ready[-1]})
    qtbot.waitUntil(lambda: window.shown_tab._view.plot is not None)
    paints = Paints(window.shown_tab._view.plot.viewport())
    window.evaluated.connect(lambda _evaluation: paints.sizes.clear())
    heights = set()
    for one in ready:
        window._edit({"hardware": one})
        settle(window, qtbot)
        qtbot.waitUntil(lambda: bool(paints.sizes))
        qtbot.wait(50)
        assert len(set(paints.sizes)) == 1, one
        heights |= set(paints.sizes)
    assert len(heights) > 1


def keys(window):
    return [
        (group, key)
        for group in window.form.groups
        for key in group.keys
        if isinstance(group.field(key), NumberField) and group.field(key).isVisible()
    ]


def test_while_numbers_are_typed(window, qtbot):
    said = set()
    for group, key in keys(window):
        field = group.field(key)
        for text in TEXTS:
            before = places(window)
            field.setFocus()
            field.selectAll()
            QTest.keyClick(field, Qt.Key.Key_Delete)
            for letter in text:
                QTest.keyClick(field, letter)
                assert moved(before, places(window)) == [], (key, text)
            QTest.keyClick(field, Qt.Key.Key_Return)
            settle(window, qtbot)
            qtbot.wait(5)
            assert moved(before, places(window)) == [], (key, text, group.told(key))
            said.add(group.told(key))
            if not field.isVisible():
                break  # the group was switched off
    assert len(said) > 5


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_when_a_problem_or_a_notice_comes_and_goes(window, qtbot, size):
    window.resize(*size)
    qtbot.wait(20)
    before = places(window)
    hardware = window._store.scenario.hardware
    window._edit({"hardware": "gone-by-now"})
    settle(window, qtbot)
    qtbot.wait(20)
    assert "gone-by-now" in window.bar.said and window.bar.isVisible()
    after = places(window)
    tabs = window._tab_widget.tabBar()
    assert after[tabs] == before[tabs]
    cards = [card for card in before if isinstance(card, Card)]
    assert len(cards) == 4 and all(after[card] == before[card] for card in cards)
    window._edit({"hardware": hardware})
    settle(window, qtbot)
    qtbot.wait(20)
    assert moved(before, places(window)) == [] and window.title.isVisible()
    window.bar.say("The file cannot be read: " + "it ends too early, " * 60)
    qtbot.wait(20)
    assert moved(before, places(window)) == []
    assert window.bar.said.strip() in window.bar.words.toolTip()
    window.bar.say("")
    assert moved(before, places(window)) == [] and window.title.isVisible()


def test_a_notice_is_as_wide_as_the_title_whatever_the_window_did_meanwhile(window, qtbot):
    window.hide()
    window.bar.say("Restored what was not saved when the program ended.")
    window.resize(1400, 900)
    window.show()
    qtbot.waitUntil(lambda: window.bar.width() == window.title.width() > 500)
    assert window.bar.words.text() == window.bar.said
    window.resize(1100, 800)
    qtbot.waitUntil(lambda: window.bar.width() == window.title.width() < 900)
    covered = window.bar.geometry().contains(window.title.geometry())
    assert covered and window.bar.isVisible()
