"""Packed weights count as what they represent, with all the bytes that are stored for them."""

import pytest
from safetensors_files import SIZES

from ourmodels_gui.library.importers.packed import undo_packing
from ourmodels_gui.library.importers.quantisation import Packing, Scheme, packing_of
from ourmodels_gui.library.importers.safetensors import Raw
from ourmodels_gui.problem import BadInput


def raws(**tensors):
    made = []
    for name, (kind, shape) in tensors.items():
        size = SIZES[kind]
        for axis in shape:
            size *= axis
        made.append(Raw(name.replace("__", "."), kind, shape, size))
    return made


def undone(packing=None, **tensors):
    made = raws(**tensors)
    found = undo_packing(made, packing or Packing(), "here")
    assert sum(t.stored_bytes for t in found) == sum(r.stored_bytes for r in made)
    (one,) = found
    return one.name, one.shape, one.encoding


# every weight below is 256 outputs x 512 inputs
CASES = {
    "awq": (
        {
            "l__qweight": ("I32", (512, 32)),
            "l__qzeros": ("I32", (4, 32)),
            "l__scales": ("F16", (4, 256)),
        },
        "awq_g128",
    ),
    "gptq": (
        {
            "l__qweight": ("I32", (64, 256)),
            "l__qzeros": ("I32", (4, 32)),
            "l__scales": ("F16", (4, 256)),
            "l__g_idx": ("I32", (512,)),
        },
        "gptq_g128",
    ),
    "gptq 8 bit": (
        {
            "l__qweight": ("I32", (128, 256)),
            "l__qzeros": ("I32", (4, 64)),
            "l__scales": ("F16", (4, 256)),
        },
        "int8_g128",
    ),
    "gptq 3 bit": (
        {
            "l__qweight": ("I32", (48, 256)),
            "l__qzeros": ("I32", (4, 24)),
            "l__scales": ("F16", (4, 256)),
        },
        "int3_g128",
    ),
    "gptq square": (
        {
            "l__qweight": ("I32", (64, 256)),
            "l__qzeros": ("I32", (16, 32)),
            "l__scales": ("F16", (16, 256)),
        },
        "gptq_g32",
    ),
    "mlx": (
        {
            "l__weight": ("U32", (256, 64)),
            "l__scales": ("F16", (256, 8)),
            "l__biases": ("F16", (256, 8)),
        },
        "mlx4_g64",
    ),
    "mlx mxfp4": ({"l__weight": ("U32", (256, 64)), "l__scales": ("U8", (256, 16))}, "mxfp4"),
    "nvfp4 of compressed-tensors": (
        {
            "l__weight_packed": ("U8", (256, 256)),
            "l__weight_scale": ("F8_E4M3", (256, 32)),
            "l__weight_global_scale": ("F32", (1,)),
            "l__input_global_scale": ("F32", (1,)),
        },
        "nvfp4",
    ),
    "nvfp4 of modelopt": (
        {
            "l__weight": ("U8", (256, 256)),
            "l__weight_scale": ("F8_E4M3", (256, 32)),
            "l__weight_scale_2": ("F32", ()),
            "l__input_scale": ("F32", ()),
        },
        "nvfp4",
    ),
    "mxfp4 in pairs": (
        {"l__weight_packed": ("U8", (256, 256)), "l__weight_scale": ("U8", (256, 16))},
        "mxfp4",
    ),
    "fp4 with 8-bit exponents": (
        {"l__weight": ("I8", (256, 256)), "l__scale": ("F8_E8M0", (256, 16))},
        "mxfp4",
    ),
    "fp8 blocks": (
        {"l__weight": ("F8_E4M3", (256, 512)), "l__weight_scale_inv": ("F32", (2, 4))},
        "fp8_b128",
    ),
    "fp8 rows": (
        {"l__weight": ("F8_E4M3", (256, 512)), "l__weight_scale": ("BF16", (256, 1))},
        "fp8_channel",
    ),
    "fp8 tensor": (
        {
            "l__weight": ("F8_E4M3", (256, 512)),
            "l__weight_scale": ("F32", ()),
            "l__input_scale": ("F32", ()),
        },
        "fp8",
    ),
    "mxfp8": (
        {"l__weight": ("F8_E4M3", (256, 512)), "l__weight_scale": ("U8", (256, 16))},
        "mxfp8",
    ),
    "int8 rows": ({"l__weight": ("I8", (256, 512)), "l__weight_scale": ("F32", (256, 1))}, "int8"),
    "bitsandbytes 8 bit": (
        {
            "l__weight": ("I8", (256, 512)),
            "l__SCB": ("F32", (256,)),
            "l__weight_format": ("U8", ()),
        },
        "int8",
    ),
    "ternary": ({"l__weight": ("U8", (64, 512)), "l__weight_scale": ("BF16", (1,))}, "ternary"),
}


@pytest.mark.parametrize("case", CASES)
def test_packed_words_become_rows_and_columns(case):
    tensors, encoding = CASES[case]
    assert undone(**tensors) == ("l.weight", (256, 512), encoding)


def test_four_bit_words_of_compressed_tensors_need_the_config():
    tensors = {
        "l__weight_packed": ("I32", (256, 64)), "l__weight_scale": ("BF16", (256, 16)),
        "l__weight_shape": ("I64", (2,)),
    }  # fmt: skip
    packing = Packing("compressed-tensors", (Scheme(8, 128), Scheme(4, 32)))
    assert undone(packing, **tensors) == ("l.weight", (256, 512), "int4_g32")


def test_the_config_decides_between_two_readings_of_the_same_words():
    tensors = {"l__weight": ("U32", (256, 64)), "l__scales": ("F16", (256, 8))}
    eight = Packing("mlx", (Scheme(4, 64),), {"l": Scheme(8, 32)})
    assert undone(eight, **tensors) == ("l.weight", (256, 256), "mlx8_g32")


def test_bitsandbytes_four_bit_counts_two_values_in_a_byte():
    beside = {
        "": ("U8", (65536, 1)), ".absmax": ("U8", (2048,)), ".quant_map": ("F32", (16,)),
        ".nested_absmax": ("F32", (8,)), ".nested_quant_map": ("F32", (256,)),
        ".quant_state.bitsandbytes__nf4": ("U8", (80,)),
    }  # fmt: skip
    made = [Raw(f"l.weight{n}", k, s, SIZES[k] * s[0]) for n, (k, s) in beside.items()]
    (one,) = undo_packing(made, Packing(), "here")
    assert (one.shape, one.encoding) == ((131072,), "nf4")
    assert one.stored_bytes == 65536 + 2048 + 4 * (16 + 8 + 256) + 80


def test_merged_experts_in_blocks_keep_all_their_axes():
    tensors = {"e__up_blocks": ("U8", (4, 256, 16, 16)), "e__up_scales": ("U8", (4, 256, 16))}
    assert undone(**tensors) == ("e.up", (4, 256, 512), "mxfp4")


def test_a_bias_is_no_companion():
    found = undo_packing(raws(l__weight=("F16", (4, 4)), l__bias=("F16", (4,))), Packing(), "here")
    assert [(t.name, t.shape) for t in found] == [("l.weight", (4, 4)), ("l.bias", (4,))]


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"l__weight": ("I32", (256, 64))}, "packed words"),
        ({"l__weight": ("U8", (256, 64))}, "packed words"),
        ({"l__qweight": ("I32", (256, 64))}, "needs its scales"),
        ({"l__weight_packed": ("I32", (256, 64))}, "needs its weight_scale"),
        ({"l__weight": ("U32", (256, 64)), "l__scales": ("F16", (255, 8))}, "do not fit"),
        ({"l__weight": ("U32", (256, 64)), "l__scales": ("F16", (256, 7))}, "differ"),
        ({"l__weight": ("U32", (0,)), "l__scales": ("U32", ())}, "do not fit"),
        ({"l__qweight": ("I32", (64, 256)), "l__qzeros": ("I32", (4, 24)),
          "l__scales": ("F16", (4, 256))}, "differ"),
        ({"e__up_blocks": ("U8", (4, 16)), "e__up_scales": ("U8", (5,))}, "do not fit"),
        ({"l__weight": ("F16", (0, 4))}, "is empty"),
    ],
)  # fmt: skip
def test_words_of_an_unknown_packing_are_refused_by_name(tensors, said):
    with pytest.raises(BadInput, match=said) as bad:
        undo_packing(raws(**tensors), Packing(), "here")
    assert bad.value.problem.key


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, Packing()),
        ({"quantization": {"group_size": 64, "bits": 4, "a.b": {"group_size": 32, "bits": 8}}},
         Packing("mlx", (Scheme(4, 64, "affine"),), {"a.b": Scheme(8, 32, "affine")})),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": -1}},
         Packing("gptq", (Scheme(4, 0),))),
        ({"text_config": {"quantization_config": {"quant_method": "compressed-tensors",
          "config_groups": {"group_0": {"weights": {"num_bits": 4, "group_size": 32}}}}}},
         Packing("compressed-tensors", (Scheme(4, 32),))),
    ],
)  # fmt: skip
def test_the_packing_is_read_from_any_of_its_places(config, expected):
    assert packing_of(config, "here") == expected
