"""The ranking as the command line prints it."""

from ..library.load import Library
from ..scenario import PrefillChoice, Scenario, WorkloadChoice
from ..settings import Settings
from . import sheet
from .field import FieldChoice, prepare
from .order import order
from .table import Table, rank

MOST_LINES = 1000
FEW_LINES = 100
SHOWN = (
    "best_batch",
    "aggregate_tokens_per_s",
    "per_session_tokens_per_s",
    "single_session_tokens_per_s",
    "time_to_first_token_s",
    "spare_gb",
    "price",
    "watts",
)
"""Columns of the text; CSV has all of them."""


def ranking_text(
    library: Library,
    scenario: Scenario | None,
    settings: Settings,
    *,
    model: str | None = None,
    weights: str | None = None,
    hardware: str | None = None,
    as_csv: bool = False,
) -> str:
    """Machines for a model, models for a machine, or with neither the whole catalog, the largest
    aggregate first and what does not serve last.

    Parameters: scenario, whose workload and prompt are used (its machine and model are not), or
    None for the defaults; model, weights (a format id, `field.BEST`, or None for the release's
    own) and hardware by id; as_csv, every row, column and digit. Text of more than 1,000 rows is
    cut to the first hundred, and says so.
    Errors: BadInput for an id or a format that does not exist.
    """
    workload = scenario.workload if scenario else WorkloadChoice()
    prefill = scenario.prefill if scenario else PrefillChoice()
    choice = FieldChoice(
        weights=weights,
        cache_format=workload.cache_format,
        cache_read_format=workload.cache_read_format,
        machines=None if hardware is None else (hardware,),
        models=None if model is None else (model,),
    )
    table = rank(prepare(library, choice), workload, prefill, settings)
    rows = order(table, "aggregate_tokens_per_s")
    if as_csv:
        return sheet.to_csv(sheet.ranking_sheet(table, rows))
    shown = rows if rows.size <= MOST_LINES else rows[:FEW_LINES]
    text = sheet.to_text(_without_ids(sheet.ranking_sheet(table, shown, SHOWN)))
    said = [*_told(table, scenario)]
    if shown.size < rows.size:
        said.append(
            f"{rows.size - shown.size:,} more rows; --csv prints all of them, --model or --hardware"
            " fewer."
        )
    return text + "\n" + "\n".join(said) + "\n"


def _told(table: Table, scenario: Scenario | None) -> list[str]:
    """What moves the figures, in a few lines."""
    basis = table.pairs.basis
    floor = f"a floor of {basis.floor_tokens_per_s:g} tok/s per session"
    lines = [
        f"{int(table.serves.sum()):,} of {len(table):,} pairs serve with"
        f" {basis.reserved_context_tokens:,} tokens of context reserved and"
        f" {basis.read_context_tokens:,} read (less where a model's limit is lower) and"
        f" {floor if basis.floor_tokens_per_s else 'no floor'}.",
        "Figures are ceilings: one that is too low is certain, one that is high enough is not a"
        " promise.",
    ]
    if scenario is not None and scenario.speculation is not None:
        lines.append("The scenario's speculation plays no part: a draft belongs to one model.")
    return lines


def _without_ids(whole: sheet.Sheet) -> sheet.Sheet:
    """What a reader of text can do without."""
    left_out = {"hardware", "model_id", "price_source"}
    kept = [place for place, heading in enumerate(whole.headings) if heading.id not in left_out]
    return sheet.Sheet(
        tuple(whole.headings[place] for place in kept),
        [tuple(row[place] for place in kept) for row in whole.cells],
        [tuple(row[place] for place in kept) for row in whole.texts],
    )
