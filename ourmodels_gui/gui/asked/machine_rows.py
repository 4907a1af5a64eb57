"""A machine as a row of the picker: what it shows, what it is found by, what it rests on."""

from ... import units
from ...language import mark, tr
from ...library.hardware import MachineEntry
from .. import typed
from .search import Facet, Row, searchable, weakest

KINDS = {
    "discrete": mark("graphics card"),
    "unified": mark("unified memory"),
    "datacenter": mark("data-centre accelerator"),
    "cpu": mark("processor and its memory"),
}
FORMS = {
    "desktop": mark("desktop"),
    "laptop": mark("laptop"),
    "workstation": mark("workstation"),
    "server": mark("server"),
    "mini-pc": mark("mini PC"),
    "handheld": mark("handheld"),
    "phone": mark("phone"),
    "tablet": mark("tablet"),
    "board": mark("board"),
    "accelerator-card": mark("accelerator card"),
}
SPOKEN = {
    "discrete": "gpu graphics card",
    "unified": "unified apu soc",
    "datacenter": "gpu data centre center accelerator",
    "cpu": "cpu processor ram",
}
"""Words that people type for a kind."""
SOLD_AS = {
    "Apple": {
        "laptop": "macbook",
        "desktop": "mac studio mac mini imac",
        "tablet": "ipad",
        "phone": "iphone",
    }
}
"""Product names that people type for a maker's chips, by form."""

SIZES = (
    (10, mark("up to 10 GB")),
    (16, mark("11 to 16 GB")),
    (24, mark("17 to 24 GB")),
    (48, mark("25 to 48 GB")),
    (96, mark("49 to 96 GB")),
    (128, mark("97 to 128 GB")),
    (256, mark("129 to 256 GB")),
)
MORE = mark("more than 256 GB")
MADE = (mark("one machine"), mark("several devices"), mark("with system memory"))

STANDINGS = {
    mark("yours"): lambda entry: entry.yours,
    mark("announced only"): lambda entry: entry.record.announced,
    mark("measured rates known"): lambda entry: bool(entry.record.measured),
}

FACETS = (
    Facet("kind", mark("Kind"), tuple(KINDS.values())),
    Facet("made", mark("Made of"), MADE),
    Facet("memory", mark("Memory"), (*(words for _, words in SIZES), MORE)),
    Facet("maker", mark("Maker")),
    Facet("form", mark("Form"), words=FORMS),
    Facet(
        "basis",
        mark("Memory and bandwidth rest on"),
        (mark("published"), mark("derived"), mark("measured"), mark("unverified")),
    ),
    Facet("standing", mark("Standing"), tuple(STANDINGS)),
)


def machine_row(entry: MachineEntry) -> Row:
    """One row; found by name, maker, kind, form, chip, bandwidth, and memory as sold ("24gb")."""
    local = typed.separators()
    value = entry.memory.value
    memory = f"{units.plain(value, local) if value >= 1 else typed.show(value)} {entry.memory.unit}"
    bandwidth = units.bandwidth(entry.machine.bandwidth_bytes_per_s, local)
    record = entry.record
    size = next(one for one in record.configurations if one.id == entry.id)
    type_of_memory = size.memory or record.memory
    basis = weakest((size.capacity.basis, type_of_memory.bandwidth.basis))
    words = searchable(
        entry.name,
        entry.vendor,
        entry.kind,
        SPOKEN[entry.kind],
        tr(KINDS[entry.kind]),
        *record.forms,
        *(SOLD_AS.get(entry.vendor, {}).get(form, "") for form in record.forms),
        record.chip,
        record.architecture,
        type_of_memory.type,
        sizes(entry.memory.value, entry.memory.unit),
        sizes(size.marketed.value, size.marketed.unit) if size.marketed else "",
        f"{entry.machine.bandwidth_bytes_per_s / 1e9:.0f}gb/s",
        *(("announced", tr("announced")) if record.announced else ()),
    )
    both = units.capacity(entry.machine.capacity_bytes, local)
    return Row(
        id=entry.id,
        name=entry.name,
        figures=(_short(entry, memory), _gb_per_s(entry.machine.bandwidth_bytes_per_s)),
        summary=f"{memory} \u00b7 {bandwidth}",
        search=words,
        tip=f"{entry.vendor} {entry.name}\n{both}; {bandwidth}{_marks(entry, basis)}",
        yours=entry.yours,
        basis=basis,
        badge=tr("announced") if record.announced else "",
        facets=_facets(entry, basis),
        short=record.name if entry.name != record.name else "",
    )


def _short(entry: MachineEntry, memory: str) -> str:
    """The memory in a narrow column: thousands of GiB as TiB, of MiB as GiB."""
    if entry.memory.unit == "MiB" and entry.memory.value >= 1024:
        return f"{units.plain(entry.memory.value / 1024, typed.separators())} GiB"
    terabytes = entry.memory.value / 1024
    whole = entry.memory.unit == "GiB" and terabytes >= 1 and (2 * terabytes).is_integer()
    return f"{units.plain(terabytes, typed.separators())} TiB" if whole else memory


def _gb_per_s(bandwidth: float) -> str:
    """The bandwidth in a narrow column, in GB/s: millions of them as such.

    >>> _gb_per_s(1008e9), _gb_per_s(21e15)
    ('1,008', '21M')
    """
    local = typed.separators()
    if bandwidth >= 1e15:
        return f"{units.plain(bandwidth / 1e15, local)}M"
    return units.bandwidth(bandwidth, local).removesuffix(" GB/s")


def sizes(value: float, unit: str) -> str:
    """A size in the ways that it is typed.

    >>> sizes(24, "GiB")
    '24gb 24gib'
    """
    binary = unit.replace("i", "").replace("B", "iB")
    plain = unit.replace("i", "")
    words = f"{value:g}{plain} {value:g}{binary}".casefold()
    if plain == "GB" and value >= 1024 and value % 1024 == 0:
        words += f" {value / 1024:g}tb"
    return words


def _marks(entry: MachineEntry, basis: str) -> str:
    marks = [tr("memory and bandwidth: {basis}").format(basis=tr(basis))]
    if entry.record.announced:
        marks.append(tr("announced only, not yet sold"))
    if entry.yours:
        marks.append(tr("your own"))
    return "\n" + "; ".join(marks)


def memory_facet(capacity_bytes: float) -> str:
    """The range of sizes that a capacity lies in.

    >>> memory_facet(24 * 2**30)
    '17 to 24 GB'
    """
    held = capacity_bytes / 2**30
    return next((words for most, words in SIZES if held <= most), MORE)


def _facets(entry: MachineEntry, basis: str) -> dict[str, tuple[str, ...]]:
    record = entry.record
    return {
        "kind": (KINDS[entry.kind],),
        "made": MADE[:1],
        "memory": (memory_facet(entry.machine.capacity_bytes),),
        "maker": (entry.vendor,),
        "form": record.forms,
        "basis": (basis,),
        "standing": tuple(words for words, holds in STANDINGS.items() if holds(entry)),
    }
