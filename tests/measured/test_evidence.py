"""Evidence is counted from sound runs of one device, and stands beside a ceiling only."""

import statistics

import msgspec
import pytest

from ourmodels_gui.composed import ComposedHardware, DeviceChoice, PlacementChoice
from ourmodels_gui.inline import InlineAdapter, InlineHardware
from ourmodels_gui.measured.composition import policy_of_run
from ourmodels_gui.measured.evidence import (
    ENOUGH,
    evidence,
    machine_class,
    memory_family,
    nearest_runs,
)
from ourmodels_gui.measured.told import evidence_words
from ourmodels_gui.scenario import InlineModel, ModelRef, Scenario, WorkloadChoice

HALO = "amd-ryzen-ai-max-395-strix-halo-128gb"
SPARK = "nvidia-dgx-spark-gb10"


def test_quartiles_are_those_of_the_counted_runs(measured, ceilings, library):
    found = evidence(HALO, "decode", measured, ceilings, library)
    ratios = [ceilings[id_].ratio for id_ in found.ids]
    assert found.scope == "this machine"
    assert found.machines == 1
    assert found.runs == len(ratios) > 50
    assert found.quartiles[1] == pytest.approx(statistics.median(ratios))
    assert found.lowest <= found.quartiles[0] <= found.quartiles[2] <= found.highest <= 1


def test_doubtful_runs_and_several_devices_do_not_count(measured, ceilings, library):
    for machine in library.machines:
        for phase in ("decode", "prefill", "serving"):
            found = evidence(machine, phase, measured, ceilings, library)
            for id_ in found.ids if found else ():
                run = measured.runs[id_]
                assert not run.doubt
                assert not run.is_composed
                assert phase != "prefill" or ceilings[id_].both_sides
        if machine > "b":
            break


def test_a_machine_without_runs_is_judged_by_its_class(measured, ceilings, library):
    found = evidence("geforce-rtx-5070-ti", "decode", measured, ceilings, library)
    assert found.scope == "machines of this class"
    assert found.machines > 5
    wanted = machine_class(library.machines["geforce-rtx-5070-ti"])
    runs = [measured.runs[id_] for id_ in found.ids]
    assert {machine_class(library.machines[run.machine]) for run in runs} == {wanted}


def test_too_few_runs_are_no_evidence(measured, ceilings, library):
    few = msgspec.structs.replace(measured, runs=dict(list(measured.runs.items())[: ENOUGH - 1]))
    assert evidence("geforce-rtx-3070", "decode", few, ceilings, library) is None


def test_memory_families_tell_lpddr_from_ddr():
    assert [memory_family(name) for name in ("DDR5-5600", "lpddr4x", "HBM2e", "SRAM")] == [
        "DDR",
        "LPDDR",
        "HBM",
        "SRAM",
    ]


def test_the_same_machine_and_model_come_first(measured, ceilings, library):
    wanted = Scenario(SPARK, ModelRef("gpt-oss-20b", "gguf-mxfp4"))
    found = nearest_runs(wanted, "decode", measured, ceilings, library, count=8)
    assert set(found[0].same) == {"machine", "model", "weights", "batch"}
    order = [("machine" not in near.same, "model" not in near.same) for near in found]
    assert order == sorted(order)


def test_context_decides_among_equals(measured, ceilings, library):
    workload = WorkloadChoice(reserved_context_tokens=40000, read_context_tokens=32784)
    wanted = Scenario(SPARK, ModelRef("gpt-oss-20b", "gguf-mxfp4"), workload=workload)
    found = nearest_runs(wanted, "decode", measured, ceilings, library)
    assert found[0].run.depth_tokens == 32768


def test_a_typed_model_on_a_known_machine_still_finds_runs(measured, ceilings, library):
    adapter = InlineAdapter(
        total_parameters_b=8,
        bytes_per_parameter=0.5,
        cache={"alloc_gb_per_session": 1, "read_gb_per_token": 1},
    )
    found = nearest_runs(
        Scenario(SPARK, InlineModel(adapter)), "decode", measured, ceilings, library
    )
    assert {near.same[0] for near in found} == {"machine"}


def test_nothing_in_common_is_nothing_near(measured, ceilings, library):
    wanted = Scenario("cerebras-wse-3-cs-3", ModelRef("mamba-2.8b"))
    assert nearest_runs(wanted, "decode", measured, ceilings, library) == ()


PAIR = ComposedHardware(devices=(DeviceChoice("geforce-rtx-4090", 4),), link="pcie-4-x8")


def test_for_one_machine_no_composition_is_near(measured, ceilings, library):
    for machine in ("geforce-rtx-4090", "nvidia-h200-sxm-141gb", "geforce-rtx-4080"):
        for phase in ("decode", "serving", "prefill"):
            wanted = Scenario(machine, ModelRef("llama-3-70b", "q4_k_m"))
            found = nearest_runs(wanted, phase, measured, ceilings, library, count=20)
            assert not any(near.run.is_composed for near in found), (machine, phase)


@pytest.mark.parametrize("split", ["layers", "tensor"])
def test_for_a_composition_runs_used_in_the_same_way_are_near(measured, ceilings, library, split):
    hardware = msgspec.structs.replace(PAIR, split=split)
    wanted = Scenario(hardware, ModelRef("llama-3-70b", "q4_k_m"))
    found = nearest_runs(wanted, "decode", measured, ceilings, library, count=12)
    assert found
    ways = {"layers": "layer split", "tensor": "tensor split"}
    assert {policy_of_run(near.run) for near in found} <= {ways[split], "split not stated"}
    if split == "layers":
        assert (found[0].run.id, found[0].run.devices) == ("m0050", 4)
        assert {"machine", "model", "way", "devices"} <= set(found[0].same)


def test_serving_on_many_devices_is_near_whether_or_not_it_says_its_split(
    measured, ceilings, library
):
    eight = ComposedHardware(
        devices=(DeviceChoice("nvidia-h200-sxm-141gb", 8),), split="tensor", link="nvlink-4"
    )
    wanted = Scenario(eight, ModelRef("llama-3.1-70b-instruct", "fp8"))
    found = nearest_runs(wanted, "serving", measured, ceilings, library, count=12)
    assert {policy_of_run(near.run) for near in found} == {"tensor split", "split not stated"}
    assert all(near.run.devices > 1 for near in found)


def test_a_composition_is_judged_by_compositions_used_the_same_way(measured, ceilings, library):
    found = evidence(PAIR, "decode", measured, ceilings, library)
    assert found.scope == "compositions of such devices, used the same way"
    runs = [measured.runs[id_] for id_ in found.ids]
    assert {policy_of_run(run) for run in runs} == {"layer split"}
    assert found.machines == len({(run.machine, run.devices) for run in runs})
    tensor = evidence(
        msgspec.structs.replace(PAIR, split="tensor"), "decode", measured, ceilings, library
    )
    assert tensor.scope == "compositions used the same way"
    assert {policy_of_run(measured.runs[id_]) for id_ in tensor.ids} == {"tensor split"}
    words = evidence_words(tensor, "decode")
    assert "compositions used the same way; half of them reached" in words


def test_a_ready_composition_is_judged_as_what_it_holds(measured, ceilings, library):
    id_ = next(
        id_
        for id_, entry in library.compositions.items()
        if entry.hardware.host_memory is None and (entry.hardware.split or "layers") == "layers"
    )
    found = evidence(id_, "decode", measured, ceilings, library)
    assert found == evidence(
        library.compositions[id_].hardware, "decode", measured, ceilings, library
    )
    assert {policy_of_run(measured.runs[run]) for run in found.ids} == {"layer split"}


def test_the_memory_of_a_host_is_compared_with_its_like(measured, ceilings, library):
    host = InlineHardware(memory_gb=96, bandwidth_gb_per_s=89.6)
    experts = ComposedHardware(
        devices=(DeviceChoice("geforce-rtx-4090-d"),),
        host_memory=host,
        placement=PlacementChoice(routed_experts=0.0),
    )
    wanted = Scenario(experts, ModelRef("deepseek-r1", "q4_k_m"))
    found = nearest_runs(wanted, "decode", measured, ceilings, library)
    assert found[0].run.engine.startswith("KTransformers")
    assert {policy_of_run(near.run) for near in found} == {"experts in host memory"}
