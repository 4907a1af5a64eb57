"""Logged measurements stand where a plot expects them and can be taken away."""

import csv
import io
import json

import pytest

from ourmodels_gui.measured.log import Entry, read
from ourmodels_gui.measured.points import COLUMNS, exported, point
from ourmodels_gui.measured.runs import MeasuredRun, Said


def run(**changes):
    fields = {
        "said": Said("", "", ""),
        "machine": "geforce-rtx-3090",
        "model": "llama-3-8b",
        "weights": "q4_k_m",
        "phase": "decode",
        "tokens_per_s": 111.74,
        "source": "typed",
    }
    return MeasuredRun(id="log-1", **fields | changes)


def test_a_point_in_the_scenarios_context_is_told_from_one_elsewhere():
    deep = run(depth_tokens=32_000, generated_tokens=128.0)
    assert point(deep, 32_000).same
    assert not point(deep, 1000).same
    assert not point(run(generated_tokens=128.0), 32_000).same


def test_a_run_that_says_no_context_is_held_against_any():
    assert point(run(batch=16), 32_000).same


def test_a_prompt_stands_at_its_length_and_prefix():
    prompt = run(phase="prefill", prompt_tokens=2048, depth_tokens=4096)
    assert point(prompt, 4096).same and not point(prompt, 0).same
    assert point(prompt, 0).prompt_tokens == 2048


def test_csv_holds_every_digit_and_the_ceiling(library):
    text = exported([Entry("2026-11-30", run(note="first"))], "CSV", library)
    row = next(csv.DictReader(io.StringIO(text)))
    assert tuple(row) == COLUMNS
    assert (row["tokens_per_s"], row["note"]) == ("111.74", "first")
    assert float(row["ratio"]) == pytest.approx(111.74 / float(row["ceiling_tokens_per_s"]))


def test_words_that_a_spreadsheet_would_run_stay_words(library):
    text = exported([Entry("2026-11-30", run(note="=1+1"))], "CSV", library)
    assert next(csv.DictReader(io.StringIO(text)))["note"] == "'=1+1"


def test_json_is_the_logs_own_form(library):
    entries = (Entry("2026-11-30", run()),)
    text = exported(entries, "JSON", library)
    assert read(text.encode()) == (entries, ())
    assert json.loads(text)["format"] == "ourmodels-measurements"


def test_a_markdown_table_keeps_its_columns_whatever_the_note(library):
    text = exported([Entry("2026-11-30", run(note="a|b\nc"))], "Markdown", library)
    lines = text.splitlines()
    assert len(lines) == 3
    assert "a\\|b c" in lines[2]
    assert lines[2].replace("\\|", "").count("|") == len(COLUMNS) + 1
