import math

import msgspec
import numpy as np
from composition_setups import FAST, SHAPE, SLOW, dense, sparse
from decode_setups import GB

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.cache_columns import cache_columns
from ourmodels_gui.engine.placement.sweep import sweep_compositions
from ourmodels_gui.engine.setup import Composition, Setup, Workload
from ourmodels_gui.engine.sweep import VERDICTS
from ourmodels_gui.engine.tables import model_table

RATES = (
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
)
WORKLOAD = Workload(20_000, 10_000, 5.0, 0.0)


def swept(compositions, models, shapes, workload=WORKLOAD):
    table = model_table(models, workload)
    caches = cache_columns(models)
    return sweep_compositions(compositions, models, shapes, table, caches, workload=workload)


def alone(composition, model, shape, workload):
    """The same pair through `placement.decode`, its contexts within the model's limit."""
    limit = model.max_context_tokens or workload.reserved_context_tokens
    reserved = min(workload.reserved_context_tokens, limit)
    kept = msgspec.structs.replace(
        workload,
        reserved_context_tokens=reserved,
        read_context_tokens=min(workload.read_context_tokens, reserved),
        overhead_bytes=placement.overhead_bytes(composition),
    )
    made = msgspec.structs.replace(composition, shape=shape)
    machine = placement.together(placement.pools_of(composition))
    return placement.decode(Setup(machine, model, kept, {}, {}, composition=made))


def assert_same(found, wanted, at):
    said, placed = wanted
    assert VERDICTS[found.verdict[at]] == said.verdict
    for name in ("memory_batch", "best_batch", "resident_margin_bytes", "spare_bytes"):
        given, one = getattr(found, name)[at], getattr(said, name)
        assert given == one or (one is None and math.isnan(given)), name
    for name in RATES:
        given, one = getattr(found, name)[at], getattr(said, name)
        assert (one is None and math.isnan(given)) or math.isclose(given, one, rel_tol=1e-12), name
    for name in ("binding", "single_binding"):
        code = int(getattr(found, name)[at])
        assert (None if code < 0 else found.bindings[at[0]][code]) == getattr(placed, name), name


def test_every_pair_is_what_decode_says_of_it():
    pair = msgspec.structs.replace(FAST, count=2)
    compositions = [
        Composition((pair,), split="tensor", link_bytes_per_s=20 * GB),
        Composition((pair,), split="experts", link_bytes_per_s=20 * GB),
        Composition((pair,)),
        Composition((FAST,), host=SLOW),
        Composition((FAST,), host=SLOW, pools="sequential"),
        Composition((FAST,), host=SLOW, pools="streamed", link_bytes_per_s=30 * GB),
        Composition((FAST, SLOW)),
        Composition((FAST, SLOW, msgspec.structs.replace(SLOW, name="third"))),
    ]
    shape = msgspec.structs.replace(SHAPE, expert_layers=(32,))
    models, shapes = [dense(), sparse(), dense(weights=300 * GB)], [SHAPE, shape, None]
    found = swept(compositions, models, shapes)
    assert found.verdict.tolist()[0] == [VERDICTS.index("serves")] * 2 + [0]
    for row, composition in enumerate(compositions):
        for column, (model, known) in enumerate(zip(models, shapes, strict=True)):
            assert_same(found, alone(composition, model, known, WORKLOAD), (row, column))


def test_the_forced_batch_has_its_rate():
    asked = msgspec.structs.replace(WORKLOAD, batch=2)
    composition = Composition((FAST,), host=SLOW)
    found = swept([composition], [dense()], [None], asked)
    wanted = alone(composition, dense(), None, asked)[0].forced.per_session_tokens_per_s
    assert found.forced_per_session_tokens_per_s.item() == wanted
    assert np.isnan(swept([composition], [dense()], [None]).forced_per_session_tokens_per_s).all()
