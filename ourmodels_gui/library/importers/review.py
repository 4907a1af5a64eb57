"""What a person is shown before an imported model is believed and saved."""

from typing import Any

import msgspec

from ...language import tr
from ...units import ENGLISH, Separators, digits


class Fact(msgspec.Struct, frozen=True):
    """One thing that is known. origin: the key it was read from, or how it was concluded."""

    name: str
    value: str
    origin: str = ""


class Choice(msgspec.Struct, frozen=True):
    """One answer to a question, and what it would change. id: what `answers` takes."""

    id: str
    text: str
    effect: str = ""


class Question(msgspec.Struct, frozen=True):
    """What the files do not say.

    choices: empty where a number has to be typed. suggestion: the id of the choice that the
    catalog's profile of the same model has. blocking: without it the model cannot be saved.
    answerable: whether an answer is taken at all.
    """

    key: str
    text: str
    choices: tuple[Choice, ...] = ()
    suggestion: str = ""
    blocking: bool = False
    answerable: bool = True


class Difference(msgspec.Struct, frozen=True):
    """One figure that the catalog's profile of the same model has otherwise."""

    name: str
    here: str
    catalog: str


class Review(msgspec.Struct, frozen=True):
    """read: from the files. inferred: concluded. missing: open questions. contradictions: between
    metadata, tensors and names. differences: from the catalog's profile `twin`. notes: the rest."""

    read: tuple[Fact, ...] = ()
    inferred: tuple[Fact, ...] = ()
    missing: tuple[Question, ...] = ()
    contradictions: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    twin: str = ""
    notes: tuple[str, ...] = ()


def shown(value: Any, separators: Separators = ENGLISH) -> str:
    """A figure for people.

    >>> shown(151936), shown(None), shown(True)
    ('151,936', 'unknown', 'yes')
    """
    if value is None:
        return tr("unknown")
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return digits(value, 15, separators) if isinstance(value, int | float) else str(value)
