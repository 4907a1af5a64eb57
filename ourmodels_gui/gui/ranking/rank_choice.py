"""How the ranking is looked at, as far as this version knows what was remembered."""

import msgspec

from ...ranking.columns import BY_ID, TEXTS
from ...settings import RankChoice

SHOWN = (
    "best_batch",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "time_to_first_token_s",
    "price",
)
"""Columns of a first run; the others wait in the menu."""


def known(choice: RankChoice) -> RankChoice:
    """The same without columns that this version does not have."""
    sort = choice.sort if choice.sort in BY_ID or choice.sort in TEXTS else RankChoice().sort
    return msgspec.structs.replace(
        choice,
        columns=tuple(column for column in BY_ID if column in choice.columns) or SHOWN,
        sort=sort,
        ranges={column: text for column, text in choice.ranges.items() if column in BY_ID},
        across=choice.across if choice.across in ("price", "watts") else "price",
        up=choice.up if choice.up in BY_ID else RankChoice().up,
    )
