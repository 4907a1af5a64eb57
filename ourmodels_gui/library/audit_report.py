"""The lines that `ourmodels catalog check` prints."""

from collections.abc import Iterator
from pathlib import Path

from ..problem import Problem
from .audit import Counts, check, count, own_entries
from .load import load


def report(catalog: Path, user: Path | None) -> tuple[list[str], int]:
    """Counts, then each finding as file, key and what to write instead.

    Parameters: catalog, the folder to check; user, the user's own, which need not exist.
    Returns the lines and the number of findings.
    """
    findings = check(catalog, user)
    lines = list(_counts(count(load(catalog))))
    own = own_entries(load(catalog, user))
    if any(own):
        machines, models, compositions = own
        lines.append(
            f"Yours: {_many(machines, 'machine')}, {_many(models, 'model')}, "
            f"{_many(compositions, 'composition')}."
        )
    lines.append(f"{_many(len(findings), 'finding')}{':' if findings else '.'}")
    lines += [_line(finding) for finding in findings]
    return lines, len(findings)


def _counts(counts: Counts) -> Iterator[str]:
    yield (
        f"{_many(counts.devices, 'device')} in {_many(counts.configurations, 'configuration')}, "
        f"{_many(counts.models, 'model')}, {counts.audited} of them audited."
    )
    for what, held in (("Figures of machines", counts.figures), ("Facts of models", counts.facts)):
        parts = ", ".join(f"{number} {basis}" for basis, number in sorted(held.items()))
        yield f"{what}: {parts or 'none'}; {sum(held.values())} in all."
    yield (
        f"{_many(counts.compositions, 'composition')}, {_many(counts.links, 'link')}, "
        f"{_many(counts.sources, 'source')}."
    )


def _line(finding: Problem) -> str:
    return " ".join(str(finding).split())


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
