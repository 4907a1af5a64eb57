"""The columns of a ranking: ids, titles, units, which way is better, and how a cell reads."""

from collections.abc import Callable
from typing import Literal

import msgspec

from .. import units
from ..language import mark
from ..units import Separators

Better = Literal["more", "less", ""]
NONE = "-"


class Column(msgspec.Struct, frozen=True):
    """One column of figures.

    better: which way a reader wants it. text: a value and separators -> what is shown, without the
    unit. title, unit, about: in English; `tr` translates them.
    money: it rests on prices, watts or electricity, not on the ceilings alone.
    """

    id: str
    title: str
    unit: str
    better: Better
    text: Callable[[float, Separators], str]
    money: bool = False
    about: str = ""


def _count(value: float, separators: Separators) -> str:
    return units.number(value, 0, separators)


def _gigabytes(value: float, separators: Separators) -> str:
    return units.number(value, 1, separators)


def _three_digits(value: float, separators: Separators) -> str:
    return units.digits(value, 3, separators)


COLUMNS: tuple[Column, ...] = (
    Column("memory_batch", mark("Sessions that fit"), "", "more", _count),
    Column("usable_batch", mark("Sessions usable"), "", "more", _count),
    Column("best_batch", mark("Best batch"), "", "more", _count),
    Column("aggregate_tokens_per_s", mark("Aggregate"), "tok/s", "more", units.rate),
    Column("per_session_tokens_per_s", mark("Per session"), "tok/s", "more", units.rate),
    Column("single_session_tokens_per_s", mark("Single session"), "tok/s", "more", units.rate),
    Column(
        "forced_per_session_tokens_per_s",
        mark("Per session, forced"),
        "tok/s",
        "more",
        units.rate,
        about=mark("at the forced batch, whether or not it fits"),
    ),
    Column(
        "prefill_tokens_per_s",
        mark("Prefill"),
        "tok/s",
        "more",
        units.rate,
        about=mark("at the prompt length and the best batch of prompts"),
    ),
    Column(
        "time_to_first_token_s",
        mark("First token"),
        "s",
        "less",
        _three_digits,
        about=mark("the least wait for one prompt alone"),
    ),
    Column("spare_gb", mark("Spare memory"), "GB", "more", _gigabytes),
    Column("longest_context_tokens", mark("Longest context"), mark("tokens"), "more", units.tokens),
    Column("memory_power_gb2_per_s", mark("Memory power D"), "GB²/s", "more", _three_digits),
    Column("price", mark("Price"), "", "less", units.plain, money=True),
    Column(
        "tokens_per_s_per_price", mark("Rate per price"), "tok/s", "more", _three_digits, money=True
    ),
    Column("watts", mark("Power"), "W", "less", units.plain, money=True),
    Column(
        "tokens_per_joule", mark("Tokens per joule"), "tok/J", "more", _three_digits, money=True
    ),
    Column(
        "cost_per_million_tokens",
        mark("Cost per million"),
        "",
        "less",
        _three_digits,
        money=True,
        about=mark("at the aggregate ceiling, running all the time over the lifetime"),
    ),
)
"""Columns of figures, in the order in which a table shows them; the verdict comes before them."""

BY_ID = {column.id: column for column in COLUMNS}

TEXTS = ("machine", "model", "verdict")
"""What can be sorted by beside the columns of figures."""
