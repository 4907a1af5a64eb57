"""How much faster the sweep is than bisecting every pair, and that it is exact.

Run: python benchmarks/sweep.py

100,000 pairs of made-up machines and models, half of them mixtures of experts, from a fixed seed.
The rival is a bisection over all pairs at once in numpy, given the same tables. Both report gates,
best batch, aggregate and per-session rate, and must agree to the last bit. A sample of pairs is
judged by trying every batch that fits. Exits with 1 where a decision differs or the
ratio is below 8.
"""

import math
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ourmodels_gui.engine.setup import CacheLayer, Experts, Machine, ModelCosts, Workload
from ourmodels_gui.engine.step import Step, per_session_tokens_per_s
from ourmodels_gui.engine.sweep import Sweep, sweep, sweep_tables
from ourmodels_gui.engine.tables import MachineTable, ModelTable, machine_table, model_table

ROUTINGS = (
    *((8, 2), (16, 1), (16, 2), (32, 4), (60, 4), (64, 6), (64, 8), (72, 6), (72, 8), (96, 8)),
    *((128, 1), (128, 4), (128, 6), (128, 8), (160, 6), (160, 8), (192, 8), (256, 4), (256, 6)),
    *((256, 8), (256, 10), (288, 8), (320, 8), (384, 6), (384, 8), (512, 10), (512, 22)),
)
MACHINES, MODELS, BANDWIDTHS = 500, 200, 170
SAMPLE, ROUNDS, LEAST_RATIO = 400, 40, 8.0
WORKLOAD = Workload(32_768, 16_384, 20.0, 4e9)


def made_up() -> tuple[list[Machine], list[ModelCosts]]:
    """Machines from 8 GB to 2 TB, models from half a GB to 1 TB, every other one with experts."""
    draw = random.Random(20)
    bandwidths = [50e9 * 2 ** draw.uniform(0, 8) for _ in range(BANDWIDTHS)]
    machines = [
        Machine(round(8e9 * 2 ** draw.uniform(0, 8)), draw.choice(bandwidths))
        for _ in range(MACHINES)
    ]
    models = []
    for number in range(MODELS):
        resident = 5e8 * 2 ** draw.uniform(0, 9)
        cache = made_up_cache(draw)
        if number % 2:
            models.append(ModelCosts(resident, resident * 0.95, cache))
            continue
        resident *= 4.0
        routed, picked = draw.choice(ROUTINGS)
        experts = (Experts(routed, picked, resident * 0.92 / routed),)
        models.append(ModelCosts(resident, resident * 0.08, cache, experts))
    return machines, models


def made_up_cache(draw: random.Random) -> tuple[CacheLayer, ...]:
    """Full, windowed or recurrent layers, one kind in three with a few full ones."""
    layers, width = draw.randrange(16, 96), draw.choice([512, 1024, 2048])
    few = CacheLayer("full", layers // 4 + 1, width, width)
    return draw.choice(
        [
            (CacheLayer("full", layers, width, width),),
            (few, CacheLayer("window", layers, width, width, window_tokens=1024)),
            (few, CacheLayer("state", layers, state_bytes=width * 1024)),
            (CacheLayer("state", layers, state_bytes=width * 512),),
        ]
    )


def bisection(machines: MachineTable, models: ModelTable, floor: float) -> tuple[Any, ...]:
    """The rival: every pair halves its own bracket 0 .. b_mem with the canonical floor test."""
    rate, read = machines.bandwidth_bytes_per_s, models.read_bytes[:, None]
    margin = machines.capacity_bytes - machines.overhead_bytes - models.resident_bytes[:, None]
    memory = np.maximum(np.floor(margin / np.rint(models.alloc_bytes)[:, None]), 0.0)
    always, expert, routed, picked, missed = np.zeros((5, models.active_bytes.size, 1))
    always[:] = models.active_bytes[:, None]
    for mixture in models.mixtures:
        ((experts, per_token),) = mixture.kinds
        always[mixture.rows, 0] = mixture.always_bytes
        expert[mixture.rows, 0] = mixture.expert_bytes[0]
        routed[mixture.rows], picked[mixture.rows] = experts, per_token
        missed[mixture.rows] = math.log1p(-per_token / experts)

    def per_session(batch: Any) -> Any:
        touched = np.where(batch == 1.0, picked, routed * -np.expm1(batch * missed))
        return rate / (always + expert * touched + batch * read)

    low, high = np.zeros_like(memory), memory
    while np.any(low < high):
        middle = np.ceil((low + high) / 2.0)
        clears = per_session(middle) >= floor
        low, high = np.where(clears, middle, low), np.where(clears, high, middle - 1.0)
    best = per_session(np.maximum(low, 1.0))
    return margin, memory, low, low * best, best


def scan(machine: Machine, model: ModelCosts, found: Sweep, at: tuple[int, int]) -> int:
    """The judge: the last of all fitting batches that clears the floor, or 0."""
    table = model_table([model], WORKLOAD)
    step = Step(
        machine.bandwidth_bytes_per_s,
        model.always_bytes,
        model.experts,
        WORKLOAD.routing,
        float(table.read_bytes[0]),
    )
    fitting = int(np.nan_to_num(found.memory_batch[at]))
    clears = (
        per_session_tokens_per_s(step, np.arange(1, fitting + 1)) >= WORKLOAD.floor_tokens_per_s
    )
    return int(np.flatnonzero(clears)[-1]) + 1 if clears.any() else 0


def contenders() -> dict[str, Callable[[], Any]]:
    """What is timed, by name."""
    machines, models = made_up()
    rows = machine_table(machines, np.full(len(machines), WORKLOAD.overhead_bytes))
    columns, floor = model_table(models, WORKLOAD), WORKLOAD.floor_tokens_per_s
    return {
        "sweep": lambda: sweep_tables(rows, columns, floor),
        "sweep, making its tables as well": lambda: sweep(machines, models, WORKLOAD),
        "bisection of all pairs": lambda: bisection(rows, columns, floor),
    }


def median_s(name: str) -> float:
    """Median processor time of a contender over a few processes of its own.

    In one process they would change each other's times: how much numpy asks back from the system
    depends on what was freed before, and on where the process happens to lie in memory.
    """
    command = [sys.executable, __file__, name]
    runs = (subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(5))
    return statistics.median(float(run.stdout) for run in runs)


def time_alone(name: str) -> None:
    """Print the median of many runs."""
    run, times = contenders()[name], []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    print(statistics.median(times))


def main() -> int:
    if len(sys.argv) > 1:
        time_alone(sys.argv[1])
        return 0
    machines, models = made_up()
    found = sweep(machines, models, WORKLOAD)
    draw = random.Random(3)
    sample = [(draw.randrange(MACHINES), draw.randrange(MODELS)) for _ in range(SAMPLE)]
    wrong = sum(
        scan(machines[at[0]], models[at[1]], found, at) != np.nan_to_num(found.best_batch[at])
        for at in sample
    )
    rival = contenders()["bisection of all pairs"]()
    same = np.array_equal(np.nan_to_num(found.best_batch), rival[2].T) and np.array_equal(
        np.nan_to_num(found.aggregate_tokens_per_s), rival[3].T
    )
    times = {name: median_s(name) for name in contenders()}
    ratio = times["bisection of all pairs"] / times["sweep"]

    served = int((found.best_batch >= 1).sum())
    print(f"{MACHINES * MODELS:,} pairs, half with experts; {served:,} serve")
    for name, seconds in times.items():
        print(f"  {name:<40}{seconds * 1e3:8.1f} ms{seconds / times['sweep']:8.1f}")
    print(f"  the bisection finds the same everywhere: {'yes' if same else 'NO'}")
    print(f"  against trying every batch, {wrong} of {SAMPLE} sampled pairs differ")
    return 0 if wrong == 0 and same and ratio >= LEAST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
