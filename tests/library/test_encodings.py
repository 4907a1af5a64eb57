import pytest

from ourmodels_gui.library.encodings import (
    CACHE_FORMATS,
    ENCODINGS,
    cache_value_bytes,
    stored_bytes,
)

BITS_PER_VALUE = {
    "fp32": 32, "bf16": 16, "fp8": 8, "int4_g32": 4.5,
    "nvfp4": 4.5, "mxfp4": 4.25, "mxfp8": 8.25, "awq_g128": 4.15625, "gptq_g32": 4.625,
    "mlx3_g64": 3.5, "mlx4_g64": 4.5, "mlx4_g32": 5, "mlx5_g64": 5.5, "mlx6_g64": 6.5,
    "mlx8_g64": 8.5, "mlx8_g32": 9,
    "q4_0": 4.5, "q4_1": 5, "q5_0": 5.5, "q5_1": 6, "q8_0": 8.5,
    "q2_k": 2.625, "q3_k": 3.4375, "q4_k": 4.5, "q5_k": 5.5, "q6_k": 6.5625,
    "iq1_s": 1.5625, "iq1_m": 1.75, "iq2_xxs": 2.0625, "iq2_xs": 2.3125, "iq2_s": 2.5625,
    "iq3_xxs": 3.0625, "iq3_s": 3.4375, "iq4_xs": 4.25, "iq4_nl": 4.5,
    "gguf_mxfp4": 4.25, "gguf_nvfp4": 4.5, "tq1_0": 1.6875, "tq2_0": 2.0625,
}  # fmt: skip


@pytest.mark.parametrize(("name", "bits"), BITS_PER_VALUE.items())
def test_bits_per_value_follow_from_the_block(name, bits):
    rows, columns = 256, 1024
    whole = stored_bytes((rows, columns), ENCODINGS[name]) - ENCODINGS[name].tensor_bytes
    assert 8 * whole / (rows * columns) == bits


def test_a_block_per_row_costs_its_scale_once_a_row():
    assert stored_bytes((10, 100), ENCODINGS["fp8_channel"]) == 1000 + 10 * 4


def test_square_blocks_are_padded_in_both_directions():
    assert stored_bytes((129, 128), ENCODINGS["fp8_b128"]) == 129 * 128 + 2 * 4


def test_experts_are_separate_matrices():
    one = stored_bytes((16, 256), ENCODINGS["nvfp4"])
    assert stored_bytes((8, 16, 256), ENCODINGS["nvfp4"]) == 8 * one


def test_a_vector_is_one_row():
    assert stored_bytes((4096,), ENCODINGS["fp32"]) == 16384


@pytest.mark.parametrize(
    ("name", "size"),
    [("fp16", 2), ("bf16", 2), ("fp8", 1), ("q8_0", 34 / 32), ("q5_1", 24 / 32), ("q4_0", 18 / 32),
     ("nvfp4", 9 / 16)],
)  # fmt: skip
def test_a_cached_value_carries_its_share_of_the_block(name, size):
    assert cache_value_bytes(name) == size


def test_every_encoding_says_where_its_layout_is_defined():
    assert all(encoding.layout for encoding in ENCODINGS.values())
    assert all(name == encoding.id for name, encoding in ENCODINGS.items())
    assert set(CACHE_FORMATS.values()) <= set(ENCODINGS)
