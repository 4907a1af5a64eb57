"""The shape of a hardware file, and the machines one can choose from it."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, field

from ..engine.setup import Machine
from ..inline import ArithmeticMode
from ..language import mark, tr
from ..problem import BadInput
from .records import CatalogStruct, Fact, Figure, si

Kind = Literal["discrete", "unified", "datacenter", "cpu"]
Form = Literal[
    "desktop",
    "laptop",
    "workstation",
    "server",
    "mini-pc",
    "handheld",
    "phone",
    "tablet",
    "board",
    "accelerator-card",
]
MODES: dict[ArithmeticMode, tuple[str, str, str]] = {
    "fp32": ("FP32", "FP32", mark("vector unit")),
    "fp32_matrix": ("FP32", "FP32", mark("matrix unit")),
    "fp16_vector": ("FP16", "FP16", mark("vector unit")),
    "tf32_fp32acc": ("TF32", "FP32", mark("matrix unit")),
    "fp16_fp16acc": ("FP16", "FP16", mark("matrix unit")),
    "fp16_fp32acc": ("FP16", "FP32", mark("matrix unit")),
    "bf16_fp32acc": ("BF16", "FP32", mark("matrix unit")),
    "fp8_fp16acc": ("FP8", "FP16", mark("matrix unit")),
    "fp8_fp32acc": ("FP8", "FP32", mark("matrix unit")),
    "mxfp8_fp32acc": (mark("MXFP8, block-scaled"), "FP32", mark("matrix unit")),
    "int8_int32acc": ("INT8", "INT32", mark("matrix unit or dot product")),
    "int4_int32acc": ("INT4", "INT32", mark("matrix unit or dot product")),
    "fp4_fp32acc": (mark("FP4, block-scaled"), "FP32", mark("matrix unit")),
    "blockfp8": ("BLOCKFP8", mark("not stated"), mark("matrix unit")),
}
"""Operand format, accumulation format and the unit that computes, by mode id. All are dense."""

Id = Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$", max_length=100)]
Name = Annotated[str, Meta(min_length=1, max_length=120)]


class Memory(CatalogStruct, frozen=True):
    """One kind of memory on one interface; type, bus and data rate share their source.

    bandwidth: the catalog figure, R. bus_width: bits. data_rate: per pin. channels: of 64 bits.
    """

    type: str
    bandwidth: Figure
    bus_width: Figure | None = None
    data_rate: Figure | None = None
    channels: Annotated[int, Meta(ge=1)] | None = None


class Configuration(CatalogStruct, frozen=True):
    """One memory size that can be chosen.

    id: what scenarios name; it never changes. The file's stem, or the stem and a suffix.
    capacity: what is physically there, or what the device itself reports. marketed: as sold.
    default_share: what the system lets the accelerator use unless told otherwise.
    memory: where this size has another memory than the record's.
    """

    id: Id
    capacity: Figure
    marketed: Figure | None = None
    default_share: Figure | None = None
    memory: Memory | None = None


class Price(Figure, frozen=True, kw_only=True):
    """What it cost, with the currency as unit, at a date ("" when unknown).

    kind: launch = the maker's price at launch; street = what shops asked; kit = a board or system
    around the part.
    """

    date: str = ""
    kind: Literal["launch", "street", "kit"] = "launch"


class Link(Fact, frozen=True, kw_only=True):
    """A way to other devices; bandwidth is the sum of both directions."""

    bandwidth: Figure | None = None


class HardwareRecord(CatalogStruct, frozen=True):
    """One device, as its file under `catalog/hardware` or in the user's folder holds it.

    compute: dense rates by mode id. measured: sustained figures, "bandwidth" or a mode id.
    units, clock, matrix_clock: what derived rates are computed from.
    exceptions: why a check (its name) does not apply here.
    replaced_by: id to use instead of this record's.
    """

    name: Name
    vendor: Name
    kind: Kind
    memory: Memory
    configurations: Annotated[tuple[Configuration, ...], Meta(min_length=1)]
    forms: tuple[Form, ...] = ()
    architecture: str = ""
    chip: str = ""
    released: Fact | None = None
    announced: bool = False
    compute: dict[ArithmeticMode, Figure] = field(default_factory=dict)
    measured: dict[ArithmeticMode | Literal["bandwidth"], Figure] = field(default_factory=dict)
    units: Figure | None = None
    clock: Figure | None = None
    matrix_clock: Figure | None = None
    power: Figure | None = None
    price: Price | None = None
    interconnect: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    exceptions: dict[str, str] = field(default_factory=dict)
    replaced_by: str = ""


class MachineEntry(msgspec.Struct, frozen=True):
    """One machine that can be chosen: a hardware record with one of its memory configurations.

    kind: "discrete", "unified", "datacenter" or "cpu"; decides the default overhead.
    memory: capacity as its source prints it. machine: the same in SI, with the resource limits.
    measured: sustained figures in SI by "bandwidth" or mode id, apart from the limits.
    default_share_bytes: what the system lets the accelerator use unless told otherwise, or None.
    yours: it comes from the user's folder. place: its file. stamp: what the file held when read.
    """

    id: str
    name: str
    vendor: str
    kind: Kind
    memory: Figure
    machine: Machine
    record: HardwareRecord
    measured: dict[str, float] = {}
    default_share_bytes: float | None = None
    yours: bool = False
    place: str = ""
    stamp: str = ""


def size_label(configuration: Configuration) -> str:
    """The memory size as it is sold.

    >>> size_label(Configuration("x", Figure(128, "GiB")))
    '128 GB'
    """
    size = configuration.marketed or configuration.capacity
    return f"{size.value:g} {size.unit.replace('i', '')}"


def machine_entries(
    record: HardwareRecord, *, yours: bool = False, place: str = "", stamp: str = ""
) -> tuple[MachineEntry, ...]:
    """Every machine of a record, one for each memory configuration, in SI units.

    Raises BadInput with the key's path for a unit that does not belong or an absurd value.
    References: formulation, "Memory power" and "Arithmetic modes" of prefill.
    """
    compute: dict[str, float] = {
        m: si(f, "FLOP/s", f"compute.{m}") for m, f in record.compute.items()
    }
    measured: dict[str, float] = {
        m: si(f, "bytes/s" if m == "bandwidth" else "FLOP/s", f"measured.{m}")
        for m, f in record.measured.items()
    }
    base_bandwidth = si(record.memory.bandwidth, "bytes/s", "memory.bandwidth")
    several = len(record.configurations) > 1
    entries: list[MachineEntry] = []
    for index, size in enumerate(record.configurations):
        key = f"configurations[{index}]"
        bandwidth = base_bandwidth
        if size.memory is not None:
            bandwidth = si(size.memory.bandwidth, "bytes/s", f"{key}.memory.bandwidth")
        capacity = si(size.capacity, "bytes", f"{key}.capacity")
        share = None
        if size.default_share is not None:
            share = si(size.default_share, "bytes", f"{key}.default_share")
        if any(entry.id == size.id for entry in entries):
            raise BadInput(
                f"{key}.id", tr("“{id}” stands twice; give each size its own id").format(id=size.id)
            )
        entries.append(
            MachineEntry(
                id=size.id,
                name=f"{record.name}, {size_label(size)}" if several else record.name,
                vendor=record.vendor,
                kind=record.kind,
                memory=size.capacity,
                machine=Machine(capacity, bandwidth, compute),
                record=record,
                measured=measured,
                default_share_bytes=share,
                yours=yours,
                place=place,
                stamp=stamp,
            )
        )
    return tuple(entries)
