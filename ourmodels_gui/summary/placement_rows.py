"""Rows of a composition: every way of using its pools, what binds, and what lies where."""

from .. import units
from ..engine.result import Binding, PolicyFigures, PoolShare
from .figures import NONE, Figures, split
from .shapes import Group, Row

RATE = "tok/s"


def placement(known: Figures) -> Group | None:
    """The policies side by side, the one in use first, and its pools; None for one pool."""
    placed = known.result.placement
    if placed is None:
        return None
    rows = [_policy(known, policy) for policy in placed.policies]
    rows += [_pool(known, pool) for pool in placed.pools]
    if placed.pushed_out_from_batch is not None:
        rows.append(
            Row(
                "placement",
                "Sessions push weights out",
                known.count(placed.pushed_out_from_batch),
                "sessions and more",
                placed.pushed_out_from_batch,
                note="their cache takes the room of weights in the fastest pool",
            )
        )
    return Group(f"Pools: {placed.policy}", tuple(rows))


def binding_words(binding: Binding | None) -> str:
    """A resource and its place, as people say it.

    >>> binding_words(Binding("memory", "RTX 3090")), binding_words(Binding("link", "between"))
    ('memory of RTX 3090', 'link, between')
    """
    if binding is None:
        return ""
    if not binding.place:
        return binding.resource
    joined = ", " if binding.resource == "link" else " of "
    return f"{binding.resource}{joined}{binding.place}"


def _policy(known: Figures, policy: PolicyFigures) -> Row:
    single, best = policy.single_session_tokens_per_s, policy.best_batch
    gives = policy.aggregate_tokens_per_s
    told = []
    if best is not None and policy.per_session_tokens_per_s is not None:
        many = "session" if best == 1 else "sessions"
        groups = f" in {policy.groups} groups" if (policy.groups or 1) > 1 else ""
        told.append(
            f"{known.count(best)} {many}{groups} at {known.rate(policy.per_session_tokens_per_s)}, "
            f"limited by {binding_words(policy.binding)}"
        )
    if single is not None:
        told.append(
            f"one alone {known.rate(single)}, limited by {binding_words(policy.single_binding)}"
        )
    told += _prompt(known, policy)
    return Row(
        "placement",
        policy.name,
        NONE if gives is None else known.rate(gives),
        "" if gives is None else RATE,
        gives,
        kind=policy.kind,
        worked="; ".join(told),
        note="" if best is not None else "no batch serves under this policy",
    )


def _prompt(known: Figures, policy: PolicyFigures) -> list[str]:
    """What the policy makes of the prompt; nothing where none is asked about."""
    prompt = policy.prompt
    if prompt is None:
        return []
    if prompt.tokens_per_s is None or prompt.time_s is None:
        known_ = prompt.verdict != "serves"
        return [f"prompt: {prompt.verdict if known_ else 'arithmetic or traffic unknown'}"]
    many = "" if prompt.batch == 1 else f"{known.count(prompt.batch or 0)} at once "
    return [
        f"prompt {many}in {units.duration(prompt.time_s, known.separators)} at "
        f"{known.rate(prompt.tokens_per_s)}, limited by {binding_words(prompt.binding)}"
    ]


def _pool(known: Figures, pool: PoolShare) -> Row:
    names = {"routed_experts": "routed experts", "layers": "whole layers"}
    held = {name: size for name, size in pool.held_bytes.items() if size >= 1.0}
    listed = " + ".join(
        f"{names.get(name, name)} {known.size(size)}" for name, size in held.items()
    )
    text, unit = split(known.size(sum(held.values())))
    return Row(
        "placement",
        f"In {pool.name}",
        text,
        unit,
        sum(held.values()) / 1e9,
        worked=f"{listed or 'nothing'}; of {known.size(pool.capacity_bytes)}, overhead "
        f"{known.size(pool.overhead_bytes)}; moves {known.size(pool.traffic_bytes)} a step in "
        f"{known.digits(1e3 * pool.time_s)} ms",
    )
