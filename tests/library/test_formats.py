import msgspec
import pytest
from model_files import model, small, stated_sizes

from ourmodels_gui.library.formats import (
    NATIVE,
    WEIGHT_FORMATS,
    class_bytes,
    encoding_shares,
    file_bytes,
    tensors_bytes,
    tolerance,
)
from ourmodels_gui.library.gguf_mixes import GGUF_MIXES
from ourmodels_gui.library.models import Published, Tensors, total_parameters

SIZES = [row for row in stated_sizes() if "model" in row]


def encoding(record, weights, tensor_class, **wanted):
    for group in record.tensors:
        if group.tensor_class == tensor_class and all(
            getattr(group, key) == value for key, value in wanted.items()
        ):
            return encoding_shares(record, group, weights)[0][1]
    raise LookupError(tensor_class)


def test_plain_formats_are_parameters_times_their_width():
    for name, width in (("fp32", 4), ("fp16", 2), ("bf16", 2)):
        assert file_bytes(small(), name) == width * total_parameters(small())


def test_ledger_sums_to_the_file():
    record = model("llama-3.1-8b-instruct")
    for weights in ("bf16", "q4_k_m", "nvfp4", "mlx-4bit"):
        assert sum(class_bytes(record, weights).values()) == pytest.approx(
            file_bytes(record, weights)
        )


@pytest.mark.parametrize("weights", ["fp8", "fp8-block128", "int8", "nvfp4", "awq-g128"])
def test_tables_heads_and_routers_stay_as_they_are(weights):
    record = model("qwen3-30b-a3b")
    kept = WEIGHT_FORMATS[weights].kept
    for tensor_class in ("input_embedding", "output_head", "router", "norms"):
        assert encoding(record, weights, tensor_class) == kept
    assert encoding(record, weights, "routed_experts") == WEIGHT_FORMATS[weights].matrix


def test_a_tied_table_is_stored_as_a_head():
    record = model("llama-3.2-3b-instruct")
    assert record.tied
    assert encoding(record, "q4_k_m", "input_embedding") == "q6_k"
    assert encoding(model("llama-3.1-8b-instruct"), "q4_k_m", "input_embedding") == "q4_k"


def test_gguf_keeps_vectors_and_routers_in_fp32():
    record = model("qwen3-30b-a3b")
    assert encoding(record, "q4_k_m", "norms") == "fp32"
    assert encoding(record, "q4_k_m", "router") == "fp32"


def test_expert_biases_are_vectors():
    record = model("gpt-oss-20b")
    assert encoding(record, "mlx-4bit", "routed_experts", role="bias") == "bf16"


def test_a_published_file_may_keep_more_than_the_format_says():
    record = small(published={"nvfp4": Published(encodings={"attention": "bf16"})})
    assert encoding(record, "nvfp4", "attention") == "bf16"
    assert encoding(small(), "nvfp4", "attention") == "bf16"  # rows of 8 fill no block of 16
    assert encoding(model("laguna-s-2.1"), "nvfp4", "attention") == "bf16"
    assert encoding(model("laguna-s-2.1"), "nvfp4", "routed_experts") == "nvfp4"


def test_laguna_nvfp4_is_the_71_9_gb_of_the_formulation():
    assert file_bytes(model("laguna-s-2.1"), "nvfp4") == pytest.approx(71.8987e9, rel=0.005)


def test_towers_are_not_quantised_and_not_in_gguf():
    record = model("qwen3.5-9b")
    assert encoding(record, "mlx-4bit", "other", part="vision") == "bf16"
    assert encoding(record, "nvfp4", "other", part="vision") == "bf16"
    text = sum(class_bytes(record, "q8_0").values())
    assert file_bytes(record, "q8_0") == text


def test_mlx_files_leave_draft_layers_out():
    record = model("qwen3.5-9b")
    assert file_bytes(record, "bf16") - file_bytes(record, "mlx-bf16") == sum(
        class_bytes(record, "bf16", "mtp").values()
    )


def test_native_is_what_the_release_stores():
    record = model("gpt-oss-20b")
    assert encoding(record, NATIVE, "routed_experts", role="up") == "mxfp4"
    assert encoding(record, NATIVE, "attention") == "bf16"


def test_bytes_read_from_a_file_count_as_read():
    read = Tensors("attention", 3, (4, 8), "query", stored_bytes=1234.0)
    assert tensors_bytes(small(), read, NATIVE) == 1234
    assert tensors_bytes(small(), read, "bf16") == 3 * 64


def test_an_unknown_format_is_a_key_error():
    with pytest.raises(KeyError):
        file_bytes(small(), "q4_k_xl")


@pytest.mark.parametrize(
    "row", SIZES, ids=[f"{row['file']} {row['bytes']} {i}" for i, row in enumerate(SIZES)]
)
def test_computed_file_meets_its_stated_size(row):
    computed = file_bytes(model(row["model"]), row["weights"])
    met = computed == pytest.approx(row["bytes"], rel=tolerance(row["weights"]))
    assert met != ("exception" in row), computed / row["bytes"] - 1


def test_at_most_3_percent_of_the_published_rows_are_exceptions():
    exceptions = sum(row["rows"] for row in SIZES if "exception" in row)
    assert exceptions <= 0.03 * sum(row["rows"] for row in SIZES)


def test_every_published_row_is_compared_or_says_why_not():
    rows = stated_sizes()
    assert sum(row["rows"] for row in rows) == 85 + 328  # checkpoints, and measurements with a size
    for row in rows:
        assert row["source"] and row["bytes"] > 0
        assert ("model" in row) != bool(row.get("not_compared"))


def test_only_formats_that_mix_blocks_are_given_2_5_percent():
    loose = {name for name in (NATIVE, *WEIGHT_FORMATS) if tolerance(name) > 0.01}
    assert loose < set(GGUF_MIXES)
    assert not loose & {"gguf-f16", "gguf-bf16", "q8_0", "q6_k"}
    assert {"q4_k_m", "q4_0", "iq4_xs"} <= loose


def test_more_bits_make_larger_files():
    record = model("qwen3-8b")
    order = "iq1_s iq2_xxs iq2_xs iq2_m q2_k iq3_xxs q3_k_s q3_k_m q3_k_l q4_k_s q4_k_m q5_k_s"
    sizes = [file_bytes(record, name) for name in [*order.split(), "q5_k_m", "q6_k", "q8_0"]]
    assert sizes == sorted(sizes)


def test_every_format_prices_every_kind_of_model():
    for name in ("gpt-oss-120b", "deepseek-v4-flash", "lfm2-8b-a1b", "gemma-4-e4b-it"):
        record = model(name)
        for weights in WEIGHT_FORMATS:
            assert 0 < file_bytes(record, weights) <= file_bytes(record, "fp32") * 1.001


def test_formats_are_known_by_their_ids():
    assert all(name == form.id for name, form in WEIGHT_FORMATS.items())
    assert len({form.name for form in WEIGHT_FORMATS.values()}) == len(WEIGHT_FORMATS)
    assert msgspec.structs.fields(Published)[1].name == "encodings"
