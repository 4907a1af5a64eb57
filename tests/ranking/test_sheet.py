import csv
import io
import json
import math

import numpy as np
import pytest

from ourmodels_gui.problem import BadInput
from ourmodels_gui.ranking import sheet
from ourmodels_gui.ranking.columns import BY_ID
from ourmodels_gui.ranking.field import FieldChoice, prepare
from ourmodels_gui.ranking.order import order
from ourmodels_gui.ranking.table import rank
from ourmodels_gui.scenario import PrefillChoice


@pytest.fixture(scope="module")
def table(library):
    field = prepare(library, FieldChoice(weights="q4_k_m", models=("qwen3-30b-a3b",)))
    return rank(field, None, PrefillChoice())


@pytest.fixture(scope="module")
def whole(table):
    return sheet.ranking_sheet(table, order(table, "aggregate_tokens_per_s"))


def test_csv_carries_every_digit_and_nothing_where_nothing_is(table, whole):
    read = list(csv.DictReader(io.StringIO(sheet.to_csv(whole))))
    rows = order(table, "aggregate_tokens_per_s")
    assert len(read) == len(table)
    for row, line in zip(rows.tolist(), read, strict=True):
        assert line["hardware"] == table.machine_of(row).id
        assert line["verdict"] == table.verdict_of(row)
        for column in BY_ID:
            value = table.values(column)[row]
            assert line[column] == "" if np.isnan(value) else float(line[column]) == value


def test_json_has_null_where_a_figure_does_not_exist(whole):
    rows = json.loads(sheet.to_json(whole))
    assert rows[0]["verdict"] == "serves" and isinstance(rows[0]["best_batch"], int)
    assert rows[-1]["best_batch"] is None and rows[-1]["reason"]
    assert not any(isinstance(v, float) and math.isnan(v) for row in rows for v in row.values())


def test_markdown_has_one_cell_for_each_heading(whole):
    lines = sheet.to_markdown(whole).splitlines()
    assert len(lines) == len(whole.texts) + 2
    assert {line.count("|") for line in lines} == {len(whole.headings) + 1}


def test_a_bar_inside_a_name_does_not_end_its_cell():
    heading = (sheet.Heading("a", "A", numeric=False),)
    assert "x\\|y" in sheet.to_markdown(sheet.Sheet(heading, [("x|y",)], [("x|y",)]))


def test_text_leaves_out_columns_that_say_nothing(whole):
    first = sheet.to_text(whole).splitlines()[0]
    assert "Per session, forced" not in first and "Aggregate, tok/s" in first


def test_a_sheet_without_rows_keeps_its_headings(table):
    empty = sheet.ranking_sheet(table, np.array([], dtype=np.intp), ("price",))
    assert sheet.to_csv(empty).startswith("hardware,machine,model")
    assert json.loads(sheet.to_json(empty)) == []
    assert sheet.to_text(empty).startswith("Machine id")


def test_an_unknown_column_is_bad_input(table):
    with pytest.raises(BadInput, match="speed"):
        sheet.ranking_sheet(table, np.array([0]), ("speed",))
