"""Several devices and pools: what lies where, and every way of using them side by side."""

from collections.abc import Sequence

from ..engine.result import Placement, PolicyFigures, PoolShare
from ..engine.setup import Composition
from ..units import number, plain, rate, size
from .shapes import Block, Column, Heading, Section, Table, Text, cell
from .subject import Subject

CLASSES = {
    "weights": "Weights",
    "layers": "Whole layers",
    "routed_experts": "Routed\nexperts",
    "embedding": "Input\ntable",
    "cache": "Cache",
    "draft": "Draft",
}
"""Classes of bytes in the order in which a table shows them."""

SAID = (
    "Every way of using the pools is a policy. A bound or an estimate holds for all of them; a "
    "policy ceiling holds for runtimes that work that way, and another way may pass it."
)


def placement(subjects: Sequence[Subject]) -> Section | None:
    """The pools and the policies of every composition; None where there is none."""
    blocks: list[Block] = []
    for subject in subjects:
        made, placed = subject.setup.composition, subject.result.placement
        if made is None or placed is None:
            continue
        if subject.letter:
            blocks.append(Heading(subject.title))
        blocks.append(Text(_built(subject, made)))
        if subject.note:
            blocks.append(Text(subject.note, "muted"))
        suffix = f"-{subject.letter.lower()}" if subject.letter else ""
        if placed.pools:
            blocks += [_pools(subject, made, placed, suffix), Text(_binds(placed))]
        blocks.append(_policies(placed, suffix))
    if not blocks:
        return None
    return Section("placement", "Pools and policies", (Text(SAID, "muted"), *blocks))


def _built(subject: Subject, made: Composition) -> str:
    """What it is made of, what joins it, and how it is used, in sentences."""
    said = " and ".join(pool_title(made, device.name) for device in made.devices)
    if made.host is not None:
        said += f" with the memory of {made.host.name}"
    if made.link_bytes_per_s is not None:
        source = next(
            (told.source for told in subject.result.assumptions if "B_link" in told.name), ""
        )
        name = source.partition(";")[0]
        speed = f"{number(made.link_bytes_per_s / 1e9, 1)} GB/s one way"
        said += f", joined at {speed}" if name == "typed" else f", joined by {name} at {speed}"
    placed = subject.result.placement
    assert placed is not None
    return f"{said}. The decode figures are those of: {placed.policy} ({placed.kind})."


def _binds(placed: Placement) -> str:
    """What limits the rates, and where the cache begins to displace weights."""
    said = []
    if placed.binding is not None:
        said.append(f"All sessions together are limited by the {placed.binding.words}.")
    if placed.single_binding is not None:
        said.append(f"One session alone is limited by the {placed.single_binding.words}.")
    if placed.pushed_out_from_batch is not None:
        said.append(
            f"From {placed.pushed_out_from_batch:,} sessions on their cache takes the room of "
            "weights in the fastest pool, so that more of each step is read from the slower one."
        )
    elif len(placed.pools) > 1:
        said.append("No number of sessions that fits pushes weights out of the fastest pool.")
    return " ".join(said)


def pool_title(made: Composition, name: str) -> str:
    """The name of a pool with the number of its devices."""
    counts = {device.name: device.count for device in made.devices}
    count = counts.get(name, 1)
    return f"{count} x {name}" if count > 1 else name


def _pools(subject: Subject, made: Composition, placed: Placement, suffix: str) -> Table:
    held = [name for name in CLASSES if any(_holds(pool, name) for pool in placed.pools)]
    sessions = subject.result.decode.best_batch or 1
    columns = (
        Column("Pool", 2.2),
        Column("Capacity", 0.9, numeric=True),
        *(Column(CLASSES[name], 0.9, numeric=True) for name in held),
        Column("Overhead", 0.9, numeric=True),
        Column("Free", 0.9, numeric=True),
        Column("Read\na step", 0.9, numeric=True),
        Column("Works\nms", 0.7, numeric=True),
    )
    rows = tuple(
        (
            cell(pool_title(made, pool.name)),
            size(pool.capacity_bytes),
            *(size(pool.held_bytes[name]) if _holds(pool, name) else "-" for name in held),
            size(pool.overhead_bytes),
            size(free_bytes(pool)),
            size(pool.traffic_bytes),
            f"{1e3 * pool.time_s:.3g}",
        )
        for pool in placed.pools
    )
    many = "1 session" if sessions == 1 else f"{plain(sessions)} sessions"
    return Table(
        f"pools{suffix}",
        f"What lies where, with {many}",
        columns,
        rows,
        note="Sizes are of all devices of a pool together.",
    )


def free_bytes(pool: PoolShare) -> float:
    """What is left of a pool, never below zero: rounding alone can make it negative."""
    return max(pool.capacity_bytes - pool.overhead_bytes - sum(pool.held_bytes.values()), 0.0)


def _holds(pool: PoolShare, name: str) -> bool:
    return pool.held_bytes.get(name, 0.0) >= 1.0


def _policies(placed: Placement, suffix: str) -> Table:
    columns = (
        Column("Policy", 2.4),
        Column("Kind", 0.9),
        Column("Sessions", 0.8, numeric=True),
        Column("All\ntok/s", 0.8, numeric=True),
        Column("Each\ntok/s", 0.8, numeric=True),
        Column("Alone\ntok/s", 0.8, numeric=True),
        Column("What limits\nall together", 1.7),
        Column("What limits\none alone", 1.7),
    )
    rows = tuple(_policy(policy) for policy in placed.policies)
    return Table(
        f"policies{suffix}",
        "The policies side by side",
        columns,
        rows,
        note="The first is the one asked for. Rates are those of the sessions that give the most "
        "together; 1 ... 9 means that up to 9 keep the floor.",
        strong=frozenset((0,)),
    )


def _policy(policy: PolicyFigures) -> tuple[str, ...]:
    groups = f" ({policy.groups} groups)" if (policy.groups or 1) > 1 else ""
    return (
        policy.name + groups,
        policy.kind,
        usable(policy.best_batch, policy.last_usable_batch),
        _rate(policy.aggregate_tokens_per_s),
        _rate(policy.per_session_tokens_per_s),
        _rate(policy.single_session_tokens_per_s),
        cell(policy.binding.words) if policy.binding else "-",
        cell(policy.single_binding.words) if policy.single_binding else "-",
    )


def usable(best: int | None, last: int | None) -> str:
    """The best batch, and up to how many sessions keep the floor where more do.

    >>> usable(4, 4), usable(1, 9), usable(None, None)
    ('4', '1 ... 9', '-')
    """
    if best is None:
        return "-"
    return f"{best:,}" if last is None or last == best else f"{best:,} ... {last:,}"


def _rate(figure: float | None) -> str:
    return "-" if figure is None else rate(figure)
