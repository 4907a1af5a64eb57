"""An explanation states the figure that would make a run consistent, and it does."""

import msgspec
import pytest

from ourmodels_gui.measured.ceiling import ceiling
from ourmodels_gui.measured.explain import explanations
from ourmodels_gui.measured.implied import bits_per_parameter, bits_said, experts_left, unread_share


def scaled(measured, library, id_, factor):
    """A run at a multiple of its rate, its ceiling, and its explanations by cause."""
    run = measured.runs[id_]
    run = msgspec.structs.replace(run, tokens_per_s=factor * run.tokens_per_s)
    found = ceiling(run, library)
    return run, found, {cause.cause: cause for cause in explanations(run, found, library)}


def test_an_ordinary_run_asks_for_no_reason(measured, library):
    assert scaled(measured, library, "m0006", 1)[2] == {}


def test_a_run_above_its_ceiling_is_explained_by_each_figure_alone(measured, library):
    run, found, causes = scaled(measured, library, "m0006", 3)
    assert found.beaten
    assert causes["speculation"].needed == pytest.approx(found.ratio)
    assert causes["other bandwidth"].needed == pytest.approx(found.ratio * 716.8e9)
    assert causes["several devices"].needed == 3
    # weights of that many bits and the same context make the ratio exactly 1
    bits = causes["other weights"].needed
    context = 2 * 32 * 8 * 128 * 2 * 512
    swept = 8.030e9 - 128256 * 4096
    assert 716.8e9 / (bits / 8 * swept + context) == pytest.approx(run.tokens_per_s, rel=1e-3)


def test_tokens_that_were_not_drafted_cannot_have_been_emitted(measured, library):
    _, found, causes = scaled(measured, library, "m0350", 3)
    assert found.beaten
    assert not causes["speculation"].possible
    assert "2 drafted, so at most 3" in causes["speculation"].text


def test_a_cached_prompt_explains_an_impossible_prefill(measured, library):
    run, found, causes = scaled(measured, library, "m0106", 10)
    assert found.beaten
    tokens = run.prompt_tokens - causes["cached prefix"].needed
    assert tokens / run.prompt_tokens == pytest.approx(1 / found.ratio)


def test_a_shared_prefix_needs_several_sessions(measured, library):
    _, found, causes = scaled(measured, library, "m0756", 3)
    assert found.beaten
    assert 0 < causes["shared prefix"].needed <= 1


def test_a_slow_run_says_what_part_would_lie_in_host_memory(measured, library):
    run, found, causes = scaled(measured, library, "m0006", 0.2)
    part = causes["part in host memory"].needed
    rate = 1 / ((1 - part) / 716.8 + part / 89.6)  # GB/s through both
    assert rate / 716.8 == pytest.approx(found.ratio)
    assert causes["other bandwidth"].needed == pytest.approx(found.ratio * 716.8e9)
    assert run.tokens_per_s < 10


def test_a_split_by_layers_would_need_its_devices_at_work_at_once(measured, library):
    run, found, causes = scaled(measured, library, "m0062", 3)  # four cards
    cause = causes["several devices"]
    assert cause.needed == pytest.approx(found.ratio) and cause.possible
    tensor = ceiling(msgspec.structs.replace(run, split="tensor"), library)
    assert found.ratio == pytest.approx(run.devices * tensor.ratio)
    assert not scaled(measured, library, "m0062", 9)[2]["several devices"].possible


def test_experts_in_host_memory_are_explained_by_what_both_pools_read(measured, library):
    run, found, causes = scaled(measured, library, "m0934", 20)
    assert found.beaten and "several devices" not in causes
    host, card = run.host_memory.bandwidth_gb_per_s, 192.0
    needed = causes["other bandwidth"].needed / found.ratio / 1e9
    assert host < needed < host + card
    slow = scaled(measured, library, "m0934", 1)[2]
    assert "part in host memory" not in slow and "other bandwidth" in slow


def test_bits_in_a_name_and_bits_that_a_rate_leaves(measured, library):
    assert bits_said("FP8 dynamic") == 8.0
    assert bits_said("w/o figure") is None
    # 252 tok/s of 27B parameters at 960 GB/s cannot be one pass of 4-bit weights a token
    assert bits_per_parameter(measured.runs["m1229"], library) == pytest.approx(1.19, abs=0.01)
    assert bits_per_parameter(measured.runs["m0673"], library) is None


def test_correlated_routing_is_measured_in_experts(measured, library):
    touched, routed, mean = experts_left(measured.runs["m0818"], library)
    assert routed == 128
    assert 4 < touched < mean < routed


def test_tables_that_are_only_looked_up_are_the_unread_share(library):
    assert unread_share(library.models["qwen3-0.6b"].record) == 0  # tied
    llama = unread_share(library.models["llama-3.1-8b-instruct"].record)
    assert llama == pytest.approx(128256 * 4096 / 8.03e9, rel=1e-3)
