import msgspec
import pytest

from ourmodels_gui.evaluation import run
from ourmodels_gui.problem import BadInput
from ourmodels_gui.ranking import sheet
from ourmodels_gui.ranking.comparison import Side, compare, comparison_sheet
from ourmodels_gui.scenario import ModelRef, PrefillChoice, Scenario

MACHINES = ("geforce-rtx-4090", "geforce-rtx-5090", "nvidia-dgx-spark-gb10")


@pytest.fixture(scope="module")
def sides(library):
    found = []
    for id_ in MACHINES:
        entry = library.machines.get(id_)
        assert entry is not None, id_
        scenario = Scenario(entry.id, ModelRef("gpt-oss-20b"), prefill=PrefillChoice())
        price = entry.record.price.value if entry.record.price else None
        found.append(Side(entry.name, run(scenario, library), price))
    return found


def row(comparison, id_):
    return next(row for row in comparison.rows if row.id == id_)


def test_compositions_say_how_they_are_used_and_what_limits_them(library, sides):
    pair = run(Scenario("geforce-rtx-3090-x2", ModelRef("gpt-oss-20b")), library)
    compared = compare([sides[0], Side("pair", pair, 2998.0, 700.0)])
    assert row(compared, "policy").values == (None, pair.result.placement.policy)
    assert row(compared, "limit").values == (None, "memory of GeForce RTX 3090")
    assert row(compared, "capacity_gb").values[1] == 2 * 24 * 2**30 / 1e9
    assert not any(found.id in ("policy", "limit") for found in compare(sides).rows)


def test_a_price_with_a_part_unknown_is_best_of_none(sides):
    dear, cheap = (
        msgspec.structs.replace(side, price=price)
        for side, price in zip(sides, (900.0, 500.0), strict=False)
    )
    for whole, best in ((True, (False, True)), (False, (False, False))):
        compared = compare([dear, msgspec.structs.replace(cheap, priced_whole=whole)])
        assert row(compared, "price").best == best
        assert row(compared, "price").values == (900.0, 500.0)
    partly = msgspec.structs.replace(dear, priced_whole=False)
    assert row(compare([partly, cheap]), "price").best == (False, True)  # it costs more still
    compared = compare([dear, msgspec.structs.replace(cheap, priced_whole=False)])
    assert not any(row(compared, "tokens_per_s_per_price").best)
    assert any(row(compared, "aggregate_tokens_per_s").best)


def test_the_best_cell_is_the_best_value(sides):
    compared = compare(sides)
    aggregate = row(compared, "aggregate_tokens_per_s")
    results = [side.evaluation.result.decode.aggregate_tokens_per_s for side in sides]
    assert aggregate.values == tuple(results)
    assert aggregate.best.index(True) == results.index(max(results)) and sum(aggregate.best) == 1
    price = row(compared, "price")
    assert price.values[price.best.index(True)] == min(side.price for side in sides)


def test_ratios_are_to_the_baseline(sides):
    aggregate = row(compare(sides, baseline=1), "aggregate_tokens_per_s")
    assert aggregate.ratios[1] == 1.0
    assert aggregate.ratios[0] == aggregate.values[0] / aggregate.values[1]


def test_differences_leave_out_what_is_alike(sides):
    compared = compare(sides)
    shown = {row.id for row in compared.differences}
    assert "resident_gb" not in shown and "aggregate_tokens_per_s" in shown
    assert not any(row(compared, "resident_gb").best)


def test_a_figure_that_is_missing_is_neither_best_nor_a_ratio(sides):
    watts = row(compare(sides), "watts")
    assert watts.values == (None,) * 3 and not any(watts.best) and watts.ratios == (None,) * 3


def test_crossings_are_told_for_each_pair(sides):
    said = compare(sides).crossings
    assert any("GeForce RTX 5090 is ahead of GeForce RTX 4090" in line for line in said) or any(
        "GeForce RTX 5090" in line and "4090" in line for line in said
    )
    assert any("has memory for" in line and "DGX Spark" in line for line in said)


def test_a_comparison_is_a_sheet_with_the_best_marked(sides):
    text = sheet.to_markdown(comparison_sheet(compare(sides), only_differences=True))
    line = next(line for line in text.splitlines() if line.startswith("| Aggregate"))
    assert line.count(" *") == 1 and "Resident weights" not in text


def test_one_or_seven_sides_are_bad_input(sides):
    for marked in (sides[:1], [Side(str(n), sides[0].evaluation) for n in range(7)]):
        with pytest.raises(BadInput, match="2 to 6"):
            compare(marked)


def test_equal_names_and_sides_without_a_result_are_bad_input(sides, library):
    with pytest.raises(BadInput, match="same name"):
        compare([sides[0], sides[0]])
    broken = run(Scenario("no-such", ModelRef("gpt-oss-20b")), library)
    with pytest.raises(BadInput, match="no result"):
        compare([sides[0], Side("broken", broken)])
