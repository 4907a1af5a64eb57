"""The measurement reads buffers beyond the caches, tells how it goes, and stops when asked."""

import threading

import pytest

from ourmodels_gui.probe import bandwidth
from ourmodels_gui.probe.bandwidth import Bandwidth, Passes, measure, sizes_for
from ourmodels_gui.probe.words import bandwidth_lines
from ourmodels_gui.units import Separators

SMALL = {"cache_bytes": 1e6, "memory_bytes": 64e6, "seconds": 0.0, "threads": 2}


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch):
    monkeypatch.setattr(bandwidth, "SMALLEST_CACHE", 1e6)


def test_every_size_is_read_a_few_times_and_told():
    told = []
    found = measure(**SMALL, tell=lambda so_far, share: told.append((so_far, share)))
    assert [len(size.rates) for size in found.sizes] == [bandwidth.LEAST_PASSES] * 3
    assert all(rate > 0 for size in found.sizes for rate in size.rates)
    assert len(told) == bandwidth.LEAST_PASSES
    assert told[-1][0] == found


def test_it_stops_when_asked_and_leaves_no_thread():
    before = threading.active_count()
    asked = []

    def stop():
        asked.append(True)
        return len(asked) > 20

    assert measure(**SMALL | {"seconds": 1000.0}, stop=stop) is None
    assert threading.active_count() == before


def test_it_stops_while_the_buffers_are_filled():
    assert measure(**SMALL, stop=lambda: True) is None


def test_buffers_lie_beyond_the_cache_and_leave_the_memory_its_room():
    sizes = sizes_for(32e6, 64e9)
    assert sizes[0] >= 4 * 32e6 and len(sizes) == 3
    assert sizes_for(1e9, 8e9) == (2_000_000_000,)
    assert max(sizes_for(None, None)) <= 1e9


def test_the_figure_is_the_best_pass_over_the_largest_buffer_with_all_the_spread():
    found = Bandwidth(4, (Passes(1e8, (50e9, 10e9)), Passes(2e8, (30e9, 40e9, 38e9))))
    assert found.bytes_per_s == 40e9
    assert found.spread == (10e9, 50e9)
    assert not found.unsteady
    lines = bandwidth_lines(found)
    assert "40.0 GB/s sustained by 4 threads; 10.0 to 50.0" in lines[2]
    german = bandwidth_lines(found, Separators(".", ","))
    assert "40,0 GB/s sustained by 4 threads; 10,0 to 50,0" in german[2]


def test_passes_that_differ_much_are_said_to():
    found = Bandwidth(4, (Passes(2e8, (10e9, 12e9, 40e9)),))
    assert found.unsteady
    assert "measure again" in bandwidth_lines(found)[-1]
