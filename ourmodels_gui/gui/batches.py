"""Which numbers of sessions are drawn, offered and listed."""

from math import ceil, log2

import numpy as np

from ..engine.ascending import ascending
from ..engine.curve import curve, limits
from ..engine.result import Decode
from ..evaluation import Evaluation
from ..units import number, rate
from . import typed
from .tables import Cell, Row

SAMPLES = 160
LIMITS = {
    "capacity": "does not fit",
    "floor": "below the floor",
    "compute": "compute",
    "memory": "bandwidth",
}


def batch_span(decode: Decode) -> int:
    """The largest batch to draw: past every limit that is not far from the others.

    A power of two, so that the axis stands still while a limit moves a little.
    """
    high = max(4, decode.memory_batch or 1)
    if decode.forced is not None:
        high = max(high, decode.forced.batch)
    if decode.rate_limited_batch is not None:
        high = max(high, min(decode.rate_limited_batch, 4 * high))
    return 2 ** ceil(log2(high * 1.05))


def sampled(high: int) -> np.ndarray:
    """Whole batches from 1 to `high`: every one while they are few, then in equal ratios.

    >>> sampled(8).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8]
    """
    return ascending(np.round(np.geomspace(1, high, SAMPLES)))


def batch_rows(evaluation: Evaluation) -> tuple[list[Row], set[int]]:
    """The table of 1, 2, 4, ... and the limits; and which row is the best batch."""
    setup, result = evaluation.setup, evaluation.result
    if setup is None or result is None or not result.decode.memory_batch:
        return [], set()
    decode = result.decode
    high = batch_span(decode)
    listed = {2**power for power in range(high.bit_length())}
    forced = decode.forced.batch if decode.forced else None
    named = {decode.best_batch, decode.memory_batch, decode.rate_limited_batch, forced}
    listed |= {batch for batch in named if batch is not None and 1 <= batch <= high}
    batches = np.array(sorted(listed))
    at = curve(setup, batches)
    write = typed.separators()
    rows: list[Row] = [
        (
            Cell(number(batch, 0, write), int(batch)),
            Cell(rate(total, write), float(total)),
            Cell(rate(each, write), float(each)),
            Cell(LIMITS[str(limit)]),
        )
        for batch, total, each, limit in zip(
            batches,
            at.aggregate_tokens_per_s,
            at.per_session_tokens_per_s,
            limits(setup, batches),
            strict=True,
        )
    ]
    chosen = decode.best_batch if forced is None else forced
    return rows, {index for index, batch in enumerate(batches) if batch == chosen}
