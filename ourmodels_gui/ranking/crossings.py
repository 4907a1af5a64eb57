"""From which number of sessions on one setup serves faster than another."""

import math

import msgspec
import numpy as np

from ..engine.capacity import capacity
from ..engine.costs import saturating_tokens
from ..engine.setup import Setup
from ..engine.step import Step, decode_step, per_session_tokens_per_s, shared_bytes

SCANNED = 1 << 16
"""Batches that one pass of a scan looks at."""


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
    """Every batch at which the lead changes, exact.

    At one batch the aggregate and the per-session ceiling of two setups compare alike. Until every
    expert is touched each batch is tried; beyond, the time of an iteration is a straight line
    (two under the combined ceiling), so between the bends of either the lead changes once at most,
    and halving finds where.
    """
    steps = [decode_step(setup, setup.speculation) for setup in (first, second)]
    batches = (capacity(first).memory_batch, capacity(second).memory_batch)
    until = min(batches)
    leads: list[tuple[int, int]] = []

    def sign(batch: int) -> int:
        rates = [float(per_session_tokens_per_s(step, batch)) for step in steps]
        return int(np.sign(rates[0] - rates[1]))

    def add(batch: int, lead: int) -> None:
        if not leads or leads[-1][1] != lead:
            leads.append((batch, lead))

    curved = min(max(_curved(step) for step in steps), until)
    for start in range(1, curved + 1, SCANNED):
        scanned = np.arange(start, min(start + SCANNED, curved + 1), dtype=np.float64)
        rates = [per_session_tokens_per_s(step, scanned) for step in steps]
        signs = np.sign(rates[0] - rates[1]).astype(int)
        for place in np.flatnonzero(np.diff(signs, prepend=signs[0] + 1)):
            add(start + int(place), int(signs[place]))
    bends = {curved + 1, until}
    for step in steps:
        bends |= {bend for bend in _bends(step) if curved < bend < until}
    cuts = sorted(bend for bend in bends if curved < bend <= until)
    for low, high in zip(cuts, cuts[1:] or cuts, strict=False):
        add(low, sign(low))
        _bisect(sign, add, low, high)
    return Crossings(tuple(leads), until, batches)


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


def in_words(found: Crossings, names: tuple[str, str]) -> tuple[str, ...]:
    """The crossings as sentences.

    >>> in_words(Crossings(((1, 1), (7, -1)), 12, (20, 12)), ("A", "B"))
    ('B overtakes A from 7 sessions.', 'Beyond 12 sessions only A has memory for more, up to 20.')
    """
    first, second = names
    said = []
    if found.until == 0:
        return (_alone(found, names) or f"Neither {first} nor {second} has memory for a session.",)
    sessions = "1 session" if found.until == 1 else f"{found.until:,} sessions"
    _, lead = found.leads[0]
    if len(found.leads) == 1:
        if lead == 0:
            said.append(f"{first} and {second} give the same at every batch up to {sessions}.")
        else:
            leader, other = names if lead > 0 else names[::-1]
            said.append(f"{leader} is ahead of {other} at every batch up to {sessions}.")
    for batch, lead in found.leads[1:]:
        if lead == 0:
            said.append(f"{first} and {second} give the same from {batch:,} sessions.")
        else:
            leader, other = names if lead > 0 else names[::-1]
            said.append(f"{leader} overtakes {other} from {batch:,} sessions.")
    if alone := _alone(found, names):
        said.append(alone)
    return tuple(said)


def _alone(found: Crossings, names: tuple[str, str]) -> str:
    if found.batches[0] == found.batches[1]:
        return ""
    name = names[0] if found.batches[0] > found.batches[1] else names[1]
    most = max(found.batches)
    if found.until == 0:
        return f"Only {name} has memory for sessions, up to {most:,}."
    return f"Beyond {found.until:,} sessions only {name} has memory for more, up to {most:,}."
