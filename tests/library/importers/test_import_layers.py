"""The layer list follows from metadata; what it does not say is asked."""

import pytest
from gguf_files import llama_keys, llama_tensors, write_gguf
from safetensors_files import llama_config, write_config, write_sparse
from safetensors_files import llama_tensors as hf_tensors

from ourmodels_gui.library.importers.compare import layer_counts
from ourmodels_gui.library.importers.hf_config import describe_config
from ourmodels_gui.library.importers.importing import import_model, review_files
from ourmodels_gui.library.importers.layout import lay_out
from ourmodels_gui.library.models import LayerGroup
from ourmodels_gui.problem import BadInput


def kinds(record):
    return [(g.kind, g.count, g.window_tokens) for g in record.layers]


def described(**config):
    return describe_config(llama_config(**config), "here").layers


def windows(**config):
    return [layer.window_tokens for layer in described(**config)]


def test_a_window_without_a_pattern_is_asked_for(tmp_path):
    keys = llama_keys(layers=6) | {".attention.sliding_window": 512}
    imported = import_model(write_gguf(tmp_path / "m.gguf", keys, llama_tensors(layers=6)))
    assert imported.record.layers is None
    (asked,) = imported.review.missing
    effects = {choice.id: choice.effect for choice in asked.choices}
    assert asked.key == "window"
    assert effects["none"].startswith("0.00629 GB")  # 6 x 2 x 64 values x 2 bytes x 4096
    assert effects["every_6"].startswith("0.0017 GB")  # (4096 + 5 x 512) x 256 bytes
    again = review_files(imported.files, None, {"window": "every_6"})
    assert kinds(again.record) == [("window", 5, 512), ("full", 1, 0)]
    assert again.review.missing == ()


def test_a_pattern_may_be_a_period_or_a_list(tmp_path):
    base = llama_keys(layers=4) | {".attention.sliding_window": 512}
    for pattern in (2, [True, False, True, False]):
        keys = base | {".attention.sliding_window_pattern": pattern}
        imported = import_model(write_gguf(tmp_path / "m.gguf", keys, llama_tensors(layers=4)))
        assert kinds(imported.record) == [("window", 2, 512), ("full", 2, 0)]


def test_an_answer_nobody_asked_for_is_refused(tmp_path):
    path = write_gguf(tmp_path / "m.gguf", llama_keys(), llama_tensors())
    with pytest.raises(BadInput, match=r"answer\.colour: nobody asked that"):
        import_model(path, answers={"colour": "red"})
    with pytest.raises(BadInput, match=r"answer\.window.*not one of none, all, every_2"):
        import_model(path, answers={"window": "every_9"})
    with pytest.raises(BadInput, match=r"answer\.per_token.*not a whole number"):
        import_model(path, answers={"per_token": "-1"})


def test_experts_of_unknown_use_block_saving_until_answered(tmp_path):
    config = llama_config(num_experts=4, moe_intermediate_size=64)
    tensors = {n: t for n, t in hf_tensors().items() if ".mlp." not in n}
    for i in range(2):
        tensors[f"model.layers.{i}.mlp.experts.gate_up_proj"] = ("BF16", (4, 128, 256))
        tensors[f"model.layers.{i}.mlp.experts.down_proj"] = ("BF16", (4, 256, 64))
    write_config(tmp_path, **config)
    write_sparse(tmp_path / "model.safetensors", tensors)
    imported = import_model(tmp_path)
    assert "routed experts does a token use" in imported.problems[0]
    assert imported.record.layers is None
    again = review_files(imported.files, None, {"per_token": "2"})
    assert again.problems == () and again.record.experts[0].per_token == 2


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"sliding_window": 64, "sliding_window_pattern": 2}, [64, 0, 64, 0]),
        ({"sliding_window": 64, "use_sliding_window": False}, [0, 0, 0, 0]),
        ({"sliding_window": 8192}, [0, 0, 0, 0]),  # beyond the context limit
        ({"sliding_window": 64}, [None] * 4),
        (
            {"sliding_window": 64, "use_sliding_window": True, "max_window_layers": 3},
            [0, 0, 0, 64],
        ),
        ({"sliding_window": 64, "layer_types": ["full_attention", "sliding_attention"] * 2},
         [0, 64, 0, 64]),
        ({"sliding_window": 64, "global_attn_every_n_layers": 4}, [64, 64, 64, 0]),
        ({"attention_chunk_size": 64, "no_rope_layers": [1, 1, 1, 0]}, [64, 64, 64, 0]),
        ({"sliding_window": 64, "hybrid_layer_pattern": [0, 1, 1, 0]}, [0, 64, 64, 0]),
        ({}, [0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_windows_follow_the_patterns_of_a_config(config, expected):
    assert windows(layers=4, **config) == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"hybrid_override_pattern": "M*-E"}, ["state", "attention", "none", "none"]),
        ({"full_attention_interval": 4}, ["state", "state", "state", "attention"]),
        ({"attn_layer_period": 4, "attn_layer_offset": 1},
         ["state", "attention", "state", "state"]),
        ({"attn_type_list": [0, 0, 0, 1]}, ["state", "state", "state", "attention"]),
        ({"linear_attn_config": {"full_attn_layers": [4], "num_heads": 8, "head_dim": 32}},
         ["state", "state", "state", "attention"]),
        ({"layer_types": ["conv", "full_attention", "linear_attention", "mamba"]},
         ["state", "attention", "state", "state"]),
        ({"mamba_d_state": 16, "mamba_d_conv": 4}, [None] * 4),
    ],
)  # fmt: skip
def test_mixers_follow_the_lists_of_a_config(config, expected):
    assert [layer.mixer for layer in described(layers=4, **config)] == expected


def test_a_list_that_is_too_short_is_refused():
    with pytest.raises(BadInput, match="layer_types: 1 entries for 2 layers"):
        described(layer_types=["full_attention"])


@pytest.mark.parametrize(
    ("config", "elements", "conv", "flop"),
    [
        # 32 value heads of 128 x 128; 3 x (2 x 16 x 128 + 32 x 128)
        ({"linear_num_value_heads": 32, "linear_value_head_dim": 128, "linear_num_key_heads": 16,
          "linear_key_head_dim": 128, "linear_conv_kernel_dim": 4}, 524288, 24576, 3145728.0),
        # 64 heads of 64, state 128, 8 groups: 3 x (4096 + 2 x 8 x 128)
        ({"mamba_num_heads": 64, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8,
          "conv_kernel": 4}, 524288, 18432, 2097152.0),
        # no heads: 2 x 256 inner, state 16
        ({"mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2}, 8192, 1536, 32768.0),
        ({"conv_L_cache": 3, "conv_dim": 2048}, 0, 4096, 0.0),
    ],
)  # fmt: skip
def test_the_state_of_a_recurrent_layer_is_computed(config, elements, conv, flop):
    state = describe_config(llama_config(**config), "here").state
    assert (state.elements, state.conv_elements, state.flop_per_token) == (elements, conv, flop)


def test_tensors_win_over_the_config_and_the_difference_is_told(tmp_path):
    write_config(tmp_path, **llama_config(keys=4, num_experts=8, num_experts_per_tok=2))
    write_sparse(tmp_path / "model.safetensors", hf_tensors(keys=2))
    imported = import_model(tmp_path)
    assert imported.record.layers[0].key_heads == 2
    assert "4 key heads of 32 by the metadata, but the key tensors have 64 rows" in (
        imported.review.contradictions
    )
    assert "8 routed experts by the metadata, but no tensor is one" in (
        imported.review.contradictions
    )


def test_a_context_in_the_name_is_held_against_the_metadata(tmp_path):
    keys = llama_keys() | {"general.name": "Tested 7B 128k"}
    imported = import_model(write_gguf(tmp_path / "m.gguf", keys, llama_tensors()))
    assert imported.review.contradictions == ("the name says 128k of context, the metadata 4,096",)


def test_missing_layers_are_a_contradiction(tmp_path):
    path = write_gguf(tmp_path / "m.gguf", llama_keys(layers=3), llama_tensors(layers=2))
    assert "layer 2 has no tensors" in import_model(path).review.contradictions


def test_a_config_alone_gives_the_layers_and_the_large_tensors(tmp_path):
    write_config(tmp_path, **llama_config(torch_dtype="bfloat16"))
    alone = import_model(tmp_path / "config.json").record
    write_sparse(tmp_path / "model.safetensors", hf_tensors())
    whole = import_model(tmp_path).record
    assert alone.layers == whole.layers
    large = [g for g in whole.tensors if len(g.shape) > 1]
    assert sorted(alone.tensors, key=str) == sorted(large, key=str)


def test_a_config_without_a_tie_asks_for_it(tmp_path):
    config = llama_config()
    del config["tie_word_embeddings"]
    path = write_config(tmp_path, **config)
    imported = import_model(path)
    assert [asked.key for asked in imported.review.missing] == ["tied"]
    untied = review_files(imported.files, None, {"tied": "no"}).record
    assert not untied.tied and imported.record.tied


def test_compressed_and_selected_layers_are_told_apart():
    config = llama_config(
        layers=3, keys=1, head_dim=64, qk_rope_head_dim=16, sliding_window=128, index_topk=512,
        index_n_heads=4, index_head_dim=32, compress_ratios=[0, 4, 128],
    )  # fmt: skip
    said = describe_config(config, "here")
    groups = lay_out(said, {}).groups
    assert [(g.kind, g.tokens_per_entry, g.window_tokens) for g in groups] == [
        ("window", 1, 128),
        ("sparse", 4, 128),
        ("latent", 128, 128),
    ]
    assert {g.latent_width for g in groups} == {48}


def test_equal_layers_are_counted_in_any_order():
    one, two = LayerGroup("full", 1, query_heads=8), LayerGroup("full", 2, query_heads=8)
    assert layer_counts((one, two)) == layer_counts((two, one)) == {one: 3}
