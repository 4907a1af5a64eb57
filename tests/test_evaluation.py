import json

import pytest

from ourmodels_gui import export, paths, scenario, summary
from ourmodels_gui.evaluation import run
from ourmodels_gui.library.load import load


@pytest.fixture(scope="module")
def library():
    return load(paths.catalog())


def chosen(hardware, model, **sections):
    document = {
        "format": "ourmodels-scenario", "version": 1, "hardware": hardware,
        "model": {"id": model}, **sections,
    }  # fmt: skip
    return scenario.read(json.dumps(document))


def test_every_ninth_model_of_the_catalog_is_answered_or_says_what_it_lacks(library):
    answered = 0
    for id_ in list(library.models)[::9]:
        found = run(chosen("geforce-rtx-4090", id_, prefill={}), library)
        if found.problem is not None:
            assert library.models[id_].record.layers is None, found.problem
            assert found.problem.key == "model.id"
            continue
        json.dumps(export.document(found.result), allow_nan=False)
        assert summary.to_text(summary.summarise(found)).count("\n") > 60
        answered += 1
    assert answered > 30


def test_every_ninth_machine_of_the_catalog_is_answered(library):
    for id_ in list(library.machines)[::9]:
        found = run(chosen(id_, "qwen3-0.6b", prefill={}), library)
        assert found.problem is None, found.problem
        fits = found.result.decode.verdict != "model does not fit"
        needed = found.setup.model.resident_bytes + found.setup.workload.overhead_bytes
        assert fits == (needed <= library.machines[id_].machine.capacity_bytes)
        assert found.setup.assumptions[0].value == library.machines[id_].name


def test_a_models_own_draft_layers_are_held_in_memory(library):
    speculation = {"draft_tokens": 2, "acceptance": 0.7, "draft": "mtp"}
    plain = run(chosen("nvidia-h200-sxm-141gb", "qwen3.6-35b-a3b"), library).result.decode
    drafted = run(
        chosen("nvidia-h200-sxm-141gb", "qwen3.6-35b-a3b", speculation=speculation), library
    )
    assert drafted.result.decode.resident_margin_bytes < plain.resident_margin_bytes
    assert drafted.result.decode.speculation.emitted_tokens_per_iteration == pytest.approx(2.19)


def test_an_unaudited_model_is_told_as_such(library):
    unaudited = [
        id_
        for id_, entry in library.models.items()
        if entry.record.audit.status == "unaudited" and entry.record.layers is not None
    ]
    for id_ in unaudited[:3]:
        told = run(chosen("nvidia-h200-sxm-141gb", id_), library).setup.assumptions
        (model,) = [item for item in told if item.name == "model"]
        assert model.source.startswith("catalog, unaudited; missing: ")
    told = run(chosen("nvidia-h200-sxm-141gb", "qwen3.6-35b-a3b"), library).setup.assumptions
    assert [item.source for item in told if item.name == "model"] == ["catalog, audited"]
