"""What a ranking of compositions costs, and that it is exact.

Run: python benchmarks/placement_sweep.py

100,000 pairs of made-up models, half of them mixtures of experts, with cards that have the memory
of their host beside them: both pools at once, one at a time, or streamed. Where bytes lie best is
found anew for every batch. Rivals, both timed on a sample: every batch of a pair at once with the
formulas of its policy, and a loop over `placement.decode`. Exits with 1 where a figure of the
sample differs or a limit of README.md is missed.
"""

import math
import random
import statistics
import sys
import time

import msgspec
import numpy as np
from sweep import MODELS, made_up

from ourmodels_gui.engine import placement
from ourmodels_gui.engine.cache_columns import cache_columns
from ourmodels_gui.engine.placement.choose import policies
from ourmodels_gui.engine.placement.sweep import CompositionSweep, sweep_compositions
from ourmodels_gui.engine.setup import Composition, Device, Machine, ModelCosts, Setup, Workload
from ourmodels_gui.engine.sweep import VERDICTS
from ourmodels_gui.engine.tables import model_table

COMPOSITIONS, SAMPLE, SCANNED, ROUNDS = 500, 300, 60, 7
MOST_MS, LEAST_RATIO = 250.0, 300.0
WORKLOADS = {
    "32k kept, 16k read, 20 tok/s": Workload(32_768, 16_384, 20.0, 0.0),
    "2k kept, 1k read, no floor": Workload(2048, 1024, 0.0, 0.0),
}
EXACT = ("memory_batch", "best_batch", "spare_bytes")
LATER = ("single_session_tokens_per_s", "spare_bytes", "binding")
RATES = ("aggregate_tokens_per_s", "per_session_tokens_per_s", "single_session_tokens_per_s")


def made_compositions() -> list[Composition]:
    """One to four cards of 8 to 96 GB with 32 to 1,024 GB of host memory."""
    draw = random.Random(8)
    made = []
    for _ in range(COMPOSITIONS):
        card = Machine(
            draw.choice([8, 12, 16, 24, 32, 48, 80, 96]) * 1e9, draw.uniform(2.5e11, 4e12)
        )
        host = Machine(32e9 * 2 ** draw.randrange(6), draw.uniform(4e10, 6e11))
        made.append(
            Composition(
                (Device("card", card, 1e9, draw.choice([1, 1, 1, 2, 4])),),
                host=Device("host", host, 8e9),
                pools=draw.choice(["both", "sequential", "streamed"]),
                link_bytes_per_s=draw.choice([16e9, 32e9, 64e9]),
            )
        )
    return made


def setup(composition: Composition, model: ModelCosts, workload: Workload) -> Setup:
    """One pair."""
    overhead = placement.overhead_bytes(composition)
    return Setup(
        placement.together(placement.pools_of(composition)),
        model,
        msgspec.structs.replace(workload, overhead_bytes=overhead),
        {},
        {},
        composition=composition,
    )


def differs(found: CompositionSweep, at: tuple[int, int], pair: Setup) -> bool:
    """Whether a figure is not the one of `placement.decode`."""
    said, _ = placement.decode(pair)
    if VERDICTS[found.verdict[at]] != said.verdict:
        return True
    for name in (*EXACT, *RATES):
        cell, figure = getattr(found, name)[at], getattr(said, name)
        rel = 0.0 if name in EXACT else 1e-12
        if math.isnan(cell) != (figure is None):
            return True
        if figure is not None and not math.isclose(cell, figure, rel_tol=rel):
            return True
    return False


def scanned(pair: Setup) -> int:
    """The judge: of all batches that fit and clear the floor the first of the best, or 0."""
    way = policies(pair)[0]
    batches = np.arange(1.0, way.memory_batch() + 1)
    if not batches.size:
        return 0
    rates = way.per_session(batches)
    aggregate = np.where(rates >= pair.workload.floor_tokens_per_s, batches * rates, 0.0)
    best = aggregate.max()
    return int(np.argmax(aggregate >= best * (1.0 - 1e-12))) + 1 if best > 0.0 else 0


def measured(
    compositions: list[Composition], models: list[ModelCosts], workload: Workload
) -> tuple[CompositionSweep, float]:
    """The sweep, and its median processor time in ms."""
    table, caches, times = model_table(models, workload), cache_columns(models), []
    for _ in range(ROUNDS):
        start = time.process_time()
        found = sweep_compositions(
            compositions, models, [None] * MODELS, table, caches, workload=workload
        )
        times.append(time.process_time() - start)
    return found, statistics.median(times) * 1e3


def main() -> int:
    compositions, (_, models) = made_compositions(), made_up()
    pairs, kept = COMPOSITIONS * MODELS, True
    print(f"{pairs:,} pairs of two pools, half with experts")
    for name, workload in WORKLOADS.items():
        found, swept = measured(compositions, models, workload)
        start = time.process_time()
        for later in LATER:
            getattr(found, later)
        more = (time.process_time() - start) * 1e3
        draw = random.Random(3)
        places = [(draw.randrange(COMPOSITIONS), draw.randrange(MODELS)) for _ in range(SAMPLE)]
        sample = [setup(compositions[row], models[column], workload) for row, column in places]
        start = time.process_time()
        wrong = sum(differs(found, *one) for one in zip(places, sample, strict=True))
        loop = (time.process_time() - start) / SAMPLE * pairs * 1e3
        start = time.process_time()
        tried = [scanned(pair) for pair in sample[:SCANNED]]
        scan = (time.process_time() - start) / SCANNED * pairs * 1e3
        best = [np.nan_to_num(found.best_batch[at]) for at in places[:SCANNED]]
        missed = sum(one != other for one, other in zip(tried, best, strict=True))

        served = int((found.best_batch >= 1).sum())
        fewer = int((found.best_batch < found.memory_batch).sum())
        print(f"{name}: {served:,} serve, {fewer:,} of them fewer sessions than fit")
        print(f"  sweep                      {swept:10.1f} ms")
        print(f"  a session alone, room left, what binds, when asked for {more:.1f} ms more")
        print(f"  every batch of every pair  {scan:10.0f} ms {scan / swept:8.0f}")
        print(f"  loop over decode           {loop:10.0f} ms {loop / swept:8.0f}")
        print(f"  against decode, {wrong} of {SAMPLE} sampled pairs differ")
        print(f"  against trying every batch, {missed} of {SCANNED}")
        kept &= swept < MOST_MS and min(loop, scan) / swept >= LEAST_RATIO and wrong == missed == 0
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
