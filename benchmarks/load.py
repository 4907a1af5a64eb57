"""How long the whole catalog takes to load, and what of it is reading and parsing.

Run from the repository root: python benchmarks/load.py [repetitions]
The budget of the start is 80 ms.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ourmodels_gui import paths
from ourmodels_gui.library.load import load


def milliseconds(work: Callable[[], object], repetitions: int) -> float:
    """Median time of one call, after one that warms the caches."""
    work()
    times = []
    for _ in range(repetitions):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return 1e3 * median(times)


def main(repetitions: int = 15) -> None:
    """Print counts, times, and the ratio to parsing the same files with the standard library."""
    catalog = paths.catalog()
    files = [path for path in catalog.rglob("*.json") if path.is_file()]
    library = load(catalog)
    read = milliseconds(lambda: [path.read_bytes() for path in files], repetitions)
    plain = milliseconds(lambda: [json.loads(path.read_bytes()) for path in files], repetitions)
    whole = milliseconds(lambda: load(catalog), repetitions)
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files)} files, {size / 1e6:.2f} MB")
    print(f"{len(library.machines)} machines, {len(library.models)} models")
    print(f"reading alone       {read:6.1f} ms")
    print(f"standard json       {plain:6.1f} ms, unchecked")
    print(f"load, all checked   {whole:6.1f} ms, {whole / plain:.2f} of that; budget 80 ms")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))
