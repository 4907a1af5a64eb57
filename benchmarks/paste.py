"""How long pasted benchmark output takes to read: 10,000 lines in each of llama-bench's formats.

Run from the repository root: python benchmarks/paste.py
Ends with 1 when a format takes longer than the limit.
"""

import json
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ourmodels_gui.measured.paste import read

LIMIT_S = 0.3
LINES = 10_000
TEXTS = Path(__file__).resolve().parent.parent / "tests" / "data" / "pasted"


def pastes() -> dict[str, str]:
    """A long paste of each kind by name."""
    table = (TEXTS / "llama-bench-depth.txt").read_text(encoding="utf-8").splitlines()
    comma = (TEXTS / "llama-bench.csv").read_text(encoding="utf-8").splitlines()
    row = json.dumps(json.loads((TEXTS / "llama-bench.json").read_text(encoding="utf-8"))[1])
    return {
        "Markdown": "\n".join(table[:4] + table[4:] * (LINES // 4)),
        "CSV": "\n".join(comma[:1] + comma[1:] * (LINES // 2)),
        "JSONL": "\n".join([row] * LINES),
        "JSON, 1 line": json.dumps([json.loads(row)] * LINES),
        "other text": "the rate was 12 tok/s today\n" * LINES,
    }


def main(repetitions: int = 5) -> int:
    """Print the median time of each kind."""
    slow = 0
    for name, paste in pastes().items():
        times = []
        for _ in range(repetitions):
            start = perf_counter()
            found = read(paste)
            times.append(perf_counter() - start)
        slow += median(times) > LIMIT_S
        print(f"{name:12} {len(found.runs):6,} runs {1e3 * median(times):6.0f} ms")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:2])))
