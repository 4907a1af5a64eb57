"""What a move of a slider costs the ranking of the complete catalog.

Run: python benchmarks/rank.py

Every machine with every model of the shipped catalog at a new context and a new floor each time:
the decode columns, then sorted by the aggregate; the same with the best of seven formats; a million
pairs; what is prepared once per library; the columns worked out when first shown. The same with the
compositions among the machines, for every model and for one. Rivals, on the pairs without
compositions: a bisection of every pair at once in numpy, and a plain loop over `evaluate` (timed on
a sample). Exits with 1 where a cell differs from the rivals or a limit of README.md is missed.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ourmodels_gui import paths
from ourmodels_gui.engine.evaluate import evaluate
from ourmodels_gui.library.load import load
from ourmodels_gui.library.resolve import resolve
from ourmodels_gui.ranking.field import BEST, Field, FieldChoice, prepare
from ourmodels_gui.ranking.order import order
from ourmodels_gui.ranking.pairs import pairs
from ourmodels_gui.ranking.table import Table, rank
from ourmodels_gui.scenario import PrefillChoice, WorkloadChoice

ROUNDS, SAMPLE, FRAME_MS, MILLION_MS, LEAST_RATIO = 25, 400, 16.0, 150.0, 4.0
WHOLE_MS = 100.0
FIGURES = ("memory_batch", "best_batch", "aggregate_tokens_per_s", "per_session_tokens_per_s")


def median_ms(run: Callable[[int], Any], rounds: int = ROUNDS) -> float:
    """Median processor time; each run is given its number, so that no two need be alike."""
    times = []
    for number in range(rounds + 2):
        start = time.process_time()
        run(number)
        times.append(time.process_time() - start)
    return statistics.median(times[2:]) * 1e3


def moved(number: int) -> WorkloadChoice:
    """A workload after a slider was moved."""
    return WorkloadChoice(
        reserved_context_tokens=40_000 + 1000 * number, floor_tokens_per_s=10.0 + number
    )


def bisection(field: Field, workload: WorkloadChoice) -> np.ndarray[Any, Any]:
    """The best batch of every pair by halving 0 .. b_mem with the floor test; 0 where none."""
    found = pairs(field, workload, None)
    models, rate = found.model_table, found.machine_table.bandwidth_bytes_per_s
    always, floor = models.active_bytes[:, None].copy(), found.basis.floor_tokens_per_s
    expert, routed, picked, missed = np.zeros((4, always.size, 1))
    for mixture in models.mixtures:
        ((experts, per_token),) = mixture.kinds
        always[mixture.rows, 0] = mixture.always_bytes
        expert[mixture.rows, 0] = mixture.expert_bytes[0]
        routed[mixture.rows], picked[mixture.rows] = experts, per_token
        missed[mixture.rows] = np.log1p(-per_token / experts)
    read = models.read_bytes[:, None]

    def per_session(batch: Any) -> Any:
        touched = np.where(batch == 1.0, picked, routed * -np.expm1(batch * missed))
        return rate / (always + expert * touched + batch * read)

    high = np.nan_to_num(np.floor(found.margin_bytes / np.rint(models.alloc_bytes)[:, None]))
    high = np.maximum(high, 0.0)
    low = np.zeros_like(high)
    while np.any(low < high):
        middle = np.ceil((low + high) / 2.0)
        clears = per_session(middle) >= floor
        low, high = np.where(clears, middle, low), np.where(clears, high, middle - 1.0)
    return low


def differing(table: Table, sample: list[int]) -> int:
    """How many sampled rows differ from `evaluate` in a decode figure."""
    wrong = 0
    for row in sample:
        result = table.evaluation(row).result
        if result is None:
            wrong += int(table.verdict[row] != -1)
            continue
        cells = [(table.values(name)[row], getattr(result.decode, name)) for name in FIGURES]
        wrong += any(
            np.nan_to_num(cell, nan=-1.0) != (-1 if it is None else it) for cell, it in cells
        )
    return wrong


def main() -> int:
    library = load(paths.catalog())
    single_ones = tuple(library.machines)
    choice = FieldChoice(machines=single_ones)
    best_choice = FieldChoice(weights=BEST, machines=single_ones)
    preparing = median_ms(lambda _: prepare(library, choice), 5)
    preparing_best = median_ms(lambda _: prepare(library, best_choice), 3)
    field, best = prepare(library, choice), prepare(library, best_choice)
    for warm in (field, best):
        rank(warm)
    rows = len(rank(field))
    single = sum(len(mixture.kinds) == 1 for mixture in field.expected.mixtures)
    assert single == len(field.expected.mixtures), "the bisection takes one set of experts a model"

    columns = median_ms(lambda number: pairs(field, moved(number), None))
    whole = median_ms(lambda number: order(rank(field, moved(number)), "aggregate_tokens_per_s"))
    seven = median_ms(lambda number: pairs(best, moved(number), None), 9)
    million = seven / (len(best.costs) * len(best.machines)) * 1e6
    rival = median_ms(lambda number: bisection(field, moved(number)), 3)

    table = rank(field, moved(3), PrefillChoice())
    draw = random.Random(4)
    sample = [draw.randrange(rows) for _ in range(SAMPLE)]
    scenarios = [table.scenario(row) for row in sample if table.verdict[row] != -1]
    start = time.process_time()
    for scenario in scenarios:
        evaluate(resolve(scenario, library))
    loop = (time.process_time() - start) / len(scenarios) * rows * 1e3
    wrong = differing(table, sample)
    same = np.array_equal(
        bisection(field, moved(3)), np.nan_to_num(pairs(field, moved(3), None).best_batch)
    )
    later = {
        name: median_ms(lambda _, name=name: rank(field, moved(3), PrefillChoice()).values(name), 3)
        for name in ("prefill_tokens_per_s", "longest_context_tokens", "usable_batch", "spare_gb")
    }

    mixed = prepare(library, FieldChoice())
    one = prepare(library, FieldChoice(models=("gpt-oss-120b",)))
    for warm in (mixed, one):
        rank(warm)
    together = median_ms(lambda number: pairs(mixed, moved(number), None), 9)
    alone = median_ms(lambda number: pairs(one, moved(number), None))
    found = rank(mixed, moved(3), PrefillChoice())
    places = np.flatnonzero(found.machine >= mixed.single).tolist()
    wrong += differing(found, draw.sample(places, SAMPLE))

    print(f"{rows:,} rows: {len(field.machines)} machines, {len(field.models)} models")
    print(f"  decode columns                            {columns:10.1f} ms")
    print(f"  decode columns, sorted by the aggregate   {whole:10.1f} ms")
    print(
        f"  the best of {best.rungs} formats, {len(best.costs) * len(best.machines):,} pairs"
        f"     {seven:10.1f} ms"
    )
    print(f"  the same for a million pairs              {million:10.1f} ms")
    print(
        f"  the same with {len(library.compositions)} compositions             {together:10.1f} ms"
    )
    print(f"  of one model                              {alone:10.1f} ms")
    print(f"  bisection of every pair                   {rival:10.1f} ms {rival / columns:8.1f}")
    print(f"  loop over resolve and evaluate            {loop:10.0f} ms {loop / columns:8.0f}")
    print(
        f"  prepared once: one format, seven formats  {preparing:10.1f} ms, {preparing_best:.1f} ms"
    )
    for name, milliseconds in later.items():
        print(f"  ranking with {name:<29}{milliseconds:10.1f} ms")
    print(f"  the bisection finds the same everywhere: {'yes' if same else 'NO'}")
    print(f"  against evaluate, {wrong} of {2 * SAMPLE} sampled rows differ")
    kept = columns < FRAME_MS and million < MILLION_MS and rival / columns >= LEAST_RATIO
    kept = kept and together < WHOLE_MS and alone < FRAME_MS
    return 0 if kept and same and wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
