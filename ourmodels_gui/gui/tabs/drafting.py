"""With and without a draft: rates, the acceptance that is needed, and both in a table."""

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from ...engine import placement
from ...engine.curve import curve
from ...engine.setup import Setup
from ...engine.speculation import ROUNDING, acceptance_for, break_even
from ...evaluation import Evaluation
from ...language import tr
from ...summary.spans import batch_span
from ...units import number, rate, size
from .. import typed
from ..tables import Cell, Row
from .batches import why_no_curve


def why_nothing(evaluation: Evaluation) -> str:
    """What keeps the plots empty; "" when there is something to show."""
    if evaluation.setup is None or evaluation.setup.speculation is not None:
        return why_no_curve(evaluation)
    return tr("No draft is asked about. “Compare with a draft” shows what one would bring.")


def rates(setup: Setup, batches: NDArray[np.int64]) -> tuple[np.ndarray, np.ndarray]:
    """The aggregate ceilings with and without speculation [tokens/s]; of a composition, both under
    the policy in use, NaN where memories of unlike speed do not hold so many sessions."""
    policy = None if setup.composition is None else placement.policy(setup).name
    plain = structs.replace(setup, speculation=None)
    return (
        curve(setup, batches, policy).aggregate_tokens_per_s,
        curve(plain, batches, policy).aggregate_tokens_per_s,
    )


def needed_acceptance(setup: Setup, batches: NDArray[np.int64]) -> np.ndarray:
    """The acceptance from which speculation gains; 0 where any will do, NaN where none does."""
    if setup.composition is None:
        needed = break_even(setup, batches)
        assert needed is not None
        return np.where(needed.emitted_tokens <= 1.0 + ROUNDING, 0.0, needed.acceptance)
    assert setup.speculation is not None
    with_draft, without = rates(setup, batches)
    emitted = setup.speculation.emitted_tokens * without / with_draft
    acceptance = acceptance_for(emitted, setup.speculation.draft_tokens)
    return np.where(emitted <= 1.0 + ROUNDING, 0.0, acceptance)


def needed_words(acceptance: float) -> str:
    """The break-even acceptance, or which side it lies on where there is none."""
    if np.isnan(acceptance):
        return tr("none is enough")
    return tr("any") if acceptance == 0.0 else number(acceptance, 2, typed.separators())


def drafting_words(setup: Setup | None) -> str:
    """What drafts, and that it drafts one token after another."""
    rule = tr(
        "Drafts are sequential: each drafted token sweeps the draft's weights and "
        "reads its cache once more. Parallel and tree drafts need a cost model of "
        "their own and are not modelled."
    )
    if setup is None or setup.speculation is None:
        return rule
    draft = setup.speculation.draft
    name = next((str(item.value) for item in setup.assumptions if item.name == "draft"), "")
    write = typed.separators()
    if draft.resident_bytes == 0:
        return tr(
            "Prompt lookup: nothing drafts, so a drafted token costs no traffic. {rule}"
        ).format(rule=rule)
    held = tr("{size} of weights").format(size=size(draft.resident_bytes, write))
    if not name:
        return tr("Draft ({held}). {rule}").format(held=held, rule=rule)
    return tr("Draft: {name} ({held}). {rule}").format(name=name, held=held, rule=rule)


def comparison_rows(evaluation: Evaluation) -> tuple[list[Row], set[int]]:
    """The table of 1, 2, 4, ... and the limits; and which row is the batch in use."""
    setup, result = evaluation.setup, evaluation.result
    if why_nothing(evaluation) or setup is None or result is None:
        return [], set()
    decode = result.decode
    chosen = decode.forced.batch if decode.forced else decode.best_batch
    high = batch_span(result)
    listed = {2**power for power in range(high.bit_length())}
    listed |= {batch for batch in (chosen, decode.memory_batch) if batch}
    batches = np.array(sorted(listed))
    write = typed.separators()
    rows: list[Row] = []
    for batch, with_draft, without, needed in zip(
        batches, *rates(setup, batches), needed_acceptance(setup, batches), strict=True
    ):
        if np.isnan(with_draft):
            continue  # memories of unlike speed do not hold so many
        gain = 100.0 * (with_draft / without - 1.0)
        rows.append(
            (
                Cell(number(batch, 0, write), int(batch)),
                Cell(rate(with_draft, write), float(with_draft)),
                Cell(rate(without, write), float(without)),
                Cell(f"{'+' if gain >= 0 else ''}{number(gain, 0, write)} %", float(gain)),
                Cell(needed_words(float(needed)), "" if np.isnan(needed) else float(needed)),
            )
        )
    return rows, {index for index, row in enumerate(rows) if row[0].value == chosen}
