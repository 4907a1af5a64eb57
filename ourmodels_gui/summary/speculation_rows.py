"""Rows of speculation: what it needs to gain, and where it loses."""

from ..language import tr
from ..spoken import spoken
from .figures import Figures
from .shapes import Group, Row


def speculation(known: Figures) -> Group | None:
    """What speculation needs to gain, and where it loses."""
    found = known.result.decode.speculation
    if found is None:
        return None
    formula = (
        "[W(b(gamma+1)) + gamma W_draft + b (K_read + gamma K_draft,read)] / [W(b) + b K_read]"
    )
    symbols = "gamma rho K_read K_draft,read"
    rows = [
        known.row(
            "emitted_tokens_per_iteration",
            tr("Emitted per iteration, rho"),
            (known.digits(found.emitted_tokens_per_iteration), tr("tokens")),
            found.emitted_tokens_per_iteration,
            kinds={},
            formula=tr("(1 - alpha^(gamma+1)) / (1 - alpha), or as typed"),
            symbols="gamma rho",
        )
    ]
    for name, label, accepted, value, acceptance, note in (
        (
            "break_even_at_1",
            tr("Break-even rho at one session"),
            tr("Break-even acceptance at one session"),
            found.break_even_at_1,
            found.break_even_acceptance_at_1,
            found.note_at_1,
        ),
        (
            "break_even_at_best",
            tr("Break-even rho at the best batch"),
            tr("Break-even acceptance at the best batch"),
            found.break_even_at_best,
            found.break_even_acceptance_at_best,
            found.note_at_best,
        ),
    ):
        rows.append(
            known.row(
                name,
                label,
                None if value is None else (known.digits(value), tr("tokens")),
                value,
                kinds={},
                formula=formula,
                symbols=symbols,
                note=spoken(note, known.separators),
            )
        )
        rows.append(
            known.row(
                name.replace("break_even", "break_even_acceptance"),
                accepted,
                None if acceptance is None else (known.digits(acceptance), ""),
                acceptance,
                kinds={},
                formula=tr(
                    "alpha of rho = (1 - alpha^(gamma+1)) / (1 - alpha) at the break-even rho"
                ),
                symbols="gamma",
                note=spoken(note, known.separators),
            )
        )
    loses = ", ".join(
        tr("{first} to {last}").format(first=known.count(first), last=known.count(last))
        if first != last
        else known.count(first)
        for first, last in found.loses_at
    )
    rows.append(
        Row(
            "loses_at",
            tr("Loses at batches"),
            loses or tr("none that fit"),
            value=loses,
            formula=f"rho < {formula}",
        )
    )
    return Group(tr("Speculation"), tuple(rows), "speculation")
