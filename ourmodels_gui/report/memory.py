"""What fills each memory, as bars on one scale."""

from collections.abc import Sequence
from typing import cast

from ..summary.memory_parts import parts, shown_sessions
from ..units import capacity, size
from .pictures import Bar, Bars, Fill, Segment
from .shapes import Column, Figure, Section, Table
from .subject import Subject


def memory(subjects: Sequence[Subject]) -> Section:
    """Bars of weights, cache, draft, overhead and the free or missing rest."""
    bars, rows = [], []
    for subject in subjects:
        sessions = shown_sessions(subject.evaluation)
        filled = parts(subject.setup, sessions)
        whole = subject.setup.machine.capacity_bytes
        rest = whole - sum(part.size_bytes for part in filled)
        segments = [Segment(cast(Fill, part.role), part.size_bytes) for part in filled]
        if rest > 0:
            segments.append(Segment("free", rest))
        bars.append(Bar(subject.letter, whole, tuple(segments)))
        by_role = {part.role: size(part.size_bytes) for part in filled}
        rows.append(
            (
                subject.title if subject.letter else subject.machine,
                capacity(whole),
                f"{sessions:,}",
                by_role.get("weights", "-"),
                " + ".join(by_role[role] for role in ("cache", "state") if role in by_role) or "-",
                *((by_role.get("draft", "-"),) if _drafted(subjects) else ()),
                by_role.get("overhead", "-"),
                f"{size(rest)} free" if rest >= 0 else f"{size(-rest)} missing",
            )
        )
    columns = (
        Column("Machine", 2.2),
        Column("Capacity", 1.3),
        Column("Sessions", 0.8, numeric=True),
        Column("Weights", 0.9, numeric=True),
        Column("Cache", 0.9, numeric=True),
        *((Column("Draft", 0.8, numeric=True),) if _drafted(subjects) else ()),
        Column("Overhead", 0.9, numeric=True),
        Column("Rest", 1.3, numeric=True),
    )
    table = Table("memory", "The bars in figures", columns, tuple(rows))
    caption = (
        "Each bar is drawn to scale. It shows the sessions of the best batch; where none serves, "
        "what fits or the first session that does not. The upright line is the capacity."
    )
    figure = Figure("What fills the memory", Bars(tuple(bars)), caption, table)
    return Section("memory", "Memory", (figure, table))


def _drafted(subjects: Sequence[Subject]) -> bool:
    return any(subject.setup.speculation is not None for subject in subjects)
