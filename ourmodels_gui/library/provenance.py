"""Where each figure of a machine or a model comes from, in words, one row for each."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ..language import mark, tr
from ..spoken import spoken
from ..units import ENGLISH, Separators, number
from .check import evidence_of
from .hardware import MODES, MachineEntry, Price, size_label
from .load import ModelEntry
from .models import ModelRecord, active_parameters, parameters, total_parameters
from .records import Evidence, Fact, Figure, Source


class Provenance(msgspec.Struct, frozen=True):
    """One figure or fact with what it rests on.

    source: the title; place: where it can be found; where: the row, the page or the computation;
    read: the day it was read. also: titles of further sources that give the same.
    """

    name: str
    value: str
    unit: str = ""
    basis: str = ""
    source: str = ""
    place: str = ""
    where: str = ""
    read: str = ""
    note: str = ""
    also: tuple[str, ...] = ()


class Told(msgspec.Struct, frozen=True):
    """Everything that is known of where an entry's figures come from.

    conflicts: disputes between sources. notes: what else its file says.
    """

    title: str
    rows: tuple[Provenance, ...]
    conflicts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


NAMES = {
    "capacity": mark("memory"),
    "marketed": mark("memory as sold"),
    "default_share": mark("default share of the accelerator"),
    "memory.bandwidth": mark("bandwidth"),
    "memory.bus_width": mark("bus width"),
    "memory.data_rate": mark("data rate of a pin"),
    "released": mark("release date"),
    "units": mark("compute units"),
    "clock": mark("clock"),
    "matrix_clock": mark("clock of the matrix units"),
    "power": mark("power"),
    "price": mark("price"),
}


def of_machine(
    entry: MachineEntry, sources: Mapping[str, Source], separators: Separators = ENGLISH
) -> Told:
    """Every figure of the machine's own memory size, of its rates, and of the device."""
    record = entry.record
    own = next(size for size in record.configurations if size.id == entry.id)
    found = [
        *evidence_of(msgspec.structs.replace(own, memory=None)),
        *((f"memory.{key}", what) for key, what in evidence_of(own.memory or record.memory)),
        *(
            (key, what)
            for key, what in evidence_of(record)
            if not key.startswith(("memory.", "configurations["))
        ),
    ]
    rows = tuple(
        row_of(_machine_name(key), what, sources, separators, yours=entry.yours)
        for key, what in found
    )
    notes = record.notes
    if record.announced:
        notes = (tr("Announced, not yet sold."), *notes)
    if len(record.configurations) > 1:
        labels = ", ".join(size_label(size) for size in record.configurations)
        notes = (*notes, tr("Sold with {sizes}.").format(sizes=labels))
    aside = tr("Check {name} set aside: {why}")
    notes += tuple(aside.format(name=name, why=why) for name, why in record.exceptions.items())
    return Told(entry.name, rows, record.conflicts, notes)


def of_model(
    entry: ModelEntry, sources: Mapping[str, Source], separators: Separators = ENGLISH
) -> Told:
    """Every group of facts of a model with its source, and what its audit says."""
    record = entry.record
    rows = (
        *(
            _reference_row(fact, *value, entry, sources)
            for fact, value in _facts(record, separators)
        ),
        *_computed(record, separators),
    )
    audit = record.audit
    audited = audit.status == "audited"
    notes = [tr("This model is audited.") if audited else tr("This model is unaudited.")]
    if audit.missing:
        notes.append(
            tr("Missing: {missing}.").format(missing="; ".join(map(spoken, audit.missing)))
        )
    if audit.explanation:
        notes.append(audit.explanation)
    return Told(entry.name, rows, (), (*notes, *record.notes))


def as_text(told: Told) -> str:
    """All of it in plain lines, to copy."""
    lines = [told.title, ""]
    for row in told.rows:
        lines += [*details(row), ""]
    for title, sentences in (
        (tr("Known conflicts"), told.conflicts),
        (tr("Notes"), told.notes),
    ):
        if sentences:
            lines += [title, *(f"- {sentence}" for sentence in sentences), ""]
    return "\n".join(lines).rstrip() + "\n"


def details(row: Provenance) -> list[str]:
    """One figure with its evidence in full, line by line.

    >>> details(Provenance("power", "575", "W", "published", "Sheet", read="2026-01-30"))
    ['power: 575 W, published', '  source: Sheet', '  read: 2026-01-30']
    """
    value = f"{row.value} {row.unit}".rstrip()
    parts: Sequence[tuple[str, str]] = (
        (tr("source"), row.source),
        (tr("place"), row.place),
        (tr("where"), row.where),
        (tr("read"), row.read),
        (tr("also in"), "; ".join(row.also)),
        (tr("note"), row.note),
    )
    head = f"{row.name}: {value}{f', {tr(row.basis)}' if row.basis else ''}"
    return [head, *(f"  {name}: {words}" for name, words in parts if words)]


def _machine_name(key: str) -> str:
    part, _, name = key.partition(".")
    if part in ("compute", "measured"):
        if name in MODES:
            operands, accumulator, unit = MODES[name]
            words = tr("{operands}, {accumulator} accumulation")
            if unit == "vector unit":
                words = tr("{operands}, {accumulator} accumulation, vector unit")
            name = words.format(operands=tr(operands), accumulator=tr(accumulator))
        words = tr("rate {mode}") if part == "compute" else tr("measured {mode}")
        return words.format(mode=tr(name))
    if part.startswith("interconnect"):
        return tr("interconnect, bandwidth") if name else tr("interconnect")
    return tr(NAMES.get(key, key.replace("_", " ")))


def row_of(
    name: str,
    what: Evidence,
    sources: Mapping[str, Source],
    separators: Separators = ENGLISH,
    *,
    yours: bool,
) -> Provenance:
    """One figure or fact. Parameters: yours, whether it may have no source."""
    value, unit, note = "", "", what.note
    if isinstance(what, Figure):
        value, unit = figure_text(what.value, separators), what.unit
    elif isinstance(what, Fact):
        value = what.text
    if isinstance(what, Price):
        kind = {
            "launch": tr("at launch"),
            "street": tr("asked by shops"),
            "kit": tr("of a whole kit"),
        }
        note = ", ".join(filter(None, (kind[what.kind], what.date, note)))
    title, place, read = _source(what.source, sources, yours)
    return Provenance(
        name, value, unit, what.basis if what.source or not yours else "", title, place,
        what.where, read, note, tuple(_source(one, sources, False)[0] for one in what.also),
    )  # fmt: skip


def figure_text(value: float, separators: Separators) -> str:
    """A figure as a file has it, but for the sign before its decimals.

    >>> figure_text(1792.0, ENGLISH), figure_text(31.5, Separators(".", ","))
    ('1792', '31,5')
    """
    return f"{value:.12g}".replace(".", separators.point)


def _reference_row(
    fact: str, value: str, unit: str, entry: ModelEntry, sources: Mapping[str, Source]
) -> Provenance:
    name = tr(FACTS.get(fact, fact))
    reference = entry.record.sources.get(fact)
    if reference is None:
        return Provenance(name, value, unit, source=_source("", sources, entry.yours)[0])
    title, place, read = _source(reference.source, sources, entry.yours)
    return Provenance(
        name, value, unit, reference.basis, title, place, reference.where, read, reference.note
    )


FACTS = {
    "shapes": mark("tensor shapes"),
    "layers": mark("layers"),
    "context": mark("context limit"),
    "total": mark("published total"),
    "licence": mark("licence"),
    "released": mark("release date"),
}


def _facts(record: ModelRecord, separators: Separators) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each fact that has a source of its own, with its value and unit in words."""
    yield "shapes", (f"{len(record.tensors)}", tr("groups of tensors"))
    if record.layers is not None:
        groups = ", ".join(f"{group.count} {tr(group.kind)}" for group in record.layers)
        yield "layers", (groups, "")
    if record.context_tokens is not None:
        yield "context", (number(record.context_tokens, 0, separators), tr("tokens"))
    if record.published_parameters is not None:
        yield (
            "total",
            (
                number(record.published_parameters, 0, separators),
                tr("parameters"),
            ),
        )
    yield "licence", (record.licence or tr("not known"), "")
    yield "released", (record.released or tr("not known"), "")
    for fact in record.sources:
        if fact not in FACTS:
            yield fact, ("", "")


def _computed(record: ModelRecord, separators: Separators) -> Iterator[Provenance]:
    """What the shapes alone give."""
    counted = {
        tr("computed total"): total_parameters(record),
        tr("of it the text model"): parameters(record),
        tr("used for each token"): active_parameters(record),
    }
    for name, count in counted.items():
        words = tr("the tensor shapes")
        shown = number(count, 0, separators)
        yield Provenance(name, shown, tr("parameters"), "derived", words)


def _source(name: str, sources: Mapping[str, Source], yours: bool) -> tuple[str, str, str]:
    """Title, place and day of a source."""
    if not name:
        return (tr("your own file") if yours else tr("no source")), "", ""
    known = sources.get(name)
    return (name, "", "") if known is None else (known.title, known.place, known.read)
