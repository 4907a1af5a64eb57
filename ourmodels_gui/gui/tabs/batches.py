"""Which numbers of sessions are drawn, offered and listed."""

import numpy as np

from ...engine.ascending import ascending
from ...engine.curve import curve, limits
from ...evaluation import Evaluation
from ...language import mark, tr
from ...summary.figures import NONE
from ...summary.spans import batch_span, rate_limit
from ...units import number, rate
from .. import typed
from ..tables import Cell, Row

SAMPLES = 160
LIMITS = {
    "capacity": mark("does not fit"),
    "floor": mark("below the floor"),
    "compute": mark("compute"),
    "memory": mark("bandwidth"),
    "link": mark("link"),
}


def why_no_curve(evaluation: Evaluation) -> str:
    """What keeps the plot empty; "" when there is something to show."""
    if evaluation.result is None:
        return evaluation.problem.message if evaluation.problem else tr("Nothing is chosen yet.")
    decode = evaluation.result.decode
    if decode.memory_batch:
        return ""
    missing = number(-decode.spare_bytes / 1e9, 1, typed.separators())
    if decode.verdict == "model does not fit":
        missing = number(-decode.resident_margin_bytes / 1e9, 1, typed.separators())
        return tr(
            "The model does not fit: {missing} GB are missing, so there is nothing to decode."
        ).format(missing=missing)
    return tr(
        "Not one session fits beside the model: {missing} GB are missing for the first."
    ).format(missing=missing)


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
    high = batch_span(result)
    listed = {2**power for power in range(high.bit_length())}
    forced = decode.forced.batch if decode.forced else None
    pushed = None if result.placement is None else result.placement.pushed_out_from_batch
    named = {decode.best_batch, decode.memory_batch, rate_limit(result), forced, pushed}
    listed |= {batch for batch in named if batch is not None and 1 <= batch <= high}
    batches = np.array(sorted(listed))
    policy = None if result.placement is None else result.placement.policy
    at = curve(setup, batches, policy)
    write = typed.separators()
    rows: list[Row] = [
        (
            Cell(number(batch, 0, write), int(batch)),
            *(
                Cell(NONE, "") if np.isnan(value) else Cell(rate(value, write), float(value))
                for value in (total, each)
            ),
            Cell(tr(LIMITS[str(limit)])),
        )
        for batch, total, each, limit in zip(
            batches,
            at.aggregate_tokens_per_s,
            at.per_session_tokens_per_s,
            limits(setup, batches, policy),
            strict=True,
        )
    ]
    chosen = decode.best_batch if forced is None else forced
    return rows, {index for index, batch in enumerate(batches) if batch == chosen}
