"""One evaluation for all the edits of one turn of the event loop."""

import pytest

from ourmodels_gui.evaluation import Evaluation
from ourmodels_gui.gui.recompute import Recompute
from ourmodels_gui.gui.store import Store

FLOOR = "workload.floor_tokens_per_s"


@pytest.fixture
def store(scenario, library, qapp):
    return Store(scenario, library)


@pytest.fixture
def asked():
    return []


@pytest.fixture
def recompute(store, asked):
    def evaluate(scenario, library):
        asked.append((scenario, library))
        return Evaluation(scenario)

    return Recompute(store, evaluate)


def test_ten_edits_in_one_turn_give_one_evaluation_of_the_last(recompute, store, asked, qtbot):
    with qtbot.waitSignal(recompute.evaluated) as seen:
        for floor in range(1, 11):
            store.edit({FLOOR: floor})
    assert len(asked) == 1
    assert seen.args[0].scenario.workload.floor_tokens_per_s == 10


def test_evaluating_at_once_drops_what_was_pending(recompute, store, asked, qtbot):
    store.edit({FLOOR: 3})
    recompute.now()
    qtbot.wait(10)
    assert len(asked) == 1


def test_another_library_is_evaluated_as_an_edit_is(recompute, store, library, asked, qtbot):
    with qtbot.waitSignal(recompute.evaluated):
        store.set_library(library)
    assert asked == [(store.scenario, library)]
