"""Every cell of a ranking is what `evaluate` says of that pair on its own."""

import math
import random

import msgspec
import numpy as np
import pytest

from ourmodels_gui.evaluation import run
from ourmodels_gui.inline import InlineAdapter, InlineCache, InlineHardware
from ourmodels_gui.ranking.field import BEST, LONGEST_TOKENS, FieldChoice, prepare
from ourmodels_gui.ranking.table import UNKNOWN, rank
from ourmodels_gui.scenario import InlineModel, PrefillChoice, WorkloadChoice
from ourmodels_gui.settings import OwnPrice, Settings

WORKLOADS = {
    "defaults": (WorkloadChoice(), PrefillChoice()),
    "combined": (
        WorkloadChoice(decode_ceiling="combined", floor_tokens_per_s=5.0, batch=3),
        PrefillChoice(linear_mode="fp16_fp32acc", attention_mode="bf16_fp32acc"),
    ),
    "no floor, short, a fraction read, chunks behind a prefix": (
        WorkloadChoice(
            reserved_context_tokens=4096,
            read_context_fraction=0.5,
            floor_tokens_per_s=0.0,
            cache_format="q8_0",
            batch=7,
        ),
        PrefillChoice(
            prompt_tokens=2000,
            chunk_tokens=512,
            cached_prefix_tokens=100,
            cache_growth="on_demand",
        ),
    ),
    "floor routing, full cache, typed overhead, forced prompts": (
        WorkloadChoice(
            floor_tokens_per_s=3.7,
            routing="floor",
            cache_policy="full",
            overhead_gb=3.0,
            decode_ceiling="combined",
        ),
        PrefillChoice(prompt_tokens=3000, batch=2),
    ),
    "a budget on the wait": (
        WorkloadChoice(reserved_context_tokens=1_000_000, read_context_tokens=900_000),
        PrefillChoice(prompt_tokens=600, ttft_budget_s=0.3),
    ),
    "measured rates, no prompt": (WorkloadChoice(rates="measured", floor_tokens_per_s=50.0), None),
}


def expected_cells(evaluation):
    """The columns of one row, read off its own evaluation."""
    decode, prefill = evaluation.result.decode, evaluation.result.prefill
    single = prefill and prefill.single_prompt
    return {
        "memory_batch": decode.memory_batch,
        "usable_batch": decode.usable_batch,
        "best_batch": decode.best_batch,
        "aggregate_tokens_per_s": decode.aggregate_tokens_per_s,
        "per_session_tokens_per_s": decode.per_session_tokens_per_s,
        "single_session_tokens_per_s": decode.single_session_tokens_per_s,
        "forced_per_session_tokens_per_s": decode.forced and decode.forced.per_session_tokens_per_s,
        "prefill_tokens_per_s": prefill and prefill.tokens_per_s,
        "time_to_first_token_s": single and single.time_s,
        "spare_gb": decode.spare_bytes / 1e9,
        "memory_power_gb2_per_s": decode.memory_power_bytes2_per_s / 1e9**2,
    }


def disagreements(table, rows):
    """Cells that differ from the evaluation of their row, to the last bit."""
    wrong = []
    for row in rows:
        evaluation = table.evaluation(row)
        if table.verdict[row] == UNKNOWN:
            if evaluation.problem is None:
                wrong.append((row, "verdict", "cannot be evaluated"))
            continue
        if table.verdict_of(row) != evaluation.result.decode.verdict:
            wrong.append((row, "verdict", evaluation.result.decode.verdict))
        for column, value in expected_cells(evaluation).items():
            shown = float(table.values(column)[row])
            wanted = math.nan if value is None else float(value)
            if shown != wanted and not (math.isnan(shown) and math.isnan(wanted)):
                wrong.append((row, column, shown, value))
    return wrong


def edge_rows(table):
    """Least and most of every figure, a row of every verdict, the least and largest machines."""
    rows = set()
    for column in expected_cells_names():
        values = table.values(column)
        if not np.isnan(values).all():
            rows |= {int(np.nanargmin(values)), int(np.nanargmax(values))}
    for code in np.unique(table.verdict):
        rows.add(int(np.flatnonzero(table.verdict == code)[0]))
    return sorted(rows)


def expected_cells_names():
    return [
        "memory_batch",
        "usable_batch",
        "best_batch",
        "aggregate_tokens_per_s",
        "per_session_tokens_per_s",
        "single_session_tokens_per_s",
        "prefill_tokens_per_s",
        "time_to_first_token_s",
        "spare_gb",
    ]


@pytest.mark.parametrize("weights", [None, BEST], ids=["release", "best"])
@pytest.mark.parametrize("name", WORKLOADS)
def test_cells_equal_evaluate_at_random_and_at_the_edges(library, name, weights):
    workload, prefill = WORKLOADS[name]
    choice = FieldChoice(weights, workload.cache_format, machines=tuple(library.machines))
    table = rank(prepare(library, choice), workload, prefill)
    draw = random.Random(f"{name} {weights}")
    rows = [draw.randrange(len(table)) for _ in range(90)]
    assert disagreements(table, rows + edge_rows(table)) == []


def test_a_printed_rate_given_back_as_the_floor_admits_its_batch(library):
    field = prepare(library, FieldChoice(weights="q4_k_m", models=("qwen3-30b-a3b",)))
    table = rank(field, WorkloadChoice(), None)
    for row in np.flatnonzero(table.serves)[:40]:
        floor = float(table.values("per_session_tokens_per_s")[row])
        again = rank(field, WorkloadChoice(floor_tokens_per_s=floor), None)
        assert again.values("best_batch")[row] >= table.values("best_batch")[row]
        assert disagreements(again, [int(row)]) == []


def test_the_longest_context_fits_and_one_token_more_does_not(library):
    field = prepare(library, FieldChoice(weights="q4_k_m"))
    table = rank(field, WorkloadChoice(floor_tokens_per_s=0.0), None)
    longest = table.values("longest_context_tokens")
    draw = random.Random(8)
    for row in draw.sample(np.flatnonzero(longest >= 1).tolist(), 60):
        scenario, tokens = table.scenario(row), int(longest[row])
        limit = table.model_of(row).formats[0][1].max_context_tokens or LONGEST_TOKENS
        assert tokens <= limit

        def fits(reserved, scenario=scenario):
            workload = WorkloadChoice(
                reserved_context_tokens=reserved, read_context_tokens=1, floor_tokens_per_s=0.0
            )
            changed = msgspec.structs.replace(scenario, workload=workload)
            return run(changed, library).result.decode.memory_batch >= 1

        assert fits(tokens)
        assert tokens == limit or not fits(tokens + 1)


def test_the_best_format_is_the_largest_that_serves(library):
    models = ("qwen3-30b-a3b", "llama-3.3-70b-instruct", "gpt-oss-120b")
    table = rank(prepare(library, FieldChoice(weights=BEST, models=models)))
    for row in range(0, len(table), 11):
        ids = [weights for weights, _ in table.model_of(row).formats]
        larger = ids[: ids.index(table.weights_of(row))] if table.serves[row] else ids
        assert not any(_serves(library, table, row, weights) for weights in larger)


def test_a_model_released_in_few_bits_is_never_ranked_in_more(library):
    field = prepare(library, FieldChoice(weights=BEST, models=("gpt-oss-120b",)))
    sizes = [costs.resident_bytes for _, costs in field.models[0].formats]
    assert field.models[0].formats[0][0] == "native"
    assert sizes == sorted(sizes, reverse=True)


def _serves(library, table, row, weights):
    scenario = table.scenario(row)
    model = msgspec.structs.replace(scenario.model, weights=weights)
    found = run(msgspec.structs.replace(scenario, model=model), library)
    return found.result.decode.verdict == "serves"


def test_machines_and_models_written_out_take_part(library):
    hardware = InlineHardware(
        memory_gb=128.0,
        bandwidth_gb_per_s=800.0,
        compute_tflop_per_s={"bf16_fp32acc": 125.0},
    )
    adapter = InlineAdapter(
        total_parameters_b=32.0,
        bytes_per_parameter=0.5,
        cache=InlineCache(alloc_gb_per_session=2.6, read_gb_per_token=1.3),
    )
    choice = FieldChoice(
        machines=(hardware, "geforce-rtx-4090"), models=(InlineModel(adapter), "qwen3-30b-a3b")
    )
    table = rank(prepare(library, choice), None, PrefillChoice())
    assert len(table) == 4
    assert table.machine_of(0).name == "machine as typed"
    assert disagreements(table, range(4)) == []


def test_a_model_without_a_cache_stays_with_its_reason(library):
    adapter = InlineAdapter(
        total_parameters_b=1.0,
        bytes_per_parameter=1.0,
        cache=InlineCache(alloc_gb_per_session=0.0, read_gb_per_token=0.0),
    )
    machines = ("geforce-rtx-4090", "geforce-rtx-3090-x2")
    choice = FieldChoice(machines=machines, models=(InlineModel(adapter),))
    table = rank(prepare(library, choice))
    assert table.verdict_of(1) == table.verdict_of(0) == "cannot be evaluated"
    assert "not a decoder" in table.reason(0)
    assert np.isnan(table.values("aggregate_tokens_per_s")).all()


def test_measured_rates_leave_other_machines_in_with_the_reason(library):
    field = prepare(library, FieldChoice(models=("gpt-oss-20b",)))
    table = rank(field, WorkloadChoice(rates="measured"))
    measured = [bool(machine.measured.get("bandwidth")) for machine in table.field.machines]
    assert 0 < sum(measured) < len(measured)
    for row, known in enumerate(measured):
        assert (table.verdict[row] == UNKNOWN) is not known
    unknown = measured.index(False)
    assert "no measured bandwidth" in table.reason(unknown)


def test_a_field_is_kept_while_nothing_it_rests_on_changes(library):
    choice = FieldChoice(models=("gpt-oss-20b",))
    field = prepare(library, choice)
    assert prepare(library, FieldChoice(models=("gpt-oss-20b",)), field) is field
    assert prepare(library, FieldChoice(models=("gpt-oss-120b",)), field) is not field


def test_other_prices_keep_what_does_not_rest_on_them(library):
    table = rank(prepare(library, FieldChoice(models=("gpt-oss-20b",))))
    rates, prices = table.values("aggregate_tokens_per_s"), table.values("price")
    place = [machine.id for machine in table.field.machines].index("geforce-rtx-4090")
    other = table.at_prices(Settings(prices={"geforce-rtx-4090": OwnPrice(123.0)}))
    assert other.values("aggregate_tokens_per_s") is rates
    assert other.values("price")[place] == 123.0 != prices[place]
