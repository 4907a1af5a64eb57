import msgspec
import pytest
from model_files import DATA, model, model_ids, small

from ourmodels_gui.engine.costs import (
    active_bytes,
    attention_flop,
    cache_alloc_bytes,
    cache_read_bytes,
    full_sweep_bytes,
)
from ourmodels_gui.engine.setup import AttentionLayer, Experts
from ourmodels_gui.library.models import LayerGroup, Mtp, Tensors, parameters
from ourmodels_gui.library.profile import (
    default_weights,
    linear_active_parameters,
    model_costs,
    model_shape,
    mtp_costs,
    parts_bytes,
    weight_formats,
)
from ourmodels_gui.problem import BadInput

CACHES = msgspec.json.decode((DATA / "model_caches.json").read_bytes())


def alloc(name: str, tokens: int, cache: str = "fp16", policy: str = "windowed") -> float:
    costs = model_costs(model(name), default_weights(model(name)), cache)
    return float(cache_alloc_bytes(costs.cache, tokens, policy))


def state_bytes(name: str) -> float:
    return alloc(name, 0)


# --- weights: resident and swept


def test_resident_is_every_main_tensor_and_the_sweep_leaves_the_input_table_out():
    costs = model_costs(small(), "bf16")
    assert costs.resident_bytes == 2 * 2632
    assert costs.always_bytes == 2 * (800 + 192 + 384 + 32 + 40)
    assert costs.experts == (Experts(4, 1, 2 * 96),)
    assert full_sweep_bytes(costs) == costs.resident_bytes - 2 * 800


def test_a_tied_table_is_swept_once_as_the_head():
    tensors = tuple(g for g in small().tensors if g.tensor_class != "output_head")
    costs = model_costs(small(tied=True, tensors=tensors), "bf16")
    assert costs.resident_bytes == 2 * (2632 - 800)
    assert full_sweep_bytes(costs) == costs.resident_bytes
    assert costs.head_parameters == 800


def test_a_table_per_layer_is_looked_up_and_not_swept():
    record = model("gemma-4-e4b-it")
    costs = model_costs(record, "bf16")
    table = 262144 * 42 * 256
    assert costs.resident_bytes - costs.always_bytes == 2 * table


def test_draft_layers_are_not_resident_unless_they_draft():
    record = model("qwen3.5-27b")
    costs = model_costs(record, "bf16")
    assert costs.resident_bytes == 2 * parameters(record)
    assert mtp_costs(record, "bf16").resident_bytes == 2 * parameters(record, "mtp")


def test_towers_are_resident_only_when_asked_and_never_swept():
    record = model("qwen3.5-27b")
    plain, towers = (model_costs(record, "bf16", include_towers=flag) for flag in (False, True))
    assert towers.resident_bytes - plain.resident_bytes == 2 * parameters(record, "vision")
    assert towers.always_bytes == plain.always_bytes


def test_a_second_copy_in_the_file_is_not_resident():
    record = model("qwen3-1.7b")
    costs = model_costs(record, "bf16")
    assert costs.resident_bytes == 2 * (parameters(record) - 151936 * 2048)
    assert parts_bytes(record, "bf16")["text"] == 2 * parameters(record)


def test_all_experts_used_is_entered_as_dense():
    experts = msgspec.structs.replace(small().experts[0], per_token=4)
    costs = model_costs(small(experts=(experts,)), "bf16")
    assert costs.experts == ()
    assert costs.always_bytes == 2 * (2632 - 800)


def test_deepseek_v3_sweeps_its_experts_through_58_layers():
    costs = model_costs(model("deepseek-v3"), "fp8")
    (experts,) = costs.experts
    assert (experts.routed, experts.per_token) == (256, 8)
    one = 3 * 2048 * 7168 + 3 * 4  # three matrices with a scale each
    assert experts.expert_bytes == pytest.approx(58 * one)
    assert active_bytes(costs.always_bytes, costs.experts) < 0.06 * costs.resident_bytes


def test_linear_parameters_leave_tables_head_and_vectors_out():
    assert linear_active_parameters(small()) == 192 + 384 + 96 + 32
    assert linear_active_parameters(model("llama-3.1-8b-instruct")) == 32 * (
        2 * 4096 * 4096 + 2 * 1024 * 4096 + 3 * 14336 * 4096
    )


def test_a_token_is_multiplied_with_the_experts_it_is_routed_to():
    shape = model_shape(small(), "bf16", model_costs(small(), "bf16"))
    assert shape.expert_parameters == 96
    every = msgspec.structs.replace(small().experts[0], per_token=4)
    record = small(experts=(every,))
    assert model_shape(record, "bf16", model_costs(record, "bf16")).expert_parameters == 0
    large = model("deepseek-v3")
    shape = model_shape(large, "fp8", model_costs(large, "fp8"))
    assert shape.expert_parameters == 58 * 8 * 3 * 2048 * 7168


def test_linear_parameters_of_laguna_are_near_the_formulation():
    assert linear_active_parameters(model("laguna-s-2.1")) / 1e9 == pytest.approx(7.9, abs=0.1)


# --- cache


UNITS = {"B": 1, "KB": 1e3, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "elements": 1}


def computed_cache(row) -> float:
    """What the row states, in bytes: of a token, a session, its growing, full or state part."""
    record = model(row["model"])
    costs = model_costs(record, default_weights(record), row["cache"])
    states = [group for group in record.layers if group.kind == "state"]
    session = float(
        cache_alloc_bytes(costs.cache, row.get("tokens", 0), row.get("policy", "windowed"))
    )
    full = [layer for layer in costs.cache if layer.kind == "full"]
    return {
        "token": costs.cache_write_bytes_per_token,
        "session": session,
        "growth": session - float(cache_alloc_bytes(costs.cache, 0, "windowed")),
        "full_layers": float(cache_alloc_bytes(tuple(full), row.get("tokens", 0), "windowed")),
        "state": sum(4 * group.count * group.state_elements for group in states),
        "state_elements": sum(group.state_elements for group in states),
    }[row["of"]]


@pytest.mark.parametrize(
    "row", CACHES, ids=[f"{row['model']} {row['of']} {row['stated']}" for row in CACHES]
)
def test_cache_meets_its_published_figure_to_the_last_printed_digit(row):
    printed, unit = row["stated"].split()
    last_digit = 10.0 ** -len(printed.partition(".")[2])
    computed = computed_cache(row) / UNITS[unit]
    assert computed == pytest.approx(float(printed), abs=0.501 * last_digit)


def test_published_caches_cover_25_models_and_every_kind_of_layer():
    models = {row["model"] for row in CACHES}
    assert len(models) >= 25
    assert all(row["source"] for row in CACHES)
    kinds = {group.kind for name in models for group in model(name).layers}
    assert kinds == {"full", "window", "latent", "sparse", "state"}
    assert any(group.shares_cache for name in models for group in model(name).layers)
    sessions = {row["model"] for row in CACHES if row["of"] == "session"}
    assert any(group.kind == "window" for name in sessions for group in model(name).layers)


def test_llama_31_8b_stores_131072_bytes_a_token():
    assert alloc("llama-3.1-8b-instruct", 1000) == 131_072_000


def test_window_layers_stop_growing_at_their_window():
    # gpt-oss-20b: 12 full and 12 window layers of 128 tokens, 8 heads of 64, K and V
    layer = 2 * 8 * 64 * 2
    assert alloc("gpt-oss-20b", 10_000) == 12 * layer * (10_000 + 128)
    assert alloc("gpt-oss-20b", 10_000, policy="full") == 24 * layer * 10_000
    costs = model_costs(model("gpt-oss-20b"), "native")
    assert float(cache_read_bytes(costs.cache, 10_000)) == 12 * layer * (10_000 + 128)


def test_latent_layers_store_rank_and_rope_once():
    assert alloc("deepseek-v3", 1) == 61 * (512 + 64) * 2
    assert alloc("deepseek-v3", 1, "fp8") == 61 * (512 + 64)


def test_sparse_layers_read_what_they_select_and_every_index_key():
    costs = model_costs(model("deepseek-v3.2"), "native", "fp8")
    assert float(cache_read_bytes(costs.cache, 100_000)) == 61 * (576 * 2048 + 132 * 100_000)
    assert float(cache_alloc_bytes(costs.cache, 100_000, "windowed")) == 61 * (576 + 132) * 100_000


def test_layers_that_follow_a_selection_have_no_index():
    # GLM-5.2: 21 of 78 layers run an indexer
    costs = model_costs(model("glm-5.2"), "bf16", "fp8")
    indexed = [layer for layer in costs.cache if layer.index_bytes_per_token]
    assert sum(layer.count for layer in costs.cache) == 78
    assert sum(layer.count for layer in indexed) == 21


def test_compressed_layers_keep_a_window_beside_one_entry_for_many_tokens():
    # DeepSeek V4 Flash: 43 windows of 128; 21 layers at 1 in 4 (and an index), 20 at 1 in 128
    entry, tokens = 512, 128_000
    held = alloc("deepseek-v4-flash", tokens, "fp8")
    sparse = 21 * (entry + 132) * tokens / 4
    latent = 20 * entry * tokens / 128
    assert held == pytest.approx(43 * entry * 128 + sparse + latent)


def test_index_keys_can_be_shared_by_more_tokens_than_entries():
    # GLM-5.3 Flash: 11 layers hold a latent of 512 for every token, an index key for every 16th
    costs = model_costs(model("glm-5.3-flash"), "bf16", "fp8")
    (sparse,) = (layer for layer in costs.cache if layer.kind == "sparse")
    assert sparse.bytes_per_token == 512
    assert sparse.index_bytes_per_token == 132 / 16
    (attention,) = (layer for layer in costs.attention if layer.kind == "sparse")
    assert attention.index_flop_per_pair == 2 * 32 * 128 / 16


def test_a_model_without_attention_keeps_a_state_of_fixed_size():
    # RWKV-7 2.9B: 32 layers, 40 heads of 64 x 64, and the last token twice
    record = model("rwkv7-g1j-2.9b")
    assert alloc("rwkv7-g1j-2.9b", 100_000) == 32 * (40 * 64 * 64 * 4 + 2 * 2560 * 2)
    assert record.layers[0].kind == "state"


def test_cross_attention_over_images_is_no_part_of_a_text_session():
    plain, vision = model("llama-3.1-8b-instruct"), model("llama-3.2-11b-vision-instruct")
    costs = [model_costs(record, "bf16") for record in (plain, vision)]
    assert costs[0].always_bytes == costs[1].always_bytes
    assert costs[0].cache == costs[1].cache


def test_shared_caches_are_reserved_once_and_attended_by_all():
    # Gemma 4 E4B: 42 layers attend, 18 of them read another layer's cache
    costs = model_costs(model("gemma-4-e4b-it"), "bf16")
    assert sum(layer.count for layer in costs.cache) == 24
    assert sum(layer.count for layer in costs.attention) == 42
    # the owners: 20 windows of 512 (2 heads of 256) and 4 full ones (2 heads of 512)
    assert alloc("gemma-4-e4b-it", 2000) == 20 * 2 * 512 * 2 * 512 + 4 * 2 * 1024 * 2 * 2000


def test_equal_keys_and_values_are_both_stored():
    # Gemma 4 31B: 10 full layers, 4 heads of 512, K and V
    group = next(g for g in model("gemma-4-31b-it").layers if g.kind == "full")
    assert (group.key_width, group.value_width) == (512, 512)
    grown = alloc("gemma-4-31b-it", 3000) - alloc("gemma-4-31b-it", 2000)
    assert grown == 10 * 4 * (512 + 512) * 2 * 1000


def test_only_every_fourth_layer_grows_in_qwen36():
    costs = model_costs(model("qwen3.6-35b-a3b"), "bf16")
    assert costs.cache_write_bytes_per_token == 10 * 2 * 2 * 256 * 2
    assert alloc("qwen3.6-35b-a3b", 5000) - state_bytes("qwen3.6-35b-a3b") == 5000 * 20480


def test_recurrent_state_is_float32_and_its_convolution_two_bytes():
    # Qwen3.6-35B-A3B: 30 layers, 32 heads of 128 x 128; convolution 8192 wide, 3 tokens back
    state = 30 * (32 * 128 * 128 * 4 + 8192 * 3 * 2)
    assert state_bytes("qwen3.6-35b-a3b") == state
    assert alloc("qwen3.6-35b-a3b", 0, "q4_0") == state


def test_layer_list_of_nemotron_is_taken_layer_by_layer():
    record = model("nemotron-3-nano-30b-a3b")
    kinds = {group.kind: group.count for group in record.layers}
    assert kinds == {"full": 6, "state": 23}
    assert record.experts[0].layers == 23
    assert record.layer_count == 52


def test_convolution_only_layers_keep_three_tokens_at_most():
    # LFM2 8B: 18 convolutions of width 3 over 2048 channels
    assert state_bytes("lfm2-8b-a1b") == 18 * 2048 * 2 * 2


def test_parallel_attention_and_state_are_two_groups_of_the_same_layers():
    record = model("falcon-h1-7b-instruct")
    assert {group.kind: group.count for group in record.layers} == {"full": 44, "state": 44}
    assert record.layer_count == 44


@pytest.mark.parametrize("name", ["fp16", "fp8", "q8_0", "q5_1", "q4_0", "nvfp4"])
def test_cache_formats_scale_the_stored_cache_by_their_block(name):
    ratio = {
        "fp16": 1,
        "fp8": 1 / 2,
        "q8_0": 17 / 32,
        "q5_1": 3 / 8,
        "q4_0": 9 / 32,
        "nvfp4": 9 / 32,
    }
    assert alloc("llama-3.1-8b-instruct", 100, name) == 13_107_200 * ratio[name]


def test_read_format_changes_what_moves_and_not_what_is_reserved():
    costs = model_costs(small(), "bf16", "q8_0", "fp16")
    plain = model_costs(small(), "bf16", "q8_0")
    assert float(cache_read_bytes(costs.cache, 5)) == 5 * 16
    assert float(cache_alloc_bytes(costs.cache, 5, "full")) == float(
        cache_alloc_bytes(plain.cache, 5, "full")
    )


# --- arithmetic of attention


def test_a_pair_costs_two_flops_for_each_head_and_width():
    costs = model_costs(small(), "bf16")
    assert float(attention_flop(costs.attention, 0, 1)) == 2 * 2 * 2 * (2 + 2)


def test_latent_attention_is_charged_for_its_own_widths():
    (layer,) = model_costs(model("deepseek-v3"), "native").attention
    assert 4 * layer.query_width == 2 * 128 * (128 + 64 + 128)


def test_laguna_attention_is_the_1_866_gflop_of_the_formulation():
    costs = model_costs(model("laguna-s-2.1"), "nvfp4", "fp8")
    assert float(attention_flop(costs.attention, 0, 8192)) / 8192 / 1e9 == pytest.approx(
        1.866, abs=0.0005
    )


def test_an_index_is_charged_for_every_pair():
    (layer,) = model_costs(model("deepseek-v3.2"), "native").attention
    assert layer == AttentionLayer(
        "sparse", 61, 128 * (192 + 128) / 2, selected_tokens=2048, index_flop_per_pair=2 * 64 * 128
    )


# --- draft layers


def test_mtp_draft_sweeps_its_module_and_the_head():
    record = model("qwen3.5-27b")
    draft = mtp_costs(record, "bf16")
    head = 2 * 248320 * 5120
    assert draft.always_bytes == draft.resident_bytes + head
    assert draft.experts == ()
    assert draft.cache[0].kind == "full"


def test_mtp_draft_has_experts_of_its_own():
    draft = mtp_costs(model("qwen3.5-35b-a3b"), "bf16")
    assert draft.experts == (Experts(256, 8, 2 * 3 * 512 * 2048),)


def test_tables_that_the_draft_repeats_cost_nothing():
    record = model("deepseek-v3")
    draft = mtp_costs(record, "bf16")
    assert draft.resident_bytes == 2 * (parameters(record, "mtp") - 2 * 129280 * 7168)


def test_a_step_of_several_modules_runs_one_of_them():
    record = model("step-3.5-flash")  # three modules, each with a head of its own
    draft = mtp_costs(record, "bf16")
    assert draft.modules == 3
    assert draft.always_bytes == pytest.approx(draft.resident_bytes / 3)


def test_a_model_without_draft_layers_says_so():
    with pytest.raises(BadInput, match="no MTP layers") as caught:
        mtp_costs(small(), "bf16")
    assert caught.value.problem.key == "speculation.draft"


def test_draft_of_a_small_model_by_hand():
    tensors = (
        *small().tensors,
        Tensors("attention", 1, (4, 8), "query", part="mtp"),
        Tensors("input_embedding", 1, (100, 8), "unused", part="mtp"),
    )
    layer = LayerGroup("full", 1, query_heads=2, key_heads=1, key_width=2, value_width=2)
    draft = mtp_costs(small(tensors=tensors, mtp=Mtp(1, (layer,))), "bf16")
    assert draft.resident_bytes == 64
    assert draft.always_bytes == 64 + 1600


# --- formats and bad input


def test_formats_list_the_releases_own_first():
    first = weight_formats(model("gpt-oss-120b"))[0]
    assert (first.id, first.name) == ("native", "MXFP4 experts, BF16 rest")
    assert first.file_bytes == pytest.approx(65.25e9, rel=0.001)
    assert 4 < first.bits_per_parameter < 5


def test_a_plain_release_has_no_native_beside_bf16():
    ids = [size.id for size in weight_formats(model("llama-3.1-8b-instruct"))]
    assert ids[0] == "bf16"
    assert "native" not in ids
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (("q9",), "model.weights"),
        (("bf16", "q9"), "workload.cache_format"),
        (("bf16", "fp16", "q9"), "workload.cache_read_format"),
    ],
)
def test_an_unknown_format_names_its_key_and_the_known_ones(arguments, key):
    with pytest.raises(BadInput, match="one of") as caught:
        model_costs(small(), *arguments)
    assert caught.value.problem.key == key


def test_an_unknown_cache_layout_is_bad_input_that_says_what_is_missing():
    with pytest.raises(BadInput, match="which layers attend to what"):
        model_costs(model("tiny-aya-global"), "bf16")


def test_a_model_without_a_cache_is_no_decoder():
    with pytest.raises(BadInput, match="not a decoder"):
        model_costs(small(layers=()), "bf16")


def test_every_model_of_the_catalog_has_costs_or_says_why_not():
    unknown = []
    for name in model_ids():
        record = model(name)
        try:
            costs = model_costs(record, "q4_k_m", "q8_0")
        except BadInput:
            unknown.append(name)
            assert record.audit.status == "unaudited"
            continue
        assert 0 < costs.always_bytes <= costs.resident_bytes
        assert float(cache_alloc_bytes(costs.cache, 1000, "windowed")) > 0
        assert costs.linear_active_parameters > 0
        assert costs.head_parameters > 0
        if record.mtp is not None:
            assert mtp_costs(record, "q4_k_m").always_bytes > 0
    assert len(unknown) < 25
