"""What one pair costs: everything the window shows of it, and the range over prompt lengths.

Run: python benchmarks/one_pair.py

Dense and mixture of experts, one shot and chunks of 2048, on a machine of 128 GB. The rival of the
range looks at every length, in blocks that stay in the cache of a core, with the same formulas; its
ends must be the range's ends. Times are the best of several runs. Exits with 1 where an end
differs or a limit is missed.
"""

import sys
import time
from collections.abc import Callable

import msgspec
import numpy as np

from ourmodels_gui.engine import prompt_range
from ourmodels_gui.engine.admissible import largest_batch
from ourmodels_gui.engine.capacity import fitting_batch
from ourmodels_gui.engine.curve import curve
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.engine.kept import Kept
from ourmodels_gui.engine.prefill_curve import ceilings_over_length
from ourmodels_gui.engine.prompt_costs import prompt_costs
from ourmodels_gui.engine.prompt_policy import PromptPolicy
from ourmodels_gui.engine.prompt_range import ranges
from ourmodels_gui.engine.result import PromptRange
from ourmodels_gui.engine.setup import (
    AttentionLayer,
    CacheLayer,
    Experts,
    Machine,
    ModelCosts,
    Prompt,
    Setup,
    Workload,
)

LIMIT, LONG = 262_144, 10_000_000
WHOLE_PAIR_MS, LONG_RANGE_MS, LEAST_RATIO = 3.0, 50.0, 3.0
BLOCK, RUNS, POINTS = 8192, 15, 300


def made_up(experts: bool, chunk: int | None, limit: int) -> Setup:
    """A model of 48 layers, a quarter of them with full attention."""
    routed = (Experts(256, 8, 64e9 / 256),) if experts else ()
    model = ModelCosts(
        resident_bytes=70e9 if experts else 18e9,
        always_bytes=5e9 if experts else 17e9,
        cache=(
            CacheLayer("full", 12, 2048.0, 2048.0),
            CacheLayer("window", 36, 2048.0, 2048.0, window_tokens=1024),
        ),
        experts=routed,
        max_context_tokens=limit,
        cache_write_bytes_per_token=98304.0,
        linear_active_parameters=8e9 if experts else 32e9,
        attention=(
            AttentionLayer("full", 12, query_width=6144.0),
            AttentionLayer("window", 36, query_width=9216.0, window_tokens=1024),
        ),
    )
    machine = Machine(128e9, 273e9, {"fp4_fp32acc": 500e12, "bf16_fp32acc": 125e12})
    return Setup(
        machine,
        model,
        Workload(100_000, 32_000, 5.0, 8e9),
        {"fp4_fp32acc": 1.0},
        {"bf16_fp32acc": 1.0},
        prompt=Prompt(8192, chunk_tokens=chunk),
    )


def scan(setup: Setup, single: bool) -> tuple[float, float]:
    """Lowest and highest ceiling by looking at every length."""
    assert setup.prompt is not None and setup.model.max_context_tokens is not None
    low, high = np.inf, -np.inf
    for first in range(1, setup.model.max_context_tokens + 1, BLOCK):
        last = min(first + BLOCK, setup.model.max_context_tokens + 1)
        costs = prompt_costs(setup, np.arange(first, last), setup.prompt.chunk_tokens)
        admitted = largest_batch(costs, fitting_batch(setup, costs.tokens), None)
        held = admitted >= 1
        if not held.any():
            break
        batch = np.ones_like(admitted) if single else np.maximum(admitted, 1.0)
        rate = np.minimum(costs.memory_tokens_per_s(batch), costs.compute_tokens_per_s(batch))[held]
        low, high = min(low, float(rate.min())), max(high, float(rate.max()))
    return low, high


def best_ms(work: Callable[[], object], runs: int = RUNS) -> float:
    """The shortest of several runs, each without what is kept of the one before."""
    times = []
    for _ in range(runs):
        prompt_range._kept = Kept()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def agrees(found: PromptRange | None, scanned: tuple[float, float]) -> bool:
    """Both ends to the last digits."""
    assert found is not None
    ends = found.low.tokens_per_s, found.high.tokens_per_s
    return bool(np.allclose(ends, scanned, rtol=1e-12, atol=0.0))


def whole_pair(setup: Setup) -> None:
    """Result and both curves."""
    evaluate(setup)
    curve(setup, np.arange(1, POINTS + 1))
    lengths = np.unique(np.geomspace(1, LIMIT, POINTS).astype(np.int64))
    ceilings_over_length(setup, lengths, chunk_tokens=setup.prompt and setup.prompt.chunk_tokens)


def main() -> int:
    """Print each case; 1 where a limit is missed or an end differs."""
    missed = False
    print("case                  pair   ranges   every length   ratio   10 M lengths   exact")
    for experts in (False, True):
        for chunk in (None, 2048):
            setup = made_up(experts, chunk, LIMIT)
            pair, quick = (
                best_ms(lambda s=setup: whole_pair(s)),
                best_ms(lambda s=setup: ranges(PromptPolicy(s))),
            )
            slow = best_ms(lambda s=setup: (scan(s, False), scan(s, True)), runs=3)
            long = msgspec.structs.replace(
                setup, model=msgspec.structs.replace(setup.model, max_context_tokens=LONG)
            )
            ten = best_ms(lambda s=long: ranges(PromptPolicy(s)))
            best, single = ranges(PromptPolicy(setup))
            exact = agrees(best, scan(setup, False)) and agrees(single, scan(setup, True))
            name = f"{'experts' if experts else 'dense':8}{chunk or 'one shot'!s:>8}"
            print(
                f"{name}{pair:7.2f} ms{quick:6.2f} ms{slow:12.1f} ms{slow / quick:8.1f}"
                f"{ten:12.2f} ms   {'yes' if exact else 'NO'}"
            )
            missed |= pair > WHOLE_PAIR_MS or ten > LONG_RANGE_MS
            missed |= slow / quick < LEAST_RATIO or not exact
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
