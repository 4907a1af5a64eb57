"""The needs of a buyer held against one machine: met, missed or open, and by how much."""

import math
from collections.abc import Callable
from typing import Literal

import msgspec
import numpy as np

from .. import units
from ..language import mark, tr
from ..units import ENGLISH, Separators
from .money import PriceTag
from .requirements import Requirements
from .table import Table

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


def checks(table: Table, row: int, requirements: Requirements) -> tuple[Check, ...]:
    """Every need that is asked for, held against the machine of a row."""
    machine = table.machine_of(row)
    tag = table.price_tags[row]
    found = [_memory(table, row, requirements.users)]
    if requirements.tokens_per_s_each is not None:
        rate = _value(table, "forced_per_session_tokens_per_s", row)
        needed = requirements.tokens_per_s_each
        words = mark("{needed} tok/s each needed, {has}")
        if rate is None:
            words = mark("{needed} tok/s each needed, unknown, because the model does not fit")
        found.append(_held("rate", rate, needed, words, units.rate, least=True))
    if requirements.first_token_s is not None:
        wait = _value(table, "time_to_first_token_s", row)
        needed = requirements.first_token_s
        found.append(_held("first token", wait, needed, _wait(table, row, wait), units.duration))
    if requirements.budget is not None:
        found.append(_budget(tag, requirements.budget, table.settings.currency))
    if requirements.watts is not None:
        words = mark("{needed} W allowed, draws {has} W")
        if machine.watts is None:
            words = mark("{needed} W allowed, power unknown")
        found.append(_held("power", machine.watts, requirements.watts, words, units.plain))
    return tuple(found)


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
    value = table.value(column, row)
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
