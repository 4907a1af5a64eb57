"""Sense checks over compute rates; see `check`."""

import re
from collections.abc import Iterator, Mapping

from ..inline import ArithmeticMode
from ..language import tr
from ..problem import BadInput
from .check_machine import Fault
from .hardware import HardwareRecord
from .records import Quantity, si

PROPORTIONS: tuple[tuple[ArithmeticMode, ArithmeticMode, float, float], ...] = (
    ("bf16_fp32acc", "fp16_fp32acc", 0.5, 1.0),
    ("fp16_fp32acc", "fp16_fp16acc", 0.5, 1.0),
    ("tf32_fp32acc", "bf16_fp32acc", 0.25, 0.5),
    ("fp8_fp32acc", "bf16_fp32acc", 1.0, 2.0),
    ("fp8_fp16acc", "fp16_fp16acc", 1.0, 2.0),
    ("mxfp8_fp32acc", "fp16_fp16acc", 1.0, 2.0),
    ("mxfp8_fp32acc", "fp8_fp32acc", 1.0, 2.0),
    ("fp4_fp32acc", "mxfp8_fp32acc", 1.0, 2.0),
    ("int8_int32acc", "fp16_fp32acc", 0.5, 4.0),
    ("int8_int32acc", "fp16_fp16acc", 0.5, 2.0),
    ("int4_int32acc", "int8_int32acc", 1.0, 2.0),
    ("fp16_vector", "fp32", 1 / 64, 4.0),
    ("fp32_matrix", "fp32", 0.5, 2.0),
)
"""A mode, another, and the least and the most that their dense rates can differ by."""

DENSE_FP16: dict[str, float] = {
    "Volta": 1024,
    "Turing": 1024,
    "GA100": 2048,
    "GA10B": 2048,
    "Ampere": 1024,
    "Ada Lovelace": 1024,
    "Hopper": 4096,
    "Blackwell": 8192,
    "Blackwell 2.0": 1024,
    "RDNA 3.0": 512,
    "RDNA 3/3.5": 512,
    "RDNA 4.0": 1024,
    "CDNA 1.0": 1024,
    "CDNA 2.0": 1024,
    "CDNA 3.0": 2048,
    "CDNA 4.0": 4096,
    "Xe-HPG": 2048,
    "Xe2-HPG": 2048,
    "Xe2/Xe3-LPG": 2048,
    "Xe-HPC": 4096,
}
"""The most dense FP16 FLOP that one unit of a chip or an architecture does in a clock."""

DERIVATION = re.compile(r"^([\d.]+) .+ x ([\d.]+) F?L?OP per clock x ([\d.]+) MHz$")
LAPTOP = re.compile(r" Laptop( \d+GB)?( \(.+\))?$")


def modes_in_proportion(record: HardwareRecord) -> Iterator[Fault]:
    """Dense rates of two modes stand in the proportion of their formats.

    Four times instead of twice means that a figure with 2:4 sparsity slipped in.
    """
    for faster, slower, least, most in PROPORTIONS:
        if faster not in record.compute or slower not in record.compute:
            continue
        ratio = record.compute[faster].value / record.compute[slower].value
        if not 0.96 * least <= ratio <= 1.04 * most:
            suspect = faster if ratio > most else slower
            message = tr(
                "{faster} is {ratio:.3g} times {slower}, where {least:g} to {most:g} is "
                "possible; halve a sparse figure, or correct either"
            ).format(faster=faster, ratio=ratio, slower=slower, least=least, most=most)
            yield f"compute.{suspect}", message


def no_sparse_rates(record: HardwareRecord) -> Iterator[Fault]:
    """FP16 and BF16 rates are within what the units can do in a clock without sparsity."""
    clock = record.matrix_clock or record.clock
    per_clock = DENSE_FP16.get(record.chip[:5]) or DENSE_FP16.get(record.architecture)
    if record.units is None or clock is None or per_clock is None:
        return
    try:
        most = record.units.value * per_clock * si(clock, "Hz", "clock") / 1e12
    except BadInput:
        return
    for mode in ("fp16_fp32acc", "bf16_fp32acc", "fp16_fp16acc"):
        figure = record.compute.get(mode)
        if figure is not None and figure.value > 1.05 * most:
            message = tr(
                "{value:g} {unit} is {ratio:.2g} times what {count:g} {units} can do "
                "densely; write {most:.4g}"
            ).format(
                value=figure.value,
                unit=figure.unit,
                ratio=figure.value / most,
                count=record.units.value,
                units=record.units.unit,
                most=most,
            )
            yield f"compute.{mode}", message


def derivations_give_values(record: HardwareRecord) -> Iterator[Fault]:
    """A rate written out as units x operations per clock x clock has that value within 1 %."""
    for mode, figure in record.compute.items():
        match = DERIVATION.match(figure.where)
        if match is None:
            continue
        units, per_clock, clock = (float(number) for number in match.groups())
        product = units * per_clock * clock * 1e-6
        if abs(product / figure.value - 1) > 0.01:
            yield (
                f"compute.{mode}",
                tr("its derivation gives {product:.4g}; write that").format(product=product),
            )
        parts = ((record.units, units), (record.matrix_clock or record.clock, clock))
        for part, number in parts:
            known = (part, record.clock) if part is not record.units else (part,)
            if part is not None and all(p is None or p.value != number for p in known):
                message = tr(
                    "its derivation uses {number:g}, the file has {value:g} {unit}"
                ).format(number=number, value=part.value, unit=part.unit)
                yield (
                    f"compute.{mode}.where",
                    tr("{message}; make them agree").format(message=message),
                )


def measured_below_limits(record: HardwareRecord) -> Iterator[Fault]:
    """A sustained figure does not exceed the limit it is measured against by more than 2 %."""
    for name, figure in record.measured.items():
        limit = record.memory.bandwidth if name == "bandwidth" else record.compute.get(name)
        if limit is None:
            continue
        quantity: Quantity = "bytes/s" if name == "bandwidth" else "FLOP/s"
        try:
            ratio = si(figure, quantity, name) / si(limit, quantity, name)
        except BadInput:
            continue
        if ratio > 1.02:
            message = tr(
                "{value:g} {unit} exceeds the limit of {limit:g} {limit_unit}; one of them "
                "belongs to another part, mode or clock"
            ).format(value=figure.value, unit=figure.unit, limit=limit.value, limit_unit=limit.unit)
            yield f"measured.{name}", message


def laptops_below_desktops(
    records: Mapping[str, HardwareRecord],
) -> Iterator[tuple[str, str, str]]:
    """A laptop part is no faster than the desktop part of the same name."""
    for place, laptop in records.items():
        if "laptop" not in laptop.forms or not LAPTOP.search(laptop.name):
            continue
        name = LAPTOP.sub("", laptop.name)
        same = re.compile(rf"{re.escape(name)}( \d+GB)?( \(.+\))?$")
        desktops = [r for r in records.values() if "desktop" in r.forms and same.match(r.name)]
        if not desktops:
            continue
        pairs = [
            ("memory.bandwidth", laptop.memory.bandwidth, [d.memory.bandwidth for d in desktops])
        ]
        pairs += [
            (f"compute.{mode}", figure, [d.compute[mode] for d in desktops if mode in d.compute])
            for mode, figure in laptop.compute.items()
        ]
        for key, figure, limits in pairs:
            if limits and figure.value > 1.02 * max(limit.value for limit in limits):
                message = tr(
                    "{value:g} {unit} is more than the desktop part of the same name has "
                    "({most:g}); the figures may be its"
                ).format(
                    value=figure.value,
                    unit=figure.unit,
                    most=max(limit.value for limit in limits),
                )
                yield place, key, message


RATE_CHECKS = (
    modes_in_proportion,
    no_sparse_rates,
    derivations_give_values,
    measured_below_limits,
)
