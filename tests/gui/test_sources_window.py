"""The window of sources: opened from the picker, the menu or by keys; follows what is chosen."""

import msgspec
import pytest
from gui_cases import bare_window, forget_changes
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.sources import Sources
from ourmodels_gui.gui.sources_window import SourcesWindow
from ourmodels_gui.library.audit import conflicts
from ourmodels_gui.scenario import ModelRef, Scenario


@pytest.fixture
def window(qtbot, scenario, library, theme, tmp_path):
    made = bare_window(scenario, library, theme, tmp_path / "home")
    made.told = Sources(made.store, made._recompute, made)
    qtbot.addWidget(made, before_close_func=forget_changes)
    with qtbot.waitSignal(made._recompute.evaluated):
        made.show()
    made.activateWindow()
    return made


def names(page):
    figures = page.table.figures
    return [figures.index(n, 0).data() for n in range(figures.rowCount())]


def test_no_window_is_made_before_it_is_asked_for(window):
    assert window.told.window is None


@pytest.mark.parametrize(("keys", "page"), [("Ctrl+I", 0), ("Ctrl+Shift+I", 1)])
def test_keys_open_the_page_of_the_machine_or_the_model(window, keys, page):
    QTest.keySequence(window, keys)
    assert window.told.window.isVisible()
    assert window.told.window.tabs.currentIndex() == page


@pytest.mark.parametrize("picker", ["machines", "models"])
def test_the_button_beside_the_choice_opens_its_page(window, picker):
    getattr(window, picker).evidence.click()
    told = window.told.window
    assert told.tabs.currentIndex() == ("machines", "models").index(picker)
    page = told.machine if picker == "machines" else told.model
    assert len(names(page)) > 5


def test_a_chosen_figure_is_told_in_full(window):
    window.sources_asked.emit("machine")
    page = window.told.window.machine
    page.table.selectRow(names(page).index("bandwidth"))
    words = page.text.toPlainText()
    assert "bandwidth: 1792 GB/s, published" in words
    assert "place: https://" in words
    assert "Known conflicts" in words


def test_the_window_follows_what_is_chosen(window, qtbot):
    window.sources_asked.emit("machine")
    page = window.told.window.machine
    assert page.title.accessibleName() == "GeForce RTX 5090"
    window.store.edit({"hardware": "geforce-rtx-3090"})
    qtbot.waitUntil(lambda: page.title.accessibleName() == "GeForce RTX 3090")


def test_everything_is_copied_as_text(window):
    window.sources_asked.emit("machine")
    window.told.window.machine.copy()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("GeForce RTX 5090")
    assert "1792 GB/s" in text


def test_an_unknown_machine_has_no_sources_and_says_so(window, qtbot):
    window.sources_asked.emit("machine")
    page = window.told.window.machine
    window.store.edit({"hardware": "gone-by-now"})
    qtbot.waitUntil(lambda: names(page) == [])
    assert "no sources" in page.text.toPlainText()


def test_the_audit_lists_counts_and_conflicts(window, library):
    window.sources_asked.emit("audit")
    words = window.told.window.audit.toPlainText()
    assert f"{len(library.machines)} configurations" in words
    disputes = list(conflicts(library))
    assert f"({len(disputes)})" in words
    assert all(name in words for name, _ in disputes[:20])


def test_the_basis_is_said_on_the_button(window, library, qtbot):
    assert window.machines.evidence.accessibleName() == "Sources: Machine, published"
    unverified = next(
        entry.id
        for entry in library.machines.values()
        if entry.record.memory.bandwidth.basis == "unverified"
    )
    window.store.edit({"hardware": unverified})
    qtbot.waitUntil(lambda: "unverified" in window.machines.evidence.accessibleName())
    assert "recollection" in window.machines.evidence.toolTip()


def test_an_announced_machine_and_an_unaudited_model_are_marked(window, library, qtbot):
    announced = next(e.id for e in library.machines.values() if e.record.announced)
    unaudited = next(e for e in library.models.values() if e.record.audit.status == "unaudited")
    window.store.edit({"hardware": announced, "model": {"id": unaudited.id}})
    qtbot.waitUntil(window.machines.note.isVisible)
    assert "Announced" in window.machines.note.text()
    assert unaudited.record.audit.missing[0] in window.models.note.text()


def test_a_record_that_changed_is_shown_anew(window, library, qtbot):
    window.sources_asked.emit("machine")
    page = window.told.window.machine
    entry = library.machines["geforce-rtx-5090"]
    renamed = msgspec.structs.replace(entry, name="Renamed")
    window.store.set_library(
        msgspec.structs.replace(library, machines={**library.machines, entry.id: renamed})
    )
    qtbot.waitUntil(lambda: page.title.accessibleName() == "Renamed")


def test_a_composition_tells_the_sources_of_its_parts(qtbot, library):
    window = SourcesWindow()
    qtbot.addWidget(window)
    ready = library.compositions["geforce-rtx-3090-x2"]
    scenario = Scenario(ready.id, ModelRef("qwen3-8b"))
    window.present(run(scenario, library), library)
    assert window.machine.title.accessibleName() == ready.name
    assert any(row[0].text == "GeForce RTX 3090: memory" for row in rows_of(window.machine))
    own = msgspec.structs.replace(ready.hardware, name="")
    window.present(run(Scenario(own, ModelRef("qwen3-8b")), library), library)
    assert window.machine.title.accessibleName() == "2 x GeForce RTX 3090"


def rows_of(page):
    return page.table.figures.rows
