"""The window as people get it, with every tab: flows by key and by mouse, names, what is drawn."""

import pytest
from gui_cases import forget_changes, preferences, settle, tab_to, whole_window
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QTabBar,
    QTabWidget,
    QWidget,
)

from ourmodels_gui import app as program
from ourmodels_gui import scenario as files
from ourmodels_gui.gui import typed
from ourmodels_gui.gui.answered.cards import Figure
from ourmodels_gui.gui.fields import NumberField
from ourmodels_gui.gui.guide import GUIDES, Guide
from ourmodels_gui.gui.tabs.derivation import WorkingWindow
from ourmodels_gui.gui.tabs.traffic_tab import TrafficTab

TITLES = [
    *("Decode", "Prefill", "Memory traffic", "Cache", "Speculation"),
    *("Rank", "Find", "Compare", "Evidence"),
]
"""The tabs in order; those that tell of one machine and model come first."""
CONTROLS = (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QAbstractItemView)
FLOOR, BATCH = "workload.floor_tokens_per_s", "workload.batch"
RESERVED = "workload.reserved_context_tokens"


@pytest.fixture
def window(qtbot, theme, tmp_path, monkeypatch):
    return whole_window(qtbot, theme, tmp_path, monkeypatch)


def raise_tab(window, qtbot, title):
    tabs = window._tab_widget
    tabs.setCurrentIndex(TITLES.index(title))
    qtbot.waitUntil(lambda: window.shown_tab._view is not None)
    qtbot.waitUntil(lambda: window.shown_tab._waiting is None)
    qtbot.waitUntil(window.shown_tab._view.isVisible)
    return window.shown_tab._view


def focused(kind):
    found = QApplication.focusWidget()
    assert isinstance(found, kind), found
    return found


def test_the_tabs_are_there_in_order(window):
    tabs = window._tab_widget
    titles = [tabs.tabText(index) for index in range(tabs.count())]
    assert titles[: len(TITLES)] == TITLES
    assert set(GUIDES) == set(titles)


def test_a_whole_flow_by_keyboard_alone(window, qtbot, library):
    """Search a machine, then a model, type a floor, read the working, raise a tab, force a batch,
    take everything back."""
    start = window._store.scenario
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(focused(QLineEdit), "rtx 4090")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    settle(window, qtbot)
    assert "4090" in library.machines[window._store.scenario.hardware].name
    QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    floor = tab_to(window, lambda it: it.property("key") == FLOOR)
    QTest.keyClicks(floor, "33")
    QTest.keyClick(floor, Qt.Key.Key_Return)
    settle(window, qtbot)
    assert window._store.scenario.workload.floor_tokens_per_s == 33
    figure = tab_to(window, lambda it: isinstance(it, Figure))
    QTest.keyClick(figure, Qt.Key.Key_Space)
    opened = window.findChild(WorkingWindow)
    assert "C - W_resident - O" in opened.text.toPlainText()
    QTest.keyClick(opened.text, Qt.Key.Key_Escape)
    window.activateWindow()  # as a window manager does when a popup closes
    qtbot.waitUntil(lambda: QApplication.focusWidget() is figure)
    bar = tab_to(window, lambda it: it is window._tab_widget.tabBar())
    QTest.keyClick(bar, Qt.Key.Key_Right)
    QTest.keyClick(bar, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: window.findChild(TrafficTab) is not None)
    boards = window.findChild(TrafficTab)
    qtbot.waitUntil(boards.isVisible)
    field = tab_to(window, lambda it: it is boards.controls.batch)
    QTest.keyClicks(field, "2")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(window, qtbot)
    assert window._store.scenario.workload.batch == 2
    for _ in range(3):
        QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        settle(window, qtbot)
    assert window._store.scenario == start


def click(widget, at=None):
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=at or widget.rect().center())


def test_a_whole_flow_by_mouse_alone(window, qtbot):
    """Choose a model in the list, drag a slider, choose a cache format, compare with a draft, put
    a hint away."""
    listed = window.models.findChild(QAbstractItemView)
    before = window._store.scenario.model.id
    rows = [listed.model().index(row, 0) for row in range(listed.model().rowCount())]
    other = next(
        index
        for index in rows
        if listed.visualRect(index).isValid()
        and 0 < listed.visualRect(index).center().y() < listed.viewport().height()
        and index != listed.currentIndex()
    )
    click(listed.viewport(), listed.visualRect(other).center())
    settle(window, qtbot)
    assert window._store.scenario.model.id != before
    slider = window.form.workload.slider(RESERVED)
    click(slider, QPoint(slider.width() // 3, slider.height() // 2))
    settle(window, qtbot)
    assert window._store.scenario.workload.reserved_context_tokens is not None
    cache = raise_tab(window, qtbot, "Cache")
    click(cache.formats[3])
    settle(window, qtbot)
    assert window._store.scenario.workload.cache_format == cache.formats[3].name
    draft = raise_tab(window, qtbot, "Speculation")
    click(draft.controls.on)
    settle(window, qtbot)
    assert window._store.scenario.speculation.draft_tokens == 4
    hint = window._tab_widget.currentWidget().findChild(Guide)
    click(hint.close_button)
    assert hint.isHidden()
    assert window.preferences.settings.hints_put_away == ("Speculation",)


def test_every_shown_tab_shows_the_answer_of_the_scenario(window, qtbot):
    for title in TITLES:
        raise_tab(window, qtbot, title)
        window._edit({FLOOR: 10 + TITLES.index(title)})
        settle(window, qtbot)
        for tab, name in zip(window._tabs, TITLES, strict=False):
            waiting = tab._waiting
            assert (waiting is None) == (name == title)


class Paints(QObject):
    """Keeps every widget that is painted."""

    def __init__(self, widgets):
        super().__init__()
        self.seen = []
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.seen.append(watched)
        return False


def test_nothing_on_a_hidden_tab_is_drawn_and_nothing_there_moves(window, qtbot):
    boards = None
    for title in TITLES:
        view = raise_tab(window, qtbot, title)
        boards = view if title == "Memory traffic" else boards
    raise_tab(window, qtbot, "Decode")
    hidden = [tab for tab in window._tabs if tab is not window.shown_tab]
    watched = Paints(child for tab in hidden for child in tab.findChildren(QWidget))
    elapsed = boards.elapsed_s
    for reserved in (20_000, 30_000, 40_000):
        window._edit({RESERVED: reserved})
        settle(window, qtbot)
        qtbot.wait(60)
    assert watched.seen == []
    assert not boards.is_moving
    assert boards.elapsed_s == elapsed
    assert all(tab._waiting is not None for tab in hidden)


@pytest.mark.parametrize("title", TITLES)
def test_a_half_typed_number_survives_edits_elsewhere(window, qtbot, title):
    raise_tab(window, qtbot, title)
    fields = [
        field
        for field in window.findChildren(NumberField)
        if field.isVisible() and field.isEnabled() and field.property("key") != FLOOR
    ]
    assert len(fields) >= 3
    for field in fields:
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, "7")
        for floor in (11.0, 12.0):
            window._edit({FLOOR: floor})
            settle(window, qtbot)
        assert field.text() == "7", field.accessibleName()
        QTest.keyClick(field, Qt.Key.Key_Escape)


def wheel(widget):
    at = QPointF(widget.rect().center())
    event = QWheelEvent(
        at,
        QPointF(widget.mapToGlobal(at.toPoint())),
        QPoint(0, -120),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def test_the_wheel_changes_no_value_without_focus(window, qtbot):
    for title in TITLES:
        raise_tab(window, qtbot, title)
        before = window._store.scenario
        bar = window._tab_widget.tabBar()
        bar.setFocus()
        for control in window.findChildren(QWidget):
            changes = isinstance(control, QComboBox | QAbstractSlider | QLineEdit)
            if changes and control.isVisible() and not isinstance(control, QScrollBar):
                wheel(control)
        settle(window, qtbot)
        assert window._store.scenario == before, title
        assert window._tab_widget.currentIndex() == TITLES.index(title)


def name_of(control):
    """What a screen reader says of a control, its buddy's text included."""
    if control.accessibleName():
        return control.accessibleName()
    labels = control.window().findChildren(QLabel)
    buddy = next((label for label in labels if label.buddy() is control), None)
    return buddy.text() if buddy else getattr(control, "text", str)()


def test_every_control_of_the_whole_window_has_a_name(window, qtbot):
    window._edit({"speculation.draft_tokens": 4, "speculation.acceptance": 0.7})
    settle(window, qtbot)
    for group in window.form.groups:
        group.open_up()
    seen = 0
    for title in TITLES:
        raise_tab(window, qtbot, title)
        for control in window.findChildren(QWidget):
            asked = isinstance(control, CONTROLS) or control.focusPolicy() & Qt.FocusPolicy.TabFocus
            inner = isinstance(
                control, QScrollBar | QTabBar | QHeaderView
            ) or control.objectName().startswith("qt_")
            inner = inner or hasattr(control, "tabBar") or control.focusProxy() is not None
            inner = inner or isinstance(control.parent(), QGraphicsView | QComboBox)
            if asked and control.isVisible() and not inner:
                seen += 1
                assert name_of(control).strip(), (title, control, control.parent())
    assert seen > 100


def heard(part):
    """The parts in sight that a screen reader finds, those inside tables and lists left out."""
    yield part
    if part.role() not in (QAccessible.Role.Table, QAccessible.Role.List, QAccessible.Role.Tree):
        for inner in filter(None, map(part.child, range(part.childCount()))):
            if not inner.state().invisible:
                yield from heard(inner)


def test_a_screen_reader_finds_a_name_for_every_part_and_a_figure_for_every_slider(window, qtbot):
    for group in window.form.groups:
        group.open_up()
    sliders = 0
    for title in TITLES:
        raise_tab(window, qtbot, title)
        settle(window, qtbot)
        parts = list(heard(QAccessible.queryAccessibleInterface(window)))
        asked = [part for part in parts[1:] if part.state().focusable]
        assert len(asked) > 30
        for part in asked:
            widget = part.object()
            canvas = widget is not None and isinstance(widget.parent(), QGraphicsView)
            if canvas or isinstance(widget, QTabWidget):
                continue  # the bar and the pages are heard, and the plot around its canvas
            assert part.text(QAccessible.Text.Name).strip(), (title, part.role(), widget)
            if part.role() == QAccessible.Role.Slider:
                sliders += 1
                said = part.text(QAccessible.Text.Description)
                assert typed.number(said) is not None, part.text(QAccessible.Text.Name)
    assert sliders > 30


def test_every_field_has_a_label_as_its_buddy(window, qtbot):
    for group in window.form.groups:
        group.open_up()
    for title in TITLES:
        raise_tab(window, qtbot, title)
        buddies = {label.buddy() for label in window.findChildren(QLabel) if label.buddy()}
        for field in window.findChildren(QWidget):
            if not isinstance(field, NumberField | QComboBox) or not field.isVisible():
                continue
            beside = field is not getattr(
                getattr(window.findChild(TrafficTab), "controls", None), "share", None
            )
            if beside and not isinstance(field.parent(), QComboBox):
                assert field in buddies, (title, field.accessibleName())


def test_every_field_says_what_it_is_for(window, qtbot):
    for title in TITLES:
        raise_tab(window, qtbot, title)
        for field in window.findChildren(QWidget):
            wanted = isinstance(field, NumberField | QAbstractSlider) and field.isVisible()
            if wanted and not isinstance(field, QScrollBar):
                assert field.toolTip() or field.accessibleDescription(), field.accessibleName()


def test_a_hint_stands_above_each_tab_until_it_is_put_away(window, qtbot, theme, tmp_path):
    for title in TITLES:
        raise_tab(window, qtbot, title)
        assert window._tab_widget.currentWidget().findChild(Guide).words.text() == GUIDES[title]
    again = program.build(theme, preferences(tmp_path, hints_put_away=("Cache",)))
    qtbot.addWidget(again, before_close_func=forget_changes)
    tabs = again._tab_widget
    with qtbot.waitExposed(again):
        again.show()
    raise_tab(again, qtbot, "Cache")
    assert tabs.currentWidget().findChild(Guide) is None
    assert tabs.tabToolTip(TITLES.index("Cache")) == GUIDES["Cache"]


def test_any_text_of_a_working_can_be_copied(window, qtbot):
    for title in ("Decode", "Cache"):
        view = raise_tab(window, qtbot, title)
        table = view.figures.table
        for row in range(table.figures.rowCount()):
            table.selectRow(row)
            shown = view.figures.shown()
            head = table.figures.rows[row][0].value is None
            assert bool(shown) != head
        assert view.figures.findChild(QPlainTextEdit).isReadOnly()


def test_the_first_run_is_an_answer(window):
    evaluation = window._recompute._evaluate(window._store.scenario, window._store.library)
    assert evaluation.result.decode.verdict == "serves"
    assert evaluation.result.prefill.time_s > 0
    assert files.read(files.write(window._store.scenario)) == window._store.scenario


def test_the_tab_key_goes_from_what_is_asked_to_what_is_answered(window, qtbot):
    boards = raise_tab(window, qtbot, "Memory traffic")
    bar = window._tab_widget.tabBar()
    reached, part = [], bar
    for _ in range(1000):
        part = part.nextInFocusChain()
        if part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.isVisible():
            reached.append(part)
        if part is bar:
            break
    figures = [part for part in reached if isinstance(part, Figure)]
    use = window.form.workload.preset.choice
    floor = window.form.workload.field(FLOOR)
    wanted = (boards.controls.batch, use, floor, *figures, bar)
    places = [reached.index(part) for part in wanted]
    assert places == sorted(places)
    assert len(figures) == 4
