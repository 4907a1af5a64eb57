"""Pasted output of several devices, or of experts in host memory, is of the right composition."""

import json

import msgspec
import pytest

from ourmodels_gui import evaluation, scenario
from ourmodels_gui.composed import ComposedHardware, DeviceChoice
from ourmodels_gui.inline import InlineHardware
from ourmodels_gui.measured import log
from ourmodels_gui.measured.check import check, conditions, lines
from ourmodels_gui.measured.composition import taken_over
from ourmodels_gui.measured.identify import identified
from ourmodels_gui.measured.paste import read
from ourmodels_gui.measured.points import table
from ourmodels_gui.measured.runs import MeasuredRun, Said
from ourmodels_gui.scenario import ModelRef, Scenario

CARDS = """ggml_cuda_init: found 2 CUDA devices:
  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
  Device 1: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
"""
LLAMA = {"model": "llama-3-8b", "weights": "q4_k_m"}
HOST = InlineHardware(name="DDR5", memory_gb=96, bandwidth_gb_per_s=89.6, kind="cpu")
CARD = ComposedHardware(devices=(DeviceChoice("geforce-rtx-3090"),), host_memory=HOST)


def rows(column="", value="", listing=CARDS, rate="80.00"):
    head = f"| model | size | params | backend | ngl |{column}| test | t/s |"
    row = f"| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 |{value}| tg128 | {rate} |"
    return f"{listing}{head}\n|{'---|' * (head.count('|') - 1)}\n{row}\n"


def as_json(**changes):
    row = {
        "backends": "CUDA",
        "gpu_info": "NVIDIA GeForce RTX 3090, NVIDIA GeForce RTX 3090",
        "model_filename": "Qwen3-30B-A3B-Q4_K_M.gguf",
        "model_type": "qwen3moe 30B.A3B Q4_K - Medium",
        "model_size": 18_556_686_336,
        "n_gpu_layers": 99,
        "n_cpu_moe": 0,
        "split_mode": "layer",
        "tensor_split": "0.00",
        "n_prompt": 0,
        "n_gen": 128,
        "n_depth": 0,
        "avg_ts": 60.5,
    }
    return read(json.dumps(row | changes)).runs[0]


def rate_of(run, library):
    return check(run, library, LLAMA).ceiling.tokens_per_s


def test_two_cards_are_split_by_layers_unless_the_table_says_otherwise(library):
    one = CARDS.replace("found 2", "found 1").rpartition("  Device 1")[0]
    alone = rate_of(read(rows(listing=one)).runs[0], library)
    pair = check(read(rows()).runs[0], library, LLAMA)
    assert (pair.run.devices, pair.run.split) == (2, "layers")
    assert pair.ceiling.tokens_per_s == pytest.approx(alone)
    for mode in ("row", "tensor"):
        found = check(read(rows(" sm ", f" {mode} ")).runs[0], library, LLAMA)
        assert found.run.split == "tensor"
        assert found.ceiling.tokens_per_s == pytest.approx(2 * alone)
        line = next(line for line in lines(found) if line.label == "devices and pools")
        assert line.text == "2 devices, tensor split" and "link is not stated" in line.note


def test_a_card_without_a_part_of_the_model_does_not_count(library):
    for column, value in ((" sm ", " none "), (" ts ", " 1.00/0.00 ")):
        run = identified(read(rows(column, value)).runs[0], library)
        assert (run.devices, run.is_composed) == (1, False)
    assert as_json(split_mode="none").devices == 1
    assert as_json().devices == 2


def test_an_integrated_device_beside_a_card_is_not_one_of_two(library):
    shares = "ggml_vulkan: {} = AMD Radeon Graphics (RADV RAPHAEL) | uma: 1 | fp16: 1\n"
    card = "ggml_vulkan: {} = NVIDIA GeForce RTX 3090 (NVIDIA) | uma: 0 | fp16: 1\n"
    for first, second in ((shares, card), (card, shares)):
        run = read(rows(listing=first.format(0) + second.format(1))).runs[0]
        assert (run.said.machine, run.devices) == ("NVIDIA GeForce RTX 3090", 1)


def test_unlike_cards_are_one_composition(library):
    listing = CARDS.replace(
        "Device 1: NVIDIA GeForce RTX 3090", "Device 1: NVIDIA GeForce RTX 4090"
    )
    found = check(read(rows(listing=listing)).runs[0], library, LLAMA)
    assert (found.run.machine, found.run.split) == ("geforce-rtx-3090", "layers")
    assert found.run.others == (DeviceChoice("geforce-rtx-4090"),)
    slow = check(found.run, library, {"others": (), "split": None}).ceiling.tokens_per_s
    fast = check(found.run, library, {"machine": "geforce-rtx-4090", "others": (), "split": None})
    assert slow < found.ceiling.tokens_per_s <= fast.ceiling.tokens_per_s * (1 + 1e-9)


def test_a_servers_options_say_how_it_is_split(library):
    block = (
        "============ Serving Benchmark Result ============\n"
        "Successful requests:                     100\n"
        "Total input tokens:                      100000\n"
        "Total generated tokens:                  20000\n"
        "Maximum request concurrency:             8\n"
        "Output token throughput (tok/s):         400.5\n"
        "==================================================\n"
    )
    for command, said in (
        ("vllm serve Qwen/Qwen3-30B-A3B --tensor-parallel-size 2", (2, "tensor")),
        ("vllm serve Qwen/Qwen3-30B-A3B -tp 4 --enable-expert-parallel --x", (4, "experts")),
        ("vllm serve Qwen/Qwen3-30B-A3B --pipeline-parallel-size 2", (2, "layers")),
        ("vllm serve Qwen/Qwen3-30B-A3B --port 8000", (1, None)),
    ):
        run = identified(read(f"{command}\n{block}").runs[0], library)
        assert (run.devices, run.split) == said, command


@pytest.mark.parametrize(
    ("changes", "share"),
    [
        ({"n_cpu_moe": 12}, 0.75),
        ({"n_cpu_moe": 99}, 0.0),
        ({"tensor_buft_overrides": "exps=CPU"}, 0.0),
        ({"tensor_buft_overrides": "blk\\.3[0-9]\\.ffn=CPU"}, None),
        ({"n_gpu_layers": 30}, None),
        ({"n_gpu_layers": 30, "n_cpu_moe": 12}, None),
    ],
)
def test_weights_in_host_memory_need_a_scenario_that_has_one(library, changes, share):
    pasted = as_json(gpu_info="NVIDIA GeForce RTX 3090", **changes)
    found = check(pasted, library)
    assert found.ceiling is None and found.missing == ()
    assert "choose a scenario of a device with its host's memory" in found.refused
    placed = found.run.placement
    assert (placed and placed.routed_experts) == share
    taken = taken_over(found.run, CARD)
    assert taken == {"host_memory": HOST}
    known = check(pasted, library, taken)
    assert (known.run.pools, known.run.left_out) == ("sequential", "")
    all_on_card = check(as_json(gpu_info="NVIDIA GeForce RTX 3090"), library)
    assert known.ceiling.expected_tokens_per_s <= all_on_card.ceiling.tokens_per_s * (1 + 1e-9)
    if share == 0.0:
        assert known.ceiling.tokens_per_s < 0.3 * all_on_card.ceiling.tokens_per_s


def test_as_many_layers_as_the_model_has_are_all_of_them(library):
    assert check(as_json(n_gpu_layers=48), library).run.left_out == ""
    both = {"model_filename": "falcon-h1-7b-instruct-Q4_K_M.gguf", "n_gpu_layers": 44}
    assert check(as_json(**both), library).run.left_out == ""  # attention and state in each layer


def test_a_scenario_gives_what_a_text_leaves_open_and_nothing_else(library):
    pair = ComposedHardware(
        devices=(DeviceChoice("geforce-rtx-3090", 2),), split="tensor", link="pcie-4-x8"
    )
    run = identified(as_json(), library)
    assert taken_over(run, pair) == {"link": "pcie-4-x8"}  # the text has a split of its own
    assert taken_over(run, msgspec.structs.replace(pair, devices=(DeviceChoice("x", 2),))) == {}
    assert taken_over(identified(as_json(split_mode="none"), library), pair) == {}
    typed = MeasuredRun(
        id="a", said=Said("", "", ""), phase="decode", tokens_per_s=9, source="typed"
    )
    assert taken_over(typed, pair) == {
        "machine": "geforce-rtx-3090",
        "devices": 2,
        "split": "tensor",
        "link": "pcie-4-x8",
    }


def test_the_conditions_of_a_composed_run_give_its_ceiling(measured, ceilings, library):
    before = Scenario("apple-m1-max-32-core-gpu-64gb", ModelRef("qwen3-8b"))
    for id_ in ("m0062", "m0632", "m0693", "m0817"):
        run = measured.runs[id_]
        after = scenario.edited(before, conditions(run, library, before))
        assert isinstance(after.hardware, ComposedHardware)
        answer = evaluation.run(after, library).result
        rate = answer.decode.forced.aggregate_tokens_per_s
        assert rate == pytest.approx(ceilings[id_].tokens_per_s), id_


def test_a_run_on_typed_devices_is_held_against_the_scenario(library):
    card = InlineHardware(name="Card", memory_gb=24, bandwidth_gb_per_s=900, kind="discrete")
    pair = ComposedHardware(devices=(DeviceChoice(machine=card, count=2),), link=31.5)
    chosen = Scenario(pair, ModelRef("llama-3-8b", "q4_k_m"))
    machine, model, weights = log.subject(chosen, library)
    assert machine == "2 x Card, layer split"
    run = MeasuredRun(id="a", said=Said(machine, model, ""), model=model, weights=weights,
                      phase="decode", batch=1, tokens_per_s=50, source="typed")  # fmt: skip
    found = check(run, library, scenario=chosen)
    forced = scenario.edited(chosen, {"workload.batch": 1, "workload.routing": "floor"})
    answer = evaluation.run(forced, library).result
    rate = answer.decode.forced.aggregate_tokens_per_s
    assert found.ceiling.tokens_per_s == pytest.approx(rate)


def test_a_logged_run_belongs_to_its_composition_and_not_to_one_of_its_devices(library):
    run = check(read(rows(" sm ", " row ")).runs[0], library, LLAMA).run
    model = ModelRef("llama-3-8b", "q4_k_m")
    pair = ComposedHardware(
        name="Pair", devices=(DeviceChoice("geforce-rtx-3090", 2),), split="tensor", link=64.0
    )
    layers = msgspec.structs.replace(pair, split="layers")
    assert log.subject_of(run) == log.subject(Scenario(pair, model), library)
    assert log.subject_of(run) != log.subject(Scenario(layers, model), library)
    assert log.subject_of(run) != log.subject(Scenario("geforce-rtx-3090", model), library)
    (row,) = table([log.Entry("2026-12-01", run)], library)
    assert row[2] == "2 x geforce-rtx-3090, tensor split"
    unknown = check(as_json(n_cpu_moe=20), library).run  # two cards and a host of unknown memory
    assert log.subject_of(unknown)[0] == "2 x geforce-rtx-3090, experts in host memory"
    alone = check(as_json(n_gpu_layers=20, split_mode="none"), library).run
    assert log.subject_of(alone)[0] == "geforce-rtx-3090, host memory"
    data = log.write((log.Entry("2026-12-01", msgspec.structs.replace(run, host_memory=HOST)),))
    assert log.read(data)[0][0].run.host_memory == HOST
