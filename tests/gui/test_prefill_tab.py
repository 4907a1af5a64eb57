"""The prefill tab: both sides over the prompt length, and what is missing where one is unknown."""

import json

import numpy as np
import pytest
from gui_cases import FAST, dense, evaluated, mixture
from PySide6.QtCore import Qt

from ourmodels_gui import paths
from ourmodels_gui import scenario as files
from ourmodels_gui.engine.setup import Machine, Prompt
from ourmodels_gui.evaluation import run
from ourmodels_gui.gui.tabs.bracket import usual_bracket
from ourmodels_gui.gui.tabs.derivation import WorkingWindow
from ourmodels_gui.gui.tabs.lengths import length_rows, length_span, sampled
from ourmodels_gui.gui.tabs.prefill_tab import PrefillTab
from ourmodels_gui.library.load import load
from ourmodels_gui.scenario import ModelRef, PrefillChoice, Scenario, WorkloadChoice


@pytest.fixture
def tab(qtbot):
    made = PrefillTab()
    qtbot.addWidget(made)
    made.resize(900, 500)
    with qtbot.waitExposed(made):
        made.show()
    return made


def names(tab):
    return {curve.name_text for curve in tab.plot.rates.curves if curve.name_text}


def test_the_point_of_the_scenario_lies_on_the_curve(tab):
    evaluation = evaluated(mixture(), prompt=Prompt(8192))
    tab.present(evaluation)
    prefill = evaluation.result.prefill
    shown = dict(tab.plot.reading_at(8192).rows)
    lower = min(y for y, _ in tab.plot.reading_at(8192).dots)
    assert lower == pytest.approx(prefill.tokens_per_s, rel=1e-9)
    assert shown["limit"] == prefill.limit


def test_the_cursor_reads_by_key(tab, qtbot):
    tab.present(evaluated(mixture(), prompt=Prompt(8192)))
    qtbot.keyClick(tab.plot.rates, Qt.Key.Key_End)
    assert tab.plot.rates.reading.x == 262_144
    assert "compute side" in tab.plot.rates.accessibleDescription()


def test_a_chunk_shows_the_one_shot_ceiling_behind_it(tab):
    tab.present(evaluated(mixture(), prompt=Prompt(32_768)))
    assert names(tab) == {"memory side", "compute side", "one shot"}
    tab.present(evaluated(mixture(), prompt=Prompt(32_768, chunk_tokens=2048)))
    assert names(tab) == {"memory side", "compute side", "chunks of 2,048", "one shot"}


def test_an_unknown_rate_leaves_the_memory_side_and_says_what_to_supply(tab):
    tab.present(evaluated(mixture(), machine=Machine(34e9, 1792e9), prompt=Prompt(8192)))
    assert names(tab) == {"memory side"}
    said = tab.plot.waits.accessibleDescription()
    assert "fp4" in said
    assert "add the rate" in said


CARD = {"kind": "discrete", "name": "card", "memory_gb": 12, "bandwidth_gb_per_s": 900}
RAM = {"kind": "cpu", "name": "ram", "memory_gb": 24, "bandwidth_gb_per_s": 90}
RATES = {"compute_tflop_per_s": {"bf16_fp32acc": 70}}
ADAPTER = {
    "total_parameters_b": 32,
    "bytes_per_parameter": 0.5,
    "cache": {"layers": [{"count": 64, "kind": "full", "bytes_per_token": 4096}]},
    "max_context_tokens": 131_072,
    "prefill": {
        "linear_active_parameters_b": 31,
        "attention": [{"count": 64, "kind": "full", "query_width": 5120}],
    },
}


def composed(hardware, **prompt):
    text = {
        "format": "ourmodels-scenario",
        "version": 1,
        "hardware": hardware,
        "model": {"adapter": ADAPTER},
        "workload": {"reserved_context_tokens": 16_000, "overhead_gb": 1},
        "prefill": {"prompt_tokens": 4096} | prompt,
    }
    done = run(files.read(json.dumps(text)), load(paths.catalog()))
    assert done.problem is None, done.problem
    return done


def test_two_pools_that_no_prompt_fits_into_say_so(tab, library):
    chosen = Scenario(
        "geforce-rtx-3070-ddr4-32gb",
        ModelRef("qwen3-14b"),
        workload=WorkloadChoice(reserved_context_tokens=32_000, read_context_tokens=8000),
        prefill=PrefillChoice(prompt_tokens=4800),
    )
    done = run(chosen, library)
    assert done.result.prefill.verdict == "no prompt fits"
    tab.present(done)
    assert tab.plot.rates._words.text() and tab.plot.reading_at(100.0) is None


def test_two_pools_are_drawn_as_far_as_their_memory_goes(tab):
    hardware = {
        "devices": [{"machine": CARD | RATES}],
        "host_memory": RAM | RATES,
        "pools": "sequential",
    }
    done = composed(hardware, batch=2)
    tab.present(done)
    prefill = done.result.prefill
    here = tab.plot.reading_at(4096)
    assert min(y for y, _ in here.dots) == pytest.approx(prefill.tokens_per_s, rel=1e-9)
    assert dict(here.rows)["limit"] == prefill.limit
    beyond = tab.plot.reading_at(100_000)
    assert dict(beyond.rows)["limit"] == "does not fit"
    drawn = tab.plot.rates.curves[0].getData()[0]
    assert 16_000 <= 10 ** drawn[-1] < 100_000
    rows, _ = length_rows(done)
    assert rows[-1][1].value == "" and rows[0][1].value > 0.0


def test_a_link_between_devices_is_a_ceiling_of_its_own(tab):
    model = {"id": "qwen3-32b", "weights": "q4_k_m"}
    pair = {"devices": [{"id": "geforce-rtx-3090", "count": 2}], "split": "tensor", "link": 0.1}
    text = {"format": "ourmodels-scenario", "version": 1, "hardware": pair, "model": model}
    text |= {"prefill": {"prompt_tokens": 4096}}
    done = run(files.read(json.dumps(text)), load(paths.catalog()))
    assert done.result.prefill.limit == "link"
    tab.present(done)
    assert "link" in names(tab)
    assert dict(tab.plot.reading_at(4096).rows)["limit"] == "link"


@pytest.mark.parametrize(
    ("evaluation", "words"),
    [
        (evaluated(mixture()), "No prompt is asked about"),
        (
            evaluated(mixture(), machine=Machine(8e9, 1e12), prompt=Prompt(8192)),
            "The model does not fit",
        ),
    ],
)
def test_an_empty_plot_says_why(tab, evaluation, words):
    tab.pages.setCurrentWidget(tab.table)
    tab.present(evaluation)
    assert tab.plot.rates.accessibleDescription().startswith(words)
    assert tab.plot.waits.isHidden()
    assert tab.table.figures.rowCount() == 0


def test_curves_return_after_an_empty_plot(tab):
    tab.present(evaluated(mixture()))
    tab.present(evaluated(mixture(), prompt=Prompt(8192)))
    assert not tab.plot.waits.isHidden()
    assert "compute side" in names(tab)


def test_a_budget_is_a_level_in_the_wait(tab):
    tab.present(evaluated(mixture(), prompt=Prompt(8192, ttft_budget_s=2.0)))
    assert [level.name_text for level in tab.plot.waits.levels] == ["budget 2.0 s"]
    tab.present(evaluated(mixture(), prompt=Prompt(8192)))
    assert [level.name_text for level in tab.plot.waits.levels] == [""]


def test_the_ends_of_the_range_are_named_with_their_lengths(tab):
    evaluation = evaluated(mixture(), prompt=Prompt(8192))
    tab.present(evaluation)
    low = evaluation.result.prefill.range.low
    said = [note.said for note in tab.plot.rates.notes]
    assert any(f"{low.prompt_tokens:,} tokens" in words for words in said)


def test_the_table_doubles_up_to_the_limit_and_marks_the_prompt():
    evaluation = evaluated(mixture(), prompt=Prompt(10_000))
    rows, marked = length_rows(evaluation)
    lengths = [row[0].value for row in rows]
    assert lengths[:3] == [1024, 2048, 4096]
    assert lengths[-1] == 262_144
    assert [lengths[row] for row in marked] == [10_000]
    wait = rows[lengths.index(10_000)][1].value
    assert wait == pytest.approx(evaluation.result.prefill.time_s, rel=1e-9)


def test_unknown_figures_of_the_table_are_copied_as_nothing():
    rows, _ = length_rows(evaluated(mixture(), machine=Machine(34e9, 1e12), prompt=Prompt(8192)))
    assert rows[0][3].value > 0
    assert rows[0][1].exact() == ""


def test_a_model_without_a_limit_is_drawn_past_its_prompt():
    unlimited = evaluated(dense(), machine=FAST, prompt=Prompt(8192))
    assert length_span(unlimited.setup) == 131_072
    lengths = sampled(131_072)
    assert lengths[-1] == 131_072
    assert (np.diff(lengths) > 0).all()


LAGUNA = {
    8192: ("0.38 to 1.2 s", "7,076 to 21.5k", "31.0k"),
    32_768: ("2.5 to 5.6 s", "5,867 to 13.2k", "120.1k"),
    131_072: ("25.1 to 37.5 s", "3,491 to 5,218", "425.1k"),
}
"""The table of the formulation's prefill example, at the digits that the table has."""


@pytest.mark.parametrize("ends", [("fp4", "bf16_fp32acc"), ("bf16", "fp4_fp32acc")])
def test_the_bracket_gives_the_table_of_the_formulation_from_either_end(library, ends):
    name, other = ends
    path = paths.resources() / f"examples/laguna-s-2.1-8k-one-shot-{name}.ourmodels.json"
    evaluation = run(files.read_file(path), library)
    assert usual_bracket(evaluation.setup) == other
    rows, _ = length_rows(evaluation, other)
    told = {row[0].value: tuple(cell.text for cell in row[1:4]) for row in rows}
    assert {length: told[length] for length in LAGUNA} == LAGUNA
    compute = {row[0].value: row[4].value for row in rows}[8192].split(" to ")
    assert [round(float(end), -2) for end in compute] == [7100, 21500]


def test_the_band_lies_between_the_two_modes(tab, library):
    path = paths.resources() / "examples/laguna-s-2.1-8k-one-shot-fp4.ourmodels.json"
    evaluation = run(files.read_file(path), library)
    tab.present(evaluation)
    combined, other = tab.plot._combined.getData()[1], tab.plot._other.getData()[1]
    assert (combined >= other - 1e-12).all()
    assert (combined > other + 0.1).any()
    assert "in bf16_fp32acc" in dict(tab.plot.reading_at(8192).rows)


def test_the_band_can_be_put_away(tab, library, qtbot):
    path = paths.resources() / "examples/laguna-s-2.1-8k-one-shot-fp4.ourmodels.json"
    evaluation = run(files.read_file(path), library)
    tab.present(evaluation)
    assert tab.bracket.value() == "bf16_fp32acc"
    qtbot.keyClick(tab.bracket, Qt.Key.Key_Home)
    assert tab.bracket.value() == ""
    assert tab.plot._other.getData()[1] is None
    tab.present(evaluation)
    assert tab.bracket.value() == ""
    rows, _ = length_rows(evaluation, None)
    assert " to " not in rows[0][1].text


def test_without_a_second_rate_there_is_no_band(tab):
    evaluation = evaluated(mixture(), machine=Machine(34e9, 1e12), prompt=Prompt(8192))
    tab.present(evaluation)
    assert usual_bracket(evaluation.setup) is None
    assert not tab.bracket.isEnabled()


def test_integer_rates_are_no_end_of_a_usual_bracket():
    rates = {"fp4": 100e12, "int8_int32acc": 900e12}
    machine = Machine(34e9, 1e12, rates)
    assert usual_bracket(evaluated(mixture(), machine=machine, prompt=Prompt(8192)).setup) is None


def test_a_row_of_the_table_opens_its_working(tab):
    tab.pages.setCurrentWidget(tab.table)
    evaluation = evaluated(mixture(), prompt=Prompt(8192))
    tab.present(evaluation)
    lengths = [row[0].value for row in tab.table.figures.rows]
    for length in (1024, 262_144):
        tab.table.activated.emit(tab.table.figures.index(lengths.index(length), 0))
        window = tab.table.findChild(WorkingWindow)
        rows, _ = length_rows(evaluation)
        wait = rows[lengths.index(length)][1].value
        assert f"= {wait:.6g} s" in window.text.toPlainText()
        assert "A_linear / F_linear" in window.text.toPlainText()
        window.setParent(None)
        window.close()


def test_no_band_is_left_from_a_machine_with_known_rates(tab, library):
    path = paths.resources() / "examples/laguna-s-2.1-8k-one-shot-fp4.ourmodels.json"
    tab.present(run(files.read_file(path), library))
    assert not tab.plot._band.path().isEmpty()
    tab.present(evaluated(mixture(), machine=Machine(34e9, 1792e9), prompt=Prompt(8192)))
    assert tab.plot._band.path().isEmpty()
