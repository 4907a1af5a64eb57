"""The store: one scenario at a time, replaced whole, with a way back."""

from collections import deque

import pytest
from PySide6.QtTest import QSignalSpy

from ourmodels_gui.gui.store import MERGE_S, MOST_STEPS, Store
from ourmodels_gui.problem import BadInput

FLOOR = "workload.floor_tokens_per_s"
BATCH = "workload.batch"


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(scenario, library, clock, qapp):
    return Store(scenario, library, clock=clock)


def test_an_edit_replaces_the_scenario_and_says_so(store, scenario):
    spy = QSignalSpy(store.changed)
    store.edit({FLOOR: 15})
    assert store.scenario.workload.floor_tokens_per_s == 15
    assert scenario.workload.floor_tokens_per_s is None
    assert spy.count() == 1


def test_an_edit_to_the_same_value_is_none(store):
    store.edit({FLOOR: 15})
    before = store.scenario
    spy = QSignalSpy(store.changed)
    store.edit({FLOOR: 15})
    assert store.scenario is before
    assert spy.count() == 0
    store.undo()
    assert store.undo_keys() == ()


def test_undo_returns_through_every_scenario_and_redo_goes_back(store, scenario):
    store.edit({FLOOR: 15})
    store.edit({BATCH: 4})
    last = store.scenario
    assert store.undo_keys() == (BATCH,)
    store.undo()
    assert store.redo_keys() == (BATCH,)
    store.undo()
    assert store.scenario == scenario
    store.undo()
    assert store.scenario == scenario
    store.redo()
    store.redo()
    assert store.scenario == last


def test_a_new_edit_ends_what_could_be_redone(store):
    store.edit({FLOOR: 15})
    store.undo()
    store.edit({BATCH: 4})
    assert store.redo_keys() == ()


def test_edits_of_one_key_in_quick_succession_are_one_step(store, scenario, clock):
    for floor in (10, 11, 12):
        clock.now += MERGE_S / 2
        store.edit({FLOOR: floor})
    store.undo()
    assert store.scenario == scenario


def test_edits_of_one_key_with_a_pause_are_steps_of_their_own(store, clock):
    store.edit({FLOOR: 10})
    clock.now += MERGE_S
    store.edit({FLOOR: 11})
    store.undo()
    assert store.scenario.workload.floor_tokens_per_s == 10


def test_an_edit_after_an_undo_does_not_merge_into_the_step_before(store):
    store.edit({FLOOR: 10})
    store.edit({BATCH: 2})
    store.undo()
    store.edit({FLOOR: 30})
    store.undo()
    assert store.scenario.workload.floor_tokens_per_s == 10


def test_a_value_that_no_scenario_holds_changes_nothing(store, scenario):
    spy = QSignalSpy(store.changed)
    with pytest.raises(BadInput) as refused:
        store.edit({FLOOR: -1})
    assert refused.value.problem.key == FLOOR
    assert store.scenario is scenario
    assert store.undo_keys() == ()
    assert spy.count() == 0


def test_opening_another_scenario_forgets_the_steps(store, scenario):
    store.edit({FLOOR: 10})
    store.open(scenario)
    assert store.scenario is scenario
    assert store.undo_keys() == store.redo_keys() == ()


def test_the_oldest_of_many_edits_are_forgotten(store, monkeypatch):
    monkeypatch.setattr(store, "_undo", deque(maxlen=3))
    for batch in range(1, 6):
        store.edit({BATCH: batch, FLOOR: 5})
        store._edited_at -= 1.0
    for _ in range(9):
        store.undo()
    assert (store.scenario.workload.batch, store.undo_keys()) == (2, ())


def test_edits_are_not_kept_without_end(store):
    assert store._undo.maxlen == store._redo.maxlen == MOST_STEPS
