import msgspec
import pytest
from catalog_files import CATALOG, model

from ourmodels_gui.library.importers.compare import differences, twin_of
from ourmodels_gui.library.load import load


@pytest.fixture(scope="module")
def models():
    return load(CATALOG).models


def imported(shipped, **changes):
    blank = {"name": "some file", "repository": ""}
    return msgspec.structs.replace(model(shipped), **(blank | changes))


def twin(models, record):
    found = twin_of(record, models)
    return found and found.id


def test_the_repository_names_the_twin(models):
    assert twin(models, imported("qwen3-4b", repository="qwen/qwen3-8b")) == "qwen3-8b"


@pytest.mark.parametrize(
    "name", ["Qwen3-8B", "qwen3 8b", "Qwen3-8B-GGUF", "Qwen3-8B-Q4_K_M", "Qwen3-8B-MLX-4bit"]
)
def test_a_name_finds_its_twin_whatever_format_it_carries(name, models):
    assert twin(models, imported("qwen3-8b", name=name)) == "qwen3-8b"


def test_a_file_without_a_name_is_known_by_its_sizes(models):
    found = twin(models, imported("gpt-oss-120b"))
    assert found == "gpt-oss-120b" or models[found].record.tensors == model("gpt-oss-120b").tensors


def test_a_model_of_other_sizes_has_no_twin(models):
    assert twin(models, imported("qwen3-8b", hidden_width=4097)) is None


def test_a_model_of_ones_own_is_no_twin(models):
    own = {"mine": msgspec.structs.replace(models["qwen3-8b"], id="mine", yours=True)}
    assert twin(own, imported("qwen3-8b")) is None


def test_equal_records_differ_in_nothing(models):
    assert differences(model("deepseek-v3"), model("deepseek-v3")) == ()


def test_what_one_side_does_not_know_is_no_difference():
    record = model("qwen3-8b")
    blind = msgspec.structs.replace(record, layers=None, context_tokens=None)
    assert differences(blind, record) == differences(record, blind) == ()
