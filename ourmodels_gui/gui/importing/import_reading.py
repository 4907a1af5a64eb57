"""What the import dialog shows: a model's files, with the answers so far and what they change."""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from ...evaluation import run
from ...language import tr
from ...library.importers.found import go_on
from ...library.importers.importing import Imported, compared_tokens, session_bytes
from ...library.importers.offers import Offer, offers
from ...library.importers.opening import Files, read_files
from ...library.importers.profile_text import known_active, resident_bytes
from ...library.load import Library, ModelEntry
from ...library.models import ModelRecord, total_parameters
from ...scenario import ModelRef, Scenario
from .. import typed

_ID = "-"
"""Of a model that has no file yet: no file of a library is named so."""


class Beside(msgspec.Struct, frozen=True):
    """What an imported model is looked at with: the catalog, and what the window asks now."""

    library: Library
    scenario: Scenario


class Effect(msgspec.Struct, frozen=True):
    """What a record comes to. None where it is not known.

    session_bytes: cache of one session of `context_tokens`, in FP16. tokens_per_s: ceiling of one
    session on the machine in use. why: what stands in the way of it, "" when nothing does.
    """

    resident_bytes: float
    parameters: int
    active_parameters: int | None
    context_tokens: int
    session_bytes: float | None
    tokens_per_s: float | None
    why: str = ""

    @property
    def bytes_per_token(self) -> float | None:
        """The cache of a session by its tokens [bytes]."""
        return None if self.session_bytes is None else self.session_bytes / self.context_tokens


class Reviewed(msgspec.Struct, frozen=True):
    """effects: of every choice and of the answer, by key; "" is the choice to leave it open."""

    imported: Imported
    answers: dict[str, str]
    offers: tuple[Offer, ...]
    effect: Effect
    effects: dict[str, dict[str, Effect]]


def read(path: Path, beside: Beside, stop: Callable[[], bool]) -> Reviewed:
    """Read a model's files. Raises as `importers.importing.import_model` does."""
    return review(read_files(path, stop), {}, beside, stop)


def review(
    files: Files, answers: Mapping[str, str], beside: Beside, stop: Callable[[], bool]
) -> Reviewed:
    """The review of files that were read before, with these answers. Raises as `offers` does."""
    imported, offered = offers(files, beside.library, answers, stop, typed.separators())
    effect = effect_of(imported.record, beside)
    effects: dict[str, dict[str, Effect]] = {}
    for offer in offered:
        found = effects[offer.question.key] = {"": effect_of(offer.open, beside)}
        for choice, record in offer.tried.items():
            go_on(stop)
            found[choice] = effect_of(record, beside)
        found[offer.answer] = found.get(offer.answer, effect)
    return Reviewed(imported, dict(answers), offered, effect, effects)


def effect_of(record: ModelRecord, beside: Beside) -> Effect:
    """What a record comes to on the machine and at the workload of the window."""
    active = known_active(record)
    rate, why = None, ""
    if record.layers is None:
        why = tr("cache layout unknown")
    elif not record.layers:
        why = tr("it is no decoder")
    elif active is None:
        why = tr("experts per token unknown")
    else:
        rate, why = _rate(record, beside)
    return Effect(
        resident_bytes(record),
        total_parameters(record),
        active,
        compared_tokens(record),
        session_bytes(record),
        rate,
        why,
    )


def _rate(record: ModelRecord, beside: Beside) -> tuple[float | None, str]:
    """Ceiling of one session, without speculation, or why there is none."""
    entry = ModelEntry(_ID, record.name, record.vendor, record, yours=True)
    library = msgspec.structs.replace(beside.library, models={**beside.library.models, _ID: entry})
    scenario = msgspec.structs.replace(
        beside.scenario, model=ModelRef(_ID), speculation=None, prefill=None
    )
    made = run(scenario, library)
    if made.result is None:
        return None, made.problem.message if made.problem else ""
    rate = made.result.decode.single_session_tokens_per_s
    return rate, "" if rate is not None else tr(made.result.decode.verdict)
