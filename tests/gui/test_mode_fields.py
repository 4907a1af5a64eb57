"""Arithmetic modes, draft formats and cache reads of the form: one action, then what it reports."""

import msgspec
import pytest
from PySide6.QtTest import QTest

from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.asked.workload_form import WorkloadForm
from ourmodels_gui.library.encodings import CACHE_FORMATS
from ourmodels_gui.scenario import edited

LINEAR = "prefill.linear_mode"
TWO = {"bf16_fp32acc": 0.75, "fp8_fp32acc": 0.25}


@pytest.fixture
def form(qtbot, library, evaluation):
    made = WorkloadForm(library)
    qtbot.addWidget(made)
    for group in made.groups:
        group.open_up()
    made.present(evaluation)
    made.show()
    qtbot.waitExposed(made)
    return made


def group_of(form, key):
    return next(group for group in form.groups if key in group.keys)


def choose(form, key, value):
    """Choose an entry of a box as a user does, and return what the form reports."""
    field = group_of(form, key).field(key)
    values = [known for known, _ in field._choices]
    reported = []
    form.edited.connect(reported.append)
    field.setCurrentIndex(values.index(value))
    field.activated.emit(values.index(value))
    form.edited.disconnect(reported.append)
    return reported


def type_number(form, key, text):
    field = group_of(form, key).field(key)
    reported = []
    form.edited.connect(reported.append)
    field.selectAll()
    QTest.keyClicks(field, text)
    field.commit()
    form.edited.disconnect(reported.append)
    return reported


def present(form, scenario, library, changes):
    form.present(run(edited(scenario, changes), library))


def test_a_second_mode_takes_half_of_the_work_at_first(form, scenario, library):
    present(form, scenario, library, {LINEAR: "bf16_fp32acc"})
    assert choose(form, f"{LINEAR}:second", "fp8_fp32acc") == [
        {LINEAR: {"bf16_fp32acc": 0.5, "fp8_fp32acc": 0.5}}
    ]


def test_a_second_mode_beside_the_default_names_the_default(form):
    (changes,) = choose(form, f"{LINEAR}:second", "fp8_fp32acc")
    assert changes == {LINEAR: {"bf16_fp32acc": 0.5, "fp8_fp32acc": 0.5}}


def test_the_share_of_the_second_mode_is_typed(form, scenario, library):
    present(form, scenario, library, {LINEAR: TWO})
    group = group_of(form, LINEAR)
    assert group.field(f"{LINEAR}:share").text() == "0.25"
    assert group.field(LINEAR).value() == "bf16_fp32acc"
    (changes,) = type_number(form, f"{LINEAR}:share", "0.4")
    assert changes[LINEAR] == pytest.approx({"bf16_fp32acc": 0.6, "fp8_fp32acc": 0.4})


def test_no_second_mode_leaves_the_first_alone(form, scenario, library):
    present(form, scenario, library, {LINEAR: TWO})
    assert choose(form, f"{LINEAR}:second", None) == [{LINEAR: "bf16_fp32acc"}]


def test_another_first_mode_keeps_the_second_and_its_share(form, scenario, library):
    present(form, scenario, library, {LINEAR: TWO})
    assert choose(form, LINEAR, "fp16_fp32acc") == [
        {LINEAR: {"fp16_fp32acc": 0.75, "fp8_fp32acc": 0.25}}
    ]


def test_three_modes_of_a_file_are_shown_and_kept(form, scenario, library):
    three = {"bf16_fp32acc": 0.5, "fp8_fp32acc": 0.25, "fp4_fp32acc": 0.25}
    present(form, scenario, library, {LINEAR: three})
    group = group_of(form, LINEAR)
    assert "25 % fp4_fp32acc" in group.field(LINEAR).currentText()
    assert group.field(f"{LINEAR}:second").isHidden()
    assert group.field(f"{LINEAR}:share").isHidden()


def test_the_mark_counts_keys_of_the_scenario_only(form, scenario, library):
    present(form, scenario, library, {LINEAR: TWO})
    assert "1 changed" in group_of(form, LINEAR)._head.changed.text()


@pytest.mark.parametrize("name", CACHE_FORMATS)
def test_the_cache_can_be_read_in_every_format(form, name):
    key = "workload.cache_read_format"
    assert choose(form, key, name) == [{key: name}]


def test_reading_the_cache_as_stored_is_the_default(form, scenario, library):
    key = "workload.cache_read_format"
    present(form, scenario, library, {key: "fp8"})
    assert choose(form, key, None) == [{key: None}]


def test_the_drafts_weights_are_chosen_among_its_own_formats(form, scenario, library):
    speculation = {"draft_tokens": 4, "acceptance": 0.7, "draft": {"id": "qwen3-8b"}}
    present(form, scenario, library, {"speculation": speculation})
    key = "speculation.draft.weights"
    field = group_of(form, key).field(key)
    assert not field.isHidden()
    assert "GB" in field.currentText()
    assert choose(form, key, "nvfp4") == [{key: "nvfp4"}]
    changed = edited(edited(scenario, {"speculation": speculation}), {key: "nvfp4"})
    assert msgspec.to_builtins(changed.speculation.draft)["weights"] == "nvfp4"


def test_only_a_draft_model_has_weights_to_choose(form, scenario, library):
    speculation = {"draft_tokens": 4, "acceptance": 0.7, "draft": None}
    present(form, scenario, library, {"speculation": speculation})
    key = "speculation.draft.weights"
    assert group_of(form, key).field(key).isHidden()
