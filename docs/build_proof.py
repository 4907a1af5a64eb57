"""Write docs/proof.md anew: every published run beside its ceiling."""

import sys
from pathlib import Path

from ourmodels_gui import paths
from ourmodels_gui.library.load import load
from ourmodels_gui.measured import runs
from ourmodels_gui.measured.comparisons import comparisons
from ourmodels_gui.measured.proof import beaten, held, page

PLACE = Path(__file__).with_name("proof.md")


def main() -> int:
    """Returns 1 when a sound run lies above its ceiling; the page then says which."""
    library, measured = load(paths.catalog()), runs.load(paths.catalog())
    ceilings = held(measured, library)
    compared = comparisons(paths.resources() / "examples", library)
    PLACE.write_text(page(measured, library, ceilings, compared), encoding="utf-8")
    above = beaten(measured, ceilings)
    for run in above:
        print(f"{run.id}: {ceilings[run.id].ratio:.3f} of its ceiling", file=sys.stderr)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
