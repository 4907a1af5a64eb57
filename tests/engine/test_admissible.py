"""Halving to the largest admitted batch; the best of them."""

import numpy as np
import pytest

from ourmodels_gui.engine.admissible import best_batch, largest_batch, last_batches
from ourmodels_gui.engine.prompt_costs import PromptCosts
from ourmodels_gui.engine.setup import ModelCosts


@pytest.mark.parametrize("last", [1.0, 2.0, 14.0, 999.0])
def test_halving_finds_the_last_batch(last):
    found = last_batches(lambda batch: batch <= last, np.asarray(0.0), np.asarray(1000.0))
    assert float(found) == last


def test_halving_ends_where_neighbouring_batches_are_two_apart():
    """Past 2^53 no float lies between some neighbours, so they count as next to each other."""
    high = np.asarray([2.0**60, 1000.0])
    found = last_batches(lambda batch: batch <= 2.0**55 + 8, np.zeros(2), high)
    assert found.tolist() == [2.0**55 + 8, 999.0]


def dense_costs(sweep, private, compute_s, bandwidth=1e9):
    """Prompts of one token of a dense model; what each waits for."""
    one = np.ones(np.shape(compute_s))
    return PromptCosts(
        ModelCosts(sweep, sweep, ()), "expected", bandwidth, one, one, private * one, one, compute_s
    )


@pytest.mark.parametrize("sweep", [10.0, 1e3, 1e5])
@pytest.mark.parametrize("private", [1.0, 3.0, 7e4])
def test_the_best_batch_is_the_first_that_is_covered_however_thin_the_margin(sweep, private):
    """Arithmetic that takes a little longer than a prompt's own bytes, and a little less."""
    margins = np.array([s * 10.0**-k for k in range(6) for s in (1.0, 1.7, -0.3, -1e-9)] + [0.0])
    costs = dense_costs(sweep, private, private * (1 + margins) / 1e9)

    def waits(batch):
        return costs.shared_s(batch) > batch * costs.each_s

    for most in (1.0, 2.0, 1e4, 1e9):
        largest = np.full(margins.shape, most)
        best = best_batch(costs, largest)
        assert ((best == largest) | ~waits(best)).all() and (best <= largest).all()
        assert ((best == 1) | waits(best - 1)).all()


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 1.5])
def test_the_largest_batch_is_the_last_that_keeps_the_budget_to_the_prompt(share):
    """Memory or arithmetic the longer; budgets that batches up to a thousand million just keep."""
    each = np.array([3.0, 0.7, 11.0, 1 / 3])
    costs = dense_costs(1e4, each, share * each / 1e9)
    nothing = dense_costs(1e4, 0.0, 0.0 * each)
    assert (largest_batch(nothing, np.full(4, 7.0), float(nothing.time_s(1)[0])) == 7).all()
    assert (largest_batch(nothing, np.full(4, 7.0), 0.0) == 0).all()
    for fitting in (0.0, 1.0, 1e6, 1e12):
        for batch in (0.5, 1.0, 2.0, 999.0, 123_456.0, 1e9):
            kept = float(costs.time_s(batch)[0])
            for budget in (kept * (1 - 1e-12), kept, kept * (1 + 1e-12)):
                largest = largest_batch(costs, np.full(4, fitting), budget)
                assert ((largest == 0) | (costs.time_s(largest) <= budget)).all()
                more = largest + 1
                assert ((largest == fitting) | (costs.time_s(more) > budget)).all()
