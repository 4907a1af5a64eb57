"""Scenarios whose hardware is several devices, or a device with the memory of its host."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from ourmodels_gui import cli, evaluation, export, paths, scenario
from ourmodels_gui.library.hardware import Configuration, HardwareRecord, Memory, machine_entries
from ourmodels_gui.library.load import load
from ourmodels_gui.library.records import Figure
from ourmodels_gui.library.travelling import travelling
from ourmodels_gui.problem import BadInput
from ourmodels_gui.summary import summarise, to_text
from ourmodels_gui.summary.pool_parts import off_devices
from ourmodels_gui.units import rate

GUIDE = (Path(__file__).parents[1] / "docs" / "compositions.md").read_text(encoding="utf-8")
CARD = {"kind": "discrete", "name": "card", "memory_gb": 24, "bandwidth_gb_per_s": 936}
RAM = {"kind": "cpu", "name": "ram", "memory_gb": 96, "bandwidth_gb_per_s": 89.6}
DENSE = {
    "total_parameters_b": 32,
    "bytes_per_parameter": 0.5,
    "cache": {"layers": [{"count": 64, "kind": "full", "bytes_per_token": 4096}]},
}
PAIR = {"devices": [{"machine": CARD, "count": 2}], "link": 16}
HOST = {"devices": [{"machine": CARD}], "host_memory": RAM}


@pytest.fixture(scope="module")
def library():
    return load(paths.catalog())


def file_of(hardware, **more):
    return {
        "format": "ourmodels-scenario",
        "version": 1,
        "hardware": hardware,
        "model": {"adapter": DENSE},
        "workload": {"reserved_context_tokens": 8000, "read_context_tokens": 4000},
    } | more


def read(hardware, **more):
    return scenario.read(json.dumps(file_of(hardware, **more)))


def result(hardware, library, **more):
    done = evaluation.run(read(hardware, **more), library)
    assert done.problem is None, done.problem
    return done.result


def fault(hardware, library, **more):
    try:
        done = evaluation.run(read(hardware, **more), library)
    except BadInput as bad:
        return bad.problem
    assert done.problem is not None
    return done.problem


# What is wrong is said once, at its key ----------------------------------------------------------

WRONG = [
    ({"devices": [{"machine": CARD, "count": 0}], "link": 1}, "devices[0].count", "at least 1"),
    ({"devices": [{"machine": CARD, "count": 1.5}], "link": 1}, "devices[0].count", "whole number"),
    ({"devices": [{"machine": CARD, "count": -2}], "link": 1}, "devices[0].count", "at least 1"),
    ({"devices": [{"machine": CARD, "count": 10_000}], "link": 1}, "devices[0].count", "1,024"),
    (
        {"devices": [{"machine": CARD, "count": 1000}] * 2, "link": 1},
        "devices",
        "2,000 devices together",
    ),
    ({"devices": []}, "devices", "one to 6 kinds"),
    ({"devices": [{"machine": CARD}] * 7, "link": 1}, "devices", "one to 6 kinds"),
    ({"devices": [{"machine": CARD, "count": 2}]}, "link", "a split across devices needs one"),
    (PAIR | {"link": -1}, "link", "above 0"),
    (PAIR | {"link": 0}, "link", "above 0"),
    (PAIR | {"link": 1e9}, "link", "1000000000 must be at most 1,000,000"),
    (PAIR | {"link": "pcie-9-x16"}, "link", 'no link "pcie-9-x16"'),
    (PAIR | {"link": True}, "link", "expected a number or a text"),
    (PAIR | {"split": "rows"}, "split", "tensor, layers, experts"),
    (PAIR | {"split": "tensor", "groups": 2}, "groups", "belongs to a split by"),
    (PAIR | {"groups": 3}, "groups", "at most the number of devices, 2"),
    (PAIR | {"groups": 0}, "groups", "at least 1"),
    (PAIR | {"pools": "both"}, "pools", "needs host_memory"),
    (PAIR | {"placement": {"weights": 1}}, "placement", "needs host_memory"),
    (PAIR | {"host_memory": RAM, "groups": 2}, "groups", "excludes host_memory"),
    (HOST | {"pools": "streamed"}, "link", "crosses it"),
    (HOST | {"placement": {"weights": 1.5}}, "placement.weights", "at most 1"),
    (HOST | {"placement": {"experts": 1}}, "placement.experts", "unknown key"),
    (HOST | {"placement": "worst"}, "placement", "best"),
    (HOST | {"host_memory": RAM | {"memory_gb": 4}}, "host_memory", "lower workload.overhead_gb"),
    (HOST | {"host_memory": "ddr9"}, "host_memory", 'no machine "ddr9"'),
    (
        {"devices": [{"machine": CARD | {"memory_gb": 0.5}}], "host_memory": RAM},
        "devices[0]",
        "lower workload.overhead_gb",
    ),
    (HOST | {"host_memory": "geforce-rtx-3090-x2"}, "host_memory", "is several machines"),
    ({"devices": [{"id": "geforce-rtx-3090-x2"}]}, "devices[0].id", "is several machines"),
    ({"devices": ["geforce-rtx-3090"]}, "devices[0]", 'an object such as {"id": ...}'),
    ({"device": [{"id": "geforce-rtx-3090"}]}, "device", "did you mean devices"),
    ({"devices": [{"id": "geforce-rtx-309"}]}, "devices[0].id", "geforce-rtx-3090"),
    ({"devices": [{"count": 1}]}, "devices[0].id", "either the id"),
    ({"devices": [{"id": "a", "machine": CARD}]}, "devices[0].machine", "either the id"),
    ({"devices": [{"machine": CARD}], "lnk": 1}, "lnk", "did you mean link"),
    (
        {"devices": [{"machine": CARD}, {"machine": RAM}], "split": "tensor", "link": 1},
        "split",
        "devices of one kind",
    ),
    (
        {
            "devices": [{"machine": CARD}, {"machine": RAM}],
            "link": 1,
            "host_memory": RAM,
            "placement": {"weights": 1},
        },
        "placement",
        "devices of one kind",
    ),
]


@pytest.mark.parametrize(("hardware", "key", "said"), WRONG)
def test_bad_input_is_one_message_at_its_key(hardware, key, said, library):
    found = fault(hardware, library)
    assert found.key == f"hardware.{key}"
    assert said in found.message and "\n" not in found.message and ".0" not in found.message


def test_measured_rates_are_needed_of_every_pool(library):
    measured = CARD | {"measured_bandwidth_gb_per_s": 850}
    asked = {"workload": {"rates": "measured"}}
    found = fault({"devices": [{"machine": measured}], "host_memory": RAM}, library, **asked)
    assert found.key == "workload.rates" and "ram" in found.message


# One pool is the ordinary case -------------------------------------------------------------------


def test_one_device_alone_is_the_ordinary_scenario(library):
    for split in ("layers", "tensor", "experts"):
        alone = result({"devices": [{"machine": CARD}], "split": split}, library, prefill={})
        assert alone == result(CARD, library, prefill={})
        assert "placement" not in export.document(alone)


def test_one_catalog_device_is_the_ordinary_scenario(library):
    assert result({"devices": [{"id": "geforce-rtx-3090"}]}, library) == result(
        "geforce-rtx-3090", library
    )


# Files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hardware",
    [
        PAIR,
        PAIR | {"split": "tensor", "link": "pcie-4-x16", "name": "mine"},
        PAIR | {"groups": 2},
        HOST | {"pools": "sequential", "placement": {"routed_experts": 0, "cache": 0.5}},
        HOST | {"pools": "streamed", "link": 31.5, "placement": "best"},
        {"devices": [{"id": "a", "count": 2}, {"id": "b"}], "link": 1, "host_memory": "c"},
    ],
)
def test_a_composition_survives_a_save(hardware):
    chosen = read(hardware)
    assert scenario.read(scenario.write(chosen)) == chosen
    assert json.loads(scenario.write(chosen))["hardware"] == hardware


def test_keys_of_a_composition_can_be_edited():
    chosen = scenario.edited(read(PAIR), {"hardware.split": "tensor", "hardware.link": 64})
    assert (chosen.hardware.split, chosen.hardware.link) == ("tensor", 64.0)
    back = scenario.edited(chosen, {"hardware.split": None})
    assert back.hardware.split is None


def test_machines_of_the_users_own_travel_with_a_composition(library):
    record = HardwareRecord(
        name="My box",
        vendor="me",
        kind="unified",
        memory=Memory("DDR5", Figure(100, "GB/s")),
        configurations=(Configuration("my-box", Figure(64, "GiB")),),
    )
    (mine,) = machine_entries(record, yours=True)
    known = msgspec.structs.replace(library, machines=library.machines | {"my-box": mine})
    chosen = read({"devices": [{"id": "my-box", "count": 2}], "link": 5, "host_memory": "my-box"})
    sent = scenario.read(scenario.write(travelling(chosen, known)))
    here, there = evaluation.run(chosen, known), evaluation.run(sent, library)
    assert there.problem is None
    assert there.result.decode == here.result.decode


# Results -----------------------------------------------------------------------------------------


def test_the_examples_of_the_guide_can_be_used(library):
    shown = re.findall(r"```json\n(.*?)```", GUIDE, re.S)
    assert len(shown) == 2
    for text in shown:
        done = evaluation.run(scenario.read(text), library)
        assert done.problem is None
        assert done.result.placement.policies[0].name == done.result.placement.policy


def test_the_guide_names_every_key_and_figure():
    from ourmodels_gui.composed import ComposedHardware, PlacementChoice  # noqa: PLC0415
    from ourmodels_gui.engine.result import Placement, PolicyFigures  # noqa: PLC0415

    structs = (ComposedHardware, PlacementChoice, Placement, PolicyFigures)
    names = {name for struct in structs for name in struct.__struct_fields__}
    assert [name for name in names if name not in GUIDE] == []


def test_the_overhead_is_taken_from_every_pool(library):
    three = HOST | {"devices": [{"machine": CARD, "count": 2}], "link": 16}
    told = {item.name: item.value for item in result(three, library).assumptions}
    assert told["runtime overhead (O)"] == 1 + 1 + 8
    typed = result(three, library, workload={"overhead_gb": 2}).assumptions
    assert {item.name: item.value for item in typed}["runtime overhead (O)"] == 6


@pytest.mark.parametrize("name", ["", "box"])
def test_pools_of_one_name_are_told_apart(name, library):
    """Each is looked up by its name where the shares of the host are told."""
    same = {"name": name, "memory_gb": 24, "bandwidth_gb_per_s": 936}
    card = {"devices": [{"machine": same, "count": 2}], "split": "tensor", "link": 16}
    placed = card | {"host_memory": same, "placement": {"weights": 0.75}}
    done = evaluation.run(read(placed), library)
    called = name or "machine as typed"
    assert [pool.name for pool in done.result.placement.pools] == [called, f"{called} (2)"]
    assert off_devices(done)[0] == "25 % of the other weights"


def test_what_does_not_fit_in_one_of_the_pools_is_not_told_of_all_of_them(library):
    """16 GB of weights in 11 GB, and 23 GB beside it."""
    small = CARD | {"memory_gb": 12}
    placed = {"devices": [{"machine": small}], "host_memory": CARD, "placement": {"weights": 1}}
    text = to_text(summarise(evaluation.run(read(placed), library)))
    assert "model does not fit: 5.0 GB missing" in text
    assert "in one of the memories exceeds its room" in text and "the capacity of" not in text
    assert "C - W_resident - O\n" not in text and "36 GB - 16 GB" not in text
    assert re.search(r"Longest context of one session +-\n +depends on what lies where", text)


def test_the_arithmetic_mode_is_one_that_the_devices_have(library):
    card = CARD | {"compute_tflop_per_s": {"fp16_fp32acc": 70}}
    done = evaluation.run(read({"devices": [{"machine": card}], "host_memory": RAM}), library)
    assert done.setup.linear_mode == {"fp16_fp32acc": 1.0}


SPARKS = {"devices": [{"id": "nvidia-dgx-spark-gb10", "count": 2}], "split": "tensor"}
ROOMY = {
    "devices": [{"id": "geforce-rtx-5090"}],
    "link": "pcie-5-x16",
    "host_memory": "amd-ryzen-9000-am5-2ch-ddr5-6000-expo-256gb",
    "pools": "sequential",
}
CARDS = {"devices": [{"id": "geforce-rtx-3090", "count": 2}], "link": "pcie-4-x8"}
KNOWN = [
    (ROOMY, "geforce-rtx-5090-ddr5-256gb", "qwen3-next-80b-a3b-instruct", 1),
    (ROOMY, "geforce-rtx-5090-ddr5-256gb", "glm-4.5", 1),
    ("geforce-rtx-3090", "geforce-rtx-3090", "qwen3-32b", 1),
    (CARDS | {"split": "layers"}, "geforce-rtx-3090-x2", "qwen3-32b", 1),
    ("nvidia-dgx-spark-gb10", "nvidia-dgx-spark-gb10", "qwen3-32b", 32),
    (SPARKS | {"link": "ethernet-1g"}, "nvidia-dgx-spark-gb10-x2", "qwen3-32b", 32),
    (SPARKS | {"link": "ethernet-200g"}, "nvidia-dgx-spark-gb10-x2", "qwen3-32b", 32),
]


@pytest.fixture(scope="module")
def known_cases(library):
    """The results of the cases of the guide, in its order."""
    found = []
    for hardware, _, model, sessions in KNOWN:
        work = {"reserved_context_tokens": 16384, "read_context_tokens": 8192, "batch": sessions}
        chosen = {"model": {"id": model, "weights": "q4_k_m"}, "workload": work}
        found.append(result(hardware, library, **chosen))
    return found


def test_the_known_cases_of_the_guide_are_what_is_computed(known_cases):
    table = GUIDE.split("## Three known cases")[1]
    rows = [
        tuple(cell.strip(" `") for cell in line.strip("|").split("|"))
        for line in table.splitlines()
        if line.startswith("| `")
    ]
    wanted = [
        (machine, model, str(sessions), rate(found.decode.forced.aggregate_tokens_per_s))
        for (_, machine, model, sessions), found in zip(KNOWN, known_cases, strict=True)
    ]
    assert [(row[0], *row[2:]) for row in rows] == wanted


def test_the_machines_of_the_known_cases_are_those_of_the_catalog(library):
    """Written out here, so that the way they are used can be another."""
    for hardware, machine, _, _ in KNOWN:
        if isinstance(hardware, str):
            continue
        chosen, ready = read(hardware).hardware, library.compositions[machine].record.hardware
        assert (chosen.devices, chosen.host_memory) == (ready.devices, ready.host_memory)


def test_experts_in_system_memory_suit_three_billion_active_and_not_thirty(known_cases):
    few, many = (found.decode.single_session_tokens_per_s for found in known_cases[:2])
    assert few > 200 and many < 10


def test_a_layer_split_of_two_equal_cards_gives_one_session_the_speed_of_one(known_cases):
    alone, pair = (found.decode for found in known_cases[2:4])
    assert pair.single_session_tokens_per_s == alone.single_session_tokens_per_s
    assert pair.memory_batch > 2 * alone.memory_batch


def test_two_sparks_over_a_slow_cable_do_not_double(known_cases):
    alone, slow, quick = (found.decode.forced.aggregate_tokens_per_s for found in known_cases[4:])
    assert slow < alone and quick == pytest.approx(2 * alone, rel=1e-12)
    # For every token 64 layers add up two blocks of 5,120 values, 2 bytes each.
    assert slow == pytest.approx(125e6 / (128 * 5120 * 2), rel=1e-12)


def test_the_command_prints_what_lies_where(tmp_path, capsys):
    path = tmp_path / "pair.ourmodels.json"
    path.write_text(json.dumps(file_of(HOST | {"pools": "sequential"})), encoding="utf-8")
    assert cli.main(["evaluate", str(path)]) == 0
    placement = json.loads(capsys.readouterr().out)["placement"]
    assert placement["policy"] == "one pool at a time" and placement["kind"] == "policy ceiling"
    card, ram = placement["pools"]
    assert card["name"] == "card" and card["held_gb"]["weights"] > ram["held_gb"]["weights"]
    held = sum(sum(pool["held_gb"].values()) for pool in placement["pools"])
    best = placement["policies"][0]["best_batch"]
    assert held == pytest.approx(16 + best * 64 * 4096 * 8000 / 1e9, rel=1e-9)


MODE = "bf16_fp32acc"


def quick(machine, rate):
    return machine | {"compute_tflop_per_s": {MODE: rate}}


PROMPTED = DENSE | {
    "max_context_tokens": 8000,
    "prefill": {
        "linear_active_parameters_b": 31,
        "attention": [{"count": 64, "kind": "full", "query_width": 5120}],
    },
}


def test_a_prompt_waits_under_every_policy(library):
    hardware = {
        "devices": [{"machine": quick(CARD, 70)}],
        "host_memory": quick(RAM, 2),
        "pools": "sequential",
        "link": 16,
    }
    asked = {"prefill": {"prompt_tokens": 1000}, "model": {"adapter": PROMPTED}}
    done = evaluation.run(read(hardware, **asked), library)
    found, placed = done.result.prefill, done.result.placement
    assert found.verdict == "serves" and placed.prompt_policy == "one pool at a time"
    assert all(policy.prompt.time_s > 0 for policy in placed.policies)
    answer = summarise(done).answers[3]
    assert "limited by compute of" in answer.why and placed.prompt_policy in answer.why
    text = to_text(summarise(done))
    assert text.count("prompt in") == len(placed.policies) == 3
    told = export.document(done.result)
    assert told["prefill"]["limit"] == "compute"
    assert told["placement"]["policies"][0]["prompt"]["binding"]["resource"] == "compute"
    assert told["placement"]["prompt_policy"] == placed.prompt_policy
    rates = {item.name: item.value for item in done.result.assumptions}
    assert rates[f"compute rate F_hw({MODE}) of card"] == 70
    assert rates[f"compute rate F_hw({MODE}) of ram"] == 2


def test_a_host_without_rates_is_named_and_a_streamed_prompt_does_without(library):
    hardware = {"devices": [{"machine": quick(CARD, 70)}], "host_memory": RAM}
    asked = {"prefill": {"prompt_tokens": 1000}, "model": {"adapter": PROMPTED}}
    done = evaluation.run(read(hardware, **asked), library)
    assert done.result.prefill.time_s is None
    assert f"the rate of ram in {MODE}" in summarise(done).answers[3].why
    assert "unknown" in to_text(summarise(done))
    streamed = evaluation.run(read(hardware | {"link": 16}, **asked), library)
    assert streamed.result.prefill.time_s > 0
    assert "streamed" in summarise(streamed).answers[3].why


def test_a_report_of_a_composition_can_be_written(tmp_path):
    path, out = tmp_path / "pair.ourmodels.json", tmp_path / "out.md"
    path.write_text(json.dumps(file_of(HOST, prefill={})), encoding="utf-8")
    assert cli.main(["report", str(path), "-o", str(out)]) == 0
    assert "all pools at once" in out.read_text(encoding="utf-8")


def test_bad_input_is_exit_status_two(tmp_path, capsys):
    path = tmp_path / "bad.ourmodels.json"
    path.write_text(json.dumps(file_of(PAIR | {"link": -1})), encoding="utf-8")
    assert cli.main(["evaluate", str(path)]) == 2
    assert "hardware.link" in capsys.readouterr().err


def test_the_text_names_what_binds_and_every_policy(library):
    done = evaluation.run(read(PAIR | {"split": "layers"}), library)
    text = to_text(summarise(done))
    for policy in done.result.placement.policies:
        assert policy.name in text
    assert "memory of card" in text
