"""Presets: fragments that any scenario can take, and that leave nothing of another behind."""

import json

import pytest

from ourmodels_gui import scenario as files
from ourmodels_gui.presets import OWNED, presets
from ourmodels_gui.problem import BadInput
from ourmodels_gui.scenario import ModelRef, Scenario, WorkloadChoice

PLAIN = Scenario(hardware="a", model=ModelRef("b"))
OWN = Scenario(
    hardware="a",
    model=ModelRef("b"),
    workload=WorkloadChoice(read_context_fraction=0.5, cache_format="fp8", overhead_gb=3, batch=7),
)


def test_the_six_kinds_of_use_are_there_in_order():
    assert [preset.name for preset in presets()] == [
        "One person chatting",
        "Coding agent, long context",
        "Retrieval",
        "Long documents",
        "A small team",
        "Overnight batch",
    ]


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.id)
def test_a_preset_makes_a_scenario_that_can_be_read_again(preset):
    made = files.edited(OWN, preset.changes)
    assert preset.describes(made)
    assert files.read(files.write(made)) == made
    assert made.workload.cache_format == "fp8"
    assert made.workload.overhead_gb == 3
    assert preset.note.endswith(".")


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.id)
def test_the_turn_of_a_preset_fits_its_reservation(preset):
    prefix = preset.values.get("prefill.cached_prefix_tokens", 0)
    held = prefix + preset.values["prefill.prompt_tokens"] + preset.values["prefill.answer_tokens"]
    assert held <= preset.values["workload.reserved_context_tokens"]
    assert preset.values["workload.read_context_tokens"] <= held * 1.05


def test_one_preset_leaves_nothing_of_another():
    for first in presets():
        for second in presets():
            made = files.edited(files.edited(PLAIN, first.changes), second.changes)
            assert made == files.edited(PLAIN, second.changes)
            assert [one for one in presets() if one.describes(made)] == [second]


def test_no_preset_describes_a_scenario_of_defaults():
    assert not any(preset.describes(PLAIN) for preset in presets())
    assert set(presets()[0].changes) == set(OWNED)


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ({"cache_format": "fp8"}, "workload.cache_format"),
        ({"floor": 3}, "workload.floor"),
        ({"read_context_tokens": 9, "reserved_context_tokens": 8}, "workload.read_context_tokens"),
    ],
)
def test_a_preset_that_decides_something_else_is_named(tmp_path, section, key):
    path = tmp_path / "1-bad.json"
    path.write_text(json.dumps({"name": "x", "note": "y", "workload": section, "prefill": {}}))
    with pytest.raises(BadInput) as caught:
        presets(tmp_path)
    assert caught.value.problem.key == key
    assert caught.value.problem.place == str(path)
