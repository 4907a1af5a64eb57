"""What a config says of how its weights are packed, by whichever tool packed them."""

from typing import Any

import msgspec

from .config_json import Fields


class Scheme(msgspec.Struct, frozen=True):
    """Bits of a value and values of a group, 0 where the config does not say. mode: MLX's word."""

    bits: int = 0
    group: int = 0
    mode: str = ""


class Packing(msgspec.Struct, frozen=True):
    """How the weights of one release are packed.

    method: the tool's own word. schemes: all that occur, the main one first. by_module: modules
    with a scheme of their own.
    """

    method: str = ""
    schemes: tuple[Scheme, ...] = ()
    by_module: dict[str, Scheme] = {}

    def of(self, module: str) -> Scheme:
        """The scheme of one module, by its name without `.weight`."""
        return self.by_module.get(module) or (self.schemes[0] if self.schemes else Scheme())


def packing_of(config: dict[str, Any], place: str) -> Packing:
    """Read `quantization` (MLX), `quantization_config` or `compression_config`.

    Raises BadInput when a number in it cannot be.
    """
    fields = Fields(config, place)
    mlx = fields.inside("quantization")
    if mlx is not None and "group_size" in mlx.values:
        return _mlx(mlx)
    found = fields.inside("quantization_config", "compression_config")
    if found is None:
        for inner in ("text_config", "llm_config", "language_config"):
            nested = fields.inside(inner)
            found = nested and nested.inside("quantization_config", "compression_config")
            if found is not None:
                break
    if found is None:
        return Packing()
    if "group_size" in found.values and "quant_method" not in found.values:
        return _mlx(found)
    return Packing(found.text("quant_method", "quant_algo") or "", _schemes(found))


def _schemes(found: Fields) -> tuple[Scheme, ...]:
    groups = found.inside("config_groups")
    if groups is None:
        bits = found.count("bits", "w_bit", "num_bits", zero=True) or 0
        return (Scheme(bits, _group(found, "group_size", "q_group_size")),)
    schemes = []
    for name in groups.values:
        group = groups.inside(name)
        weights = group and group.inside("weights")
        if weights is not None:
            schemes.append(Scheme(weights.count("num_bits") or 0, _group(weights, "group_size")))
    return tuple(schemes)


def _group(found: Fields, *names: str) -> int:
    """A group size; -1 is written for a whole row, which the shapes say better."""
    if any(found.values.get(name) == -1 for name in names):
        return 0
    return found.count(*names, zero=True) or 0


def _mlx(found: Fields) -> Packing:
    modules = {
        name: _mlx_scheme(inner)
        for name, value in found.values.items()
        if isinstance(value, dict) and (inner := found.inside(name)) is not None
    }
    return Packing("mlx", (_mlx_scheme(found),), modules)


def _mlx_scheme(found: Fields) -> Scheme:
    bits, group = found.count("bits") or 0, found.count("group_size") or 0
    return Scheme(bits, group, found.text("mode") or "affine")
