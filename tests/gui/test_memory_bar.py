"""The memory, drawn to scale."""

import pytest

from ourmodels_gui.engine.result import Decode, Forced, Result
from ourmodels_gui.engine.setup import (
    CacheLayer,
    Draft,
    Machine,
    ModelCosts,
    Setup,
    Speculation,
    TypedCache,
    Workload,
)
from ourmodels_gui.evaluation import Evaluation
from ourmodels_gui.gui.answered.memory_bar import MemoryBar, parts, shown_sessions
from ourmodels_gui.scenario import ModelRef, Scenario

CACHE = (
    CacheLayer("full", 10, bytes_per_token=1000.0),
    CacheLayer("state", 5, state_bytes=2e6),
)


def setup(capacity=32e9, speculation=None):
    return Setup(
        Machine(capacity, 1e12),
        ModelCosts(resident_bytes=18e9, always_bytes=18e9, cache=CACHE),
        Workload(100_000, 32_000, 20.0, 1e9),
        linear_mode={},
        attention_mode={},
        speculation=speculation,
    )


def evaluation(made, **figures):
    decode = Decode(
        verdict="serves",
        kind={},
        kind_reasons=(),
        cautions=(),
        resident_margin_bytes=0,
        spare_bytes=0,
        memory_power_bytes2_per_s=1.0,
        **figures,
    )
    chosen = Scenario(hardware="h", model=ModelRef("m"))
    return Evaluation(chosen, made, Result(decode, None, ()))


def test_parts_are_what_the_sessions_reserve():
    sizes = {part.role: part.size_bytes for part in parts(setup(), 4)}
    assert sizes == {"weights": 18e9, "cache": 4e9, "state": 4e7, "overhead": 1e9}


def test_a_draft_takes_its_weights_and_a_cache_for_each_session():
    drafting = Speculation(4, 2.8, Draft(resident_bytes=5e8, cache=TypedCache(1e8, 0.0)))
    sizes = {part.role: part.size_bytes for part in parts(setup(speculation=drafting), 4)}
    assert sizes["draft"] == 9e8


@pytest.mark.parametrize(
    ("figures", "sessions"),
    [
        ({"memory_batch": 12, "best_batch": 7}, 7),
        ({"memory_batch": 12, "best_batch": None}, 12),
        ({"memory_batch": 0}, 1),
        ({"memory_batch": 12, "best_batch": 7, "forced": Forced(30, 1.0, 1.0, False, True)}, 30),
    ],
)
def test_the_sessions_drawn_are_those_of_the_answer(figures, sessions):
    assert shown_sessions(evaluation(setup(), **figures)) == sessions


@pytest.fixture
def bar(qtbot):
    made = MemoryBar()
    qtbot.addWidget(made)
    made.resize(801, made.sizeHint().height())
    return made


def test_stretches_are_to_scale_and_fill_the_capacity(bar):
    bar.present(evaluation(setup(), memory_batch=12, best_batch=4))
    stretches = {part.role: rect for part, rect in bar.stretches()}
    assert stretches["weights"].width() == pytest.approx(800 * 18 / 32)
    assert stretches["free"].right() == pytest.approx(800.5)
    assert bar.free_bytes == pytest.approx(32e9 - 23.04e9)


def test_what_does_not_fit_reaches_beyond_the_capacity(bar):
    bar.present(evaluation(setup(capacity=16e9), memory_batch=0))
    assert "free" not in {part.role for part, _ in bar.stretches()}
    assert bar.stretches()[-1][1].right() == pytest.approx(800.5)
    assert bar.free_bytes == pytest.approx(-4.01e9)
    assert bar.accessibleDescription().endswith("of 16.0 GB: 4.0 GB missing")


def test_the_bar_is_described_for_those_who_cannot_see_it(bar):
    bar.present(evaluation(setup(), memory_batch=12, best_batch=4))
    said = bar.accessibleDescription()
    assert said.startswith("weights 18.0 GB, cache × 4 4.0 GB, recurrent state × 4 40.0 MB")  # noqa: RUF001
    assert said.endswith("of 32.0 GB: 9.0 GB free")


def test_it_keeps_its_height_and_is_blank_without_a_result(bar):
    height = bar.sizeHint().height()
    bar.present(Evaluation(Scenario(hardware="h", model=ModelRef("m"))))
    assert bar.stretches() == []
    assert bar.accessibleDescription() == ""
    assert bar.sizeHint().height() == height
    assert not bar.grab().isNull()
