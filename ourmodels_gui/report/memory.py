"""What fills each memory, as bars on one scale."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from ..engine.result import PoolShare
from ..summary.memory_parts import Part, parts, shown_sessions
from ..units import capacity, size
from .pictures import Bar, Bars, Fill, Segment
from .placement import pool_title
from .shapes import Column, Figure, Section, Table
from .subject import Subject

FILL_OF = {"routed_experts": "experts", "embedding": "weights", "layers": "weights"}
"""How a bar fills the classes of bytes that have no fill of their own name."""


class _Pool(NamedTuple):
    """A memory that a bar draws: its name, "" for the whole machine, and what fills it."""

    name: str
    capacity_bytes: float
    filled: tuple[Part, ...]


def memory(subjects: Sequence[Subject]) -> Section:
    """Bars of weights, cache, draft, overhead and the free or missing rest; one for each pool."""
    bars, rows = [], []
    for subject in subjects:
        pools, sessions = _pools(subject)
        for pool in pools:
            rest = pool.capacity_bytes - sum(part.size_bytes for part in pool.filled)
            segments = [Segment(cast(Fill, part.role), part.size_bytes) for part in pool.filled]
            if rest > 0:
                segments.append(Segment("free", rest))
            bars.append(Bar(subject.letter, pool.capacity_bytes, tuple(segments), pool.name))
            rows.append(_row(subjects, subject, pool, sessions, rest))
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
    caption = "Each bar is drawn to scale. It shows "
    if any(_is_forced(subject) for subject in subjects):
        caption += "the forced number of sessions; where none is, or the memories are several, "
    caption += (
        "the sessions of the best batch; where none serves, what fits or the first session that "
        "does not. The upright line is the capacity."
    )
    if any(subject.result.placement for subject in subjects):
        caption += " Several devices of one kind are one bar, and the memory of a host is its own."
    figure = Figure("What fills the memory", Bars(tuple(bars)), caption, table)
    return Section("memory", "Memory", (figure, table))


def _is_forced(subject: Subject) -> bool:
    return subject.result.decode.forced is not None and subject.result.placement is None


def _pools(subject: Subject) -> tuple[list[_Pool], int]:
    """The memories of a subject and the sessions in them."""
    placed = subject.result.placement
    if placed is not None and placed.pools:
        made = subject.setup.composition
        assert made is not None
        pools = [
            _Pool(pool_title(made, pool.name), pool.capacity_bytes, _held(pool))
            for pool in placed.pools
        ]
        return pools, subject.result.decode.best_batch or 1
    sessions = shown_sessions(subject.evaluation)
    whole = subject.setup.machine.capacity_bytes
    return [_Pool("", whole, parts(subject.setup, sessions))], sessions


def _held(pool: PoolShare) -> tuple[Part, ...]:
    """What lies in a pool, by the fills of a bar."""
    sizes: dict[str, float] = {}
    for name, size_bytes in pool.held_bytes.items():
        role = FILL_OF.get(name, name)
        sizes[role] = sizes.get(role, 0.0) + size_bytes
    sizes["overhead"] = pool.overhead_bytes
    return tuple(Part(role, role, held) for role, held in sizes.items() if held >= 1.0)


def _row(
    subjects: Sequence[Subject], subject: Subject, pool: _Pool, sessions: int, rest: float
) -> tuple[str, ...]:
    name = subject.title if subject.letter else subject.machine
    if pool.name:
        name = f"{subject.letter}  {pool.name}" if subject.letter else pool.name
    by_role = {part.role: size(part.size_bytes) for part in pool.filled}
    return (
        name,
        capacity(pool.capacity_bytes),
        f"{sessions:,}",
        " + ".join(by_role[role] for role in ("weights", "experts") if role in by_role) or "-",
        " + ".join(by_role[role] for role in ("cache", "state") if role in by_role) or "-",
        *((by_role.get("draft", "-"),) if _drafted(subjects) else ()),
        by_role.get("overhead", "-"),
        f"{size(-rest)} missing" if rest < -1.0 else f"{size(max(rest, 0.0))} free",
    )


def _drafted(subjects: Sequence[Subject]) -> bool:
    return any(subject.setup.speculation is not None for subject in subjects)
