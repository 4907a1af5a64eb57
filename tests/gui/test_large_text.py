"""Text of up to twice its size, in both languages: at 1280 x 800 nothing is cut or out of reach."""

from collections.abc import Iterator

import pytest
from cut_off import cut_off
from gui_cases import dialogs, preferences
from PySide6.QtCore import QCoreApplication, QLocale, QSize
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ourmodels_gui import app as program
from ourmodels_gui import language, paths
from ourmodels_gui.gui import theme as looks
from ourmodels_gui.gui.qt_theme import Theme
from ourmodels_gui.gui.speech import speak
from ourmodels_gui.gui.theme import px

SCREEN = QSize(1280, 800)
STEP_MS, STEPS = 20, 25


@pytest.fixture(params=[(percent, code) for percent in (100, 150, 200) for code in ("en", "de")],
                ids=lambda it: f"{it[0]} % {it[1]}")  # fmt: skip
def window(request, qtbot, theme, tmp_path, monkeypatch) -> Iterator[QWidget]:
    qapp = QApplication.instance()
    percent, code = request.param
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path))
    monkeypatch.setattr(
        looks, "on_screen", lambda _window, *size: QSize(*map(px, size)).boundedTo(SCREEN)
    )
    qapp.processEvents()
    font, locale = qapp.font(), QLocale()
    words = speak(qapp, code)
    large = Theme(qapp, percent)
    large.choose("light")
    made = program.build(large, preferences(tmp_path))

    def leave(it):
        it.document._saved = it._store.scenario

    qtbot.addWidget(made, before_close_func=leave)
    with qtbot.waitExposed(made):
        made.show()
    made.resize(SCREEN)
    qtbot.waitUntil(lambda: made.answers.is_drawn)
    yield made
    if words is not None:
        QCoreApplication.removeTranslator(words)
    language.use("en")
    QLocale.setDefault(locale)
    large.deleteLater()
    qapp.setFont(font)
    theme._shown = None
    theme.choose(theme.choice)


def assert_whole(qtbot, widget, of=""):
    """Nothing in it is cut off, and the screen has room for it."""
    for _ in range(STEPS):  # what was just made finds its place
        qtbot.wait(STEP_MS)
        if not (faults := cut_off(widget)):
            break
    assert faults == [], of
    for size in (widget.size(), widget.minimumSizeHint()):
        assert size.boundedTo(SCREEN) == size, (of, widget, size)


def tabs(window, qtbot):
    row = window._tab_widget
    for index in range(row.count()):
        row.setCurrentIndex(index)
        qtbot.waitUntil(lambda: window.shown_tab.is_drawn)
        qtbot.waitUntil(window.shown_tab._view.isVisible)
        yield row.tabText(index), window.shown_tab._view


def opened(window):
    return [top for top in QApplication.topLevelWidgets() if top.isVisible() and top is not window]


def test_every_tab_and_dialog(window, qtbot, monkeypatch, tmp_path):
    window._edit({"speculation.draft_tokens": 4, "prefill.prompt_tokens": 8192})
    window.menus.mark.emit()
    window._edit({"hardware": "geforce-rtx-4090"})
    window.menus.mark.emit()
    for title, view in tabs(window, qtbot):
        if title in ("Evidence", "Messungen"):
            qtbot.waitUntil(lambda view=view: bool(view.published._nearest), timeout=20_000)
        if title in ("Rank", "Rangliste"):
            qtbot.waitUntil(lambda view=view: not view.ranked.is_preparing, timeout=20_000)
        assert_whole(qtbot, window, title)
    for open_it in dialogs(window, monkeypatch, tmp_path):
        open_it()
        imports = window.findChild(program.Imports)
        qtbot.waitUntil(lambda imports=imports: not imports._worker.is_busy, timeout=20_000)
        qtbot.waitUntil(lambda: bool(opened(window)))
        for top in opened(window):
            assert_whole(qtbot, top)
            top.close()
        if imports.dialog is not None:
            imports.dialog.done(0)


def test_parts_of_a_composition_and_every_group(window, qtbot):
    window._edit({"hardware": "geforce-rtx-3090-x2-ddr4-64gb"})
    window._edit({"speculation.draft_tokens": 4, "workload.batch": 2})
    for group in window.form.groups:
        group.open_up()
    assert_whole(qtbot, window)


# The instrument itself


def shown(qtbot, *parts):
    page = QWidget()
    layout = QVBoxLayout(page)
    for part in parts:
        layout.addWidget(part)
    qtbot.addWidget(page)
    page.resize(400, 300)
    page.show()
    return page


def test_it_finds_nothing_where_all_is_in_place(qtbot):
    choice = QComboBox()
    choice.addItems(["one", "another"])
    assert cut_off(shown(qtbot, QLabel("some words"), QPushButton("do it"), choice)) == []


@pytest.mark.parametrize("kind", [QLabel, QPushButton])
def test_it_finds_words_without_room(qtbot, kind):
    part = kind("words that are far too long for so small a place")
    part.setFixedWidth(100)
    page = shown(qtbot, part)
    (fault,) = cut_off(page)
    assert "needs" in fault
    part.setToolTip(part.text())
    assert cut_off(page) == []  # the whole of it is on hover


def test_it_finds_a_choice_without_room(qtbot):
    choice = QComboBox()
    choice.addItem("a choice that is far too long for so small a field")
    choice.setFixedWidth(90)
    (fault,) = cut_off(shown(qtbot, choice))
    assert "the choice" in fault


def test_it_finds_what_lies_over_another_and_beyond_the_edge(qtbot):
    one, other = QLabel("one of two"), QLabel("the other one")
    page = shown(qtbot)
    for part in (one, other):
        part.setParent(page)
        part.setGeometry(10, 10, 120, 20)
        part.show()
    assert any("lie over each other" in fault for fault in cut_off(page))
    one.move(-40, 60)
    other.move(10, 100)
    assert any("lies at -40,60" in fault for fault in cut_off(page))


def test_it_finds_words_that_wrap_below_the_edge(qtbot):
    words = QLabel("many words that wrap into more lines than there is height for, " * 4)
    words.setWordWrap(True)
    words.setFixedSize(200, 30)
    (fault,) = cut_off(shown(qtbot, words))
    assert "of height" in fault


def test_it_finds_a_row_that_scrolls_sideways(qtbot):
    wide = QWidget()
    row = QHBoxLayout(wide)
    row.addWidget(QLabel("so many words that one has to scroll sideways to read them all " * 2))
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setWidget(wide)
    page = shown(qtbot, area)
    assert any("scrolls sideways" in fault for fault in cut_off(page))
