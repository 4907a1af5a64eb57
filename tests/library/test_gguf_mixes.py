import pytest

from ourmodels_gui.library.encodings import ENCODINGS
from ourmodels_gui.library.gguf_mixes import GGUF_MIXES, Mix, fitting, shares


def share(mix, role, *, layers=32, grouped=4, experts=0):
    return shares(
        GGUF_MIXES[mix], role, layers=layers, queries_per_key=grouped, experts=experts, columns=4096
    )


def test_half_of_32_layers_get_more_bits():
    # the first 4, the last 4, and every third of the 24 between
    assert share("q4_k_m", "value") == ((0.5, "q6_k"), (0.5, "q4_k"))


def test_ordinary_tensors_get_the_base():
    assert share("q4_k_m", "gate") == ((1.0, "q4_k"),)


def test_small_formats_upgrade_the_first_layers_only():
    assert share("q4_k_s", "down") == ((0.125, "q5_k"), (0.875, "q4_k"))
    assert share("q3_k_m", "value") == ((2 / 32, "q5_k"), (30 / 32, "q4_k"))


def test_values_of_grouped_queries_are_cheap_enough_for_more_bits():
    assert share("q2_k", "value", grouped=8) == ((1.0, "q4_k"),)
    assert share("q2_k", "value", grouped=1) == ((1.0, "q3_k"),)
    assert share("iq4_xs", "value", grouped=1) == ((1.0, "iq4_xs"),)


def test_eight_experts_spend_more_on_attention():
    assert share("q4_k_m", "value", experts=8) == ((1.0, "q8_0"),)
    assert share("q4_k_m", "output", experts=8) == ((1.0, "q5_k"),)
    assert share("q4_k_m", "down", experts=8)[0] == (0.5, "q6_k")


@pytest.mark.parametrize(
    ("wanted", "columns", "given"),
    [("q4_k", 2880, "q5_0"), ("q5_k", 2880, "q5_1"), ("q6_k", 2880, "q8_0"),
     ("q3_k", 2880, "iq4_nl"), ("iq2_s", 96, "iq4_nl"), ("q4_k", 40, "fp16"), ("q8_0", 40, "fp16"),
     ("q4_0", 96, "q4_0"), ("q4_k", 512, "q4_k"), ("fp16", 40, "fp16")],
)  # fmt: skip
def test_rows_that_no_block_fills_get_another_encoding(wanted, columns, given):
    assert fitting(wanted, columns) == given


@pytest.mark.parametrize("layers", [1, 2, 7, 28, 61, 94])
def test_shares_sum_to_the_whole(layers):
    for name in GGUF_MIXES:
        for role in ("value", "down", "output", "query_key_value", "gate", ""):
            parts = share(name, role, layers=layers)
            assert sum(part for part, _ in parts) == pytest.approx(1)
            assert all(encoding in ENCODINGS for _, encoding in parts)


def test_every_mix_names_known_encodings():
    for mix in GGUF_MIXES.values():
        assert isinstance(mix, Mix)
        names = {mix.base, mix.head, mix.token or mix.base}
        assert names <= set(ENCODINGS)
