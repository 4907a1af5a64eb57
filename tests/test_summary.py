import json
import re

import pytest
from toy import evaluated

from ourmodels_gui import scenario
from ourmodels_gui.evaluation import run
from ourmodels_gui.library.load import Library
from ourmodels_gui.summary import summarise, to_text
from ourmodels_gui.units import Separators


def told(*arguments, **sections):
    return summarise(evaluated(*arguments, **sections))


def rows(summary):
    return {row.name: row for group in summary.groups for row in group.rows}


def test_there_are_four_answers_in_the_order_of_the_four_questions():
    answers = told().answers
    assert [answer.question for answer in answers] == [
        "Does it fit?", "One session", "Serving", "First token",
    ]  # fmt: skip
    for answer in answers:
        assert answer.word and answer.why


def test_serving_is_said_with_its_batch_and_the_gate_that_binds():
    fits, single, serving, wait = told(prefill={"prompt_tokens": 8192}).answers
    assert (fits.word, fits.figure, fits.unit) == ("fits", "104.0", "GB spare for sessions")
    assert "room for 4 sessions of 100k tokens" in fits.why
    assert (single.word, single.figure) == ("at most", "30.4")
    assert (serving.word, serving.tone, serving.figure) == ("serves", "serves", "46.2")
    assert "2 sessions at 23.1 tok/s each" in serving.why
    assert "one more would fall below the floor of 20" in serving.why
    assert wait.word == "at least" and wait.unit == "s" and "limited by compute" in wait.why


def test_memory_is_named_where_it_binds():
    serving = told(workload={"floor_tokens_per_s": 0}).answers[2]
    assert "one more needs 26.0 GB, 0 B is free" in serving.why


def test_fitting_without_a_batch_above_the_floor_never_reads_like_not_fitting():
    fits, single, serving, _ = told(workload={"floor_tokens_per_s": 100}).answers
    assert fits.word == "fits" and fits.tone == "serves"
    assert single.tone == "below" and single.figure == "30.4"
    assert serving.word == "fits, but no batch satisfies the floor" and serving.tone == "below"
    assert "one alone reaches 30.4, the floor is 100" in serving.why
    for answer in (fits, single, serving):
        assert "not fit" not in f"{answer.word} {answer.why}"


def test_a_model_that_does_not_fit_says_how_much_is_missing():
    fits, single, serving, _ = told({"memory_gb": 20}).answers
    assert fits.word == "model does not fit" and fits.tone == "unfit"
    assert (fits.figure, fits.unit) == ("4.0", "GB missing")
    assert "weights 18.0 GB and overhead 6.0 GB exceed the capacity of 20.0 GB" in fits.why
    assert single.tone == "muted" and serving.tone == "unfit"


def test_no_session_that_fits_says_how_much_is_missing():
    fits, _, serving, _ = told({"memory_gb": 40}).answers
    assert fits.word == serving.word == "no session fits"
    assert (fits.figure, fits.unit) == ("10.0", "GB missing")
    assert "the model leaves 16.0 GB; a session of 100k tokens reserves 26.0 GB" in fits.why


def test_the_wait_says_what_is_missing():
    assert told().answers[3].word == "not asked"
    budget = told(prefill={"ttft_budget_s": 0.001}).answers[3]
    assert budget.word == "no setting meets the budget" and budget.tone == "below"
    assert "1.0 ms" in budget.why and "at best" in budget.why
    short = told(prefill={"prompt_tokens": 5, "ttft_budget_s": 0.001})
    alone, together = rows(short)["single_prompt"], rows(short)["unrestricted"]
    assert alone.value < together.value, "four prompts share one sweep, and wait for it"
    assert f"{alone.text} {alone.unit.split(',')[0]} at best" in short.answers[3].why
    unknown = told(prefill={"linear_mode": "fp8_fp32acc"}).answers[3]
    assert unknown.word == "unavailable" and "fp8_fp32acc" in unknown.why
    long = told(prefill={"prompt_tokens": 100_001}).answers[3]
    assert long.word == "no prompt fits" and "reservation" in long.why
    many = told(prefill={"batch": 5}).answers[3]
    assert many.word == "the batch does not fit" and "5 prompts" in many.why


def test_a_figure_is_the_same_in_the_answer_and_in_its_row():
    summary = told(prefill={})
    by_name = rows(summary)
    assert summary.answers[2].figure == by_name["aggregate_tokens_per_s"].text
    assert summary.answers[1].figure == by_name["single_session_tokens_per_s"].text
    assert summary.answers[3].figure == by_name["time_s"].text
    decode = evaluated().result.decode
    assert by_name["best_batch"].value == decode.best_batch
    assert by_name["memory_batch"].value == decode.memory_batch
    assert by_name["spare_gb"].value == decode.spare_bytes / 1e9


def value_of(expression):
    """What a worked formula comes to, its units dropped."""
    bare = re.sub(
        r"(GB²/s|GB/s|GB|tok/s|s per token|GFLOP/s|GFLOP|\bs\b|,(?=\d{3}))", "", expression
    )
    bare = bare.replace("floor(", "int(").replace(" x ", " * ")
    return eval(bare, {"__builtins__": {}}, {"int": int, "max": max, "min": min})


@pytest.mark.parametrize(
    "sections",
    [
        {},
        {"speculation": {"draft_tokens": 4, "acceptance": 0.7,
                         "draft": {"resident_gb": 1, "sweep_gb": 1, "cache_alloc_gb": 0.5,
                                   "cache_read_gb": 0.1}}},
        {"workload": {"decode_ceiling": "combined", "batch": 3}},
        {"workload": {"floor_tokens_per_s": 100}},
        {"prefill": {"prompt_tokens": 8192, "chunk_tokens": 512}},
    ],
)  # fmt: skip
def test_worked_formulas_come_to_the_figure_they_show(sections):
    checked = 0
    for group in told(**sections).groups:
        for row in group.rows:
            if not row.worked or ":" in row.worked:
                continue
            worked = row.worked.partition(", limited")[0]
            *left, right = worked.split(" = ")
            assert left, row
            for expression in left:
                assert value_of(expression) == pytest.approx(value_of(right), rel=1e-4), row
            checked += 1
    assert checked >= 6


def test_each_symbol_of_a_worked_formula_has_its_source():
    for group in told(prefill={}, speculation={"draft_tokens": 2, "acceptance": 0.5}).groups:
        for row in group.rows:
            for item in row.inputs:
                assert item.text and item.source, (row.label, item.symbol)


def test_a_figure_that_does_not_exist_says_why():
    row = rows(told({"memory_gb": 20}))["aggregate_tokens_per_s"]
    assert row.text == "-" and row.value is None and row.worked == "" and row.kind == ""
    assert row.note == "model does not fit"


def test_estimates_and_bounds_are_marked():
    assert rows(told())["aggregate_tokens_per_s"].kind == "bound"
    measured = told({"measured_bandwidth_gb_per_s": 700}, workload={"rates": "measured"})
    assert rows(measured)["aggregate_tokens_per_s"].kind == "estimate"
    assert measured.reasons


def test_a_problem_is_told_instead_of_figures():
    chosen = scenario.read(json.dumps({
        "format": "ourmodels-scenario", "version": 1, "hardware": "nothing",
        "model": {"id": "none"}}))  # fmt: skip
    summary = summarise(run(chosen, Library({}, {})))
    assert summary.answers == () and summary.problem.startswith("hardware: ")
    assert "hardware: there is no machine" in to_text(summary)


def test_a_range_that_is_not_there_says_why():
    unlimited = {"max_context_tokens": None}
    typed = {"cache": {"alloc_gb_per_session": 1, "read_gb_per_token": 0.1}}
    for adapter, why in ((unlimited, "no context limit"), (typed, "typed as totals")):
        summary = told(adapter=adapter, prefill={"prompt_tokens": 100})
        assert why in rows(summary)["range"].note


def test_text_holds_every_row_and_every_assumption():
    summary = told(name="My box", prefill={}, speculation={"draft_tokens": 2, "acceptance": 0.5})
    text = to_text(summary)
    assert text.startswith("My box: Toy · Dense\n")
    for group in summary.groups:
        assert f"\n{group.title}\n" in text
        for row in group.rows:
            assert row.label in text
    for item in summary.assumptions:
        assert item.name in text
    assert "100,000 tokens" in text


def test_the_window_may_write_figures_in_its_own_separators():
    german = summarise(evaluated(), Separators(group=".", point=","))
    assert german.answers[0].figure == "104,0"
    assert rows(german)["single_session_tokens_per_s"].text == "30,4"
    assert rows(german)["single_session_tokens_per_s"].value == pytest.approx(30.395, abs=1e-3)
