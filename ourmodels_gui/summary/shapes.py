"""The shapes of a summary."""

from typing import Literal

import msgspec

from ..engine.setup import Assumption

Tone = Literal["serves", "below", "unfit", "muted"]


class Input(msgspec.Struct, frozen=True):
    """One value that a formula takes: its symbol, value as people read it, and where it is from."""

    symbol: str
    text: str
    source: str


class Row(msgspec.Struct, frozen=True):
    """One figure with its derivation.

    name: of the figure in the public JSON. text, unit: as people read it; text is "-" and value
    None where the figure does not exist, and note says why. value: every digit, in the unit that
    the name says. kind: "bound", "estimate", "policy ceiling" or "". formula: in the formulation's
    notation. worked: the same with the values put in.
    """

    name: str
    label: str
    text: str
    unit: str = ""
    value: float | int | str | None = None
    kind: str = ""
    formula: str = ""
    worked: str = ""
    inputs: tuple[Input, ...] = ()
    note: str = ""


class Group(msgspec.Struct, frozen=True):
    """Rows under one title. id: "memory", "cache" and so on, the same in every language."""

    title: str
    rows: tuple[Row, ...]
    id: str = ""


class Answer(msgspec.Struct, frozen=True):
    """One of the four answers: verdict word, figure with unit, one line of why.

    short, short_unit, short_why: verdict, unit and line where there is little room, "" for the
    whole ones. row: name of the figure's row in the ledger, which holds its working; "" where there
    is no figure.
    """

    question: str
    tone: Tone
    word: str
    figure: str
    unit: str
    why: str
    kind: str = ""
    short: str = ""
    row: str = ""
    short_unit: str = ""
    short_why: str = ""


class Summary(msgspec.Struct, frozen=True):
    """Everything that is told of one evaluation.

    problem: why there is no answer, "" when there is one; answers and groups are empty then.
    reasons: why any figure is an estimate.
    """

    title: str
    answers: tuple[Answer, ...] = ()
    groups: tuple[Group, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    reasons: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    problem: str = ""

    def row(self, name: str) -> Row | None:
        """The first figure of that name in the ledger; None where there is none."""
        rows = (row for group in self.groups for row in group.rows)
        return next((row for row in rows if row.name == name), None)
