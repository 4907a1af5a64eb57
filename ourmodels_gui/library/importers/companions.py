"""Which stored tensors belong to which weight: scales, zero points and the order of groups."""

from collections.abc import Iterable, Iterator

from .safetensors import Raw

_BESIDE: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((suffix, (".qweight", ".weight")) for suffix in (".qzeros", ".scales", ".g_idx", ".biases")),
    *(
        (f".weight{suffix}", (".weight_packed", ".weight"))
        for suffix in (
            "_scale_inv",
            "_scale_2",
            "_scale",
            "_zero_point",
            "_global_scale",
            "_g_idx",
            "_shape",
            "_format",
        )
    ),
    *(
        (suffix, (".weight", ".weight_packed"))
        for suffix in (
            ".input_scale",
            ".input_global_scale",
            ".input_zero_point",
            ".activation_scale",
            ".output_scale",
            ".pre_quant_scale",
            ".scale",
            ".SCB",
            ".k_scale",
            ".v_scale",
            ".q_scale",
        )
    ),
    (".absmax", ("",)),
    (".quant_map", ("",)),
    (".nested_absmax", ("",)),
    (".nested_quant_map", ("",)),
    (".quant_state.bitsandbytes__nf4", ("",)),
    (".quant_state.bitsandbytes__fp4", ("",)),
    ("_scales", ("_blocks",)),
    ("_scale_inv", ("",)),
    ("_weight_scale_2", ("_weight", "")),
    ("_weight_scale", ("_weight", "")),
    ("_input_scale", ("_weight", "")),
    ("_scale", ("",)),
)
"""Ending of a tensor that belongs to another -> endings that the other may have instead."""

_ENDINGS = tuple(ending for ending, _ in _BESIDE)

Beside = dict[str, Raw]
"""What belongs to a weight, by what it is."""


def with_companions(raws: Iterable[Raw]) -> Iterator[tuple[Raw, Beside]]:
    """The weights of a checkpoint, each with what belongs to it."""
    by_name = {raw.name: raw for raw in raws}
    owned: dict[str, Beside] = {}
    companions: set[str] = set()
    for name, raw in by_name.items():
        found = _owner(name, by_name)
        if found is not None:
            owner, what = found
            owned.setdefault(owner, {})[what] = raw
            companions.add(name)
    for name, raw in by_name.items():
        if name not in companions:
            yield raw, owned.get(name, {})


def _owner(name: str, by_name: dict[str, Raw]) -> tuple[str, str] | None:
    """The tensor that this one belongs to, and as what."""
    if not name.endswith(_ENDINGS):
        return None
    for ending, owners in _BESIDE:
        if name.endswith(ending):
            stem = name[: -len(ending)]
            for owner in owners:
                if stem and stem + owner in by_name and stem + owner != name:
                    return stem + owner, ending.lstrip("._")
    return None
