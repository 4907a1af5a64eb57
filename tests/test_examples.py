"""The shipped examples reproduce the formulation's printed tables at their printed rounding."""

import contextlib
import io
import json

import pytest

from ourmodels_gui import cli, paths, scenario

EXAMPLES = paths.resources() / "examples"


class Output(io.StringIO):
    """Standard output as `evaluate` writes it: bytes through its buffer."""

    def __init__(self):
        super().__init__()
        self.buffer = io.BytesIO()


def result(name):
    out = Output()
    with contextlib.redirect_stdout(out):
        assert cli.main(["evaluate", str(EXAMPLES / f"{name}{scenario.SUFFIX}")]) == 0
    return json.loads(out.buffer.getvalue())


def k(value):
    """Thousands with one decimal, as the tables print them below ten thousand ("7.1k")."""
    return f"{value / 1e3:.1f}k"


RESULTS = [
    ("dgx-spark-qwen3.6-35b-a3b", "149", 17, "346", "18.2k"),
    ("dgx-spark-gemma-4-26b-a4b", "120", 16, "333", "23.6k"),
    ("dgx-spark-deepseek-v4-flash-q2", "84", 7, "155", "13.1k"),
    ("apple-m5-max-qwen3.6-35b-a3b", "336", 50, "1,008", "40.9k"),
    ("apple-m5-max-gemma-4-26b-a4b", "271", 66, "1,323", "53.1k"),
    ("apple-m5-max-deepseek-v4-flash-q2", "188", 22, "448", "29.5k"),
]


@pytest.mark.parametrize("name, single, best, aggregate, power", RESULTS)
def test_each_row_of_the_results_table_comes_out(name, single, best, aggregate, power):
    decode = result(name)["decode"]
    assert decode["verdict"] == "serves"
    assert f"{decode['single_session_tokens_per_s']:,.0f}" == single
    assert decode["best_batch"] == best
    assert f"{decode['aggregate_tokens_per_s']:,.0f}" == aggregate
    assert k(decode["memory_power_tokens_per_s"]) == power
    assert decode["kind"]["aggregate_tokens_per_s"] == "estimate"


@pytest.mark.parametrize("machine, power", [("dgx-spark", 34_944), ("apple-m5-max", 78_592)])
def test_the_memory_power_of_both_machines_comes_out(machine, power):
    decode = result(f"{machine}-qwen3.6-35b-a3b")["decode"]
    assert decode["memory_power_gb2_per_s"] == pytest.approx(power, rel=1e-12)


FORCED = [
    ("dgx-spark-qwen3.6-35b-a3b-forced-32", 32, "397", "12.4"),
    ("dgx-spark-qwen3.6-35b-a3b-forced-64", 64, "482", "7.5"),
    ("dgx-spark-gemma-4-26b-a4b-forced-32", 32, "434", "13.6"),
    ("dgx-spark-gemma-4-26b-a4b-forced-64", 64, "581", "9.1"),
]


@pytest.mark.parametrize("name, batch, aggregate, each", FORCED)
def test_each_row_of_forced_concurrency_comes_out(name, batch, aggregate, each):
    forced = result(name)["decode"]["forced"]
    assert forced["batch"] == batch and forced["fits"] and not forced["clears_floor"]
    assert f"{forced['aggregate_tokens_per_s']:.0f}" == aggregate
    assert f"{forced['per_session_tokens_per_s']:.1f}" == each


LENGTHS = {"8k": 8192, "32k": 32768, "128k": 131072}
ONE_SHOT = {
    "8k": ("17.7", ("7.1k", "21.5k"), "31k", ("7.1k", "21.5k"), ("0.4", "1.2")),
    "32k": ("21.3", ("5.9k", "13.2k"), "120k", ("5.9k", "13.2k"), ("2.5", "5.6")),
    "128k": ("35.8", ("3.5k", "5.2k"), "425k", ("3.5k", "5.2k"), ("25", "38")),
}
CHUNKS = {
    "8k": ("7.8k", ("7.1k", "7.8k"), ("1.0", "1.2")),
    "32k": ("7.8k", ("5.9k", "7.8k"), ("4.2", "5.6")),
    "128k": ("7.6k", ("3.5k", "5.2k"), ("25", "38")),
}


def bracket(length, policy):
    """The two ends of the compute bracket: slowest and fastest linear mode."""
    ends = [result(f"laguna-s-2.1-{length}-{policy}-{mode}")["prefill"] for mode in ("bf16", "fp4")]
    for end in ends:
        assert end["verdict"] == "serves" and end["unavailable"] is None and end["batch"] == 1
    return ends


def rounded_like(printed, value):
    """The value in the form of a printed figure such as "7.1k", "31k", "0.4" or "25"."""
    if printed.endswith("k"):
        return f"{value / 1e3:.{1 if '.' in printed else 0}f}k"
    return f"{value:.{1 if '.' in printed else 0}f}"


@pytest.mark.parametrize("length", LENGTHS)
def test_the_one_shot_table_comes_out(length):
    flop, compute, memory, combined, time = ONE_SHOT[length]
    slow, fast = bracket(length, "one-shot")
    for end in (slow, fast):
        assert end["chunk_tokens"] == LENGTHS[length]
        assert f"{end['flop_per_token'] / 1e9:.1f}" == flop
        assert rounded_like(memory, end["memory_ceiling_tokens_per_s"]) == memory
    for end, printed in ((slow, compute[0]), (fast, compute[1])):
        assert rounded_like(printed, end["compute_ceiling_tokens_per_s"]) == printed
    for end, printed in ((slow, combined[0]), (fast, combined[1])):
        assert rounded_like(printed, end["tokens_per_s"]) == printed
    for end, printed in ((fast, time[0]), (slow, time[1])):
        assert rounded_like(printed, end["time_s"]) == printed


@pytest.mark.parametrize("length", LENGTHS)
def test_the_chunked_table_comes_out(length):
    memory, combined, time = CHUNKS[length]
    slow, fast = bracket(length, "chunk-2048")
    for end in (slow, fast):
        assert end["chunk_tokens"] == 2048
        assert rounded_like(memory, end["memory_ceiling_tokens_per_s"]) == memory
    for end, printed in ((slow, combined[0]), (fast, combined[1])):
        assert rounded_like(printed, end["tokens_per_s"]) == printed
    for end, printed in ((fast, time[0]), (slow, time[1])):
        assert rounded_like(printed, end["time_s"]) == printed


def test_the_crossover_lies_between_the_printed_ends():
    slow, fast = bracket("8k", "one-shot")
    assert slow["crossover_tokens"] == pytest.approx(2_100, rel=0.03)
    assert fast["crossover_tokens"] == pytest.approx(8_300, rel=0.01)
    chunked = bracket("8k", "chunk-2048")
    assert [end["limit"] for end in chunked] == ["compute", "memory"]


def test_the_two_measured_examples_have_the_ceilings_of_the_comparisons():
    gemma = result("dgx-spark-gemma-4-26b-a4b-measured-16")["decode"]["forced"]
    assert f"{gemma['aggregate_tokens_per_s']:.0f}" == "333"
    laguna = result("laguna-s-2.1-8k-chunk-1600-measured")["prefill"]
    assert laguna["chunk_tokens"] == 1600
    assert f"{laguna['tokens_per_s']:,.0f}" == "5,210"


def test_the_toy_machine_explodes_as_its_reservation_shrinks():
    at_4k, at_1k = (result(f"toy-machine-reserving-{size}")["decode"] for size in ("4k", "1k"))
    assert at_4k["memory_batch"] == 100
    assert at_4k["memory_power_tokens_per_s"] > 4_000
    assert at_1k["memory_power_tokens_per_s"] > 17_000


def test_the_toy_machine_follows_its_reservation():
    decode = result("toy-machine")["decode"]
    assert decode["memory_batch"] == 4 and decode["rate_limited_batch"] is None
    assert decode["single_session_tokens_per_s"] == pytest.approx(800 / (18 + 0.9 * 26))


FIXED, EXPERT_SHARE, READ, ALLOCATED = 0.5 * (3 - 8 * 32 / 248), 8 / 256, 0.3268992, 1.025
"""Of the illustrative Qwen3.6: GB that every step reads beside its experts, the part of these that
one token touches, and a session's cache read and reserved; 17.5 GB are resident."""


def test_two_cards_have_twice_the_memory_and_bandwidth():
    found = result("two-24-gb-cards-qwen3.6-35b-a3b")
    decode = found["decode"]
    assert decode["memory_batch"] == int((48 - 2 - 17.5) / ALLOCATED) == 27
    assert decode["single_session_tokens_per_s"] == pytest.approx(2 * 936 / (1.5 + READ))
    assert decode["best_batch"] == 27
    assert f"{decode['aggregate_tokens_per_s']:,.0f}" == "2,616"
    assert found["placement"]["kind"] == "estimate"


def test_the_experts_that_a_card_has_no_room_for_are_read_from_system_memory():
    """15 GB of room hold what every step reads, the read cache and 13.7 of 16.5 GB of experts."""
    found = result("16-gb-card-with-ddr5-qwen3.6-35b-a3b")
    experts = 17.5 - FIXED
    kept = 15 - FIXED - READ
    on_card = FIXED + READ + EXPERT_SHARE * kept
    on_host = EXPERT_SHARE * (experts - kept)
    sequential, both = found["placement"]["policies"][0], found["placement"]["policies"][1]
    assert sequential["name"] == found["placement"]["policy"] == "one pool at a time"
    step_s = on_card / 448 + on_host / 89.6
    assert sequential["single_session_tokens_per_s"] == pytest.approx(1 / step_s)
    together = (on_card + on_host) / (448 + 89.6)
    assert both["single_session_tokens_per_s"] == pytest.approx(1 / together)
    assert found["decode"]["best_batch"] == 7
    assert f"{found['decode']['aggregate_tokens_per_s']:.0f}" == "302"


def test_every_example_is_covered_and_stands_alone():
    names = {path.name.removesuffix(scenario.SUFFIX) for path in EXAMPLES.iterdir()}
    laguna = {
        f"laguna-s-2.1-{length}-{policy}-{mode}"
        for length in LENGTHS
        for policy in ("one-shot", "chunk-2048")
        for mode in ("bf16", "fp4")
    }
    toys = {"toy-machine", "toy-machine-reserving-4k", "toy-machine-reserving-1k"}
    measured = {"dgx-spark-gemma-4-26b-a4b-measured-16", "laguna-s-2.1-8k-chunk-1600-measured"}
    composed = {"two-24-gb-cards-qwen3.6-35b-a3b", "16-gb-card-with-ddr5-qwen3.6-35b-a3b"}
    assert names == {row[0] for row in RESULTS + FORCED} | laguna | toys | measured | composed
    for path in EXAMPLES.iterdir():
        example = scenario.read_file(path)
        assert example.name and not isinstance(example.hardware, str)
        assert scenario.write(example) == path.read_bytes()
