"""Which block each tensor gets in the GGUF formats that mix them.

The quantiser of llama.cpp gives some tensors a better block than the name of the format says: the
output head, attention values, the matrices that lead back into the residual stream; some of them
only in part of the layers. The rules below state its choices (llama-quant.cpp) per role, for a
quantisation with an importance matrix, without the per-tensor overrides that publishers add.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

Layers = Literal["all", "more", "first_2", "first_4", "first_16th", "first_8th", "middle"]
Share = tuple[float, str]


class Better(msgspec.Struct, frozen=True):
    """`encoding` in some of the layers, `rest` (default: the format's base) in the others.

    wide: the encoding, where at least four query heads share a key head; "" for no difference.
    """

    encoding: str
    layers: Layers = "all"
    rest: str = ""
    wide: str = ""


class Mix(msgspec.Struct, frozen=True):
    """One format: the block of ordinary tensors, and of those that differ, by role."""

    base: str
    head: str = "q6_k"
    token: str = ""
    roles: dict[str, Better] = {}


def _low(base: str, value: str, output: str, down: str, token: str) -> Mix:
    """The formats around two bits and below, which differ in these four choices only."""
    roles = {
        "value": Better(value, wide="q4_k"),
        "down": Better(down, "first_8th"),
        "output": Better(output),
    }
    return Mix(base, "q5_k", token, roles)


_MORE_Q6 = Better("q6_k", "more")

GGUF_MIXES: dict[str, Mix] = {
    "gguf-f16": Mix("fp16", "fp16"),
    "gguf-bf16": Mix("bf16", "bf16"),
    "q8_0": Mix("q8_0", "q8_0"),
    "q6_k": Mix("q6_k"),
    "q5_1": Mix("q5_1"),
    "q5_0": Mix("q5_0"),
    "q4_1": Mix("q4_1"),
    "q4_0": Mix("q4_0"),
    "q5_k_m": Mix(
        "q5_k",
        roles={"value": _MORE_Q6, "down": _MORE_Q6, "query_key_value": Better("q6_k")},
    ),
    "q5_k_s": Mix("q5_k"),
    "q4_k_m": Mix(
        "q4_k",
        roles={"value": _MORE_Q6, "down": _MORE_Q6, "query_key_value": Better("q5_k")},
    ),
    "q4_k_s": Mix(
        "q4_k", roles={"value": Better("q5_k", "first_4"), "down": Better("q5_k", "first_8th")}
    ),
    "q3_k_l": Mix(
        "q3_k",
        roles={
            "value": Better("q5_k"),
            "down": Better("q5_k"),
            "output": Better("q5_k"),
            "query_key_value": Better("q4_k"),
        },
    ),
    "q3_k_m": Mix(
        "q3_k",
        roles={
            "value": Better("q5_k", "first_2", rest="q4_k"),
            "down": Better("q5_k", "first_16th", rest="q4_k"),
            "output": Better("q4_k"),
            "query_key_value": Better("q4_k"),
        },
    ),
    "q3_k_s": Mix("q3_k"),
    "q2_k": Mix(
        "q2_k",
        roles={
            "value": Better("q3_k", wide="q4_k"),
            "down": Better("q3_k"),
            "output": Better("q3_k"),
        },
    ),
    "q2_k_s": Mix(
        "q2_k",
        roles={"value": Better("q2_k", wide="q4_k"), "down": Better("q4_k", "first_8th")},
    ),
    "iq4_nl": Mix("iq4_nl", roles={"value": Better("iq4_nl", wide="q5_k")}),
    "iq4_xs": Mix("iq4_xs", roles={"value": Better("iq4_xs", wide="q5_k")}),
    "iq3_m": Mix(
        "iq3_s",
        roles={
            "value": Better("q4_k"),
            "down": Better("q4_k", "first_8th"),
            "output": Better("q4_k"),
            "query_key_value": Better("q4_k"),
        },
    ),
    "iq3_s": Mix("iq3_s", roles={"value": Better("iq3_s", wide="q4_k")}),
    "iq3_xs": Mix(
        "iq3_s",
        roles={
            "value": Better("iq3_s", wide="q4_k"),
            "query": Better("iq3_xxs"),
            "key": Better("iq3_xxs"),
            "gate": Better("iq3_xxs", "middle"),
            "up": Better("iq3_xxs", "middle"),
        },
    ),
    "iq3_xxs": Mix(
        "iq3_xxs",
        "q5_k",
        "iq3_s",
        roles={
            "value": Better("iq3_xxs", wide="q4_k"),
            "query": Better("iq2_s"),
            "key": Better("iq2_s"),
            "output": Better("iq3_s"),
        },
    ),
    "iq2_m": _low("iq2_s", "iq3_s", "iq3_s", "iq3_s", "iq3_s"),
    "iq2_s": _low("iq2_xs", "iq3_s", "iq3_s", "iq3_s", "iq3_s"),
    "iq2_xs": _low("iq2_xs", "q2_k", "iq2_xs", "q2_k", "q2_k"),
    "iq2_xxs": _low("iq2_xxs", "q2_k", "iq2_xxs", "q2_k", "q2_k"),
    "iq1_m": _low("iq1_m", "q2_k", "iq2_xxs", "q2_k", "q2_k"),
    "iq1_s": _low("iq1_s", "q2_k", "iq2_xxs", "q2_k", "q2_k"),
    "gguf-mxfp4": Mix("q8_0", "q8_0"),
}

_INSTEAD = {"q4_k": "q5_0", "q5_k": "q5_1", "q6_k": "q8_0"}
"""What a tensor gets whose rows are not a multiple of 256; every other one gets iq4_nl."""

_EIGHT_EXPERTS = {"value": "q8_0", "key": "q8_0", "output": "q5_k"}
"""A model of exactly eight experts spends more on its attention, which is small beside them."""


def shares(
    mix: Mix, role: str, *, layers: int, queries_per_key: float, experts: int, columns: int
) -> tuple[Share, ...]:
    """Encodings of the tensors of one role, each with the share of the layers that have it.

    Parameters: mix; role; layers that have the tensor; queries_per_key, N_q / N_kv; experts routed
    among, 0 for none; columns of the tensor.

    >>> llama = {"layers": 32, "queries_per_key": 4, "experts": 0, "columns": 14336}
    >>> shares(GGUF_MIXES["q4_k_m"], "down", **llama)
    ((0.5, 'q6_k'), (0.5, 'q4_k'))
    """
    better = mix.roles.get(role)
    if experts == 8 and role in _EIGHT_EXPERTS and mix.base not in ("fp16", "bf16", "q8_0", "q6_k"):
        better = Better(_EIGHT_EXPERTS[role])
    if better is None:
        return ((1.0, fitting(mix.base, columns)),)
    wide = better.wide and (queries_per_key >= 4 or experts >= 4)
    encoding = better.wide if wide else better.encoding
    share = _share_of(better.layers, layers)
    parts = ((share, encoding), (1.0 - share, better.rest or mix.base))
    return tuple((part, fitting(name, columns)) for part, name in parts if part > 0)


def fitting(encoding: str, columns: int) -> str:
    """The encoding, or what the quantiser falls back to when its blocks do not fill a row."""
    if encoding in ("fp16", "bf16"):
        return encoding
    narrow = columns % 32
    if encoding in ("q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "iq4_nl", "gguf_mxfp4"):
        return "fp16" if narrow else encoding
    if columns % 256 == 0:
        return encoding
    return "fp16" if narrow else _INSTEAD.get(encoding, "iq4_nl")


def _share_of(layers: Layers, count: int) -> float:
    chosen: Callable[[int], bool] = {
        "all": lambda i: True,
        "more": lambda i: i < count // 8 or i >= 7 * count // 8 or (i - count // 8) % 3 == 2,
        "first_2": lambda i: i < 2,
        "first_4": lambda i: i < 4,
        "first_16th": lambda i: i < count // 16,
        "first_8th": lambda i: i < count // 8,
        "middle": lambda i: count // 8 <= i < 7 * count // 8,
    }[layers]
    return sum(map(chosen, range(count))) / count
