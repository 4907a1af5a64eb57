"""Reverse search: which machines can meet given needs, what binds, and what the nearest lack."""

import math

import msgspec

from ..language import mark, tr
from ..library.load import Library
from ..problem import BadInput
from ..scenario import ModelRef, Scenario
from ..settings import Settings
from ..units import ENGLISH, Separators, plain
from .field import BELOW_4_BITS, BEST, FieldChoice, prepare
from .machines import RankedMachine
from .money import PriceTag
from .needs import Check, checks
from .requirements import Requirements
from .table import Table, rank

CERTAIN = mark(
    "A machine whose ceiling fails a need cannot meet it: that is certain. One whose ceilings pass "
    "may still be too slow, because a ceiling is necessary, not sufficient."
)
EXPECTED = mark(
    "The model routes to experts, and their expected number makes the rates estimates; with floor "
    "routing a failure is certain."
)
LOW_LAST = mark(
    "Machines that meet the needs only with fewer than 4 bits a weight come last, whatever they "
    "cost: answers suffer there. A format that is chosen is taken as it is."
)
ONE_WAY = mark(
    "Several devices, or a device with host memory, are held to the one way of using them that "
    "their entry names. Where they fail a need, another way may meet it."
)


class Candidate(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A machine with the weight format that suits the needs best."""

    machine: RankedMachine
    weights: str
    price_tag: PriceTag
    checks: tuple[Check, ...]
    scenario: Scenario

    @property
    def price(self) -> float | None:
        """Of the parts that have one."""
        return self.price_tag.amount

    def price_text(self, separators: Separators = ENGLISH) -> str | None:
        """The price as far as it is known; one that lacks a part is a limit."""
        if self.price is None:
            return None
        said = plain(self.price, separators)
        return said if self.price_tag.whole else f"≥ {said}"

    @property
    def lacks(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.met is False)

    @property
    def unknown(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.met is None)

    @property
    def binds(self) -> Check | None:
        """The need with the least headroom."""
        known = [check for check in self.checks if check.headroom is not None]
        return min(known, key=lambda check: check.headroom or 0.0, default=None)

    @property
    def distance(self) -> tuple[int, int, float]:
        """How far from meeting the needs: how many it lacks, and by what factor together.

        A rate that is unknown because the model does not fit is lacking as well, and by more than
        one that is known: a format that fills the memory must not look nearer than one that fits.
        """
        short = [math.log(max(check.headroom or 0.0, 1e-9)) for check in self.lacks]
        silent = sum(check.need == "rate" for check in self.unknown)
        return len(short) + silent, silent, -sum(short)


class Found(msgspec.Struct, frozen=True, eq=False):
    """meets: by price, those without one last. unknown: nothing rules them out, and something that
    was asked is unknown; those with the least unknown first. misses: the nearest first. said: what
    the lists are worth, in sentences.
    """

    meets: tuple[Candidate, ...]
    unknown: tuple[Candidate, ...]
    misses: tuple[Candidate, ...]
    said: tuple[str, ...]


def search(
    library: Library,
    requirements: Requirements,
    settings: Settings | None = None,
    misses: int = 10,
    separators: Separators = ENGLISH,
) -> Found:
    """The machines of a library that can meet the requirements.

    Of several weight formats a machine is shown with the one of most bytes that meets every need,
    else with the one that comes nearest.

    Parameters: library; requirements; settings, for prices; misses, how many at most are listed;
    separators, of figures in sentences.
    Errors: BadInput for a model that is unknown or whose context is shorter than the one needed.
    """
    tables = _tables(library, requirements, settings or Settings())
    candidates = [
        _best([_candidate(table, row, requirements) for table in tables])
        for row in range(len(tables[0]))
    ]
    open_weights = _weights_open(requirements)
    candidates.sort(
        key=lambda found: (
            open_weights and found.weights in BELOW_4_BITS,
            found.price is None,
            found.price or 0.0,
        )
    )
    lacking = sorted((found for found in candidates if found.lacks), key=_distance)
    open_ = [found for found in candidates if not found.lacks and found.unknown]
    open_.sort(key=lambda found: len(found.unknown))
    meets = [found for found in candidates if not found.lacks and not found.unknown]
    said = [tr(CERTAIN)]
    mixture = tables[0].field.models[0].mixture
    if mixture and requirements.routing != "floor":
        said.append(tr(EXPECTED))
    if any(found.machine.composed is not None for found in lacking):
        said.append(tr(ONE_WAY))
    if open_weights and any(found.weights in BELOW_4_BITS for found in meets):
        said.append(tr(LOW_LAST))
    if not meets and not open_:
        said.append(_none_meets(lacking, separators))
    return Found(tuple(meets), tuple(open_), tuple(lacking[:misses]), tuple(said))


def _tables(library: Library, requirements: Requirements, settings: Settings) -> list[Table]:
    """The ranking of the model on every machine, one table for each weight format."""
    choice = FieldChoice(
        weights=BEST if _weights_open(requirements) else None,
        cache_format=requirements.cache_format,
        cache_read_format=requirements.cache_read_format,
        models=(requirements.model,),
    )
    field = prepare(library, choice)
    model = field.models[0]
    if not model.formats:
        raise BadInput("model", model.missing)
    limit = model.formats[0][1].max_context_tokens
    if limit is not None and requirements.context_tokens > limit:
        raise BadInput(
            "context_tokens",
            tr("{name} ends at {limit:,} tokens of context; ask for less, or another model").format(
                name=model.name, limit=limit
            ),
        )
    tables = []
    for weights, _ in model.formats:
        fixed = msgspec.structs.replace(choice, weights=weights or None)
        field = prepare(library, fixed, field)
        tables.append(rank(field, requirements.workload, requirements.prefill, settings))
    return tables


def _weights_open(requirements: Requirements) -> bool:
    return isinstance(requirements.model, ModelRef) and requirements.model.weights is None


def _best(candidates: list[Candidate]) -> Candidate:
    """The first that lacks nothing, or the nearest; the formats come largest first."""
    return min(candidates, key=lambda found: (bool(found.lacks), *found.distance))


def _distance(candidate: Candidate) -> tuple[int, int, float]:
    return candidate.distance


def _none_meets(nearest: list[Candidate], separators: Separators) -> str:
    first = nearest[0]
    lacks = "; ".join(check.said(separators) for check in first.lacks)
    words = tr("No machine meets these needs. The nearest is {name}: {lacks}.")
    return words.format(name=first.machine.name, lacks=lacks)


def _candidate(table: Table, row: int, requirements: Requirements) -> Candidate:
    return Candidate(
        table.machine_of(row),
        table.weights_of(row),
        table.price_tags[row],
        checks(table, row, requirements),
        table.scenario(row),
    )
