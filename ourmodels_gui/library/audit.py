"""The whole catalog and the user's files at once: what is wrong, what is there, what is disputed.

`check` runs every sense check; `count` and `conflicts` say how the catalog was audited.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..language import tr
from ..problem import BadInput, Problem
from .check import check_hardware, check_links, check_sources, evidence_of, records_of, used_sources
from .check_compositions import check_compositions
from .check_models import check_model
from .hardware import HardwareRecord
from .load import Library, ModelEntry, load
from .parse import parse
from .records import Figure, Source


class Counts(NamedTuple):
    """How much there is, and what it rests on.

    configurations: machines that can be chosen, each memory size on its own. figures: numbers of
    the machines by basis, facts in words left out.
    facts: groups of facts of the models, by basis. compositions: of several devices or pools.
    """

    devices: int
    configurations: int
    models: int
    audited: int
    figures: Mapping[str, int]
    facts: Mapping[str, int]
    sources: int
    compositions: int
    links: int


def check(catalog: Path, user: Path | None = None) -> list[Problem]:
    """Every finding over the shipped files and the user's, ordered by file.

    Parameters: catalog, the shipped folder; user, the user's own. Files that cannot be used are
    among the findings. Places inside the shipped folder are relative to it.
    """
    shipped = load(catalog)
    own = load(catalog, user, strict=True)
    found = list(own.problems)
    sources = dict(_sources_by_file(catalog))
    every = {name: source for listed in sources.values() for name, source in listed.items()}
    machines = records_of(shipped)
    found += check_hardware(machines, every)
    found += check_hardware(records_of(own, yours=True), None)
    for entry in shipped.models.values():
        found += check_model(entry.record, entry.place, every)
    for entry in own.models.values():
        if entry.yours:
            found += check_model(entry.record, entry.place)
    found += replacements_exist(own)
    found += check_links(shipped.links, every)
    found += check_compositions(shipped, every, yours=False)
    found += check_compositions(own, None, yours=True)
    used = used_sources(machines) | used_by_models(shipped) | used_beside(shipped)
    if shipped.problems:  # a file that cannot be read may use the others
        used |= every.keys()
    for place, listed in sources.items():
        found += check_sources(listed, used, place)
    found += _listed_twice(sources)
    return sorted(
        (Problem(_within(catalog, p.place), p.key, p.message) for p in found),
        key=lambda problem: (problem.place, problem.key),
    )


def replacements_exist(library: Library) -> Iterator[Problem]:
    """What an entry says took its place can be chosen, and nothing took the place of that."""
    for known in (library.machines, library.models):
        for entry in {entry.place: entry for entry in known.values()}.values():
            newer = entry.record.replaced_by
            if newer and (newer not in known or known[newer].record.replaced_by):
                message = tr("“{newer}” is no id that can be chosen instead; correct it")
                yield Problem(entry.place, "replaced_by", message.format(newer=newer))


def count(library: Library) -> Counts:
    """Counts of the shipped entries of a library."""
    machines = records_of(library)
    models = [entry for entry in library.models.values() if not entry.yours]
    return Counts(
        devices=len(machines),
        configurations=sum(len(record.configurations) for record in machines.values()),
        models=len(models),
        audited=sum(entry.record.audit.status == "audited" for entry in models),
        figures=_by_basis(machines),
        facts=Counter(
            reference.basis for entry in models for reference in entry.record.sources.values()
        ),
        sources=len(library.sources),
        compositions=sum(not entry.yours for entry in library.compositions.values()),
        links=len(library.links),
    )


def own_entries(library: Library) -> tuple[int, int, int]:
    """How many machines, models and compositions are the user's own."""
    return (
        sum(entry.yours for entry in library.machines.values()),
        sum(entry.yours for entry in library.models.values()),
        sum(entry.yours for entry in library.compositions.values()),
    )


def conflicts(library: Library) -> Iterator[tuple[str, str]]:
    """(name, sentence) of every dispute between sources that a shipped machine's file records."""
    for record in sorted(records_of(library).values(), key=lambda record: record.name):
        for sentence in record.conflicts:
            yield record.name, sentence


def shipped_models(library: Library) -> list[ModelEntry]:
    """The catalog's own models, ordered by name."""
    return sorted(
        (entry for entry in library.models.values() if not entry.yours),
        key=lambda entry: entry.name.lower(),
    )


def used_by_models(library: Library) -> set[str]:
    """Ids of every source that a model's facts name."""
    return {
        reference.source
        for entry in library.models.values()
        for reference in entry.record.sources.values()
    }


def used_beside(library: Library) -> set[str]:
    """Ids of every source that the facts of links and compositions name."""
    records: list[object] = [link.record for link in library.links.values()]
    records += [composition.record for composition in library.compositions.values()]
    return {
        source
        for record in records
        for _, evidence in evidence_of(record)
        for source in (evidence.source, *evidence.also)
    }


def _by_basis(machines: Mapping[str, HardwareRecord]) -> Counter[str]:
    return Counter(
        evidence.basis
        for record in machines.values()
        for _, evidence in evidence_of(record)
        if isinstance(evidence, Figure)
    )


def _sources_by_file(catalog: Path) -> Iterator[tuple[str, dict[str, Source]]]:
    """The lists of sources that can be read; `load` reports the others."""
    for path in sorted(catalog.glob("sources*.json"), key=lambda path: path.stem):
        with suppress(BadInput, OSError):
            yield str(path), parse(path.read_bytes(), dict[str, Source])


def _listed_twice(sources: Mapping[str, Mapping[str, Source]]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for place, listed in sources.items():
        for name in listed:
            if first.setdefault(name, place) != place:
                message = tr("“{name}” also stands in {place}; keep one of them").format(
                    name=name, place=Path(first[name]).name
                )
                yield Problem(place, name, message)


def _within(catalog: Path, place: str) -> str:
    path = Path(place)
    return path.relative_to(catalog).as_posix() if path.is_relative_to(catalog) else place
