"""Which machine for this, and what can mine run: rankings, reverse search, comparisons.

field         what takes part, and its costs: `prepare`, once per library and formats
table         the ranking at a workload: `rank`, `Table`
order         sort, ranges, facets, search: row numbers from a table
columns       ids, titles, units of its columns
money         prices and what tokens cost
pairs         the figures behind a table, as arrays
sheet         any table as CSV, Markdown, JSON or text
requirements  what a buyer needs, and its file
search        which machines meet it, and the nearest misses
comparison    two to six evaluations side by side
crossings     from which batch on one overtakes another
value         what a value plot shows, and its Pareto front
printed       the ranking as the command line prints it
"""

from ..library.load import Library
from ..scenario import Scenario
from ..settings import Settings


def printed(
    library: Library,
    scenario: Scenario | None,
    settings: Settings,
    *,
    model: str | None = None,
    weights: str | None = None,
    hardware: str | None = None,
    as_csv: bool = False,
) -> str:
    """The ranking that `ourmodels rank` prints; see the module `printed`."""
    from .printed import ranking_text  # noqa: PLC0415 - numpy loads with it

    return ranking_text(
        library, scenario, settings, model=model, weights=weights, hardware=hardware, as_csv=as_csv
    )
