"""Reverse search: which machines can meet given needs, what binds, and what the nearest lack."""

import math
from collections.abc import Callable
from typing import Literal

import msgspec
import numpy as np

from .. import units
from ..language import mark, tr
from ..library.load import Library
from ..problem import BadInput
from ..scenario import ModelRef, Scenario
from ..settings import Settings
from ..units import ENGLISH, Separators
from .field import BEST, FieldChoice, prepare
from .machines import RankedMachine
from .money import PriceTag
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
ONE_WAY = mark(
    "Several devices, or a device with host memory, are held to the one way of using them that "
    "their entry names. Where they fail a need, another way may meet it."
)

Need = Literal["memory", "rate", "first token", "budget", "power"]
NEEDS: dict[Need, str] = {
    "memory": mark("Memory"),
    "rate": mark("Rate"),
    "first token": mark("First token"),
    "budget": mark("Budget"),
    "power": mark("Power"),
}
"""What a need is called."""


Write = Callable[[float, Separators], str]
Values = dict[str, str | tuple[Write, float]]


class Check(msgspec.Struct, frozen=True, gc=False):
    """One need held against one machine.

    met: None where a figure is unknown, which rules nothing out. headroom: how many times over it
    is met, below 1 where it is not. words: needed and there, in English, with a field for each of
    values: a text, or a figure and how it is written.
    """

    need: Need
    met: bool | None
    headroom: float | None
    words: str
    values: Values

    def said(self, separators: Separators = ENGLISH) -> str:
        """Needed and there, in words."""
        shown = {
            name: value if isinstance(value, str) else value[0](value[1], separators)
            for name, value in self.values.items()
        }
        return tr(self.words).format(**shown)


class Candidate(msgspec.Struct, frozen=True, eq=False, gc=False):
    """A machine with the weight format that suits the needs best."""

    machine: RankedMachine
    weights: str
    price: float | None
    price_said: str
    checks: tuple[Check, ...]
    scenario: Scenario

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
    candidates.sort(key=lambda found: (found.price is None, found.price or 0.0))
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
    machine = table.machine_of(row)
    tag = table.price_tags[row]
    checks = [_memory(table, row, requirements.users)]
    if requirements.tokens_per_s_each is not None:
        rate = _value(table, "forced_per_session_tokens_per_s", row)
        needed = requirements.tokens_per_s_each
        words = mark("{needed} tok/s each needed, {has}")
        if rate is None:
            words = mark("{needed} tok/s each needed, unknown, because the model does not fit")
        checks.append(_held("rate", rate, needed, words, units.rate, least=True))
    if requirements.first_token_s is not None:
        wait = _value(table, "time_to_first_token_s", row)
        needed = requirements.first_token_s
        checks.append(_held("first token", wait, needed, _wait(table, row, wait), units.duration))
    if requirements.budget is not None:
        checks.append(_budget(tag, requirements.budget, table.settings.currency))
    if requirements.watts is not None:
        words = mark("{needed} W allowed, draws {has} W")
        if machine.watts is None:
            words = mark("{needed} W allowed, power unknown")
        checks.append(_held("power", machine.watts, requirements.watts, words, units.plain))
    return Candidate(
        machine, table.weights_of(row), tag.amount, tag.said, tuple(checks), table.scenario(row)
    )


def _wait(table: Table, row: int, wait_s: float | None) -> str:
    """The wait for the first token in words, or why it is unknown."""
    if wait_s is not None:
        return mark("first token within {needed}, {has}")
    if not table.serves[row]:
        return mark("first token within {needed}, unknown, because not one session fits")
    return mark(
        "first token within {needed}, unknown: the machine's compute rate, or what a token costs, "
        "is not known"
    )


def _memory(table: Table, row: int, users: int) -> Check:
    """Whether the model and the users' sessions fit, in whole bytes.

    Of a composition the sizes are those of all pools together; whether they fit is what its policy
    says, which may leave less room.
    """
    found = table.pairs
    place = int(np.searchsorted(found.machines, row))
    if place == found.machines.size or found.machines[place] != row:
        # A part of the composition is full before the model comes.
        return Check("memory", False, None, "{why}", {"why": found.composed.unusable[row]})
    session = float(np.rint(found.model_table.alloc_bytes[found.column[0, place]]))
    spare = float(found.margin_bytes[0, place]) - users * session
    capacity = found.in_use[place].capacity_bytes
    needed = capacity - spare
    words = mark("{needed} of memory needed, {has} there")
    met, headroom = bool(found.memory_batch[0, place] >= users), capacity / needed
    if spare < 0.0:
        words = mark("{needed} of memory needed, {has} there, {missing} missing")
    elif not met:
        words = mark("{needed} of memory needed, {has} there, but not where its parts have to lie")
        headroom = min(headroom, float(np.nan_to_num(found.memory_batch[0, place])) / users)
    figures = {"needed": needed, "has": capacity, "missing": -spare}
    values = {name: (units.size, figure) for name, figure in figures.items()}
    return Check("memory", met, headroom, words, {**values})


def _budget(tag: PriceTag, budget: float, currency: str) -> Check:
    """Whether there is money enough; a part without a price leaves open what the others do not."""
    words = mark("{needed} {currency} to spend, costs {has}")
    if tag.amount is None:
        words = mark("{needed} {currency} to spend, no price known")
    elif not tag.whole:
        words = mark("{needed} {currency} to spend, {has} without the host memory: no price")
    check = _held("budget", tag.amount, budget, words, units.plain)
    check.values["currency"] = currency
    if check.met and not tag.whole:
        return msgspec.structs.replace(check, met=None, headroom=None)
    return check


def _value(table: Table, column: str, row: int) -> float | None:
    value = float(table.values(column)[row])
    return None if math.isnan(value) else value


def _held(
    need: Need, has: float | None, asked: float, words: str, write: Write, *, least: bool = False
) -> Check:
    """One need against what a machine has; least: as much is needed, else as much allowed."""
    values: Values = {"needed": (write, asked)}
    if has is None:
        return Check(need, None, None, words, values)
    values["has"] = (write, has)
    if least:
        return Check(need, has >= asked, has / asked, words, values)
    return Check(need, has <= asked, asked / has, words, values)
