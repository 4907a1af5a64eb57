"""Whatever the bytes: a profile or one clear message, in bounded time and memory.

Short here; `OURMODELS_FUZZ=20000` makes each reader try that many.
"""

import json
import os
import tempfile
import tracemalloc
from functools import cache
from pathlib import Path

from gguf_files import TYPES, llama_keys, llama_tensors, write_gguf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors_files import llama_config, write_config, write_header, write_sparse
from safetensors_files import llama_tensors as hf_tensors

from ourmodels_gui.library.importers.importing import import_model
from ourmodels_gui.library.importers.profile_text import as_json, as_text
from ourmodels_gui.problem import BadInput

TRIES = int(os.environ.get("OURMODELS_FUZZ", "60"))
MOST_BYTES = 60_000_000
short = settings(
    max_examples=TRIES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def tried(path):
    """A profile that can be printed, or one line that names the file."""
    tracemalloc.start()
    try:
        imported = import_model(path)
        assert as_text(imported) and json.loads(as_json(imported))
    except BadInput as bad:
        assert bad.problem.message and "\n" not in str(bad) and len(str(bad)) < 2000
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < MOST_BYTES


@cache
def gguf_bytes():
    path = Path(tempfile.mkdtemp()) / "m.gguf"
    keys = llama_keys(width=64, heads=4, keys=2) | {
        ".attention.sliding_window": 16, ".attention.sliding_window_pattern": [True, False],
        ".expert_count": 4, ".expert_used_count": 2, "tokenizer.ggml.tokens": ["a", "b", "c"],
    }  # fmt: skip
    tensors = llama_tensors(width=64, heads=4, keys=2, rows=32, kind=TYPES.Q4_0)
    tensors.append(("blk.0.ffn_up_exps.weight", (4, 32, 64), TYPES.Q8_0))
    return write_gguf(path, keys, tensors).read_bytes()


@cache
def safetensors_header():
    folder = Path(tempfile.mkdtemp())
    data = write_sparse(folder / "m.safetensors", hf_tensors(width=64, heads=4, keys=2, rows=32))
    data = data.read_bytes()
    length = int.from_bytes(data[:8], "little")
    return data[8 : 8 + length], len(data) - 8 - length


edits = st.lists(
    st.tuples(
        st.integers(0, 1 << 30),
        st.sampled_from(["set", "drop", "insert", "word"]),
        st.binary(min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=6,
)  # fmt: skip


def edited(data, changes):
    made = bytearray(data)
    for place, what, new in changes:
        at = place % max(len(made), 1)
        if what == "drop":
            del made[at : at + len(new)]
        elif what == "insert":
            made[at:at] = new
        elif what == "word":
            made[at : at + 8] = (2**64 - 1 - place).to_bytes(8, "little")
        else:
            made[at : at + len(new)] = new
    return bytes(made)


@short
@given(changes=edits)
def test_a_gguf_file_with_random_damage(changes, tmp_path):
    whole = gguf_bytes()
    path = tmp_path / "m.gguf"
    path.write_bytes(edited(whole[:4000], changes) + whole[4000:])
    tried(path)


@short
@given(data=st.binary(max_size=400))
def test_random_bytes_as_a_gguf_file(data, tmp_path):
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF\x03\0\0\0" + data)
    tried(path)


@short
@given(changes=edits)
def test_a_safetensors_header_with_random_damage(changes, tmp_path):
    header, data = safetensors_header()
    write_config(tmp_path, **llama_config(width=64, heads=4, keys=2, rows=32))
    write_header(tmp_path / "model.safetensors", edited(header, changes), data)
    tried(tmp_path)


numbers = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 300), st.sampled_from([2**31, 2**64, 10**30, 1e308]),
    st.floats(), st.text(max_size=6), st.lists(st.integers(-1, 9), max_size=5),
)  # fmt: skip
KEYS = (
    "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim",
    "sliding_window", "sliding_window_pattern", "layer_types", "kv_lora_rank", "qk_rope_head_dim",
    "num_experts", "num_experts_per_tok", "mamba_d_state", "vocab_size", "text_config",
    "quantization_config", "quantization", "hybrid_override_pattern", "block_configs",
    "tie_word_embeddings", "compress_ratios", "linear_attn_config", "max_position_embeddings",
    "attn_type_list", "intermediate_size", "num_nextn_predict_layers", "is_encoder_decoder",
    "conv_L_cache", "index_topk", "swa_head_dim", "global_head_dim", "num_kv_shared_layers",
)  # fmt: skip
values = st.recursive(
    numbers,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=6,
)  # fmt: skip
configs = st.dictionaries(st.sampled_from(KEYS), values, max_size=8)


@short
@given(changes=configs)
def test_a_config_with_odd_values_alone_and_beside_weights(changes, tmp_path):
    config = llama_config(width=64, heads=4, keys=2, rows=32) | changes
    path = write_config(tmp_path, **config)
    tried(path)
    weights = write_sparse(
        tmp_path / "model.safetensors", hf_tensors(width=64, heads=4, keys=2, rows=32)
    )
    tried(tmp_path)
    weights.unlink()


@short
@given(changes=edits)
def test_an_index_with_random_damage(changes, tmp_path):
    write_config(tmp_path, **llama_config(width=64, heads=4, keys=2, rows=32))
    tensors = hf_tensors(width=64, heads=4, keys=2, rows=32)
    write_sparse(tmp_path / "m-00001-of-00001.safetensors", tensors)
    index = {"weight_map": dict.fromkeys(tensors, "m-00001-of-00001.safetensors")}
    index = edited(json.dumps(index).encode(), changes)
    (tmp_path / "model.safetensors.index.json").write_bytes(index)
    tried(tmp_path)


OWNERS = ("model.layers.0.mlp.up_proj", "model.layers.1.self_attn.k_proj", "blk.0.experts.3.w1")
PIECES = (
    "weight",
    "qweight",
    "scales",
    "qzeros",
    "weight_scale",
    "weight_packed",
    "up_blocks",
    "up_scales",
    "absmax",
)
stored = st.dictionaries(
    st.tuples(
        st.sampled_from(OWNERS),
        st.sampled_from(PIECES),
    ).map(".".join),
    st.tuples(
        st.sampled_from(("U32", "I32", "U8", "I8", "F16", "F8_E4M3", "BF16")),
        st.lists(st.sampled_from((0, 1, 2, 8, 16, 64, 128)), max_size=3),
    ),
    min_size=1,
    max_size=5,
)  # fmt: skip


@short
@given(tensors=stored)
def test_any_mixture_of_packed_tensors(tensors, tmp_path):
    write_config(tmp_path, **llama_config(width=64, heads=4, keys=2, rows=32))
    write_sparse(tmp_path / "model.safetensors", tensors)
    tried(tmp_path)
