"""Compositions are rows among the machines: every cell is what `evaluate` says of it."""

import math

import msgspec
import numpy as np
import pytest
from test_ranking_cells import WORKLOADS, disagreements

from ourmodels_gui.composed import ComposedHardware, DeviceChoice, PlacementChoice
from ourmodels_gui.inline import InlineAdapter, InlineCache, InlineHardware
from ourmodels_gui.ranking.field import BEST, FieldChoice, prepare
from ourmodels_gui.ranking.machines import SEVERAL, WITH_HOST
from ourmodels_gui.ranking.order import Filters, choose, facets, order
from ourmodels_gui.ranking.table import rank
from ourmodels_gui.scenario import InlineModel, PrefillChoice, WorkloadChoice
from ourmodels_gui.settings import OwnPrice, Settings

CARD = InlineHardware(name="card", memory_gb=24, bandwidth_gb_per_s=936, kind="discrete")
RAM = InlineHardware(name="ram", memory_gb=96, bandwidth_gb_per_s=89.6, kind="cpu")
PAIR = (DeviceChoice(machine=CARD, count=2),)
WRITTEN_OUT = (
    ComposedHardware(devices=PAIR, link=16.0, split="experts"),
    ComposedHardware(devices=PAIR, link=16.0, groups=1),
    ComposedHardware(devices=PAIR, link=16.0, host_memory=RAM, pools="streamed"),
    ComposedHardware(
        devices=(DeviceChoice(machine=CARD),),
        host_memory=RAM,
        placement=PlacementChoice(routed_experts=0.0, cache=1.0),
    ),
    ComposedHardware(devices=(DeviceChoice(id="geforce-rtx-4090"),), name="One alone"),
)
READY = (
    "geforce-rtx-3090-x2",
    "geforce-rtx-5080-3090",
    "geforce-rtx-5090-ddr5-128gb",
    "geforce-rtx-3090-x2-ddr4-64gb",
    "nvidia-dgx-spark-gb10-x2",
    "nvidia-h100-sxm5-80gb-x8",
)
MODELS = ("qwen3-32b", "qwen3-30b-a3b", "gpt-oss-120b", "gemma-3-27b-it", "deepseek-v3")


def field_of(library, weights="q4_k_m", cache_format=None, machines=(*READY, *WRITTEN_OUT)):
    choice = FieldChoice(
        weights=weights,
        cache_format=cache_format,
        machines=("geforce-rtx-4090", *machines),
        models=MODELS,
    )
    return prepare(library, choice)


@pytest.mark.parametrize("name", [name for name in WORKLOADS if "measured" not in name])
@pytest.mark.parametrize("weights", ["q4_k_m", BEST])
def test_cells_equal_evaluate(library, name, weights):
    workload, prefill = WORKLOADS[name]
    table = rank(field_of(library, weights, workload.cache_format), workload, prefill)
    assert disagreements(table, range(len(table))) == []


def test_cells_of_every_ready_composition_equal_evaluate(library):
    choice = FieldChoice(machines=tuple(library.compositions), models=("gpt-oss-20b", "qwen3-8b"))
    table = rank(prepare(library, choice), WorkloadChoice(batch=4), PrefillChoice())
    assert len(table) == 2 * len(library.compositions)
    assert disagreements(table, range(len(table))) == []


def test_a_model_written_out_is_charged_no_link(library):
    adapter = InlineAdapter(
        total_parameters_b=30.0,
        active_parameters_b=3.0,
        routed_experts=128,
        experts_per_token=8,
        bytes_per_parameter=0.5,
        cache=InlineCache(alloc_gb_per_session=1.0, read_gb_per_token=0.4),
    )
    choice = FieldChoice(machines=READY, models=(InlineModel(adapter),))
    table = rank(prepare(library, choice))
    assert disagreements(table, range(len(table))) == []


def test_one_device_alone_is_ranked_as_that_device_under_its_own_name(library):
    field = field_of(library)
    alone = next(machine for machine in field.machines if machine.name == "One alone")
    assert alone.composed is None
    assert alone.machine == next(
        machine.machine for machine in field.machines if machine.id == "geforce-rtx-4090"
    )


def test_measured_rates_leave_compositions_out_with_the_reason(library):
    field = field_of(library, machines=READY)
    table = rank(field, WorkloadChoice(rates="measured"))
    assert disagreements(table, range(len(table))) == []
    for row in range(field.single, len(field.machines)):
        if table.verdict_of(row) == "cannot be evaluated":
            assert "measured" in table.reason(row)


def test_an_overhead_that_takes_a_whole_device_is_told(library):
    field = field_of(library, machines=("geforce-rtx-3090-x2",))
    table = rank(field, WorkloadChoice(overhead_gb=30.0))
    assert table.verdict_of(1) == "cannot be evaluated"
    assert "taken by the overhead" in table.reason(1)
    assert table.evaluation(1).problem.message == table.reason(1)


def test_a_row_opens_as_the_scenario_that_names_it(library):
    table = rank(field_of(library, machines=READY))
    row = table.field.single
    assert table.scenario(row).hardware == table.field.machines[row].id == READY[0]


def test_a_composition_is_found_by_kind_size_and_name(library):
    table = rank(field_of(library))
    kinds = facets(table)["kind"]
    assert {SEVERAL, WITH_HOST} <= set(kinds.values)
    rows = choose(table, Filters(facets={"kind": frozenset([WITH_HOST])}))
    assert all(table.machine_of(int(row)).host is not None for row in rows)
    rows = choose(table, Filters(text="3090 ddr4 qwen3-32b"))
    assert {table.machine_of(int(row)).id for row in rows} == {"geforce-rtx-3090-x2-ddr4-64gb"}
    sizes = facets(table)["memory"]
    assert sizes.values[sizes.codes[-1]] == "up to 128 GB"  # 24 and 96 GB together


def test_memory_power_is_that_of_all_pools_together(library):
    table = rank(field_of(library, machines=("geforce-rtx-3090-x2",)))
    one = 24 * 2**30 * 936.2e9 / 1e18
    assert math.isclose(table.values("memory_power_gb2_per_s")[1], 4 * one)


def test_the_price_is_the_sum_over_the_devices(library):
    table = rank(field_of(library, machines=READY))
    ids = [machine.id for machine in table.field.machines]
    prices = dict(zip(ids, table.price_tags, strict=True))
    pair = prices["geforce-rtx-3090-x2"]
    assert pair.amount == 2 * 1499
    assert pair.said.startswith("2 x 1,499 USD, launch price")
    host = prices["geforce-rtx-5090-ddr5-128gb"]
    assert host.amount == 1999
    assert host.said.endswith("host memory: no price")


def test_a_part_without_a_price_leaves_the_whole_without_one(library):
    table = rank(field_of(library, machines=("radeon-instinct-mi50-32gb-x2",)))
    assert table.price_tags[1].amount is None
    assert "MI50" in table.price_tags[1].said
    assert math.isnan(table.values("price")[1])


def test_own_prices_of_parts_and_of_the_whole_are_used(library):
    machines = ("radeon-instinct-mi50-32gb-x2", "geforce-rtx-5090-ddr5-128gb")
    host = library.compositions[machines[1]].hardware.host_memory
    prices = {"radeon-instinct-mi50-32gb": OwnPrice(150.0), host: OwnPrice(400.0)}
    table = rank(field_of(library, machines=machines), settings=Settings(prices=prices))
    assert [tag.amount for tag in table.price_tags[1:]] == [300.0, 2399.0]
    whole = table.at_prices(Settings(prices={machines[1]: OwnPrice(3000.0)}))
    assert whole.price_tags[2].amount == 3000.0


def test_the_power_is_the_sum_over_every_part(library):
    table = rank(field_of(library, machines=READY))
    watts = dict(
        zip([machine.id for machine in table.field.machines], table.values("watts"), strict=False)
    )
    assert watts["geforce-rtx-3090-x2"] == 700
    assert watts["geforce-rtx-5090-ddr5-128gb"] == 575 + 170
    written = rank(field_of(library, machines=WRITTEN_OUT))
    assert np.isnan(written.values("watts")[2])


def test_the_whole_library_has_the_ready_ones_last(library):
    field = prepare(library, FieldChoice(models=("qwen3-32b",)))
    ids = [machine.id for machine in field.machines]
    assert ids[field.single :] == list(library.compositions)
    assert set(ids[: field.single]) == set(library.machines)


def test_ordinary_rows_are_the_same_with_and_without_compositions(library):
    workload = WorkloadChoice(floor_tokens_per_s=5.0, batch=3)
    machines = tuple(list(library.machines)[:40])
    alone = rank(field_of(library, machines=machines), workload)
    beside = rank(field_of(library, machines=(*machines, *READY)), workload)
    for column in ("best_batch", "aggregate_tokens_per_s", "spare_gb", "usable_batch",
                   "forced_per_session_tokens_per_s", "longest_context_tokens"):  # fmt: skip
        one = alone.values(column).reshape(len(MODELS), -1)
        other = beside.values(column).reshape(len(MODELS), -1)[:, : one.shape[1]]
        assert np.array_equal(one, other, equal_nan=True), column


def test_the_longest_context_fits_and_one_token_more_does_not(library):
    from ourmodels_gui.evaluation import run  # noqa: PLC0415

    table = rank(field_of(library), WorkloadChoice(floor_tokens_per_s=0.0))
    longest = table.values("longest_context_tokens")
    checked = 0
    for row in range(len(table)):
        machine = table.machine_of(row)
        if machine.composed is None:
            continue
        if isinstance(machine.composed.placement, PlacementChoice):
            assert math.isnan(longest[row])
            continue
        limit = table.model_of(row).formats[0][1].max_context_tokens
        for tokens, fits in ((longest[row], True), (longest[row] + 1, False)):
            if math.isnan(tokens) or tokens > limit:
                continue
            workload = WorkloadChoice(
                reserved_context_tokens=int(tokens), read_context_tokens=1, floor_tokens_per_s=0.0
            )
            scenario = msgspec.structs.replace(table.scenario(row), workload=workload)
            assert (run(scenario, library).result.decode.memory_batch >= 1) is fits
            checked += 1
    assert checked > 30


def test_the_rate_that_serves_best_comes_first(library):
    table = rank(field_of(library, machines=READY))
    rows = order(table, "aggregate_tokens_per_s")
    assert table.machine_of(int(rows[0])).id == "nvidia-h100-sxm5-80gb-x8"
