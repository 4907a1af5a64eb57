"""The kind of use in the form, and the turn told where the prompt is asked."""

import pytest
from PySide6.QtCore import Qt

from ourmodels_gui import scenario as files
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.asked.workload_form import WorkloadForm
from ourmodels_gui.presets import presets


@pytest.fixture
def form(qtbot, library):
    made = WorkloadForm(library)
    qtbot.addWidget(made)
    made.resize(352, 700)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_choosing_a_use_by_key_edits_all_that_it_decides(form, evaluation, qtbot):
    form.present(evaluation)
    assert form.workload.preset.choice.currentText() == "as set below"
    with qtbot.waitSignal(form.edited) as edit:
        qtbot.keyClick(form.workload.preset.choice, Qt.Key.Key_Down)
    assert edit.args == [presets()[0].changes]


def test_the_use_in_use_is_named_and_any_edit_makes_it_ones_own(form, scenario, library):
    team = next(preset for preset in presets() if preset.name == "A small team")
    chosen = files.edited(scenario, team.changes)
    form.present(run(chosen, library))
    assert form.workload.preset.choice.currentText() == "A small team"
    assert form.workload.preset.choice.toolTip() == team.note
    form.present(run(files.edited(chosen, {"workload.batch": 9}), library))
    assert form.workload.preset.choice.currentText() == "as set below"


def test_the_turn_is_told_where_the_answer_is_asked(form, scenario, library):
    form.present(run(scenario, library))
    assert form.prompt.turn.accessibleName() == ""
    asked = run(files.edited(scenario, {"prefill.answer_tokens": 500}), library)
    form.present(asked)
    assert form.prompt.turn.accessibleName().startswith("first token ")
    assert "whole turn, alone: " in form.prompt.turn.accessibleName()
    small = {"prefill.answer_tokens": 500, "workload.reserved_context_tokens": 8500}
    form.present(run(files.edited(scenario, small), library))
    assert "8,691 tokens" in form.prompt.turn.accessibleName()
    assert "8,500 are reserved" in form.prompt.turn.accessibleName()
