import pytest

from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.setup import Machine, ModelCosts, Setup, TypedCache, Workload
from ourmodels_gui.evaluation import memory_limit_caution


def caution(capacity_gb, share_gb, floor=0.0):
    setup = Setup(
        machine=Machine(capacity_gb * 1e9, 800e9, default_share_bytes=share_gb and share_gb * 1e9),
        model=ModelCosts(18e9, 18e9, TypedCache(10e9, 1e9)),
        workload=Workload(1000, 1000, floor, 6e9),
        linear_mode={"fp32": 1.0},
        attention_mode={"fp32": 1.0},
    )
    result = evaluate(setup)
    return memory_limit_caution(setup, result.decode), result.decode


def test_the_best_batch_may_need_more_than_the_share():
    said, decode = caution(128, 96)
    assert decode.best_batch == 10
    assert said.startswith("Fits after raising the memory limit: 10 sessions need 124.0 GB")


def test_one_session_may_need_more_than_the_share():
    said, decode = caution(128, 30, floor=1000.0)
    assert decode.verdict == "fits, but no batch satisfies the floor"
    assert "one session needs 34.0 GB" in said


@pytest.mark.parametrize(
    "capacity, share, floor",
    [(128, None, 0.0), (128, 124, 0.0), (20, 10, 0.0), (30, 10, 0.0), (128, 96, 41.0)],
)
def test_nothing_is_said_where_the_share_is_enough_or_nothing_fits(capacity, share, floor):
    assert caution(capacity, share, floor)[0] == ""


def test_the_share_lowers_no_ceiling():
    assert caution(128, 30)[1] == caution(128, None)[1]
