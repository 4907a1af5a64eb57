"""Reverse search: which machines can meet given needs, what binds, and what the nearest lack."""

import math
from typing import Literal

import msgspec
import numpy as np

from .. import units
from ..library.load import Library
from ..problem import BadInput
from ..scenario import ModelRef, Scenario
from ..settings import Settings
from .field import BEST, FieldChoice, prepare
from .machines import RankedMachine
from .requirements import Requirements
from .table import Table, rank

CERTAIN = (
    "A machine whose ceiling fails a need cannot meet it: that is certain. One whose ceilings pass "
    "may still be too slow, because a ceiling is necessary, not sufficient."
)
EXPECTED = (
    "The model routes to experts, and their expected number makes the rates estimates; with floor "
    "routing a failure is certain."
)

Need = Literal["memory", "rate", "first token", "budget", "power"]


class Check(msgspec.Struct, frozen=True):
    """One need held against one machine.

    met: None where a figure is unknown, which rules nothing out. headroom: how many times over it
    is met, below 1 where it is not. said: needed and there, in words.
    """

    need: Need
    met: bool | None
    headroom: float | None
    said: str


class Candidate(msgspec.Struct, frozen=True, eq=False):
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
    library: Library, requirements: Requirements, settings: Settings | None = None, misses: int = 10
) -> Found:
    """The machines of a library that can meet the requirements.

    Of several weight formats a machine is shown with the one of most bytes that meets every need,
    else with the one that comes nearest.

    Parameters: library; requirements; settings, for prices; misses, how many at most are listed.
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
    said = [CERTAIN]
    mixture = tables[0].field.models[0].mixture
    if mixture and requirements.routing != "floor":
        said.append(EXPECTED)
    if not meets and not open_:
        said.append(_none_meets(lacking))
    return Found(tuple(meets), tuple(open_), tuple(lacking[:misses]), tuple(said))


def _tables(library: Library, requirements: Requirements, settings: Settings) -> list[Table]:
    """The ranking of the model on every machine, one table for each weight format."""
    choice = FieldChoice(
        weights=BEST if _weights_open(requirements) else None,
        cache_format=requirements.cache_format,
        cache_read_format=requirements.cache_read_format,
        models=(requirements.model,),
    )
    model = prepare(library, choice).models[0]
    if not model.formats:
        raise BadInput("model", model.missing)
    limit = model.formats[0][1].max_context_tokens
    if limit is not None and requirements.context_tokens > limit:
        raise BadInput(
            "context_tokens",
            f"{model.name} ends at {limit:,} tokens of context; ask for less, or another model",
        )
    tables = []
    for weights, _ in model.formats:
        fixed = msgspec.structs.replace(choice, weights=weights or None)
        field = prepare(library, fixed)
        tables.append(rank(field, requirements.workload, requirements.prefill, settings))
    return tables


def _weights_open(requirements: Requirements) -> bool:
    return isinstance(requirements.model, ModelRef) and requirements.model.weights is None


def _best(candidates: list[Candidate]) -> Candidate:
    """The first that lacks nothing, or the nearest; the formats come largest first."""
    return min(candidates, key=lambda found: (bool(found.lacks), *found.distance))


def _distance(candidate: Candidate) -> tuple[int, int, float]:
    return candidate.distance


def _none_meets(nearest: list[Candidate]) -> str:
    first = nearest[0]
    lacks = "; ".join(check.said for check in first.lacks)
    return f"No machine meets these needs. The nearest is {first.machine.name}: {lacks}."


def _candidate(table: Table, row: int, requirements: Requirements) -> Candidate:
    machine = table.machine_of(row)
    tag = table.price_tags[row]
    checks = [_memory(table, row, requirements.users)]
    if requirements.tokens_per_s_each is not None:
        rate = _value(table, "forced_per_session_tokens_per_s", row)
        needed = requirements.tokens_per_s_each
        has = "unknown, because the model does not fit" if rate is None else units.rate(rate)
        checks.append(
            _at_least("rate", rate, needed, f"{units.rate(needed)} tok/s each needed, {has}")
        )
    if requirements.first_token_s is not None:
        wait = _value(table, "time_to_first_token_s", row)
        needed = requirements.first_token_s
        said = f"first token within {units.duration(needed)}, {_wait(table, row, wait)}"
        checks.append(_at_most("first token", wait, needed, said))
    if requirements.budget is not None:
        currency = table.settings.currency
        has = "no price known" if tag.amount is None else f"costs {units.plain(tag.amount)}"
        said = f"{units.plain(requirements.budget)} {currency} to spend, {has}"
        checks.append(_at_most("budget", tag.amount, requirements.budget, said))
    if requirements.watts is not None:
        has = "power unknown" if machine.watts is None else f"draws {units.plain(machine.watts)} W"
        said = f"{units.plain(requirements.watts)} W allowed, {has}"
        checks.append(_at_most("power", machine.watts, requirements.watts, said))
    return Candidate(
        machine, table.weights_of(row), tag.amount, tag.said, tuple(checks), table.scenario(row)
    )


def _wait(table: Table, row: int, wait_s: float | None) -> str:
    """The wait for the first token in words, or why it is unknown."""
    if wait_s is not None:
        return units.duration(wait_s)
    if not table.serves[row]:
        return "unknown, because not one session fits"
    return "unknown: the machine's compute rate, or what a token costs, is not known"


def _memory(table: Table, row: int, users: int) -> Check:
    """Whether the model and the users' sessions fit, in whole bytes.

    Of a composition the sizes are those of all pools together; whether they fit is what its policy
    says, which may leave less room.
    """
    found = table.pairs
    session = float(np.rint(found.model_table.alloc_bytes[found.column[0, row]]))
    spare = float(found.margin_bytes[0, row]) - users * session
    capacity = found.in_use[row].capacity_bytes
    needed = capacity - spare
    said = f"{units.size(needed)} of memory needed, {units.size(capacity)} there"
    met, headroom = bool(found.memory_batch[0, row] >= users), capacity / needed
    if spare < 0.0:
        said += f", {units.size(-spare)} missing"
    elif not met:
        said += ", but not where its parts have to lie"
        headroom = min(headroom, float(np.nan_to_num(found.memory_batch[0, row])) / users)
    return Check("memory", met, headroom, said)


def _value(table: Table, column: str, row: int) -> float | None:
    value = float(table.values(column)[row])
    return None if math.isnan(value) else value


def _at_least(need: Need, has: float | None, needed: float, said: str) -> Check:
    if has is None:
        return Check(need, None, None, said)
    return Check(need, has >= needed, has / needed, said)


def _at_most(need: Need, has: float | None, allowed: float, said: str) -> Check:
    if has is None:
        return Check(need, None, None, said)
    return Check(need, has <= allowed, allowed / has, said)
