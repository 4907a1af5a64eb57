"""The columns of a ranking: ids, titles, units, which way is better, and how a cell reads."""

from collections.abc import Callable
from typing import Literal

import msgspec

from .. import units

Better = Literal["more", "less", ""]
NONE = "-"


class Column(msgspec.Struct, frozen=True):
    """One column of figures.

    better: which way a reader wants it. text: a value -> what is shown, without the unit.
    money: it rests on prices, watts or electricity, not on the ceilings alone.
    """

    id: str
    title: str
    unit: str
    better: Better
    text: Callable[[float], str]
    money: bool = False
    about: str = ""


def _count(value: float) -> str:
    return units.number(value)


def _gigabytes(value: float) -> str:
    return units.number(value, 1)


def _three_digits(value: float) -> str:
    if value == 0:
        return "0"
    text = f"{value:,.3g}"
    return f"{value:,.0f}" if "e+" in text else text


COLUMNS: tuple[Column, ...] = (
    Column("memory_batch", "Sessions that fit", "", "more", _count),
    Column("usable_batch", "Sessions usable", "", "more", _count),
    Column("best_batch", "Best batch", "", "more", _count),
    Column("aggregate_tokens_per_s", "Aggregate", "tok/s", "more", units.rate),
    Column("per_session_tokens_per_s", "Per session", "tok/s", "more", units.rate),
    Column("single_session_tokens_per_s", "Single session", "tok/s", "more", units.rate),
    Column(
        "forced_per_session_tokens_per_s",
        "Per session, forced",
        "tok/s",
        "more",
        units.rate,
        about="at the forced batch, whether or not it fits",
    ),
    Column(
        "prefill_tokens_per_s",
        "Prefill",
        "tok/s",
        "more",
        units.rate,
        about="at the prompt length and the best batch of prompts",
    ),
    Column(
        "time_to_first_token_s",
        "First token",
        "s",
        "less",
        _three_digits,
        about="the least wait for one prompt alone",
    ),
    Column("spare_gb", "Spare memory", "GB", "more", _gigabytes),
    Column("longest_context_tokens", "Longest context", "tokens", "more", units.tokens),
    Column("memory_power_gb2_per_s", "Memory power D", "GB²/s", "more", _three_digits),
    Column("price", "Price", "", "less", units.plain, money=True),
    Column("tokens_per_s_per_price", "Rate per price", "tok/s", "more", _three_digits, money=True),
    Column("watts", "Power", "W", "less", units.plain, money=True),
    Column("tokens_per_joule", "Tokens per joule", "tok/J", "more", _three_digits, money=True),
    Column(
        "cost_per_million_tokens",
        "Cost per million",
        "",
        "less",
        _three_digits,
        money=True,
        about="at the aggregate ceiling, running all the time over the lifetime",
    ),
)
"""Columns of figures, in the order in which a table shows them; the verdict comes before them."""

BY_ID = {column.id: column for column in COLUMNS}

TEXTS = ("machine", "model", "verdict")
"""What can be sorted by beside the columns of figures."""
