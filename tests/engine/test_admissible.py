"""Halving to the largest admitted batch."""

import numpy as np
import pytest

from ourmodels_gui.engine.admissible import last_batches


@pytest.mark.parametrize("last", [1.0, 2.0, 14.0, 999.0])
def test_halving_finds_the_last_batch(last):
    found = last_batches(lambda batch: batch <= last, np.asarray(0.0), np.asarray(1000.0))
    assert float(found) == last


def test_halving_ends_where_neighbouring_batches_are_two_apart():
    """Past 2^53 no float lies between some neighbours, so they count as next to each other."""
    high = np.asarray([2.0**60, 1000.0])
    found = last_batches(lambda batch: batch <= 2.0**55 + 8, np.zeros(2), high)
    assert found.tolist() == [2.0**55 + 8, 999.0]
