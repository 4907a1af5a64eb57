"""What a ranking of many pairs takes in memory, on the way and afterwards."""

import gc
import tracemalloc

import numpy as np
import pytest

from ourmodels_gui.ranking.columns import BY_ID
from ourmodels_gui.ranking.field import BEST, FieldChoice, prepare
from ourmodels_gui.ranking.pairs import pairs
from ourmodels_gui.ranking.table import FOLLOWING, PROMPTS, rank
from ourmodels_gui.scenario import PrefillChoice, WorkloadChoice
from ourmodels_gui.settings import Settings

PAID = Settings(electricity_per_kwh=0.3)


@pytest.fixture(scope="module")
def field_in(library):
    """A field of many pairs in a choice of weights, with all that its first ranking needs."""

    def made(weights):
        models = tuple(library.models)[::6]
        choice = FieldChoice(weights=weights, machines=tuple(library.machines), models=models)
        field = prepare(library, choice)
        pairs(field, WorkloadChoice(), None)
        return field

    return made


def traced(work):
    """What work gives, and how many bytes stay and were in use at most."""
    gc.collect()
    tracemalloc.start()
    done = work()
    gc.collect()
    sizes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return done, *sizes


def test_the_best_of_seven_formats_takes_less_than_twice_the_room_of_one(field_in):
    one, best = field_in(None), field_in(BEST)
    assert (one.rungs, best.rungs) == (1, 7)
    _, _, of_one = traced(lambda: pairs(one, WorkloadChoice(), None))
    _, _, of_seven = traced(lambda: pairs(best, WorkloadChoice(), None))
    assert of_seven < 1.75 * of_one


def test_every_column_is_kept_once_and_what_follows_from_others_not_at_all(field_in):
    field = field_in(BEST)

    def ranked():
        table = rank(field, WorkloadChoice(), PrefillChoice(), PAID)
        for column in BY_ID:
            table.values(column)
        return table

    ranked()  # and what is kept of any ranking
    table, kept, _ = traced(ranked)
    columns = len(BY_ID) - len(FOLLOWING)
    assert kept < (columns + 2) * 8 * len(table)
    for column in ("best_batch", "aggregate_tokens_per_s", *PROMPTS):
        values = table.values(column)
        assert table.values(column) is values
    assert np.shares_memory(table.values("best_batch"), table.pairs.best_batch)


@pytest.mark.parametrize("prefill", [PrefillChoice(), None])
def test_some_rows_of_a_column_are_those_of_the_whole(library, prefill):
    field = prepare(library, FieldChoice(weights=BEST, models=("qwen3-8b", "gpt-oss-20b")))
    rows = np.arange(0, 2 * len(field.machines), 17)
    for column in BY_ID:
        asked = rank(field, WorkloadChoice(batch=2), prefill, PAID)
        some = asked.some(column, rows)
        whole = rank(field, WorkloadChoice(batch=2), prefill, PAID).values(column)
        assert np.isfinite(some).any() or prefill is None, column
        np.testing.assert_array_equal(some, whole[rows], column)
        np.testing.assert_array_equal(asked.value(column, int(rows[-1])), whole[rows[-1]])
