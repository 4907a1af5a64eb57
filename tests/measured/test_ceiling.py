"""The ceiling of a run follows from what its source states, redone by hand."""

import msgspec
import pytest

from ourmodels_gui.measured.ceiling import ceiling
from ourmodels_gui.measured.conditions import fastest_mode, read_context_tokens, scenario_of


def changed(measured, id_, **changes):
    return msgspec.structs.replace(measured.runs[id_], **changes)


def test_decode_of_a_dense_model_is_bandwidth_over_weights_and_context(measured, ceilings):
    # m0006: Llama 3 8B in F16 on an RTX 4080; a quarter of the heads of 32 layers, 128 wide
    file, embedding = 16.0607e9, 128256 * 4096 * 2
    context = 2 * 32 * 8 * 128 * 2 * 512
    by_hand = 716.8e9 / (file - embedding + context)
    assert ceilings["m0006"].tokens_per_s == pytest.approx(by_hand, rel=1e-3)
    assert ceilings["m0006"].limit == "memory"


def test_the_read_context_is_the_mean_over_the_generation(measured):
    assert read_context_tokens(measured.runs["m0733"]) == 32768 + 16
    assert read_context_tokens(changed(measured, "m0778", generated_tokens=2048)) == 128 + 1024


def test_a_layer_split_runs_one_session_at_the_speed_of_one_device(measured, library, ceilings):
    four = measured.runs["m0062"]
    assert (four.devices, four.split) == (4, "layers")
    assert ceilings["m0062"].tokens_per_s == pytest.approx(ceilings["m0021"].tokens_per_s)
    tensor = ceiling(msgspec.structs.replace(four, split="tensor"), library)
    assert tensor.tokens_per_s == pytest.approx(4 * ceilings["m0021"].tokens_per_s)


def test_a_stated_file_decides_where_the_mix_has_no_rule(measured, library, ceilings):
    run = measured.runs["m0323"]
    decode = measured.runs["m0324"]
    assert run.sized
    assert not ceilings["m0324"].exact
    larger = msgspec.structs.replace(decode, file_gb=2 * decode.file_gb)
    ratio = ceilings["m0324"].tokens_per_s / ceiling(larger, library).tokens_per_s
    assert ratio == pytest.approx(2, rel=0.02)  # but for the context


def test_sessions_that_do_not_fit_are_served_in_turn(measured, library, ceilings):
    run = measured.runs["m0685"]
    more = ceiling(msgspec.structs.replace(run, batch=10 * run.batch), library)
    assert more.tokens_per_s == pytest.approx(ceilings["m0685"].tokens_per_s)


def test_declared_speculation_raises_the_ceiling_by_less_than_it_emits(measured, ceilings):
    with_mtp, without = ceilings["m0350"], ceilings["m0349"]
    emitted = 1 + 2 * 0.7971
    assert 1 < with_mtp.tokens_per_s / without.tokens_per_s < emitted


def test_a_prompt_is_charged_in_one_shot_at_the_fastest_rate(measured, library, ceilings):
    entry = library.machines["geforce-rtx-4080"]
    mode = fastest_mode(entry)
    record = scenario_of(measured.runs["m0106"], library)
    assert record.prefill.linear_mode == record.prefill.attention_mode == mode == "int4_int32acc"
    linear = entry.machine.compute_flop_per_s[mode] / (2 * 6.98e9)
    assert ceilings["m0106"].limit == "memory"
    assert ceilings["m0106"].tokens_per_s < linear


def test_an_unknown_rate_leaves_the_memory_side_alone(measured, library, ceilings):
    assert fastest_mode(library.machines["apple-m1-max-32-core-gpu-64gb"]) is None
    assert not ceilings["m0187"].both_sides
    assert ceilings["m0187"].limit == "memory"


def test_what_is_left_out_has_no_ceiling(measured, library):
    assert ceiling(measured.runs["m0950"], library) is None


def test_past_its_context_limit_a_run_is_charged_all_it_read(measured, ceilings):
    # llama-2-7b is made for 4,096 tokens; these ran at 32,768 and 65,536
    assert ceilings["m0340"].tokens_per_s < 0.6 * ceilings["m0339"].tokens_per_s
