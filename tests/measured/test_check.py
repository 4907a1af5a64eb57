"""A measurement is checked with what its text says and what a person adds; nothing is guessed."""

import msgspec
import pytest

from ourmodels_gui import evaluation, paths, scenario
from ourmodels_gui.measured import log
from ourmodels_gui.measured.check import check, conditions, lines
from ourmodels_gui.measured.paste import read
from ourmodels_gui.measured.runs import Drafting, MeasuredRun, Said
from ourmodels_gui.scenario import ModelRef, Scenario

TABLE = """
  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes
| model                  |     size |  params | backend | ngl |  test |            t/s |
| ---------------------- | -------: | ------: | ------- | --: | ----: | -------------: |
| llama 8B Q4_K - Medium | 4.58 GiB |  8.03 B | CUDA    |  99 | tg128 | {rate} ± 0.31  |
"""


def pasted(rate="111.74"):
    return read(TABLE.replace("{rate}", rate)).runs[0]


def typed(**changes):
    fields = {
        "said": Said("", "", ""),
        "machine": "geforce-rtx-3090",
        "model": "llama-3-8b",
        "weights": "q4_k_m",
        "generated_tokens": 128.0,
        "tokens_per_s": 111.74,
        "phase": "decode",
    }
    return MeasuredRun(id="typed", source="typed", **fields | changes)


def by_label(checked):
    return {line.label: line for line in lines(checked)}


def test_what_the_text_says_is_filled_in_and_the_rest_asked_for(library):
    found = check(pasted(), library)
    assert found.run.machine == "geforce-rtx-3090"
    assert found.missing == ("model", "weights")
    assert found.ceiling is None
    assert [line.label for line in lines(found)] == ["measured"]


def test_a_named_model_takes_its_format_from_the_text(library):
    found = check(pasted(), library, {"model": "llama-3-8b"})
    assert (found.missing, found.run.weights) == ((), "q4_k_m")
    assert found.ceiling.ratio == pytest.approx(111.74 / found.ceiling.tokens_per_s)
    assert found.ceiling.limit == "memory"


def test_what_a_person_says_wins_over_the_text(library):
    answers = {"model": "llama-3-8b", "machine": "geforce-rtx-4090", "batch": 2}
    found = check(pasted(), library, answers)
    assert (found.run.machine, found.run.batch) == ("geforce-rtx-4090", 2)


def test_the_check_shows_ratio_room_and_limit(library):
    shown = by_label(check(typed(), library))
    assert shown["measured"].text == "112 tok/s"
    ceiling = float(shown["ceiling"].exact)
    assert float(shown["ratio"].exact) == pytest.approx(111.74 / ceiling)
    assert float(shown["room"].exact) == pytest.approx(ceiling - 111.74)
    assert shown["limit"].text == "memory"


def test_a_rate_above_its_ceiling_is_explained_with_its_figures(library):
    found = check(typed(tokens_per_s=500.0), library)
    assert found.ceiling.beaten
    shown = by_label(found)
    assert shown["ratio"].role == "above"
    emitted = next(cause for cause in found.causes if cause.cause == "speculation")
    assert emitted.needed == pytest.approx(found.ceiling.ratio)
    assert f"{emitted.needed:.2f}" in shown["speculation"].text


def test_a_rate_far_below_is_explained_and_an_ordinary_one_is_not(library):
    low = check(typed(tokens_per_s=12.0), library)
    assert by_label(low)["ratio"].role == "low"
    assert {"part in host memory", "other bandwidth"} <= {cause.cause for cause in low.causes}
    assert check(typed(), library).causes == ()


def test_small_shares_of_prefill_are_ordinary_and_said_so(library):
    run = typed(phase="prefill", prompt_tokens=512, generated_tokens=None, tokens_per_s=3865.0)
    found = check(run, library)
    assert found.ceiling.ratio < 0.15 and found.causes == ()
    assert "fastest arithmetic mode" in by_label(found)["ratio"].note


def test_a_run_in_two_memories_has_no_ceiling(library):
    found = check(typed(left_out="host memory not stated"), library)
    assert found.ceiling is None
    assert "part of the weights lies in host memory" in found.refused


def test_an_id_that_is_gone_is_asked_for_again(library):
    found = check(typed(machine="my-old-box"), library)
    assert found.missing == ("machine",) and "my-old-box" in found.refused


def test_a_model_without_mtp_layers_refuses_their_speculation(library):
    found = check(typed(drafting=Drafting("mtp", 3, 0.7)), library)
    assert found.ceiling is None
    assert found.refused.startswith("speculation.draft")


def test_the_conditions_give_the_scenario_the_ceiling_of_the_check(library):
    before = Scenario("apple-m1-max-32-core-gpu-64gb", ModelRef("qwen3-8b"))
    run = typed(batch=4, depth_tokens=1000)
    after = scenario.edited(before, conditions(run, library, before))
    answer = evaluation.run(after, library).result
    ceiling = check(run, library).ceiling
    assert answer.decode.forced.aggregate_tokens_per_s == pytest.approx(ceiling.tokens_per_s)
    assert after.hardware == "geforce-rtx-3090"


def test_the_conditions_of_a_prompt_give_its_ceiling_too(library):
    before = Scenario("apple-m1-max-32-core-gpu-64gb", ModelRef("qwen3-8b"))
    run = typed(phase="prefill", prompt_tokens=2048, generated_tokens=None, tokens_per_s=3000.0)
    after = scenario.edited(before, conditions(run, library, before))
    answer = evaluation.run(after, library).result
    assert answer.prefill.tokens_per_s == pytest.approx(check(run, library).ceiling.tokens_per_s)


@pytest.mark.parametrize(
    "example, share",
    [
        ("dgx-spark-gemma-4-26b-a4b-measured-16", {"77.0%", "86.6%"}),
        ("laguna-s-2.1-8k-chunk-1600-measured", {"45.1%"}),
    ],
)
def test_the_formulations_comparisons_stand_in_the_examples(example, share, library):
    chosen = scenario.read_file(paths.resources() / "examples" / f"{example}{scenario.SUFFIX}")
    data = (paths.catalog() / "measured" / "comparisons.json").read_bytes()
    entries, damaged = log.read(data)
    assert damaged == ()
    mine = [e.run for e in entries if log.subject_of(e.run) == log.subject(chosen, library)]
    found = [check(run, library, scenario=chosen).ceiling for run in mine]
    assert {f"{one.expected_ratio:.1%}" for one in found} == share
    assert all(one.ratio <= one.expected_ratio and not one.beaten for one in found)


def test_a_run_of_a_written_out_machine_changes_only_its_conditions(library):
    run = MeasuredRun(id="a", said=Said("Box", "Net", ""), phase="decode", batch=8,
                      tokens_per_s=10.0, source="typed")  # fmt: skip
    before = Scenario("apple-m1-max-32-core-gpu-64gb", ModelRef("qwen3-8b"))
    changed = conditions(run, library, before)
    assert changed["workload.batch"] == 8
    assert "hardware" not in changed and "model" not in changed
    assert scenario.edited(before, changed).hardware == before.hardware


def test_every_published_run_is_checked_as_the_proof_has_it(measured, ceilings, library):
    for run in list(measured.runs.values())[::25]:
        again = msgspec.structs.replace(run)
        assert check(again, library).ceiling == ceilings.get(run.id), run.id
