"""Several machines in the machine's panel: by key and by mouse, what is told where, and undo."""

import pytest
from gui_cases import forget_changes, settle, tab_to, whole_window
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QInputDialog, QMessageBox

from ourmodels_gui import scenario as files
from ourmodels_gui.composed import ComposedHardware
from ourmodels_gui.gui.asked.assembly import HOST
from ourmodels_gui.gui.asked.part_row import PartName
from ourmodels_gui.gui.asked.rows import RowModel
from ourmodels_gui.gui.asked.together_group import GROUPS, LINK, POOLS, SPLIT
from ourmodels_gui.gui.guide import explained
from ourmodels_gui.gui.tabs.ways_table import WaysTable
from ourmodels_gui.scenario import ModelRef, PrefillChoice, Scenario

CARD, OTHER = "geforce-rtx-3090", "geforce-rtx-4090"
START = Scenario(CARD, ModelRef("qwen3-32b", "q4_k_m"), prefill=PrefillChoice())


@pytest.fixture
def window(qtbot, theme, tmp_path, monkeypatch):
    made = whole_window(qtbot, theme, tmp_path, monkeypatch)
    made._store.open(START)
    settle(made, qtbot)
    return made


def hardware(window):
    return window._store.scenario.hardware


def add(window, qtbot, words):
    """Choose a command of the menu under +, by key."""
    window.machines.plus.setFocus()
    QTest.keyClick(window.machines.plus, Qt.Key.Key_Space)
    menu = window.machines.menu
    qtbot.waitUntil(menu.isVisible)
    action = next(one for one in menu.actions() if one.isVisible() and words in one.text())
    for _ in menu.actions():
        if menu.activeAction() is not action:
            QTest.keyClick(menu, Qt.Key.Key_Down)
    assert menu.activeAction() is action
    QTest.keyClick(menu, Qt.Key.Key_Return)
    window.activateWindow()  # as a window manager does when a popup closes
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    settle(window, qtbot)


def panel(window):
    return window.machines._panel


def retype(field, text):
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def pick(window, qtbot, words):
    """Search and choose, by key."""
    window.machines.focus_search()
    QTest.keyClicks(window.machines.search, words)
    QTest.keyClick(window.machines.search, Qt.Key.Key_Return)
    settle(window, qtbot)


def test_one_machine_has_no_parts_in_sight(window):
    assert not window.machines.is_composed
    assert window.asked.sizes()[0] < 240


def test_two_cards_by_keyboard_and_back_to_one(window, qtbot):
    before = window.asked.sizes()
    add(window, qtbot, "2 x GeForce RTX 3090")
    assert hardware(window).devices[0].count == 2
    assert hardware(window).link == "pcie-4-x16"
    count = tab_to(window, lambda it: it is panel(window).rows[0].count)
    retype(count, "4")
    settle(window, qtbot)
    assert hardware(window).devices[0].count == 4
    assert window.machines.chosen_name == "4 x GeForce RTX 3090"
    assert window.title.accessibleName().startswith("4 x GeForce RTX 3090")
    retype(count, "1")
    settle(window, qtbot)
    assert hardware(window) == CARD
    assert not window.machines.is_composed
    assert window.asked.sizes() == before
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(window, qtbot)
    assert isinstance(hardware(window), ComposedHardware)


def test_the_tab_key_goes_through_the_parts_before_the_list(window, qtbot):
    add(window, qtbot, "Add system memory")
    window.machines.evidence.setFocus()
    seen = []
    for _ in range(60):
        seen.append(QApplication.focusWidget())
        if seen[-1] is window.machines.view:
            break
        QTest.keyClick(seen[-1], Qt.Key.Key_Tab)
    parts = panel(window)
    wanted = [
        parts.rows[0].count,
        parts.rows[0].name,
        parts.host.name,
        parts.host.take_away,
        parts.host_fields.memory,
        parts.host_fields.bandwidth,
        parts.together.field(LINK),
        parts.together.field(POOLS),
    ]
    order = [seen.index(widget) for widget in wanted]
    assert order == sorted(order)
    assert seen[-1] is window.machines.view


@pytest.mark.parametrize("text", ["0", "1.5", "-2", "10000", "two", "1e999"])
def test_a_number_that_cannot_be_is_answered_in_its_place(window, qtbot, text):
    add(window, qtbot, "2 x")
    count = panel(window).rows[0].count
    retype(count, text)
    settle(window, qtbot)
    assert hardware(window).devices[0].count == 2
    assert count.text() == text
    assert panel(window).error.isVisible()
    assert panel(window).error.text() == "write a whole number of devices, from 1 to 1,024"
    retype(count, "3")
    settle(window, qtbot)
    assert panel(window).error.isHidden()


def test_too_many_devices_together_are_answered_in_their_place(window, qtbot):
    add(window, qtbot, "2 x")
    add(window, qtbot, "another kind")
    pick(window, qtbot, "rtx 4090")
    retype(panel(window).rows[0].count, "1000")
    settle(window, qtbot)
    retype(panel(window).rows[1].count, "1000")
    settle(window, qtbot)
    assert "2,000 devices together" in panel(window).error.text()
    assert hardware(window).devices[1].count is None
    assert panel(window).rows[1].count.text() == "1,000"  # to be corrected
    assert window.bar.isHidden()


@pytest.mark.parametrize("text", ["0", "-3", "fast", "0 GB/s"])
def test_a_link_that_cannot_be_is_answered_in_its_place(window, qtbot, text):
    add(window, qtbot, "2 x")
    link = panel(window).together.field(LINK)
    link.setFocus()
    link.lineEdit().selectAll()
    QTest.keyClicks(link.lineEdit(), text)
    QTest.keyClick(link.lineEdit(), Qt.Key.Key_Return)
    settle(window, qtbot)
    assert "GB/s" in panel(window).together.told(LINK)
    assert hardware(window).link == "pcie-4-x16"


def test_a_link_by_its_name_and_by_its_speed(window, qtbot):
    add(window, qtbot, "2 x")
    link = panel(window).together.field(LINK)
    assert link.currentText() == "PCIe 4.0 x16, 31.5 GB/s"
    link.setFocus()
    link.lineEdit().selectAll()
    QTest.keyClicks(link.lineEdit(), "200 Gbit/s")
    QTest.keyClick(link.lineEdit(), Qt.Key.Key_Return)
    settle(window, qtbot)
    assert hardware(window).link == 25.0
    assert link.currentText() == "25 GB/s"
    link.setCurrentIndex(link.findData("nvlink-3-bridge-ga102"))
    link.activated.emit(link.currentIndex())
    settle(window, qtbot)
    assert hardware(window).link == "nvlink-3-bridge-ga102"
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(window, qtbot)
    assert hardware(window).link == 25.0
    assert link.currentText() == "25 GB/s"


def choose(field, value):
    values = [known for known, _ in field._choices]
    field.setCurrentIndex(values.index(value))
    field.activated.emit(field.currentIndex())


def test_only_what_applies_is_shown(window, qtbot):
    add(window, qtbot, "2 x")
    group = panel(window).together
    shown = {key: group.field(key).isVisible() for key in (LINK, SPLIT, GROUPS, POOLS)}
    assert shown == {LINK: True, SPLIT: True, GROUPS: True, POOLS: False}
    assert panel(window).placement.isHidden()
    choose(group.field(SPLIT), "tensor")
    settle(window, qtbot)
    assert group.field(GROUPS).isHidden()
    add(window, qtbot, "system memory")
    assert group.field(POOLS).isVisible()
    assert panel(window).placement.isVisible()
    assert group.field(SPLIT).value() == "tensor"


def test_too_many_groups_are_answered_in_their_place(window, qtbot):
    add(window, qtbot, "2 x")
    group = panel(window).together
    retype(group.field(GROUPS), "9")
    settle(window, qtbot)
    assert "at most the number of devices" in group.told(GROUPS)
    retype(group.field(GROUPS), "1")
    settle(window, qtbot)
    assert hardware(window).groups == 1
    assert not group.told(GROUPS)


def test_system_memory_is_chosen_in_the_list_of_memories(window, qtbot, library):
    add(window, qtbot, "system memory")
    assert library.machines[hardware(window).host_memory].kind == "cpu"
    listed = window.machines.model
    kinds = {
        library.machines[listed.index(n).data(RowModel.RowRole).id].kind
        for n in range(listed.rowCount())
    }
    assert kinds == {"cpu"}
    pick(window, qtbot, "epyc 9005 6400 768gb")
    assert hardware(window).host_memory.startswith("amd-epyc-9005")
    QTest.mouseClick(panel(window).rows[0].name, Qt.MouseButton.LeftButton)
    window.machines.search.clear()
    assert window.machines.model.chosen == {}
    pick(window, qtbot, "rtx 4090")
    assert hardware(window).devices[0].id == OTHER
    assert hardware(window).host_memory.startswith("amd-epyc-9005")


def test_system_memory_as_typed_by_channels_and_speed(window, qtbot):
    add(window, qtbot, "system memory")
    fields = panel(window).host_fields
    retype(fields.bandwidth, "8 x 4800")
    settle(window, qtbot)
    retype(fields.memory, "64")
    settle(window, qtbot)
    typed = hardware(window).host_memory
    assert typed.bandwidth_gb_per_s == pytest.approx(307.2)
    assert typed.memory_gb == pytest.approx(64 * 2**30 / 1e9)
    assert fields.memory.text() == "64"
    retype(fields.memory, "0")
    settle(window, qtbot)
    assert panel(window).error.text() == "write a size above 0"
    assert hardware(window).host_memory == typed


def test_another_kind_is_chosen_in_the_list_and_taken_away_again(window, qtbot):
    add(window, qtbot, "another kind")
    rows = panel(window).rows
    assert rows[1].isVisible()
    assert not rows[1].count.isEnabled()
    assert hardware(window) == CARD  # nothing is chosen yet
    pick(window, qtbot, "rtx 4090")
    assert [device.id for device in hardware(window).devices] == [CARD, OTHER]
    QTest.mouseClick(rows[0].take_away, Qt.MouseButton.LeftButton)
    settle(window, qtbot)
    assert hardware(window) == OTHER
    assert not window.machines.is_composed


def test_escape_gives_up_adding_a_kind(window, qtbot):
    add(window, qtbot, "another kind")
    QTest.keyClick(window.machines.search, Qt.Key.Key_Escape)
    assert not window.machines.is_composed
    assert hardware(window) == CARD


def test_a_ready_composition_shows_its_parts_and_becomes_ones_own(window, qtbot, library):
    pick(window, qtbot, "2 x geforce rtx 3090")
    ready = library.compositions[hardware(window)]
    assert window.machines.chosen_name == ready.name
    assert panel(window).rows[0].count.text() == "2"
    retype(panel(window).rows[0].count, "3")
    settle(window, qtbot)
    assert hardware(window).devices[0].count == 3
    assert hardware(window).name == ""


def test_the_list_replaces_a_ready_composition_until_a_part_of_it_is_marked(window, qtbot):
    pick(window, qtbot, "2 x geforce rtx 3090")
    ready = hardware(window)
    assert window.machines._delegate.chosen == ready
    pick(window, qtbot, "2 x geforce rtx 3090")
    assert not any(row.name.isChecked() for row in panel(window).rows)
    pick(window, qtbot, "rtx 4090")
    assert hardware(window) == "geforce-rtx-4090"
    pick(window, qtbot, "2 x geforce rtx 3090")
    QTest.mouseClick(panel(window).rows[0].name, Qt.MouseButton.LeftButton)
    pick(window, qtbot, "rtx 4090")
    (device,) = hardware(window).devices
    assert (device.count, device.id) == (2, "geforce-rtx-4090")


def test_the_parts_are_kept_as_a_machine_of_ones_own(window, qtbot, monkeypatch):
    add(window, qtbot, "2 x")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("The two in the cellar", True))
    add(window, qtbot, "Keep as a machine")
    kept = hardware(window)
    entry = window._store.library.compositions[kept]
    assert entry.yours
    assert window.machines.chosen_name == "The two in the cellar"
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("Upstairs now", True))
    window.machine_asked.emit("edit")
    settle(window, qtbot)
    assert window.machines.chosen_name == "Upstairs now"
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Discard)
    window.machine_asked.emit("delete")
    settle(window, qtbot)
    assert kept not in window._store.library.compositions
    assert hardware(window).devices[0].count == 2  # still in use, written out


def test_a_composition_is_saved_and_opened(window, qtbot, tmp_path):
    add(window, qtbot, "2 x")
    add(window, qtbot, "system memory")
    path = tmp_path / f"hybrid{files.SUFFIX}"
    window.document.path = path
    window.document.save()
    made = hardware(window)
    window._store.open(START)
    settle(window, qtbot)
    assert not window.machines.is_composed
    forget_changes(window)
    window.document.open(path)
    settle(window, qtbot)
    assert hardware(window) == made
    assert panel(window).host.isVisible()


def test_every_control_of_the_parts_has_a_name_and_a_hint(window, qtbot):
    add(window, qtbot, "2 x")
    add(window, qtbot, "system memory")
    for widget in panel(window).in_order():
        if widget.isVisible() and widget.focusProxy() is None:
            named = widget.accessibleName() or (
                isinstance(widget, QAbstractButton) and widget.text()
            )
            assert named, widget
            assert explained(widget), widget
    name = panel(window).rows[0].name
    assert isinstance(name, PartName)
    assert name.accessibleName() == "GeForce RTX 3090, 24 GiB · 936 GB/s"


def test_the_place_of_a_part_that_is_gone_is_the_first(window, qtbot):
    add(window, qtbot, "system memory")
    assert window.machines._place == HOST
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(window, qtbot)
    assert hardware(window) == CARD
    assert window.machines._place == 0
    assert not window.machines.is_composed


def test_a_chosen_way_is_followed_by_the_whole_window(window, qtbot, library):
    """A ready composition becomes one's own; its panel, the cards and the figures follow."""
    pick(window, qtbot, "2 x dgx spark")
    ready = hardware(window)
    assert ready in library.compositions
    window._store.edit({"model": {"id": "gpt-oss-120b"}})
    settle(window, qtbot)
    table = window.findChild(WaysTable)
    qtbot.waitUntil(lambda: table.isVisible() and table.figures.marked == {0})
    names = [row[0].value for row in table.figures.rows]
    row = names.index("layer split, one device at a time")
    figure = table.figures.rows[row][3]
    table.setFocus()
    table.setCurrentIndex(table.model().index(row, 0))
    QTest.keyClick(table, Qt.Key.Key_Return)
    settle(window, qtbot)
    assert (hardware(window).split, hardware(window).groups) == (None, 1)
    assert panel(window).together.field(GROUPS).text() == "1"
    assert window.answers._view.cards[2].text.figure == figure.text
    assert table.figures.marked == {row}
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(window, qtbot)
    assert hardware(window) == ready


def test_a_flow_by_mouse_alone(window, qtbot, library):
    """A second card, system memory, another memory from the list, one memory at a time, and the
    system memory gone again."""

    def click(widget, at=None):
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at or widget.rect().center())
        settle(window, qtbot)

    def command(words):
        click(window.machines.plus)
        menu = window.machines.menu
        qtbot.waitUntil(menu.isVisible)
        action = next(one for one in menu.actions() if one.isVisible() and words in one.text())
        click(menu, menu.actionGeometry(action).center())
        window.activateWindow()

    command("2 x GeForce RTX 3090")
    command("Add system memory")
    assert hardware(window).devices[0].count == 2
    first = hardware(window).host_memory
    view = window.machines.view
    listed = [view.model().index(row, 0) for row in range(view.model().rowCount())]
    seen = [one for one in listed if view.viewport().rect().contains(view.visualRect(one))]
    other = next(one for one in seen if one.data(RowModel.RowRole).id != first)
    click(view.viewport(), view.visualRect(other).center())
    assert hardware(window).host_memory == other.data(RowModel.RowRole).id
    table = window.findChild(WaysTable)
    qtbot.waitUntil(lambda: len(table.figures.rows) == 3)
    click(table.viewport(), table.visualRect(table.model().index(1, 0)).center())
    assert hardware(window).pools == "sequential"
    assert panel(window).together.field(POOLS).value() == "sequential"
    click(panel(window).host.take_away)
    assert hardware(window).host_memory is None
    assert hardware(window).pools is None
