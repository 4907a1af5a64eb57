"""Files of whole catalog models: their tensors under the names of llama.cpp or Hugging Face."""

from collections import Counter
from pathlib import Path

import gguf
import msgspec
from gguf_files import TYPES

from ourmodels_gui.library.formats import encoding_shares
from ourmodels_gui.library.models import ModelRecord

CATALOG = Path(__file__).parents[3] / "catalog"

_BY_ENCODING = {
    "fp32": TYPES.F32, "fp16": TYPES.F16, "bf16": TYPES.BF16, "q4_k": TYPES.Q4_K,
    "q6_k": TYPES.Q6_K, "q5_k": TYPES.Q5_K, "q8_0": TYPES.Q8_0, "q5_0": TYPES.Q5_0,
    "q4_0": TYPES.Q4_0, "gguf_mxfp4": TYPES.MXFP4,
}  # fmt: skip

GGUF_NAMES = {
    ("input_embedding", "token"): "token_embd.weight",
    ("output_head", ""): "output.weight",
    ("attention", "query"): "blk.{}.attn_q.weight",
    ("attention", "key"): "blk.{}.attn_k.weight",
    ("attention", "value"): "blk.{}.attn_v.weight",
    ("attention", "output"): "blk.{}.attn_output.weight",
    ("dense_mlp", "gate"): "blk.{}.ffn_gate.weight",
    ("dense_mlp", "up"): "blk.{}.ffn_up.weight",
    ("dense_mlp", "down"): "blk.{}.ffn_down.weight",
    ("routed_experts", "gate"): "blk.{}.ffn_gate_exps.weight",
    ("routed_experts", "up"): "blk.{}.ffn_up_exps.weight",
    ("routed_experts", "down"): "blk.{}.ffn_down_exps.weight",
    ("router", ""): "blk.{}.ffn_gate_inp.weight",
}
HF_NAMES = {
    ("input_embedding", "token"): "model.embed_tokens.weight",
    ("output_head", ""): "lm_head.weight",
    ("attention", "query"): "model.layers.{}.self_attn.q_proj.weight",
    ("attention", "key"): "model.layers.{}.self_attn.k_proj.weight",
    ("attention", "value"): "model.layers.{}.self_attn.v_proj.weight",
    ("attention", "output"): "model.layers.{}.self_attn.o_proj.weight",
    ("dense_mlp", "gate"): "model.layers.{}.mlp.gate_proj.weight",
    ("dense_mlp", "up"): "model.layers.{}.mlp.up_proj.weight",
    ("dense_mlp", "down"): "model.layers.{}.mlp.down_proj.weight",
    ("routed_experts", "gate"): "model.layers.{}.mlp.experts.{}.gate_proj.weight",
    ("routed_experts", "up"): "model.layers.{}.mlp.experts.{}.up_proj.weight",
    ("routed_experts", "down"): "model.layers.{}.mlp.experts.{}.down_proj.weight",
    ("router", ""): "model.layers.{}.mlp.gate.weight",
}


def model(name):
    return msgspec.json.decode((CATALOG / "models" / f"{name}.json").read_bytes(), type=ModelRecord)


def gguf_tensors(record, weights):
    """name, shape, type of every tensor; a format that mixes gives each layer one of its types."""
    made, norms = [], 0
    for group in record.tensors:
        shares = encoding_shares(record, group, weights)
        kinds = [
            _BY_ENCODING[encoding]
            for share, encoding in shares
            for _ in range(round(share * group.count))
        ]
        assert len(kinds) == group.count, (group, shares)
        for i, kind in enumerate(kinds):
            if group.tensor_class == "norms":
                name, norms = f"blk.{i % record.layer_count}.n{norms}_norm.weight", norms + 1
            else:
                name = GGUF_NAMES[group.tensor_class, group.role].format(i)
            made.append((name, group.shape, kind))
    assert max(Counter(name for name, *_ in made).values()) == 1
    return made


def hf_tensors(record, kind="BF16"):
    """name -> (dtype, shape), every routed expert a tensor of its own."""
    made, norms = {}, 0
    for group in record.tensors:
        for i in range(group.count):
            if group.tensor_class == "norms":
                name, norms = (
                    f"model.layers.{i % record.layer_count}.n{norms}_norm.weight",
                    norms + 1,
                )
                made[name] = (kind, group.shape)
                continue
            name = HF_NAMES[group.tensor_class, group.role]
            if group.tensor_class == "routed_experts":
                for expert in range(group.shape[0]):
                    made[name.format(i, expert)] = (kind, group.shape[1:])
            else:
                made[name.format(i)] = (kind, group.shape)
    return made


def gguf_keys(record):
    """Metadata as llama.cpp's converter writes it, for models of full layers."""
    layer = record.layers[0]
    keys = {
        "general.name": record.name,
        ".block_count": record.layer_count,
        ".embedding_length": record.hidden_width,
        ".context_length": record.context_tokens,
        ".attention.head_count": layer.query_heads,
        ".attention.head_count_kv": layer.key_heads,
        ".attention.key_length": layer.key_width,
        ".attention.value_length": layer.value_width,
        "general.file_type": int(gguf.LlamaFileType.MOSTLY_Q4_K_M),
    }
    if record.experts:
        keys[".expert_count"] = record.experts[0].routed
        keys[".expert_used_count"] = record.experts[0].per_token
    return keys


def hf_config(record):
    layer = record.layers[0]
    config = {
        "_name_or_path": record.repository,
        "architectures": ["TestedForCausalLM"],
        "hidden_size": record.hidden_width,
        "num_hidden_layers": record.layer_count,
        "max_position_embeddings": record.context_tokens,
        "num_attention_heads": layer.query_heads,
        "num_key_value_heads": layer.key_heads,
        "head_dim": layer.key_width,
        "tie_word_embeddings": record.tied,
    }
    if record.experts:
        config["num_experts"] = record.experts[0].routed
        config["num_experts_per_tok"] = record.experts[0].per_token
    return config
