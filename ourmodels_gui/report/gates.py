"""The gates that a batch has to pass, and every figure side by side."""

from collections.abc import Callable, Sequence

from ..engine.capacity import capacity
from ..summary.figures import NONE
from ..units import plain, size, tokens
from .shapes import Column, Section, Table
from .subject import Subject

NOTHING = (NONE, "")
LAST = "The largest batch that keeps the floor"
BINDING = {"memory": "memory: one more does not fit", "floor": "floor: one more is too slow"}


def gates(subjects: Sequence[Subject]) -> Section:
    """Gates in the order in which they are tested, then the figures of the ledger."""
    return Section("gates", "Gates and figures", (_gates(subjects), figures(subjects)))


def _heads(subjects: Sequence[Subject], first: str) -> tuple[Column, ...]:
    wide = 2.0 if len(subjects) < 4 else 1.5
    return (Column(first, wide), *(Column(subject.head, 1, numeric=True) for subject in subjects))


def _gates(subjects: Sequence[Subject]) -> Table:
    rows: tuple[tuple[str, Callable[[Subject], str]], ...] = (
        ("Capacity, C", lambda s: size(s.setup.machine.capacity_bytes)),
        ("Weights, W_resident", lambda s: size(s.setup.model.resident_bytes)),
        ("Overhead, O", lambda s: size(s.setup.workload.overhead_bytes)),
        ("Gate 1: the model fits, C >= W_resident + O", _first),
        ("One session reserves", lambda s: size(capacity(s.setup).session_bytes)),
        ("Gate 2: sessions that fit, b_mem", lambda s: _count(s.result.decode.memory_batch)),
        (
            "Floor, r_star",
            lambda s: f"{plain(s.setup.workload.floor_tokens_per_s)} tok/s",
        ),
        (
            "Gate 3: the rate allows, b_rate",
            lambda s: _count(s.result.decode.rate_limited_batch, "any"),
        ),
        *(((LAST, _last),) if any(s.result.placement for s in subjects) else ()),
        ("Best batch, b*", lambda s: _count(s.result.decode.best_batch, "none")),
        ("What keeps it from growing", _binding),
        ("Verdict", lambda s: s.result.decode.verdict),
    )
    return Table(
        "gates",
        "Gates",
        _heads(subjects, "Gate"),
        tuple((name, *(told(subject) for subject in subjects)) for name, told in rows),
        note=" ".join(filter(None, (_contexts(subjects), _pooled(subjects)))),
        strong=frozenset(
            place
            for place, (name, _) in enumerate(rows)
            if name.startswith("Gate") or name == "Verdict"
        ),
    )


def _last(subject: Subject) -> str:
    placed = subject.result.placement
    if placed is None:
        return _count(subject.result.decode.best_batch, "none")
    return _count(placed.in_use.last_usable_batch, "none")


def _binding(subject: Subject) -> str:
    decode = subject.result.decode
    without = "-" if decode.best_batch is None else "more together are not faster"
    return BINDING.get(decode.binding_gate, without)


def _pooled(subjects: Sequence[Subject]) -> str:
    if not any(subject.result.placement for subject in subjects):
        return ""
    return (
        "b_rate of several devices is that of all their memories together, which no way of using "
        "them exceeds; the largest batch below it is that of the way in use."
    )


def _contexts(subjects: Sequence[Subject]) -> str:
    reserved = {subject.setup.workload.reserved_context_tokens for subject in subjects}
    if len(reserved) > 1:
        return ""
    return f"A session reserves {tokens(reserved.pop())} tokens of context."


def _first(subject: Subject) -> str:
    margin = subject.result.decode.resident_margin_bytes
    return f"✓ {size(margin)} left" if margin >= 0 else f"✗ {size(-margin)} missing"


def _count(value: int | None, without: str = "-") -> str:
    return without if value is None else f"{value:,}"


def figures(subjects: Sequence[Subject]) -> Table:
    """Every figure of the ledgers, those of the same name in one row."""
    names: dict[tuple[str, str], None] = {}
    found: list[dict[tuple[str, str], tuple[str, str]]] = []
    for subject in subjects:
        held: dict[tuple[str, str], tuple[str, str]] = {}
        for group in subject.summary.groups:
            for row in group.rows:
                key = (_family(group.title), _label(group.title, row.label))
                held[key] = (f"{row.text} {row.unit}".strip(), row.kind)
                names.setdefault(key)
        found.append(held)
    families = {family: None for family, _ in names}
    rows: list[tuple[str, ...]] = []
    strong: list[int] = []
    for family in families:
        cells = {
            key[1]: [held.get(key, NOTHING) for held in found] for key in names if key[0] == family
        }
        shown = [_row(label, row) for label, row in cells.items() if any(c != NOTHING for c in row)]
        if shown:
            strong.append(len(rows))
            rows += [(family, *("" for _ in subjects)), *shown]
    return Table(
        "figures",
        "Every figure",
        _heads(subjects, "Figure"),
        tuple(rows),
        note="bound: no system with these inputs can exceed it; estimate: an input is an average "
        "or a measured rate. Figures that exist for none are left out.",
        strong=frozenset(strong),
    )


def _row(label: str, cells: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The kind stands behind the label where all have the same, else behind each value."""
    kinds = {kind for _, kind in cells if kind}
    if len(kinds) == 1:
        return (f"{label} ({kinds.pop()})", *(text for text, _ in cells))
    return (label, *(f"{text}, {kind}" if kind else text for text, kind in cells))


def _family(title: str) -> str:
    return title.partition(":")[0]


def _label(title: str, label: str) -> str:
    """A forced concurrency says for how many sessions its figures are."""
    _, _, forced = title.partition(": ")
    return f"{label}, {forced}" if title.startswith("Forced") else label
