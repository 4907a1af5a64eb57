"""A Hugging Face config.json -> what it says of the model.

The many spellings of one number are listed beside each other; which family it is decides nothing.
"""

from typing import Any

from ...language import tr
from ...problem import BadInput
from .config_json import Fields
from .described import Described
from .hf_layers import describe_layers, window_stated
from .hf_state import state_of

MOST_LAYERS = 2000
_INNER = ("text_config", "llm_config", "language_config", "thinker_config", "language_model")


def describe_config(config: dict[str, Any], place: str) -> Described:
    """What the keys of a config say. Raises BadInput for a number that cannot be."""
    outer = Fields(config, place)
    own = text_fields(config, place)
    count = layer_count(own)
    hidden = own.count("hidden_size", "n_embd", "d_model", "dim")
    layers = describe_layers(own, count or 0)
    undecided = any(layer.window_tokens is None for layer in layers)
    state, latent = state_of(own, hidden), own.count("kv_lora_rank")
    if own.values.get("compress_ratios") is not None:
        rope = own.count("qk_rope_head_dim") or 0
        latent = (own.count("head_dim") or 0) - rope
    dense, routed = _dense_layers(own, count or 0), _routed(own)
    return Described(
        name=_name(outer),
        family=own.text("model_type") or outer.text("model_type"),
        repository=_repository(outer),
        weights_name=_weights_name(outer, own),
        layer_count=count,
        hidden_width=hidden,
        context_tokens=_context(own),
        vocabulary=own.count("vocab_size", "padded_vocab_size"),
        tied=_tied(outer, own),
        causal=_causal(outer, own),
        mtp_layers=_mtp(own),
        layers=layers,
        window_tokens=window_stated(own) if undecided else None,
        latent_width=latent,
        rope_width=(own.count("qk_rope_head_dim") or 0) if latent else 0,
        selected_entries=own.count("index_topk") or _selected_blocks(own),
        index_heads=own.count("index_n_heads") or _sparse(own, "sparse_num_index_heads") or 0,
        index_width=own.count("index_head_dim") or _sparse(own, "sparse_index_dim") or 0,
        state=state,
        routed=routed,
        per_token=_per_token(own) if routed else None,
        shared_experts=_shared(own),
        expert_width=own.count(
            "moe_intermediate_size",
            "expert_intermediate_size",
            "expert_ffn_hidden_size",
            "moe_ffn_hidden_size",
            "intermediate_size",
        )
        if routed
        else None,
        expert_input=own.count("moe_latent_size"),
        query_rank=own.count("q_lora_rank"),
        query_gate=bool(own.flag("attn_output_gate")),
        dense_width=own.count(
            "dense_intermediate_size",
            "intermediate_size",
            "ffn_hidden_size",
            "n_inner",
            "inner_dim",
        ),
        dense_layers=dense,
        gated=_gated(own),
    )


def text_fields(config: dict[str, Any], place: str) -> Fields:
    """The part of a config that describes the language model, with what stands above it."""
    fields, values = Fields(config, place), dict(config)
    for _ in range(2):
        inner = next((name for name in _INNER if isinstance(values.get(name), dict)), None)
        if inner is None:
            break
        values = {**values, **values[inner]}
        if inner in values and values[inner] is config.get(inner):
            values.pop(inner)
        fields = Fields(values, place)
    return fields


def layer_count(own: Fields) -> int | None:
    """Layers of the main model."""
    count = own.count("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    if count is None:
        listed = own.values.get("layer_types", own.values.get("layers_block_type"))
        count = len(listed) if isinstance(listed, list) else None
    if count is not None and count > MOST_LAYERS:
        raise BadInput(
            "num_hidden_layers", tr("{count:,} layers cannot be").format(count=count), own.place
        )
    return count


def _name(outer: Fields) -> str | None:
    path = outer.text("_name_or_path")
    return path.rstrip("/").split("/")[-1] if path else None


def _repository(outer: Fields) -> str | None:
    path = outer.text("_name_or_path")
    parts = (path or "").strip("/").split("/")
    return path if path and len(parts) == 2 and not path.startswith(("/", ".")) else None


def _context(own: Fields) -> int | None:
    return own.count(
        "max_position_embeddings",
        "n_positions",
        "max_seq_len",
        "seq_length",
        "max_sequence_length",
        "model_max_length",
        "max_seq_length",
    )


def _tied(outer: Fields, own: Fields) -> bool | None:
    tied = own.flag("tie_word_embeddings", "tie_embedding", "tie_word_embedding")
    return outer.flag("tie_word_embeddings") if tied is None else tied


def _causal(outer: Fields, own: Fields) -> bool | None:
    """Whether it continues a text: said, or by the task in the class name."""
    if outer.flag("is_encoder_decoder"):
        return False
    if own.flag("is_causal") is False or own.flag("use_bidirectional_attention") is True:
        return False
    if own.flag("is_decoder"):
        return True
    tasks = outer.words("architectures") or own.words("architectures") or []
    if any(name.endswith(("CausalLM", "LMHeadModel", "ConditionalGeneration")) for name in tasks):
        return True
    encoders = ("MaskedLM", "SequenceClassification", "TokenClassification", "PreTraining")
    if any(name.endswith(encoders) for name in tasks) or (
        own.count("type_vocab_size") and own.count("vocab_size")
    ):
        return False
    return None


def _mtp(own: Fields) -> int:
    names = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules")
    return own.count(*names, "num_mtp_layers") or 0


def _routed(own: Fields) -> int | None:
    inner = own.inside("ffn_config", "moe_config")
    names = ("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts")
    found = own.count(*names, "num_moe_experts", "moe_num_routed_experts")
    if found is None:
        listed = own.counts("moe_num_experts") or own.counts("num_experts")
        found = max(listed, default=None) if listed else None
    if found is None and inner is not None:
        found = inner.count(*names)
    return found if found and found > 1 else None


def _per_token(own: Fields) -> int | None:
    names = (
        "num_experts_per_tok",
        "num_experts_per_token",
        "top_k_experts",
        "moe_topk",
        "moe_top_k",
        "moe_k",
        "experts_per_token",
        "num_selected_experts",
        "num_activated_experts",
    )
    inner = own.inside("ffn_config", "moe_config")
    listed = own.counts("moe_topk")
    if listed and len(set(listed)) == 1:
        return listed[0]
    return own.count(*names) or (inner.count(*names) if inner else None)


def _sparse(own: Fields, name: str) -> int | None:
    sparse = own.inside("sparse_attention_config")
    return sparse.count(name) if sparse else None


def _selected_blocks(own: Fields) -> int | None:
    blocks, size = _sparse(own, "sparse_topk_blocks"), _sparse(own, "sparse_block_size")
    return blocks * size if blocks and size else None


def _shared(own: Fields) -> int:
    names = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
    return own.count(*names) or 0


def _dense_layers(own: Fields, count: int) -> tuple[int, ...]:
    """Layers whose MLP is not a MoE, where the config says so."""
    kinds = own.words("mlp_layer_types")
    if kinds is not None and len(kinds) == count:
        return tuple(i for i, kind in enumerate(kinds) if kind == "dense")
    first = own.count("first_k_dense_replace", "num_dense_layers", "moe_layer_start_index") or 0
    step = own.count("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_freq") or 1
    period, offset = own.count("expert_layer_period"), own.count("expert_layer_offset", zero=True)
    named = own.counts("mlp_only_layers") or []
    dense = set(range(min(first, count))) | {i for i in named if 0 <= i < count}
    dense |= {i for i in range(count) if (i + 1) % step}
    if period is not None:
        dense |= {i for i in range(count) if i % period != (offset or 0)}
    frequency = own.counts("moe_layer_freq")
    if frequency is not None and len(frequency) == count:
        dense |= {i for i, moe in enumerate(frequency) if not moe}
    return tuple(sorted(dense))


def _gated(own: Fields) -> bool | None:
    """Whether an MLP multiplies with a gate, by the activation's name where it tells."""
    activation = own.text(
        "hidden_act", "hidden_activation", "mlp_hidden_act", "activation_function"
    )
    if activation is None:
        return None
    if activation in ("silu", "swiglu", "swigluoai", "geglu"):
        return True
    return False if activation in ("relu", "relu2", "gelu_new", "gelu_fast") else None


def _weights_name(outer: Fields, own: Fields) -> str | None:
    quantised = outer.inside("quantization_config") or own.inside("quantization_config")
    if quantised is not None:
        return quantised.text("quant_algo", "quant_method")
    mlx = outer.inside("quantization")
    if mlx is not None and mlx.count("bits"):
        return f"MLX {mlx.count('bits')}-bit"
    return own.text("torch_dtype", "dtype") or outer.text("torch_dtype", "dtype")
