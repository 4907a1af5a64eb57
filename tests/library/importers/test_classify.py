import pytest

from ourmodels_gui.library.importers.classify import place_of, use_of

MATRICES = {
    "token_embd.weight": ("input_embedding", "token", "text"),
    "output.weight": ("output_head", "", "text"),
    "per_layer_token_embd.weight": ("input_embedding", "per_layer", "text"),
    "position_embd.weight": ("input_embedding", "position", "text"),
    "blk.0.attn_q.weight": ("attention", "query", "text"),
    "blk.0.attn_qkv.weight": ("attention", "query_key_value", "text"),
    "blk.0.attn_output.weight": ("attention", "output", "text"),
    "blk.0.attn_kv_a_mqa.weight": ("attention", "", "text"),
    "blk.0.attn_q_b.weight": ("attention", "query", "text"),
    "blk.0.ffn_gate_inp.weight": ("router", "", "text"),
    "blk.0.ffn_down_exps.weight": ("routed_experts", "down", "text"),
    "blk.0.ffn_gate_up_exps.weight": ("routed_experts", "gate_up", "text"),
    "blk.0.ffn_up_shexp.weight": ("shared_experts", "up", "text"),
    "blk.0.ffn_gate_inp_shexp.weight": ("shared_experts", "", "text"),
    "blk.0.ffn_down.weight": ("dense_mlp", "down", "text"),
    "blk.0.ssm_in.weight": ("recurrent", "", "text"),
    "blk.0.ssm_conv1d.weight": ("recurrent", "convolution", "text"),
    "blk.0.ssm_out.weight": ("recurrent", "output", "text"),
    "blk.0.shortconv.in_proj.weight": ("recurrent", "", "text"),
    "blk.0.nextn.eh_proj.weight": ("other", "", "mtp"),
    "v.blk.0.attn_q.weight": ("other", "", "vision"),
    "mm.0.weight": ("other", "", "vision"),
    "a.blk.0.attn_q.weight": ("other", "", "audio"),
    "model.embed_tokens.weight": ("input_embedding", "token", "text"),
    "model.language_model.embed_tokens.weight": ("input_embedding", "token", "text"),
    "transformer.wte.weight": ("input_embedding", "token", "text"),
    "backbone.embeddings.weight": ("input_embedding", "token", "text"),
    "gpt_neox.embed_in.weight": ("input_embedding", "token", "text"),
    "lm_head.weight": ("output_head", "", "text"),
    "language_model.lm_head.weight": ("output_head", "", "text"),
    "embed_out.weight": ("output_head", "", "text"),
    "head.weight": ("output_head", "", "text"),
    "model.layers.0.self_attn.q_proj.weight": ("attention", "query", "text"),
    "model.layers.0.self_attn.kv_b_proj.weight": ("attention", "", "text"),
    "model.layers.0.self_attn.indexer.wk.weight": ("attention", "", "text"),
    "model.layers.0.self_attn.o_proj.weight": ("attention", "output", "text"),
    "model.layers.0.mlp.gate_proj.weight": ("dense_mlp", "gate", "text"),
    "model.layers.0.mlp.gate_up_proj.weight": ("dense_mlp", "gate_up", "text"),
    "model.layers.0.feed_forward.w2.weight": ("dense_mlp", "down", "text"),
    "transformer.h.0.mlp.c_fc.weight": ("dense_mlp", "up", "text"),
    "transformer.h.0.mlp.dense_4h_to_h.weight": ("dense_mlp", "down", "text"),
    "transformer.h.0.attn.c_attn.weight": ("attention", "query_key_value", "text"),
    "transformer.h.0.self_attention.dense.weight": ("attention", "output", "text"),
    "model.layers.0.mlp.gate.weight": ("router", "", "text"),
    "model.layers.0.block_sparse_moe.gate.weight": ("router", "", "text"),
    "model.layers.0.mlp.experts.7.down_proj.weight": ("routed_experts", "down", "text"),
    "model.layers.0.block_sparse_moe.experts.7.w1.weight": ("routed_experts", "gate", "text"),
    "model.layers.0.block_sparse_moe.input_linear.weight": ("routed_experts", "gate_up", "text"),
    "model.layers.0.shared_mlp.output_linear.weight": ("shared_experts", "down", "text"),
    "model.layers.0.mlp.shared_experts.up_proj.weight": ("shared_experts", "up", "text"),
    "model.layers.0.mlp.shared_expert_gate.weight": ("shared_experts", "", "text"),
    "model.layers.0.mlp.switch_mlp.up_proj.weight": ("routed_experts", "up", "text"),
    "model.layers.0.linear_attn.in_proj_qkvz.weight": ("recurrent", "", "text"),
    "model.layers.0.linear_attn.out_proj.weight": ("recurrent", "output", "text"),
    "backbone.layers.0.mixer.in_proj.weight": ("recurrent", "", "text"),
    "backbone.layers.0.mixer.q_proj.weight": ("attention", "query", "text"),
    "backbone.layers.0.mixer.up_proj.weight": ("dense_mlp", "up", "text"),
    "backbone.layers.0.mixer.experts.3.up_proj.weight": ("routed_experts", "up", "text"),
    "backbone.layers.0.mixer.gate.weight": ("router", "", "text"),
    "model.layers.0.conv.in_proj.weight": ("recurrent", "", "text"),
    "model.layers.0.conv.conv.weight": ("recurrent", "convolution", "text"),
    "model.visual.blocks.0.attn.qkv.weight": ("other", "", "vision"),
    "vision_tower.encoder.layers.0.self_attn.q_proj.weight": ("other", "", "vision"),
    "multi_modal_projector.linear_1.weight": ("other", "", "vision"),
    "audio_tower.layers.0.fc1.weight": ("other", "", "audio"),
    "transformer.blocks.0.norm_attn_norm.attn.Wqkv.weight": (
        "attention",
        "query_key_value",
        "text",
    ),
    "transformer.h.0.attn.v.weight": ("attention", "value", "text"),
    "mtp.fc.weight": ("other", "", "mtp"),
    "mtp.layers.0.self_attn.q_proj.weight": ("attention", "query", "mtp"),
    "model.layers.61.eh_proj.weight": ("other", "", "mtp"),
}
VECTORS = {
    "blk.0.attn_norm.weight": ("norms", ""),
    "blk.0.attn_q_norm.weight": ("norms", ""),
    "output_norm.weight": ("norms", ""),
    "blk.0.attn_q.bias": ("attention", "bias"),
    "blk.0.attn_sinks.weight": ("attention", "bias"),
    "blk.0.exp_probs_b.bias": ("router", "bias"),
    "blk.0.ssm_dt.bias": ("recurrent", "bias"),
    "blk.0.ssm_norm.weight": ("norms", ""),
    "model.norm.weight": ("norms", ""),
    "transformer.h.0.ln_1.weight": ("norms", ""),
    "model.layers.0.mlp.gate.e_score_correction_bias": ("router", "bias"),
    "model.layers.0.linear_attn.A_log": ("recurrent", "bias"),
    "model.layers.0.self_attn.sinks": ("attention", "bias"),
    "transformer.blocks.0.norm_attn_norm.norm_1.weight": ("norms", ""),
    "model.layers.0.layer_scalar": ("norms", ""),
    "encoder.layer.0.output.LayerNorm.bias": ("norms", ""),
    "lm_head.bias": ("output_head", "bias"),
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices_are_known_by_their_names(name):
    use = use_of(place_of(name).pattern, False)
    assert (use.tensor_class, use.role, use.part) == MATRICES[name]


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_are_known_by_their_names(name):
    use = use_of(place_of(name).pattern, True)
    assert (use.tensor_class, use.role) == VECTORS[name]


def test_a_name_without_any_known_word_is_other():
    assert use_of("thing.alpha.weight", False).tensor_class == "other"


@pytest.mark.parametrize(
    ("name", "layer", "expert"),
    [
        ("blk.12.attn_q.weight", 12, -1),
        ("model.layers.3.mlp.experts.17.up_proj.weight", 3, 17),
        ("transformer.h.4.mlp.c_fc.weight", 4, -1),
        ("output.weight", -1, -1),
        ("layers." + "9" * 30 + ".x", 999999999, -1),
    ],
)
def test_layer_and_expert_are_numbers_of_the_name(name, layer, expert):
    place = place_of(name)
    assert (place.layer, place.expert) == (layer, expert)
