"""What a tensor does in the model, from its name: the conventions of llama.cpp and Hugging Face.

The rules know words (`down_proj`, `ffn_down`, `experts`), never the names of model families.
"""

import re
from functools import lru_cache

import msgspec

from ..models import Part, TensorClass

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)|(?<=^)\d+(?=\.)")
_LAYER = re.compile(r"(?:^|\.)(?:blk|layers?|h|blocks?|decoder_layer)\.(\d+)\.")
_EXPERT = re.compile(r"\.experts?\.(\d+)\.")


class Use(msgspec.Struct, frozen=True):
    """Class, role and part of a tensor. `token`: which tensor of its layer, in more detail."""

    tensor_class: TensorClass
    role: str = ""
    part: Part = "text"
    token: str = ""


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a tensor stands: layer and expert, -1 for neither. `pattern`: its name without them."""

    pattern: str
    layer: int
    expert: int


def place_of(name: str) -> Place:
    """Layer and expert of a tensor by its name.

    >>> place_of("model.layers.3.mlp.experts.17.up_proj.weight")
    Place(pattern='model.layers.#.mlp.experts.#.up_proj.weight', layer=3, expert=17)
    """
    layer = _LAYER.search(name)
    expert = _EXPERT.search(name) if ".expert" in name else None
    return Place(
        _NUMBER.sub("#", name),
        int(layer[1][:9]) if layer else -1,
        int(expert[1][:9]) if expert else -1,
    )


_VISION = re.compile(
    r"^(v|mm)\.|(^|\.)(vit|vpm|visual|vision|siglip2?|sam_model|resampler|merger|aligner|mlp1)\."
    r"|vision|visual|multi_modal_projector|mm_projector|patch_merger|image_newline|view_sep"
    r"|\.vis_|patch_embed|mm_input_projection"
)
_AUDIO = re.compile(r"^(mm\.)?a\.|(^|\.)(conformer|speech)\.|audio|speech_")
_MTP = re.compile(r"(^|\.)(nextn|mtp\w*|eh_proj|enorm|hnorm|shared_head)(\.|$)")

_HEAD = re.compile(
    r"(^|\.)(lm_head|embed_out|output_layer|word_embeddings_for_head)(\.|$)"
    r"|^output\.|^(model\.)?head\.(weight|bias|out\.)|shared_head_head|shared_head\.head"
    r"|^(model\.)?transformer\.ff_out\."
)
_TOKEN = re.compile(
    r"(^|\.)(token_embd|embed_tokens|tok_embeddings|wte|word_embeddings|embed_in|token_embeddings)\."
    r"|^(model\.|backbone\.|rwkv\.|embedding\.|language_model\.)*(embeddings?|embed|shared)\.weight$"
)
_PER_LAYER = re.compile(r"per_layer_token_embd|embed_tokens_per_layer")
_POSITION = re.compile(
    r"(^|\.)(position_embd|wpe|embed_positions|position_embeddings|token_types|"
    r"token_type_embeddings)\."
)
_NORM = re.compile(
    r"norm[^.]*(\.weight|\.bias|\.gamma|\.beta|\.scale)?$|(^|\.)(ln_?\w*|pre_ln|\w+_ln|layer_scalar"
    r"|layer_output_scale)(\.weight|\.bias)?$|LayerNorm"
)
"""Only the last word counts: a block may have its norm in its name."""

_BUFFER = re.compile(r"inv_freq|rope_freqs|rope_factors|position_ids|attn\.(masked_)?bias$")

_SHARED = re.compile(r"shexp|shared_experts?(\.|_|$)|share_expert|shared_mlp|shared_expert_gate")
_ROUTED = re.compile(
    r"_exps\b|_exps\.|(^|\.)experts(\.|$)|(moe|block_sparse_moe)\.(input_linear|output_linear"
    r"|gate_proj|up_proj|down_proj|w1|w2|w3|up|down)(\.|$)|switch_mlp"
)
_ROUTER = re.compile(
    r"ffn_gate_inp|exp_probs_b|(^|\.)(primary_)?router(\.|_|$)|e_score_correction|expert_bias"
    r"|tid2eid|(^|\.)(mlp|moe|block_sparse_moe|feed_forward|ffn|mixer|#)\.gate(\.wg|\.bias"
    r"|\.weight|\.tid2eid|$)|moe_statics|router_bias|per_expert_scale"
)
_RECURRENT = re.compile(
    r"ssm_|shortconv|linear_attn\.|(^|\.)mamba\.|time_mix|channel_mix|A_log|dt_bias|conv1d"
    r"|(^|\.)(mixer|#|self_attn)\.(D|dt|dt_proj|x_proj|in_proj|bcdt_proj|A|b_proj)(\.|$)"
    r"|(^|\.)mixer\.out_proj|(^|\.)conv\.(conv|in_proj|out_proj)(\.|$)|rwkv|slope_rate"
    r"|(^|\.)(f_a_proj|f_b_proj|g_a_proj|g_b_proj)(\.|$)|time_(maa|decay|faaaa)|ssm\."
)
_ATTENTION = re.compile(
    r"attn|attention|(^|\.)(q|k|v|o|qkv|g)_proj(\.|$)|self_attention|indexer|Wqkv|sinks"
    r"|(^|\.)(att_proj|attn_out)(\.|$)|compressor"
)
_MLP = re.compile(
    r"ffn|(^|\.)(mlp|feed_forward|feedforward|residual_mlp|fc1|fc2|intermediate|output\.dense|ff_proj"
    r"|ff_out|up_proj|down_proj|gate_proj|gate_up_proj|w1|w2|w3|dense_h_to_4h|dense_4h_to_h)(\.|$)"
)

_ATTENTION_ROLES: tuple[tuple[str, str], ...] = (
    ("", r"indexer|rel_b|compressor"),
    ("latent_down", r"kv_a_mqa|kv_a_proj|(^|\.)wkv\."),
    ("latent_up", r"attn_kv_b|kv_b_proj|attn_k_b|attn_v_b"),
    ("query_down", r"attn_q_a\.|q_a_proj|(^|\.)wq_a\."),
    ("query", r"attn_q_b\.|q_b_proj|(^|\.)wq_b\."),
    ("output", r"(^|\.)wo_b\."),
    ("output_down", r"(^|\.)wo_a\."),
    ("query_key_value", r"qkv|query_key_value|c_attn|att_proj"),
    ("gate", r"attn_gate|self_attn\.(g|gate)_proj|(^|\.)g_proj"),
    ("query", r"attn_q\.|attn\.q\.|q_proj|(^|\.)wq\.|\.query\.|q_lin\.|linear_q"),
    ("key", r"attn_k\.|attn\.k\.|k_proj|(^|\.)wk\.|\.key\.|k_lin\."),
    ("value", r"attn_v\.|attn\.v\.|v_proj|(^|\.)wv\.|\.value\.|v_lin\."),
    ("output", r"attn_output|attn_out\b|attn_o\.|o_proj|out_proj|(^|\.)wo\.|dense|c_proj|out_lin"),
)
_MLP_ROLES: tuple[tuple[str, str], ...] = (
    ("gate_up", r"gate_up|input_linear|fc1_gate|(^|\.)Wi\.|w12"),
    (
        "down",
        r"down|w2(\.|$)|c_proj|fc2|dense_4h_to_h|output_linear|ff_out|output\.dense|lin2"
        r"|fc_out|(^|\.)wo\.|Wo\.",
    ),
    ("gate", r"gate|w1(\.|$)|ff_proj|linear_1"),
    ("up", r"up|w3(\.|$)|(^|\.)v1|c_fc|fc1|dense_h_to_4h|intermediate|lin1|fc_in|wi|linear_v"),
)
_INTERNAL = {"latent_down": "", "latent_up": "", "query_down": "", "output_down": "", "gate": ""}
"""Attention roles that formats do not treat on their own."""


@lru_cache(maxsize=8192)
def use_of(pattern: str, vector: bool) -> Use:
    """What a tensor is for.

    Parameters: pattern, its name with numbers as `#`; vector, whether it has one dimension.

    >>> use_of("blk.#.ffn_down_exps.weight", False)
    Use(tensor_class='routed_experts', role='down', part='text', token='down')
    """
    part = _part(pattern)
    if part in ("vision", "audio"):
        kind: TensorClass = "norms" if _NORM.search(pattern) else "other"
        return Use(kind, "bias" if vector and kind == "other" else "", part)
    tensor_class, token = _class_of(pattern, vector)
    role = token
    if tensor_class == "attention":
        role = _INTERNAL.get(token, token)
    if _is_bias(pattern, vector, tensor_class):
        role = "bias"
    return Use(tensor_class, role, part, token)


def _part(pattern: str) -> Part:
    if _AUDIO.search(pattern):
        return "audio"
    if _VISION.search(pattern):
        return "vision"
    return "mtp" if _MTP.search(pattern) else "text"


def _is_bias(pattern: str, vector: bool, tensor_class: TensorClass) -> bool:
    if tensor_class == "norms":
        return False
    return vector or pattern.endswith(("bias", "A_log", "ssm_a")) or "sinks" in pattern


def _class_of(pattern: str, vector: bool) -> tuple[TensorClass, str]:
    if _BUFFER.search(pattern):
        return "other", ""
    if _PER_LAYER.search(pattern):
        return "input_embedding", "per_layer"
    if _HEAD.search(pattern) and not _NORM.search(pattern):
        return "output_head", ""
    if _POSITION.search(pattern):
        return "input_embedding", "position"
    if _TOKEN.search(pattern) and not _NORM.search(pattern):
        return "input_embedding", "token"
    if _NORM.search(pattern):
        return "norms", ""
    if _SHARED.search(pattern):
        gate = re.search(r"gate_inp_shexp|shared_expert_gate", pattern)
        return "shared_experts", "" if gate else _role(_MLP_ROLES, pattern)
    if _ROUTER.search(pattern):
        return "router", ""
    if _ROUTED.search(pattern):
        return "routed_experts", _role(_MLP_ROLES, pattern)
    if _RECURRENT.search(pattern):
        if "conv1d" in pattern or re.search(r"conv\.conv|shortconv\.conv", pattern):
            return "recurrent", "" if vector else "convolution"
        return "recurrent", "output" if re.search(r"ssm_out|out_proj|output", pattern) else ""
    if _MLP.search(pattern) and not re.search(r"(attn|attention)[._]", pattern):
        return "dense_mlp", _role(_MLP_ROLES, pattern)
    if _ATTENTION.search(pattern):
        return "attention", _role(_ATTENTION_ROLES, pattern)
    return "other", ""


def _role(rules: tuple[tuple[str, str], ...], pattern: str) -> str:
    for role, rule in rules:
        if re.search(rule, pattern):
            return role
    return ""
