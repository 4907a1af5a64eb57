"""What the processor sustains in reading main memory: all cores, sizes far beyond its caches.

Each thread reads its own part with numpy, which lets go of the interpreter meanwhile; nothing is
compiled. A pass reads a whole buffer once; its rate is the buffer over the time from the first
thread's start to the last one's end.
"""

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import msgspec
import numpy as np

from ..library.records import Figure

BLOCK = 1 << 20
"""Numbers of 8 bytes that are read between two questions whether to stop."""
BEYOND = (4, 8, 16)
"""Sizes, as multiples of the last level of cache."""
SMALLEST_CACHE, LARGEST_BYTES = 16e6, 4e9
SHARE = 0.25
"""Most of the main memory that a buffer takes."""
LEAST_PASSES = 5


class Passes(msgspec.Struct, frozen=True):
    """The passes over one size, bytes per second, in order."""

    size_bytes: float
    rates: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.rates)


class Bandwidth(msgspec.Struct, frozen=True):
    """threads: that read at once. sizes: smallest first."""

    threads: int
    sizes: tuple[Passes, ...]

    @property
    def bytes_per_s(self) -> float:
        """The best pass over the largest buffer, as STREAM takes it: a pass during which another
        program had a core says nothing of the memory."""
        return max(self.sizes[-1].rates)

    @property
    def unsteady(self) -> bool:
        """Whether half of the passes over the largest buffer stay more than a fifth below it."""
        return self.sizes[-1].median < 0.8 * self.bytes_per_s

    @property
    def spread(self) -> tuple[float, float]:
        """The slowest and the fastest pass."""
        rates = [rate for size in self.sizes for rate in size.rates]
        return min(rates), max(rates)

    def figure(self) -> Figure:
        """The sustained bandwidth as a measured figure that says how it came about."""
        low, high = self.spread
        passes = sum(len(size.rates) for size in self.sizes)
        sizes = ", ".join(f"{size.size_bytes / 2**20:.0f}" for size in self.sizes)
        where = (
            f"reading main memory with {self.threads} threads, {passes} passes over {sizes} MiB; "
            f"the best over the largest; all from {low / 1e9:.1f} to {high / 1e9:.1f} GB/s"
        )
        value = float(f"{self.bytes_per_s / 1e9:.4g}")
        return Figure(value, "GB/s", basis="measured", where=where)


def usable_cores() -> int:
    """How many cores this program may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def sizes_for(cache_bytes: float | None, memory_bytes: float | None) -> tuple[int, ...]:
    """Buffers to read, bytes: multiples of the cache, as far as the memory has room.

    >>> [size >> 20 for size in sizes_for(32 * 2**20, 24 * 2**30)]
    [128, 256, 512]
    """
    cache = max(cache_bytes or 0.0, SMALLEST_CACHE)
    room = min(LARGEST_BYTES, SHARE * (memory_bytes or 4e9))
    return tuple(sorted({int(min(times * cache, room)) // 8 * 8 for times in BEYOND}))


def measure(
    cache_bytes: float | None,
    memory_bytes: float | None,
    *,
    seconds: float = 6.0,
    threads: int | None = None,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[Bandwidth, float], None] = lambda _so_far, _share: None,
) -> Bandwidth | None:
    """The sustained read bandwidth of main memory.

    Parameters: the last level of cache and the main memory in bytes, None when unknown; seconds to
    spend at most, beyond a few passes; threads, all usable cores unless given; stop, asked every
    few milliseconds; tell, given what there is so far and the share done.
    Returns None when it was stopped. Raises MemoryError when there is no room for the smallest
    buffer.
    """
    count = threads or usable_cores()
    sizes = sizes_for(cache_bytes, memory_bytes)
    parts = _filled(sizes[-1] // 8, count, stop)
    if parts is None:
        return None
    rates: dict[int, list[float]] = {size: [] for size in sizes}
    began = time.perf_counter()
    while not stop():
        for size in sizes:
            rate = _read_once(parts, size // 8, stop)
            if rate is None:
                return None
            rates[size].append(rate)
        found = Bandwidth(count, tuple(Passes(size, tuple(r)) for size, r in rates.items()))
        spent, done = time.perf_counter() - began, len(rates[sizes[0]])
        tell(found, min(1.0, spent / seconds) if seconds > 0 else 1.0)
        if spent >= seconds and done >= LEAST_PASSES:
            return found
    return None


def _filled(numbers: int, count: int, stop: Callable[[], bool]) -> list[np.ndarray] | None:
    """One part of the buffer for each thread, written by it so that it lies near its core."""
    parts: list[np.ndarray] = [np.empty(numbers // count, np.int64) for _ in range(count)]

    def fill(part: np.ndarray) -> None:
        for start in range(0, part.size, BLOCK):
            if stop():
                return
            part[start : start + BLOCK] = start + 1

    _together([partial(fill, part) for part in parts])
    return None if stop() else parts


def _read_once(parts: list[np.ndarray], numbers: int, stop: Callable[[], bool]) -> float | None:
    """Bytes per second of one pass over the first `numbers` of the buffer."""
    share = numbers // len(parts)
    gate = threading.Barrier(len(parts))
    spans: list[tuple[float, float]] = []

    def read(part: np.ndarray) -> None:
        gate.wait()
        began = time.perf_counter()
        for start in range(0, share, BLOCK):
            if stop():
                return
            np.add.reduce(part[start : min(start + BLOCK, share)])
        spans.append((began, time.perf_counter()))

    _together([partial(read, part) for part in parts])
    if len(spans) < len(parts):
        return None
    time_s = max(end for _, end in spans) - min(start for start, _ in spans)
    return 8.0 * share * len(parts) / time_s


def _together(work: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=one, daemon=True) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
