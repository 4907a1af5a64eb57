"""How the ranking is looked at: scope, columns, order, filters. Remembered between two runs."""

from typing import Literal

import msgspec

from ..ranking.columns import BY_ID, TEXTS

Scope = Literal["machines", "models", "pairs"]
Look = Literal["table", "map", "value"]

SHOWN = (
    "best_batch",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "time_to_first_token_s",
    "price",
)
"""Columns of a first run; the others wait in the menu."""


class RankChoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """scope: machines for the chosen model, models for the chosen machine, or every pair.

    weights: a format id, `field.BEST`, or None for what the scenario or the release says. ranges:
    what was typed, by column. facets: the values that stay. across, up: the axes of the value plot;
    `up` is also what the map shows.
    """

    scope: Scope = "machines"
    look: Look = "table"
    weights: str | None = None
    columns: tuple[str, ...] = SHOWN
    sort: str = "aggregate_tokens_per_s"
    descending: bool = True
    ranges: dict[str, str] = {}
    facets: dict[str, tuple[str, ...]] = {}
    text: str = ""
    across: str = "price"
    up: str = "aggregate_tokens_per_s"

    def known(self) -> "RankChoice":
        """The same without columns that this version does not have."""
        sort = self.sort if self.sort in BY_ID or self.sort in TEXTS else "aggregate_tokens_per_s"
        return msgspec.structs.replace(
            self,
            columns=tuple(column for column in BY_ID if column in self.columns) or SHOWN,
            sort=sort,
            ranges={column: text for column, text in self.ranges.items() if column in BY_ID},
            across=self.across if self.across in ("price", "watts") else "price",
            up=self.up if self.up in BY_ID else "aggregate_tokens_per_s",
        )
