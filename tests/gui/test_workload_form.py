"""The workload form: one user action, then the dict that it reports."""

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QCheckBox, QLabel

from ourmodels_gui.evaluation import Evaluation, run
from ourmodels_gui.gui import typed
from ourmodels_gui.gui.asked.workload_form import WorkloadForm, flat
from ourmodels_gui.problem import Problem
from ourmodels_gui.scenario import edited

RESERVED = "workload.reserved_context_tokens"
READ = "workload.read_context_tokens"
SHARE = "workload.read_context_fraction"


@pytest.fixture
def form(qtbot, library, evaluation):
    made = WorkloadForm(library)
    qtbot.addWidget(made)
    for group in made.groups:
        group.open_up()
    made.resize(360, 900)
    made.present(evaluation)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    return made


def field(form, key):
    for group in form.groups:
        if key in group.keys:
            return group.field(key)
    raise KeyError(key)


def error_of(form, key):
    return next(group.told(key) for group in form.groups if key in group.keys)


def type_into(qtbot, widget, text, leave=True):
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)
    widget.selectAll()
    QTest.keyClick(widget, Qt.Key.Key_Delete)
    QTest.keyClicks(widget, text)
    if leave:
        QTest.keyClick(widget, Qt.Key.Key_Return)


def present(form, scenario, library, changes):
    evaluation = run(edited(scenario, changes), library)
    form.present(evaluation)
    return evaluation


@pytest.mark.parametrize(
    ("key", "text", "changes"),
    [
        (RESERVED, "64k", {RESERVED: 64_000}),
        (READ, "16k", {READ: 16_000, SHARE: None}),
        ("workload.floor_tokens_per_s", "12.5", {"workload.floor_tokens_per_s": 12.5}),
        ("workload.overhead_gb", "3", {"workload.overhead_gb": 3.0}),
        ("workload.batch", "8", {"workload.batch": 8}),
        ("prefill.prompt_tokens", "32Ki", {"prefill.prompt_tokens": 32_768}),
        ("prefill.cached_prefix_tokens", "1k", {"prefill.cached_prefix_tokens": 1000}),
        ("prefill.chunk_tokens", "2048", {"prefill.chunk_tokens": 2048}),
        ("prefill.ttft_budget_s", "0.5", {"prefill.ttft_budget_s": 0.5}),
        ("prefill.batch", "2", {"prefill.batch": 2}),
        (
            "speculation.draft_tokens",
            "4",
            {"speculation.draft_tokens": 4, "speculation.acceptance": 0.7},
        ),
    ],
)
def test_a_typed_number_is_reported_under_its_key(form, qtbot, key, text, changes):
    with qtbot.waitSignal(form.edited) as seen:
        type_into(qtbot, field(form, key), text)
    assert seen.args == [changes]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("workload.cache_format", "bf16"),
        ("workload.cache_policy", "full"),
        ("workload.routing", "floor"),
        ("workload.rates", "measured"),
        ("workload.decode_ceiling", "combined"),
        ("prefill.cache_growth", "on_demand"),
    ],
)
def test_the_choice_after_the_default_is_reported_under_its_key(form, qtbot, key, value):
    choice = field(form, key)
    choice.setFocus()
    with qtbot.waitSignal(form.edited) as seen:
        QTest.keyClick(choice, Qt.Key.Key_Down)
    assert seen.args == [{key: value}]


def test_a_slider_reports_the_value_of_its_number(form, qtbot):
    slider = form.workload.slider(RESERVED)
    with qtbot.waitSignal(form.edited) as seen:
        QTest.keyClick(slider, Qt.Key.Key_Left)
    (changes,) = seen.args
    assert changes.keys() == {RESERVED}
    assert 80_000 < changes[RESERVED] < 100_000


def test_a_typed_read_context_comes_along_when_the_reserved_one_shrinks(
    form, qtbot, scenario, library
):
    present(form, scenario, library, {READ: 32_000})
    with qtbot.waitSignal(form.edited) as seen:
        type_into(qtbot, field(form, RESERVED), "16k")
    assert seen.args == [{RESERVED: 16_000, READ: 16_000}]


def test_read_follows_the_reserved_context_by_a_share(form, qtbot, scenario, library):
    follow = form.findChild(QCheckBox)
    assert field(form, SHARE).isHidden()
    with qtbot.waitSignal(form.edited) as seen:
        follow.click()
    assert seen.args == [{READ: None, SHARE: 0.9}]
    present(form, scenario, library, {SHARE: 0.5})
    assert not field(form, SHARE).isHidden()
    assert field(form, READ).placeholderText() == typed.show(67_232)
    with qtbot.waitSignal(form.edited) as seen:
        follow.click()
    assert seen.args == [{READ: None, SHARE: None}]


def test_a_context_beyond_the_models_limit_says_what_it_is_answered_with(form, scenario, library):
    asked = {"model": {"id": "qwen3-32b"}, RESERVED: 100_000, READ: 60_000}
    found = present(form, scenario, library, asked)
    work, limit = found.setup.workload, found.setup.model.max_context_tokens
    assert limit == work.reserved_context_tokens == work.read_context_tokens < 60_000
    assert field(form, RESERVED).text() == "100,000"
    for key in (RESERVED, READ):
        assert error_of(form, key) == (
            f"\u26a0 Over the model's {limit:,} tokens; answered for {limit:,}."
        )
    present(form, scenario, library, asked | {RESERVED: limit, READ: limit})
    assert not error_of(form, RESERVED) and not error_of(form, READ)


def test_an_emptied_field_removes_its_key(form, qtbot, scenario, library):
    present(form, scenario, library, {"workload.overhead_gb": 5})
    with qtbot.waitSignal(form.edited) as seen:
        type_into(qtbot, field(form, "workload.overhead_gb"), "")
    assert seen.args == [{"workload.overhead_gb": None}]


def test_the_overhead_in_muted_text_is_the_machines(form, evaluation):
    overhead = field(form, "workload.overhead_gb")
    assert overhead.text() == ""
    assert overhead.placeholderText() == typed.show(evaluation.setup.workload.overhead_bytes / 1e9)


def test_half_typed_text_survives_an_edit_elsewhere(form, qtbot, scenario, library):
    type_into(qtbot, field(form, RESERVED), "12", leave=False)
    present(form, scenario, library, {"workload.floor_tokens_per_s": 5, RESERVED: 50_000})
    assert field(form, RESERVED).text() == "12"
    assert field(form, "workload.floor_tokens_per_s").text() == "5"


def test_text_that_is_no_number_is_explained_at_its_field_until_it_is_one(form, qtbot, evaluation):
    spy = QSignalSpy(form.edited)
    type_into(qtbot, field(form, RESERVED), "lots")
    assert spy.count() == 0
    form.present(evaluation)
    assert "lots" in error_of(form, RESERVED)
    assert field(form, RESERVED).text() == "lots"
    type_into(qtbot, field(form, RESERVED), "9k")
    assert not error_of(form, RESERVED)


def test_a_value_no_scenario_holds_stays_at_its_field_with_the_reason(form, qtbot, evaluation):
    type_into(qtbot, field(form, "workload.floor_tokens_per_s"), "-4")
    key = "workload.floor_tokens_per_s"
    assert form.refuse(Problem("", key, "must be 0 or more"), {key: -4})
    form.present(evaluation)
    assert error_of(form, "workload.floor_tokens_per_s") == "must be 0 or more"
    assert field(form, "workload.floor_tokens_per_s").text() == "-4"


def test_a_problem_of_no_field_is_left_to_others(form):
    assert not form.refuse(Problem("", "hardware", "unknown"), {"hardware": "x"})


def test_a_problem_of_the_evaluation_unfolds_its_group(qtbot, library, scenario):
    form = WorkloadForm(library)
    qtbot.addWidget(form)
    form.show()
    rates = edited(scenario, {"workload.rates": "measured"})
    problem = Problem("", "workload.rates", "no measured bandwidth")
    form.present(Evaluation(rates, problem=problem))
    assert error_of(form, "workload.rates")
    assert field(form, "workload.rates").isVisible()
    form.present(run(scenario, library))
    assert not error_of(form, "workload.rates")


def test_a_group_says_how_many_values_differ_and_resets_just_those(form, qtbot, scenario, library):
    changes = {"workload.routing": "floor", "workload.batch": 4, RESERVED: 50_000}
    present(form, scenario, library, changes)
    marks = [label.text() for label in form.runtime.findChildren(QLabel)]
    assert any("2 changed" in mark for mark in marks)
    with qtbot.waitSignal(form.edited) as seen:
        form.runtime.reset.click()
    assert seen.args == [{"workload.routing": None, "workload.batch": None}]


def test_there_is_nothing_to_reset_at_the_defaults(form):
    assert all(group.reset.isHidden() for group in form.groups)


def test_a_group_at_its_defaults_stays_folded(qtbot, library, evaluation):
    form = WorkloadForm(library)
    qtbot.addWidget(form)
    form.show()
    form.present(evaluation)
    assert not field(form, "workload.routing").isVisible()
    assert field(form, RESERVED).isVisible()


def test_the_modes_offered_are_those_with_a_known_rate(form, evaluation):
    mode = field(form, "prefill.linear_mode")
    words = [mode.itemText(n) for n in range(mode.count())]
    rates = evaluation.setup.machine.compute_flop_per_s
    assert [line.split("  ")[0] for line in words[1:]] == list(rates)
    assert all("TFLOP/s" in line for line in words[1:])
    assert next(iter(evaluation.setup.linear_mode)) in words[0]


def test_a_chosen_mode_without_a_rate_stays_and_says_so(form, scenario, library, evaluation):
    unknown = next(
        mode
        for mode in ("blockfp8", "fp16_vector", "int4_int32acc")
        if mode not in evaluation.setup.machine.compute_flop_per_s
    )
    present(form, scenario, library, {"prefill.linear_mode": unknown})
    assert "rate unknown" in field(form, "prefill.linear_mode").currentText()


SPECULATING = {"speculation.draft_tokens": 4, "speculation.acceptance": 0.7}


def test_speculation_that_is_off_asks_for_nothing_else(form, scenario, library):
    assert field(form, "speculation.acceptance").isHidden()
    present(form, scenario, library, SPECULATING)
    assert not field(form, "speculation.acceptance").isHidden()
    assert field(form, "speculation.draft.resident_gb").isHidden()


@pytest.mark.parametrize("text", ["0", ""])
def test_no_draft_tokens_switches_speculation_off(form, qtbot, scenario, library, text):
    present(form, scenario, library, SPECULATING)
    with qtbot.waitSignal(form.edited) as seen:
        type_into(qtbot, field(form, "speculation.draft_tokens"), text)
    assert seen.args == [{"speculation": None}]


def test_acceptance_and_emitted_tokens_exclude_each_other(form, qtbot, scenario, library):
    present(form, scenario, library, SPECULATING)
    with qtbot.waitSignal(form.edited) as seen:
        type_into(qtbot, field(form, "speculation.emitted_tokens"), "2.5")
    assert seen.args == [{"speculation.emitted_tokens": 2.5, "speculation.acceptance": None}]


def test_a_typed_draft_is_reported_whole(form, qtbot, scenario, library):
    draft = {"resident_gb": 1, "sweep_gb": 1, "cache_alloc_gb": 0, "cache_read_gb": 0}
    present(form, scenario, library, {**SPECULATING, "speculation.draft": draft})
    with qtbot.waitSignal(form.edited) as seen:
        type_into(qtbot, field(form, "speculation.draft.sweep_gb"), "0.5")
    (changes,) = seen.args
    assert changes == {"speculation.draft": {**draft, "sweep_gb": 0.5}}


def test_each_kind_of_draft_is_one_that_a_scenario_takes(form, scenario, library):
    present(form, scenario, library, SPECULATING)
    kind = field(form, "speculation.draft")
    spy = QSignalSpy(form.edited)
    drafts = []
    for step in range(3):
        QTest.keyClick(kind, Qt.Key.Key_Down)
        drafts.append(edited(scenario, {**SPECULATING, **spy.at(step)[0]}).speculation.draft)
    assert drafts[0] == "mtp"
    assert drafts[1].id in library.models
    assert drafts[2].resident_gb == 0


def test_every_label_belongs_to_a_field(form):
    for group in form.groups:
        for key in group.keys:
            labels = [one for one in group.findChildren(QLabel) if one.buddy() is group.field(key)]
            assert len(labels) == 1, key
            assert group.field(key).toolTip(), key


def test_the_tab_key_goes_down_the_form(form, qtbot):
    first = field(form, RESERVED)
    first.setFocus()
    qtbot.waitUntil(first.hasFocus)
    seen = []
    for _ in range(5):
        QTest.keyClick(form.focusWidget(), Qt.Key.Key_Tab)
        seen.append(form.focusWidget())
    assert seen[0] is form.workload.slider(RESERVED)
    assert seen[1] is field(form, READ)
    places = [widget.mapTo(form, widget.rect().center()).y() for widget in seen]
    assert places == sorted(places)


def test_paths_of_a_nested_value_are_joined_by_dots():
    assert flat({"a": {"b": 1}})["a.b"] == 1
    assert msgspec.to_builtins(flat({})) == {}


def test_a_default_that_is_no_number_is_said_in_words(form):
    assert field(form, "prefill.chunk_tokens").placeholderText() == "one shot"
    assert field(form, "speculation.draft_tokens").placeholderText() == "off"


def test_an_answer_that_is_not_asked_about_says_so(form, scenario, library):
    answer = field(form, "prefill.answer_tokens")
    assert answer.placeholderText() == "not asked"
    present(form, scenario, library, {"prefill.answer_tokens": 200})
    form.present(run(scenario, library))
    assert (answer.text(), answer.placeholderText()) == ("", "not asked")
