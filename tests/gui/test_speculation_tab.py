"""The speculation tab: both ways side by side, the break-even, where a draft loses."""

import numpy as np
import pytest
from gui_cases import dense, evaluated, mixture
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget

from ourmodels_gui.engine.setup import Draft, Speculation, TypedCache
from ourmodels_gui.engine.speculation import acceptance_for, emitted_tokens
from ourmodels_gui.gui.plots.plot_items import Label
from ourmodels_gui.gui.tabs.drafting import comparison_rows, drafting_words, needed_acceptance
from ourmodels_gui.gui.tabs.speculation_tab import SpeculationTab

DRAFT = Draft(1.7e9, 1.7e9, (), TypedCache(1e7, 1e7))


def drafted(model=mixture, acceptance=0.7, draft=DRAFT, **changes):
    made = Speculation(4, emitted_tokens(acceptance, 4), draft)
    usual = {"reserved_context_tokens": 8000, "read_context_tokens": 8000}
    return evaluated(model(), speculation=made, **(usual | changes))


@pytest.fixture
def tab(qtbot):
    made = SpeculationTab()
    qtbot.addWidget(made)
    made.resize(900, 520)
    with qtbot.waitExposed(made):
        made.show()
    return made


def bands(tab):
    found = []
    for region, _ in tab.plot.losing:
        if region.isVisible():
            low, high = region.getRegion()
            found.append((round(10**low + 0.5), round(10**high - 0.5)))
    return found


def test_the_figures_with_a_draft_are_those_of_the_engine(tab):
    evaluation = drafted()
    tab.present(evaluation)
    decode = evaluation.result.decode
    ordinary = evaluated(mixture(), reserved_context_tokens=8000, read_context_tokens=8000)
    at = tab.plot.reading_at(decode.best_batch)
    assert at.dots[0][0] == pytest.approx(decode.aggregate_tokens_per_s, rel=1e-12)
    single = tab.plot.reading_at(1)
    assert single.dots[1][0] == pytest.approx(
        ordinary.result.decode.single_session_tokens_per_s, rel=1e-12
    )


def test_the_losing_batches_are_bands(tab):
    evaluation = drafted()
    tab.present(evaluation)
    intervals = evaluation.result.decode.speculation.loses_at
    assert intervals
    assert bands(tab) == list(intervals)
    tab.present(drafted(dense, acceptance=0.95, draft=Draft(), floor_tokens_per_s=0.0))
    assert bands(tab) == []


def test_inside_a_band_the_draft_is_slower_and_outside_it_is_faster(tab):
    evaluation = drafted()
    tab.present(evaluation)
    (first, last), *_ = evaluation.result.decode.speculation.loses_at
    for batch in (first, last):
        with_draft, without = (y for y, _ in tab.plot.reading_at(batch).dots)
        assert with_draft < without
    with_draft, without = (y for y, _ in tab.plot.reading_at(last + 1).dots)
    assert with_draft >= without


def test_the_break_even_is_the_acceptance_at_which_both_are_equal():
    evaluation = drafted()
    needed = float(needed_acceptance(evaluation.setup, np.array([20]))[0])
    rows, _ = comparison_rows(drafted(acceptance=needed, batch=20))
    at = next(row for row in rows if row[0].value == 20)
    assert at[1].value == pytest.approx(at[2].value, rel=1e-9)
    assert acceptance_for(emitted_tokens(needed, 4), 4) == pytest.approx(needed)


def test_where_no_acceptance_is_enough_the_table_says_so():
    rows, _ = comparison_rows(drafted(dense, draft=Draft(30e9, 30e9, (), TypedCache(1e7, 1e7))))
    assert rows[0][4].text == "none is enough"
    assert rows[0][4].exact() == ""


def test_without_speculation_one_click_compares(tab, qtbot):
    tab.pages.setCurrentWidget(tab.table)
    tab.present(evaluated(mixture()))
    assert tab.plot.rates.accessibleDescription().startswith("No draft is asked about")
    assert tab.table.figures.rowCount() == 0
    with qtbot.waitSignal(tab.edited) as edit:
        tab.controls.on.click()
    assert edit.args == [{"speculation.draft_tokens": 4, "speculation.acceptance": 0.7}]


def test_a_typed_acceptance_takes_the_place_of_emitted_tokens(tab, qtbot):
    evaluation = drafted()
    tab.present(evaluation)
    tab.controls._on = True
    with qtbot.waitSignal(tab.edited) as edit:
        qtbot.keyClicks(tab.controls.acceptance, "0.8")
        qtbot.keyClick(tab.controls.acceptance, Qt.Key.Key_Return)
    assert edit.args == [{"speculation.emitted_tokens": None, "speculation.acceptance": 0.8}]


def test_an_acceptance_above_one_is_refused_in_words(tab, qtbot):
    tab.present(drafted())
    with qtbot.assertNotEmitted(tab.edited):
        qtbot.keyClicks(tab.controls.acceptance, "1.2")
        qtbot.keyClick(tab.controls.acceptance, Qt.Key.Key_Return)
    assert tab.controls.acceptance.toolTip() == "write an acceptance from 0 to 1"


def test_the_assumption_of_a_sequential_draft_is_stated(tab):
    for evaluation in (drafted(), evaluated(mixture()), drafted(draft=Draft())):
        tab.present(evaluation)
        assert "sequential" in tab.said.text()
    assert drafting_words(drafted(draft=Draft()).setup).startswith("Prompt lookup")


def test_a_hidden_tab_draws_nothing(qtbot):
    hidden = SpeculationTab()
    qtbot.addWidget(hidden)
    hidden.present(drafted())
    assert hidden.plot is None


def test_no_label_stands_in_a_plot_without_words(tab):
    tab.present(drafted())
    for plot in (tab.plot.rates, tab.plot.needs):
        labels = [item for item in plot.scene().items() if isinstance(item, Label)]
        assert all(item.toPlainText() for item in labels if item.isVisible())


def test_every_control_has_a_name(tab):
    tab.present(drafted())
    for child in tab.findChildren(QWidget):
        if child.isVisibleTo(tab) and child.focusPolicy() != Qt.FocusPolicy.NoFocus:
            named = child.accessibleName() or getattr(child, "text", str)()
            assert named or isinstance(child, QTabBar | QTabWidget), child
