"""Sweeps of compositions held to `placement.decode` of each pair, value for value."""

import math

import msgspec
import numpy as np
from composition_pairs import Drawn
from composition_setups import FAST, SLOW
from decode_setups import BF16, GB

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.cache_columns import cache_columns
from ourmodels_gui.engine.placement.sweep import sweep_compositions
from ourmodels_gui.engine.setup import Composition, Workload
from ourmodels_gui.engine.sweep import VERDICTS
from ourmodels_gui.engine.tables import model_table

FIGURES = (
    "memory_batch",
    "best_batch",
    "resident_margin_bytes",
    "spare_bytes",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
)
MODE = {BF16: 1.0}
WORKLOAD = Workload(20_000, 10_000, 5.0, 0.0)
WORKLOAD_FREE = msgspec.structs.replace(WORKLOAD, floor_tokens_per_s=0.0)

COMPOSITIONS = (
    Composition((msgspec.structs.replace(FAST, count=2),), split="tensor", link_bytes_per_s=2e10),
    Composition((msgspec.structs.replace(FAST, count=2),), split="experts", link_bytes_per_s=2e10),
    Composition((msgspec.structs.replace(FAST, count=2),)),
    Composition((FAST,), host=SLOW),
    Composition((FAST,), host=SLOW, pools="sequential"),
    Composition((FAST,), host=SLOW, pools="streamed", link_bytes_per_s=30 * GB),
    Composition((FAST,), host=SLOW, placement={"cache": 1.0}),
    Composition((FAST, SLOW)),
    Composition((FAST, SLOW, msgspec.structs.replace(SLOW, name="third"))),
)


def swept(compositions, models, shapes, workload=WORKLOAD):
    return swept_drawn(Drawn(compositions, models, shapes, workload))


def swept_drawn(drawn):
    return sweep_compositions(
        drawn.compositions,
        drawn.models,
        drawn.shapes,
        model_table(drawn.models, drawn.workload),
        cache_columns(drawn.models),
        workload=drawn.workload,
        arithmetic=[drawn.modes] * len(drawn.compositions),
    )


def setup_of(composition, model, shape, workload):
    """The setup of one pair, its contexts within the model's limit."""
    return Drawn([composition], [model], [shape], workload).setup(0, 0)


def same(given_, wanted):
    return math.isnan(given_) if wanted is None else given_ == wanted


def assert_drawn_same(drawn):
    found = swept_drawn(drawn)
    names = (*FIGURES, "verdict", "forced_per_session_tokens_per_s", "binding", "single_binding")
    columns = {name: getattr(found, name) for name in names}
    for at in np.ndindex(columns["verdict"].shape):
        told = {name: column[at] for name, column in columns.items()}
        said, placed = placement.decode(drawn.setup(*at))
        assert VERDICTS[told["verdict"]] == said.verdict
        for name in FIGURES:
            assert same(told[name], getattr(said, name)), name
        rate = said.forced.per_session_tokens_per_s if said.forced else None
        assert same(told["forced_per_session_tokens_per_s"], rate)
        for name in ("binding", "single_binding"):
            code = int(told[name])
            bound = None if code == -1 else found.bindings[at[0]][code]
            assert bound == getattr(placed, name), name


def assert_all_same(compositions, models, shapes, workload):
    assert_drawn_same(Drawn(compositions, models, shapes, workload))
