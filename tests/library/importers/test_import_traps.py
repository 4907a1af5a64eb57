"""What programs of this kind get wrong, one test each."""

import pytest
from gguf_files import TYPES, llama_keys, llama_tensors, write_gguf
from safetensors_files import llama_config, write_config, write_sparse
from safetensors_files import llama_tensors as hf_tensors

from ourmodels_gui.library.formats import class_bytes
from ourmodels_gui.library.importers.importing import import_model, session_bytes
from ourmodels_gui.library.importers.profile_text import as_text, resident_bytes
from ourmodels_gui.library.models import LayerGroup, Tensors, tensors_of, total_parameters
from ourmodels_gui.library.profile import model_costs
from ourmodels_gui.problem import BadInput


def layers_of(imported):
    return {
        (g.kind, g.key_heads, g.key_width, g.window_tokens): g.count for g in imported.record.layers
    }


def test_head_counts_may_be_a_list_with_one_for_each_layer(tmp_path):
    keys = llama_keys(layers=3) | {
        ".attention.head_count": [8, 4, 8],
        ".attention.head_count_kv": [2, 4, 0],
        ".attention.key_length": 32,
        ".attention.value_length": 32,
        ".ssm.conv_kernel": 4,
        ".ssm.inner_size": 512,
        ".ssm.state_size": 16,
        ".ssm.time_step_rank": 16,
        ".ssm.group_count": 0,
    }
    tensors = [
        t for t in llama_tensors(layers=3) if not t[0].startswith(("blk.1.attn", "blk.2.attn"))
    ]
    tensors += [
        ("blk.1.attn_q.weight", (128, 256), TYPES.F16),
        ("blk.1.attn_k.weight", (128, 256), TYPES.F16),
        ("blk.1.attn_v.weight", (128, 256), TYPES.F16),
        ("blk.1.attn_output.weight", (256, 128), TYPES.F16),
        ("blk.2.ssm_in.weight", (1024, 256), TYPES.F16),
        ("blk.2.ssm_conv1d.weight", (512, 4), TYPES.F32),
        ("blk.2.ssm_out.weight", (256, 512), TYPES.F16),
    ]
    imported = import_model(write_gguf(tmp_path / "m.gguf", keys, tensors))
    assert imported.record.layers == (
        LayerGroup("full", 1, query_heads=8, key_heads=2, key_width=32, value_width=32),
        LayerGroup("full", 1, query_heads=4, key_heads=4, key_width=32, value_width=32),
        LayerGroup(
            "state", 1, state_elements=8192, conv_elements=1536, state_flop_per_token=32768.0
        ),
    )
    assert imported.review.contradictions == ()
    assert imported.problems == ()


def test_one_key_head_may_serve_many_query_heads(tmp_path):
    path = write_gguf(tmp_path / "m.gguf", llama_keys(keys=1), llama_tensors(keys=1))
    imported = import_model(path)
    assert layers_of(imported) == {("full", 1, 32, 0): 2}
    # 2 layers x 1 head x (32 + 32) values x 2 bytes x 4096 tokens
    assert session_bytes(imported.record) == 2 * 64 * 2 * 4096


def test_without_a_key_head_count_the_key_tensors_say_it(tmp_path):
    keys = llama_keys(keys=2)
    del keys[".attention.head_count_kv"]
    imported = import_model(write_gguf(tmp_path / "m.gguf", keys, llama_tensors(keys=2)))
    assert layers_of(imported) == {("full", 2, 32, 0): 2}
    assert "2: the key tensors" in [fact.value for fact in imported.review.inferred]


def test_the_width_of_a_head_is_its_own_number(tmp_path):
    keys = llama_keys() | {".attention.key_length": 64, ".attention.value_length": 64}
    imported = import_model(write_gguf(tmp_path / "m.gguf", keys, llama_tensors(head_width=64)))
    assert layers_of(imported) == {("full", 2, 64, 0): 2}


MLA_HF = {
    "kv_lora_rank": 64, "q_lora_rank": 96, "qk_rope_head_dim": 16, "qk_nope_head_dim": 32,
    "v_head_dim": 32, "num_key_value_heads": 8,
}  # fmt: skip


def test_a_latent_cache_is_one_entry_for_all_heads(tmp_path):
    write_config(tmp_path, **llama_config() | MLA_HF)
    tensors = {n: t for n, t in hf_tensors().items() if ".self_attn." not in n}
    for i in range(2):
        at = f"model.layers.{i}.self_attn"
        tensors |= {
            f"{at}.q_a_proj.weight": ("BF16", (96, 256)),
            f"{at}.q_b_proj.weight": ("BF16", (8 * 48, 96)),
            f"{at}.kv_a_proj_with_mqa.weight": ("BF16", (80, 256)),
            f"{at}.kv_a_layernorm.weight": ("BF16", (64,)),
            f"{at}.kv_b_proj.weight": ("BF16", (8 * 64, 64)),
            f"{at}.o_proj.weight": ("BF16", (256, 256)),
        }
    write_sparse(tmp_path / "model.safetensors", tensors)
    imported = import_model(tmp_path)
    assert imported.record.layers == (
        LayerGroup(
            "latent", 2, query_heads=8, key_heads=8, key_width=48, value_width=32,
            latent_width=64, rope_width=16,
        ),
    )  # fmt: skip
    assert session_bytes(imported.record) == 2 * 80 * 2 * 4096
    assert imported.problems == () and imported.review.contradictions == ()


def test_a_latent_cache_in_gguf_is_known_by_its_rank(tmp_path):
    keys = llama_keys() | {
        ".attention.kv_lora_rank": 64,
        ".attention.head_count_kv": 1,
        ".attention.key_length": 80,
        ".attention.value_length": 64,
        ".attention.key_length_mla": 48,
        ".attention.value_length_mla": 32,
        ".rope.dimension_count": 16,
    }
    tensors = [
        t for t in llama_tensors() if t[0].split(".")[-2] not in ("attn_k", "attn_v", "attn_q")
    ]
    for i in range(2):
        tensors += [
            (f"blk.{i}.attn_q.weight", (8 * 48, 256), TYPES.F16),
            (f"blk.{i}.attn_kv_a_mqa.weight", (80, 256), TYPES.F16),
            (f"blk.{i}.attn_k_b.weight", (8, 64, 32), TYPES.F16),
            (f"blk.{i}.attn_v_b.weight", (8, 32, 64), TYPES.F16),
        ]
    imported = import_model(write_gguf(tmp_path / "m.gguf", keys, tensors))
    assert imported.record.layers == (
        LayerGroup(
            "latent", 2, query_heads=8, key_heads=8, key_width=48, value_width=32,
            latent_width=64, rope_width=16,
        ),
    )  # fmt: skip


def moe(tensors):
    return {n: t for n, t in tensors.items() if ".mlp." not in n}


ROUTED = llama_config(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=64)


@pytest.mark.parametrize("layout", ["single", "merged", "fused", "fused_turned", "stacked"])
def test_experts_are_found_however_they_are_merged(layout, tmp_path):
    write_config(tmp_path, **ROUTED)
    tensors = moe(hf_tensors())
    for i in range(2):
        at = f"model.layers.{i}.mlp"
        tensors[f"{at}.gate.weight"] = ("BF16", (4, 256))
        if layout == "single":
            for e in range(4):
                tensors[f"{at}.experts.{e}.gate_proj.weight"] = ("BF16", (64, 256))
                tensors[f"{at}.experts.{e}.up_proj.weight"] = ("BF16", (64, 256))
                tensors[f"{at}.experts.{e}.down_proj.weight"] = ("BF16", (256, 64))
        elif layout == "merged":
            tensors[f"{at}.experts.gate_proj.weight"] = ("BF16", (4, 64, 256))
            tensors[f"{at}.experts.up_proj.weight"] = ("BF16", (4, 64, 256))
            tensors[f"{at}.experts.down_proj.weight"] = ("BF16", (4, 256, 64))
        elif layout == "fused":
            tensors[f"{at}.experts.gate_up_proj"] = ("BF16", (4, 128, 256))
            tensors[f"{at}.experts.down_proj"] = ("BF16", (4, 256, 64))
        elif layout == "fused_turned":
            tensors[f"{at}.experts.gate_up_proj"] = ("BF16", (4, 256, 128))
            tensors[f"{at}.experts.down_proj"] = ("BF16", (4, 64, 256))
        else:
            tensors[f"{at}.experts.mlp.w1"] = ("BF16", (4 * 64, 256))
            tensors[f"{at}.experts.mlp.v1"] = ("BF16", (4 * 64, 256))
            tensors[f"{at}.experts.mlp.w2"] = ("BF16", (4 * 64, 256))
    write_sparse(tmp_path / "model.safetensors", tensors)
    imported = import_model(tmp_path)
    routed = [g for g in imported.record.tensors if g.tensor_class == "routed_experts"]
    assert {g.shape for g in routed if g.role == "down"} == {(4, 256, 64)}
    assert sum(g.parameters for g in routed) == 2 * 4 * 3 * 64 * 256
    assert [(s.routed, s.per_token, s.layers, s.width) for s in imported.record.experts] == [
        (4, 2, 2, 64)
    ]
    experts = model_costs(imported.record, "bf16").experts
    assert [(e.routed, e.per_token, e.expert_bytes) for e in experts] == [
        (4, 2, 2 * 3 * 64 * 256 * 2)
    ]
    assert imported.problems == () and imported.review.contradictions == ()


def test_a_tied_head_that_is_stored_twice_is_kept_once(tmp_path):
    write_config(tmp_path, **llama_config(tie_word_embeddings=True))
    write_sparse(tmp_path / "model.safetensors", hf_tensors(head=True))
    imported = import_model(tmp_path)
    table = 512 * 256 * 2
    costs = model_costs(imported.record, "bf16")
    stored = sum(t.stored_bytes for t in imported.files.checkpoint.tensors)
    assert imported.record.tied
    assert costs.resident_bytes == stored - table == resident_bytes(imported.record)
    assert costs.always_bytes == costs.resident_bytes
    assert imported.problems == ()


def test_a_head_of_its_own_is_swept_and_the_input_table_is_not(tmp_path):
    write_config(tmp_path, **llama_config(tie_word_embeddings=False))
    write_sparse(tmp_path / "model.safetensors", hf_tensors(head=True))
    costs = model_costs(import_model(tmp_path).record, "bf16")
    assert costs.resident_bytes - costs.always_bytes == 512 * 256 * 2


def test_a_finer_head_over_a_coarser_body_keeps_its_own_bytes(tmp_path):
    tensors = llama_tensors(kind=TYPES.Q4_K, head=TYPES.Q6_K)
    record = import_model(write_gguf(tmp_path / "m.gguf", llama_keys(), tensors)).record
    table = 512 * 256
    by_class = class_bytes(record, "native")
    assert by_class["output_head"] == table // 256 * 210
    assert by_class["input_embedding"] == table // 256 * 144
    assert by_class["attention"] == 2 * (2 * 256 * 256 + 2 * 64 * 256) // 256 * 144
    costs = model_costs(record, "native")
    assert costs.resident_bytes - costs.always_bytes == table // 256 * 144


def test_packed_words_are_not_parameters(tmp_path):
    write_config(tmp_path, **llama_config(), quantization={"group_size": 64, "bits": 4})
    plain, packed = hf_tensors(), {}
    for name, (_, shape) in plain.items():
        if len(shape) == 1:
            packed[name] = ("BF16", shape)
            continue
        stem = name.removesuffix(".weight")
        packed[name] = ("U32", (shape[0], shape[1] // 8))
        packed[f"{stem}.scales"] = ("BF16", (shape[0], shape[1] // 64))
        packed[f"{stem}.biases"] = ("BF16", (shape[0], shape[1] // 64))
    write_sparse(tmp_path / "model.safetensors", packed)
    imported = import_model(tmp_path)
    values = sum(shape[0] * shape[1] for _, shape in plain.values() if len(shape) == 2)
    norms = sum(shape[0] for _, shape in plain.values() if len(shape) == 1)
    assert total_parameters(imported.record) == values + norms
    assert resident_bytes(imported.record) == values * 4.5 / 8 + norms * 2
    assert imported.record.layers[0].key_heads == 2
    assert {g.encoding for g in imported.record.tensors} == {"mlx4_g64", "bf16"}
    assert imported.problems == ()


def test_a_split_model_may_be_given_by_its_second_part(tmp_path):
    tensors = llama_tensors()
    whole = import_model(write_gguf(tmp_path / "whole.gguf", llama_keys(), tensors))
    split = {"split.no": 0, "split.count": 2, "split.tensors.count": len(tensors)}
    write_gguf(tmp_path / "m-00001-of-00002.gguf", llama_keys() | split, tensors[:7])
    part = split | {"split.no": 1}
    second = write_gguf(tmp_path / "m-00002-of-00002.gguf", part, tensors[7:])
    imported = import_model(second)
    assert imported.record.tensors == whole.record.tensors
    assert imported.record.layers == whole.record.layers
    assert imported.files.checkpoint.files == 2


def test_an_encoder_is_no_decoder_but_its_bytes_are_shown(tmp_path):
    keys = llama_keys() | {".attention.causal": False, ".pooling_type": 1}
    tensors = [*llama_tensors(), ("token_types.weight", (2, 256), TYPES.F32)]
    imported = import_model(write_gguf(tmp_path / "m.gguf", keys, tensors))
    assert imported.record.layers == ()
    assert "not a decoder" in imported.problems[0]
    assert f"{resident_bytes(imported.record):,.0f} bytes" in as_text(imported)
    with pytest.raises(BadInput, match="not a decoder"):
        model_costs(imported.record, "native")


def test_an_encoder_is_known_by_its_config_too(tmp_path):
    config = llama_config(architectures=["TestedModel"], type_vocab_size=2)
    del config["tie_word_embeddings"]
    write_config(tmp_path, **config)
    tensors = {
        "embeddings.word_embeddings.weight": ("F32", (512, 256)),
        "embeddings.token_type_embeddings.weight": ("F32", (2, 256)),
        "encoder.layer.0.attention.self.query.weight": ("F32", (256, 256)),
        "encoder.layer.0.attention.self.key.weight": ("F32", (256, 256)),
        "encoder.layer.0.intermediate.dense.weight": ("F32", (512, 256)),
        "encoder.layer.0.output.dense.weight": ("F32", (256, 512)),
        "pooler.dense.weight": ("F32", (256, 256)),
    }
    write_sparse(tmp_path / "model.safetensors", tensors)
    imported = import_model(tmp_path)
    assert "not a decoder" in imported.problems[0]
    assert resident_bytes(imported.record) == sum(4 * s[0] * s[1] for _, s in tensors.values())


def test_an_unknown_architecture_still_has_resident_bytes(tmp_path):
    tensors = [("thing.alpha", (256, 256), TYPES.F16), ("thing.beta", (512,), TYPES.F32)]
    path = write_gguf(tmp_path / "m.gguf", {"general.name": "X"}, tensors, arch="neverheard")
    imported = import_model(path)
    assert imported.record.layers is None
    assert resident_bytes(imported.record) == 256 * 256 * 2 + 512 * 4
    assert "cache layout unknown" in as_text(imported)
    with pytest.raises(BadInput, match="cache layout"):
        model_costs(imported.record, "native")


def test_all_experts_are_resident_and_only_the_routed_ones_are_read(tmp_path):
    keys = llama_keys() | {".expert_count": 8, ".expert_used_count": 2}
    tensors = [t for t in llama_tensors() if ".ffn_" not in t[0]]
    for i in range(2):
        tensors += [
            (f"blk.{i}.ffn_gate_inp.weight", (8, 256), TYPES.F32),
            (f"blk.{i}.ffn_gate_exps.weight", (8, 128, 256), TYPES.Q4_K),
            (f"blk.{i}.ffn_up_exps.weight", (8, 128, 256), TYPES.Q4_K),
            (f"blk.{i}.ffn_down_exps.weight", (8, 256, 256), TYPES.Q6_K),
        ]
    record = import_model(write_gguf(tmp_path / "m.gguf", keys, tensors)).record
    costs = model_costs(record, "native")
    each = 2 * (2 * 128 * 144 + 256 * 210)
    assert [(e.routed, e.per_token, e.expert_bytes) for e in costs.experts] == [(8, 2, each)]
    assert costs.resident_bytes == costs.always_bytes + 8 * each


def test_draft_layers_are_no_layers_of_the_model(tmp_path):
    keys = llama_keys(layers=3) | {".nextn_predict_layers": 1}
    extra = [
        ("blk.2.nextn.eh_proj.weight", (256, 512), TYPES.F16),
        ("blk.2.nextn.embed_tokens.weight", (512, 256), TYPES.F16),
    ]
    path = write_gguf(tmp_path / "m.gguf", keys, [*llama_tensors(layers=3), *extra])
    record = import_model(path).record
    assert record.layer_count == 2 and record.layers[0].count == 2
    assert record.mtp.modules == 1 and record.mtp.layers[0].count == 1
    assert [g.role for g in tensors_of(record, "mtp", "input_embedding")] == ["unused"]
    assert resident_bytes(record) == resident_bytes(
        import_model(write_gguf(tmp_path / "n.gguf", llama_keys(), llama_tensors())).record
    )


def test_shared_cache_layers_own_none(tmp_path):
    keys = llama_keys(layers=4) | {".attention.shared_kv_layers": 2}
    record = import_model(write_gguf(tmp_path / "m.gguf", keys, llama_tensors(layers=4))).record
    assert [(g.count, g.shares_cache) for g in record.layers] == [(2, False), (2, True)]
    assert session_bytes(record) == 2 * 2 * 64 * 2 * 4096


def test_a_tower_is_never_swept(tmp_path):
    write_config(tmp_path, **llama_config())
    tower = {"vision_tower.encoder.layers.0.self_attn.q_proj.weight": ("BF16", (64, 64))}
    write_sparse(tmp_path / "model.safetensors", hf_tensors() | tower)
    record = import_model(tmp_path).record
    assert [g for g in record.tensors if g.part == "vision"] == [
        Tensors("other", 1, (64, 64), part="vision")
    ]
    plain, with_tower = (model_costs(record, "bf16", include_towers=t) for t in (False, True))
    assert with_tower.resident_bytes - plain.resident_bytes == 64 * 64 * 2
    assert with_tower.always_bytes == plain.always_bytes


def test_a_tower_alone_is_refused_with_its_bytes(tmp_path):
    path = write_gguf(tmp_path / "mmproj.gguf", {}, [("v.patch_embd.weight", (64, 64), TYPES.F16)])
    with pytest.raises(BadInput, match="only a vision part \\(8,192 bytes\\)"):
        import_model(path)


DELTA = {
    ".ssm.conv_kernel": 4, ".ssm.inner_size": 256, ".ssm.state_size": 32, ".ssm.group_count": 4,
    ".ssm.time_step_rank": 8, ".full_attention_interval": 2,
}  # fmt: skip


def test_linear_layers_with_fused_projections_keep_a_state(tmp_path):
    tensors = [t for t in llama_tensors() if not t[0].startswith("blk.0.attn_")]
    tensors += [
        ("blk.0.attn_norm.weight", (256,), TYPES.F32),
        ("blk.0.attn_qkv.weight", (512, 256), TYPES.F16),
        ("blk.0.attn_gate.weight", (256, 256), TYPES.F16),
        ("blk.0.ssm_beta.weight", (8, 256), TYPES.F16),
        ("blk.0.ssm_conv1d.weight", (512, 4), TYPES.F32),
        ("blk.0.ssm_out.weight", (256, 256), TYPES.F16),
    ]
    record = import_model(write_gguf(tmp_path / "m.gguf", llama_keys() | DELTA, tensors)).record
    state = LayerGroup(
        "state",
        1,
        state_elements=256 * 32,
        conv_elements=3 * (256 + 2 * 4 * 32),
        state_flop_per_token=6.0 * 256 * 32,
    )
    assert [g for g in record.layers if g.kind == "state"] == [state]
    assert [g.count for g in record.layers if g.kind == "full"] == [1]
    recurrent = [g.parameters for g in record.tensors if g.tensor_class == "recurrent"]
    assert sum(recurrent) == (512 + 256 + 8 + 256) * 256 + 512 * 4


def test_a_layer_may_attend_and_keep_a_state(tmp_path):
    keys = llama_keys() | {k: v for k, v in DELTA.items() if "interval" not in k}
    tensors = llama_tensors()
    for i in range(2):
        tensors += [
            (f"blk.{i}.ssm_in.weight", (520, 256), TYPES.F16),
            (f"blk.{i}.ssm_conv1d.weight", (512, 4), TYPES.F32),
            (f"blk.{i}.ssm_out.weight", (256, 256), TYPES.F16),
        ]
    record = import_model(write_gguf(tmp_path / "m.gguf", keys, tensors)).record
    assert sorted((g.kind, g.count) for g in record.layers) == [("full", 2), ("state", 2)]


def test_projections_behind_a_convolution_feed_a_state(tmp_path):
    config = llama_config(
        linear_attn_config={
            "full_attn_layers": [2], "num_heads": 8, "head_dim": 32, "short_conv_kernel_size": 4,
        }
    )  # fmt: skip
    tensors = hf_tensors()
    for name in ("q", "k", "v"):
        tensors[f"model.layers.0.self_attn.{name}_conv1d.weight"] = ("BF16", (256, 1, 4))
    tensors["model.layers.0.self_attn.A_log"] = ("F32", (8,))
    write_config(tmp_path, **config)
    write_sparse(tmp_path / "model.safetensors", tensors)
    imported = import_model(tmp_path)
    (full, state) = sorted(imported.record.layers, key=lambda g: g.kind)
    assert (full.kind, full.count, state.kind, state.count) == ("full", 1, "state", 1)
    assert (state.state_elements, state.conv_elements) == (8 * 32 * 32, 3 * 3 * 256)
    assert imported.review.contradictions == ()
    attention = [g for g in imported.record.tensors if g.tensor_class == "attention"]
    assert sum(g.parameters for g in attention) == 2 * 256 * 256 + 2 * 64 * 256
