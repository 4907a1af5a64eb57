"""What is kept from one evaluation to the next rests on nothing that was left out."""

import sys

import msgspec
import numpy as np
import pytest

from ourmodels_gui import paths
from ourmodels_gui.engine import prompt_range
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.kept import MOST, MOST_ARRAYS, Kept, KeptByArrays
from ourmodels_gui.library.load import load
from ourmodels_gui.library.resolve import resolve
from ourmodels_gui.scenario import ModelRef, PrefillChoice, Scenario, edited

KEPT = {
    "decode": sys.modules["ourmodels_gui.engine.placement.decode"],
    "prefill": sys.modules["ourmodels_gui.engine.placement.prefill"],
    "range": prompt_range,
}
"""`placement.decode` and `placement.prefill` are functions."""
EDITS = (
    {"workload.floor_tokens_per_s": 3},
    {"workload.read_context_tokens": 3000},
    {"workload.reserved_context_tokens": 40_000},
    {"workload.batch": 2},
    {"prefill.prompt_tokens": 5000},
    {"prefill.cached_prefix_tokens": 700},
    {"prefill.answer_tokens": 300},
    {"prefill.chunk_tokens": 512},
    {"prefill.ttft_budget_s": 9},
    {"prefill.batch": 2},
    {"prefill.cache_growth": "on_demand"},
    {"workload.decode_ceiling": "combined"},
    {"workload.overhead_gb": 2},
    {"workload.cache_format": "fp8"},
)
HARDWARE = (
    "geforce-rtx-5090",
    "geforce-rtx-3090-x4",
    "geforce-rtx-5090-ddr5-64gb",
    "geforce-rtx-5080-3090",
)


def test_only_the_last_few_are_kept():
    kept, found = Kept(), []
    for basis in (*range(MOST + 1), *range(1, MOST + 1), 0):
        kept.of(basis, lambda basis=basis: found.append(basis))
    assert found == [*range(MOST + 1), 0]


@pytest.fixture(scope="module")
def library():
    return load(paths.catalog())


@pytest.fixture
def forget(monkeypatch):
    """A call that forgets all that is kept."""

    def forgets():
        for module in KEPT.values():
            monkeypatch.setattr(module, "_kept", Kept())

    return forgets


def told(result):
    return repr(msgspec.to_builtins(result))


@pytest.mark.parametrize("hardware", HARDWARE)
def test_an_evaluation_after_another_is_as_it_is_alone(library, forget, hardware):
    scenario = Scenario(
        hardware=hardware, model=ModelRef("qwen3-30b-a3b"), prefill=PrefillChoice(4000)
    )
    first = resolve(scenario, library)
    for changes in EDITS:
        setup = resolve(edited(scenario, changes), library)
        forget()
        alone = told(evaluate(setup))
        forget()
        evaluate(first)
        assert told(evaluate(setup)) == alone, changes


@pytest.mark.parametrize(
    ("changes", "anew"),
    [
        ({"workload.floor_tokens_per_s": 3}, {"decode"}),
        ({"workload.read_context_tokens": 3000}, {"decode"}),
        ({"prefill.prompt_tokens": 5000}, {"prefill"}),
        ({"workload.reserved_context_tokens": 40_000}, {"decode", "prefill"}),
        ({"prefill.chunk_tokens": 512}, {"prefill", "range"}),
        ({"prefill.answer_tokens": 300}, set()),
    ],
)
def test_a_slider_works_out_only_what_rests_on_it(library, forget, monkeypatch, changes, anew):
    scenario = Scenario(
        hardware=HARDWARE[2], model=ModelRef("qwen3-30b-a3b"), prefill=PrefillChoice(4000)
    )
    forget()
    evaluate(resolve(scenario, library))
    found = set()
    for name, module in KEPT.items():
        of = module._kept.of
        monkeypatch.setattr(
            module._kept,
            "of",
            lambda basis, find, of=of, name=name: of(basis, lambda: found.add(name) or find()),
        )
    evaluate(resolve(edited(scenario, changes), library))
    assert found == anew


def test_arrays_are_told_by_what_they_hold_and_no_more_than_so_many_are_kept():
    kept = KeptByArrays()
    for number in range(MOST_ARRAYS):
        assert kept.of(lambda number=number: number, np.full(2, number)) == number
    assert kept.of(lambda: None, np.full(2, 0)) == 0
    assert kept.of(lambda: "new", np.full(2, -1)) == "new"
    assert kept.of(lambda: "again", np.full(2, 0)) == "again"
