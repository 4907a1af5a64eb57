"""Evaluations -> report."""

from collections.abc import Sequence

import msgspec

from .. import __version__
from .. import scenario as files
from ..evaluation import Evaluation
from ..library.travelling import travelling
from . import (
    answer,
    assumptions,
    closing,
    decode,
    evidence,
    gates,
    memory,
    placement,
    prefill,
    sensitivity,
    value,
)
from .known import Known
from .shapes import SECTIONS, Attachment, Options, Report, Section
from .subject import Subject, alike, subjects
from .working import working

SCENARIO_NAME = "scenario{}.ourmodels.json"


def build(
    evaluations: Sequence[Evaluation], known: Known, options: Options | None = None
) -> Report:
    """The report of one evaluation, or of two to six side by side.

    Parameters: evaluations, each with a result; known, whose library made them; options.
    Errors: BadInput where a scenario has no answer, or there are too many.
    """
    options = encodable(options or Options())
    told = subjects(evaluations, known.library)
    return assembled(
        (answer.answer(told, options.note), *details(told, known)),
        known,
        options,
        title=_title(told),
        question=answer.question(told),
        attachments=scenario_files(told, known),
    )


def absent(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """The sections that have nothing to say of these: no prompt is asked for, no part placed."""
    setups = [done.setup for done in evaluations if done.setup is not None]
    there = {
        "placement": any(setup.composition is not None for setup in setups),
        "prefill": any(setup.prompt is not None for setup in setups),
    }
    return tuple(id_ for id_, is_there in there.items() if not is_there)


def details(told: Sequence[Subject], known: Known) -> tuple[Section, ...]:
    """Every section after the answer that has something to say."""
    sections: tuple[Section | None, ...] = (
        memory.memory(told),
        placement.placement(told),
        decode.decode(told),
        prefill.prefill(told),
        value.value(told, known),
        gates.gates(told),
        sensitivity.sensitivity(told),
        evidence.evidence(told, known),
        assumptions.assumptions(told),
        working(told),
        closing.catalog(told, known.library),
        closing.limits(told),
        closing.glossary(),
    )
    return tuple(section for section in sections if section is not None)


def assembled(
    sections: Sequence[Section],
    known: Known,
    options: Options,
    *,
    title: str,
    question: str,
    attachments: tuple[Attachment, ...],
) -> Report:
    """The report of some sections, of which options may leave out all but the answer."""
    wanted = frozenset(SECTIONS) if options.sections is None else options.sections
    version = known.library.version or "without a version"
    return Report(
        title=options.title.strip() or title,
        question=question,
        author=options.author.strip(),
        date=options.date.strip(),
        logo=options.logo,
        paper=options.paper,
        versions=f"Our Models {__version__}, catalog {version}",
        sections=tuple(s for s in sections if s.id in wanted or s.id == "answer"),
        attachments=attachments,
    )


def scenario_files(told: Sequence[Subject], known: Known) -> tuple[Attachment, ...]:
    """The scenarios to attach, as they went in; the user's own machines and models travel along."""
    found = []
    for place, subject in enumerate(told, 1):
        chosen = subject.evaluation.scenario
        whole = msgspec.structs.replace(
            travelling(chosen, known.library), catalog_version=chosen.catalog_version
        )
        found.append(Attachment(attachment_name(place), files.write(whole), "the scenario"))
    return tuple(found)


def attachment_name(place: int) -> str:
    """The name of a report's first, second, ... scenario.

    >>> attachment_name(1), attachment_name(2)
    ('scenario.ourmodels.json', 'scenario-2.ourmodels.json')
    """
    return SCENARIO_NAME.format("" if place == 1 else f"-{place}")


def encodable(options: Options) -> Options:
    """The same with a sign in place of half a character, which no file could hold."""
    fields = ("title", "author", "date", "note")
    whole = {name: getattr(options, name).encode("utf-8", "replace").decode() for name in fields}
    return msgspec.structs.replace(options, **whole)


def _title(told: Sequence[Subject]) -> str:
    first = told[0]
    if len(told) == 1:
        return first.evaluation.scenario.name or f"{first.machine} · {first.model}"
    if alike([subject.model for subject in told]):
        return f"{len(told)} ways to serve {first.model}"
    if alike([subject.machine for subject in told]):
        return f"{len(told)} models on {first.machine}"
    return f"{len(told)} pairs of machine and model"
