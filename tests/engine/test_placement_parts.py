"""The bytes of a setup by class with the arithmetic that is done on them, written out in units."""

import itertools

import msgspec
import numpy as np
import pytest
from composition_setups import composed
from decode_setups import BF16

from ourmodels_gui.engine.placement.arithmetic import ANYWHERE, readers, work
from ourmodels_gui.engine.placement.parts import parts
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Device,
    Draft,
    Experts,
    Machine,
    ModelCosts,
    ModelShape,
    Speculation,
    TypedCache,
)
from ourmodels_gui.engine.step import decode_step

SETS = (Experts(8, 2, 3.0), Experts(4, 1, 5.0))
DRAFTED = (Experts(6, 2, 0.5),)
RESERVED, READ, WINDOW = 10, 7, 4
LAYERS = (
    CacheLayer("full", 2, 1.0, 1.5),
    CacheLayer("window", 3, 2.0, 2.0, window_tokens=WINDOW),
    CacheLayer("full", 1, 3.0, 0.25),
    CacheLayer("state", 2, state_bytes=6.0),
)
ATTENTION = (
    AttentionLayer("full", 2, 11.0),
    AttentionLayer("window", 3, 13.0, window_tokens=WINDOW),
    AttentionLayer("full", 1, 17.0),
    AttentionLayer("state", 2, flop_per_token=19.0),
)
# Held and read by one session, and FLOPs of one position: 4 width for each of 8 tokens in sight.
OF_LAYERS = (
    (2 * 1.0 * RESERVED, 2 * 1.5 * READ, 2 * 4 * 11.0 * 8),
    (3 * 2.0 * WINDOW, 3 * 2.0 * WINDOW, 3 * 4 * 13.0 * WINDOW),
    (1 * 3.0 * RESERVED, 1 * 0.25 * READ, 1 * 4 * 17.0 * 8),
    (2 * 6.0, 2 * 6.0, 2 * 19.0),
)
TYPED = TypedCache(30.0, 40.0)
ALL_ATTENTION = sum(flop for *_, flop in OF_LAYERS)
BATCH, WORKING = np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 4.5])


def touched(group, routings):
    return group.routed * (1 - (1 - group.per_token / group.routed) ** routings)


def weights(costs, routings, routing, times, names):
    """Rows of class, bytes held, bytes moved at each batch; those of experts in the middle."""
    resident, always, sets = costs
    swept = always + sum(group.routed * group.expert_bytes for group in sets)
    held = min(1.0, resident / swept)
    rows = [(names[0], always * held, always * times)]
    for group in sets:
        one = group.expert_bytes
        if routing == "floor":
            rows.append((names[1], group.per_token * one * held, group.per_token * one * times))
            rows.append((names[1], (group.routed - group.per_token) * one * held, 0.0))
        else:
            moved = touched(group, routings) * one * times
            rows.append((names[1], group.routed * one * held, moved))
    rows.append((names[2], max(resident - swept, 0.0), 0.0))
    return [(name, one + 0.0 * routings, moved + 0.0 * routings) for name, one, moved in rows]


def caches(name, each, times=1.0):
    rows = []
    for held, read, *_ in each:
        rows.append((name, min(read, held) * BATCH, times * read * WORKING))
        rows.append((name, (held - min(read, held)) * BATCH, 0.0 * BATCH))
    return rows


def made(cache, resident, gamma=0, routing="expected", **shape):
    draft = Draft(9.0, 2.0, DRAFTED, (CacheLayer("full", 1, 4.0, 1.0),), 8, modules=2)
    model = ModelCosts(
        resident,
        7.0,
        cache,
        SETS,
        linear_active_parameters=100.0,
        head_parameters=20.0,
        attention=ATTENTION,
    )
    return composed(
        model,
        [Device("card", Machine(1e6, 1.0, {BF16: 1.0}))],
        Speculation(gamma, 2.0, draft) if gamma else None,
        host=Device("host", Machine(1e6, 1.0)),
        routing=routing,
        reserved_context_tokens=RESERVED,
        read_context_tokens=READ,
        shape=ModelShape(10, 2, **shape),
    )


def literal(found, gamma, routing):
    """Rows of class, bytes held and bytes moved, the draft's last."""
    model = found.model
    names = ("weights", "routed_experts", "embedding")
    costs = (model.resident_bytes, 7.0, SETS)
    rows = weights(costs, WORKING * (gamma + 1), routing, 1.0, names)
    typed = model.cache is TYPED
    rows += caches("cache", [(30.0, 40.0)] if typed else OF_LAYERS)
    drafted = []
    if gamma:
        costs = (9.0, 2.0, DRAFTED)
        drafted = weights(costs, WORKING, routing, float(gamma), ("draft",) * 3)
        # Eight of the ten tokens are kept, seven read by one of two modules.
        drafted += caches("draft", [(4.0 * 8, 7.0 / 2)], float(gamma))
    return rows, drafted


def check(found, wanted):
    assert found.classes == tuple(row[0] for row in wanted)
    assert found.held_bytes == pytest.approx(np.array([row[1] for row in wanted]), abs=1e-12)
    assert found.moved_bytes == pytest.approx(np.array([row[2] for row in wanted]), abs=1e-12)


CASES = list(itertools.product(("expected", "floor"), (LAYERS, TYPED), (40.0, 80.0), (0, 1, 3)))


@pytest.mark.parametrize(("routing", "cache", "resident", "gamma"), CASES)
def test_bytes_lie_and_move_by_class(routing, cache, resident, gamma):
    """51 bytes are swept in all; of 40 that are held each is swept more than once."""
    found = made(cache, resident, gamma, routing)
    step = decode_step(found, found.speculation)
    rows, drafted = literal(found, gamma, routing)
    check(
        parts(found, step, BATCH, WORKING),
        [row for row in (*rows, *drafted) if row[1].any() or row[2].any()],
    )


@pytest.mark.parametrize(("routing", "cache", "resident", "gamma"), CASES)
@pytest.mark.parametrize("inside", [None, 60.0])
def test_arithmetic_lies_with_the_bytes_it_is_done_on(routing, cache, resident, gamma, inside):
    """60 of 100 parameters are those of the chosen experts, 6 bytes of one set and 5 of another."""
    found = made(cache, resident, gamma, routing, expert_parameters=inside)
    step = decode_step(found, found.speculation)
    rows, drafted = literal(found, gamma, routing)
    positions = WORKING * (gamma + 1)
    linear = [0.0] * (len(rows) + len(drafted))
    attention = list(linear)
    if inside is not None:
        linear[0] = 2 * (100.0 + 20.0 - 60.0)
        for place, share in zip((1, 3) if routing == "floor" else (1, 2), (6, 5), strict=True):
            linear[place] = 2 * 60.0 * share / 11
    if cache is LAYERS:
        for place, (*_, flop) in zip(range(len(rows) - 8, len(rows), 2), OF_LAYERS, strict=True):
            attention[place] = flop
    linear.append(2 * 120.0 - sum(linear))
    attention.append(ALL_ATTENTION - sum(attention))
    given = work(found, step, (BATCH, WORKING), whole_layers=False)
    check(given.parts, [*rows, *drafted, (ANYWHERE, 0.0 * BATCH, 0.0 * BATCH)])
    assert given.linear_flop == pytest.approx(np.outer(linear, positions), abs=1e-9)
    assert given.attention_flop == pytest.approx(np.outer(attention, positions), abs=1e-9)
    at = given.at_rates(np.array([0.0, 1.0, 3.0]))
    assert at.moved_bytes == pytest.approx(
        np.outer(linear, positions) + np.outer(attention, positions) * [0.0, 1.0, 3.0], abs=1e-9
    )
    assert at.held_bytes is given.parts.held_bytes


@pytest.mark.parametrize(("routing", "cache", "resident", "gamma"), CASES)
def test_whole_layers_keep_all_but_the_head_and_the_tables_together(
    routing, cache, resident, gamma
):
    found = made(cache, resident, gamma, routing, head_bytes=1.5, alike=True)
    step = decode_step(found, found.speculation)
    rows, drafted = literal(found, gamma, routing)
    inside = [row for row in rows if row[0] != "embedding"]
    head = ("weights", 1.5 + 0.0 * BATCH, 1.5 + 0.0 * BATCH)
    layers = (
        "layers",
        sum(row[1] for row in inside) - 1.5,
        sum(row[2] for row in inside) - 1.5,
    )
    tables = next(row for row in rows if row[0] == "embedding")
    wanted = [head, layers, tables, *drafted]
    check(
        parts(found, step, BATCH, WORKING, whole_layers=True),
        [row for row in wanted if row[1].any() or row[2].any()],
    )
    given = work(found, step, (BATCH, WORKING), whole_layers=True)
    check(given.parts, [*wanted, (ANYWHERE, 0.0 * BATCH, 0.0 * BATCH)])
    positions = WORKING * (gamma + 1)
    linear = [2 * 20.0, 2 * 100.0, *[0.0] * (len(wanted) - 1)]
    attention = [0.0, ALL_ATTENTION, *[0.0] * (len(wanted) - 1)]
    assert given.linear_flop == pytest.approx(np.outer(linear, positions), abs=1e-9)
    assert given.attention_flop == pytest.approx(np.outer(attention, positions), abs=1e-9)


def test_layers_read_their_own_cache_where_all_of_their_kind_do():
    def reading(cache, attention):
        model = msgspec.structs.replace(made(LAYERS, 80.0).model, cache=cache, attention=attention)
        return readers(model)

    own = tuple((layer,) for layer in ATTENTION)
    assert reading(LAYERS, ATTENTION) == own
    assert reading(TYPED, ATTENTION) == ((),)
    assert reading(LAYERS, None) == ((),) * 4
    # Three layers attend where two keep a cache: no full cache is known to be a layer's own.
    shared = (msgspec.structs.replace(ATTENTION[0], count=3), *ATTENTION[1:])
    assert reading(LAYERS, shared) == ((), own[1], (), own[3])
    wider = (ATTENTION[0], msgspec.structs.replace(ATTENTION[1], window_tokens=5), *ATTENTION[2:])
    assert reading(LAYERS, wider) == (own[0], (), own[2], own[3])


def test_a_draft_without_weights_holds_nothing_and_a_count_that_is_unknown_has_no_arithmetic():
    found = made(LAYERS, 80.0)
    looked_up = msgspec.structs.replace(found, speculation=Speculation(3, 2.0))
    step = decode_step(looked_up, looked_up.speculation)
    assert "draft" not in parts(looked_up, step, BATCH).classes
    for name in ("linear_active_parameters", "attention"):
        model = msgspec.structs.replace(found.model, **{name: None})
        bare = msgspec.structs.replace(found, model=model)
        assert work(bare, decode_step(bare, None), (BATCH, BATCH), False) is None


@pytest.mark.parametrize("inside", [None, 0.0])
def test_all_linear_arithmetic_of_a_dense_model_lies_with_its_weights(inside):
    found = made(LAYERS, 80.0, expert_parameters=inside)
    dense = msgspec.structs.replace(found, model=msgspec.structs.replace(found.model, experts=()))
    linear = work(dense, decode_step(dense, None), (BATCH, WORKING), False).linear_flop
    assert linear[0] == pytest.approx(2 * 120.0 * WORKING)
    assert not linear[1:].any()
