"""What a search in a picker costs: 1,000 rows found, their facets counted, the list painted.

Run from the repository root: python benchmarks/pickers.py [repetitions]

The rows are the shipped machines and models together. Every letter of a search is typed as a
person does, and what follows is timed up to the painted list, in processor time, so that other
programs do not count. Exits with 1 where the median of a search takes longer than a frame.
"""

import os
import sys
from pathlib import Path
from statistics import median
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from ourmodels_gui import paths
from ourmodels_gui.gui.asked import machine_rows, model_rows
from ourmodels_gui.gui.asked.picker import Picker
from ourmodels_gui.gui.asked.search import counts
from ourmodels_gui.gui.qt_theme import Theme
from ourmodels_gui.library.load import load

FRAME_MS, ROWS = 16.0, 1000
SEARCHES = ("rtx 4090", "24gb laptop", "qwen moe", "7b", "nothing like it", "a")


def main(repetitions: int = 5) -> int:
    """Print the median and the worst of every search, and of counting the facets."""
    app = QApplication([])
    Theme(app).choose("light")
    library = load(paths.catalog())
    rows = [machine_rows.machine_row(entry) for entry in library.machines.values()]
    rows += [model_rows.model_row(entry) for entry in library.models.values()]
    rows = rows[-ROWS:]
    facets = machine_rows.FACETS + model_rows.FACETS
    picker = Picker("Rows", ("99.6 GiB", "9,999"), "search", facets=facets)
    picker.resize(392, 400)
    picker.offer_rows(rows)
    picker.show()
    app.processEvents()
    worst = 0.0
    for words in SEARCHES:
        shown, counted = [], []
        for _ in range(repetitions):
            for end in range(1, len(words) + 1):
                start = process_time()
                picker.search.setText(words[:end])
                app.processEvents()
                shown.append(1e3 * (process_time() - start))
            start = process_time()
            counts(rows, facets, words, {"maker": frozenset({"AMD"})})
            counted.append(1e3 * (process_time() - start))
            picker.search.clear()
            app.processEvents()
        print(
            f"{words:16} a letter {median(shown):5.1f} ms, at worst {max(shown):5.1f}; "
            f"facets {median(counted):5.1f} ms"
        )
        worst = max(worst, median(shown), median(counted))
    print(f"{len(rows)} rows; slowest search {worst:.1f} ms, limit {FRAME_MS:.0f} ms")
    return int(worst > FRAME_MS)


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:2])))
