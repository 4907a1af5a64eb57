"""A file of a model that the catalog has gives the catalog's profile, class by class."""

import pytest
from catalog_files import CATALOG, gguf_keys, gguf_tensors, hf_config, hf_tensors, model
from gguf_files import write_gguf
from safetensors_files import write_config, write_sparse

from ourmodels_gui.engine.costs import cache_alloc_bytes, sweep_bytes
from ourmodels_gui.library.check_models import check_model
from ourmodels_gui.library.formats import class_bytes
from ourmodels_gui.library.importers.importing import import_model
from ourmodels_gui.library.load import load
from ourmodels_gui.library.models import active_parameters, parameters_by_class
from ourmodels_gui.library.profile import model_costs


@pytest.fixture(scope="module")
def library():
    return load(CATALOG)


def swept(costs, batch):
    return sweep_bytes(costs.always_bytes, costs.experts, batch, "expected")


def reserved(costs):
    return cache_alloc_bytes(costs.cache, 5000, "windowed")


@pytest.mark.parametrize("name", ["qwen3-8b", "qwen3-30b-a3b", "llama-3.1-8b-instruct"])
def test_a_gguf_file_agrees_with_the_catalog(name, tmp_path, library):
    shipped = model(name)
    path = write_gguf(tmp_path / "m.gguf", gguf_keys(shipped), gguf_tensors(shipped, "q4_k_m"))
    imported = import_model(path, library)
    record = imported.record
    assert imported.problems == ()
    assert imported.review.twin == shipped.name
    assert imported.review.differences == ()
    assert imported.review.contradictions == ()
    assert record.layers == shipped.layers
    assert class_bytes(record, "native") == class_bytes(shipped, "q4_k_m")
    assert parameters_by_class(record) == parameters_by_class(shipped)
    assert active_parameters(record) == active_parameters(shipped)
    ours, theirs = model_costs(record, "native"), model_costs(shipped, "q4_k_m")
    assert ours.resident_bytes == theirs.resident_bytes
    assert ours.linear_active_parameters == theirs.linear_active_parameters
    for batch in (1, 16, 300):
        assert swept(ours, batch) == swept(theirs, batch)
    assert reserved(ours) == reserved(theirs) > 0
    assert class_bytes(record, "q8_0") == class_bytes(shipped, "q8_0")


@pytest.mark.parametrize("name", ["qwen3-8b", "qwen3-30b-a3b", "qwen3-4b"])
def test_safetensors_agree_with_the_catalog(name, tmp_path, library):
    shipped = model(name)
    write_config(tmp_path, **hf_config(shipped))
    write_sparse(tmp_path / "model.safetensors", hf_tensors(shipped))
    imported = import_model(tmp_path, library)
    assert imported.problems == ()
    assert imported.review.twin == shipped.name
    assert imported.review.differences == ()
    assert imported.record.layers == shipped.layers
    assert imported.record.experts == shipped.experts
    assert class_bytes(imported.record, "bf16") == class_bytes(shipped, "bf16")
    assert model_costs(imported.record, "bf16") == model_costs(shipped, "bf16")


def test_what_differs_from_the_catalog_is_named(tmp_path, library):
    shipped = model("qwen3-8b")
    keys = gguf_keys(shipped) | {".context_length": 131072}
    tensors = [t for t in gguf_tensors(shipped, "q4_k_m") if t[0] != "output.weight"]
    imported = import_model(write_gguf(tmp_path / "m.gguf", keys, tensors), library)
    found = {d.name: (d.here, d.catalog) for d in imported.review.differences}
    assert found["context limit"] == ("131,072", "40,960")
    assert found["head is the input embedding"] == ("yes", "no")
    assert found["parameters, output head"] == ("0", "622,329,856")


def test_an_imported_record_passes_the_checks_of_a_users_file(tmp_path):
    shipped = model("qwen3-30b-a3b")
    path = write_gguf(tmp_path / "m.gguf", gguf_keys(shipped), gguf_tensors(shipped, "q8_0"))
    assert check_model(import_model(path).record, "") == []
