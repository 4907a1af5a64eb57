import msgspec
import pytest
from model_files import MODELS, model, model_ids, small

from ourmodels_gui.library.models import (
    ModelRecord,
    Tensors,
    active_parameters,
    experts_per_token,
    parameters,
    parameters_by_class,
    total_parameters,
)


def test_parameters_are_counts_times_shapes():
    assert Tensors("routed_experts", 3, (4, 5, 6)).parameters == 3 * 4 * 5 * 6
    assert total_parameters(small()) == 800 + 800 + 192 + 384 + 4 * 96 + 32 + 40


def test_ledger_names_every_class_once():
    ledger = parameters_by_class(small())
    assert ledger["attention"] == 192
    assert ledger["routed_experts"] == 384
    assert sum(ledger.values()) == total_parameters(small())
    assert "recurrent" not in ledger


def test_active_parameters_count_k_of_the_experts():
    assert active_parameters(small()) == total_parameters(small()) - 3 * 96


def test_a_set_of_experts_that_is_not_there_has_no_k():
    assert experts_per_token(small(), 4) == 1
    with pytest.raises(KeyError):
        experts_per_token(small(), 5)


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("llama-3.1-8b-instruct", 8_030_261_248),
        ("llama-3.1-70b-instruct", 70_553_706_496),
        ("qwen3-32b", 32_762_123_264),
        ("nemotron-3-nano-30b-a3b", 31_577_937_344),
        ("glm-5", 753_864_139_008),
        ("qwen3.5-397b-a17b", 403_397_928_944),
        ("kimi-linear-48b-a3b-instruct", 49_122_681_728),
        ("step-3.5-flash", 199_384_301_376),
        ("deepseek-v4-flash", 290_944_616_402),
        ("llama-3.3-nemotron-super-49b-v1", 49_867_145_216),
        ("longcat-flash-chat", 561_862_880_256),
        ("ling-2.6-1t", 1_025_414_425_344),
        ("hy4-preview", 779_960_992_733),
        ("qwen3.8-2.4t-a95b", 2_446_182_725_504),
        ("rwkv7-g1j-2.9b", 2_948_065_280),
        ("glm-5.3-flash", 321_323_031_390),
    ],
)
def test_shapes_sum_to_the_published_total(name, published):
    assert total_parameters(model(name)) == pytest.approx(published, rel=1e-6)


def test_active_parameters_are_near_what_makers_say():
    assert active_parameters(model("gpt-oss-120b")) / 1e9 == pytest.approx(5.7, abs=0.1)
    assert active_parameters(model("deepseek-v3")) / 1e9 == pytest.approx(37.5, abs=0.5)
    assert active_parameters(model("qwen3.5-122b-a10b")) / 1e9 == pytest.approx(10, abs=0.5)
    assert active_parameters(model("laguna-s-2.1")) / 1e9 == pytest.approx(8.5, abs=0.1)
    assert active_parameters(model("longcat-flash-chat")) / 1e9 == pytest.approx(27, abs=1)
    assert active_parameters(model("qwen3.8-2.4t-a95b")) / 1e9 == pytest.approx(95, abs=1)


def test_draft_layers_and_towers_are_parts_of_their_own():
    record = model("qwen3.5-35b-a3b")
    parts = {part: parameters(record, part) for part in ("text", "mtp", "vision")}
    assert sum(parts.values()) == total_parameters(record)
    assert all(parts.values())


def test_an_unknown_key_in_a_model_file_is_refused():
    raw = msgspec.json.decode((MODELS / "qwen3-8b.json").read_bytes())
    raw["layer_cout"] = 3
    with pytest.raises(msgspec.ValidationError, match="layer_cout"):
        msgspec.convert(raw, ModelRecord)


@pytest.mark.parametrize(
    ("key", "value"), [("layer_count", 0), ("hidden_width", -1), ("context_tokens", 0)]
)
def test_a_count_below_one_is_refused(key, value):
    raw = msgspec.json.decode((MODELS / "qwen3-8b.json").read_bytes())
    with pytest.raises(msgspec.ValidationError, match=key):
        msgspec.convert(raw | {key: value}, ModelRecord)


def test_the_catalog_holds_at_least_350_audited_models():
    audited = [name for name in model_ids() if model(name).audit.status == "audited"]
    assert len(audited) >= 350


def test_ids_are_plain():
    for name in model_ids():
        assert name == name.lower()
        assert all(letter.isalnum() or letter in "-." for letter in name), name
