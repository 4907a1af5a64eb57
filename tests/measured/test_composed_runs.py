"""Runs on several devices or with host memory: what they state, and the ceilings that follow."""

import re
from collections import Counter

import msgspec
import pytest

from ourmodels_gui import paths
from ourmodels_gui.composed import DeviceChoice
from ourmodels_gui.engine.setup import Experts
from ourmodels_gui.inline import InlineHardware
from ourmodels_gui.library.resolve import resolve
from ourmodels_gui.measured.ceiling import at_once, ceiling, setup_of
from ourmodels_gui.measured.composed_proof import composed_rows
from ourmodels_gui.measured.composition import hardware_of, policy_of, policy_of_run
from ourmodels_gui.measured.conditions import scenario_of
from ourmodels_gui.measured.identify import as_stated
from ourmodels_gui.measured.stated import Stated, stated
from ourmodels_gui.problem import BadInput

LINK_SAID = {
    "ethernet-200g": "over 200GbE",
    "nvlink-3-bridge-ga102": "NVLink",
    "pcie-4-x4": "x4",
    "pcie-4-x16": "over PCIe",
}
"""What a source says of a link."""
FASTEST = {
    "nvlink-4": ("NVLink", 900),
    "nvlink-5": ("NVLink", 1800),
    "pcie-5-x16": ("PCIe 5.0 x16", None),
    "pcie-4-x16": ("PCIe 4.0 x16", None),
}
"""The interconnect that the catalog gives a device whose source names its kind only."""
TRANSFERS = re.compile(r"(?:(\d) sockets, )?(\d) channels DDR\d-(\d+)")


@pytest.fixture(scope="module")
def composed(measured):
    return [run for run in measured.runs.values() if run.is_composed]


@pytest.fixture(scope="module")
def held_composed(composed, ceilings):
    return [run for run in composed if run.id in ceilings]


def without(run, *names):
    return msgspec.structs.replace(run, **dict.fromkeys(names))


# What a run states ------------------------------------------------------------------------------


def test_every_row_carries_what_its_program_and_note_say(measured, library):
    for run in measured.runs.values():
        record = library.models[run.model].record if run.model else None
        bare = without(run, "split", "pools", "placement")
        assert as_stated(bare, record) == run, run.id


def test_a_link_is_carried_where_the_source_or_the_catalog_says_which(composed, library):
    for run in composed:
        if run.link is None:
            continue
        words = f"{run.engine}; {run.note}"
        if run.link in LINK_SAID:
            assert LINK_SAID[run.link] in words, run.id
        if run.link in FASTEST:
            text, rate = FASTEST[run.link]
            found = library.machines[run.machine].record.interconnect
            assert any(
                one.text == text and (rate is None or one.bandwidth.value == rate) for one in found
            ), run.id
        assert run.link in LINK_SAID or run.link in FASTEST
        assert run.link in library.links


def test_a_hosts_bandwidth_is_that_of_the_stated_memory(composed):
    hosts = [run.host_memory for run in composed if run.host_memory is not None]
    assert len(hosts) == 19
    for host in hosts:
        found = TRANSFERS.search(host.name)
        if found is None:
            assert host.name.startswith("Ryzen 9 7950X")
            continue
        sockets, channels, transfers = (int(figure or 1) for figure in found.groups())
        by_hand = sockets * channels * 8 * transfers / 1000
        assert host.bandwidth_gb_per_s == pytest.approx(by_hand, rel=1e-9)


def test_weights_in_host_memory_of_unknown_speed_leave_a_run_out(measured, library):
    left = [run for run in measured.runs.values() if run.left_out == "host memory not stated"]
    assert len(left) == 9
    for run in left:
        assert run.machine and run.host_memory is None
        known = msgspec.structs.replace(
            run, left_out="", host_memory=InlineHardware(memory_gb=64, bandwidth_gb_per_s=51.2)
        )
        if run.model and run.weights:
            assert ceiling(known, library).tokens_per_s > 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("vllm serve m --tensor-parallel-size 4", Stated("tensor", 4)),
        ("Namespace(tensor_parallel_size=2, pipeline_parallel_size=1)", Stated("tensor", 2)),
        ("python -m sglang.launch_server --tp 8 --ep-size 8", Stated("experts", 8)),
        ("vllm serve m -tp 8 --enable-expert-parallel", Stated("experts", 8)),
        ("--tensor-parallel-size 4 --pipeline-parallel-size 2", Stated(None, 8)),
        ("--tensor-parallel-size 1", Stated(None, 1)),
        ("llama-bench -m x -sm row", Stated("tensor")),
        ("llama-bench -m x --split-mode layer -p 512", Stated("layers")),
        ("trtllm-bench PP8", Stated("layers", 8)),
        ("vLLM TP=2 over 200GbE", Stated("tensor", 2)),
        (
            "llama-server -ngl 99 --n-cpu-moe 26",
            Stated(expert_layers=26, device_layers=99, in_host=True),
        ),
        ("-ot blk\\.3[4-9]\\.ffn=CPU", Stated(in_host=True)),
        ("--cpu-offload-gb 10", Stated(in_host=True)),
        ("--cpu-offload-gb 0 -p 512 -n 128", Stated()),
    ],
)
def test_options_say_how_devices_are_used(text, says):
    assert stated(text) == says


def test_experts_overridden_whole_are_placed_and_single_layers_are_not():
    for words in ("-ot exps=CPU", '-ot ".ffn_.*_exps.=CPU"', "--cpu-moe", "experts on CPU"):
        assert stated(words).placement.routed_experts == 0.0, words
    assert stated("experts of 12 of 48 layers on CPU").placement.routed_experts == 0.75


# Ceilings ---------------------------------------------------------------------------------------


def test_no_way_of_using_the_pools_exceeds_all_of_them_at_once(held_composed, ceilings, library):
    for run in held_composed:
        assert ceilings[run.id].tokens_per_s <= at_once(run, library) * (1 + 1e-9), run.id


def test_a_split_that_is_not_stated_is_the_loosest(held_composed, library):
    several = [run for run in held_composed if run.host_memory is None][::7]
    for run in several:
        loosest = ceiling(without(run, "split", "link"), library).tokens_per_s
        assert loosest == pytest.approx(at_once(run, library), rel=1e-9)
        for split in ("layers", "tensor", "experts"):
            if split == "experts" and not library.models[run.model].record.experts:
                continue
            stated_ = msgspec.structs.replace(run, split=split)
            assert ceiling(stated_, library).tokens_per_s <= loosest * (1 + 1e-9), (run.id, split)


def test_experts_in_host_memory_are_read_at_its_speed(measured, library, ceilings):
    # m0697: 8 of 256 experts in 58 layers cross 8 channels of DDR5-4800, the rest stays on the card
    run = measured.runs["m0697"]
    costs = setup_of(run, library).model
    (group,) = costs.experts
    assert isinstance(group, Experts)
    experts_s = 8 * group.expert_bytes / 307.2e9
    card_s = costs.always_bytes / 1008e9
    assert experts_s > card_s
    assert ceilings["m0697"].tokens_per_s == pytest.approx(1 / experts_s, rel=1e-6)
    in_turn = ceiling(msgspec.structs.replace(run, pools="sequential"), library)
    assert in_turn.tokens_per_s == pytest.approx(1 / (experts_s + card_s), rel=0.01)  # the context


def test_a_tensor_split_is_charged_the_link_that_is_stated(measured, library, ceilings):
    # m0799: 48 layers of two sums of 2,048 values of two bytes, round a ring of eight
    run = measured.runs["m0799"]
    sent = 2 * 48 * 2048 * 2 * 2 * 7 / 8
    assert ceilings["m0799"].limit == "link"
    assert ceilings["m0799"].tokens_per_s == pytest.approx(63.0154e9 / sent, rel=1e-3)
    assert ceiling(without(run, "link"), library).limit == "memory"


def test_a_prompt_on_divided_matrices_is_charged_the_link_too(measured, library):
    # m0159: Llama 3 8B over four cards; 32 layers of two sums of 4,096 values of two bytes
    run = msgspec.structs.replace(measured.runs["m0159"], split="tensor", link=1.0)
    found = ceiling(run, library)
    sent = 2 * 32 * 4096 * 2 * 2 * 3 / 4
    assert found.limit == "link"
    assert found.tokens_per_s == pytest.approx(1e9 / sent, rel=1e-9)
    free = ceiling(without(run, "link"), library)
    assert free.tokens_per_s == pytest.approx(at_once(run, library), rel=1e-9)
    assert ceiling(measured.runs["m0159"], library).tokens_per_s == free.tokens_per_s


def test_a_run_faster_than_its_policy_allows_is_found(measured, library):
    # the highest of a layer split reaches 0.89 of one card; split by tensors it would be allowed
    run = msgspec.structs.replace(measured.runs["m0061"], tokens_per_s=8.0)
    assert ceiling(run, library).beaten
    assert not ceiling(msgspec.structs.replace(run, split="tensor"), library).beaten


def test_unlike_devices_need_their_split_said(measured):
    run = msgspec.structs.replace(
        measured.runs["m0001"], others=(DeviceChoice("geforce-rtx-3060-12gb"),)
    )
    with pytest.raises(BadInput, match="choose it"):
        hardware_of(run)
    layers = hardware_of(msgspec.structs.replace(run, split="layers"))
    assert layers.title == "geforce-rtx-3070 + geforce-rtx-3060-12gb"


def test_the_scenario_of_a_run_is_of_the_same_policy(held_composed, library):
    for run in held_composed:
        scenario = scenario_of(run, library)
        assert resolve(scenario, library).composition is not None
        if run.split is not None or run.host_memory is not None:
            assert policy_of(scenario.hardware) == policy_of_run(run), run.id


# The page ---------------------------------------------------------------------------------------


def test_the_section_counts_every_such_run_once(measured, ceilings, library, held_composed):
    lines = composed_rows(measured, ceilings, library)
    rows = [line for line in lines if re.match(r"\| m\d+", line)]
    assert Counter(line.split()[1] for line in rows) == Counter(run.id for run in held_composed)
    of_a_way = re.compile(r"\| [a-z]+ [a-z ]+\| [a-z]+ \| \d")
    counted = [line.split(" | ") for line in lines if of_a_way.match(line)]
    assert sum(int(line[2]) for line in counted) == sum(not run.doubt for run in held_composed)
    assert {line[0].strip("| ") for line in counted} == {
        policy_of_run(run) for run in held_composed if not run.doubt
    }


def test_no_sound_composed_run_lies_above_its_ceiling(held_composed, ceilings):
    sound = [run for run in held_composed if not run.doubt]
    assert len(sound) >= 140
    assert max(ceilings[run.id].ratio for run in sound) < 1
    page = (paths.catalog().parent / "docs" / "proof.md").read_text(encoding="utf-8")
    assert f"{len(sound)} of them are sound" in page
