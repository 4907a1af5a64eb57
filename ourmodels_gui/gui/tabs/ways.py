"""Every way that a composition could be used in, with its figures and the edit that chooses it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import structs

from ...engine.placement import pools_of
from ...engine.placement.experts import ExpertSplit, ReplicatedAttention
from ...engine.placement.figures import side_by_side
from ...engine.placement.layers import groups_name
from ...engine.placement.pools import NAMES
from ...engine.placement.tensor import HeadSplit, TensorSplit
from ...engine.result import PolicyFigures
from ...engine.setup import Composition, Setup, Split
from ...evaluation import Evaluation
from ...language import tr
from ...spoken import spoken
from ...summary.figures import NONE
from ...summary.placement_rows import binding_words
from ...units import number, rate
from .. import typed
from ..tables import Cell, Row

SPLIT, GROUPS, POOLS = "hardware.split", "hardware.groups", "hardware.pools"
SPLITS: tuple[Split, ...] = ("tensor", "layers", "experts")


class Way(NamedTuple):
    """One policy. changes: of the scenario, that choose it. in_use: the figures are of it."""

    figures: PolicyFigures
    changes: dict[str, Any]
    in_use: bool


def ways(evaluation: Evaluation) -> list[Way]:
    """The policies of the composition under each of its splits, in an order that stays when one of
    them is chosen; empty for one pool."""
    setup, result = evaluation.setup, evaluation.result
    if setup is None or setup.composition is None or result is None or result.placement is None:
        return []
    placed, composition = result.placement, setup.composition
    found = {figures.name: figures for figures in placed.policies}
    for other in _other_splits(setup):
        varied = structs.replace(composition, split=other, groups=None)
        for way, figures in side_by_side(structs.replace(setup, composition=varied)):
            found[way.name] = figures
    choices = _choices(composition)
    return [
        Way(found[name], changes, name == placed.policy)
        for name, changes in choices
        if name in found
    ]


def way_rows(evaluation: Evaluation, offered: list[Way]) -> tuple[list[Row], set[int]]:
    """The table of the ways: kind, sessions, rates, what binds; and which row is in use."""
    composition = evaluation.setup.composition if evaluation.setup else None
    rows: list[Row] = []
    for figures, _, in_use in offered:
        name, kind = spoken(figures.name), spoken(figures.kind)
        rows.append(
            (
                Cell(f"\u2713 {name}" if in_use else name, name, f"{name}: {kind}"),
                Cell(kind, figures.kind, kind),
                _sessions(figures),
                _rate(figures.aggregate_tokens_per_s),
                _rate(figures.per_session_tokens_per_s),
                _rate(figures.single_session_tokens_per_s),
                Cell(_limit(figures, composition)),
            )
        )
    return rows, {index for index, way in enumerate(offered) if way.in_use}


def _limit(figures: PolicyFigures, composition: Composition | None) -> str:
    if not figures.memory_batch:
        return tr("does not fit")
    if figures.binding is None:
        return tr("below the floor")
    alike = composition is not None and len(pools_of(composition)) == 1
    if alike:
        return tr(figures.binding.resource)
    return binding_words(figures.binding, composition)


def _sessions(figures: PolicyFigures) -> Cell:
    """The best batch, and up to how many keep the floor where more do."""
    best, last = figures.best_batch, figures.last_usable_batch
    if best is None or last is None:
        return Cell(NONE, "")
    write = typed.separators()
    words = number(best, 0, write)
    if last == best:
        return Cell(words, best)
    most = number(last, 0, write)
    note = tr("most together with {best}; up to {most} keep the floor")
    return Cell(f"{words} \u2026 {most}", best, note.format(best=words, most=most))


def _rate(value: float | None) -> Cell:
    return Cell(NONE, "") if value is None else Cell(rate(value, typed.separators()), value)


def _other_splits(setup: Setup) -> Iterator[Split]:
    """The splits beside the one in use, where equal devices have a choice of them."""
    composition = setup.composition
    assert composition is not None
    if composition.host is not None or len(composition.devices) > 1:
        return
    for split in SPLITS:
        if split != composition.split and (split != "experts" or setup.model.experts):
            yield split


def _choices(composition: Composition) -> list[tuple[str, dict[str, Any]]]:
    """Every policy by its name, with the edit that chooses it."""
    if composition.host is not None:
        chosen = {"both": None, "sequential": "sequential", "streamed": "streamed"}
        return [(NAMES[mode], {POOLS: value}) for mode, value in chosen.items()]
    tensor, experts = ({SPLIT: split, GROUPS: None} for split in ("tensor", "experts"))
    one = NAMES["sequential"] if len(composition.devices) > 1 else groups_name(1)
    layers = {groups_name(None): None, groups_name(composition.groups): composition.groups, one: 1}
    return [
        (TensorSplit.name, tensor),
        (HeadSplit.name, tensor),
        *((name, {SPLIT: None, GROUPS: groups}) for name, groups in layers.items()),
        (ExpertSplit.name, experts),
        (ReplicatedAttention.name, experts),
    ]
