"""A hardware record as the values of a form's fields, and back."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ...language import mark, tr
from ...library.check import check_hardware
from ...library.hardware import MODES, Configuration, HardwareRecord, Memory, Price, machine_entries
from ...library.records import Figure
from ...problem import BadInput

OWN_VENDOR = mark("own")
TERA = "TFLOP/s"
FIELDS = {"capacity.unit": "unit", "price.unit": "currency", "price.value": "price"}
"""Keys of a file whose field has another."""

Values = dict[str, Any]


def values_of(record: HardwareRecord, size: int) -> Values:
    """The record's figures by the key of the field that edits each; rates in TFLOP/s and GB/s."""
    capacity = record.configurations[size].capacity
    memory = record.configurations[size].memory or record.memory
    values: Values = {
        "name": record.name,
        "vendor": record.vendor,
        "kind": record.kind,
        "capacity": capacity.value,
        "unit": capacity.unit,
        "memory.type": memory.type or None,
        "memory.bandwidth": _in(memory.bandwidth, "GB/s"),
        "power": record.power and _in(record.power, "W"),
        "price": record.price and record.price.value,
        "currency": record.price and record.price.unit,
    }
    for mode, rate in record.compute.items():
        values[f"compute.{mode}"] = _in(rate, TERA)
    for name, rate in record.measured.items():
        values[f"measured.{name}"] = _in(rate, "GB/s" if name == "bandwidth" else TERA)
    return {key: value for key, value in values.items() if value is not None}


def record_of(values: Values, original: HardwareRecord | None, size: int) -> HardwareRecord:
    """The record that the fields describe; what no field shows is kept from the original.

    A figure that was not changed keeps its source. Raises BadInput naming the field's key.
    """
    for key, what in (
        ("name", tr("write a name; no answer is possible without it")),
        ("capacity", tr("write how much memory the machine has; no answer is possible without it")),
        ("memory.bandwidth", tr("write the memory's bandwidth; no answer is possible without it")),
    ):
        if not values.get(key):
            raise BadInput(key, what)
    old = values_of(original, size) if original else {}

    def figure(key: str, unit: str, was: Figure | None) -> Figure | None:
        value = values.get(key)
        if value is None:
            return None
        if was is not None and old.get(key) == value and (unit in (was.unit, TERA, "GB/s", "W")):
            return was
        if value <= 0:
            raise BadInput(key, tr("must be above 0; leave it empty when it is unknown"))
        return Figure(value, unit)

    def rates(part: str, known: Mapping[Any, Figure]) -> dict[str, Figure]:
        found = {
            name: figure(f"{part}.{name}", "GB/s" if name == "bandwidth" else TERA, known.get(name))
            for name in ("bandwidth", *MODES)
        }
        return {name: rate for name, rate in found.items() if rate is not None}

    sizes = original.configurations if original else (Configuration("own", Figure(1, "GiB")),)
    own = sizes[size]
    capacity = figure("capacity", values.get("unit", "GiB"), own.capacity if original else None)
    memory = own.memory or (original and original.memory)
    bandwidth = figure("memory.bandwidth", "GB/s", memory.bandwidth if memory else None)
    assert capacity is not None and bandwidth is not None
    kind = values.get("memory.type", "")
    memory = (
        msgspec.structs.replace(memory, type=kind, bandwidth=bandwidth)
        if memory
        else Memory(kind, bandwidth)
    )
    changed = msgspec.structs.replace(own, capacity=capacity)
    if capacity != own.capacity:
        changed = msgspec.structs.replace(changed, marketed=None)
    if own.memory:
        changed = msgspec.structs.replace(changed, memory=memory)
    parts: dict[str, Any] = {
        "name": values["name"],
        "vendor": values.get("vendor") or OWN_VENDOR,
        "kind": values.get("kind", "discrete"),
        "memory": original.memory if original and own.memory else memory,
        "configurations": (*sizes[:size], changed, *sizes[size + 1 :]),
        "compute": rates("compute", original.compute if original else {}),
        "measured": rates("measured", original.measured if original else {}),
        "power": figure("power", "W", original.power if original else None),
        "price": _price(values, original.price if original else None),
    }
    parts["compute"].pop("bandwidth", None)
    record = msgspec.structs.replace(original, **parts) if original else HardwareRecord(**parts)
    try:
        # The same reading as a file's, so that what is saved can be loaded.
        record = msgspec.convert(msgspec.to_builtins(record), HardwareRecord)
        machine_entries(record)
    except msgspec.ValidationError as bad:
        raise BadInput("name", str(bad)) from None
    except BadInput as bad:
        key = bad.problem.key.replace(f"configurations[{size}].", "")
        raise BadInput(key, bad.problem.message) from None
    return record


def cautions(record: HardwareRecord, size: int) -> dict[str, str]:
    """What the sense checks say of a record, by the key of the field each is about.

    size: the memory configuration in the fields; the others are left alone.
    """
    own = f"configurations[{size}]."
    found: dict[str, str] = {}
    for problem in check_hardware({"": record}, None):
        key = problem.key.removeprefix(own)
        if not key.startswith(("configurations[", "exceptions.")):
            found.setdefault(FIELDS.get(key, key), problem.message)
    return found


def _in(figure: Figure, unit: str) -> float:
    """A figure in the unit of its field."""
    factors = {"TB/s": 1e3, "MB/s": 1e-3, "GiB/s": 2.0**30 / 1e9, "kW": 1e3}
    factors |= {"PFLOP/s": 1e3, "POP/s": 1e3, "GFLOP/s": 1e-3}
    return figure.value * (1.0 if figure.unit == unit else factors.get(figure.unit, 1.0))


def _price(values: Values, was: Price | None) -> Price | None:
    value, currency = values.get("price"), values.get("currency")
    if value is None:
        return None
    if value <= 0:
        raise BadInput("price", tr("must be above 0; leave it empty when it is unknown"))
    if not currency:
        raise BadInput("currency", tr("write the price's currency, such as EUR or USD"))
    if was is not None and (was.value, was.unit) == (value, currency):
        return was
    return Price(value, currency, kind="street")
