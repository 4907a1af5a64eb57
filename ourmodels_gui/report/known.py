"""What a report may draw on beside its evaluations: library, prices, published runs."""

from pathlib import Path

import msgspec

from .. import settings as own
from ..library.load import Library
from ..measured import proof, runs
from ..measured.ceiling import Ceiling
from ..measured.runs import MeasuredSet
from ..problem import BadInput
from ..settings import Settings


class Known(msgspec.Struct, frozen=True):
    """library: that the evaluations were made with. settings: the user's prices.

    measured: published runs, None when there are none; ceilings: of those that can have one.
    """

    library: Library
    settings: Settings = Settings()
    measured: MeasuredSet | None = None
    ceilings: dict[str, Ceiling] = {}


def gather(library: Library, catalog: Path, user: Path) -> Known:
    """Everything there is; a measured set that cannot be read is left out.

    Parameters: library; catalog and user, the folders that it was loaded from.
    """
    prices, _ = own.load(user)
    try:
        measured = runs.load(catalog)
    except (OSError, BadInput, ValueError):
        return Known(library, prices)
    return Known(library, prices, measured, proof.held(measured, library))
