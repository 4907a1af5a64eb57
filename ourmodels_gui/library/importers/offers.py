"""The questions of a review as they stay on the screen: the answered ones among the open ones."""

from collections.abc import Mapping

import msgspec

from ...units import ENGLISH, Separators
from ..load import Library
from ..models import ModelRecord
from .answers import TEXTS
from .found import Cancelled, go_on
from .importing import Imported, review_files
from .opening import Files
from .review import Question


class Offer(msgspec.Struct, frozen=True):
    """One question with the answer it has now.

    answer: "" while it is open. open: the record without an answer. tried: the one that each choice
    would give, the other answers as they are.
    """

    question: Question
    answer: str
    open: ModelRecord
    tried: dict[str, ModelRecord]


def offers(
    files: Files,
    library: Library | None,
    answers: Mapping[str, str],
    cancelled: Cancelled | None = None,
    separators: Separators = ENGLISH,
) -> tuple[Imported, tuple[Offer, ...]]:
    """The model with these answers, and every question, in an order that no answer changes.

    An answered question is looked at as if it alone were open. Raises as `review_files` does, and
    ImportCancelled.
    """
    imported = review_files(files, library, answers, separators)
    found = {asked.key: _offer(imported, asked, "") for asked in imported.review.missing}
    for key, answer in answers.items():
        go_on(cancelled)
        others = {other: given for other, given in answers.items() if other != key}
        without = review_files(files, library, others)
        for asked in without.review.missing:
            if asked.key == key:
                found[key] = _offer(without, asked, answer)
    order = list(TEXTS)
    return imported, tuple(
        sorted(found.values(), key=lambda offer: order.index(offer.question.key))
    )


def _offer(imported: Imported, asked: Question, answer: str) -> Offer:
    return Offer(asked, answer, imported.record, imported.tried.get(asked.key, {}))
