"""Sense checks over one machine: units, memory, dates and price; see `check`.

Each takes a record and yields (key, message) for every fault.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date

from ..language import tr
from ..problem import BadInput
from .hardware import HardwareRecord, Memory, machine_entries
from .records import UNITS, Figure, Quantity, si

Fault = tuple[str, str]

CURRENCIES = {"USD", "EUR", "GBP", "CNY", "JPY"}
DRAM = re.compile(r"DDR|HBM")
CARRIED = {"laptop", "handheld", "phone", "tablet"}


def units_fit(record: HardwareRecord) -> Iterator[Fault]:
    """Every figure carries a unit of its quantity and a value a machine can have."""
    try:
        machine_entries(record)
    except BadInput as bad:
        yield bad.problem.key, bad.problem.message
    quantities: list[tuple[str, Figure | None, Quantity]] = [
        ("units", record.units, "units"),
        ("clock", record.clock, "Hz"),
        ("matrix_clock", record.matrix_clock, "Hz"),
        ("power", record.power, "W"),
    ]
    for key, memory in _memories(record):
        quantities.append((f"{key}.bus_width", memory.bus_width, "bit"))
        quantities.append((f"{key}.data_rate", memory.data_rate, "bit/s"))
    for key, figure, quantity in quantities:
        if figure is not None:
            try:
                si(figure, quantity, key)
            except BadInput as bad:
                yield bad.problem.key, bad.problem.message
    for mode, figure in (record.compute | record.measured).items():
        wanted = "TOP/s" if mode.startswith("int") else "TFLOP/s"
        if figure.unit in UNITS["FLOP/s"] and ("FLOP" in figure.unit) != ("FLOP" in wanted):
            key = "compute" if mode in record.compute else "measured"
            yield (
                f"{key}.{mode}.unit",
                tr("rates of {mode} are counted in {wanted}").format(mode=mode, wanted=wanted),
            )


def bandwidth_follows_bus(record: HardwareRecord) -> Iterator[Fault]:
    """Bus width times data rate is the bandwidth within 2 %."""
    for key, memory in _memories(record):
        if memory.bus_width is None or memory.data_rate is None:
            continue
        product = memory.bus_width.value * memory.data_rate.value / 8
        printed = memory.bandwidth.value * UNITS["bytes/s"].get(memory.bandwidth.unit, 1e9) / 1e9
        if abs(product / printed - 1) > 0.02:
            message = tr(
                "{bits:g} bit x {rate:g} Gbit/s / 8 is {product:g} GB/s, not "
                "{printed:g}; write that, or correct bus or data rate"
            ).format(
                bits=memory.bus_width.value,
                rate=memory.data_rate.value,
                product=product,
                printed=printed,
            )
            yield f"{key}.bandwidth", message


def channels_fill_bus(record: HardwareRecord) -> Iterator[Fault]:
    """A platform's memory channels are 64 bits wide each."""
    for key, memory in _memories(record):
        if memory.channels and memory.bus_width and memory.type.startswith(("DDR", "MRDIMM")):
            expected = 64 * memory.channels
            if memory.bus_width.value != expected:
                yield (
                    f"{key}.bus_width",
                    tr("{channels} channels make {expected} bit").format(
                        channels=memory.channels, expected=expected
                    ),
                )


def capacity_as_marketed(record: HardwareRecord) -> Iterator[Fault]:
    """Capacity lies between nine tenths of the marketed decimal figure and its reading in GiB."""
    for index, size in enumerate(record.configurations):
        key = f"configurations[{index}].capacity"
        memory = size.memory or record.memory
        if size.capacity.unit == "GB" and DRAM.search(memory.type):
            yield (
                f"{key}.unit",
                tr("makers count {type} in binary units; write GiB").format(type=memory.type),
            )
        if size.marketed is None or size.marketed.unit not in ("GB", "TB"):
            continue
        try:
            held = si(size.capacity, "bytes", key)
        except BadInput:
            continue
        sold = size.marketed.value * UNITS["bytes"][size.marketed.unit]
        most = size.marketed.value * (2**40 if size.marketed.unit == "TB" else 2**30)
        if not 0.9 * sold <= held <= 1.0001 * most:
            message = tr(
                "{value:g} {unit} cannot be sold as {sold:g} {sold_unit}; correct one of them"
            ).format(
                value=size.capacity.value,
                unit=size.capacity.unit,
                sold=size.marketed.value,
                sold_unit=size.marketed.unit,
            )
            yield key, message


def sizes_ascend(record: HardwareRecord) -> Iterator[Fault]:
    """Memory sizes differ and stand in ascending order."""
    sizes = [size.capacity.value for size in record.configurations]
    for index in range(1, len(sizes)):
        if sizes[index] <= sizes[index - 1]:
            message = tr("sizes stand in ascending order, each once; move or remove this one")
            yield f"configurations[{index}].capacity", message


def share_within_capacity(record: HardwareRecord) -> Iterator[Fault]:
    """The accelerator's default share is a part of the memory, on a system that shares it."""
    for index, size in enumerate(record.configurations):
        share = size.default_share
        if share is None:
            continue
        key = f"configurations[{index}].default_share"
        try:
            part = si(share, "bytes", key) / si(size.capacity, "bytes", key)
        except BadInput as bad:
            yield bad.problem.key, bad.problem.message
            continue
        if not 0.05 <= part <= 1:
            yield (
                key,
                tr("a share of {part:.0%} of the memory is not plausible; check the unit").format(
                    part=part
                ),
            )
        if record.kind != "unified":
            yield (
                key,
                tr("a {kind} machine does not share its memory; remove this").format(
                    kind=record.kind
                ),
            )


WRITTEN = date(2026, 11, 30)
"""No clock that shows an earlier day is right."""


def dates_sane(record: HardwareRecord) -> Iterator[Fault]:
    """Dates are dates of this field; what is only announced has no day of release."""
    if record.released is not None:
        day = day_of(record.released.text)
        if day is None:
            yield "released.text", tr("write a date as 2024-10-30 or 2024-10")
        elif not date(2010, 1, 1) <= day <= max(date.today(), WRITTEN):
            yield (
                "released.text",
                tr("{day} is not plausible; correct it, or set `announced`").format(day=day),
            )
        if record.announced:
            yield "released", tr("a part that is only announced has no date of release; remove one")
    if record.price is not None and record.price.date and day_of(record.price.date) is None:
        yield "price.date", tr("write a date as 2024-10-30 or 2024-10")


def price_plausible(record: HardwareRecord) -> Iterator[Fault]:
    """A price is in a known currency and lies between 20 and 5 million."""
    price = record.price
    if price is None:
        return
    if price.unit not in CURRENCIES:
        yield "price.unit", f"write a currency: {', '.join(sorted(CURRENCIES))}"
    if not 20 <= price.value <= 5_000_000:
        yield (
            "price.value",
            tr("{value:g} {unit} is not the price of a machine").format(
                value=price.value, unit=price.unit
            ),
        )


def power_plausible(record: HardwareRecord) -> Iterator[Fault]:
    """One device draws between 1 W and 2 kW, one that is carried about no more than 300 W."""
    if record.power is None:
        return
    try:
        watts = si(record.power, "W", "power")
    except BadInput:
        return
    most = 300.0 if record.forms and CARRIED.issuperset(record.forms) else 2000.0
    if not 1.0 <= watts <= most:
        yield (
            "power",
            tr("{watts:g} W is not the power of one such device; check the unit").format(
                watts=watts
            ),
        )


MACHINE_CHECKS: tuple[Callable[[HardwareRecord], Iterator[Fault]], ...] = (
    units_fit,
    bandwidth_follows_bus,
    channels_fill_bus,
    capacity_as_marketed,
    sizes_ascend,
    share_within_capacity,
    dates_sane,
    price_plausible,
    power_plausible,
)


def day_of(text: str) -> date | None:
    """The date, or the first day of the month; None for anything else."""
    try:
        return date.fromisoformat(text if text.count("-") != 1 else f"{text}-01")
    except ValueError:
        return None


def _memories(record: HardwareRecord) -> Iterator[tuple[str, Memory]]:
    yield "memory", record.memory
    for index, size in enumerate(record.configurations):
        if size.memory is not None:
            yield f"configurations[{index}].memory", size.memory
