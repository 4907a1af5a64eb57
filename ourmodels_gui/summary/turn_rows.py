"""Rows of one turn: the first token and the whole answer, alone and beside the other sessions."""

from .. import units
from ..engine.turn import Turn, turn, turn_tokens
from ..language import mark, tr
from ..spoken import spoken
from .figures import Figures, split
from .shapes import Group, Row

FORMULA = mark(
    "t_first + sum over j = 1..A-1 of (W_batch(b) + b K_read(l + L + j)) / (rho "
    "R), where the prompt itself gives the first token"
)


def turns(known: Figures) -> Group | None:
    """What a turn takes; None where no answer length is asked about.

    References: formulation, "Aggregate and per-session ceilings" and "Prefill workload".
    """
    prompt, found = known.setup.prompt, known.result.prefill
    if prompt is None or found is None or prompt.answer_tokens is None:
        return None
    first = found.single_prompt
    alone = beside = None
    decode = known.result.decode
    batch = decode.forced.batch if decode.forced else decode.best_batch
    if first is not None:
        alone = turn(known.setup, first.time_s)
        beside = None if batch in (None, 1) else turn(known.setup, first.time_s, batch or 1)
    why = spoken(found.unavailable or found.verdict, known.separators)
    if first is not None:
        why = tr("the turn grows to {length} tokens, {reserved} are reserved").format(
            length=known.tokens(turn_tokens(prompt)),
            reserved=known.tokens(known.setup.workload.reserved_context_tokens),
        )
    rows = [_row(known, ("turn_s", tr("Whole turn, alone")), alone, 1, why)]
    if batch is not None and batch > 1:
        label = tr("Whole turn beside {count} more").format(count=known.count(batch - 1))
        rows.append(_row(known, ("turn_beside_s", label), beside, batch, why))
    return Group(
        tr("Turn with an answer of {length} tokens").format(
            length=known.tokens(prompt.answer_tokens)
        ),
        tuple(rows),
        "turn",
    )


def _row(known: Figures, named: tuple[str, str], found: Turn | None, batch: int, note: str) -> Row:
    name, label = named
    worked = ""
    if found is not None:
        worked = (
            f"{known.digits(found.first_token_s)} s + {known.digits(found.answer_s)} s = "
            f"{known.digits(found.whole_s)} s"
        )
    return known.row(
        name,
        label,
        None if found is None else split(units.duration(found.whole_s, known.separators)),
        None if found is None else found.whole_s,
        kinds={name: _kind(known, batch)},
        formula=tr(FORMULA),
        worked=worked,
        symbols="R W_batch K_read" + (" rho" if known.step.draft_tokens else ""),
        note=note,
    )


def _kind(known: Figures, batch: int) -> str:
    """A policy ceiling or an estimate where either part is one."""
    prefill, decode = known.result.prefill, known.result.decode
    name = "single_session_tokens_per_s" if batch == 1 else "aggregate_tokens_per_s"
    if decode.forced is not None and batch > 1:
        name = "forced"
    parts = (decode.kind.get(name, ""), "" if prefill is None else prefill.kind.get("time_s", ""))
    return next((kind for kind in ("policy ceiling", "estimate") if kind in parts), "bound")
