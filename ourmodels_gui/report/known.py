"""What a report may draw on beside its evaluations: library, prices, published runs."""

from pathlib import Path

import msgspec

from .. import settings as own
from ..files import read_small
from ..library.load import Library
from ..measured import log, proof, runs
from ..measured.ceiling import Ceiling
from ..measured.log import Entry
from ..measured.runs import MeasuredSet
from ..problem import BadInput
from ..settings import Settings


class Known(msgspec.Struct, frozen=True):
    """library: that the evaluations were made with. settings: the user's prices.

    measured: published runs, None when there are none; ceilings: of those that can have one.
    logged: the user's own measurements.
    """

    library: Library
    settings: Settings = Settings()
    measured: MeasuredSet | None = None
    ceilings: dict[str, Ceiling] = {}
    logged: tuple[Entry, ...] = ()


def gather(library: Library, catalog: Path, user: Path) -> Known:
    """Everything there is; a measured set that cannot be read is left out.

    Parameters: library; catalog and user, the folders that it was loaded from.
    """
    prices, _ = own.load(user)
    known = Known(library, prices, logged=_logged(user))
    try:
        measured = runs.load(catalog)
    except (OSError, BadInput, ValueError):
        return known
    ceilings = proof.held(measured, library)
    return msgspec.structs.replace(known, measured=measured, ceilings=ceilings)


def _logged(user: Path) -> tuple[Entry, ...]:
    """The log as far as it can be read; what is wrong with it the window says."""
    try:
        entries, _ = log.read(read_small(user / log.FILE))
    except (OSError, ValueError, BadInput):
        return ()
    return entries
