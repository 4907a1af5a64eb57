"""What lies in each memory of a composition: the parts of its bars, and what is off the devices."""

from typing import NamedTuple

from ..engine import placement
from ..engine.costs import cache_alloc_bytes
from ..engine.result import PoolShare
from ..engine.setup import Device, Setup
from ..evaluation import Evaluation
from ..language import tr
from ..units import ENGLISH, Separators, number, plain
from .memory_parts import Part, shown_sessions

LEAST_BYTES = 1.0
"""Less than a byte is what rounding leaves."""


class PoolParts(NamedTuple):
    """One memory, all its devices together. parts: in the order they are drawn, the free rest not
    among them."""

    name: str
    capacity_bytes: float
    parts: tuple[Part, ...]

    @property
    def free_bytes(self) -> float:
        return self.capacity_bytes - sum(part.size_bytes for part in self.parts)


def pool_parts(evaluation: Evaluation, separators: Separators = ENGLISH) -> tuple[PoolParts, ...]:
    """The memories of a composition with what lies in each; empty for one pool, and where a
    session or the model does not fit."""
    shares = _shares(evaluation)
    setup = evaluation.setup
    if setup is None or setup.composition is None:
        return ()
    sessions = shown_sessions(evaluation)
    pools = placement.pools_of(setup.composition)
    return tuple(
        PoolParts(
            _name(share, pools),
            share.capacity_bytes,
            _parts(setup, share, sessions, separators),
        )
        for share in shares
    )


def off_devices(evaluation: Evaluation, separators: Separators = ENGLISH) -> tuple[str, ...]:
    """How much of each class lies in the system's memory, as people count it: experts by layers."""
    setup = evaluation.setup
    if setup is None or setup.composition is None or setup.composition.host is None:
        return ()
    shares = _shares(evaluation)
    if len(shares) < 2:
        return ()
    host = next(share for share in shares if share.name == setup.composition.host.name)
    told = []
    for name, words in (
        ("weights", tr("{share} % of the other weights")),
        ("cache", tr("{share} % of the cache")),
        ("draft", tr("{share} % of the draft")),
    ):
        part = _share_of(name, host, shares)
        if part > 0:
            told.append(words.format(share=_percent(part, separators)))
    experts = _share_of("routed_experts", host, shares)
    if experts > 0:
        told.insert(0, _layers(setup, experts, separators))
    return tuple(told)


def _layers(setup: Setup, share: float, separators: Separators) -> str:
    assert setup.composition is not None
    shape = setup.composition.shape
    layers = 0 if shape is None else sum(shape.expert_layers)
    if not layers:
        return tr("{share} % of the experts").format(share=_percent(share, separators))
    count = max(round(share * layers), 1)
    return tr("the experts of {count} of {layers} layers").format(
        count=number(count, 0, separators), layers=number(layers, 0, separators)
    )


def _shares(evaluation: Evaluation) -> tuple[PoolShare, ...]:
    """What the engine says lies where with the sessions that are shown; empty where they do not
    fit."""
    setup, result = evaluation.setup, evaluation.result
    if setup is None or result is None or result.placement is None:
        return ()
    sessions = shown_sessions(evaluation)
    if not result.placement.pools or sessions > (result.decode.memory_batch or 0):
        return ()
    if sessions == (result.decode.best_batch or 1):
        return result.placement.pools
    return placement.policy(setup, result.placement.policy).shares(sessions)


def _share_of(name: str, host: PoolShare, shares: tuple[PoolShare, ...]) -> float:
    """Which part of a class lies in the host's memory; what rounding leaves is nothing."""
    whole = sum(share.held_bytes.get(name, 0.0) for share in shares)
    held = host.held_bytes.get(name, 0.0)
    return held / whole if whole and held > LEAST_BYTES else 0.0


def _percent(share: float, separators: Separators) -> str:
    return plain(max(round(100 * share), 1), separators)


def _name(share: PoolShare, pools: tuple[Device, ...]) -> str:
    count = next((pool.count for pool in pools if pool.name == share.name), 1)
    return f"{count} x {share.name}" if count > 1 else share.name


def _parts(
    setup: Setup, share: PoolShare, sessions: int, separators: Separators
) -> tuple[Part, ...]:
    held = _by_class(setup, share.held_bytes, sessions)
    count = number(sessions, 0, separators)
    found = (
        Part("weights", tr("weights"), held.get("weights", 0.0)),
        Part("experts", tr("experts"), held.get("routed_experts", 0.0)),
        Part("weights", tr("embedding"), held.get("embedding", 0.0)),
        Part("cache", tr("cache × {sessions}").format(sessions=count), held.get("cache", 0.0)),  # noqa: RUF001
        Part("draft", tr("draft"), held.get("draft", 0.0)),
        Part("overhead", tr("overhead"), share.overhead_bytes),
    )
    return tuple(part for part in found if part.size_bytes > LEAST_BYTES)


def _by_class(setup: Setup, held: dict[str, float], sessions: int) -> dict[str, float]:
    """The same by class, where whole layers lie together: all layers hold alike."""
    layers = held.get("layers", 0.0)
    if not layers:
        return held
    model, work = setup.model, setup.workload
    reserved = work.reserved_context_tokens
    cache = sessions * float(cache_alloc_bytes(model.cache, reserved, work.cache_policy))
    experts = sum(group.routed * group.expert_bytes for group in model.experts)
    assert setup.composition is not None and setup.composition.shape is not None
    other = model.always_bytes - setup.composition.shape.head_bytes
    share = layers / (cache + experts + other)
    return {
        "weights": held.get("weights", 0.0) + share * other,
        "routed_experts": share * experts,
        "embedding": held.get("embedding", 0.0),
        "cache": share * cache,
        "draft": held.get("draft", 0.0),
    }
