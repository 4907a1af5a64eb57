"""From which number of sessions on one setup serves faster than another."""

import math
from collections.abc import Callable
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..engine import placement
from ..engine.capacity import capacity
from ..engine.costs import saturating_tokens
from ..engine.setup import Setup
from ..engine.step import Step, decode_step, per_session_tokens_per_s, shared_bytes
from ..language import tr, trn
from ..units import ENGLISH, Separators, number

SCANNED = 1 << 14
"""Batches that one pass of a scan looks at, and how many of a composition are tried one by one."""
SAMPLES = 400

Floats = NDArray[np.float64]


class Crossings(msgspec.Struct, frozen=True):
    """Who leads over the batches that both fit.

    leads: +1 where the first leads, -1 the second, 0 where both give the same; each with the batch
    from which on it does. until: the last batch that both fit, 0 where there is none.
    batches: how many sessions fit in each.
    """

    leads: tuple[tuple[int, int], ...]
    until: int
    batches: tuple[int, int]


def crossings(first: Setup, second: Setup) -> Crossings:
    """Every batch at which the lead changes.

    At one batch the aggregate and the per-session ceiling of two setups compare alike. Until every
    expert is touched each batch is tried; beyond, the time of an iteration is a straight line
    (two under the combined ceiling), so between the bends of either the lead changes once at most,
    and halving finds where. That is exact. With a composition each of the first `SCANNED` batches
    is tried, and beyond them batches in equal ratios, so that a lead which changes twice between
    two of those is missed.
    """
    sides = [
        _composed(setup) if setup.composition else _ordinary(setup) for setup in (first, second)
    ]
    until = min(side.memory_batch for side in sides)
    leads: list[tuple[int, int]] = []

    def sign(batch: int) -> int:
        rates = [float(side.rates(np.array([float(batch)]))[0]) for side in sides]
        return int(np.sign(rates[0] - rates[1]))

    def add(batch: int, lead: int) -> None:
        if not leads or leads[-1][1] != lead:
            leads.append((batch, lead))

    curved = min(max(side.curved for side in sides), until)
    for start in range(1, curved + 1, SCANNED):
        scanned = np.arange(start, min(start + SCANNED, curved + 1), dtype=np.float64)
        rates = [side.rates(scanned) for side in sides]
        signs = np.sign(rates[0] - rates[1]).astype(int)
        for place in np.flatnonzero(np.diff(signs, prepend=signs[0] + 1)):
            add(start + int(place), int(signs[place]))
    bends = {curved + 1, until}.union(*(side.bends for side in sides))
    cuts = sorted(bend for bend in bends if curved < bend <= until)
    for low, high in zip(cuts, cuts[1:] or cuts, strict=False):
        add(low, sign(low))
        _bisect(sign, add, low, high)
    return Crossings(tuple(leads), until, (sides[0].memory_batch, sides[1].memory_batch))


class _Side(msgspec.Struct, frozen=True):
    """One setup: the sessions that fit, the rate of each at some batches, the last batch up to
    which each one has to be tried, and batches between which the time is a straight line."""

    memory_batch: int
    rates: Callable[[Floats], Floats]
    curved: int
    bends: set[int]


def _ordinary(setup: Setup) -> _Side:
    step = decode_step(setup, setup.speculation)
    rates = partial(per_session_tokens_per_s, step)
    return _Side(capacity(setup).memory_batch, rates, _curved(step), _bends(step))


def _composed(setup: Setup) -> _Side:
    """A composition under the policy of its decode figures."""
    way = placement.policy(setup)
    most = way.memory_batch()
    beyond = np.geomspace(SCANNED, max(most, SCANNED + 1), SAMPLES).astype(np.int64)
    return _Side(most, way.per_session, SCANNED, set(beyond.tolist()) if most > SCANNED else set())


def _bisect(sign, add, low: int, high: int) -> None:  # type: ignore[no-untyped-def]
    """Add the changes of lead between two batches, of which there is one at most, or two where the
    lead is shared in between."""
    while (before := sign(low)) != sign(high):
        left, right = low, high
        while right - left > 1:
            middle = (left + right) // 2
            if sign(middle) == before:
                left = middle
            else:
                right = middle
        add(right, sign(right))
        low = right


def _curved(step: Step) -> int:
    """The last batch before every expert is touched."""
    if step.routing == "floor":
        return 1
    return max(map(saturating_tokens, (*step.experts, *step.draft.experts)), default=1)


def _bends(step: Step) -> set[int]:
    """The batches around which a combined ceiling passes from one resource to the other."""
    if not step.combined or not step.compute_s:
        return set()
    slope = step.compute_s * step.bandwidth_bytes_per_s - step.private_bytes
    if slope <= 0.0:
        return set()
    bend = min(shared_bytes(step, math.inf) / slope, 2.0**62)
    return {int(bend) + shift for shift in range(-1, 4)}


def in_words(
    found: Crossings, names: tuple[str, str], separators: Separators = ENGLISH
) -> tuple[str, ...]:
    """The crossings as sentences.

    >>> in_words(Crossings(((1, 1), (7, -1)), 12, (20, 12)), ("A", "B"))
    ('B overtakes A from 7 sessions.', 'B has memory for 12 sessions, A for 20.')
    """
    first, second = names
    alone = _alone(found, names, separators)
    if found.until == 0:
        nobody = tr("Neither {first} nor {second} has memory for a session.")
        return (alone or nobody.format(first=first, second=second),)
    until = _sessions(found.until, separators)
    said = []
    (_, lead), *later = found.leads
    if not later and lead == 0:
        words = tr("{first} and {second} give the same at every batch up to {sessions}.")
        said.append(words.format(first=first, second=second, sessions=until))
    elif not later:
        leader, other = names if lead > 0 else names[::-1]
        words = tr("{leader} is ahead of {other} at every batch up to {sessions}.")
        said.append(words.format(leader=leader, other=other, sessions=until))
    for batch, lead in later:
        leader, other = names if lead >= 0 else names[::-1]
        words = tr("{leader} overtakes {other} from {count} sessions.")
        if lead == 0:
            words = tr("{leader} and {other} give the same from {count} sessions.")
        said.append(words.format(leader=leader, other=other, count=number(batch, 0, separators)))
    return (*said, alone) if alone else tuple(said)


def _sessions(count: int, separators: Separators) -> str:
    words = trn("{count} session", "{count} sessions", count)
    return words.format(count=number(count, 0, separators))


def _alone(found: Crossings, names: tuple[str, str], separators: Separators) -> str:
    if found.batches[0] == found.batches[1]:
        return ""
    # Both are named: among more than two, "only" would speak of those that are not compared here.
    words = tr("{other} has memory for {sessions}, {name} for {most}.")
    if found.until == 0:
        words = tr("{other} has no memory for a session, {name} for up to {most}.")
    name, other = names if found.batches[0] > found.batches[1] else names[::-1]
    return words.format(
        sessions=_sessions(found.until, separators),
        name=name,
        other=other,
        most=number(max(found.batches), 0, separators),
    )
