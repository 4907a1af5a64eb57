import random

import numpy as np
import pytest

from ourmodels_gui.problem import BadInput
from ourmodels_gui.ranking.columns import COLUMNS
from ourmodels_gui.ranking.field import FieldChoice, prepare
from ourmodels_gui.ranking.order import Filters, Range, choose, facets, order, why_empty
from ourmodels_gui.ranking.table import rank
from ourmodels_gui.scenario import PrefillChoice


@pytest.fixture(scope="module")
def table(library):
    models = ("qwen3-30b-a3b", "llama-3.3-70b-instruct", "zephyr-7b-beta", "gpt-oss-20b")
    field = prepare(library, FieldChoice(weights="q4_k_m", models=models))
    return rank(field, None, PrefillChoice())


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("column", [column.id for column in COLUMNS])
def test_rows_are_sorted_with_what_does_not_serve_last(table, column, descending):
    rows = order(table, column, descending)
    assert sorted(rows) == list(range(len(table)))
    serving = table.serves[rows]
    served = int(serving.sum())
    assert serving[:served].all() and not serving[served:].any()
    values = table.values(column)[rows]
    for part in (slice(None, served), slice(served, None)):
        known = ~np.isnan(values[part])
        count = int(known.sum())
        assert known[:count].all()
        steps = np.diff(values[part][:count])
        assert (steps <= 0).all() if descending else (steps >= 0).all()


def test_equal_rows_keep_the_order_of_the_table(table):
    for descending in (True, False):
        rows = order(table, "watts", descending)
        values, serving = table.values("watts")[rows], table.serves[rows]
        alike = (values[1:] == values[:-1]) & (serving[1:] == serving[:-1])
        assert (np.diff(rows)[alike] > 0).all() and alike.any()


def test_names_sort_whatever_their_case(table):
    rows = order(table, "machine", descending=False)
    names = [table.machine_of(row).name.casefold() for row in rows if table.serves[row]]
    assert names == sorted(names)


def test_verdicts_sort_from_serves_to_what_cannot_be_evaluated(table):
    codes = table.verdict[order(table, "verdict")]
    assert (np.diff(codes) <= 0).all() and set(codes) >= {-1, 0, 3}


def test_a_subset_is_sorted_alone(table):
    some = np.array(sorted(random.Random(1).sample(range(len(table)), 50)))
    whole = order(table, "price", False)
    assert order(table, "price", False, some).tolist() == [row for row in whole if row in some]


def test_an_unknown_column_is_bad_input_that_names_the_known_ones(table):
    with pytest.raises(BadInput, match="aggregate_tokens_per_s"):
        order(table, "speed")


def test_ranges_keep_their_ends_and_drop_what_is_unknown(table):
    prices = table.values("price")
    rows = choose(table, Filters(ranges={"price": Range(low=999.0, high=1999.0)}))
    wanted = [row for row, price in enumerate(prices) if 999.0 <= price <= 1999.0]
    assert rows.tolist() == wanted and wanted
    kept = choose(table, Filters(ranges={"price": Range(high=1999.0, unknown=True)}))
    assert set(kept) == set(np.flatnonzero(~(prices > 1999.0)))


def test_an_open_range_filters_nothing(table):
    assert choose(table, Filters(ranges={"price": Range()})).size == len(table)


def test_facets_divide_every_row_once(table):
    found = facets(table)
    assert set(found) >= {"machine_vendor", "kind", "memory", "experts", "licence"}
    for facet in found.values():
        assert facet.place.size == len(table)
        counts = np.bincount(facet.place, minlength=len(facet.values))
        assert counts.sum() == len(table) and (counts > 0).all()


def test_facets_tell_the_facts_of_their_row(table):
    found = facets(table)
    row = next(
        row
        for row in range(len(table))
        if table.machine_of(row).id == "geforce-rtx-4090"
        and table.model_of(row).id == "gpt-oss-20b"
    )
    said = {id_: facet.values[facet.place[row]] for id_, facet in found.items()}
    assert said["machine_vendor"] == "NVIDIA" and said["kind"] == "discrete"
    assert said["memory"] == "up to 24 GB" and said["experts"] == "MoE"
    assert said["licence"] == "Apache-2.0"


def test_facets_search_and_serving_work_together(table):
    filters = Filters(facets={"kind": frozenset({"discrete"})}, text="  GeForce 30B ", serving=True)
    rows = choose(table, filters)
    assert rows.size
    for row in rows:
        machine, model = table.machine_of(row), table.model_of(row)
        assert machine.kind == "discrete" and table.serves[row]
        assert "geforce" in machine.name.casefold() and "30b" in model.name.casefold()


def test_an_empty_result_names_the_filter_to_drop(table):
    filters = Filters(ranges={"price": Range(high=1.0)}, text="geforce")
    assert choose(table, filters).size == 0
    count = choose(table, Filters(text="geforce")).size
    assert f"Without the range of “Price” there would be {count:,}." in why_empty(table, filters)


def test_filters_that_no_single_drop_helps_say_to_start_over(table):
    filters = Filters(
        ranges={"price": Range(high=1.0)}, text="nothing is called so", facets={"kind": frozenset()}
    )
    assert "Clear them" in why_empty(table, filters)


def test_why_empty_is_silent_while_rows_are_left(table):
    assert why_empty(table, Filters(text="geforce")) == "" == why_empty(table, Filters())


def test_a_range_from_high_to_low_is_bad_input(table):
    with pytest.raises(BadInput, match="from 5 to 3 holds nothing"):
        choose(table, Filters(ranges={"price": Range(low=5.0, high=3.0)}))


def test_an_unknown_facet_is_bad_input(table):
    with pytest.raises(BadInput, match="colour"):
        choose(table, Filters(facets={"colour": frozenset({"red"})}))


def test_every_impossible_row_says_why(table):
    for row in np.flatnonzero(~table.serves)[::7].tolist():
        reason = table.reason(row)
        assert "missing" in reason or "unknown" in reason or "tok/s" in reason
    assert all(table.reason(row) == "" for row in np.flatnonzero(table.serves)[:50].tolist())


def test_one_machine_and_one_model_make_a_table(library):
    choice = FieldChoice(machines=("geforce-rtx-4090",), models=("gpt-oss-20b",))
    table = rank(prepare(library, choice))
    assert order(table, "price").tolist() == [0] and len(facets(table)["kind"].values) == 1


def test_nothing_to_rank_is_bad_input(library):
    with pytest.raises(BadInput, match="no machine"):
        prepare(library, FieldChoice(machines=()))
    with pytest.raises(BadInput, match="no model"):
        prepare(library, FieldChoice(models=()))


def test_unknown_ids_and_formats_are_bad_input(library):
    for choice in (
        FieldChoice(machines=("gforce-rtx-4090",)),
        FieldChoice(models=("qwen",)),
        FieldChoice(weights="q4"),
    ):
        with pytest.raises(BadInput):
            prepare(library, choice)


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize(
    "column", ["aggregate_tokens_per_s", "price", "watts", "machine", "verdict"]
)
@pytest.mark.parametrize("least", [1, 7, 400, 10**6])
def test_the_first_rows_alone_are_those_of_the_whole_order(table, column, descending, least):
    whole = order(table, column, descending)
    first = order(table, column, descending, least=least)
    assert first.size >= min(least, len(table))
    assert first.tolist() == whole[: first.size].tolist()


def test_the_first_rows_of_a_subset_are_those_of_its_whole_order(table):
    some = np.arange(0, len(table), 3)
    whole = order(table, "price", False, some)
    first = order(table, "price", False, some, least=20)
    assert 20 <= first.size < some.size
    assert first.tolist() == whole[: first.size].tolist()


def test_rows_can_be_divided_by_verdict(table):
    facet = facets(table)["verdict"]
    assert facet.values[0] == "serves" and facet.values[-1] == "cannot be evaluated"
    rows = choose(table, Filters(facets={"verdict": frozenset({"model does not fit"})}))
    assert rows.size and {table.verdict_of(row) for row in rows} == {"model does not fit"}
    for row in range(0, len(table), 97):
        assert facet.values[facet.place[row]] == table.verdict_of(row)
