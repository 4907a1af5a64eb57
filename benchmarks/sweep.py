"""How much faster the sweep is than bisecting every pair, and that it is exact.

Run: python benchmarks/sweep.py

100,000 pairs of made-up machines and models, half of them mixtures of experts, from a fixed seed.
The rival is a bisection over all pairs at once in numpy, given the same tables; a second rival starts
from the closed form as well. Both report gates, best batch,
aggregate and per-session rate; the sweep the rest of its figures as well. A sample of pairs is
judged by trying every batch that fits. Exits with 1 where a decision differs or the ratio is
below 8.
"""

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ourmodels_gui.engine.setup import CacheLayer, Experts, Machine, ModelCosts, Workload
from ourmodels_gui.engine.step import Step, per_session_tokens_per_s
from ourmodels_gui.engine.sweep import (
    NONE,
    Sweep,
    sweep,
    sweep_tables,
)
from ourmodels_gui.engine.tables import MachineTable, ModelTable, machine_table, model_table

MACHINES, MODELS, SAMPLE, LEAST_RATIO = 250, 400, 400, 8.0
WORKLOAD = Workload(32_768, 16_384, 20.0, 4e9)


def made_up() -> tuple[list[Machine], list[ModelCosts]]:
    """Machines from 8 GB to 2 TB, models from half a GB to 1 TB, every other one with experts."""
    draw = random.Random(20)
    machines = [
        Machine(round(8e9 * 2 ** draw.uniform(0, 8)), 50e9 * 2 ** draw.uniform(0, 8))
        for _ in range(MACHINES)
    ]
    models = []
    for number in range(MODELS):
        resident = 5e8 * 2 ** draw.uniform(0, 9)
        layers = draw.randrange(16, 96)
        cache = (
            CacheLayer("full", layers // 4 + 1, width := draw.choice([512, 1024, 2048]), width),
            CacheLayer("window", layers - layers // 4, width, width, window_tokens=1024),
        )
        if number % 2:
            models.append(ModelCosts(resident, resident * 0.95, cache))
            continue
        resident *= 4.0
        routed = draw.choice([16, 32, 64, 128, 160, 256, 384, 512])
        experts = (Experts(routed, draw.choice([1, 2, 4, 6, 8, 10]), resident * 0.92 / routed),)
        models.append(ModelCosts(resident, resident * 0.08, cache, experts))
    return machines, models


def bisection(
    machines: MachineTable, models: ModelTable, floor: float, closed_form: bool
) -> tuple[Any, ...]:
    """The rival: every pair halves its own bracket, from the memory batch or the closed form down.

    The exponential is taken only for the models with experts.
    """
    rate, read = machines.bandwidth_bytes_per_s, models.read_bytes[:, None]
    margin = machines.capacity_bytes - machines.overhead_bytes - models.resident_bytes[:, None]
    memory = np.maximum(np.floor(margin / np.rint(models.alloc_bytes)[:, None]), 0.0)
    mixed = np.concatenate([mixture.rows for mixture in models.mixtures])
    kinds = np.concatenate([[mixture.kinds[0]] * mixture.rows.size for mixture in models.mixtures])
    routed, missed = kinds[:, :1].astype(float), np.log1p(-kinds[:, 1:] / kinds[:, :1])
    always = np.concatenate([mixture.always_bytes for mixture in models.mixtures])[:, None]
    expert = np.concatenate([mixture.expert_bytes[0] for mixture in models.mixtures])[:, None]
    plain = np.repeat(models.active_bytes[:, None], rate.size, axis=1)

    def per_session(batch: Any) -> Any:
        swept = plain.copy()
        swept[mixed] = always + expert * (routed * -np.expm1(batch[mixed] * missed))
        return rate / (swept + batch * read)

    low, high = np.zeros_like(memory), memory
    if closed_form:
        closed = np.floor((rate / floor - models.active_bytes[:, None]) / read) + 1.0
        high = np.clip(closed, 0.0, memory)
    while np.any(low < high):
        middle = np.ceil((low + high) / 2.0)
        clears = per_session(middle) >= floor
        low, high = np.where(clears, middle, low), np.where(clears, high, middle - 1.0)
    best = per_session(np.maximum(low, 1.0))
    return margin, memory, low, low * best, best


def scan(machine: Machine, model: ModelCosts, found: Sweep, at: tuple[int, int]) -> int:
    """The judge: the last of all fitting batches that clears the floor, or NONE."""
    table = model_table([model], WORKLOAD)
    step = Step(
        machine.bandwidth_bytes_per_s,
        model.always_bytes,
        model.experts,
        WORKLOAD.routing,
        float(table.read_bytes[0]),
    )
    fitting = max(int(found.memory_batch[at]), 0)
    clears = (
        per_session_tokens_per_s(step, np.arange(1, fitting + 1)) >= WORKLOAD.floor_tokens_per_s
    )
    return int(np.flatnonzero(clears)[-1]) + 1 if clears.any() else NONE


def fastest_s(run: Callable[[], Any], rounds: int) -> float:
    """The shortest of several runs."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    machines, models = made_up()
    overheads = np.full(len(machines), WORKLOAD.overhead_bytes)
    rows, columns = machine_table(machines, overheads), model_table(models, WORKLOAD)
    found = sweep_tables(rows, columns, WORKLOAD.floor_tokens_per_s)

    rival = bisection(rows, columns, WORKLOAD.floor_tokens_per_s, closed_form=False)
    draw = random.Random(3)
    sample = [(draw.randrange(MACHINES), draw.randrange(MODELS)) for _ in range(SAMPLE)]
    wrong = sum(
        scan(machines[at[0]], models[at[1]], found, at) != found.best_batch[at] for at in sample
    )
    served = int((found.best_batch > 0).sum())
    same = bool(np.array_equal(np.maximum(found.best_batch, 0), rival[2].T))

    floor = WORKLOAD.floor_tokens_per_s
    core_s = fastest_s(lambda: sweep_tables(rows, columns, floor), 15)
    whole_s = fastest_s(lambda: sweep(machines, models, WORKLOAD), 7)
    rival_s = fastest_s(lambda: bisection(rows, columns, floor, closed_form=False), 5)
    closer_s = fastest_s(lambda: bisection(rows, columns, floor, closed_form=True), 5)
    ratio = rival_s / core_s

    print(f"{MACHINES * MODELS:,} pairs, half with experts; {served:,} serve")
    for name, seconds in (
        ("sweep", core_s),
        ("sweep, making its tables as well", whole_s),
        ("bisection of all pairs from the memory batch", rival_s),
        ("bisection of all pairs from the closed form", closer_s),
    ):
        print(f"  {name:<45}{seconds * 1e3:8.1f} ms{seconds / core_s:8.1f}")
    print(f"  the bisection finds the same best batch everywhere: {'yes' if same else 'NO'}")
    print(f"  against trying every batch, {wrong} of {SAMPLE} sampled pairs differ")
    return 0 if wrong == 0 and same and ratio >= LEAST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
